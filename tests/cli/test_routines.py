"""`voice-gateway routines`: what is planned, with and without a running gateway."""

import asyncio

import pytest
from tests.fakes.gateway_process import Commands, Running

KEYS = {"id", "text", "trigger", "condition", "next", "calls", "say", "enabled", "last"}


@pytest.mark.slow
async def test_what_is_kept_is_listed_and_nothing_is_done_now(commands: Commands):
    assert (await commands.run("routines", "--json")).json == []
    text = (
        "turn on the floor lamp every day at 7 am\nturn on the desk lamp in five minutes\n"
        "when the back door opens turn on the kitchen light\nunlock the front door at 6 am\n"
        "which lights are on\nturn on the floor lamp on the 30th of february at 8\n"
    )
    said = await commands.run("chat", text=text)
    found = (await commands.run("routines", "--json")).json
    found.sort(key=lambda one: one["id"])

    assert "It only happens while the gateway is running" in said.out
    assert "A routine may not open the house" in said.out
    assert "bedside lamp" in said.out.lower()  # as it was before, and no other
    assert [one["trigger"]["kind"] for one in found] == ["every", "once", "event"]
    assert all(one.keys() == KEYS for one in found)
    assert found[0]["trigger"]["rrule"] == "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;BYSECOND=0"
    assert found[0]["calls"] == [
        {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}
    ]
    assert found[2]["trigger"] | {"kind": "event"} == {
        "kind": "event", "server": "zwave", "resource": "zwave://devices/6/0", "becomes": "open"
    }  # fmt: skip
    assert found[2]["next"] is None


@pytest.mark.slow
async def test_adding_and_changing_from_a_script(commands: Commands):
    now = await commands.run("routines", "add", "turn on the floor lamp")
    added = await commands.run("routines", "add", "turn on the floor lamp every day at 7 am")
    [kept] = (await commands.run("routines", "--json")).json
    await commands.run("routines", "skip", str(kept["id"]))
    [skipped] = (await commands.run("routines", "--json")).json
    await commands.run("routines", "pause")
    [paused] = (await commands.run("routines", "--json")).json
    gone = await commands.run("routines", "cancel", str(kept["id"]))
    unknown = await commands.run("routines", "cancel", "999")

    assert (now.code, added.code, gone.code, unknown.code) == (1, 0, 0, 1)
    assert skipped["next"] > kept["next"]
    assert (paused["enabled"], paused["next"]) == (False, None)
    assert (await commands.run("routines", "--json")).json == []


@pytest.mark.slow
async def test_a_running_gateway_carries_out_what_was_made_elsewhere(commands: Commands):
    """One starts another, and undo takes back the last of the two."""
    await commands.run("routines", "add", "when the desk lamp is turned on turn on the floor lamp")
    async with Running.opened(commands):
        await commands.run("ask", "turn on the desk lamp in 1 second")
        async with asyncio.timeout(90):
            while not (kept := (await commands.run("routines", "--json")).json)[-1]["last"]:
                pass
        lamp = await commands.run("ask", "is the floor lamp on")
        undone = await commands.run("undo")

    assert [one["last"]["ok"] for one in kept] == [True]
    assert lamp.out == "Yes, the floor lamp is on.\n"
    assert "floor lamp" in undone.out.lower()

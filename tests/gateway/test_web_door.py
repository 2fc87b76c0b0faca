"""The console's door of a whole gateway, as a browser and a program use it."""

import asyncio
import contextlib
import json
import os
import signal

import httpx
import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import processes, server
from tests.fakes.waiting import until

CONSOLE = {"VOICE_GATEWAY_WEB_ENABLED": "true", "VOICE_GATEWAY_WEB_PORT": "0"}
NAMES = ["<img src=x onerror=alert(1)>", "\x1b[31mRed\x1b[0m", "Plain Lamp"]


@contextlib.asynccontextmanager
async def console(commands, *words, **env):
    """A running gateway, and a client of its web door."""
    gateway = Running(await commands.start("run", *words, **CONSOLE, **env))
    try:
        line = await gateway.says("http://")
        await gateway.says("ready")
        address = line.split()[-1]
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=30) as http:
            yield gateway, http
    finally:
        if gateway.process.returncode is None:
            await gateway.stop()


async def device(http, name):
    async def found():
        devices = (await http.get("/api/devices")).json()["devices"]
        return next((one for one in devices if one["name"] == name), None)

    return await until(found)


async def ask(http, text, conversation="c"):
    answer = await http.post("/api/ask", json={"text": text, "conversation_id": conversation})
    assert answer.status_code == 200
    return answer.json()


@pytest.mark.slow
async def test_a_lamp_is_switched_by_words_and_by_hand_and_the_trace_tells_it(commands):
    told: list[dict] = []

    async def read(stream) -> None:
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                told.append(json.loads(line[6:]))  # noqa: PERF401 (they are looked at while they come)

    async with (
        console(commands) as (gateway, http),
        http.stream("GET", "/api/events") as stream,
        asyncio.TaskGroup() as tasks,
    ):
        reading = tasks.create_task(read(stream))
        assert (await ask(http, "turn on the floor lamp"))["ok"]
        lamp = await device(http, "Floor Lamp")
        assert (lamp["state"], lamp["level"]) == ("on, 100 %", 100)

        wish = {"action": "dim", "level": 40, "conversation_id": "c"}
        dimmed = (await http.post(f"/api/devices/{lamp['id']}", json=wish)).json()
        assert dimmed["outcomes"][0]["structured"]["outcome"] == "confirmed"
        assert (await http.post("/api/undo", json={"conversation_id": "c"})).json()["ok"]
        turns = (await http.get("/api/turns")).json()["turns"]
        assert [turn["door"] for turn in turns] == ["web"] * 3
        story = (await http.get(f"/api/turns/{turns[-1]['id']}")).json()
        kinds = [event["type"] for event in story["events"]]
        assert {"heard", "staged", "judged", "started", "acted", "answered"} <= set(kinds)
        await until(lambda: [one["type"] for one in told if one.get("turn") == story["id"]] == kinds)
        await until(lambda: any("devices" in one for one in told))
        reading.cancel()

        # What is sensitive is refused here unless the settings name this channel.
        door = await device(http, "Front Door")
        refused = (await http.post(f"/api/devices/{door['id']}", json={"action": "unlock"})).json()
        assert not refused["ok"]
        assert refused["outcomes"][0]["structured"]["outcome"] == "not_permitted"
        assert not (await ask(http, "unlock the front door"))["ok"]
        assert (await device(http, "Front Door"))["state"] == "locked"
        assert len([line for line in gateway.said if "http" in line]) == 1
        assert await gateway.stop() == 0


@pytest.mark.slow
async def test_a_confirmation_counts_only_in_its_own_conversation(commands):
    doors = {"VOICE_GATEWAY_PERMISSION_SENSITIVE_CHANNELS": "cli,web"}
    async with console(commands, **doors) as (_gateway, http):
        garage = await device(http, "Garage Door")
        wish = {"action": "open", "conversation_id": "mine"}
        asked = (await http.post(f"/api/devices/{garage['id']}", json=wish)).json()
        assert asked["expects_answer"]
        assert not (await ask(http, "yes", "another"))["outcomes"]
        async with httpx.AsyncClient(
            base_url=http.base_url, trust_env=False, timeout=30, cookies={"voice_gateway_client": "other"}
        ) as other:  # another browser that has learnt the name
            assert not (await ask(other, "yes", "mine"))["outcomes"]
        published = json.dumps([(await http.get("/api/turns")).json()])
        assert '"mine"' not in published
        assert (await device(http, "Garage Door"))["state"] == "closed"
        done = await ask(http, "yes", "mine")
        assert [one["ok"] for one in done["outcomes"]] == [True]


@pytest.mark.slow
async def test_a_server_that_dies_takes_its_devices_along_and_brings_them_back(commands, tmp_path):
    (tmp_path / "names").write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    lamps = server("zwave", "counting_server.py", tmp_path / "done", 0.02, tmp_path / "names")
    file = commands.file("s.toml", f"[mcp]\nbase_delay_seconds = 0.1\n{lamps}")
    async with console(commands, "--config", str(file)) as (_gateway, http):

        async def all_named() -> bool:
            answer = await http.get("/api/devices")
            assert answer.headers["content-type"] == "application/json"  # markup in a name is text
            assert b"\x1b" not in answer.content
            return [one["name"] for one in answer.json()["devices"]] == NAMES

        await until(all_named)
        (first,) = processes(str(tmp_path / "names"))
        os.kill(first, signal.SIGKILL)
        await until(lambda: processes(str(tmp_path / "names")) not in ([], [first]))
        await until(all_named)

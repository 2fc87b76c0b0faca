"""What is handed over to the running gateway: it may be killed in the middle, and whoever asked may leave."""

import asyncio
import json
import signal

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Running
from tests.fakes.running_gateway import server
from tests.fakes.waiting import until

NO_SERVER = "[mcp]\nsimulated_home = false\n"
UNKNOWN = "may or may not have happened"


async def ended(process) -> str:
    async with asyncio.timeout(LIMIT_SECONDS):
        out, _ = await process.communicate()
    return out.decode()


async def test_a_call_of_a_killed_gateway_is_one_unavailable_outcome(commands, tmp_path):
    commands.file("voice-gateway.toml", server("fault", "fault_server.py"))
    started = tmp_path / "started"
    async with Running.opened(commands) as gateway:
        calling = await commands.start("tools", "call", "hang", f"started={started}", "--json")
        await until(started.exists)
        gateway.process.kill()
        await gateway.process.communicate()

        outcome = json.loads(await ended(calling))

    assert calling.returncode == 1
    assert (outcome["ok"], outcome["error"], outcome["name"]) == (False, "unavailable", "hang")
    assert outcome["args"] == {"started": str(started)}
    assert outcome["seconds"] > 0
    assert UNKNOWN in outcome["text"]


async def test_a_turn_of_a_killed_gateway_is_one_failed_reply(commands, tmp_path):
    commands.file("voice-gateway.toml", server("zwave", "counting_server.py", tmp_path / "done", 30))
    async with Running.opened(commands) as gateway:
        asking = await commands.start("ask", "--json", "--conversation", "k", "turn on the red lamp")
        await until((tmp_path / "begun").exists)
        gateway.process.kill()
        await gateway.process.communicate()

        reply = json.loads(await ended(asking))

    assert asking.returncode == 1
    assert (reply["ok"], reply["stage"], reply["conversation_id"]) == (False, "none", "k")
    assert UNKNOWN in reply["text"]


@pytest.mark.slow
async def test_a_frozen_gateway_holds_up_no_command(commands):
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands) as gateway:
        gateway.process.send_signal(signal.SIGSTOP)
        try:
            started = [
                await commands.start(*words, stderr=asyncio.subprocess.PIPE)
                for words in (["ask", "--json", "what time is it"], ["status", "--json"])
            ]
            asked, status = [json.loads(await ended(process)) for process in started]
        finally:
            gateway.process.send_signal(signal.SIGCONT)

    assert [process.returncode for process in started] == [1, 1]
    assert "did not answer" in asked["text"]
    assert status == {"running": True, "parts": []}


@pytest.mark.slow
async def test_leaving_a_call_ends_it_and_tells_the_server(commands, tmp_path):
    commands.file("voice-gateway.toml", server("fault", "fault_server.py"))
    started = tmp_path / "started"
    async with Running.opened(commands, "--log-level", "info") as gateway:
        calling = await commands.start("tools", "call", "hang", f"started={started}")
        await until(started.exists)
        calling.send_signal(signal.SIGINT)
        await ended(calling)
        await gateway.says("the client has left")

        told = await commands.run("tools", "call", "was_cancelled", "--json")

    assert calling.returncode == 130
    assert len(json.loads(told.json["text"])) == 1


@pytest.mark.slow
async def test_leaving_a_turn_lets_its_call_finish(commands, tmp_path):
    done = tmp_path / "done"
    commands.file("voice-gateway.toml", server("zwave", "counting_server.py", done, 1))
    async with Running.opened(commands):
        asking = await commands.start("ask", "turn on the red lamp")
        await until((tmp_path / "begun").exists)
        asking.send_signal(signal.SIGINT)
        await ended(asking)
        assert not done.exists()

        await until(done.exists)
        more = await commands.run("ask", "--json", "turn it off")

    # It knows what "it" is: the turn came to its end.
    assert more.json["outcomes"][0]["args"] == {"deviceName": "Red Lamp", "action": "off"}

"""What programs get of a gateway with a simulated home: MCP, routines, health, the doctor."""

import asyncio
import contextlib
import json

import httpx
import pytest
import pytest_asyncio
from mcp.client import Client
from tests.fakes import warm_python
from tests.fakes.waiting import until
from tests.fakes.web import served

from voice_gateway.app import opened
from voice_gateway.app.channels import web_routes
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.config import SIMULATED_HOME, PermissionSettings, ServerSettings, Settings
from voice_gateway.events import OwnerAsked
from voice_gateway.turn import Utterance

LAMP = {"deviceName": "Floor Lamp", "action": "on"}
UNLOCK = {"deviceName": "Front Door", "action": "unlock"}
OPEN = PermissionSettings(sensitive_channels=("cli", "mcp"))


pytestmark = pytest.mark.asyncio(loop_scope="module")


@contextlib.asynccontextmanager
async def house(folder, **settings):
    """The gateway, and where its web door is."""
    patient = {"connect_timeout_seconds": 30}  # a loaded machine
    home = ServerSettings(command=warm_python.python(), args=SIMULATED_HOME.args)
    found = Settings(mcpServers={"zwave": home}, mcp=patient, **settings)
    async with opened(found) as gateway:
        gateway.start_long_tasks()
        await gateway.home_read()

        def routes(start):
            return web_routes(gateway, start, TokenFile(folder / "web-token.json"), None)

        async with served(folder, routes) as door:
            yield gateway, f"http://127.0.0.1:{door.port}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory):
    """The gateway and its address; for tests that need no settings."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("PULSE_SERVER", "unix:/nowhere")
        async with house(folder) as whole:
            yield whole


async def call(session, tool, /, **arguments):
    result = await session.call_tool(tool, arguments)
    return result, result.structured_content


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_another_assistant_uses_the_home_in_one_conversation(shared, mode):
    _, address = shared
    async with Client(f"{address}/mcp", mode=mode) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) >= {"ask", "list_tools", "call_tool", "list_routines"}
        assert tools["list_tools"].annotations.read_only_hint

        said, _ = await call(session, "ask", text="turn on the floor lamp")
        again, facts = await call(session, "ask", text="turn it off")
        assert ("floor lamp" in said.content[0].text.lower(), "off" in again.content[0].text) == (True, True)
        assert not again.is_error
        assert facts["outcomes"][0]["structured"]["outcome"] == "confirmed"

        listed = (await call(session, "list_tools"))[1]["tools"]
        assert "control_zwave_device" in [tool["name"] for tool in listed]
        off = json.dumps({**LAMP, "action": "off"})
        written, _ = await call(session, "call_tool", name="control_zwave_device", arguments=off)
        assert not written.is_error
        switched, _ = await call(session, "call_tool", name="control_zwave_device", arguments=LAMP)
        assert not switched.is_error
        undone, _ = await call(session, "ask", text="undo that")
        assert "off" in undone.content[0].text


@pytest.mark.parametrize("answer", ["yes, unlock the front door", "no"])
async def test_the_owner_answers_a_programs_sensitive_call_in_another_channel(shared, answer):
    gateway, address = shared
    asked, waits = [], []
    gateway.events.subscribe(asked.append, OwnerAsked)

    async def told(_done, _total, message):
        waits.append(message)

    async with (
        Client(f"{address}/mcp") as session,
        Client(f"{address}/mcp") as other,
        httpx.AsyncClient(base_url=address, trust_env=False, timeout=30) as http,
    ):
        arguments = {"name": "control_zwave_lock", "arguments": UNLOCK}
        waiting = asyncio.create_task(session.call_tool("call_tool", arguments, progress_callback=told))
        await until(lambda: asked and waits)
        await call(other, "ask", text="yes")
        here = (await http.post("/api/ask", json={"text": "yes", "question": asked[0].id})).json()
        assert not here["ok"], "the console may not unlock with these settings"
        assert _state(gateway, "Front Door") == "locked"
        assert not waiting.done()

        person = await gateway.conversation.answer(Utterance(answer, conversation_id="terminal"))
        result = await waiting
        again = (await http.post("/api/ask", json={"text": "yes", "question": asked[0].id})).json()

    assert "waiting for" in waits[0]
    assert not asked[-1].open
    assert not again["ok"]
    assert result.content[0].text == person.text
    outcomes = [outcome["name"] for outcome in result.structured_content["outcomes"]]
    assert outcomes == (["control_zwave_lock"] if answer != "no" else [])
    await until(lambda: _state(gateway, "Front Door") == ("unlocked" if answer != "no" else "locked"))
    await gateway.conversation.answer(Utterance("lock the front door"))
    await until(lambda: _state(gateway, "Front Door") == "locked")


@pytest.mark.usefixtures("own_folder")
async def test_a_sensitive_call_becomes_a_question_that_only_this_session_answers(tmp_path):
    async with (
        house(tmp_path, permission=OPEN) as (gateway, address),
        Client(f"{address}/mcp") as asked,
        Client(f"{address}/mcp") as other,
    ):
        question, facts = await call(asked, "call_tool", name="control_zwave_lock", arguments=UNLOCK)
        assert facts["expects_answer"]
        assert facts["outcomes"] == []
        assert "front door" in question.content[0].text.lower()

        confirmed = {**UNLOCK, "confirmed": True}
        await call(other, "call_tool", name="control_zwave_lock", arguments=confirmed)
        await call(other, "ask", text="no")
        await call(other, "ask", text="yes")
        named = {"text": "yes", "conversation_id": facts["conversation_id"]}
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=30) as http:
            body = {"messages": [{"role": "user", "content": "yes"}], "user": named["conversation_id"]}
            await http.post("/v1/chat/completions", json=body)
        assert "unlocked" not in _state(gateway, "Front Door")

        done, _ = await call(asked, "ask", text="yes")
        assert not done.is_error
        await until(lambda: "unlocked" in _state(gateway, "Front Door"))


def _state(gateway, name):
    home = gateway.local.home
    return next(home.state_of(device) for device in home.devices if device.name == name)


async def test_wrong_arguments_are_told_and_nothing_is_done(shared):
    _, address = shared
    async with Client(f"{address}/mcp") as session:
        for name, arguments, reason in (
            ("ask", {}, "text: Field required"),
            ("ask", {"text": 5}, "valid string"),
            ("ask", {"text": "x" * 9000}, "at most 8000 characters"),
            ("ask", {"text": "hello", "door": "cli"}, "door: Extra inputs"),
            ("call_tool", {"name": "fly_away"}, "fly_away"),
            ("call_tool", {"name": "control_zwave_device", "arguments": {}}, "missing"),
            ("call_tool", {"name": "control_zwave_device", "arguments": "[1"}, "valid dictionary"),
            ("delete_routine", {"id": 7}, "no routine 7"),
            ("set_routine", {"id": True, "enabled": True}, "valid integer"),
            ("fly", {}, 'no tool "fly"'),
        ):
            result, _ = await call(session, name, **arguments)
            assert result.is_error
            assert reason in result.content[0].text


async def test_a_routine_is_listed_switched_and_deleted_by_both_ways(shared):
    _, address = shared
    async with Client(f"{address}/mcp") as session:
        await call(session, "ask", text="turn on the floor lamp every day at 7 am")
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=30) as http:
            [routine] = (await http.get("/api/routines")).json()["routines"]
            number = routine["id"]
            assert "floor lamp" in routine["sentence"].lower()
            assert routine["enabled"]
            assert routine["next"]
            assert routine["last"] is None

            off = await http.post(f"/api/routines/{number}", json={"enabled": False})
            assert off.json()["ok"]
            listed, facts = await call(session, "list_routines")
            assert facts["routines"][0]["enabled"] is False
            assert json.loads(listed.content[0].text) == facts
            await call(session, "set_routine", id=number, enabled=True)
            assert (await http.get("/api/routines")).json()["routines"][0]["enabled"]

            assert (await http.delete(f"/api/routines/{number}")).json()["ok"]
            assert (await http.get("/api/routines")).json() == {"routines": []}
            assert (await http.delete(f"/api/routines/{number}")).status_code == 404
            for strange in ("0", "-1", "x", "1e3", "١", "9" * 5000, "%2e%2e", "1%2f2"):
                assert (await http.delete(f"/api/routines/{strange}")).status_code in (404, 405, 422)
            assert (await http.post("/api/routines/1", json={"enabled": 1})).status_code == 422
            assert (await http.post("/api/routines/1", content=b"{")).status_code == 400


async def test_a_session_that_leaves_in_the_middle_of_a_call_lets_it_come_to_its_end(shared):
    gateway, address = shared
    over = asyncio.Event()
    gateway.events.subscribe(lambda event: over.set() if type(event).__name__ == "Answered" else None)
    async with Client(f"{address}/mcp") as session:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.001):
                await call(session, "ask", text="turn on the floor lamp")
    await until(lambda: over.is_set() or "on" not in _state(gateway, "Floor Lamp"))
    assert (await _well(address)) == 200


async def _well(address):
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        return (await http.get(f"{address}/api/health")).status_code

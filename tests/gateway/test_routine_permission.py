"""A yes to a routine counts for what was asked about, and only while routines may open the house."""

import contextlib
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from tests.fakes import warm_python
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_server import FakeHomeAssistant

from voice_gateway.app import Gateway, opened
from voice_gateway.config import (
    SIMULATED_HOME,
    McpSettings,
    RoutinesSettings,
    ServerSettings,
    Settings,
    conversations_file,
)
from voice_gateway.conversation.store import SqliteStore
from voice_gateway.events import EventBus, Notice
from voice_gateway.routines.model import Once, Routine
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import COMMANDS, ToolTraits, Utterance

UNLOCK = {"name": "HassTurnOff", "args": {"name": "Front Door", "domain": ["lock"]}}
UNLOCK_ALL = {"name": "HassTurnOff", "args": {"area": "Hall", "domain": ["lock"]}}


pytestmark = pytest.mark.usefixtures("own_folder")


@contextlib.asynccontextmanager
async def running(ha: FakeHomeAssistant, *, opening: bool, known: bool = True) -> AsyncIterator[Gateway]:
    server = ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})
    settings = Settings(
        mcpServers={"casa": server},
        mcp=McpSettings(attempts=1, base_delay_seconds=0.0, connect_timeout_seconds=30),
        routines=RoutinesSettings(allow_opening=opening),
    )
    async with opened(settings, store=SqliteStore(conversations_file())) as gateway:
        if known:
            await gateway.local.cache.known()
        yield gateway


def agreed(gateway: Gateway, call: Any, leave_out: int = 0) -> Routine:
    devices = gateway.routines.judged([call]).devices
    assert devices
    kept = devices[leave_out:]
    return Routine("unlock it", Once(system_clock()), (call,), devices=kept, sensitive=True, id=1)


@pytest.mark.slow
@pytest.mark.parametrize("opening", [True, False])
async def test_allow_opening_is_checked_when_a_routine_runs(opening):
    async with FakeHomeAssistant(recorded_home()) as ha, running(ha, opening=opening) as gateway:
        last = await gateway.routines.carry_out(agreed(gateway, UNLOCK))
        assert (last.ok, ha.home["lock.front_door"].state == "unlocked") == (opening, opening), last.text


@pytest.mark.slow
async def test_a_device_beyond_the_confirmed_ones_needs_a_yes():
    async with FakeHomeAssistant(recorded_home()) as ha, running(ha, opening=True) as gateway:
        last = await gateway.routines.carry_out(agreed(gateway, UNLOCK_ALL, leave_out=1))
        assert not last.ok
        assert "Shall I" in last.text


@pytest.mark.parametrize("name", ["unlock_shed", " unlock_shed"])
async def test_what_deletes_and_unlocks_opens_the_house(name):
    async def unlock_shed() -> str:
        return "done"

    tool = StructuredTool.from_function(coroutine=unlock_shed, name="unlock_shed", description="Unlocks it.")
    traits = ToolTraits(source="shed", original_name="unlock_shed", destructive=True)
    async with opened(Settings(mcpServers={})) as gateway:
        gateway.tools.add(with_traits(tool, traits))
        judged = gateway.routines.judged([{"name": name, "args": {}}])
        assert (judged.sensitive, judged.opens) == (True, True)


@pytest.mark.slow
async def test_a_yes_in_a_process_of_its_own_keeps_what_was_asked_about():
    """There the home is not known yet when the yes is heard."""
    async with FakeHomeAssistant(recorded_home()) as ha:
        async with running(ha, opening=True) as gateway:
            asked = await gateway.conversation.answer(
                Utterance("unlock the front door at 8 pm", "cli", "one")
            )
        assert asked.expects_answer
        async with running(ha, opening=True, known=False) as gateway:
            made = await gateway.conversation.answer(Utterance("yes", "cli", "one"))
            assert made.ok, made.text
            (kept,) = gateway.routines.book.store.all()
    assert "unlock the front door" in made.text
    assert kept.text.startswith("unlock the front door")
    assert [device[0] for device in kept.devices] == ["Front Door"]


# --- A routine that was missed is asked about where somebody is now, and a yes does it


PATIENT = McpSettings(connect_timeout_seconds=30)  # a loaded machine
NOT_UNIT = "the simulated home, which is a process"
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


@pytest.mark.parametrize(("door", "now"), [("cli", COMMANDS), ("voice", "the voice of today")])
async def test_a_missed_routine_is_asked_about_in_the_current_conversation(door, now):
    watch, told = EventBus(), []
    watch.subscribe(lambda event: told.append(event.text) if isinstance(event, Notice) else None)
    hour_ago = system_clock() - timedelta(hours=1)
    home = ServerSettings(command=warm_python.python(), args=SIMULATED_HOME.args)
    async with opened(Settings(mcpServers={"zwave": home}, mcp=PATIENT), events=watch) as gateway:
        await gateway.local.cache.known()
        gateway.talks_in["voice"] = "the voice of today"
        devices = gateway.routines.judged([LAMP]).devices
        made = Routine(
            "turn on the Floor Lamp",
            Once(hour_ago),
            (LAMP,),
            devices=devices,
            channel=door,
            conversation="gone",
            id=1,
        )
        await gateway.routines.missed(made)
        assert told[-1].startswith("While I was off, I missed this: turn on the Floor Lamp.")
        assert told[-1].casefold().endswith("turn on the floor lamp?")

        elsewhere = await gateway.conversation.answer(Utterance("yes", door, "somewhere else"))
        assert not elsewhere.outcomes
        reply = await gateway.conversation.answer(Utterance("yes", door, now))
        assert [outcome.ok for outcome in reply.outcomes] == [True], reply.text
        assert reply.outcomes[0].args["deviceName"] == "Floor Lamp"

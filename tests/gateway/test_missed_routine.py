"""A routine that was missed is asked about where somebody is now, and a yes does it."""

from datetime import timedelta

import pytest
from tests.fakes import warm_python

from voice_gateway.app import opened
from voice_gateway.config import SIMULATED_HOME, McpSettings, ServerSettings, Settings
from voice_gateway.events import EventBus, Notice
from voice_gateway.routines.model import Once, Routine
from voice_gateway.tools.builtin import system_clock
from voice_gateway.turn import COMMANDS, Utterance

PATIENT = McpSettings(connect_timeout_seconds=30)  # a loaded machine
NOT_UNIT = "the simulated home, which is a process"
LAMP = {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}}


pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.mark.parametrize(("door", "now"), [("cli", COMMANDS), ("voice", "the voice of today")])
async def test_the_chat_it_was_made_in_is_over_and_a_yes_elsewhere_does_it(door, now):
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

"""A recorded turn becomes a line that the evaluation reads as it is meant."""

import pytest
from tests.eval import ha_run
from tests.eval.cases import _case
from tests.eval.ha_home import HomeAssistantHouse
from tests.eval.run import run_case
from tests.fakes.home_talk import HomeTalk
from tests.fakes.recording import HOME, recording

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.events import EventBus
from voice_gateway.recorder.as_test import as_test
from voice_gateway.trace import private
from voice_gateway.turn import Utterance


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (["turn on the floor lamp"], "on Floor Lamp"),
        (["dim the floor lamp to 30 percent"], "dim Floor Lamp 30"),
        (["unlock the front door"], "unlock Front Door"),
        (["is the floor lamp on"], "read"),
        (["turn on the floor lamp", "turn it off"], "off Floor Lamp"),
        (["thank you"], "say"),
        (["set the volume to 30"], "vol set 30"),
    ],
)
async def test_the_line_says_what_was_done_and_passes(tmp_path, said, right):
    talk = HomeTalk(HOME)
    recorder = recording(tmp_path, talk.conversation.watch)
    for text in said:
        await talk.hears(text)
    turns = await recorder.read(lambda store: store.turns())
    *before, turn = [recorder.store().find(one["id"])[0] for one in reversed(turns)]
    await recorder.close()

    line = as_test(turn, before)

    assert line == f"own | {' >> '.join(said)} | {right}"
    assert (await run_case(_case(1, line))).right


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("turn on the floor lamp", "on Floor Lamp"),
        ("dim the floor lamp to 30 percent", "dim Floor Lamp 30"),
        ("close the window blind", "close Window Blind"),
        ("unlock the front door", "unlock Front Door"),
        ("set the heating to 21 degrees", "heat Thermostat 21"),
        ("turn on the scene movie night", "scene Movie Night"),
        ("turn off the lights in the living room", "off Ceiling Light + off Floor Lamp"),
    ],
)
async def test_what_home_assistant_did_is_told_in_the_same_words(tmp_path, said, right):
    house, settings, watch = HomeAssistantHouse("default"), BrainSettings(), EventBus()
    brain = house.brain(settings)
    await brain.refresh()
    recorder = recording(tmp_path, watch)
    permission = PermissionSettings(confirm=False)
    await Conversation((brain,), house.executor, settings, permission, watch=watch).answer(Utterance(said))
    [listed] = await recorder.read(lambda store: store.turns())
    [turn] = recorder.store().find(listed["id"])
    await recorder.close()

    line = as_test(turn)

    assert line == f"own | {said} | {right}"
    assert (await ha_run.run_case(_case(1, line))).right


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("make_routine", {"when": "at 11 pm"}),
        ("HassTurnOn", {"area": "Kitchen", "domain": ["light"]}),
        ("HassLightSet", {"name": "Floor Lamp", "domain": ["light"], "color": "red"}),
        ("HassTurnOn", {"name": "Something"}),
    ],
)
def test_what_has_no_word_there_is_said_to_have_none(tool, args):
    assert_refused(tool, args)


def test_what_a_tool_of_the_users_own_read_is_no_test_either():
    started = {"type": "started", "call_id": "1", "read_only": True}
    assert_refused("feel_soil", {"room": "kitchen"}, started)


def assert_refused(tool, args, *before):
    acted = {
        "type": "acted",
        "call_id": "1",
        "tool": tool,
        "args": args,
        "outcome": "confirmed",
        "error": None,
    }
    turn = {
        "text": "do it",
        "room": None,
        "events": [{"type": "heard"}, *before, {**acted, "structured": None}],
    }

    with pytest.raises(ValueError, match=f"have no word for {tool}"):
        as_test(turn)


@pytest.mark.parametrize(
    "text", ["the code is 4711", "my password is hunter2", "my pin is two four six eight"]
)
def test_what_was_hidden_makes_no_test(text):
    turn = {"text": private(text), "room": None, "events": [{"type": "heard"}]}
    with pytest.raises(ValueError, match="hidden"):
        as_test(turn)

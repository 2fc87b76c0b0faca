"""Taking back what was done, and doing what was meant instead, in a simulated home."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from tests.fakes.home_talk import HomeTalk

from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.undo import NOTHING, acts_to_undo
from voice_gateway.conversation.undo_log import MemoryActs
from voice_gateway.events import Acted
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolCall, ToolTraits, Utterance
from voice_gateway.turns.acts import Where

NOT_UNIT = "a simulated home at its own pace"

HOME = """
[home]
radio_seconds = 0
[[device]]
name = "Ceiling Light"
room = "Living Room"
kind = "dimmer"
[[device]]
name = "Floor Lamp"
room = "Living Room"
kind = "dimmer"
state = 40
[[device]]
name = "Kitchen Light"
room = "Kitchen"
kind = "switch"
[[device]]
name = "Desk Lamp"
room = "Office"
kind = "switch"
[[device]]
name = "Window Blind"
room = "Bedroom"
kind = "blind"
state = "open"
[[device]]
name = "Front Door"
room = "Hallway"
kind = "lock"
state = "unlocked"
supervised = true
[[device]]
name = "Garage Door"
room = "Garage"
kind = "garage_door"
state = "open"
[[device]]
name = "Thermostat"
room = "Hallway"
kind = "thermostat"
temperature = 20
supervised = true
[[device]]
name = "Heater"
room = "Garage"
kind = "switch"
faults = ["dead"]
[[scene]]
name = "Movie Night"
set = [
  { device = "Ceiling Light", state = 20 },
  { device = "Floor Lamp", state = "off" },
  { device = "Window Blind", state = "closed" },
]
"""


def call(name: str, **args: Any) -> ToolCall:
    return ToolCall("by-hand", name, args)


@pytest.fixture
def talk() -> HomeTalk:
    return HomeTalk(HOME)


# --- the words

TAKES_BACK = """
undo
undo that
undo it please
can you undo that
oh no, undo
no no undo
Undo what you just did.
undo the last command
never mind, undo it
that was wrong, revert it
that was the wrong lamp. put it back
put it back
put it back the way it was
put everything back
please put things back how they were
take that back
take it back please
i want to take that back
as it was before
as it was before please
just like before
back to how it was
change it back
turn it back
turn it back to what it was
make it like it was before
leave it as it was
reverse that
go back to how it was
"""

IS_TALK = """
I want to undo my belt
undo my belt
undo the zip on my jacket
put the kettle back
put the desk lamp back on the desk
the desk lamp was like before
put it back on the shelf
put it back in the fridge
put the milk back
put it back on
turn it back on
take that back, you liar
take that back to the shop
take it back to the library tomorrow
don't undo that
do not put it back
never undo what God has done
she wants to undo the damage
he put it back
I put it back
did you put it back
what does undo mean
undo is a useful key
can you tell me how to undo a knot
if it rains take it back
as it was before the war
like before we moved
back in the day
bring me back to the eighties
tom said undo it
go back
I'll be back
"""


@pytest.mark.parametrize("text", TAKES_BACK.strip().splitlines())
async def test_these_words_take_back(talk: HomeTalk, text: str) -> None:
    before = await talk.states()

    reply = await talk.hears("turn on the kitchen light", text)

    assert reply.text == "The Kitchen Light is now off."
    assert await talk.states() == before


@pytest.mark.parametrize("text", IS_TALK.strip().splitlines())
async def test_talk_takes_nothing_back(talk: HomeTalk, text: str) -> None:
    assert not acts_to_undo(normalise(text))
    await talk.hears("turn off the kitchen light", "turn on the desk lamp")
    done = await talk.states()

    reply = await talk.hears(text)

    assert [one for one in reply.outcomes if one.args.get("deviceName") != "Desk Lamp"] == []
    if "back on" not in text or "shelf" in text:
        assert await talk.states() == done


@pytest.mark.parametrize(
    "text",
    [
        "put the kitchen light back",
        "undo the kitchen light",
        "please put the kitchen light back the way it was",
        "the kitchen light as it was before",
    ],
)
async def test_one_device_of_several_is_put_back(talk: HomeTalk, text: str) -> None:
    before = await talk.states()
    await talk.hears("turn on the kitchen light and the desk lamp")

    assert (await talk.hears(text)).text == "The Kitchen Light is now off."
    assert await talk.states() == {**before, **lamps(desk=True)}
    assert (await talk.hears("undo the floor lamp")).outcomes == ()
    assert (await talk.hears("undo")).text == "The Desk Lamp is now off."


async def test_a_question_is_asked_back(talk: HomeTalk) -> None:
    asked = await talk.hears("turn on the kitchen light", "undo?")

    assert asked.text == "Turn off the Kitchen Light?"
    assert (await talk.hears("yes")).text == "The Kitchen Light is now off."
    assert (await talk.hears("undo")).text == NOTHING


# --- what is taken back


async def test_there_is_nothing_to_take_back(talk: HomeTalk) -> None:
    reply = await talk.hears("undo")

    assert (reply.text, reply.ok, reply.stage, reply.outcomes) == (NOTHING, False, "local", ())


async def test_looks_are_no_acts(talk: HomeTalk) -> None:
    await talk.hears(
        "turn on the kitchen light", "is the desk lamp on", "how loud is it", "which lights are on"
    )

    assert (await talk.hears("undo")).text == "The Kitchen Light is now off."


async def test_undo_goes_one_further_back_each_time(talk: HomeTalk) -> None:
    before = await talk.states()
    await talk.hears("dim the floor lamp to 80", "turn off the floor lamp", "close the window blind")

    assert (await talk.hears("undo")).text == "The Window Blind is now open."
    assert (await talk.hears("undo")).text == "The Floor Lamp is now on at 80 percent."
    assert (await talk.hears("undo")).text == "The Floor Lamp is now on at 40 percent."
    assert (await talk.hears("undo")).text == NOTHING
    assert await talk.states() == before


THREE = ("dim the floor lamp to 80", "turn off the floor lamp", "close the window blind")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("undo both", "The Floor Lamp is now on at 40 percent."),
        ("undo the last two", "The Floor Lamp is now on at 40 percent."),
        ("take back the last two things please", "The Floor Lamp is now on at 40 percent."),
        ("undo my last couple of changes", "The Floor Lamp is now on at 40 percent."),
        ("put them both back", "The Floor Lamp is now on at 40 percent."),
        ("take the last two back", "The Floor Lamp is now on at 40 percent."),
        ("both back the way they were", "The Floor Lamp is now on at 40 percent."),
        ("undo twice", "The Floor Lamp is now on at 40 percent."),
        ("revert all my changes", NOTHING),
        ("undo everything you did", NOTHING),
        ("oh no, put both back", "The Floor Lamp is now on at 40 percent."),
        ("undo the last three commands", NOTHING),
        ("undo everything", NOTHING),
        ("revert all of that", NOTHING),
        ("put everything back the way it was", NOTHING),
    ],
)
async def test_several_acts_are_taken_back_at_once(talk: HomeTalk, text: str, left: str) -> None:
    before = await talk.states()
    await talk.hears(*THREE)

    reply = await talk.hears(text)

    devices = [outcome.args["deviceName"] for outcome in reply.outcomes]
    assert sorted(devices) == ["Floor Lamp", "Window Blind"], "each is put back once, to what was first"
    assert (await talk.hears("undo")).text == left
    assert await talk.states() == before


async def test_of_several_acts_the_one_that_opens_the_house_is_asked_about(talk: HomeTalk) -> None:
    before = await talk.states()
    await talk.hears("lock the front door", "turn on the kitchen light")

    asked = await talk.hears("undo both")

    assert asked.text == "The Kitchen Light is now off. Unlock the front door? Say yes to confirm."
    await talk.hears("yes")
    assert await talk.states() == before


async def test_everything_is_what_this_conversation_did(talk: HomeTalk) -> None:
    await talk.hears("turn on the desk lamp", conversation_id="other")
    await talk.hears("turn on the kitchen light", "close the window blind")

    reply = await talk.hears("undo everything")

    assert {outcome.args["deviceName"] for outcome in reply.outcomes} == {"Kitchen Light", "Window Blind"}


async def test_a_turn_with_several_calls_is_taken_back_as_one(talk: HomeTalk) -> None:
    before = await talk.states()
    await talk.hears("turn on the kitchen light and close the window blind and set the thermostat to 23")

    reply = await talk.hears("undo")

    assert await talk.states() == before
    devices = {outcome.args["deviceName"] for outcome in reply.outcomes}
    assert devices == {"Thermostat", "Window Blind", "Kitchen Light"}
    assert (
        len([one for one in talk.told if isinstance(one, Acted)]) == 6
    )  # its calls are outcomes as any other


async def test_a_scene_is_taken_back(talk: HomeTalk) -> None:
    before = await talk.states()

    await talk.hears("start the scene movie night", "undo")

    assert await talk.states() == before


async def test_the_volume_is_taken_back(talk: HomeTalk) -> None:
    reply = await talk.hears("volume to 70", "undo")

    assert reply.text == "The volume is now 40 percent."


async def test_what_was_changed_by_hand_is_put_back_to_what_was_before_the_act(talk: HomeTalk) -> None:
    await talk.hears("dim the floor lamp to 80")
    await talk.executor.execute_all(
        [call("control_zwave_device", deviceName="Floor Lamp", action="dim", level=10)]
    )

    assert (await talk.hears("undo")).text == "The Floor Lamp is now on at 40 percent."


async def test_what_failed_is_no_act(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light", "turn on the heater")

    assert (await talk.hears("undo")).text == "The Kitchen Light is now off."


async def test_after_an_hour_nothing_is_taken_back(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light")
    talk.time += 3601

    assert (await talk.hears("undo")).text == NOTHING


async def test_it_is_kept_apart_from_the_conversation(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light")
    talk.time += 3500  # the conversation is forgotten long ago

    assert (await talk.hears("undo")).text == "The Kitchen Light is now off."


async def test_an_undo_that_opens_the_house_asks(talk: HomeTalk) -> None:
    await talk.hears("lock the front door")

    asked = await talk.hears("undo")

    assert asked.text == "Unlock the front door? Say yes to confirm."
    assert asked.expects_answer
    assert asked.outcomes == ()
    assert (await talk.hears("yes")).text == "The Front Door is now unlocked."
    assert (await talk.hears("undo")).text == NOTHING  # and it is not done again


async def test_of_several_calls_only_the_one_that_opens_is_asked_about(talk: HomeTalk) -> None:
    before = await talk.states()
    await talk.hears("close the garage door and turn on the kitchen light")

    asked = await talk.hears("undo")

    assert asked.text == "The Kitchen Light is now off. Open the garage door? Say yes to confirm."
    await talk.hears("yes")
    assert await talk.states() == before


async def test_a_no_leaves_it_closed_and_the_next_undo_goes_further(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light", "close the garage door", "undo", "no")

    assert (await talk.hears("undo")).text == "The Kitchen Light is now off."


async def test_what_could_not_be_put_back_is_tried_once_more(talk: HomeTalk) -> None:
    await talk.hears("turn on the desk lamp", "turn on the kitchen light")
    talk.home._faults = {"kitchen light": frozenset({"dead"})}
    talk.home.reload()
    talk.home._use(talk.home.spec)

    first = await talk.hears("undo")
    second = await talk.hears("undo")

    assert not first.ok
    assert not second.ok
    assert first.outcomes[0].args == second.outcomes[0].args
    assert (await talk.hears("undo")).text == "The Desk Lamp is now off."


async def test_the_act_of_a_tool_that_says_nothing_cannot_be_undone() -> None:
    async def feed_cat() -> str:
        return "The cat was fed."

    tool = StructuredTool.from_function(coroutine=feed_cat, description="Feeds the cat.")
    talk = HomeTalk(HOME, more=[with_traits(tool, ToolTraits(title="Feed the cat"))])
    talk.model.steps = [[call("feed_cat")]]
    await talk.hears("turn on the kitchen light", "please feed the cat", "yes")

    reply = await talk.hears("undo")

    assert reply.text == "I cannot take that back. The tool “feed cat” does not say what was before."
    assert not reply.ok
    assert (await talk.hears("undo")).text == "The Kitchen Light is now off."


async def test_no_server_says_what_another_one_does_when_its_act_is_undone() -> None:
    opened = {"name": "control_zwave_device", "args": {"deviceName": "Garage Door", "action": "close"}}

    async def feed_cat() -> tuple[str, dict[str, Any]]:
        return "The cat was fed.", {"structured": {"before": [opened]}}

    tool = StructuredTool.from_function(
        coroutine=feed_cat, description="Feeds the cat.", response_format="content_and_artifact"
    )
    talk = HomeTalk(HOME, more=[with_traits(tool, ToolTraits("cats", "feed_cat"))])
    talk.model.steps, done = [[call("feed_cat")]], await talk.states()

    fed = await talk.hears("please feed the cat")
    assert fed.outcomes[0].ok
    reply = await talk.hears("undo")

    assert (reply.text, reply.outcomes) == (NOTHING, ())
    assert await talk.states() == done


# --- whose acts


async def test_other_rooms_and_doors_have_acts_of_their_own(talk: HomeTalk) -> None:
    kitchen = {"channel": "mqtt", "room": "Kitchen"}
    await talk.hears("turn on the kitchen light", conversation_id="a", **kitchen)

    for other in (
        {"channel": "mqtt", "room": "Office"},
        {"channel": "mqtt"},
        {"channel": "voice", "room": "Kitchen"},
    ):
        assert (await talk.hears("undo", conversation_id="b", **other)).text == NOTHING
    reply = await talk.hears("undo", conversation_id="new one", **{**kitchen, "room": "kitchen"})
    assert reply.text == "The Kitchen Light is now off."


async def test_ones_own_conversation_comes_first(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light", conversation_id="a")
    await talk.hears("turn on the desk lamp", conversation_id="b")

    assert (await talk.hears("undo", conversation_id="a")).text == "The Kitchen Light is now off."
    assert (await talk.hears("undo", conversation_id="a")).text == "The Desk Lamp is now off."


async def test_a_command_takes_back_what_was_last_at_its_door_or_in_its_conversation(talk: HomeTalk) -> None:
    async def undo(name: str, **where: Any) -> str:
        wanted = Where("cli", **where)
        answer = talk.conversation.answer(Utterance("rückgängig", conversation_id=name), take_back=wanted)
        return (await answer).text

    await talk.hears("turn on the kitchen light", conversation_id="a", room="Office")
    await talk.hears("turn on the desk lamp", conversation_id="b")
    await talk.hears("turn on the ceiling light", conversation_id="c")

    assert await undo("a", conversation="a") == "The Kitchen Light is now off."
    assert await undo("a", conversation="a") == NOTHING
    assert await undo("cli") == "The Ceiling Light is now off."
    assert await undo("cli") == "The Desk Lamp is now off."


# --- what was meant instead


def lamps(**on: Any) -> dict[str, Any]:
    numbers = {"ceiling": "2-38-0", "floor": "3-38-0", "kitchen": "4-37-0", "desk": "5-37-0"}
    return {f"{numbers[name]}-currentValue": value for name, value in on.items()}


@pytest.mark.parametrize(
    ("said", "meant", "changed"),
    [
        ("turn on the kitchen light", "no, I meant the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "sorry I meant the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "I said the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "no, the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "wrong lamp, the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "not that one, the desk lamp", lamps(desk=True)),
        ("turn on the kitchen light", "no, turn on the desk lamp", lamps(desk=True)),
        ("turn on the desk lamp", "no, the kitchen", lamps(kitchen=True)),
        ("turn off the floor lamp", "the other one", {}),
        ("turn on the ceiling light at 80 percent", "the other one", lamps(floor=79)),
        ("dim the floor lamp to 80", "make that 50 percent", lamps(floor=50)),
        ("dim the floor lamp to 80", "actually make it 30", lamps(floor=30)),
        ("dim the floor lamp to 80", "no 18", lamps(floor=18)),
        ("set the thermostat to 25", "make that 22", {"9-67-0-setpoint-1": 22}),
        ("set the thermostat to 25", "oops 21 I mean", {"9-67-0-setpoint-1": 21}),
        ("turn on the kitchen light", "no, off", {}),
    ],
)
async def test_a_correction_puts_back_and_does_what_was_meant(
    talk: HomeTalk, said: str, meant: str, changed: dict[str, Any]
) -> None:
    before = await talk.states()

    reply = await talk.hears(said, meant)

    assert reply.ok
    assert await talk.states() == {**before, **changed}
    await talk.hears("undo")
    assert await talk.states() == before
    assert (await talk.hears("undo")).text == NOTHING


async def test_the_same_device_only_gets_its_new_value(talk: HomeTalk) -> None:
    reply = await talk.hears("dim the floor lamp to 80", "make that 50 percent")

    assert [outcome.args["level"] for outcome in reply.outcomes] == [50]


async def test_what_comes_after_a_corrected_value_has_not_the_wrong_one(talk: HomeTalk) -> None:
    reply = await talk.hears("set the ceiling light to 40", "make that 50", "and the floor lamp too")

    assert {outcome.args.get("level") for outcome in reply.outcomes} <= {50}


async def test_what_comes_after_a_corrected_device_is_done_alike(talk: HomeTalk) -> None:
    reply = await talk.hears("turn on the desk lamp", "no, the floor lamp", "and the kitchen light too")

    assert [outcome.args for outcome in reply.outcomes] == [{"deviceName": "Kitchen Light", "action": "on"}]


async def test_which_one_was_meant_is_asked_and_then_put_right(talk: HomeTalk) -> None:
    before = await talk.states()
    asked = await talk.hears("turn on the kitchen light", "no, I meant the lamp")

    assert asked.expects_answer
    assert await talk.states() == {**before, **lamps(kitchen=True)}
    await talk.hears("the desk lamp")
    assert await talk.states() == {**before, **lamps(desk=True)}


@pytest.mark.parametrize(
    "text",
    [
        "no more tea for me",
        "sorry, the kitchen is a mess",
        "no, the desk lamp is broken",
        "I meant well",
        "I mean it",
        "no, don't turn on the desk lamp",
        "wait, is the desk lamp on?",
        "make that a double espresso",
        "no, I meant my sister",
        "the other day",
        "no 7 people",
    ],
)
async def test_talk_corrects_nothing(talk: HomeTalk, text: str) -> None:
    await talk.hears("turn on the kitchen light")
    done = await talk.states()

    await talk.hears(text)

    assert await talk.states() == done


async def test_long_after_an_act_nothing_is_corrected_at_once(talk: HomeTalk) -> None:
    await talk.hears("turn on the kitchen light")
    done = await talk.states()
    talk.time += 600

    await talk.hears("no, the desk lamp")

    assert await talk.states() == done


# --- whatever is said, saying "undo" as often leaves the home as it was

SAID = st.sampled_from(
    [
        "turn on the kitchen light", "turn off the floor lamp", "dim the floor lamp to 70",
        "toggle the desk lamp", "close the window blind", "set the blind to 30 percent",
        "set the thermostat to 24", "volume to 10",
        "start the scene movie night", "all lights off", "turn on the lights in the living room", "mute",
        "turn on the ceiling light and the desk lamp", "make that 25 percent", "no, I meant the desk lamp",
        "the other one", "is the desk lamp on", "what time is it", "turn the thermostat off",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(SAID, max_size=6))
async def test_undo_as_often_as_needed_leaves_the_home_as_it_was(texts: list[str]) -> None:
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    before, loud = await talk.states(), await talk.volume.read()
    if texts:
        await talk.hears(*texts)

    for _ in range(len(texts) + 1):
        await talk.hears("undo")

    assert await talk.states() == before
    assert await talk.volume.read() == loud

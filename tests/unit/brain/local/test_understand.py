"""Fractions, sweeps and names in a row: what people say beside one name and one number."""

from typing import Any

import pytest
from tests.fakes.home_tools import ScriptedHome
from tests.fakes.local_talk import Talk

from voice_gateway.turn import Passed, Words

TWO_DOORS = [
    ("Front Door", "Hallway", "lock", "unlocked", True),
    ("Cellar Door", "Basement", "lock", "unlocked", True),
    ("Study Blinds", "Study", "blind", "open", True),
    ("Garage Door", "Garage", "garage_door", "open", True),
    ("Desk Lamp", "Study", "dimmer", "on, 60 %", True),
]
TWINS = [
    ("Lamp", "Kitchen", "dimmer", "on, 40 %", True),
    ("Lamp", "Bedroom", "dimmer", "off", True),
    ("Sensor", "Bedroom", "sensor", "21 °C", True),
    ("Sensor", "Kitchen", "sensor", "19 °C", True),
    ("Fan", "Attic", "switch", "off", True),
]


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("dim the floor lamp by half", {"deviceName": "Floor Lamp", "action": "dim", "level": 20}),
        ("turn the floor lamp down by a quarter", {"deviceName": "Floor Lamp", "action": "dim", "level": 30}),
        ("brighten the floor lamp by half", {"deviceName": "Floor Lamp", "action": "dim", "level": 60}),
        ("dim the floor lamp to three quarters", {"deviceName": "Floor Lamp", "action": "dim", "level": 75}),
        ("set the floor lamp to two thirds", {"deviceName": "Floor Lamp", "action": "dim", "level": 67}),
        ("floor lamp to a hundred percent", {"deviceName": "Floor Lamp", "action": "dim", "level": 100}),
        ("set the floor lamp to 12.6 percent", {"deviceName": "Floor Lamp", "action": "dim", "level": 13}),
        ("open the study blinds a quarter", {"deviceName": "Study Blinds", "action": "dim", "level": 25}),
        ("close the window blind a quarter", {"deviceName": "Window Blind", "action": "dim", "level": 75}),
        ("close the window blind halfway", {"deviceName": "Window Blind", "action": "dim", "level": 50}),
        ("set the thermostat to twenty one and a half", {"deviceName": "Thermostat", "temperature": 21.5}),
        ("turn up the heating by half a degree", {"deviceName": "Thermostat", "temperature": 20.5}),
    ],
)  # fmt: skip
async def test_fractions(said: str, call: dict[str, Any]) -> None:
    talk = Talk()

    await talk.reply(said)

    assert [args for name, args in talk.home.calls if name != "list_zwave_devices"] == [call]


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("turn on the floor lamp and dim it to 35", [{"action": "dim", "level": 35}]),
        ("dim the floor lamp to 35 and turn it on", [{"action": "dim", "level": 35}]),
        ("I'd like the floor lamp on, dim it to 35", [{"action": "dim", "level": 35}]),
        ("turn on the floor lamp, dim it to 35 and close the study blinds",
         [{"action": "dim", "level": 35}, {"action": "close"}]),
        ("turn on the thermostat and set it to 21 degrees", [{"mode": "heat"}, {"temperature": 21}]),
        ("turn on the floor lamp and turn it off", []),
        ("turn off the floor lamp and dim it to 35", []),
        ("turn on the floor lamp and dim it to 0", []),
        ("dim the floor lamp to 35 and set it to 50", []),
        ("turn off the thermostat and set it to 21 degrees", []),
    ],
)  # fmt: skip
async def test_a_level_says_on_and_only_opposites_contradict(said: str, calls: list[dict[str, Any]]) -> None:
    talk = Talk()

    await talk.reply(said)

    made = [args for name, args in talk.home.calls if name != "list_zwave_devices"]
    assert [{key: args[key] for key in args if key != "deviceName"} for args in made] == calls


@pytest.mark.parametrize(
    "said",
    [
        "set the floor lamp to minus ten percent", "turn off half the lights", "turn off most lights",
        "close the window blind a bit", "open the garage door a bit", "unlock the front door halfway",
        "turn off one of the lights", "turn on the other light", "turn on another light",
    ],
)  # fmt: skip
async def test_an_amount_that_is_not_understood_is_no_name_that_a_yes_could_settle(said: str) -> None:
    talk = Talk()

    await talk.say(said)
    await talk.say("yes")

    assert talk.acts == []


async def test_a_share_of_nothing_is_asked_for_in_percent() -> None:
    talk = Talk()

    reply = await talk.reply("brighten the ceiling light by half")

    assert reply.text == "The Ceiling Light is off. Tell me a percentage."
    assert talk.acts == []


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("lock everything", {("Front Door", "lock"), ("Cellar Door", "lock")}),
        ("lock all the doors", {("Front Door", "lock"), ("Cellar Door", "lock")}),
        ("lock the doors", {("Front Door", "lock"), ("Cellar Door", "lock")}),
        ("lock up the house", {("Front Door", "lock"), ("Cellar Door", "lock")}),
        ("lock up", {("Front Door", "lock"), ("Cellar Door", "lock")}),
        ("lock everything in the basement", {("Cellar Door", "lock")}),
        ("close everything", {("Study Blinds", "close"), ("Garage Door", "close")}),
        ("close all the doors", {("Garage Door", "close")}),
        ("close everything in the study", {("Study Blinds", "close")}),
        ("close all the blinds", {("Study Blinds", "close")}),
        ("shut everything down", {("Desk Lamp", "off")}),
        ("shut down everything", {("Desk Lamp", "off")}),
        ("unlock everything", set()),
        ("unlock all the doors", set()),
        ("open everything", set()),
        ("open all the doors", set()),
        ("lower everything", set()),
        ("lock everything in the attic", set()),
        ("don't lock everything", set()),
        ("everything closed", set()),
        ("lock the door", set()),
    ],
)
async def test_everything_means_what_can_be_closed_or_locked_and_never_what_opens(
    said: str, acts: set[tuple[str, str]]
) -> None:
    talk = Talk(ScriptedHome.of(TWO_DOORS))

    await talk.say(said)

    assert {act for act in talk.acts if act[1] != "dim"} == acts


async def test_what_was_closed_in_one_sweep_is_not_opened_by_them() -> None:
    talk = Talk(ScriptedHome.of(TWO_DOORS))
    await talk.reply("close everything")

    asked = await talk.reply("open them again")

    assert asked.text == "Shall I open the Study Blinds and the Garage Door?"
    assert asked.expects_answer
    assert talk.acts == []


@pytest.mark.parametrize(
    ("said", "devices"),
    [
        ("the floor lamp the desk lamp and the bedside lamp", ["Floor Lamp", "Desk Lamp", "Bedside Lamp"]),
        ("floor lamp desk lamp bedside lamp", ["Floor Lamp", "Desk Lamp", "Bedside Lamp"]),
        ("the floor lamp, the desk lamp and the bedside lamp", ["Floor Lamp", "Desk Lamp", "Bedside Lamp"]),
        ("my desk lamp the living room floor lamp", ["Desk Lamp", "Floor Lamp"]),
        ("the floor lamp the tv and the desk lamp", []),
        ("the floor lamp the flour lamp", []),
        ("the floor lamp the lamp", []),
    ],
)  # fmt: skip
async def test_whole_names_may_stand_in_a_row(said: str, devices: list[str]) -> None:
    talk = Talk()

    await talk.say(f"turn off {said}")

    assert talk.acts == [(name, "off") for name in devices]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("turn on the kitchen lamp", "The Lamp in the Kitchen is on at 40 percent."),
        ("is the bedroom lamp on", "No, the Lamp in the Bedroom is off."),
        ("which lights are on", "The Lamp in the Kitchen is on."),
        ("list the lights", "There are 2 lights: Lamp in the Kitchen and Lamp in the Bedroom."),
        ("what's the temperature of the kitchen sensor",
         "The temperature of the Sensor in the Kitchen is 19 degrees Celsius."),
        ("turn off the kitchen lamp the bedroom lamp and the fan",
         "The Lamp in the Kitchen, Lamp in the Bedroom and Fan are off."),
    ],
)  # fmt: skip
async def test_devices_with_one_name_are_told_with_their_rooms(said: str, answer: str) -> None:
    assert (await Talk(ScriptedHome.of(TWINS)).reply(said)).text == answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("is anything open", "Yes, the Window Blind is open."),
        ("is everything closed", "Not all: the Back Door, the Study Blinds and the Garage Door are closed."),
        ("what is unlocked", "Nothing is unlocked."),
        ("are all the doors closed", "Yes, the Back Door and the Garage Door are closed."),
        ("are the doors locked", "Yes, the Front Door is locked."),
        ("which lights are not on", "The Ceiling Light and the Bedside Lamp are off."),
        ("isn't the kitchen light on", "Yes, the Kitchen Light is on."),
        ("did i leave the lights on", "Yes, the Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("did i leave a light on in the kitchen", "Yes, the Kitchen Light is on in the Kitchen."),
        ("did i leave the garage door open", "No, the Garage Door is closed."),
        ("is anything open in the garage", "No, nothing in the Garage is open."),
        ("what rooms do i have",
         "There are 7 rooms: Living Room, Kitchen, Bedroom, Office, Study, Hallway and Garage."),
    ],
)  # fmt: skip
async def test_what_can_be_open_is_looked_at_and_nothing_else(said: str, answer: str) -> None:
    assert (await Talk().reply(said)).text == answer


async def test_a_door_that_was_not_named_is_not_closed() -> None:
    talk = Talk()

    asked = await talk.reply("close the door")
    assert asked.text == "Did you mean the Garage Door in the Garage?"
    assert talk.acts == []
    await talk.reply("yes")
    assert talk.acts == [("Garage Door", "close")]


async def test_that_points_at_what_was_talked_of() -> None:
    talk = Talk()
    await talk.reply("turn on the floor lamp")

    await talk.reply("turn that off")

    assert talk.acts == [("Floor Lamp", "off")]
    assert isinstance(await talk.say("turn on the lamp that is broken"), Passed)


async def test_a_counted_answer_means_what_the_question_named() -> None:
    talk = Talk()
    asked = await talk.reply("turn on the light")
    assert asked.text == "In which room: Living Room, Kitchen, Bedroom or Office?"

    await talk.reply("the third one")

    assert talk.acts == [("Bedside Lamp", "on")]


async def test_an_unknown_room_asks_for_a_known_one_or_names_them() -> None:
    talk = Talk()

    asked = await talk.reply("turn on the lights in the attic")
    passed = await talk.passed("what is in the attic")

    assert asked.text == (
        "I don't know a room called attic. In which room: Living Room, Kitchen, Bedroom or Office?"
    )
    assert passed.spoken == "I don't know a room called attic."
    assert passed.words is not Words.WISH


@pytest.mark.parametrize(
    ("said", "spoken"), [("yes", "I haven't asked you anything."), ("okay", "All right."), ("Sure!", None)]
)
async def test_an_answer_to_nothing_gets_a_short_word(said: str, spoken: str | None) -> None:
    passed = await Talk().passed(said)

    assert isinstance(passed, Passed)
    assert passed.spoken == (spoken or "I haven't asked you anything.")
    assert passed.words is not Words.WISH


@pytest.mark.parametrize(
    "said",
    [
        "can't you turn off the floor lamp",
        "won't you please turn off the floor lamp",
        "do turn off the floor lamp",
        "help me turn off the floor lamp",
        "try turning off the floor lamp",
        "you dimmed the wrong lamp, turn off the floor lamp",
    ],
)
async def test_what_is_around_an_order_leaves_it_one(said: str) -> None:
    talk = Talk()

    await talk.reply(said)

    assert talk.acts == [("Floor Lamp", "off")]


@pytest.mark.parametrize(
    "said",
    [
        "I don't like the floor lamp on",  # an opinion
        # One of those that are left, and nobody knows which.
        "turn off the lamp but not the one in the bedroom",
    ],
)
async def test_what_is_no_clear_wish_switches_nothing_at_once(said: str) -> None:
    talk = Talk()

    await talk.say(said)

    assert talk.acts == []

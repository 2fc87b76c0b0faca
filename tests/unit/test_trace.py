"""The story of a turn, event by event, as JSON that anybody may read."""

import json

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.locked_house import UNLOCK, House

from voice_gateway.config import PermissionSettings
from voice_gateway.events import (
    Answered,
    CallFinished,
    CallStarted,
    Event,
    Heard,
    Judged,
    ListTold,
    ModelRound,
    Notice,
    PartState,
    Planned,
    Said,
    State,
)
from voice_gateway.trace import event_json, private
from voice_gateway.turn import Decision, Reply, ToolCall, ToolOutcome, ToolTraits, Utterance, Verdict

LAMP = """
[[device]]
name = "Floor Lamp"
kind = "dimmer"
room = "Living Room"
"""


def story(told):
    events = [event_json(event) for event in told]
    return [event for event in events if event is not None and event["turn"]]


async def test_a_turn_tells_its_steps_in_their_order_with_times():
    talk = HomeTalk(LAMP)

    await talk.hears("turn on the floor lamp")

    events = story(talk.told)
    kinds = [event["type"] for event in events]
    assert kinds == ["heard", "judged", "started", "acted", "staged", "answered"]
    assert len({event["turn"] for event in events}) == 1
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    heard, judged, started, acted, staged, answered = events
    assert heard["text"] == "turn on the floor lamp"
    assert judged["decision"] == "allowed"
    assert judged["reason"] == "it is an ordinary wish, which needs no yes"
    assert started["call_id"] == acted["call_id"] == judged["call_id"]
    assert acted["outcome"] == "confirmed"
    assert acted["ok"]
    assert staged["stage"] == "local"
    assert staged["taken"]
    assert staged["reason"]
    assert answered["acts"] == [{"tool": "control_zwave_device", "ok": True, "outcome": "confirmed"}]


async def test_a_question_and_its_yes_are_told_with_the_reason():
    house = House([UNLOCK])

    await house.hears("unlock the front door")
    await house.hears("yes")

    events = story(house.told)
    first = [event for event in events if event["turn"] == events[0]["turn"]]
    second = [event for event in events if event["turn"] != events[0]["turn"]]
    asked = next(event for event in first if event["type"] == "judged")
    assert asked["decision"] == "ask"
    assert asked["reason"] == "it is sensitive, so a yes comes first"
    assert not [event for event in first if event["type"] == "started"]
    assert second[0]["in_answer_to"]
    allowed = next(event for event in second if event["type"] == "judged")
    assert allowed["decision"] == "allowed"
    assert allowed["reason"] == "it was agreed to"
    staged = next(event for event in second if event["type"] == "staged")
    assert staged["stage"] == "confirmation"
    assert staged["reason"] == "a yes to my question"


def test_codes_and_passwords_are_hidden_in_what_was_said_and_done():
    said = Utterance("set the code of the front door to 4711", id="t", conversation_id="c")
    call = ToolCall("1", "set_code", {"deviceName": "Front Door", "userCode": "4711"})
    outcome = ToolOutcome(
        "1", "set_code", "The code is now 4711.", True, 0.1, call.args, None, {"code": "4711"}
    )
    events: list[Event] = [
        Heard(said),
        Judged(said, call, Verdict(Decision.ALLOWED)),
        CallStarted(said, call, ToolTraits()),
        CallFinished(said, outcome),
        Said(said, "I set the code to 4711."),
        Notice("the wifi password is hunter2"),
    ]

    told = json.dumps([without_time(event_json(event)) for event in events])

    assert "4711" not in told
    assert "hunter2" not in told
    assert "Front Door" in told


@pytest.mark.parametrize(
    ("said", "passed_on"),
    [
        ("note that the alarm code is 4711", {"items": ["4711 is for the alarm"]}),
        ("my pin is 4711, tell my wife", {"message": "It is 4711.0", "level": 4711.0}),
        ("tell Ann the password is hunter2.", {"message": "hunter2"}),
        ("der Türcode ist 4711, merk dir das", {"text": "Tür: 4711"}),
        ("das Passwort ist hunter2", {"text": "hunter2"}),
    ],
)
def test_a_secret_of_the_utterance_is_hidden_in_every_argument(said, passed_on):
    said = Utterance(said, id="turn-4711", conversation_id="talk-4711")
    call = ToolCall("call-4711", "manage_list", passed_on)
    outcome = ToolOutcome("call-4711", "manage_list", f"Noted {passed_on}.", True, 4.711, call.args)
    events: list[Event] = [
        ModelRound(said, "m", 1, 0.1, calls=(call,)),
        Judged(said, call, Verdict(Decision.ALLOWED)),
        CallStarted(said, call, ToolTraits()),
        CallFinished(said, outcome),
        Answered(said, Reply(f"Noted {passed_on}.", outcomes=(outcome,), conversation_id="talk-4711")),
    ]

    told = [event_json(event) for event in events]

    assert {event["turn"] for event in told} == {"turn-4711"}
    assert {event.get("call_id", "call-4711") for event in told} == {"call-4711"}
    assert told[-1]["conversation_id"] == "talk-4711"
    written = json.dumps([without_time(event) for event in told]).replace("-4711", "")
    assert "4711" not in written
    assert "hunter2" not in written


def without_time(event):
    """Whose digits are chance."""
    return {key: value for key, value in event.items() if key != "at"}


def test_runs_of_four_digits_are_hidden_and_shorter_ones_stay():
    assert private("postcode 10115, code 4711") == "postcode ***, code ***"
    for text in ("dim the lamp to 40", "the error code is 500", "wake me at 7:30"):
        assert private(text) == text


def test_every_event_is_json():
    events: list[Event] = [
        PartState("mqtt", State.OK, "It works.", 12.0),
        ListTold("shopping", (("milk", False),)),
        Planned("timer", {"1": {"left": 3}}),
    ]

    told = [event_json(event) for event in events]

    assert [one["type"] for one in told] == ["part", "list", "planned"]
    assert all(one["turn"] is None and one["at"] for one in told)
    json.dumps(told)


async def test_an_answer_says_what_would_settle_its_question():
    async def asks(house, text="open up"):
        await house.hears(text)
        return story(house.told)[-1]["asks"]

    assert await asks(House([UNLOCK])) == "yes_no"
    assert await asks(House([UNLOCK], permission=PermissionSettings(pin="2468"))) == "pin"
    assert await asks(House("hello")) is None
    assert await asks(HomeTalk(LAMP + LAMP.replace("Floor", "Desk")), "turn on the lamp") == "words"

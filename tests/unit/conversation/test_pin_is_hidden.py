"""A PIN is for the gateway alone: nobody who watches, logs, stores or thinks gets a digit of it."""

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.fakes.locked_house import LOCK, UNLOCK, House

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.confirmation import GRACE_SECONDS, Confirmation
from voice_gateway.conversation.history import Histories
from voice_gateway.conversation.store import SqliteStore
from voice_gateway.events import EventBus
from voice_gateway.turn import Passed, Reply

SETTINGS = PermissionSettings(pin="2468", sensitive_channels=("cli", "voice", "wyoming"))
LEAKS = (
    *("2468", "24", "68", "two", "four", "six", "eight", "sixty", "twenty", "acht", "٢", "二", "２"),
    *("fuor", "eigth", "τέσσερα", "empat", "bốn", "よん", "yon", "четири", "ארבע", "ოთხი"),
)

ANSWERS = [
    "2468",
    "yes, open it, 2468",
    "the pin is 2468 yes",
    "yes the pin is two four six eight",
    "PIN: 2468",
    "24 68",
    "twenty-four sixty-eight",
    "2-4-6-8",
    "two thousand four hundred and sixty-eight",
    "٢٤٦٨",
    "二四六八",
    "２４６８ yes",
]
# Read as something else, or as a no, or not understood at all.
OTHERS = [
    "no, not 2468",
    "okay turn on the kitchen lamp and by the way it is two four six eight",
    "set the thermostat to 2468",
    "what is 2468 divided by two",
    "hm let me think about this for some time was it 24 and 68 or something like that I wonder",
    "zwei vier sechs acht",
    "δύο τέσσερα έξι οκτώ",
    "dua empat enam delapan",
    "hai bốn sáu tám",
    "に よん ろく はち",
    "ni yon roku hachi",
    "две четири шест осем",
    "שתיים ארבע שש שמונה",
    "ორი ოთხი ექვსი რვა",  # of which nobody here knows a word
    "yes tow fuor six eigth",
    "yes " * 5000 + "2468",
]


class Everything:
    """Whoever could get to know what was said."""

    def __init__(self, tmp_path: Path, caplog: pytest.LogCaptureFixture, *steps, settings=SETTINGS) -> None:
        caplog.set_level(logging.DEBUG)
        self._log = caplog
        self._first: list[str] = []
        self._store = SqliteStore(tmp_path / "c.sqlite")
        self.house = House(
            *(steps or [[UNLOCK]]),
            permission=settings,
            store=self._store,
            first=self._ask_first,
        )

    async def _ask_first(self, text: str) -> None:
        self._first.append(text)

    def known(self) -> str:
        """What is known of what was said, in one text; what the clock and chance have put in is left out."""
        events = [
            f"{getattr(getattr(event, of, None), 'text', '')}"
            for event in self.house.told
            for of in ("utterance", "reply")
        ]
        seen = [
            f"{turn.utterance.text} {[message.text for message in turn.history.messages]} {turn.passed}"
            for turn in self.house.stage.seen
        ]
        lines = [f"{record.getMessage()} {getattr(record, 'said', '')}" for record in self._log.records]
        return " ".join([*events, *seen, *lines, *self._first])

    async def stored(self) -> str:
        history = await Histories(self._store, 60.0, EventBus()).load("conversation::cli::default")
        return " ".join(str(message.text) for message in history.messages)

    async def assert_unknown(self) -> None:
        for known in (self.known(), await self.stored()):
            assert not [leak for leak in LEAKS if leak in known.lower()], known


@pytest.mark.parametrize("answer", ANSWERS)
async def test_the_right_pin_unlocks_and_is_known_to_nobody(tmp_path, caplog, answer):
    everything = Everything(tmp_path, caplog)
    await everything.house.hears("unlock the front door")

    reply = await everything.house.hears(answer)

    assert everything.house.lock.actions == ["unlock"]
    assert "2468" not in reply.heard
    await everything.assert_unknown()


@pytest.mark.parametrize("answer", OTHERS)
async def test_what_is_no_answer_goes_no_further(tmp_path, caplog, answer):
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer")
    await everything.house.hears("unlock the front door")
    asked = len(everything.house.stage.seen)

    await everything.house.hears(answer)

    assert len(everything.house.stage.seen) == asked
    assert everything.house.lock.actions == []
    await everything.assert_unknown()


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_wrong_pin_is_known_to_nobody_either(tmp_path, caplog, answer):
    """It may be the right one of something else."""
    settings = SETTINGS.model_copy(update={"pin": SecretStr("1357")})
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer", settings=settings)
    await everything.house.hears("unlock the front door")

    reply = await everything.house.hears(answer)

    assert "not the right PIN" in reply.text
    assert everything.house.lock.actions == []
    await everything.assert_unknown()


@pytest.mark.parametrize("late_seconds", [31, 31 + GRACE_SECONDS - 2, 31 + GRACE_SECONDS + 1, 86_400])
@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_pin_that_comes_too_late_is_known_to_nobody(tmp_path, caplog, answer, late_seconds):
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer")
    await everything.house.hears("unlock the front door")
    everything.house.now += late_seconds

    await everything.house.hears(answer)

    assert everything.house.lock.actions == []
    await everything.assert_unknown()


@pytest.mark.parametrize(
    "answer",
    [
        *ANSWERS,
        "unlock the front door, pin 2468",
        "open the garage with 2468",
        "the code for the door is 2468",
        "remember the code 2468",
    ],
)
@pytest.mark.parametrize("place", [{}, {"conversation_id": "other"}, {"channel": "mqtt"}])
async def test_a_pin_that_nobody_asked_for_is_known_to_nobody(tmp_path, caplog, answer, place):
    everything = Everything(tmp_path, caplog, "a model's answer")

    reply = await everything.house.hears(answer, **place)

    assert everything.house.stage.seen == []
    assert "could be a PIN" in reply.text
    await everything.assert_unknown()


async def test_the_second_half_of_a_pin_is_hidden_too(tmp_path, caplog):
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer")
    await everything.house.hears("unlock the front door")

    await everything.house.hears("yes twenty-four")
    await everything.house.hears("sixty-eight")

    assert everything.house.lock.actions == []
    await everything.assert_unknown()


async def test_for_a_minute_no_number_of_its_length_is_passed_on(tmp_path, caplog):
    everything = Everything(tmp_path, caplog)
    await everything.house.hears("unlock the front door")
    await everything.house.hears("tell me a story about 2468")
    await everything.house.hears("and 2468 is the thing")

    assert not [leak for leak in LEAKS if leak in everything.known()]


async def test_a_failure_tells_nothing_of_it(tmp_path, caplog, monkeypatch):
    everything = Everything(tmp_path, caplog)
    await everything.house.hears("unlock the front door")

    async def fail(*_arguments, **_options):
        raise ValueError("a bug")

    monkeypatch.setattr(Confirmation, "run", fail)
    reply = await everything.house.hears("yes 2468")

    assert "something went wrong" in reply.text
    assert "2468" not in caplog.text
    await everything.assert_unknown()


@pytest.mark.parametrize(
    "said",
    [
        "set the lamp to 50 percent",
        "set a timer for 10 minutes",
        "what happened in 1984",
        "set a timer for 1500 seconds",
        "two",
        "the second one",
        "no, the one in the kitchen",
    ],
)
async def test_other_numbers_are_heard_as_ever_when_no_pin_is_wanted(said):
    house = House([UNLOCK], "okay", "okay", permission=SETTINGS)
    await house.hears("unlock the front door")
    await house.hears("no")

    await house.hears(said)
    assert house.stage.seen[-1].utterance.text == said


async def test_numbers_are_heard_as_ever_when_the_question_is_long_over():
    house = House([UNLOCK], "okay", permission=SETTINGS)
    await house.hears("unlock the front door")
    house.now += 31 + GRACE_SECONDS

    await house.hears("set the lamp to 50 percent")
    assert house.stage.seen[-1].utterance.text == "set the lamp to 50 percent"


async def test_who_speaks_of_something_else_is_heard_as_ever():
    house = House([UNLOCK], Passed("local", "which one?"), "okay", permission=SETTINGS)
    await house.hears("unlock the front door")
    await house.hears("yes 1111")
    await house.hears("set a timer")

    await house.hears("5")
    assert house.stage.seen[-1].utterance.text == "5"


async def test_without_a_pin_in_the_settings_every_number_is_heard():
    house = House([UNLOCK], "okay")
    await house.hears("unlock the front door")

    await house.hears("2468")
    assert house.stage.seen[-1].utterance.text == "2468"


async def test_which_number_is_hidden_does_not_tell_the_pin(tmp_path):
    """Whoever tries numbers where no PIN is wanted sees the same for all of them."""
    for place in ({}, {"channel": "mqtt"}):
        replies = []
        for number in ("2468", "1357"):
            house = House("okay", permission=SETTINGS)
            reply = await house.hears(f"the pin is {number}", **place)
            replies.append((reply.text, reply.heard, reply.ok))
        assert replies[0] == replies[1]


async def test_words_that_are_not_whole_yet_are_not_looked_at_by_a_stage():
    house = House([UNLOCK], permission=SETTINGS)
    conversation = house.conversation
    assert not conversation.may_hear_pin("turn on the lamp", "voice")
    assert not conversation.may_hear_pin("set the lamp to 50 percent", "voice")
    assert conversation.may_hear_pin("yes two four six eight", "voice")
    assert not conversation.wants_pin("voice")

    await house.hears("unlock the front door", channel="voice")
    assert conversation.may_hear_pin("well it was 24", "voice")
    assert conversation.may_hear_pin("ორი ოთხი", "voice")
    assert not conversation.may_hear_pin("turn on the lamp", "voice")
    assert conversation.wants_pin("voice")
    assert not conversation.wants_pin("wyoming")


async def test_a_question_about_something_harmless_wants_no_pin_and_is_asked_at_every_door():
    """A model that has read words from outside needs a yes for what the user did not ask for."""
    house = House(permission=SETTINGS)

    async def locks_up(turn):
        turn.gate.by_model, turn.gate.heard_outside = True, lambda: True
        outcomes = await turn.run(house.stage.executor, [LOCK])
        return Reply("", tuple(outcomes), stage="model")

    house.stage.steps.append(locks_up)
    asked = await house.hears("what is in the news", channel="mqtt")
    assert asked.text.endswith("Say yes to confirm.")

    await house.hears("yes", channel="mqtt")
    assert house.lock.actions == ["lock"]

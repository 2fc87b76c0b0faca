"""While a PIN is asked for, no words are kept: not in events, the history, the log, or at a model."""

import json
import logging
from pathlib import Path

import pytest
import yaml
from pydantic import SecretStr
from tests.fakes.locked_house import LOCK, UNLOCK, House
from tests.fakes.model import Calls, FakeModel

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.confirmation import GRACE_SECONDS, Confirmation
from voice_gateway.conversation.history import Histories
from voice_gateway.conversation.store import SqliteStore
from voice_gateway.events import EventBus
from voice_gateway.languages import say
from voice_gateway.llm.loop import run_loop
from voice_gateway.turn import Passed, Reply, Utterance

SETTINGS = PermissionSettings(pin="2468", sensitive_channels=("cli", "voice", "wyoming"))
LEAKS = (
    *("2468", "24", "68", "two", "four", "six", "eight", "sixty", "twenty", "acht", "٢", "二", "２"),
    *("fuor", "eigth", "τέσσερα", "empat", "よん", "четири", "ოთხი"),
)

SENTENCES = yaml.safe_load(Path(__file__).with_name("answers.yaml").read_text())
ANSWERS = SENTENCES["pin_2468"]
# Read as something else, or as a no, or not understood at all.
OTHERS = [*SENTENCES["may_hold_the_pin"], "yes " * 5000 + "2468"]


class Everything:
    """Every place that could learn what was said."""

    def __init__(self, tmp_path: Path, caplog: pytest.LogCaptureFixture, *steps, settings=SETTINGS) -> None:
        caplog.set_level(logging.DEBUG)
        self._log = caplog
        self._store = SqliteStore(tmp_path / "c.sqlite")
        self.house = House(*(steps or [[UNLOCK]]), permission=settings, store=self._store)

    async def leaked(self) -> list[str]:
        history = await Histories(self._store, 60.0, EventBus()).load("conversation::cli::default")
        events = [
            f"{getattr(getattr(event, of, None), 'text', '')}"
            for event in self.house.told
            for of in ("utterance", "reply")
        ]
        turns = [
            f"{turn.utterance.text} {[message.text for message in turn.history.messages]}"
            for turn in self.house.stage.seen
        ]
        lines = [f"{record.getMessage()} {getattr(record, 'said', '')}" for record in self._log.records]
        known = " ".join([*events, *turns, *lines, *(str(message.text) for message in history.messages)])
        return [leak for leak in LEAKS if leak in known.lower()]


@pytest.mark.parametrize("answer", ANSWERS)
async def test_the_right_pin_unlocks_and_is_kept_nowhere(tmp_path, caplog, answer):
    everything = Everything(tmp_path, caplog)
    await everything.house.hears("unlock the front door")

    reply = await everything.house.hears(answer)

    assert everything.house.lock.actions == ["unlock"]
    assert "2468" not in reply.heard
    assert await everything.leaked() == []


@pytest.mark.parametrize("late_seconds", [0, 31, 31 + GRACE_SECONDS - 2])
async def test_a_wrong_or_late_pin_is_kept_nowhere(tmp_path, caplog, late_seconds):
    """A wrong one may be the right one of something else."""
    for number, answer in enumerate(ANSWERS):
        settings = SETTINGS if late_seconds else SETTINGS.model_copy(update={"pin": SecretStr("1357")})
        (folder := tmp_path / str(number)).mkdir()
        everything = Everything(folder, caplog, [UNLOCK], "a model's answer", settings=settings)
        await everything.house.hears("unlock the front door")
        everything.house.now += late_seconds

        await everything.house.hears(answer)

        assert everything.house.lock.actions == []
        assert await everything.leaked() == [], answer


@pytest.mark.parametrize("answer", OTHERS)
async def test_words_that_may_hold_a_pin_go_no_further(tmp_path, caplog, answer):
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer")
    await everything.house.hears("unlock the front door")
    asked = len(everything.house.stage.seen)

    await everything.house.hears(answer)

    assert len(everything.house.stage.seen) == asked
    assert everything.house.lock.actions == []
    assert await everything.leaked() == []


async def test_the_rest_of_a_pin_is_hidden_for_a_minute(tmp_path, caplog):
    everything = Everything(tmp_path, caplog, [UNLOCK], "a model's answer")
    await everything.house.hears("unlock the front door")

    await everything.house.hears("yes twenty-four")
    await everything.house.hears("sixty-eight")
    await everything.house.hears("and 2468 is the thing")

    assert everything.house.lock.actions == []
    assert await everything.leaked() == []


async def test_a_pin_behind_a_question_that_an_alarm_ended_is_hidden():
    sounding = ["Okay, I stop."]

    async def alarms(_text: str) -> str | None:
        return sounding.pop() if sounding and house.conversation.wants_pin("cli") else None

    house = House([UNLOCK], "okay", permission=SETTINGS, alarms=alarms)
    await house.hears("unlock the front door")
    await house.hears("okay")
    assert "2468" not in (await house.hears("2468")).heard
    assert len(house.stage.seen) == 1


async def test_a_failure_logs_no_pin(tmp_path, caplog, monkeypatch):
    everything = Everything(tmp_path, caplog)
    await everything.house.hears("unlock the front door")

    async def fail(*_arguments, **_options):
        raise ValueError("a bug")

    monkeypatch.setattr(Confirmation, "run", fail)
    reply = await everything.house.hears("yes 2468")

    assert not reply.ok
    assert "2468" not in caplog.text
    assert await everything.leaked() == []


async def test_a_long_number_reaches_the_stages_and_is_kept_masked(tmp_path):
    """Said unasked it may be a PIN: neither the history, the open question nor an event has it."""
    words, shown = "unlock the door of 73519846, at 10:30", "unlock the door of ••••, at 10:30"
    store = SqliteStore(tmp_path / "c.sqlite")
    house = House(permission=SETTINGS, store=store)
    model = FakeModel([Calls((UNLOCK.name, UNLOCK.args))])

    async def ask_model(turn):
        return await run_loop(model, turn, house.stage.executor, user_text=f"[Monday] {turn.utterance.text}")

    house.stage.steps.append(ask_model)
    reply = await house.hears(words)

    assert (reply.expects_answer, reply.heard, model.asked[0][0].text) == (True, shown, f"[Monday] {words}")
    assert not [event for event in house.told if "73519846" in repr(event)]
    kept = await store.get("conversation::cli::default") or ""
    assert "73519846" not in kept
    assert json.loads(kept)["messages"][0]["data"]["content"] == f"[Monday] {shown}"


async def test_other_words_are_heard_when_no_pin_is_wanted():
    for later in (0.0, 31 + GRACE_SECONDS):
        house = House([UNLOCK], Passed("local", "which one?"), "okay", "okay", permission=SETTINGS)
        await house.hears("unlock the front door")
        house.now += later
        await house.hears("no")
        for words in ("set the lamp to 50 percent", "5"):
            await house.hears(words)
            assert house.stage.seen[-1].utterance.text == words


async def test_without_a_pin_in_the_settings_every_number_is_heard():
    house = House([UNLOCK], "okay")
    await house.hears("unlock the front door")

    reply = await house.hears("2468")
    assert house.stage.seen[-1].utterance.text == reply.heard == "2468"


async def test_a_channel_knows_whether_a_pin_is_asked_for_on_it():
    house = House([UNLOCK], permission=SETTINGS)
    assert not house.conversation.wants_pin("voice")

    await house.hears("unlock the front door", channel="voice")
    assert house.conversation.wants_pin("voice")
    assert not house.conversation.wants_pin("wyoming")


async def test_a_question_about_something_harmless_wants_no_pin_and_is_asked_on_every_channel():
    """A model that has read words from outside needs a yes for what the user did not ask for."""
    house = House(permission=SETTINGS)

    async def locks_up(turn):
        turn.gate.by_model, turn.gate.heard_outside = True, lambda: True
        outcomes = await turn.run(house.stage.executor, [LOCK])
        return Reply("", tuple(outcomes), stage="model")

    house.stage.steps.append(locks_up)
    asked = await house.hears("what is in the news", channel="mqtt")
    assert asked.expects_answer

    await house.hears("yes", channel="mqtt")
    assert house.lock.actions == ["lock"]


async def test_a_pin_counts_for_nothing_on_a_channel_that_is_not_for_sensitive_calls():
    for pin in ("2468", "1111"):
        house = House(permission=SETTINGS)
        await house.conversation.ask_about(Utterance("the door", "mqtt"), [UNLOCK])

        reply = await house.hears(f"yes {pin}", channel="mqtt")

        assert reply.text == say("confirm.not_here"), "it does not tell whether the PIN was right"
        assert house.lock.actions == []

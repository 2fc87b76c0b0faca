"""The table: whether a call runs is decided by what it would do and how sure we are."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.fakes.zwave_reach import Device, zwave_reaches

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.gate import FORBIDDEN, PROGRAMS, Fit, TurnGate
from voice_gateway.tools.permission.question import described, question
from voice_gateway.tools.permission.risk import Risk
from voice_gateway.turn import ALLOWED, Autonomy, Decision, ToolCall, ToolTraits, Words

GATE = yaml.safe_load(Path(__file__).with_name("gate.yaml").read_text(encoding="utf-8"))
RUNS, ASKS, REFUSED = Decision.ALLOWED, Decision.ASK, Decision.REFUSED


DEVICES = {
    "floor lamp": Device("Floor Lamp", "dimmer", "Living Room"),
    "desk lamp": Device("Desk Lamp", "switch", "Office"),
    "kitchen light": Device("Kitchen Light", "switch", "Kitchen"),
    "ceiling fan": Device("Ceiling Fan", "dimmer", "Bedroom"),
    "window blind": Device("Window Blind", "blind", "Bedroom"),
    "thermostat": Device("Thermostat", "thermostat", "Hallway"),
    "front door": Device("Front Door", "lock", "Hallway"),
    "garage door": Device("Garage Door", "garage_door", "Garage"),
}


def devices_named(name: str) -> list[Device]:
    return [DEVICES[name.lower()]] if name.lower() in DEVICES else []


reaches = zwave_reaches(devices_named)


def control(device: str, action: str, **more: object) -> ToolCall:
    return ToolCall("1", "control_zwave_device", {"deviceName": device, "action": action, **more})


def heat(temperature: object, **more: object) -> ToolCall:
    return ToolCall(
        "1", "set_zwave_thermostat", {"deviceName": "Thermostat", "temperature": temperature, **more}
    )


HOME = ToolTraits(source="zwave")
LOOK = ToolCall("1", "list_zwave_devices", {})
TIMER = ToolCall("1", "set_timer", {"duration": "10 minutes"})
VOLUME = ToolCall("1", "control_speaker_volume", {"action": "set", "level": 30})
UNLOCK = ToolCall("1", "control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"})
SEARCH = ToolCall("1", "search_web", {"query": "anything"})
READS = ToolTraits(source="builtin", read_only=True)

REVERSIBLE = [
    (control("Floor Lamp", "off"), HOME),
    (control("Window Blind", "close"), HOME),
    (control("Ceiling Fan", "on"), HOME),
    (heat(21), HOME),
    (VOLUME, ToolTraits()),
    (TIMER, ToolTraits()),
]
SENSITIVE = [(UNLOCK, HOME), (control("Garage Door", "open"), HOME), (heat(29), HOME)]


def gate_for(
    words=Words.WISH, fit=Fit.MEANT, autonomy=Autonomy.ASK, channel="cli", settings=None, **facts
) -> TurnGate:
    """`fit` says of every call how far it is what the words mean, or of each device's by its name."""

    def fits(_call, _traits, reach):
        return fit[reach.devices[0].name] if isinstance(fit, dict) else fit

    return TurnGate(
        channel,
        settings or PermissionSettings(),
        reaches,
        words=words,
        by_model=True,
        autonomy=lambda: autonomy,
        fits=fits,
        **facts,
    )


def judged(call, traits, words, autonomy=Autonomy.ASK, channel="cli", fit=Fit.MEANT, **facts) -> Decision:
    gate = gate_for(words, fit, autonomy, channel, **facts)
    verdict = gate(call, traits)
    assert (call in gate.asked) is (verdict.decision is ASKS)
    return verdict.decision


@pytest.mark.parametrize("door", ["cli", "mqtt", "voice"])
@pytest.mark.parametrize("autonomy", Autonomy)
class TestTable:
    @pytest.mark.parametrize("words", Words)
    def test_a_look_always_runs(self, door, autonomy, words):
        traits = ToolTraits(source="zwave", read_only=True)
        assert judged(LOOK, traits, words, autonomy, door) is RUNS

    @pytest.mark.parametrize(("call", "traits"), REVERSIBLE)
    def test_what_can_be_taken_back(self, door, autonomy, call, traits):
        doubtful = {Autonomy.ACT: RUNS, Autonomy.ASK: ASKS, Autonomy.LOOK: REFUSED}
        assert judged(call, traits, Words.WISH, autonomy, door) is RUNS
        assert judged(call, traits, Words.DOUBTFUL, autonomy, door) is doubtful[autonomy]
        assert judged(call, traits, Words.TALK, autonomy, door) is REFUSED

    @pytest.mark.parametrize(("call", "traits"), SENSITIVE)
    def test_what_is_sensitive_or_cannot_be_taken_back(self, door, autonomy, call, traits):
        allowed = door in PermissionSettings().sensitive_channels or call.name == "set_zwave_thermostat"
        asked = ASKS if allowed else REFUSED
        assert judged(call, traits, Words.WISH, autonomy, door) is asked
        doubtful = REFUSED if autonomy is Autonomy.LOOK else asked
        assert judged(call, traits, Words.DOUBTFUL, autonomy, door) is doubtful
        assert judged(call, traits, Words.TALK, autonomy, door) is REFUSED

    @pytest.mark.parametrize("words", Words)
    def test_a_search_runs_when_the_words_speak_of_it_and_is_never_asked_about(self, door, autonomy, words):
        unspoken = frozenset({"search_web"})
        assert judged(SEARCH, READS, words, autonomy, door) is RUNS
        assert judged(SEARCH, READS, words, autonomy, door, unspoken_of=unspoken) is REFUSED

    def test_a_plain_wish_for_something_else(self, door, autonomy):
        """Who may only look is trusted with a plain wish, as ever."""
        wrong = judged(control("Desk Lamp", "off"), HOME, Words.WISH, autonomy, door, Fit.FAR)
        assert wrong is (ASKS if autonomy is Autonomy.ASK else RUNS)

    def test_a_tool_that_nothing_speaks_of(self, door, autonomy):
        unspoken = frozenset({VOLUME.name})
        found = judged(VOLUME, ToolTraits(), Words.WISH, autonomy, door, unspoken_of=unspoken)
        assert found is {Autonomy.ACT: RUNS, Autonomy.ASK: ASKS, Autonomy.LOOK: REFUSED}[autonomy]


BOTH = [(control("Floor Lamp", "off"), HOME), (control("Desk Lamp", "off"), HOME)]


def test_what_is_called_at_once_is_one_wish_all_of_it_or_none():
    looking = (LOOK, ToolTraits(source="zwave", read_only=True))
    for words, floor, desk, decision in GATE["together"]:
        gate = gate_for(Words[words], {"Floor Lamp": Fit[floor], "Desk Lamp": Fit[desk]})

        gate.consider([*BOTH, looking])

        assert [gate(call, traits).decision for call, traits in BOTH] == [decision] * 2, (words, floor, desk)
        assert gate(*looking).decision is RUNS


def test_a_yes_holds_for_the_risk_that_was_asked_about_and_in_a_read_only_turn_for_nothing():
    lamp = control("Floor Lamp", "off")

    assert judged(lamp, HOME, Words.WISH, fit=Fit.FAR, confirmed=True) is RUNS
    assert judged(UNLOCK, HOME, Words.WISH, confirmed=True) is RUNS
    assert judged(UNLOCK, HOME, Words.WISH, confirmed=True, agreed_to=Risk.UNKNOWN) is ASKS
    assert judged(lamp, HOME, Words.WISH, confirmed=True, read_only=True) is REFUSED


def test_heating_is_harmless_within_limits():
    local = TurnGate("cli", PermissionSettings(), reaches)
    mild, far = (10, 26, 70), (9.5, 27, 90, "warm")

    assert [local(heat(degrees), HOME).decision for degrees in (*mild, *far)] == [RUNS] * 3 + [ASKS] * 4
    assert local(heat(70, unit="F"), HOME).decision is RUNS


# --- text from outside


LAMP_ON = control("Floor Lamp", "on")
WATER = ToolCall("1", "water_plants", {"plant": "fern"})
CLEAR = ToolCall("1", "manage_list", {"action": "clear"})
CALLS = {"lamp": LAMP_ON, "water": WATER, "unlock": UNLOCK, "clear": CLEAR}
OUTSIDE = {"heard_outside": lambda: True}
READ = {"": {}, "result": OUTSIDE, "description": {"told_by_strangers": lambda: True}}


def of_model(fit: Fit = Fit.MEANT, autonomy=Autonomy.LOOK, **facts) -> TurnGate:
    return gate_for(fit=fit, autonomy=autonomy, channel="voice", **facts)


@pytest.mark.parametrize("autonomy", Autonomy)
def test_after_text_from_outside_an_act_runs_only_if_the_words_were_read_as_an_order_for_it(autonomy):
    for name, source, trusted, read, fit, decision in GATE["outside"]:
        call = CALLS[name]
        traits = ToolTraits(source=source, original_name=call.name, trusted=trusted)
        gate = of_model(Fit[fit], autonomy, **READ[read])
        assert gate(call, traits).decision == decision, (name, source, trusted, read, fit)


STRANGE = ToolTraits(source="strange", original_name="water_plants", trusted=False)


def test_text_from_outside_does_not_count_for_permitted_tools_or_the_users_own_words():
    settings = PermissionSettings(permit={"water_plants": "always"})

    assert of_model(Fit.FAR, settings=settings, **OUTSIDE)(WATER, STRANGE) == ALLOWED
    local = TurnGate("cli", PermissionSettings(), reaches, heard_outside=lambda: True)
    assert local(LAMP_ON, HOME) == ALLOWED, "the understanding acts on the user's words alone"


OURS = ToolTraits()


def test_a_program_cannot_say_yes():
    for channel, name, decision in GATE["programs"]:
        call = CALLS[name]
        traits = {"water": STRANGE, "clear": OURS}.get(name, HOME)
        gate = TurnGate(channel, PermissionSettings(), reaches)

        assert gate(call, traits).decision == decision, (channel, name)
        assert gate.asks_owner is (decision == ASKS and channel in PROGRAMS), (channel, name)
        unconfirmed = TurnGate(channel, PermissionSettings(confirm=False), reaches)
        assert channel not in PROGRAMS or unconfirmed(call, traits).decision == decision, (channel, name)
        named = TurnGate(channel, PermissionSettings(sensitive_channels=(channel,)), reaches)
        assert named(call, traits).decision is (RUNS if decision == RUNS else ASKS), (channel, name)


@pytest.mark.parametrize("channel", ["cli", "mcp"])
def test_what_the_owner_permits_or_forbids_needs_no_question(channel):
    for permit, decision in (("always", RUNS), ("never", REFUSED)):
        gate = TurnGate(channel, PermissionSettings(permit={"water_plants": permit}), reaches)
        assert gate(WATER, STRANGE).decision is decision
        gate.confirmed = True
        assert gate(WATER, STRANGE).decision is decision


@pytest.mark.parametrize(
    ("channel", "call", "permit", "allow"),
    [
        ("web", UNLOCK, {}, "config set permission.sensitive_channels cli,voice,web"),
        ("voice", LAMP_ON, {"floor lamp": "never"}, "permit 'floor lamp' default"),
        ("mqtt", WATER, {}, "permit water_plants always"),
    ],
)
def test_a_refusal_has_the_command_that_would_allow_the_call(channel, call, permit, allow):
    gate = TurnGate(channel, PermissionSettings(permit=permit), reaches)
    verdict = gate(call, STRANGE if call is WATER else HOME)

    assert verdict.allow == f"voice-gateway {allow}"
    assert (verdict.allow in verdict.spoken) is (channel != "voice")


def test_doubts_are_asked_about_even_where_confirmation_is_switched_off():
    settings = PermissionSettings(confirm=False)
    doubtful = gate_for(Words.DOUBTFUL, autonomy=Autonomy.ACT, settings=settings)

    assert doubtful(UNLOCK, HOME).decision is ASKS
    assert of_model(Fit.NEAR, settings=settings, **OUTSIDE)(LAMP_ON, HOME).decision is ASKS


def test_every_decision_is_logged(caplog):
    caplog.set_level(logging.INFO)
    gate = TurnGate("cli", PermissionSettings(), reaches)

    gate(UNLOCK, HOME)

    assert caplog.records[-1].getMessage() == "permission decided"
    assert (caplog.records[-1].risk, caplog.records[-1].decision) == ("sensitive", "ask")


def test_a_read_only_turn_refuses_all_but_reads():
    gate = TurnGate("cli", PermissionSettings(), reaches, read_only=True)

    assert gate(ToolCall("1", "list", {}), ToolTraits(read_only=True)) == ALLOWED
    assert gate(WATER, ToolTraits()) == FORBIDDEN
    assert gate(WATER, replace(STRANGE, read_only=True)) == FORBIDDEN, "a stranger's hint is not believed"


# --- the question


def test_several_wishes_become_one_question():
    wipe = ToolCall("2", "wipe_disk", {"disk": "b"})

    text = question([UNLOCK, wipe], lambda name: ToolTraits(title="Wipe a disk"), reaches, pin=True)

    assert text == "Shall I unlock the front door and Wipe a disk with disk b? Say yes and your PIN."


def test_an_untrusted_title_does_not_put_words_into_the_question():
    traits = ToolTraits(original_name="wipe_disk", title="Say hello", trusted=False)

    text = question([ToolCall("1", "wipe_disk", {})], lambda name: traits, reaches, pin=False)

    assert text == "Shall I wipe disk?"


def test_a_built_in_tool_is_asked_about_in_everyday_words():
    rows = GATE["questions"]
    asked = [described([ToolCall("1", name, args)], lambda _name: OURS, reaches) for name, args, _ in rows]
    assert asked == [words for *_, words in rows]

"""The table: whether a call runs is decided by what it would do and how sure we are."""

from dataclasses import dataclass

import pytest

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.fitting import fits
from voice_gateway.tools.permission import TurnGate
from voice_gateway.turn import Autonomy, Decision, ToolCall, ToolTraits, Words

RUNS, ASKS, REFUSED = Decision.ALLOWED, Decision.ASK, Decision.REFUSED


@dataclass
class Device:
    name: str
    kind: str
    room: str = ""
    node_id: int | None = None


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
    return [found] if (found := DEVICES.get(name.lower())) else []


def control(device: str, action: str, **more: object) -> ToolCall:
    return ToolCall("1", "control_zwave_device", {"deviceName": device, "action": action, **more})


def heat(temperature: float, **more: object) -> ToolCall:
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

# A call, and words that it fits.
REVERSIBLE = [
    (control("Floor Lamp", "off"), HOME, "switch that floor lamp off"),
    (control("Window Blind", "close"), HOME, "shut the blinds"),
    (control("Ceiling Fan", "on"), HOME, "switch on the fan in the bedroom"),
    (heat(21), HOME, "heating to 21 degrees"),
    (VOLUME, ToolTraits(), "volume to 30 percent"),
    (TIMER, ToolTraits(), "a timer for 10 minutes"),
]
SENSITIVE = [
    (UNLOCK, HOME, "unlock the front door"),
    (control("Garage Door", "open"), HOME, "open the garage door"),
    (heat(29), HOME, "heating to 29 degrees"),
]


def judged(call, traits, said, words, autonomy=Autonomy.ASK, door="cli", **facts) -> Decision:
    gate = TurnGate(
        door,
        PermissionSettings(),
        devices_named,
        words=words,
        said=said,
        by_model=True,
        autonomy=lambda: autonomy,
        **facts,
    )
    verdict = gate(call, traits)
    assert (call in gate.asked) is (verdict.decision is ASKS)
    return verdict.decision


@pytest.mark.parametrize("door", ["cli", "mqtt", "voice"])
@pytest.mark.parametrize("autonomy", Autonomy)
class TestTable:
    @pytest.mark.parametrize("words", Words)
    def test_a_look_always_runs(self, door, autonomy, words):
        traits = ToolTraits(source="zwave", read_only=True)
        assert judged(LOOK, traits, "whatever", words, autonomy, door) is RUNS

    @pytest.mark.parametrize(("call", "traits", "said"), REVERSIBLE)
    def test_what_can_be_taken_back(self, door, autonomy, call, traits, said):
        doubtful = {Autonomy.ACT: RUNS, Autonomy.ASK: ASKS, Autonomy.LOOK: REFUSED}
        assert judged(call, traits, said, Words.WISH, autonomy, door) is RUNS
        assert judged(call, traits, said, Words.DOUBTFUL, autonomy, door) is doubtful[autonomy]
        assert judged(call, traits, said, Words.TALK, autonomy, door) is REFUSED

    @pytest.mark.parametrize(("call", "traits", "said"), SENSITIVE)
    def test_what_is_sensitive_or_cannot_be_taken_back(self, door, autonomy, call, traits, said):
        allowed = door in PermissionSettings().sensitive_doors or call.name == "set_zwave_thermostat"
        asked = ASKS if allowed else REFUSED
        assert judged(call, traits, said, Words.WISH, autonomy, door) is asked
        doubtful = REFUSED if autonomy is Autonomy.LOOK else asked
        assert judged(call, traits, said, Words.DOUBTFUL, autonomy, door) is doubtful
        assert judged(call, traits, said, Words.TALK, autonomy, door) is REFUSED

    @pytest.mark.parametrize("words", Words)
    def test_a_search_runs_when_the_words_speak_of_it_and_is_never_asked_about(self, door, autonomy, words):
        unspoken = frozenset({"search_web"})
        assert judged(SEARCH, READS, "who won", words, autonomy, door) is RUNS
        assert judged(SEARCH, READS, "google is evil", words, autonomy, door, unspoken_of=unspoken) is REFUSED

    def test_a_plain_wish_for_something_else(self, door, autonomy):
        """Who may only look is trusted with a plain wish, as ever."""
        wrong = judged(
            control("Desk Lamp", "off"), HOME, "switch that floor lamp off", Words.WISH, autonomy, door
        )
        assert wrong is (ASKS if autonomy is Autonomy.ASK else RUNS)

    def test_a_tool_that_nothing_speaks_of(self, door, autonomy):
        said, unspoken = "make the floor lamp cosy", frozenset({VOLUME.name})
        found = judged(VOLUME, ToolTraits(), said, Words.WISH, autonomy, door, unspoken_of=unspoken)
        assert found is {Autonomy.ACT: RUNS, Autonomy.ASK: ASKS, Autonomy.LOOK: REFUSED}[autonomy]


def test_what_has_nothing_to_do_with_doubtful_words_is_not_proposed():
    lamp = control("Floor Lamp", "off")

    assert judged(lamp, HOME, "my brother plays the organ", Words.DOUBTFUL) is REFUSED
    assert judged(lamp, HOME, "the lamp on my bike broke", Words.DOUBTFUL) is ASKS
    assert judged(lamp, HOME, "no need for the lamps any more", Words.DOUBTFUL) is ASKS
    assert judged(heat(21), HOME, "mum is freezing", Words.DOUBTFUL) is ASKS
    assert judged(lamp, HOME, "no need for it now", Words.DOUBTFUL, before="The Floor Lamp is on.") is ASKS


def test_a_yes_is_for_everything_and_a_read_only_turn_for_nothing():
    lamp = control("Floor Lamp", "off")

    assert judged(lamp, HOME, "perhaps", Words.WISH, confirmed=True) is RUNS
    assert judged(lamp, HOME, "switch that floor lamp off", Words.WISH, read_only=True) is REFUSED


def test_sensitive_calls_are_asked_about_in_doubt_even_where_confirmation_is_switched_off():
    gate = TurnGate(
        "cli",
        PermissionSettings(confirm=False),
        devices_named,
        words=Words.DOUBTFUL,
        said="was the front door ever unlocked by me",
        by_model=True,
        autonomy=lambda: Autonomy.ACT,
    )

    assert gate(UNLOCK, HOME).decision is ASKS


@pytest.mark.parametrize(
    ("temperature", "more", "decision"),
    [
        (10, {}, RUNS),
        (26, {}, RUNS),
        (9.5, {}, ASKS),
        (27, {}, ASKS),
        (70, {"unit": "F"}, RUNS),
        (70, {}, RUNS),
        (90, {}, ASKS),
        ("warm", {}, ASKS),
    ],
)
def test_heating_is_harmless_within_limits(temperature, more, decision):
    local = TurnGate("cli", PermissionSettings(), devices_named)

    assert local(heat(temperature, **more), HOME).decision is decision


FITTING = [
    ("turn off the floor lamp", control("Floor Lamp", "off"), True),
    ("turn off the floor lamp", control("Floor Lamp", "on"), False),
    ("turn off the floor lamp", control("Desk Lamp", "off"), False),
    ("could you switch floor lamp off", control("Floor Lamp", "off"), True),
    ("could you switch floor lamp off", control("Desk Lamp", "off"), False),
    ("please switch floor lamp off", control("Desk Lamp", "off"), False),
    ("can you please switch kettle on", control("Kitchen Light", "on"), False),
    ("whichever lamps are on switch them off", control("Floor Lamp", "off"), True),
    ("turn the switch in the office off", control("Desk Lamp", "off"), True),
    ("turn off the light on the desk", control("Kitchen Light", "on"), False),
    ("all lights off", control("Desk Lamp", "off"), True),
    ("everything off in the kitchen", control("Kitchen Light", "off"), True),
    ("floor lamp on and desk lamp off", control("Desk Lamp", "off"), True),
    ("floor lamp on and desk lamp off", control("Floor Lamp", "off"), False),
    ("the floor lamp and the desk lamp off", control("Floor Lamp", "off"), True),
    ("all lights off but the desk lamp", control("Desk Lamp", "off"), False),
    ("all lights off but not in the kitchen", control("Kitchen Light", "off"), False),
    ("all lights off but not in the kitchen", control("Floor Lamp", "off"), True),
    ("dim the floor lamp to forty percent", control("Floor Lamp", "dim", level=40), True),
    ("dim the floor lamp to forty percent", control("Floor Lamp", "dim", level=90), False),
    ("dim the floor lamp", control("Floor Lamp", "dim", level=90), False),
    ("floor lamp to half", control("Floor Lamp", "dim", level=50), True),
    ("cut the floor lamp in half", control("Floor Lamp", "off"), False),
    ("make the floor lamp banana", control("Floor Lamp", "dim", level=80), False),
    ("turn off the floor lamp at ten pm", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp in ten minutes", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp when I leave", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp tomorrow", control("Floor Lamp", "off"), False),
    ("set the heating to 21.5 degrees", heat(21.5), True),
    ("set the heating to 21.5 degrees", heat(25), False),
    ("make it warmer", heat(25), False),
    ("set a timer for ten minutes", TIMER, True),
    ("set a timer for ten minutes", ToolCall("1", "set_timer", {"duration": "600"}), True),
    ("set a timer for ten minutes", ToolCall("1", "set_timer", {"duration": "3 hours"}), False),
    ("wake me at seven in the evening", ToolCall("1", "set_timer", {"at": "19:00"}), True),
    ("volume to thirty", VOLUME, True),
    ("volume to fifty", VOLUME, False),
    ("movie night please", ToolCall("1", "activate_zwave_scene", {"sceneName": "Movie Night"}), True),
    ("party time", ToolCall("1", "activate_zwave_scene", {"sceneName": "Movie Night"}), False),
]


@pytest.mark.parametrize(("said", "call", "expected"), FITTING)
def test_a_call_fits_by_its_thing_its_direction_its_value_and_its_time(said, call, expected):
    devices = devices_named(str(call.args.get("deviceName", "")))

    assert fits(said, call, ToolTraits(), devices, "") is expected


def test_what_follows_from_the_conversation_fits():
    off, lamp = control("Floor Lamp", "off"), [DEVICES["floor lamp"]]

    assert fits("turn it off again", off, HOME, lamp, "turn on the floor lamp . The Floor Lamp is on.")
    assert not fits("turn it off again", off, HOME, lamp, "The Desk Lamp is on.")

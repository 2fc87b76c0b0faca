"""Chimes, doorbells, sirens, fans: a tone that there is, a speed that the fan took, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, chime, devices_of, dimmer, parse_nodes, switch

from zwave_mcp.home import Node, Snapshot, Status, Value, ValueId, WriteResult
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

TONES: dict[int | bool | str, str] = {
    1: "Ding Dong (3 sec)",
    2: "Westminster (8 sec)",
    3: "Siren (30 sec)",
    4: "Ding Ding",
}
TONE = "5-121-0-toneId"


def home_of(node: Node, *polled: Any) -> ScriptedHome:
    home = ScriptedHome(node)
    if polled:
        home.written, home.polled = WriteResult(Status.ACKNOWLEDGED), list(polled)
    return home


async def play(home: ScriptedHome, action: str = "play", **args: Any) -> Result:
    return await Tools(home).call("play_zwave_sound", {"deviceName": "Door Chime", "action": action, **args})


async def test_the_volume_goes_along_and_is_asked_for():
    home = home_of(chime(5, "Door Chime", TONES), 2, 15)
    answer = await play(home, tone="westminster", volume=15)
    assert home.options == [{"volume": 15}]
    assert answer.sentence == "The Door Chime is playing Westminster at 15 percent."

    answer = await play(home_of(chime(5, "Door Chime", TONES), 2, 40), tone="westminster", volume=15)
    assert (answer.structured["outcome"], answer.is_error) == ("unconfirmed", True)


async def test_one_that_stays_silent_or_goes_on_is_no_success():
    silent = await play(home_of(chime(5, "Door Chime", TONES), 0), tone="siren")
    going = await play(home_of(chime(5, "Door Chime", TONES, tone=3), 3), "stop")
    assert [(each.structured["outcome"], each.structured["state"]) for each in (silent, going)] == [
        ("failed", "silent"),
        ("failed", "playing Siren"),
    ]


async def test_ringing_is_taken_back_by_silence_and_silence_not_at_all():
    rung = await play(home_of(chime(5, "Door Chime", TONES), 1))
    stopped = await play(home_of(chime(5, "Door Chime", TONES, tone=1), 0), "stop")

    stop = {"name": "play_zwave_sound", "args": {"deviceName": "Door Chime", "action": "stop"}}
    assert (rung.structured["before"], stopped.structured["before"]) == ([stop], [])
    assert stopped.structured["undo"]


def siren(name: str = "Door Chime") -> Node:
    """A relay with one sound: only its device class says what it is."""
    plain = switch(5, name)
    return Node(5, name, status="Alive", values=plain.values, classes={0: (16, 5)})


async def test_a_siren_without_tones_sounds_and_stops():
    home = home_of(siren(), True)
    assert (await play(home)).sentence == "The Door Chime is sounding."
    assert home.sent == [("5-37-0-targetValue", True)]
    assert (await play(home_of(siren(), False), "stop")).sentence == "The Door Chime is now silent."
    assert (await play(home_of(siren()), tone="alarm")).structured["outcome"] == "unsupported"


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (chime(5, "Door Chime", TONES), "chime"),
        (chime(5, "Hall Siren", TONES), "siren"),
        (chime(5, "Smoke Alarm", TONES), "siren"),
        (siren("Relay 4"), "siren"),
        (Node(4, "Node 4", values=dimmer(4, "").values, classes={0: (17, 8)}), "fan"),
        (dimmer(4, "Ceiling Fan"), "fan"),
        (dimmer(4, "Ceiling Fan Light"), "dimmer"),
    ],
)
def test_device_class_or_name_tell_the_kind(node: Node, kind: str):
    (device,) = devices_of(Snapshot((node,)))
    assert device.kind == kind


def test_the_occasions_of_a_doorbell_are_one_device():
    first = chime(5, "Doorbell", TONES)
    more = [
        Value(ValueId(5, 121, endpoint, item.id.property), item.value, states=item.states, writeable=True)
        for endpoint in (1, 2)
        for item in first.values
    ]
    (device,) = devices_of(Snapshot((Node(5, "Doorbell", values=(*first.values, *more)),)))
    assert (device.name, device.kind, device.endpoint) == ("Doorbell", "chime", 0)


def test_device_classes_are_read_from_node_and_endpoints():
    reported = {"id": 4, "deviceClass": {"basic": 4, "generic": 17, "specific": 8}, "values": {}}
    ends = [{"index": 1, "deviceClass": {"generic": 17, "specific": 1}}, {"index": "x"}, 7, {"index": 2}]
    (node,) = parse_nodes([{**reported, "endpoints": ends}])
    assert node.classes == {0: (17, 8), 1: (17, 1)}
    (bare,) = parse_nodes([{"id": 4, "deviceClass": {"generic": None}, "endpoints": None}])
    assert bare.classes == {}


# --- fans


@pytest.mark.parametrize(
    ("status", "was", "level", "polled", "expected"),
    [
        (254, 0, 33, [33], ("confirmed", "on, 33 %")),
        (254, 33, 50, [66], ("confirmed", "on, 67 %")),  # it has three speeds, and took the next
        (254, 33, 50, [33], ("failed", "on, 33 %")),  # it did not move
        (254, 0, 50, [0], ("failed", "off")),
        (254, None, 50, [66], ("failed", "on, 67 %")),  # nobody knows whether it is another than before
        (254, 99, 33, [99], ("failed", "on, 100 %")),
        # One that confirms by itself is asked which speed it took.
        (255, 0, 50, [66], ("confirmed", "on, 67 %")),
        (255, 33, 40, [33], ("confirmed", "on, 33 %")),
        (255, 0, 99, [20, 66, 99], ("confirmed", "on, 100 %")),
    ],
)
async def test_a_speed_is_what_the_fan_made_of_it(status, was, level, polled, expected):
    home = ScriptedHome(dimmer(4, "Ceiling Fan", level=was))
    home.written, home.polled = WriteResult(status), polled
    if len(polled) > 1:  # it gets there, however busy this machine is
        home.timing = replace(home.timing, window_seconds=30)
    given = {"deviceName": "Ceiling Fan", "action": "dim", "level": level}
    facts = (await Tools(home).call("control_zwave_device", given)).structured
    assert (facts["outcome"], facts["state"]) == expected

"""The home as a snapshot, and what the parts of a device's state mean."""

from dataclasses import replace

from voice_gateway.integrations.device import Device, has_state
from voice_gateway.integrations.home import build_home

DEVICES = [
    Device("Floor Lamp", "Living Room", "switch", "off", node_id=2, aliases=("reading light",)),
    Device("Lamp", "Bedroom", "dimmer", "on, 40 %", node_id=3),
    Device("Lamp", "Office", "switch", "off", node_id=4),
    Device("Back Door", "Hallway", "sensor", "closed", node_id=5, readings=("battery 80 %",)),
]


def test_other_states_are_seen_by_every_name():
    before = build_home(DEVICES, ["Movie"])
    now = [
        replace(DEVICES[0], state="on"),
        DEVICES[1],
        replace(DEVICES[2], available=False, state="unknown"),
        replace(DEVICES[3], state="open", readings=("battery 79 %",)),
    ]
    renewed, built = before.renewed(now), build_home(now, ["Movie"])

    assert renewed is not None
    assert renewed.devices == built.devices
    assert renewed.by_name == built.by_name
    assert (renewed.rooms, renewed.scenes) == (built.rooms, built.scenes)
    for words in ("reading light", "floor lamp", "office lamp", "back door", "lamp"):
        assert renewed.names.exact(words) == built.names.exact(words)
    assert renewed.in_room("Hallway") == (now[3],)
    assert before.devices == tuple(DEVICES), "a turn keeps the picture it started with"


def test_another_name_kind_or_number_of_devices_makes_another_home():
    before = build_home(DEVICES)
    assert before.renewed(DEVICES[:3]) is None
    assert before.renewed([*DEVICES[:3], replace(DEVICES[3], name="Garden Door")]) is None
    assert before.renewed([*DEVICES[:3], replace(DEVICES[3], kind="lock")]) is None
    assert before.renewed([DEVICES[1], DEVICES[0], *DEVICES[2:]]) is None


def test_each_part_of_a_state_counts():
    states = [
        ("open", "open", True),
        ("open, 21.4 °C", "open", True),
        ("open, tampered with", "open", True),
        ("21.4 °C, closed", "closed", True),
        ("21.4 °C, closed", "open", False),
        ("open, 21.4 °C", "closed", False),
        ("50 % open, 3 W", "open", True),
        ("opening", "open", True),
        ("not open", "open", False),
        ("closed, locked", "locked", True),
        ("unlocked, open", "locked", False),
        ("closed, open", "closed", False),
        ("closed, open", "open", True),
        ("locked, unlocked", "locked", False),
        ("on, 40 %", "on", True),
        ("no motion, 21 °C", "on", False),
    ]
    for state, asked, expected in states:
        assert has_state(Device("Window", "Attic", "sensor", state), asked) is expected, (state, asked)

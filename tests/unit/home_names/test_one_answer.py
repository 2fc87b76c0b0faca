"""Gateway and Z-Wave server, asked for a device, mean the same one; so does the gate that decides."""

import json
import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.scripted_home import blind, devices_of, dimmer, lock, sensor, switch, thermostat
from tests.fakes.zwave_reach import zwave_reaches

from home_names.kinds import is_light
from home_names.resolver import Names, One
from home_names.risk import is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.integrations.home import Home, build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.turn import ToolCall, ToolTraits
from zwave_mcp.devices import Device, supports
from zwave_mcp.home import Node, Snapshot
from zwave_mcp.states import entry

WORDS = (
    "Ceiling Floor Desk Front Back Garage Garden Gate Fan Light Lamp Door Blind Curtain Heater Siren Switch "
    "Two 3 Küche Dad's Coffee Reading Plug Spots Alarm Left Coach"
).split()
ROOMS = ("", "Kitchen", "Living Room", "Garage", "Büro", "Security Room", "Hallway")
KINDS = (switch, dimmer, blind, lock, sensor, thermostat)

names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join)
rows = st.tuples(names, st.sampled_from(ROOMS), st.sampled_from(KINDS))
homes = st.lists(rows, min_size=1, max_size=8).map(
    lambda devices: [kind(number, name, room) for number, (name, room, kind) in enumerate(devices, start=2)]
)


def server(nodes: list[Node]) -> Names[Device]:
    return Names(devices_of(Snapshot(tuple(nodes))))


def gateway(known: Names[Device]) -> Home:
    """As it gets to know the home: from the server's own list."""
    return build_home(read_devices({"devices": [entry(device) for device in known.devices]}))


def spelling(device: Device, luck: random.Random) -> str:
    """One of the ways in which people and models write a name."""
    if luck.random() < 0.1:
        return luck.choice(("node {}", "Node {}", "NODE {}!")).format(device.node_id)
    words = device.name.split() + ([device.room] if device.room and luck.random() < 0.5 else [])
    if luck.random() < 0.4:
        luck.shuffle(words)
    if luck.random() < 0.15 and len(words) > 1:
        words.pop(luck.randrange(len(words)))
    if luck.random() < 0.15:
        at = luck.randrange(len(words))
        letters = list(words[at])
        letters[luck.randrange(len(letters))] = luck.choice("aeiourtnl")
        words[at] = "".join(letters)
    text = " ".join(words)
    for old, new in (("ü", "ue"), ("Lamp", "light"), ("Light", "lights"), ("Two", "2"), ("'", "")):
        text = text.replace(old, new) if luck.random() < 0.3 else text
    text = luck.choice((str, str.lower, str.upper))(text)
    before = luck.choice(("", "", "the ", "my ", "please the "))
    written = f"{before}{text}{luck.choice(('', '', ' (off)', ' (on, 40 %)', '!', ' 💡'))}"
    return luck.choice(WRITTEN)(written)


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def look_alike(text: str) -> str:
    return text.translate(str.maketrans("aeopcxAEOPCXTH", "аеорсхАЕОРСХТН"))


# Also as nobody would: what a server takes, the gate must know.
WRITTEN = (
    *(str,) * 6,
    full_width,
    look_alike,
    json.dumps,
    lambda text: json.dumps([text]),
    lambda text: f"(x) {text} (y)",
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: text.replace(" ", "_"),
    lambda text: text.replace(" ", "\u00a0\u200b"),
    lambda text: f"{text}, Kitchen Light",
    lambda text: f"device {text}",
)


def found_by(home: Home, asked: str, able: set[int | None]) -> int | None:
    device = home.names.only(asked, lambda device: device.node_id in able)
    return device.node_id if device else None


@settings(deadline=None)
@given(homes, st.randoms(use_true_random=False), st.sampled_from(["on", "toggle", "open", "dim"]))
def test_what_the_server_takes_for_a_device_is_that_device_to_the_gateway(nodes, luck, action):
    known = server(nodes)
    home = gateway(known)
    able: set[int | None] = {device.node_id for device in known.devices if supports(device, action)}
    for device in known.devices:
        asked = spelling(device, luck)
        hit = known.find(asked, lambda device: device.node_id in able)
        if isinstance(hit, One):
            assert found_by(home, asked, able) == hit.device.node_id, asked


ACTIONS = st.sampled_from(["on", "off", "toggle", "open", "dim", "close", "stop"])


def judged(home: Home, asked: str, action: str) -> Risk:
    call = ToolCall("1", "control_zwave_device", {"deviceName": asked, "action": action})
    reach = zwave_reaches(home.names.could_mean)(call, ToolTraits())
    return risk_of(call, ToolTraits(), PermissionSettings(), reach)


@settings(deadline=None)
@given(homes, st.randoms(use_true_random=False), ACTIONS)
def test_the_gate_judges_the_device_however_it_is_spelled(nodes, luck, action):
    known = server(nodes)
    home = gateway(known)
    for device in known.devices:
        asked = spelling(device, luck)
        hit = known.find(asked, lambda one: supports(one, action))
        if isinstance(hit, One):
            by_number = judged(home, f"node {hit.device.node_id}", action)
            sure = isinstance(known.find(asked), One)
            # Where only the action tells two devices apart, the gate may be stricter, and never laxer.
            assert judged(home, asked, action) == by_number or (not sure and by_number is Risk.REVERSIBLE), (
                asked
            )


@settings(deadline=None)
@given(homes, st.randoms(use_true_random=False), ACTIONS, st.text(max_size=8))
def test_no_text_reaches_a_guarded_device_unasked(nodes, luck, action, noise):
    known = server(nodes)
    home = gateway(known)
    for device in known.devices:
        for asked in (spelling(device, luck), f"{spelling(device, luck)} {noise}", noise):
            hit = known.find(asked, lambda one: supports(one, action))
            if isinstance(hit, One):
                one = hit.device
                if is_sensitive(one.kind, (one.name, f"{one.room} {one.name}"), action):
                    assert judged(home, asked, action) is Risk.SENSITIVE, asked
            elif not known.could_mean(asked) and action not in ("close", "stop"):
                assert judged(home, asked, action) is Risk.SENSITIVE, asked


def test_a_fan_on_a_dimmer_is_no_light_to_anybody():
    known = server([dimmer(2, "Ceiling Fan", "Kitchen"), dimmer(3, "Spots", "Kitchen")])
    home = gateway(known)

    for asked in ("kitchen light", "the light", "lights in the kitchen"):
        hit = known.find(asked)
        assert isinstance(hit, One)
        assert hit.device.name == "Spots"
        assert found_by(home, asked, {2, 3}) == hit.device.node_id
    assert not any(device.is_light for device in home.devices if device.name == "Ceiling Fan")


@pytest.mark.parametrize(
    ("kind", "name", "light"),
    [
        ("dimmer", "Ceiling Fan", False),
        ("dimmer", "Ceiling Fan Light", True),
        ("dimmer", "Stefan", True),
        ("switch", "Floor Lamp", True),
        ("plug", "Coffee Maker", False),
        ("sensor", "Light Sensor", False),
    ],
)
def test_what_counts_as_a_light(kind: str, name: str, light: bool):
    assert is_light(kind, name) is light


def test_the_gate_knows_a_way_into_the_house_by_every_name_that_its_server_takes():
    known = server(
        [
            blind(15, "Garage Door", "Garage"),
            switch(16, "Siren"),
            switch(17, "Gate Relay", "Garden"),
            switch(18, "Desk Lamp"),
        ]
    )
    home = gateway(known)

    for asked in ("node 15", "door garage", "the GARAGE door (closed)", "garage garage door", "garage"):
        assert judged(home, asked, "toggle") is Risk.SENSITIVE
    for asked in ("node 16", "Siren", "the siren (off)", "ＳＩＲＥＮ"):
        assert {judged(home, asked, action) for action in ("on", "off", "toggle")} == {Risk.SENSITIVE}
    assert judged(home, '["Desk Lamp", "Garage Door"]', "toggle") is Risk.SENSITIVE
    assert judged(home, "node 18", "on") is Risk.REVERSIBLE
    assert judged(home, "node 17", "on") is Risk.SENSITIVE
    assert judged(home, "garden relay gate", "on") is Risk.SENSITIVE

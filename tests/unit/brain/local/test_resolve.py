"""Words become exactly the devices that are meant, or a question, or nobody."""

import random
from string import ascii_lowercase

import pytest
from tests.fakes.home_tools import DEFAULT_HOME

from voice_gateway.brain.local.resolve import Found, Resolver, Unclear, Unknown
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, build_home


def home_of(*rows: tuple[str, str, str]) -> Home:
    return build_home(Device(*row) for row in rows)


HOME = home_of(*[row[:3] for row in DEFAULT_HOME])


def names(found: object) -> list[str]:
    assert isinstance(found, Found), found
    return [device.name for device in found.devices]


@pytest.mark.parametrize(
    ("phrase", "devices"),
    [
        ("the floor lamp", ["Floor Lamp"]),
        ("flour lamp", ["Floor Lamp"]),
        ("floor lamp in the living room", ["Floor Lamp"]),
        ("living room floor lamp", ["Floor Lamp"]),
        ("the lamp in the bedroom", ["Bedside Lamp"]),
        ("bedroom lamp", ["Bedside Lamp"]),
        ("the light on the desk", ["Desk Lamp"]),
        ("heater", ["Space Heater"]),
        ("window blinds", ["Window Blind"]),
        ("living room lights", ["Ceiling Light", "Floor Lamp"]),
        ("everything in the kitchen", ["Kitchen Light", "Coffee Maker"]),
        ("the lights in the kitchen and the bedroom", ["Kitchen Light", "Bedside Lamp"]),
        ("kitchen and bedroom lights", ["Kitchen Light", "Bedside Lamp"]),
        ("the kitchen light and the coffee maker", ["Kitchen Light", "Coffee Maker"]),
        ("all the lights", ["Ceiling Light", "Floor Lamp", "Kitchen Light", "Bedside Lamp", "Desk Lamp"]),
        ("both blinds", ["Window Blind", "Study Blinds"]),
        ("the lamps", ["Floor Lamp", "Bedside Lamp", "Desk Lamp"]),
        ("the blinds", ["Window Blind", "Study Blinds"]),
        ("our lamps and the plugs", ["Floor Lamp", "Bedside Lamp", "Desk Lamp", "Coffee Maker"]),
    ],
)
def test_what_is_meant_is_found(phrase: str, devices: list[str]) -> None:
    assert names(Resolver(HOME).resolve(phrase)) == devices


@pytest.mark.parametrize("phrase", ["light", "living room light", "the lamp", "kitchen", "lights", "blind"])
def test_what_could_be_several_is_asked(phrase: str) -> None:
    assert isinstance(Resolver(HOME).resolve(phrase), Unclear)


def test_the_lights_are_those_of_the_room_and_else_of_the_home() -> None:
    here = Resolver(HOME, room="Living Room").resolve("the lights")
    locks = home_of(("Front Door", "Hallway", "lock"), ("Cellar Door", "Cellar", "lock"))

    assert names(here) == ["Ceiling Light", "Floor Lamp"]
    assert len(names(Resolver(HOME).resolve("the lights"))) == 5
    assert isinstance(Resolver(HOME).resolve("some lights"), Unclear)
    assert isinstance(Resolver(HOME).resolve("one of the lights"), Unclear)
    assert isinstance(Resolver(locks).resolve("the locks"), Unclear)


@pytest.mark.parametrize(
    "phrase",
    [

        "chandelier", "bathroom light", "kitchen floor lamp", "bedroom ceiling light",
        "lights in the basement", "lamp on the balcony", "fan in the living room", "second floor lamp",
        "floor lamp 2", "everything in the attic", "light in the garage", "living room blinds", "back gate",
        "table lamp", "front light",
    ],
)  # fmt: skip
def test_an_unknown_room_or_device_never_widens(phrase: str) -> None:
    assert isinstance(Resolver(HOME).resolve(phrase), Unknown)


def test_everything_never_means_locks_doors_or_blinds() -> None:
    everything = names(Resolver(HOME).resolve("everything in the house"))

    assert not {"Front Door", "Garage Door", "Window Blind", "Thermostat"} & set(everything)


@pytest.mark.parametrize("unnamed", ["Node 17", "Node 17 2"])
def test_everything_is_only_what_has_a_name(unnamed: str) -> None:
    home = home_of(
        ("Desk Lamp", "Office", "switch"), ("Node Lamp", "Office", "switch"), (unnamed, "", "switch")
    )

    assert names(Resolver(home).resolve("everything")) == ["Desk Lamp", "Node Lamp"]
    assert names(Resolver(home).resolve(unnamed)) == [unnamed]


def test_the_doors_room_settles_what_has_no_room() -> None:
    assert names(Resolver(HOME, room="Kitchen").resolve("the light")) == ["Kitchen Light"]
    assert names(Resolver(HOME, room="Bedroom").resolve("the light")) == ["Bedside Lamp"]
    assert names(Resolver(HOME, room="Living Room").resolve("the light")) == ["Ceiling Light"]
    assert names(Resolver(HOME, room="Living Room").resolve("the lights")) == ["Ceiling Light", "Floor Lamp"]
    assert isinstance(Resolver(HOME, room="Garage").resolve("the light"), Unknown)


def test_a_name_that_two_devices_share_is_settled_by_room_or_asked() -> None:
    home = home_of(("Lamp", "Kitchen", "switch"), ("Lamp", "Office", "switch"))

    assert isinstance(Resolver(home).resolve("lamp"), Unclear)
    found = Resolver(home).resolve("lamp in the office")
    assert isinstance(found, Found)
    assert home.address(found.devices[0]) == "Office Lamp"
    here = Resolver(home, room="Kitchen").resolve("lamp")
    assert isinstance(here, Found)
    assert here.by_room == "Kitchen"


def test_a_device_called_like_a_room_is_the_device() -> None:
    home = home_of(("Kitchen", "Kitchen", "switch"), ("Spots", "Kitchen", "dimmer"))

    assert names(Resolver(home).resolve("the kitchen")) == ["Kitchen"]
    assert names(Resolver(home).resolve("everything in the kitchen")) == ["Kitchen", "Spots"]


def test_numbers_in_names_are_heard_as_words_or_digits() -> None:
    home = home_of(("Switch One", "", "switch"), ("Switch 2", "", "switch"))

    assert names(Resolver(home).resolve("switch 1")) == ["Switch One"]
    assert names(Resolver(home).resolve("switch two")) == ["Switch 2"]
    assert isinstance(Resolver(home).resolve("switch three"), Unknown)


def test_a_coffee_maker_is_no_light_and_a_fan_is_none_either() -> None:
    home = home_of(("Coffee Maker", "K", "plug"), ("Ceiling Fan", "K", "dimmer"), ("Spots", "K", "dimmer"))

    assert names(Resolver(home).resolve("all lights")) == ["Spots"]


MANY = (
    "Ceiling Light:Living Room, Floor Lamp:Living Room, Sofa Lamp:Living Room, TV Plug:Living Room, "
    "Wall Light:Hallway, Hall Light:Hallway, Mirror Light:Bathroom, Heater:Bathroom, Bed Light Left:Bedroom, "
    "Bed Light Right:Bedroom, Wardrobe Light:Bedroom, Desk Lamp:Office, Printer:Office, Monitor:Office, "
    "Porch Light:Outside, Pond Pump:Garden, Pool Pump:Garden, Fountain:Garden, Tree Lights:Garden, "
    "Shed Light:Garden, Counter Light:Kitchen, Kitchen Light:Kitchen, Coffee Maker:Kitchen, Kettle:Kitchen, "
    "Toaster:Kitchen, Dining Lamp:Dining Room, Reading Lamp:Study, Anna's Lamp:Kids Room, Fan:Bedroom, "
    "Van Charger:Garage, Car Charger:Garage, Bar Light:Basement, Switch One:Basement, Switch Two:Basement"
)


@pytest.mark.slow
def test_a_garbled_name_means_its_own_device_or_nobody() -> None:
    rows = [entry.split(":") for entry in MANY.split(", ")]
    home = home_of(*[(name, room, "switch") for name, room in rows])
    chance = random.Random(7)
    wrong, right = [], 0
    for name, _room in rows:
        for _ in range(60):
            letters = list(name.lower())
            at = chance.randrange(len(letters))
            letters[at : at + chance.choice((0, 1))] = chance.choice(["", chance.choice(ascii_lowercase)])
            said = "".join(letters)
            found = Resolver(home).resolve(said)
            if isinstance(found, Found) and [device.name for device in found.devices] != [name]:
                wrong.append((name, said, names(found)))
            right += isinstance(found, Found)

    assert wrong == []
    assert right > 1000  # it is not that nothing was found


def strip(name: str, node: int, outlets: int, source: str = "zwave") -> list[Device]:
    return [
        Device(f"{name} {at}", "Office", "switch", node_id=node, endpoint=at, source=source)
        for at in range(1, outlets + 1)
    ]


STRIPS = [*strip("Power Strip", 9, 3), Device("Lamp 2", "Office", "switch", node_id=4)]


@pytest.mark.parametrize(
    ("phrase", "devices"),
    [
        ("outlet 3 of the power strip", ["Power Strip 3"]),
        ("the socket number 2 on the power strip", ["Power Strip 2"]),
        ("power strip outlet 3", ["Power Strip 3"]),
        ("plug three on the power strip", ["Power Strip 3"]),
        ("the second socket of the power strip", ["Power Strip 2"]),
        ("the whole power strip", ["Power Strip 1", "Power Strip 2", "Power Strip 3"]),
        ("all outlets of the power strip", ["Power Strip 1", "Power Strip 2", "Power Strip 3"]),
        ("everything on the power strip", ["Power Strip 1", "Power Strip 2", "Power Strip 3"]),
    ],
)
def test_outlets_of_a_strip_are_found_by_their_number_or_all_at_once(phrase: str, devices: list[str]) -> None:
    assert names(Resolver(build_home(STRIPS)).resolve(phrase)) == devices


@pytest.mark.parametrize(
    "phrase",
    ["outlet 4 of the power strip", "outlet 2 of the lamp", "the whole lamp", "outlet 1 of the heater"],
)
def test_an_outlet_that_is_not_there_is_nobody(phrase: str) -> None:
    assert not isinstance(Resolver(build_home(STRIPS)).resolve(phrase), Found)


def test_both_outlets_are_two_and_a_room_is_no_strip() -> None:
    assert not isinstance(Resolver(build_home(STRIPS)).resolve("both outlets of the power strip"), Found)
    plugs = [Device("Coffee Plug", "Office", "plug"), Device("Toaster Plug", "Office", "plug")]
    home = build_home([*strip("Office", 9, 2), *plugs])
    assert names(Resolver(home).resolve("all plugs in the office")) == ["Coffee Plug", "Toaster Plug"]
    assert names(Resolver(build_home(strip("Duo", 9, 2))).resolve("both outlets of the duo")) == [
        "Duo 1",
        "Duo 2",
    ]


def test_of_two_strips_of_one_name_nobody_knows_which_is_meant_as_a_whole() -> None:
    home = build_home([*strip("Power Strip", 9, 2), *strip("Power Strip", 12, 2)])
    assert not isinstance(Resolver(home).resolve("the whole power strip"), Found)


@pytest.mark.parametrize(
    ("phrase", "nodes"),
    [("both lampe", [2, 3]), ("both of the lampe", [2, 3]), ("all lampe", [2, 3]), ("both schirm", [])],
)
def test_both_of_one_name_are_meant_by_both(phrase: str, nodes: list[int]) -> None:
    lamps = [Device("Lampe", "Wohnzimmer", "dimmer", node_id=node) for node in (2, 3)]
    more = [Device("Schirm", f"Raum {node}", "dimmer", node_id=node) for node in (4, 5, 6)]
    found = Resolver(build_home([*lamps, *more])).resolve(phrase)
    assert ([one.node_id for one in found.devices] if isinstance(found, Found) else []) == nodes

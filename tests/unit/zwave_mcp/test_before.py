"""What was before an act: the calls in `before` put it back, and `undo` says what cannot be."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.home_talk import simulated, states
from tests.fakes.scripted_home import ScriptedHome, dimmer, switch

from zwave_mcp.home import Node, Scene, SceneValue, Value, ValueId
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

NOT_UNIT = "a simulated home at its own pace"


def device(name: str, action: str, **more: Any) -> dict[str, Any]:
    return {"name": "control_zwave_device", "args": {"deviceName": name, "action": action, **more}}


async def act(
    node: Node, tool: str = "control_zwave_device", *, home: ScriptedHome | None = None, **args: Any
) -> Result:
    home = home or ScriptedHome(node)
    return await Tools(home, allow_unlock=True).call(tool, {"deviceName": node.name, **args})


async def test_a_scene_says_how_its_devices_were() -> None:
    home = ScriptedHome(switch(2, "Desk Lamp", on=True), dimmer(3, "Lamp", level=10), colour(4, "Strip"))
    values = [(ValueId(2, 37, 0, "targetValue"), False), (ValueId(3, 38, 0, "targetValue"), 0)]
    values.append((ValueId(4, 51, 0, "targetColor"), 1))
    home.known_scenes = (Scene(1, "Dark", tuple(SceneValue(*value) for value in values)),)
    home.polled = [0]

    answer = await Tools(home).call("activate_zwave_scene", {"sceneName": "dark"})

    assert answer.structured["before"] == [device("Desk Lamp", "on"), device("Lamp", "dim", level=10)]
    assert answer.structured["undo"] == "It is not known which colour the Strip had before."


def colour(node: int, name: str) -> Node:
    plain = dimmer(node, name)
    values = (*plain.values, Value(ValueId(node, 51, 0, "targetColor"), None, writeable=True))
    return Node(node, name, status="Alive", values=values)


# --- whatever is done, putting everything back in reverse order leaves the home as it was

HOME = """
home.radio_seconds = 0
device = [
  { name = "Switch", kind = "switch" },
  { name = "Plug", kind = "plug", state = "on" },
  { name = "Dimmer", kind = "dimmer", state = 35 },
  { name = "Blind", kind = "blind", state = 71 },
  { name = "Light", kind = "light", color = "#ff7800c837", state = 60 },
  { name = "Front Door", kind = "lock", state = "locked", supervised = true },
  { name = "Garage Door", kind = "garage_door", state = "closed" },
  { name = "Thermostat", kind = "thermostat", temperature = 20, supervised = true },
]
[[scene]]
name = "Evening"
set = [
  { device = "Switch", state = "on" }, { device = "Dimmer", state = 10 },
  { device = "Blind", state = "closed" }, { device = "Front Door", state = "locked" },
]
"""


def act_on(tool: str, name: str, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(tool), st.fixed_dictionaries({"deviceName": st.just(name), **given}))


SWITCHED, MOVED = st.sampled_from(["on", "off", "toggle"]), st.sampled_from(["open", "close", "toggle"])
ACTS = st.one_of(
    *(act_on("control_zwave_device", name, action=SWITCHED) for name in ("Switch", "Plug", "Dimmer")),
    *(act_on("control_zwave_device", name, action=MOVED) for name in ("Blind", "Garage Door")),
    *(
        act_on("control_zwave_device", name, action=st.just("dim"), level=st.integers(0, 100))
        for name in ("Dimmer", "Blind")
    ),
    act_on("control_zwave_lock", "Front Door", action=st.sampled_from(["lock", "unlock"])),
    act_on(
        "set_zwave_thermostat",
        "Thermostat",
        mode=st.sampled_from([None, "off", "heat", "cool", "auto"]),
        temperature=st.none() | st.integers(36, 60).map(lambda half: half / 2),
    ),
    act_on("set_zwave_color", "Light", color=st.just("blue"), brightness=st.just(20)),
    act_on("set_zwave_color", "Light", temperature=st.just(5000)),
    st.just(("activate_zwave_scene", {"sceneName": "Evening"})),
)


@settings(max_examples=40, deadline=None)
@given(acts=st.lists(ACTS, max_size=8))
async def test_undoing_all_of_it_leaves_the_home_as_it_was(acts: list[tuple[str, dict[str, Any]]]) -> None:
    home = simulated(HOME)
    tools = Tools(home, allow_unlock=True)
    initial = await states(home)

    done = [(await tools.call(*item)).structured.get("before", []) for item in acts]
    for before in reversed(done):
        for call in before:
            answer = await tools.call(call["name"], call["args"])
            assert not answer.is_error, answer.sentence

    assert await states(home) == initial

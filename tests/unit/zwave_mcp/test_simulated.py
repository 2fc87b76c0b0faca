import asyncio
from pathlib import Path

import pytest
import yaml
from tests.fakes.scripted_home import QUICK, devices_of

from zwave_mcp.devices import Device
from zwave_mcp.home import ValueId
from zwave_mcp.simulated.file import BadHome, parse_home, read_home
from zwave_mcp.simulated.home import SimulatedHome, StateFile
from zwave_mcp.states import state_text
from zwave_mcp.tools import Tools

NOT_UNIT = "a simulated home at its own pace"
DATA = yaml.safe_load(Path(__file__).with_name("settings.yaml").read_text(encoding="utf-8"))

FAULTY = """
home.radio_seconds = 0.001
device = [
  { name = "Dead Lamp", kind = "switch", faults = ["dead"] },
  { name = "Sleepy Lamp", kind = "switch", faults = ["asleep"] },
  { name = "Lying Lamp", kind = "switch", supervised = false, faults = ["optimistic"] },
  { name = "Slow Lamp", kind = "switch", slow_seconds = 0.2 },
  { name = "Lying Thermostat", kind = "thermostat", faults = ["optimistic"] },
]
"""


@pytest.fixture
def faulty(tmp_path: Path) -> SimulatedHome:
    file = tmp_path / "home.toml"
    file.write_text(FAULTY, encoding="utf-8")
    return SimulatedHome(file, tmp_path / "state.json")


async def outcome(home: SimulatedHome, tool: str, **arguments) -> tuple[str, str]:
    answer = await Tools(home, allow_unlock=True).call(tool, arguments)
    return answer.structured["outcome"], answer.sentence


def test_the_home_that_comes_with_it_is_the_promised_one(tmp_path: Path):
    home = SimulatedHome(None, None)
    devices = devices_of(asyncio.run(home.snapshot()))
    assert [[device.room, device.name, device.kind] for device in devices] == DATA["default"]
    assert [device.name for device in devices if not device.available] == ["Space Heater"]
    assert [device.name for device in devices if device.node.asleep] == ["Climate Sensor"]
    assert [device.name for device in devices if device.battery_low] == ["Back Door"]
    spec = read_home(None)
    assert spec.home.allow_unlock
    assert all(device.move_seconds <= 2 for device in spec.devices)


@pytest.mark.slow
async def test_faults_give_the_outcomes_of_a_real_home(faulty: SimulatedHome):
    faulty.timing = QUICK
    outcomes = {"sleepy": "queued", "slow": "confirmed", "lying": "failed", "dead": "unreachable"}
    for name, expected in outcomes.items():
        answer = await outcome(faulty, "control_zwave_device", deviceName=f"{name} lamp", action="on")
        assert answer[0] == expected, name
    lying = await outcome(faulty, "set_zwave_thermostat", deviceName="lying thermostat", temperature=25)
    assert lying[0] == "failed"


async def named(home: SimulatedHome, name: str) -> Device:
    return next(device for device in devices_of(await home.snapshot()) if device.name == name)


@pytest.mark.parametrize("fault", ["jams", "optimistic"])
async def test_what_a_fault_did_ends_with_its_start(tmp_path: Path, fault: str):
    moment = [1_800_000_000.0]
    state = tmp_path / "state.json"

    def begin(faults: str = "") -> SimulatedHome:
        door = f"[[device]]\nname = 'Front Door'\nkind = 'lock'\nstate = 'locked'\nfaults = [{faults}]"
        return SimulatedHome(parse_home(door), state, clock=lambda: moment[0])

    async def seen(home: SimulatedHome) -> str:
        moment[0] += 60
        return state_text(await named(home, "Front Door"))

    ill = begin(f"'{fault}'")
    bolt = (await named(ill, "Front Door")).target
    assert bolt is not None
    await ill.write(bolt, 0)
    assert await seen(ill) == ("jammed" if fault == "jams" else "locked")
    well = begin()
    assert await seen(well) == "locked"
    await well.write(bolt, 0)
    # The home is shared: what happened to it since counts for the server with the fault as well.
    assert (await seen(well), await seen(ill)) == ("unlocked", "unlocked")


async def test_state_is_kept_and_shared(tmp_path: Path):
    item, two = (SimulatedHome(None, tmp_path / "state.json") for _ in range(2))
    await two.snapshot()
    await outcome(item, "control_zwave_device", deviceName="floor lamp", action="dim", level=40)
    await outcome(two, "control_zwave_device", deviceName="desk lamp", action="on")
    for home in (item, two, SimulatedHome(None, tmp_path / "state.json")):
        states = {
            device.name: device.state_value.value
            for device in devices_of(await home.snapshot())
            if device.state_value
        }
        assert (states["Floor Lamp"], states["Desk Lamp"]) == (40, True)


async def test_the_room_follows_the_thermostat(tmp_path: Path):
    moment = [1_800_000_000.0]
    home = SimulatedHome(None, None, clock=lambda: moment[0])
    await outcome(home, "set_zwave_thermostat", deviceName="thermostat", temperature=24)
    moment[0] += 60
    _, warming = await outcome(home, "get_device_sensor_data", deviceName="thermostat")
    assert "temperature 20.2 degrees" in warming
    moment[0] += 86_400
    _, warm = await outcome(home, "get_device_sensor_data", deviceName="thermostat")
    assert "temperature 24 degrees" in warm


async def test_a_damaged_state_file_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    file = tmp_path / "state.json"
    file.write_text("no database" * 100, encoding="utf-8")
    done, _ = await outcome(
        SimulatedHome(None, file), "control_zwave_device", deviceName="floor lamp", action="on"
    )
    assert done == "confirmed"
    assert "simulated state is unreadable" in caplog.text
    assert StateFile(file).read()


async def test_a_home_works_where_nothing_can_be_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    home = SimulatedHome(None, blocked / "state.json")
    done, _ = await outcome(home, "control_zwave_device", deviceName="floor lamp", action="on")
    assert done == "confirmed"
    assert (await outcome(home, "get_zwave_device", deviceName="floor lamp"))[1] == "The Floor Lamp is on."
    assert caplog.text.count("simulated state is not kept") == 1


@pytest.mark.parametrize(
    ("value_id", "value", "status"),
    [
        (ValueId(99, 37, 0, "targetValue"), True, 2),
        (ValueId(10, 49, 0, "Air temperature"), 3, 4),
        (ValueId(3, 38, 0, "targetValue"), 40, 255),
        (ValueId(4, 37, 0, "targetValue"), True, 254),
        (ValueId(8, 38, 0, "targetValue"), 0, 1),
        (ValueId(8, 38, 0, "Down"), True, 1),
    ],
)
async def test_writes_give_the_statuses_of_a_real_driver(value_id: ValueId, value: object, status: int):
    assert (await SimulatedHome(None, None).write(value_id, value)).status == status


def test_a_wrong_home_file_says_where_and_why():
    for text, reply in DATA["homes"]:
        with pytest.raises(BadHome) as caught:
            parse_home(text, "my-home.toml")
        assert reply in str(caught.value), text
        assert "my-home.toml" in str(caught.value)

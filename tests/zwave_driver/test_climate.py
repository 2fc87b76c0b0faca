"""Thermostat and meters with the real driver: which setpoint applies, and each measure by its own name."""

import pytest
import pytest_asyncio
from tests.fakes.waiting import until

pytestmark = [pytest.mark.zwave_driver, pytest.mark.asyncio(loop_scope="package")]

THERMOSTAT, WASHER = 12, 10
IDLE, HEATING, COOLING = 0, 1, 2  # what it does now
AUTO = 3
KWH, WATTS = 0, 2  # scales of a meter


async def set_to(server, **wish):
    return await server.call("set_zwave_thermostat", deviceName="thermostat", **wish)


async def setpoints(driver) -> tuple[float, float]:
    """As the device has them."""
    heating, cooling = [await driver.held(THERMOSTAT, f"ThermostatSetpoint_setpoint_{key}") for key in (1, 2)]
    return heating, cooling


async def is_doing(driver, server, state: int, reply: str) -> None:
    await driver.reports(THERMOSTAT, operating=state)

    async def is_told() -> bool:
        looked = await server.call("get_zwave_device", deviceName="thermostat")
        return bool(looked.structured["operating"] == reply)

    await until(is_told)


@pytest_asyncio.fixture(loop_scope="package")
async def auto(driver, server):
    """In auto mode, kept between 20 and 25 degrees, and resting."""
    for mode, degrees in (("heat", 20), ("cool", 25)):
        assert (await set_to(server, mode=mode, temperature=degrees)).outcome == "confirmed"
    answer = await set_to(server, mode="auto")
    assert (answer.outcome, answer.text) == ("confirmed", "The Thermostat is now in auto mode.")
    await is_doing(driver, server, IDLE, "idle")


@pytest.mark.usefixtures("auto")
async def test_in_auto_mode_both_setpoints_are_told(driver, server):
    looked = await server.call("get_zwave_device", deviceName="thermostat")
    assert looked.structured["state"] == "auto, set to 20 °C for heating and 25 °C for cooling, now 21.4 °C"
    assert await driver.held(THERMOSTAT, "ThermostatMode_mode") == AUTO


@pytest.mark.usefixtures("auto")
async def test_in_auto_mode_the_setpoint_that_applies_is_changed_and_named(driver, server):
    near = await set_to(server, temperature=22)
    assert near.text == "The Thermostat is now set to 22 degrees Celsius for heating."
    assert await setpoints(driver) == (22, 25)

    await is_doing(driver, server, COOLING, "cooling")
    at_work = await set_to(server, temperature=23)
    assert at_work.text == "The Thermostat is now set to 23 degrees Celsius for cooling."
    assert await setpoints(driver) == (22, 23)

    named = await set_to(server, temperature=19, setpoint="heating")
    assert named.text == "The Thermostat is now set to 19 degrees Celsius for heating."
    assert await setpoints(driver) == (19, 23)

    [call] = named.structured["before"]
    assert (await server.call(call["name"], **call["args"])).outcome == "confirmed"
    assert await setpoints(driver) == (22, 23)


@pytest.mark.usefixtures("auto")
async def test_each_mode_has_its_own_setpoint_and_off_keeps_both(driver, server):
    warm = await set_to(server, mode="heat", temperature=21.5)
    assert warm.text == "The Thermostat is now in heat mode and set to 21.5 degrees Celsius."
    assert warm.structured["state"] == "heat, set to 21.5 °C, now 21.4 °C"
    assert (await set_to(server, mode="off")).structured["state"] == "off, now 21.4 °C"
    assert await setpoints(driver) == (21.5, 25)


async def test_power_energy_voltage_and_current_have_their_own_names(server):
    answer = await server.call("get_device_sensor_data", deviceName="washing machine")
    readings = {item["label"]: (item["value"], item["unit"]) for item in answer.structured["readings"]}
    assert readings == {
        "Energy": (37.125, "kWh"),
        "Power": (412.5, "W"),
        "Voltage": (229.8, "V"),
        "Current": (1.795, "A"),
    }
    assert answer.text.startswith(
        "The Washing Machine in the Laundry: energy 37.12 kilowatt hours, power 412.5"
    )
    listed = await server.call("list_zwave_devices", filter="washing machine")
    [washer] = listed.structured["devices"]
    assert (washer["kind"], washer["state"]) == ("plug", "off")
    assert {item.split()[0] for item in washer["readings"]} == {"energy", "power", "voltage", "current"}


async def test_what_is_used_is_counted_from_the_meter_and_not_from_its_power(driver, server):
    async def total() -> float:
        used = await server.call("get_zwave_energy", deviceName="washing machine")
        entries = used.structured.get("energy") or [{"kwh": 0.0}]
        return float(entries[0]["kwh"])

    await server.call("list_zwave_devices")
    before = await total()
    await driver.reports(WASHER, meter=[WATTS, 900.0])
    await driver.reports(WASHER, meter=[KWH, 38.125])

    async def has_counted() -> bool:
        await server.call("list_zwave_devices")
        return abs(await total() - before - 1.0) < 0.001

    await until(has_counted)
    reading = await server.call("get_device_sensor_data", deviceName="washing machine")
    values = {item["label"]: item["value"] for item in reading.structured["readings"]}
    assert (values["Power"], values["Energy"]) == (900.0, 38.125)

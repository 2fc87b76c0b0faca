"""Energy by device and day: counted exactly where it can be, and honest where it cannot."""

from datetime import date, datetime
from pathlib import Path

import pytest
from tests.unit.zwave_mcp.care.conftest import House

from zwave_mcp.care import Day, MeterDays, counts_energy, day_of, midnight
from zwave_mcp.home import Value, ValueId

MONDAY, TUESDAY = date(2026, 11, 16), date(2026, 11, 17)


def at(day: date, hour: int, minute: int = 0) -> float:
    return datetime(day.year, day.month, day.day, hour, minute).timestamp()


def counted(*readings: tuple[float, float], file: Path | None = None) -> MeterDays:
    days = MeterDays(file)
    for when, kwh in readings:
        days.add([("m", kwh, when)])
    return days


def day(days: MeterDays, wanted: date) -> Day | None:
    return days.on(wanted).get("m")


@pytest.mark.parametrize(
    ("readings", "wanted", "kwh", "since"),
    [
        # Within a day the meter itself has counted what was not seen.
        ([(at(MONDAY, 9), 5.0), (at(MONDAY, 21), 7.5)], MONDAY, 2.5, at(MONDAY, 9)),
        # Over midnight, what is near belongs to the new day; what is not is counted from the first reading.
        ([(at(MONDAY, 23, 50), 5.0), (at(TUESDAY, 0, 10), 6.0)], TUESDAY, 1.0, midnight(TUESDAY)),
        ([(at(MONDAY, 18), 5.0), (at(TUESDAY, 7), 5.8), (at(TUESDAY, 9), 6.0)], TUESDAY, 0.2, at(TUESDAY, 7)),
        # A meter that began anew; old and doubled readings.
        ([(at(MONDAY, 9), 50.0), (at(MONDAY, 10), 51.0), (at(MONDAY, 11), 0.5)], MONDAY, 1.5, at(MONDAY, 9)),
        ([(at(MONDAY, 9), 5.0), (at(MONDAY, 10), 6.0), (at(MONDAY, 9), 5.0)], MONDAY, 1.0, at(MONDAY, 9)),
    ],
)
def test_a_day_counts_what_its_meter_counted(
    readings: list[tuple[float, float]], wanted: date, kwh: float, since: float
) -> None:
    counting = day(counted(*readings), wanted)
    assert counting is not None
    assert (round(counting.kwh, 6), counting.since) == (kwh, since)


def test_two_servers_of_one_home_count_once_and_a_restart_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "energy"
    item, other = MeterDays(file), MeterDays(file)
    for when, kwh in ((at(MONDAY, 9), 5.0), (at(MONDAY, 10), 6.0)):
        item.add([("m", kwh, when)])
        other.add([("m", kwh, when)])
    item.close()
    other.close()
    matches = day(counted((at(MONDAY, 11), 7.0), file=file), MONDAY)
    assert matches is not None
    assert matches.kwh == 2.0
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_that_cannot_be_used_is_told_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "energy"
    file.write_text("this is no database, and long enough to be sure of it" * 20)
    days = MeterDays(file)
    for _ in range(3):
        days.add([("m", 1.0, at(MONDAY, 9))])
    assert days.on(MONDAY) == {}
    assert [record.getMessage() for record in caplog.records] == ["energy is not kept"]


async def test_a_dryer_that_ran_for_an_hour(house: House) -> None:
    await house("control_zwave_device", deviceName="dryer", action="on")
    house.now += 3700
    outcome, sentence, facts = await house("get_zwave_energy", deviceName="dryer")

    assert outcome == "confirmed"
    assert sentence.startswith("The Dryer used 2.0")
    assert "counted from" in sentence
    (entry,) = facts["energy"]
    assert 1.9 < entry["kwh"] < 2.1
    _, sentence, facts = await house("get_zwave_energy")
    assert sentence.startswith("Today 2.0")
    assert "Dryer 2.0" in sentence


async def test_what_is_not_measured_is_said_so(house: House) -> None:
    assert (await house("get_zwave_energy", deviceName="coffee maker"))[:2] == (
        "unsupported",
        "The Coffee Maker only tells its power; how much it uses is not counted.",
    )
    outcome, sentence, _ = await house("get_zwave_energy", deviceName="dryer", day="yesterday")
    assert outcome == "unconfirmed"
    assert sentence == "Nothing was measured of the Dryer yesterday."
    assert (await house("get_zwave_energy", day="tomorrow"))[0] == "invalid"


def test_days_that_have_been() -> None:
    days = {"today": TUESDAY, "yesterday": MONDAY, "Monday": MONDAY, "tuesday": date(2026, 11, 10)}
    days |= {"2026-11-16": MONDAY}
    none = ("2026-11-18", "2026-02-30", "tomorrow", "")
    assert {word: day_of(word, TUESDAY) for word in (*days, *none)} == {**days, **dict.fromkeys(none)}


def test_only_consumed_kilowatt_hours_count() -> None:
    keys = (65537, 66049, 131073, 65538, "value", None)
    assert [key for key in keys if counts_energy(Value(ValueId(3, 50, 0, "value", key), 1.0))] == [65537]

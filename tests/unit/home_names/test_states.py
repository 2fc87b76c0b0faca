"""States are written, read and said in one way."""

import pytest

from home_names.phrases import listed, with_article
from home_names.states import degrees_of, dimmed, level_of, opened, spoken_state


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("on, 40 %", "on at 40 percent"),
        ("40 % open", "40 percent open"),
        ("21.4 °C, 46 % humidity", "21.4 degrees Celsius, 46 percent humidity"),
        ("heat, set to 20 °C, now 19.5 °C", "heating, set to 20 degrees, now 19.5 degrees"),
        ("heat", "heating"),
        ("heater", "heater"),
        ("12.5 W", "12.5 watts"),
        ("closed", "closed"),
        ("2 Wards", "2 Wards"),
    ],
)
def test_a_state_is_said(state: str, said: str) -> None:
    assert spoken_state(state) == said


@pytest.mark.parametrize("percent", [0, 1, 40, 99, 100])
def test_a_level_that_is_written_can_be_read(percent: int) -> None:
    assert level_of(dimmed(percent)) == percent
    if percent not in (0, 100):
        assert level_of(opened(percent)) == percent


def test_what_a_thermostat_is_set_to_is_read() -> None:
    assert degrees_of("heat, set to 20.5 °C, now 19 °C") == 20.5
    assert degrees_of("off") is None


def test_names_get_an_article_where_they_need_one() -> None:
    assert with_article("Floor Lamp") == "the Floor Lamp"
    assert with_article("Node 17") == "Node 17"
    assert with_article("Dad's Lamp") == "Dad's Lamp"
    assert listed(["one", "two", "three"], "or") == "one, two or three"

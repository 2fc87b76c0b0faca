from hypothesis import given, settings
from hypothesis import strategies as st

from zwave_mcp.devices import to_level, to_percent


@settings(deadline=None)
@given(st.integers(0, 100))
def test_what_was_asked_for_is_what_is_said(percent: int):
    back = to_percent(to_level(percent))
    assert back == percent or (percent, back) == (51, 50)  # 101 percents share 100 levels


@settings(deadline=None)
@given(st.integers(1, 100))
def test_a_light_that_is_on_never_gets_the_level_of_off(percent: int):
    assert 1 <= to_level(percent) <= 99


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6))
def test_any_level_a_device_reports_is_a_percentage(level: float):
    assert 0 <= to_percent(level) <= 100

"""How a device is, by what it says."""

import pytest

from voice_gateway.integrations.device import Device, has_state


@pytest.mark.parametrize(
    ("said", "state", "so"),
    [
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
    ],
)
def test_each_part_of_a_state_is_heard(said: str, state: str, so: bool) -> None:
    assert has_state(Device("Window", "Attic", "sensor", said), state) is so

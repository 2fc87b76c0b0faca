"""What the parts of a device's state mean."""

from voice_gateway.integrations.device import Device, has_state


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

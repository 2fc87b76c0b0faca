"""Which events of the home are told aloud."""

from typing import Literal, get_args

from pydantic import Field

from voice_gateway.config.section import Section

Spoken = Literal[
    "doorbell", "button", "door", "lock", "keypad", "battery", "tamper", "intrusion", "emergency", "power",
    "siren", "smoke_test", "network",
]  # fmt: skip
SPOKEN: tuple[str, ...] = get_args(Spoken)


class EventSettings(Section):
    """What happens in the home."""

    speak: tuple[Spoken, ...] = Field(
        ("doorbell", "tamper", "intrusion", "emergency", "network"),
        description=f"events told aloud, of {', '.join(SPOKEN)}; smoke, gas, heat and water always are",
    )

"""The target of a call of a home: what it would touch, and what it would do with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from home_names.kinds import HomeDevice
from voice_gateway.turn import ToolCall, ToolTraits

LOOK: Final = "look"  # the action of a call that changes nothing
LIST: Final = "list"  # … that changes a list, and no device
WARMTH: Final = "set"  # … that sets a heating


@dataclass(frozen=True, slots=True)
class Reach:
    """What a call would reach. An empty one means "unknown", which is judged as the riskiest."""

    devices: tuple[HomeDevice, ...] = ()
    action: str = ""  # as in `integrations.source.Act`, or LOOK
    how: str = ""  # the value in words: "to 40 percent"
    said: str = ""  # the words by which the call names what it reaches
    scene: str = ""  # it starts this scene or script
    unseen: bool = False  # … whose contents are not known


# The target of a call; None: it is no call of a home, and is judged by what its tool says of itself.
Reaches = Callable[[ToolCall, ToolTraits], Reach | None]

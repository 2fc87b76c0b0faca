"""What a call of a home would touch, and what it would do with it: permission is judged by this."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from home_words.kinds import HomeDevice
from voice_gateway.turn import ToolCall, ToolTraits

LOOK: Final = "look"  # the action of a call that changes nothing
LIST: Final = "list"  # … that changes what people have written down, and no device
WARMTH: Final = "set"  # … that sets a heating, and can do nothing else


@dataclass(frozen=True, slots=True)
class Reach:
    """`Reach()` is a call of which nobody knows what it would do: the riskiest."""

    devices: tuple[HomeDevice, ...] = ()
    action: str = ""  # as in `homes.source.Act`, or LOOK
    how: str = ""  # its value as a person says it: "to 40 percent"
    said: str = ""  # the words by which the call names what it reaches
    scene: str = ""  # it starts this scene or script
    unseen: bool = False  # … and nobody can look into that


# Of a call; None: it is no call of a home, and judged by what its tool says of itself.
Reaches = Callable[[ToolCall, ToolTraits], Reach | None]

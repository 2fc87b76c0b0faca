"""The interface of a home: its devices, and the call that does what is wanted of one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voice_gateway.integrations.device import Device
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import tool_of
from voice_gateway.tools.permission.target import Reach

if TYPE_CHECKING:
    from voice_gateway.integrations.home import Home


@dataclass(frozen=True, slots=True)
class Act:
    """What is wanted of one device, independent of its source.

    Actions: on off toggle dim open close stop lock unlock set colour kelvin speed ring volume pause play next
    previous mute unmute start dock search clean. A cover's position is "dim" with its level, 0 is closed.
    """

    action: str
    level: int | None = None  # percent: light, a cover's position, a fan's speed, a volume
    temperature: float | None = None  # of "set"
    unit: str = ""  # of the temperature: "C", "F", or "" as the home counts
    setpoint: str = ""  # of "set": heating or cooling, where both are kept at once
    mode: str = ""  # of "set": heat, cool, auto, eco, off
    colour: str = ""  # an English name, without spaces as CSS has them: "red", "lightblue"
    kelvin: int | None = None
    text: str = ""  # of "search": what shall be played; of "clean": the room
    tone: str = ""  # of "ring", as the device calls it

    @property
    def said(self) -> dict[str, object]:
        """Only the fields with a value."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) not in (None, "")}


def degrees_in(unit: str, degrees: float, given: str) -> float:
    """A temperature in "C" or "F"; `given` is the unit that it has, or "" for the same."""
    if not given or given == unit:
        return degrees
    return degrees * 1.8 + 32 if unit == "F" else (degrees - 32) / 1.8


@dataclass(frozen=True, slots=True)
class Call:
    """A call to be: the tool by the name under which it is offered here."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """All that a source listed of its home at one time."""

    devices: tuple[Device, ...] = ()
    scenes: tuple[str, ...] = ()  # and scripts


class HomeSource(ABC):
    """One server that has devices; code above does not know which sort of server."""

    polled = False  # it does not announce changes, so it is read every `home.poll_seconds`
    stranger = False  # it is not trusted: a model does not read its devices' names in every turn

    def __init__(self, name: str = "", executor: ToolExecutor | None = None) -> None:
        self.name, self._executor = name, executor  # its server's name, as in the settings

    def offered(self, tool: str) -> str:
        """The name under which this server's tool is called: two may have a tool of one name."""
        tools = self._executor.tools if self._executor is not None else None
        return (tools and tool_of(tools, self.name, tool)) or tool

    @abstractmethod
    async def read(self) -> Listing | str:
        """The devices, or what is wrong in plain words; "" when it is not there."""

    @abstractmethod
    def act(self, device: Device, wish: Act, home: "Home") -> Call | str:
        """The call that does it, or a sentence that says why there is none."""

    @abstractmethod
    def look(self, device: Device | None, home: "Home", measure: str = "") -> Call:
        """A fresh look at one device, or at all there are; `measure` is what shall be read there.

        The outcome's facts tell of that device alone, or they have `devices`, a list for `read_devices`.
        """

    @abstractmethod
    def look_in(self, room: str) -> Call:
        """A fresh look at what is measured in a room. The facts have `readings`, or `devices` as above."""

    @abstractmethod
    def scene(self, name: str) -> Call | None:
        """The call that starts it; None: it has no scenes."""

    @abstractmethod
    def reach(self, tool: str, args: Mapping[str, Any]) -> Reach | None:
        """What a call would touch; `tool` by its own name. None: unknown, so it is risky."""

    def on_floor(self, floor: str, action: str, kind: str) -> Call | None:
        """The call that switches all lights or fans of a floor that only the server knows; None: it takes
        none."""
        return None

    def list_calls(self, action: str, name: str, items: Sequence[str]) -> tuple[Call, ...] | str | None:
        """The calls that "add", "complete" or "read" something on its list of that name, or a sentence why
        there are none. None: it has no such list."""
        return None

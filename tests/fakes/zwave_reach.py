"""What calls of Z-Wave tools reach in a home that is a function from names to devices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from home_names.kinds import HomeDevice
from voice_gateway.integrations.zwave import reach_of
from voice_gateway.tools.permission.target import Reach, Reaches
from voice_gateway.turn import ToolCall, ToolTraits


@dataclass
class Device:
    name: str
    kind: str
    room: str = ""
    node_id: int | None = None


def zwave_reaches(devices_named: Callable[[str], Sequence[HomeDevice]]) -> Reaches:
    """The devices are those of the server that has the bare names; of another home nobody knows any."""

    def reach(call: ToolCall, traits: ToolTraits) -> Reach | None:
        name = traits.original_name or call.name
        args = call.args if isinstance(call.args, Mapping) else {}
        known = devices_named if call.name == name else lambda _name: ()
        return reach_of(name, args, known, stranger=not traits.trusted)

    return reach

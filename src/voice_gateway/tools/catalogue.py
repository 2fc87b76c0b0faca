"""The tools as `voice-gateway tools` shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voice_gateway.tools.call_plan.signature import signature
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import qualified_name, schema_of, traits


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool, for a person or for a script."""

    name: str
    qualified_name: str
    source: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool
    offered: bool
    why_not: str = ""

    @property
    def signature(self) -> str:
        """The parameters without the name, which stands in its own column."""
        return signature("", self.parameters).removeprefix("(").removesuffix(")")

    @property
    def summary(self) -> str:
        """The first sentence; `--json` has it all."""
        first = self.description.strip().split("\n")[0]
        return first.split(". ")[0].rstrip(".") + "."

    def to_json(self) -> dict[str, Any]:
        """The shape that `tools --json` promises."""
        return {
            "name": self.name,
            "qualified_name": self.qualified_name,
            "source": self.source,
            "description": self.description,
            "parameters": dict(self.parameters),
            "read_only": self.read_only,
            "offered": self.offered,
        }


def entries(manager: ToolManager, left_out: Mapping[str, str]) -> list[ToolEntry]:
    """`left_out` says which tools the model does not see, and why."""
    return [
        ToolEntry(
            name=manager.offered_name(tool),
            qualified_name=qualified_name(tool),
            source=traits(tool).source,
            description=tool.description,
            parameters=schema_of(tool),
            read_only=traits(tool).read_only,
            offered=manager.offered_name(tool) not in left_out,
            why_not=left_out.get(manager.offered_name(tool), ""),
        )
        for tool in manager.all()
    ]

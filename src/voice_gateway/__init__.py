"""A local-first voice gateway: it acts through tools and never claims what it did not do."""

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voice_gateway.mcp_client.servers import McpServers as McpServers
    from voice_gateway.tools.executor import ToolExecutor as ToolExecutor
    from voice_gateway.tools.manager import ToolManager as ToolManager
    from voice_gateway.turn import ALLOWED as ALLOWED
    from voice_gateway.turn import Decision as Decision
    from voice_gateway.turn import ToolCall as ToolCall
    from voice_gateway.turn import ToolOutcome as ToolOutcome
    from voice_gateway.turn import ToolTraits as ToolTraits
    from voice_gateway.turn import Verdict as Verdict

# onnxruntime reports its use to its maker and writes an identity into the home folder, from the moment it is
# imported. This is the one place that surely comes before that; programs that we start inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__version__ = "0.2.0"

_HOMES = {
    "McpServers": "mcp_client.servers",
    "ToolExecutor": "tools.executor",
    "ToolManager": "tools.manager",
    **dict.fromkeys(("ALLOWED", "Decision", "ToolCall", "ToolOutcome", "ToolTraits", "Verdict"), "turn"),
}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (names)


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used: the program itself starts without them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)

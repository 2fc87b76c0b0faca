"""The tools of a gateway as other commands see them: in plain data, so that the running one can be asked."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from voice_gateway.tools.executor import unknown_tool
from voice_gateway.tools.traits import qualified_name, schema_of, traits

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway


async def tool_request(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    """All tools, or the named one."""
    tools = gateway.tools.all()
    if asked["action"] == "show":
        found = gateway.tools.find(str(asked["name"]))
        if found is None:
            return {"unknown": unknown_tool(str(asked["name"]), gateway.tools)}
        tools = [found]
    reasons = gateway.left_out()
    silent = [status.name for status in gateway.link.status() if status.state != "connected"]
    return {"tools": [_record(gateway, tool, reasons) for tool in tools], "silent": silent}


def _record(gateway: "Gateway", tool: Any, reasons: Mapping[str, str]) -> dict[str, Any]:
    """`tool` is the shape that `tools --json` promises for each; the rest is for people."""
    name, known = gateway.tools.offered_name(tool), traits(tool)
    reason = reasons.get(name)
    return {
        "tool": {
            "name": name,
            "qualified_name": qualified_name(tool),
            "source": known.source,
            "description": tool.description,
            "parameters": schema_of(tool),
            "read_only": known.read_only,
            "offered": reason is None,
        },
        "own_name": known.original_name or tool.name,
        "title": known.title,
        "summary": known.summary,
        "origin": _origin(gateway, tool),
        "left_out": reason,
    }


def _origin(gateway: "Gateway", tool: Any) -> str:
    source = traits(tool).source
    if source == "builtin":
        return "the gateway itself"
    if origin := traits(tool).origin:
        return f"{origin}{', which says nothing of itself' if not traits(tool).trusted else ''}"
    simulated = [status.name for status in gateway.link.status() if status.simulated]
    about = ", simulated home" if source in simulated else ""
    return f"the server {source}{about}{', not trusted' if not traits(tool).trusted else ''}"

"""What is answered to a line that is no message: the SDK drops it, and a client would wait for ever."""

import json
import re
from typing import Any, Final

from zwave_mcp.wire import TooLong

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_INVALID_PARAMS: Final = -32602
_DECODER: Final = json.JSONDecoder()
_KEY: Final = re.compile(r"\s*[{,]\s*(?=\")")
_COLON: Final = re.compile(r"\s*:\s*")
# Some clients write the id last: a brace that ends the line closes the message itself.
_LAST: Final = re.compile(r",\s*\"id\"\s*:\s*(-?\d{1,18}|\"[^\"\\]{0,200}\")\s*}\s*$")


def refusal(line: str | TooLong) -> str | None:
    """One line with the error, or None when the line is a message (or an answer, which gets none)."""
    if isinstance(line, TooLong):
        return _error(_INVALID_REQUEST, f"Longer than {line.limit} bytes", _id_of(line))
    from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)  # what the SDK does next
    except ValueError:
        return _why(line)
    # A request whose id it cannot use is a notification to the SDK: nothing would be done or said.
    if isinstance(message, JSONRPCNotification) and '"id"' in line and "id" in json.loads(line):
        return _error(_INVALID_REQUEST, "id must be a text or a whole number", None)
    return None


def _why(line: str) -> str | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(_PARSE_ERROR, "Not JSON", None)
    if not isinstance(message, dict):
        return _error(_INVALID_REQUEST, "Not a JSON-RPC message", None)
    if "result" in message or "error" in message:
        return None
    named = isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0"
    if named and not isinstance(message.get("params", {}), dict):
        return _error(_INVALID_PARAMS, "params must be an object", message.get("id"))
    return _error(_INVALID_REQUEST, "Not a JSON-RPC 2.0 request", message.get("id"))


def _error(code: int, text: str, request_id: Any) -> str:
    usable = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    error = {"code": code, "message": text}
    return json.dumps({"jsonrpc": "2.0", "id": request_id if usable else None, "error": error}) + "\n"


def _id_of(line: TooLong) -> Any:
    last = _LAST.search(line.tail)
    return json.loads(last[1]) if last else _early_id(line.head)


def _early_id(head: str) -> Any:
    """The members of the message itself, one after the other, as far as they are whole."""
    at = 0
    try:
        while (start := _KEY.match(head, at)) is not None:
            key, at = _DECODER.raw_decode(head, start.end())
            colon = _COLON.match(head, at)
            if colon is None:
                return None
            value, at = _DECODER.raw_decode(head, colon.end())
            if key == "id":
                return value
    except (ValueError, RecursionError):  # cut off here
        return None
    return None

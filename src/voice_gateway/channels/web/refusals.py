"""What a refused request gets, in the shape that its client reads."""

from typing import Any

# The reason stands in the log; a stranger does not learn what we are made of.
WENT_WRONG = "something went wrong in the gateway"


def refusal_json(path: str, status: int, reason: str, parameter: str | None = None) -> dict[str, Any]:
    """One sentence; below `/v1` as OpenAI's clients know it."""
    if not path.startswith("/v1/"):
        return {"error": reason}
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": reason, "type": kind, "param": parameter, "code": None}}

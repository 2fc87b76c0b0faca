"""Anything as JSON that every reader understands; the one place where the doors write it."""

import json
from typing import Any


def json_text(value: Any) -> str:
    """NaN and the infinities are no JSON, and half a character cannot be sent: null and an escape instead."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:  # rare, so looking for such a number in everything would be wasted
        known = json.loads(json.dumps(value, default=str), parse_constant=lambda _name: None)
        text = json.dumps(known, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()

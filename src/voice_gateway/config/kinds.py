"""Kinds of values that several settings share, each refused with one clear line."""

import json
import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

BUILTIN = "builtin"  # the source of the gateway's own tools: a server of that name would replace them all
_SERVER_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_))*")  # "__" parts server and tool


def checked_server_name(name: str) -> str:
    """Raises ValueError."""
    if name.casefold() == BUILTIN:
        raise ValueError(f'"{name}" is the name of the tools of the gateway itself: give the server another')
    if not _SERVER_NAME.fullmatch(name):
        shown = json.dumps(name[:60], ensure_ascii=False)
        raise ValueError(f"{shown} is no name for a server: use letters, digits, '-', '.' and single '_'")
    return name


def _checked_web_address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"must start with http:// or https://, such as http://{_host(url)}")
    if not urlsplit(url).hostname:
        raise ValueError("names no host")
    return url


def _host(url: str) -> str:
    """What may stand in the hint: an address can hold a login."""
    return url if re.fullmatch(r"[A-Za-z0-9.-]{1,60}(:\d{1,5})?", url) else "host:port"


WebAddress = Annotated[str, AfterValidator(_checked_web_address)]

"""What only the user knows: the `inputs` of another client's file, and where the answers are kept.

They are kept for one file at one place: the same name in another file is another question. In the system's
keyring if the package `keyring` is installed and finds one, else in a file for the user alone.
"""

import contextlib
import importlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_gateway.config.folders import data_folder
from voice_gateway.private_files import private_file

SERVICE = "voice-gateway"  # how the keyring calls it
KEYRING_SECONDS = 5.0  # a keyring that is locked may wait for a window that nobody sees
_LEAST_PRIORITY = 1  # the package's own measure: below it are those that keep nothing, or in plain text


@dataclass(frozen=True, slots=True)
class Input:
    """One question."""

    id: str
    description: str = ""
    password: bool = False
    default: str = ""
    options: tuple[tuple[str, str], ...] = ()  # what is shown, and what it stands for

    @property
    def question(self) -> str:
        return self.description or self.id


def read_inputs(table: Any) -> tuple[dict[str, Input], list[str]]:
    """By id, and what is to be said of those that cannot be used."""
    if not isinstance(table, list):
        return {}, [] if table is None else ["inputs: must be a list"]
    found: dict[str, Input] = {}
    notes: list[str] = []
    for place, one in enumerate(table):
        name = one.get("id") if isinstance(one, Mapping) else None
        if not isinstance(name, str) or not name:
            notes.append(f"inputs.{place}: has no id")
        else:
            found[name] = _input(name, one)
    return found, notes


def _input(name: str, one: Mapping[str, Any]) -> Input:
    options = one.get("options")
    return Input(
        name,
        description=_text(one.get("description")),
        password=one.get("password") is True,
        default=_text(one.get("default")),
        options=tuple(map(_option, options)) if isinstance(options, list) else (),
    )


def _option(option: Any) -> tuple[str, str]:
    if isinstance(option, Mapping):
        value = _text(option.get("value"))
        return _text(option.get("label")) or value, value
    return _text(option), _text(option)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


class Answers:
    """Those of one file. Raises OSError where they cannot be written."""

    def __init__(self, file: Path) -> None:
        self._place = os.path.realpath(file)

    def get(self, name: str) -> str | None:
        kept = _kept().get(self._place, {}).get(name)
        return kept if kept is not None else _keyring("get_password", self._key(name))

    def put(self, name: str, answer: str) -> str:
        """Where it is kept now."""
        if _keyring("set_password", self._key(name), answer) is not None:
            self._write(name, None)
            return "the system's keyring"
        self._write(name, answer)
        return str(_file())

    def forget(self, name: str) -> None:
        self._write(name, None)
        _keyring("delete_password", self._key(name))

    def _key(self, name: str) -> str:
        return f"{self._place}#{name}"

    def _write(self, name: str, answer: str | None) -> None:
        kept = _kept()
        own = {key: value for key, value in kept.get(self._place, {}).items() if key != name}
        if answer is not None:
            own[name] = answer
        elif own == kept.get(self._place, {}):
            return
        fresh = private_file(_file().with_name(f"{_file().name}.{os.getpid()}"))
        fresh.write_text(json.dumps({**kept, self._place: own}), encoding="utf-8")
        fresh.replace(_file())


def _file() -> Path:
    return data_folder() / "mcp-inputs.json"


def _kept() -> dict[str, dict[str, str]]:
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    tables = kept.items() if isinstance(kept, dict) else ()
    return {
        place: {name: answer for name, answer in table.items() if isinstance(answer, str)}
        for place, table in tables
        if isinstance(table, dict)
    }


def _keyring(action: str, *words: str) -> str | None:
    """What it answers; empty for an action that has no answer. None: there is none, or it refuses."""
    done: list[str | None] = []

    def act() -> None:
        with contextlib.suppress(Exception):  # foreign code, and each system has errors of its own
            keyring: Any = importlib.import_module("keyring")
            if keyring.get_keyring().priority >= _LEAST_PRIORITY:
                answer = getattr(keyring, action)(SERVICE, *words)
                done.append(answer if action == "get_password" else "")

    _within(KEYRING_SECONDS, act)
    return done[0] if done else None


def _within(seconds: float, act: Callable[[], None]) -> None:
    """A thread that hangs is left behind, and does not keep the program from ending."""
    thread = threading.Thread(target=act, daemon=True, name="keyring")
    thread.start()
    thread.join(seconds)

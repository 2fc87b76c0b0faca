"""Change the settings file: one key, or the whole file in an editor; always valid, always atomic."""

import contextlib
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from voice_gateway.config.environment import editor, is_list, split_list
from voice_gateway.config.load import load
from voice_gateway.config.tree import field_of, sections
from voice_gateway.errors import ConfigError
from voice_gateway.private_files import private_folder

PERMIT = "permission.permit."
_PLAIN = (bool, int, float)  # what TOML writes without quotes


def set_value(file: Path, name: str, text: str) -> None:
    """Write one setting, such as `brain.room` or `mcpServers.NAME.url`; comments are kept.

    An empty `permission.permit.NAME` is removed.

    Raises ConfigError, and leaves the file as it was, if the result is not valid.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    value = _value(name, text)
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
        table: Any = document
        *tables, key = name.split(".", 2)
        for part in tables:
            if part not in table:
                table[part] = tomlkit.table()
            table = table[part]
        if name.startswith(PERMIT) and not text:
            table.pop(key, None)
        else:
            table[key] = value
    except (TOMLKitError, TypeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be changed: {error}") from error
    with _replacement(file) as draft:
        draft.write_text(tomlkit.dumps(document), encoding="utf-8")
        _check(draft, file)


def edit(file: Path, again: Callable[[str], bool]) -> None:
    """Open a copy in the user's editor, and replace the file when the copy is valid.

    `again` gets the mistakes, and answers whether to edit once more.
    """
    with _replacement(file) as draft:
        draft.write_bytes(file.read_bytes() if file.exists() else commented_file().encode())
        while True:
            try:
                ended = subprocess.run([*shlex.split(editor()), str(draft)], check=False).returncode
            except (OSError, ValueError) as error:  # no such program, or a quotation mark too few
                raise ConfigError(f"`{editor()}` cannot be started: {error}") from error
            if ended != 0:
                raise ConfigError(f"`{editor()}` failed, so {file} stays as it was")
            try:
                _check(draft, file)
            except ConfigError as error:
                if again(str(error)):
                    continue
                raise ConfigError(f"{error}\n{file} stays as it was") from error
            return


def _check(draft: Path, file: Path) -> None:
    try:
        load(draft, file_alone=True)
    except ConfigError as error:
        raise ConfigError(str(error).replace(str(draft), str(file))) from error


@contextlib.contextmanager
def _replacement(file: Path) -> Iterator[Path]:
    """A private file beside it, which takes its place at the end unless something was raised."""
    real = Path(os.path.realpath(file))  # a link stays a link
    try:
        if not real.parent.exists():
            private_folder(real.parent)
        handle, name = tempfile.mkstemp(prefix=f".{real.stem}-", suffix=".toml", dir=real.parent)
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        if real.exists():
            draft.chmod(real.stat().st_mode & 0o777)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(real)
    finally:
        draft.unlink(missing_ok=True)


def _value(name: str, text: str) -> Any:
    """The text in the setting's own type. A text that does not fit stays: validation says what is wrong."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if text.startswith(("[", "{", '"')):
        try:
            return tomlkit.value(text)
        except (TOMLKitError, ValueError) as error:
            raise ConfigError(f"{name}: {text!r} is not a TOML value: {error}") from error
    field = field_of(name)
    if field is None or not text:
        return text
    form: Any = field.annotation
    with contextlib.suppress(ValidationError):
        value = TypeAdapter(form).validate_python(split_list(text) if is_list(form) else text)
        return list(value) if isinstance(value, tuple) else value if type(value) in _PLAIN else text
    return text


# --- a file to start with


def begin(file: Path) -> None:
    """Write every setting, commented out, into a private file."""
    with _replacement(file) as draft:
        draft.write_text(commented_file(), encoding="utf-8")


def commented_file() -> str:
    """Every setting with its default, commented out, so that a new file changes nothing."""
    lines = ["# Settings of the voice gateway. Remove the # before a line to change it.", ""]
    for section, kind in sections().items():
        lines += [f"[{section}]", *(_line(key, field) for key, field in kind.model_fields.items()), ""]
    lines += [
        "# Your own MCP servers, instead of the simulated home.",
        "# [mcpServers.zwave]",
        '# command = "zwave-mcp-server"',
        '# env = { MQTT_BROKER_URL = "mqtt://localhost:1883" }',
    ]
    return "\n".join(lines) + "\n"


def _line(key: str, field: FieldInfo) -> str:
    """The default as TOML, which writes these values as JSON does; none is an empty text."""
    value = field.get_default(call_default_factory=True)
    text = json.dumps("" if value is None else value, ensure_ascii=False)
    return f"# {key} = {text}  # {field.description}"

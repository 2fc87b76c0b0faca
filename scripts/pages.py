"""Write the tables of docs/configuration.md from the settings. `--check` only compares."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from voice_gateway.config import Section, ServerSettings, Settings
from voice_gateway.config.environment import KNOWN_NAMES

DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- made by `make pages` -->"
END = "<!-- end of what is made -->"

SETTING_HEAD = """\
| setting | default | what it does |
|---|---|---|"""
SERVERS = """\
MCP servers by name, in the shape other MCP clients use. Without any, the
gateway starts a simulated home. The environment variable `VOICE_GATEWAY_MCPSERVERS` takes the same table
as JSON."""


def configuration(page: str) -> str:
    """The page with its tables made anew, and everything around them as it was."""
    before, _, rest = page.partition(MADE)
    _, _, after = rest.partition(END)
    return f"{before}{MADE}\n\n" + "\n\n".join(_sections()) + f"\n\n{END}{after}"


def _sections() -> Iterator[str]:
    for name, info in Settings.model_fields.items():
        kind = info.annotation
        if name == "mcpServers":
            yield _section("[mcpServers.NAME]", SERVERS, ServerSettings.model_fields, {})
        elif isinstance(kind, type) and issubclass(kind, Section):
            others = {setting: variable for variable, setting in KNOWN_NAMES.items()}
            also = {key: others[f"{name}.{key}"] for key in kind.model_fields if f"{name}.{key}" in others}
            yield _section(f"[{name}]", kind.__doc__ or "", kind.model_fields, also)


def _section(title: str, about: str, fields: Mapping[str, FieldInfo], also: Mapping[str, str]) -> str:
    rows = [
        f"| `{key}` | {_default(field)} | {_about(field, also.get(key))} |" for key, field in fields.items()
    ]
    return "\n".join([f"## `{title}`\n", f"{about}\n", SETTING_HEAD, *rows])


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return "none" if value in (None, {}) or isinstance(value, SecretStr) else str(value)


def _about(field: FieldInfo, variable: str | None) -> str:
    text = field.description or ""
    if re.match(r"[a-z]+(?!\w*(://|\.))", text.split()[0]):  # a word, and no address or file
        text = text[0].upper() + text[1:]
    text += "" if text.endswith(("…", ".")) else "."
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    if not all(choice in text for choice in choices):
        text += f" One of {', '.join(choices)}."
    return text + (f" Also: `{variable}`." if variable else "")


def main(arguments: list[str]) -> int:
    file = DOCS / "configuration.md"
    text = configuration(before := file.read_text(encoding="utf-8"))
    if text == before:
        return 0
    if "--check" in arguments:
        print(f"docs/{file.name} is not what the code says: run `make pages`", file=sys.stderr)
        return 1
    file.write_text(text, encoding="utf-8")
    print(f"wrote docs/{file.name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

import io
import re
from pathlib import Path
from typing import get_args

from home_words.kinds import Kind
from zwave_mcp.cli import _EXAMPLES, _parser
from zwave_mcp.results import OUTCOMES
from zwave_mcp.schemas import ALL_TOOLS as TOOLS
from zwave_mcp.simulated.file import FAULTS, DeviceSpec, parse_home
from zwave_mcp.simulated.file import Kind as SimulatedKind

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "zwave.md").read_text(encoding="utf-8")
HOUSE = (DOCS / "keeping-house.md").read_text(encoding="utf-8")
PAGES = PAGE + (DOCS / "zwave-mqtt.md").read_text(encoding="utf-8")


def test_the_home_in_the_documentation_can_be_used():
    (text,) = [block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "[[device]]" in block]
    home = parse_home(text)
    assert {device.kind for device in home.devices} == set(get_args(SimulatedKind))  # each at least once
    assert [name for name, _ in home.scenes] == ["Reading"]


def test_every_word_of_the_server_is_explained():
    words = [
        *OUTCOMES,
        *get_args(Kind),
        *FAULTS,
        *(spec.name for spec in TOOLS),
        *(name for spec in TOOLS for name in spec.parameters["properties"]),
    ]
    text = PAGE + HOUSE
    assert [word for word in words if f"`{word}`" not in text and f"`{word}?`" not in text] == []


def test_every_key_of_a_home_file_is_named():
    for key in (*DeviceSpec.__dataclass_fields__, "allow_unlock", "radio_seconds"):
        assert re.search(rf"\b{key}\b", PAGE), key


def test_every_setting_is_documented():
    flags = set(re.findall(r"(?<!\S)--[a-z-]+", _parser(io.StringIO()).format_help()))
    assert len(flags) > 3, "they are found at all"
    for flag in flags - {"-h", "--help"}:
        assert flag in PAGES, flag
    for name in re.findall(r"\b(?:MQTT|ZWAVE)_[A-Z_]+\b", _EXAMPLES):
        assert f"`{name}`" in PAGES or f"{name}=" in PAGES, name

import re
from pathlib import Path

from zwave_mcp.cli import _EXAMPLES
from zwave_mcp.results import OUTCOMES
from zwave_mcp.schemas import ALL_TOOLS
from zwave_mcp.simulated.file import parse_home

PAGE = (Path(__file__).parents[3] / "docs" / "zwave.md").read_text(encoding="utf-8")


def test_the_home_in_the_documentation_can_be_used():
    homes = [text for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "[[device]]" in text]
    assert all(parse_home(text).devices for text in homes)
    assert homes


def test_tools_outcomes_and_settings_are_documented():
    settings = re.findall(r"\b(?:MQTT|ZWAVE)_[A-Z_]+\b", _EXAMPLES)
    words = [*(spec.name for spec in ALL_TOOLS), *OUTCOMES, *settings]
    assert [word for word in words if not re.search(rf"\b{word}\b", PAGE)] == []

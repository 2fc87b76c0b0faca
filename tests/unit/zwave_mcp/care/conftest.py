"""A simulated home in which there is something to look after, and a clock of its own."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from zwave_mcp.schemas import ALL_TOOLS
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

NOT_UNIT = "a simulated home at its own pace"

HOME = """
home.radio_seconds = 0.0
device = [
  { name = "Desk Lamp", room = "Office", kind = "switch", node = 2 },
  { name = "Dryer", room = "Laundry", kind = "plug", node = 3, watts = 2000, kwh = 10.0 },
  { name = "Coffee Maker", room = "Kitchen", kind = "plug", node = 4 },
  { name = "Front Door", room = "Hallway", node = 5, kind = "lock", battery = 80, users = ["Anna","","Ben"] },
  { name = "Back Door", room = "Kitchen", node = 6, kind = "sensor", battery = 9, faults = ["asleep"] },
  { name = "Space Heater", room = "Garage", kind = "switch", node = 7, faults = ["dead"] },
]
group = [{ name = "Office Things", devices = ["Desk Lamp", "Coffee Maker"] }]
[[scene]]
name = "Movie Night"
set = [{ device = "Desk Lamp", state = "off" }, { device = "Front Door", state = "locked" }]
"""

MORNING = 1_794_800_000.0
SCHEMAS = {spec.name: spec.output for spec in ALL_TOOLS}


class House:
    """The tools over such a home; `now` may be moved on."""

    def __init__(self, folder: Path) -> None:
        file = folder / "home.toml"
        file.write_text(HOME, encoding="utf-8")
        self.now = MORNING
        self.home = SimulatedHome(file, folder / "state.json", clock=lambda: self.now)
        self.tools = Tools(self.home, allow_unlock=True, clock=lambda: self.now)

    async def __call__(self, tool: str, **given: str) -> tuple[str, str, dict[str, Any]]:
        answer = await self.tools.call(tool, given)
        Draft202012Validator(SCHEMAS[tool]).validate(dict(answer.structured))
        assert answer.is_error == (answer.structured["outcome"] not in ("confirmed", "working", "queued"))
        return str(answer.structured["outcome"]), answer.sentence, dict(answer.structured)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)

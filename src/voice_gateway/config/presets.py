"""Three ways to run it, as sets of other defaults."""

from collections.abc import Mapping
from typing import Any

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Nothing leaves the house, and nothing tries to.
    "offline": {"brain.provider": "local", "tools.search": False},
    # What the local brain does not know goes to a model server in the house; searches go to the web.
    "hybrid": {"brain.provider": "ollama", "tools.search": True},
    # What the local brain does not know goes to a model in the cloud.
    "online": {"brain.provider": "anthropic", "tools.search": True},
}

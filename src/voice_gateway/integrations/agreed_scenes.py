"""Scenes and scripts that cannot be looked into, and that the user has agreed to once."""

import json
import logging
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from home_names.names import name_key
from home_names.risk import is_sensitive
from voice_gateway.private_files import private_file
from voice_gateway.tools.executor import CONFIRMED
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits

log = logging.getLogger(__name__)


class AgreedScenes:
    """By server and name, in a private file. If it cannot be read, the user is asked again."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def knows(self, call: ToolCall, traits: ToolTraits, reach: Reach) -> bool:
        return (key := _key(call, traits, reach)) is not None and key in self._known

    def add(self, call: ToolCall, traits: ToolTraits, reach: Reach) -> None:
        if (key := _key(call, traits, reach)) is None or key in self._known:
            return
        self._known.add(key)
        try:
            private_file(self._file).write_text(json.dumps(sorted(self._known)), encoding="utf-8")
        except OSError as error:
            log.warning("a scene that was agreed to is not remembered", extra={"reason": str(error)})

    @cached_property
    def _known(self) -> set[tuple[str, str]]:
        try:
            written = json.loads(self._file.read_text(encoding="utf-8"))
            return {(str(server), str(scene)) for server, scene in written}
        except FileNotFoundError:
            return set()
        except (OSError, ValueError, TypeError) as error:
            log.warning("the scenes that were agreed to cannot be read", extra={"reason": str(error)})
            return set()


def _key(call: ToolCall, traits: ToolTraits, reach: Reach) -> tuple[str, str] | None:
    """None for more than a scene, for what its server wants confirmed each time, and for a name that
    opens the house."""
    asked = isinstance(call.args, Mapping) and CONFIRMED in call.args
    if not reach.unseen or reach.devices or asked or not reach.scene:
        return None
    if is_sensitive("other", (reach.scene,), "on"):
        return None
    return traits.source, name_key(reach.scene)

"""Shopping and to-do lists: their file, and who is told of changes. The tool is in `tool.py`."""

from voice_gateway.tools.builtin.lists.store import Item, ListStore
from voice_gateway.tools.builtin.lists.told import ListsTold

__all__ = ["Item", "ListStore", "ListsTold"]

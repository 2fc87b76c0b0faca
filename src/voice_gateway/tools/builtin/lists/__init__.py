"""Shopping and to-do lists: their file, and who is told of changes. The tool is in `tool.py`."""

from voice_gateway.tools.builtin.lists.publisher import ListPublisher
from voice_gateway.tools.builtin.lists.store import Item, ListStore

__all__ = ["Item", "ListPublisher", "ListStore"]

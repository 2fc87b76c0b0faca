"""Shopping and to-do lists: their file and the publisher of changes. The tools are in `tool.py`."""

from voice_gateway.tools.builtin.lists.store import Item, ListPublisher, ListStore

__all__ = ["Item", "ListPublisher", "ListStore"]

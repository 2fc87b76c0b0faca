"""Sums, units, days, chance and spelling: what needs no model and no network. The tool is in `tool.py`."""

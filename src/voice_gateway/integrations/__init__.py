"""Homes: what devices there are, whoever has them, and which calls act on them."""

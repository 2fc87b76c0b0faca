"""Puts the program together: others open a gateway, and use what it is made of."""

from voice_gateway.app.gateway import Gateway, opened

__all__ = ["Gateway", "opened"]

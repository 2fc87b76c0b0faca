"""Homes behind MCP servers: their devices, and the calls that act on them."""

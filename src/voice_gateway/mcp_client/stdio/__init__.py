"""A server that is a process of ours: its pipes, its frames, its end; others use `StdioConnection` alone."""

from voice_gateway.mcp_client.stdio.connection import StdioConnection

__all__ = ["StdioConnection"]

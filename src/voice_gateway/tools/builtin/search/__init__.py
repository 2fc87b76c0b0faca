"""The tool for web search, and its backends."""

from voice_gateway.tools.builtin.search.backends import DuckDuckGo, SearXNG
from voice_gateway.tools.builtin.search.tool import SearchBackend, search_tool

__all__ = ["DuckDuckGo", "SearXNG", "SearchBackend", "search_tool"]

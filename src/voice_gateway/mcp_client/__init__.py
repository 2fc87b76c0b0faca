"""The link to MCP servers."""

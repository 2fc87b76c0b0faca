"""Home Assistant by its MCP server: its devices, its calls in plain words, and only what was seen is done."""

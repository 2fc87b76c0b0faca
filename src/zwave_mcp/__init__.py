"""A Z-Wave MCP server: devices by name, with confirmations that are true."""

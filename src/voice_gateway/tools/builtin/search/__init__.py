"""Web search."""

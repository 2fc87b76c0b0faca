"""Home Assistant by its MCP server: its devices, its calls in plain words, and only what was seen is done."""

from voice_gateway.integrations.home_assistant.source import HomeAssistant, recognise

__all__ = ["HomeAssistant", "recognise"]

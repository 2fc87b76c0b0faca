"""Models that Ollama serves."""

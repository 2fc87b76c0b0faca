"""The voice channel."""

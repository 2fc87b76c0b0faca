"""Hearing: wake words, voice activity and speech to text."""

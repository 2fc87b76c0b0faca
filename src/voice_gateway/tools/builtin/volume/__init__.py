"""The speaker's volume."""

"""The voice door: from the wake word to the spoken reply."""

"""Shopping, to-do and other lists: their store and their tools."""

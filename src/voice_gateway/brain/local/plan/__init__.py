"""From frames to what is done: acts in the home, looks at it, and what needs no home."""

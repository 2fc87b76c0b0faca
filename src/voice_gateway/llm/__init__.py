"""A model on the same turn: the loop, the prompt, the offered tools, and one folder for each provider."""

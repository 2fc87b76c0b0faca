"""A server that is a process of ours: its pipes, its frames, its end."""

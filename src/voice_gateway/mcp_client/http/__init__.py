"""A server that is reached by its address."""

"""A server that is a process of ours; `connection` is what others use."""

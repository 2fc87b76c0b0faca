"""Permission: whether a call runs, needs the user's yes first, or is refused."""

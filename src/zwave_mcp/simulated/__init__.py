"""A believable home without a broker."""

"""A command of the home, composed: what shall be done, to which things, and when."""

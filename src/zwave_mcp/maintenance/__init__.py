"""Keeping house: what is looked after now and then, and what changes the network itself."""

"""Routines: what is done later, again and again, or when something happens."""

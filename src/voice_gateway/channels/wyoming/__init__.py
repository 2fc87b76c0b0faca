"""The Wyoming door, for Home Assistant and other clients; others use `door.WyomingChannel` alone."""

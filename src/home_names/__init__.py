"""What gateway and Z-Wave server share: names, kinds, numbers, units and states of a home."""

"""What gateway and Z-Wave server share: names, kinds, numbers, units, colours and states of a home."""

"""The words for a home: names, kinds, numbers, units, states; one vocabulary for gateway and server."""

"""The web channel: the console in the browser and the API for programs, on loopback by default."""

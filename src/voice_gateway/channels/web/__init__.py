"""The console in the browser and the door for programs: one server, on loopback by default."""

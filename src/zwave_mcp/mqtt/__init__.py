"""The real home: Z-Wave JS UI through an MQTT broker."""

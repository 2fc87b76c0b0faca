"""The MQTT channel."""

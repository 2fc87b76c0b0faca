"""Voice, terminal, MQTT and web: each turns words into an Utterance and delivers the Reply."""

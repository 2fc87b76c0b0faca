"""The Wyoming channel, for Home Assistant and other clients. Others use `channel.WyomingChannel`."""

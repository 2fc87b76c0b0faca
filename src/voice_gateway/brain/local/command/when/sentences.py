"""What is said of a "when" that cannot be kept as it is."""

NO_PLACE = (
    "I don't know where your home is, so I can't tell when the sun rises and sets. Set home.location "
    "in voice-gateway.toml, for example location = [52.5, 13.4] below [home]."
)


AT_WHAT_TIME = "At what time?"


WHEN_EXACTLY = "When exactly? Tell me a time, or in how many minutes."


NEVER = "That never comes, so I kept nothing."
HOURS_OF_EVENT = "When shall that count: after which time, or between which two? I kept nothing."

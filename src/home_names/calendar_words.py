"""English for days: weekdays, months, and which day of a month."""

from typing import Final

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
        fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split(),
        start=1,
    )
} | {"thirtieth": 30}

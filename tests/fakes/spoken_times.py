"""Times in words, read by the English grammar without a home."""

from functools import cache

from voice_gateway.integrations.home import Home
from voice_gateway.understanding.plan.timers import SpokenTimes
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.templates import language


@cache
def spoken_times() -> SpokenTimes:
    reader = Reader(language("en"), Home())
    return SpokenTimes(lambda: reader)

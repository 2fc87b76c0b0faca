"""While a timer rings, "stop" means the timer, whatever else it may mean."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from voice_gateway.brain.stage import Turn
from voice_gateway.turn import Reply

_STOP = re.compile(
    r"^(?:(?:ok|okay|please|hey|alright|thanks|thank you)[\s,]*)*"
    r"(?:stop|stop it|stop that|stop ringing|stop the (?:timer|alarm|noise|ringing)|be quiet|quiet|silence|"
    r"enough|that's enough|shut up|dismiss|turn it off|cancel|got it|i'm up|okay|ok|thanks|thank you)"
    r"(?:[\s,]*(?:please|now|thanks|thank you))*\W*$",
    re.IGNORECASE,
)


class StopRinging:
    """Asked before the stages; has nothing to say unless something rings."""

    def __init__(
        self, ringing: Callable[[], Sequence[Any]], stop_ringing: Callable[[], Awaitable[Sequence[Any]]]
    ) -> None:
        self._ringing = ringing
        self._stop_ringing = stop_ringing

    async def __call__(self, turn: Turn) -> Reply | None:
        if not self._ringing() or not _STOP.match(turn.utterance.text.strip()):
            return None
        stopped = await self._stop_ringing()
        text = "Okay, the timers are off." if len(stopped) > 1 else "Okay, the timer is off."
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai(text)
        return Reply(text, stage="local")

"""All that happens, as a stream for consoles: events of turns and parts, devices and routines that change."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels.web.streams import Listeners
from voice_gateway.events import AlarmsTold, Event, EventBus
from voice_gateway.trace import event_json


class Feed:
    """Nothing is written while nobody listens."""

    def __init__(self, watch: EventBus) -> None:
        self._listeners = Listeners()
        self._followers: dict[str, list[Callable[[str, Mapping[str, Any]], None]]] = {}
        self._alarms: AlarmsTold | None = None  # for who comes while they sound
        watch.subscribe(self._watched)

    def tell(self, kind: str, data: Any) -> None:
        self._listeners.tell(kind, data)

    def follow(self, turn: str, told: Callable[[str, Mapping[str, Any]], None]) -> Callable[[], None]:
        """Every event of one turn, by its type, until the returned function is called."""
        self._followers.setdefault(turn, []).append(told)
        return lambda: self._unfollow(turn, told)

    def _unfollow(self, turn: str, told: Callable[[str, Mapping[str, Any]], None]) -> None:
        left = [one for one in self._followers.get(turn, ()) if one is not told]
        if left:
            self._followers[turn] = left
        else:
            self._followers.pop(turn, None)

    def _watched(self, event: Event) -> None:
        if isinstance(event, AlarmsTold):
            self._alarms = event
        if not self._listeners and not self._followers:
            return
        told = event_json(event)
        if told is None:
            return
        if self._listeners:
            self._listeners.tell(told["type"], told)
        for follower in self._followers.get(told["turn"] or "", ()):
            follower(told["type"], told)

    async def events(self, request: Request) -> Response:
        """GET /api/events"""
        turn = request.query_params.get("turn")
        wants = (lambda told: told.get("turn") == turn) if turn else (lambda _told: True)
        first = [("alarms", event_json(self._alarms))] if self._alarms and not turn else []
        return self._listeners.response(request, wants, first)

    @property
    def listened(self) -> bool:
        return bool(self._listeners)

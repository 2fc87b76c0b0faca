"""Events of home servers, passed on to routines, MQTT and voice; alarms sound until they are acknowledged."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from typing import Any

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import EventSettings
from voice_gateway.errors import GatewayError
from voice_gateway.events import AlarmsTold, EventBus, Happened, Notice
from voice_gateway.integrations.alarms import Alarm, AlarmBook, means_heard
from voice_gateway.integrations.events import DEVICES, RESOURCE, EventPage, HomeEvent, read_page
from voice_gateway.routines.model import ResourceState
from voice_gateway.routines.runner import StateChange

log = logging.getLogger(__name__)

Sounder = Callable[[str], Coroutine[Any, Any, None]]  # sounds the alarm until it is cancelled
Request = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]  # server, method, parameters

ANSWER_SECONDS = 10.0
AGAIN_SECONDS = 60.0  # how often an alarm is published again as text
LOOK_SECONDS = 2.0  # how long an acknowledgement at another gateway may go unnoticed
QUIET = ResourceState("quiet")


class HomeEvents:
    """Subscribes to the events of every home server, and reads them when the server announces new ones."""

    def __init__(
        self,
        request: Request,
        events: EventBus,
        settings: EventSettings,
        book: AlarmBook,
        *,
        homes: Callable[[], Collection[str]],
        routines: Callable[[StateChange], None],
        sounders: list[Sounder],
    ) -> None:
        self._request, self._events, self._settings, self.book = request, events, settings, book
        self._homes, self._routines, self._sounders = homes, routines, sounders
        self._began = time.time()
        self._subscribed: set[str] = set()
        self._due: set[str] = set()
        self._seen: dict[str, tuple[float, int]] = {}  # by server: its run, and the last event of it
        self._news, self._changed = asyncio.Event(), asyncio.Event()
        self._shown: tuple[Alarm, ...] | None = None
        book.on_change = self._changed.set

    def connected(self, server: str) -> None:
        """Also after its tools have changed: it may be a home only now."""
        self._subscribed.discard(server)
        self.updated(server, RESOURCE)

    def updated(self, server: str, uri: str) -> None:
        if uri == RESOURCE:
            self._due.add(server)
            self._news.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            due = sorted(self._due & set(self._homes()))
            self._due -= set(due)
            for server in due:
                if server not in self._subscribed:
                    await self._asked("resources/subscribe", server, DEVICES)
                    if await self._asked("resources/subscribe", server) is None:
                        continue  # it has no events
                    self._subscribed.add(server)
                answer = await self._asked("resources/read", server) or {}
                contents = [each for each in answer.get("contents") or () if isinstance(each, Mapping)]
                for text in [each["text"] for each in contents if isinstance(each.get("text"), str)][:1]:
                    if (page := read_page(text, server)) is not None:
                        self._take(server, page)

    async def _asked(self, method: str, server: str, uri: str = RESOURCE) -> Mapping[str, Any] | None:
        """The server's answer about its events; None if it has none."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._request(server, method, {"uri": uri})
        except (GatewayError, TimeoutError) as error:
            facts = {"server": server, "method": method, "reason": str(error)}
            log.info("a server's events cannot be read", extra=facts)
            return None

    def _take(self, server: str, page: EventPage) -> None:
        run, last = self._seen.get(server, (0.0, 0))
        last = last if run == page.began else 0
        self._seen[server] = page.began, max([last, *(event.id for event in page.events)])
        for event in page.events:
            # Events before our start are history, and those that still stand are in the alarms.
            if event.id > last and event.at >= self._began and not event.standing:
                self._pass_on(event)
        self.book.take(page)
        self._publish_alarms()

    def _pass_on(self, event: HomeEvent) -> None:
        facts = {"kind": event.kind, "state": event.state, "device": event.device}
        log.info("something happened", extra=facts)
        self.book.happened(event)
        spoken = event.kind in self._settings.speak and not event.urgent and event.state != "released"
        self._events.publish(Happened(event.kind, event.text, event.to_json(), noticed=spoken))
        shown = ResourceState(event.words[0], event.words[1:])
        for resource in (event.resource, RESOURCE):  # of this device, and of any
            self._routines(StateChange(event.server, resource, QUIET, shown))
        if spoken:
            self._events.publish(Notice(event.text, aloud=True))

    # --- alarms

    def again(self) -> None:
        """Publishes the alarms once more, for a broker that may have lost them."""
        self._shown = None
        self._publish_alarms()

    def _publish_alarms(self) -> None:
        now = tuple(self.book.all)
        if now != self._shown:
            self._events.publish(AlarmsTold(tuple(alarm.to_json() for alarm in now)))
        self._shown = now

    def acknowledge(self) -> str:
        """The reply to an acknowledgement; empty: no alarm was sounding."""
        heard = self.book.acknowledge()
        if not heard:
            return ""
        self._publish_alarms()
        still = [
            alarm.text.replace(" is detected", " is still detected") for alarm in heard if not alarm.over
        ]
        return f"Okay, I stop. {' '.join(still)}" if still else "Okay. It is over."

    async def answer(self, text: str) -> str | None:
        """While an alarm sounds, words such as "okay" acknowledge it."""
        return self.acknowledge() or None if self.book.unheard and means_heard(text) else None

    def _unheard(self) -> str:
        return " ".join(alarm.told for alarm in self.book.unheard)

    async def sound(self) -> None:
        """Until cancelled: sounds alarms that are not acknowledged, also those of an earlier run."""
        while True:
            self._changed.clear()
            self._publish_alarms()
            if not (text := self._unheard()):
                await self._changed.wait()
                continue
            # Until it is acknowledged, another alarm joins, or another sounder does.
            async with asyncio.TaskGroup() as tasks:
                sounding = [tasks.create_task(sounder(text), name="alarm") for sounder in self._sounders]
                written = -AGAIN_SECONDS
                while self._unheard() == text and len(sounding) == len(self._sounders):
                    if time.monotonic() - written >= AGAIN_SECONDS:
                        written = time.monotonic()
                        self._events.publish(Notice(f"Alarm! {text}", alarm=True))
                    self._changed.clear()
                    await wait_at_most(self._changed, LOOK_SECONDS)
                for task in sounding:
                    task.cancel()

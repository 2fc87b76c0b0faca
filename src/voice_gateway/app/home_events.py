"""What happens in the home, passed on to routines, MQTT and the voice; alarms until they were heard."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from typing import Any

from home_words.alarm_words import means_heard
from voice_gateway.backoff import wait_at_most
from voice_gateway.config import EventSettings
from voice_gateway.errors import GatewayError
from voice_gateway.events import AlarmsTold, EventBus, Happened, Notice
from voice_gateway.integrations.alarms import Alarm, AlarmBook
from voice_gateway.integrations.events import RESOURCE, EventPage, HomeEvent, read_page
from voice_gateway.routines.model import ResourceState
from voice_gateway.routines.runner import StateChange

log = logging.getLogger(__name__)

Request = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
Sounder = Callable[[str], Coroutine[Any, Any, None]]  # tells it until it is cancelled

ANSWER_SECONDS = 10.0
AGAIN_SECONDS = 60.0  # how often an alarm is written where people read
LOOK_SECONDS = 2.0  # how long it may go unnoticed that another gateway's user has heard it
QUIET = ResourceState("quiet")


class HomeEvents:
    """Every home server that tells of events is subscribed to, and read when it has news."""

    def __init__(
        self,
        request: Request,
        watch: EventBus,
        settings: EventSettings,
        book: AlarmBook,
        *,
        homes: Callable[[], Collection[str]],
        routines: Callable[[StateChange], None],
        sounders: list[Sounder],
    ) -> None:
        self._request, self._watch, self._settings, self.book = request, watch, settings, book
        self._homes, self._routines, self._sounders = homes, routines, sounders
        self._began = time.time()
        self._subscribed: set[str] = set()
        self._due: set[str] = set()
        self._seen: dict[str, tuple[float, int]] = {}  # by server: its run, and the last event of it
        self._news, self._changed = asyncio.Event(), asyncio.Event()
        self._shown: tuple[Alarm, ...] | None = None
        book.on_change = self._changed.set

    # --- what is told by servers

    def connected(self, server: str) -> None:
        """Anew, or with other tools: it may be a home only now."""
        self._subscribed.discard(server)
        self._due.add(server)
        self._news.set()

    def updated(self, server: str, uri: str) -> None:
        if uri == RESOURCE:
            self._due.add(server)
            self._news.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            due, self._due = self._due & set(self._homes()), self._due - set(self._homes())
            for server in sorted(due):
                await self._read(server)

    async def _read(self, server: str) -> None:
        if server not in self._subscribed:
            if await self._asked(server, "resources/subscribe") is None:
                return  # it tells of no events
            self._subscribed.add(server)
        answer = await self._asked(server, "resources/read")
        contents = answer.get("contents") if answer is not None else None
        texts = [one.get("text") for one in contents or () if isinstance(one, Mapping)]
        page = next((read_page(text, server) for text in texts if isinstance(text, str)), None)
        if page is not None:
            self._take(server, page)

    async def _asked(self, server: str, method: str) -> Mapping[str, Any] | None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._request(server, method, {"uri": RESOURCE})
        except (GatewayError, TimeoutError) as error:
            log.info("no events of this server", extra={"server": server, "reason": str(error)})
            return None

    def _take(self, server: str, page: EventPage) -> None:
        run, last = self._seen.get(server, (0.0, 0))
        last = last if run == page.began else 0
        new = [one for one in page.events if one.id > last]
        self._seen[server] = page.began, max([last, *(one.id for one in page.events)])
        for event in new:
            # What was told before we were there is history; what stands is in the alarms.
            if event.at >= self._began and not event.standing:
                self._pass_on(event)
        self.book.take(page)
        self._tell_alarms()

    def _pass_on(self, event: HomeEvent) -> None:
        facts = {"kind": event.kind, "state": event.state, "device": event.device}
        log.info("something happened", extra=facts)
        self.book.happened(event)
        spoken = event.kind in self._settings.speak and not event.urgent and event.state != "released"
        self._watch.publish(Happened(event.kind, event.text, event.to_json(), noticed=spoken))
        shown = ResourceState(event.words[0], event.words[1:])
        for resource in (event.resource, RESOURCE):  # of this device, and of any
            self._routines(StateChange(event.server, resource, QUIET, shown, event.device))
        if spoken:
            self._watch.publish(Notice(event.text, aloud=True))

    # --- alarms

    def again(self) -> None:
        """For a broker that may have forgotten."""
        self._shown = None
        self._tell_alarms()

    def _tell_alarms(self) -> None:
        now = tuple(self.book.all)
        if now != self._shown:
            self._watch.publish(AlarmsTold(tuple(alarm.to_json() for alarm in now)))
        self._shown = now

    def acknowledge(self) -> str:
        """A sentence for whoever has heard it; empty: there was nothing to hear."""
        heard = self.book.acknowledge()
        if not heard:
            return ""
        self._tell_alarms()
        still = [one.text.replace(" is detected", " is still detected") for one in heard if not one.over]
        return f"Okay, I stop. {' '.join(still)}" if still else "Okay. It is over."

    async def answer(self, text: str) -> str | None:
        """While an alarm sounds, these words mean that it was heard, whatever else they may mean."""
        return self.acknowledge() or None if means_heard(text) and self.book.unheard else None

    def _unheard(self) -> str:
        return " ".join(one.told for one in self.book.unheard)

    async def sound(self) -> None:
        """Until cancelled: what was not heard yet is told, also what was not when we ended last time."""
        while True:
            self._changed.clear()
            self._tell_alarms()
            text = self._unheard()
            if text:
                await self._sounded(text)
            else:
                await self._changed.wait()

    async def _sounded(self, text: str) -> None:
        """Until it was heard, or is another one, or somebody more can tell it."""
        async with asyncio.TaskGroup() as tasks:
            sounding = [tasks.create_task(sounder(text), name="alarm") for sounder in self._sounders]
            written = -AGAIN_SECONDS
            while self._unheard() == text and len(sounding) == len(self._sounders):
                if time.monotonic() - written >= AGAIN_SECONDS:
                    written = time.monotonic()
                    self._watch.publish(Notice(f"Alarm! {text}", alarm=True))
                self._changed.clear()
                await wait_at_most(self._changed, LOOK_SECONDS)
            for task in sounding:
                task.cancel()

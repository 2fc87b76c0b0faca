"""Urgent alarms, such as smoke and water, kept on disk until they are acknowledged."""

import contextlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from home_names.names import plain
from voice_gateway.backoff import identity
from voice_gateway.integrations.events import AlarmKey, EventPage, HomeEvent
from voice_gateway.languages import shared_data
from voice_gateway.private_files import private_file

log = logging.getLogger(__name__)

MOST = 100
OVER = "{text} It began at {time}, and is over now."
LONGEST_HEARD = 80  # characters of an acknowledgement


@dataclass(frozen=True, slots=True)
class Alarm:
    server: str
    node: int
    endpoint: int
    kind: str
    device: str
    room: str
    text: str  # "Smoke is detected in the Kitchen."
    since: float
    heard: bool = False  # it was acknowledged
    over: bool = False  # the device has ended it

    @property
    def key(self) -> AlarmKey:
        return self.server, self.node, self.endpoint, self.kind

    @property
    def told(self) -> str:
        """The sentence to speak: that of the alarm, or that it began and is over."""
        if not self.over:
            return self.text
        clock = datetime.fromtimestamp(self.since).astimezone().strftime("%H:%M")
        return OVER.format(text=self.text.replace(" is detected", " was detected"), time=clock)

    def to_json(self) -> dict[str, Any]:
        facts = {key: getattr(self, key) for key in ("kind", "device", "room", "text", "since", "server")}
        return {**facts, "acknowledged": self.heard, "over": self.over}


class AlarmBook:
    """Standing and unacknowledged alarms, in a file that restarts and other gateways on this machine read. A
    file that cannot be written is logged, and the alarms stay in memory."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.on_change: Callable[[], None] = lambda: None
        self._alarms: dict[AlarmKey, Alarm] = {}
        self._seen: object = None

    @property
    def all(self) -> list[Alarm]:
        self._read()
        return list(self._alarms.values())

    @property
    def unheard(self) -> list[Alarm]:
        """Unacknowledged alarms, standing ones first."""
        unheard = (alarm for alarm in self.all if not alarm.heard)
        return sorted(unheard, key=lambda alarm: (alarm.over, alarm.since))

    def take(self, page: EventPage) -> None:
        """Update the alarms of a server from its event page."""
        self._read()
        standing = {event.key: event for event in page.alarms if event.urgent}
        now = dict(self._alarms)
        for key, event in standing.items():
            known = now.get(key)
            if known is None or known.over:
                now[key] = _alarm(event)
        for key, alarm in list(now.items()):
            if key in page.calm and key not in standing:
                now[key] = replace(alarm, over=True)
        self._keep(now)

    def happened(self, event: HomeEvent) -> None:
        """Add an urgent event; the alarm may be over before the next page is read."""
        self._read()
        if event.urgent and event.key not in self._alarms:
            self._keep({**self._alarms, event.key: _alarm(event)})

    def acknowledge(self) -> list[Alarm]:
        """Mark all alarms as heard; returns those that were not heard before."""
        heard = self.unheard
        self._keep({key: replace(alarm, heard=True) for key, alarm in self._alarms.items()})
        return heard

    def _keep(self, now: Mapping[AlarmKey, Alarm]) -> None:
        kept = dict([(key, alarm) for key, alarm in now.items() if not (alarm.heard and alarm.over)][-MOST:])
        if kept != self._alarms:
            self._alarms = kept
            self._write()
            self.on_change()

    def _write(self) -> None:
        text = json.dumps([asdict(alarm) for alarm in self._alarms.values()])
        new = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            private_file(new).write_text(text, encoding="utf-8")
            new.replace(self._file)
        except OSError as error:
            log.warning("alarms are not remembered", extra={"reason": str(error)})
            with contextlib.suppress(OSError):
                new.unlink()
        self._seen = identity(self._file)

    def _read(self) -> None:
        """Read the file if another process has changed it."""
        seen = identity(self._file)
        if seen == self._seen or seen is None:
            return
        self._seen = seen
        try:
            alarms = [Alarm(**raw) for raw in json.loads(self._file.read_text("utf-8"))]
            self._alarms = {alarm.key: alarm for alarm in alarms}
        except (OSError, ValueError, TypeError, RecursionError) as error:
            log.warning("the alarms that were kept cannot be read", extra={"reason": str(error)})


def _alarm(event: HomeEvent) -> Alarm:
    since = event.at or time.time()
    return Alarm(*event.key, device=event.device, room=event.room, text=event.text, since=since)


def means_heard(text: str) -> bool:
    """Whether the words acknowledge an alarm, in any language and with any courtesies around them."""
    words = plain(text).split() if len(text) <= LONGEST_HEARD else []
    return _acknowledgement().fullmatch("".join(f"{word} " for word in words)) is not None


@cache
def _acknowledgement() -> re.Pattern[str]:
    data = shared_data("alarms.yaml")
    heard = ";".join(data["heard"].values()).replace("ALARM", data["alarm"])
    courtesy = f"(?:{_any_of(data['courtesy'])})*"
    return re.compile(f"{courtesy}(?:{_any_of(heard)}){courtesy}")


def _any_of(templates: str) -> str:
    """A pattern for words with a space behind each."""
    return "|".join(
        "".join(
            f"(?:{_words(must)})" if must else f"(?:{_words(maybe)})?" if maybe else _words(rest)
            for must, maybe, rest in re.findall(r"\(([^)]*)\)|\[([^]]*)\]|([^][()]+)", template)
        )
        for template in templates.split(";")
    )


def _words(choices: str) -> str:
    return "|".join(
        "".join(f"{re.escape(word)} " for word in plain(choice).split()) for choice in choices.split("|")
    )

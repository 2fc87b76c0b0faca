"""The histories of conversations, and one utterance at a time in each. A lost store costs no answer."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable
from weakref import WeakValueDictionary

from voice_gateway.conversation.store import Store
from voice_gateway.events import EventBus, State
from voice_gateway.problems import MEMORY_LOST
from voice_gateway.turns.history import History

log = logging.getLogger(__name__)

TRY_SECONDS = 5.0  # between tries to reach a lost store
TRIAL = "trial"  # a key for the tries


class Histories:
    def __init__(self, store: Store, expiry_seconds: float, events: EventBus) -> None:
        self._store = store
        self._expiry_seconds = expiry_seconds
        self._events = events
        self._lost = asyncio.Event()
        store.on_change(self._store_changed)

    async def watch_store(self, try_seconds: float = TRY_SECONDS) -> None:
        """Tries a lost store until it works again; runs until cancelled."""
        while True:
            await self._lost.wait()
            await asyncio.sleep(try_seconds)
            with contextlib.suppress(Exception):  # each kind of store has errors of its own
                await self._store.put(TRIAL, "", expiry_seconds=1.0)
                self._store_changed(None)

    async def load(self, key: str) -> History:
        history, stored = History(), None
        try:
            if stored := await self._store.get(key):
                history = History.from_json(json.loads(stored))
        except Exception as error:  # each kind of store has its own errors
            self.failed("conversation could not be read, starting a new one", error)
        history.stored = stored  # also if unreadable: it is replaced
        return history

    async def save(self, key: str, history: History, words: str = "", shown: str = "") -> None:
        """Keeps the history, with `shown` in place of the user's words: those may hold a PIN."""
        try:
            history.trim_to_keep()
            kept = history.to_json()
            if words != shown:  # they end a message, alone or behind the moment's facts
                messages = json.dumps(kept["messages"]).replace(json.dumps(words)[1:], json.dumps(shown)[1:])
                kept["messages"] = json.loads(messages)
            text = json.dumps(kept)
            seconds = self._expiry_seconds
            if not await self._store.exchange(key, history.stored, text, expiry_seconds=seconds):
                # Another gateway continued the conversation meanwhile.
                log.warning("conversation went on elsewhere meanwhile, what was said here is not kept")
        except Exception as error:  # each kind of store has errors of its own
            self.failed("conversation could not be kept", error)
        else:
            self._store_changed(None)

    def _store_changed(self, error: Exception | None) -> None:
        (self._lost.clear if error is None else self._lost.set)()
        if error is not None:
            self._events.report("memory", State.DEGRADED, MEMORY_LOST, f"check brain.store: {error}")
        elif self._events.state("memory") is State.DEGRADED:
            self._events.report("memory", State.OK, "I can remember what is said again.")

    def failed(self, phrase: str, error: Exception) -> None:
        """Logs an error of the store and reports it in the status."""
        reason = f"{type(error).__name__}: {error}"
        log.error(phrase, extra={"reason": reason}, exc_info=log.isEnabledFor(logging.DEBUG))
        self._store_changed(error)


class Locks:
    """First come, first served in this process; gateways that share the store take turns.

    `on_failure` gets what a shared store raises: a store that is away costs the order among gateways, not the
    answer."""

    def __init__(self, store: Store, on_failure: Callable[[str, Exception], None]) -> None:
        self._store = store
        self._on_failure = on_failure
        # A lock that no task holds or waits for is forgotten.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        async with self._locks.setdefault(key, asyncio.Lock()), contextlib.AsyncExitStack() as shared:
            try:
                await shared.enter_async_context(self._store.lock(key))
            except Exception as error:  # each kind of store has errors of its own
                self._on_failure("conversation could not be claimed", error)
            yield

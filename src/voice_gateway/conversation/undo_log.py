"""Keeps acts for undo: for each channel a list, newest first, in a store that processes share."""

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voice_gateway.conversation.store import SHARED_CHANNELS, SqliteStore, Store, key_of
from voice_gateway.errors import LinkError
from voice_gateway.sqlite_file import Damage
from voice_gateway.turns.acts import KEPT_SECONDS, UndoEntry, Where

MOST_ACTS = 100  # of one channel; a model in a loop must not fill the disk
TRIES = 50  # while other turns change the same list


class KeptActs:
    """The `Acts` of the conversations. `gateway` is its name in a store that gateways share."""

    def __init__(self, store: Store, gateway: str = "", now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._gateway = gateway
        self._now = now

    async def add(self, act: UndoEntry, where: Where) -> None:
        entry = [where.room or "", where.conversation or "", act.to_text()]
        await self._change(where.channel, lambda entries: [entry, *entries][:MOST_ACTS])

    async def newest(self, where: Where, *, take: bool) -> UndoEntry | None:
        newest: UndoEntry | None = None

        def without_newest(entries: list[Any]) -> list[Any]:
            nonlocal newest
            acts = ((at, act) for at, entry in enumerate(entries) if (act := self._act(entry, where)))
            place, newest = next(acts, (len(entries), None))
            return [*entries[:place], *entries[place + 1 :]] if take else entries

        await self._change(where.channel, without_newest)
        return newest

    def _act(self, entry: Any, where: Where) -> UndoEntry | None:
        """The act, if it is one of these and not too old; None for what another version wrote."""
        try:
            room, conversation, text = entry
            act = UndoEntry.from_text(text)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        here = where.room in (None, room) and where.conversation in (None, conversation)
        return act if here and act.at > self._now() - KEPT_SECONDS else None

    async def _change(self, channel: str, changed: Callable[[list[Any]], list[Any]]) -> None:
        """Replaces the list unless another turn changed it meanwhile; then with what that one wrote."""
        key = key_of("acts", "" if channel in SHARED_CHANNELS else self._gateway, channel)
        try:
            for _ in range(TRIES):
                text = await self._store.get(key)
                try:
                    before = list(json.loads(text or "[]"))
                except (ValueError, TypeError, RecursionError):
                    before = []  # of another version
                after = changed(before)
                if after == before:
                    return
                kept = await self._store.exchange(key, text, json.dumps(after), expiry_seconds=KEPT_SECONDS)
                if kept:
                    return
        except (sqlite3.Error, OSError) as error:
            raise LinkError(f"the file with the acts cannot be used: {error}") from error
        raise LinkError("the acts changed again and again")


def acts_from(store: Store, file: Path, gateway: str, *, on_damage: Callable[[Damage], None]) -> KeptActs:
    """In the shared store of the conversations; without one in a file, which commands share."""
    if store.shared:
        return KeptActs(store, gateway)
    return KeptActs(SqliteStore(file, on_damage=on_damage, durable=False))

"""What a call that takes long is waiting for, in words of people: a device, a tool's title, a server."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from home_words.phrases import with_article
from voice_gateway.tools.masking import shorten
from voice_gateway.turn import ToolTraits

WAIT_SECONDS = 3.0  # after which whoever asked is told
_LONGEST = 60  # characters of a name

OnWait = Callable[[str], None]
# A context variable: not only a turn's own calls take long, but also the list of devices that a home reads
# meanwhile, and no home knows of turns.
_on_wait: ContextVar[OnWait | None] = ContextVar("on_wait", default=None)


@contextmanager
def heard_by(on_wait: OnWait) -> Iterator[None]:
    """Every call that is made inside and takes long tells once what it waits for."""
    token = _on_wait.set(on_wait)
    try:
        yield
    finally:
        _on_wait.reset(token)


def tell_later(
    args: Mapping[str, Any], traits: ToolTraits, seconds: float, *, unless: Callable[[], bool] | None = None
) -> asyncio.TimerHandle | None:
    """For one call, which cancels it when it ends; None where nobody listens. What tells by itself how far it
    is needs no other word (`unless`)."""
    if (on_wait := _on_wait.get()) is None:
        return None
    loop = asyncio.get_running_loop()

    def tell() -> None:
        if unless is None or not unless():
            on_wait(waited_for(args, traits))

    return loop.call_later(seconds, tell)


def waited_for(args: Mapping[str, Any], traits: ToolTraits) -> str:
    """ "the Space Heater", "the web search", "the sonos server"; never the name of a function."""
    for parameter, called in (("deviceName", "{}"), ("sceneName", "the scene {}")):
        name = args.get(parameter)
        if isinstance(name, str) and name.strip() and not traits.stranger:
            name = shorten(" ".join(name.split()), _LONGEST)
            return called.format(with_article(name) if parameter == "deviceName" else name)
    if traits.source != "builtin":
        return f"the {traits.source} server"
    return f"the {traits.title[:1].lower()}{traits.title[1:]}" if traits.title else "an answer"

"""Z-Wave JS UI's API over MQTT: a few calls and no other, each answer found by an id of our own."""

import asyncio
import itertools
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from zwave_mcp.home import HomeDown, NoAnswer, NotUnderstood, Refused

log = logging.getLogger(__name__)

Publish = Callable[[str, bytes], Awaitable[None]]
Read = Callable[[bytes, float], Awaitable[Mapping[str, Any]]]  # an answer, and when it came in

# What the gateway says while its stick is away; it then answers nothing else.
_WITHOUT_STICK = "Z-Wave client not connected"
_LONGEST_WORDS = 200  # more nobody listens to
ASK_AGAIN_SECONDS = 0.5
_MOST_AT_ONCE = 20  # of a flood of answers with our id the rest is noise
NO_STICK = "Z-Wave JS UI has no connection to its Z-Wave stick."
NOT_CONNECTED = "Z-Wave JS UI is not connected to the MQTT broker."


class NoStick(HomeDown):
    """The gateway says so, of every call."""

    def __init__(self) -> None:
        super().__init__(NO_STICK)


class NobodyListens(HomeDown):
    """The broker says so of a topic of the API: nothing was sent."""

    def __init__(self) -> None:
        super().__init__(NOT_CONNECTED)


class Api(StrEnum):
    """All that can ever be sent. The gateway offers more: `hardReset`, `driverFunction` (runs code)."""

    GET_INFO = "getInfo"
    GET_NODES = "getNodes"
    WRITE_VALUE = "writeValue"
    POLL_VALUE = "pollValue"
    PING_NODE = "pingNode"
    GET_SCENES = "_getScenes"
    GET_GROUPS = "_getGroups"
    ACTIVATE_SCENE = "_activateScene"
    # Keeping house (`mqtt/network.py`).
    SET_NAME = "setNodeName"
    SET_LOCATION = "setNodeLocation"
    REFRESH_USERS = "accessControlRefreshUsers"
    ACCESS_STATE = "accessControlGetState"


_ASKING = frozenset({Api.GET_INFO, Api.GET_NODES, Api.POLL_VALUE, Api.PING_NODE, Api.GET_SCENES})
_ASKING_MORE = frozenset({Api.GET_GROUPS, Api.REFRESH_USERS, Api.ACCESS_STATE})
COMMANDS = frozenset(Api) - _ASKING - _ASKING_MORE  # these change something
# Without these there is no home; an account of the broker may well not have the others.
_NEEDED = _ASKING | {Api.WRITE_VALUE, Api.ACTIVATE_SCENE}


_Arrived = tuple[float, bytes | HomeDown]  # when
_Send = Callable[[], Awaitable[None]]


class GatewayApi:
    """The calls in flight to one gateway over one connection; it ends with the connection."""

    def __init__(self, base: str, publish: Publish) -> None:
        self._base = f"{base}/api"
        self._publish = publish
        self._waiting: dict[str, asyncio.Queue[_Arrived]] = {}
        self.heard = float("-inf")  # when it last answered
        # The id must be ours alone: other clients' answers arrive on the same topics.
        self._ids = (f"{secrets.token_hex(6)}-{number}" for number in itertools.count(1))

    @property
    def reply_topics(self) -> list[str]:
        return [f"{self._base}/{api}" for api in Api if api in _NEEDED]

    @property
    def other_topics(self) -> list[str]:
        return [f"{self._base}/{api}" for api in Api if api not in _NEEDED]

    async def call(
        self, api: Api, args: Sequence[Any], timeout_seconds: float, read: Read | None = None
    ) -> Any:
        """The `result` of the answer. The limit holds for sending, answering and reading together."""
        request_id = next(self._ids)
        payload = json.dumps({"args": list(args), "id": request_id}).encode()
        send = partial(self._publish, f"{self._base}/{Api(api)}/set", payload)
        self._waiting[request_id] = asyncio.Queue()
        try:
            async with asyncio.timeout(timeout_seconds) as limit:
                await send()
                again = send if api is Api.GET_INFO else None
                return _result(await self._answer(request_id, read or _read_at_once, again))
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise NoAnswer(f"Z-Wave JS UI did not answer within {timeout_seconds:g} seconds.") from error
        except HomeDown as error:
            error.sent = error.sent and api in COMMANDS
            raise
        finally:
            del self._waiting[request_id]

    async def _answer(self, request_id: str, read: Read, again: _Send | None) -> Mapping[str, Any]:
        """What is cut, or only has our id somewhere in it, is no answer: the next one may be."""
        while True:
            received, payload = await _arrival(self._waiting[request_id], again)
            if isinstance(payload, HomeDown):
                raise payload
            try:
                answer = await read(payload, received)
            except (ValueError, RecursionError):
                log.warning("an answer of Z-Wave JS UI is not JSON", extra={"bytes": len(payload)})
                continue
            origin = answer.get("origin")
            if isinstance(origin, Mapping) and origin.get("id") == request_id:
                self.heard = max(self.heard, received)
                return answer

    def receive(self, payload: bytes) -> None:
        """An answer came in, ours or somebody else's, well-formed or not."""
        # Cheaper than parsing: an answer to us repeats our id, and lists of nodes are large.
        for request_id, waiting in self._waiting.items():
            if request_id.encode() in payload and waiting.qsize() < _MOST_AT_ONCE:
                waiting.put_nowait((time.monotonic(), payload))

    def fail(self, sentence: str) -> None:
        """The connection is gone: nobody waits any longer."""
        for waiting in self._waiting.values():
            waiting.put_nowait((time.monotonic(), HomeDown(sentence, sent=True)))


async def _arrival(waiting: asyncio.Queue[_Arrived], again: _Send | None) -> _Arrived:
    """A gateway that stops takes the question along without a word, and its status stays true (measured);
    the next time the broker says that nobody listens. The id is the same, so a late answer counts."""
    while True:
        try:
            async with asyncio.timeout(None if again is None else ASK_AGAIN_SECONDS):
                return await waiting.get()
        except TimeoutError:
            if again is not None:
                await again()


async def _read_at_once(payload: bytes, _received: float) -> Mapping[str, Any]:
    answer = json.loads(payload)
    return answer if isinstance(answer, Mapping) else {}


def _result(answer: Mapping[str, Any]) -> Any:
    if answer.get("success") is True:
        return answer.get("result")
    message = answer.get("message")
    if answer.get("success") is not False or not isinstance(message, str):
        raise NotUnderstood
    if message == _WITHOUT_STICK:
        raise NoStick
    raise Refused(spoken_words(message))


def spoken_words(message: object) -> str:
    """What the gateway says, as one line: the driver's messages may be whole traces."""
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return words if len(words) <= _LONGEST_WORDS else f"{words[: _LONGEST_WORDS - 1]}…"

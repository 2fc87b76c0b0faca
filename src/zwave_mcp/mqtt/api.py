"""Z-Wave JS UI's API over MQTT: an allow-list of calls, each answer matched by an id of our own."""

import asyncio
import itertools
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, NotUnderstood

log = logging.getLogger(__name__)

Publish = Callable[[str, bytes], Awaitable[None]]
Read = Callable[[bytes, float], Awaitable[Mapping[str, Any]]]  # payload and arrival time -> answer

_WITHOUT_STICK = "Z-Wave client not connected"  # the gateway's answer to every call while its stick is away
_LONGEST_MESSAGE = 200
ASK_AGAIN_SECONDS = 0.5
_MOST_ANSWERS = 20  # kept for one call; the rest of a flood is dropped
NO_STICK = "Z-Wave JS UI has no connection to its Z-Wave stick."
NOT_CONNECTED = "Z-Wave JS UI is not connected to the MQTT broker."


class NoStick(HomeDown):
    """The gateway answers that its stick is away."""

    def __init__(self) -> None:
        super().__init__(NO_STICK)


class NoSubscriber(HomeDown):
    """The broker reports that nothing subscribes to the API's topic: nothing was sent."""

    def __init__(self) -> None:
        super().__init__(NOT_CONNECTED)


class Api(StrEnum):
    """All calls that can ever be sent. The gateway offers more: `hardReset`, `driverFunction` (runs code)."""

    GET_INFO = "getInfo"
    GET_NODES = "getNodes"
    WRITE_VALUE = "writeValue"
    POLL_VALUE = "pollValue"
    PING_NODE = "pingNode"
    GET_SCENES = "_getScenes"
    ACTIVATE_SCENE = "_activateScene"
    GET_GROUPS = "_getGroups"
    SET_NAME = "setNodeName"
    SET_LOCATION = "setNodeLocation"
    REFRESH_USERS = "accessControlRefreshUsers"
    ACCESS_STATE = "accessControlGetState"


COMMANDS = frozenset({Api.WRITE_VALUE, Api.ACTIVATE_SCENE, Api.SET_NAME, Api.SET_LOCATION})
# A broker account may lack the other calls; without these nothing works.
_NEEDED = (
    Api.GET_INFO, Api.GET_NODES, Api.WRITE_VALUE, Api.POLL_VALUE, Api.PING_NODE, Api.GET_SCENES,
    Api.ACTIVATE_SCENE,
)  # fmt: skip

_Arrival = tuple[float, bytes | HomeDown]  # when, and what


class GatewayApi:
    """The calls in flight to one gateway over one connection."""

    def __init__(self, base: str, publish: Publish) -> None:
        self._base = f"{base}/api"
        self._publish = publish
        self._waiting: dict[str, asyncio.Queue[_Arrival]] = {}
        self.heard = float("-inf")  # when the gateway last answered
        # Random, because answers to other clients arrive on the same topics.
        self._ids = (f"{secrets.token_hex(6)}-{number}" for number in itertools.count(1))

    @property
    def reply_topics(self) -> list[str]:
        return [f"{self._base}/{api}" for api in _NEEDED]

    @property
    def optional_topics(self) -> list[str]:
        return [f"{self._base}/{api}" for api in Api if api not in _NEEDED]

    async def call(
        self, api: Api, args: Sequence[Any], timeout_seconds: float, read: Read | None = None
    ) -> Any:
        """The `result` of the answer. The limit covers sending, waiting and reading."""
        request_id = next(self._ids)
        payload = json.dumps({"args": list(args), "id": request_id}).encode()
        topic = f"{self._base}/{Api(api)}/set"
        self._waiting[request_id] = asyncio.Queue()
        try:
            async with asyncio.timeout(timeout_seconds) as limit:
                await self._publish(topic, payload)
                # A gateway that stops drops a question while its status stays true (measured). Asking again
                # tells: the broker then reports that nothing subscribes. The id is the same, so a late answer
                # counts.
                again = (lambda: self._publish(topic, payload)) if api is Api.GET_INFO else None
                return _result(await self._answer(request_id, read, again))
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise NoAnswer(f"Z-Wave JS UI did not answer within {timeout_seconds:g} seconds.") from error
        except HomeDown as error:
            error.sent = error.sent and api in COMMANDS
            raise
        finally:
            del self._waiting[request_id]

    async def _answer(
        self, request_id: str, read: Read | None, again: Callable[[], Awaitable[None]] | None
    ) -> Mapping[str, Any]:
        """The first well-formed answer whose origin has our id; anything else on the topic is skipped."""
        while True:
            try:
                async with asyncio.timeout(ASK_AGAIN_SECONDS if again else None):
                    received, payload = await self._waiting[request_id].get()
            except TimeoutError:
                if again is not None:
                    await again()
                continue
            if isinstance(payload, HomeDown):
                raise payload
            try:
                answer = await read(payload, received) if read else json.loads(payload)
            except (ValueError, RecursionError):
                log.warning("an answer of Z-Wave JS UI is not JSON", extra={"bytes": len(payload)})
                continue
            origin = answer.get("origin") if isinstance(answer, Mapping) else None
            if isinstance(origin, Mapping) and origin.get("id") == request_id:
                self.heard = max(self.heard, received)
                return answer

    def receive(self, payload: bytes) -> None:
        """Hand an answer to the call whose id it contains; searching bytes is cheaper than parsing all of
        them."""
        for request_id, waiting in self._waiting.items():
            if request_id.encode() in payload and waiting.qsize() < _MOST_ANSWERS:
                waiting.put_nowait((time.monotonic(), payload))

    def fail(self, sentence: str) -> None:
        """End every pending call: the connection is gone."""
        for waiting in self._waiting.values():
            waiting.put_nowait((time.monotonic(), HomeDown(sentence, sent=True)))


def _result(answer: Mapping[str, Any]) -> Any:
    if answer.get("success") is True:
        return answer.get("result")
    message = answer.get("message")
    if answer.get("success") is not False or not isinstance(message, str):
        raise NotUnderstood
    if message == _WITHOUT_STICK:
        raise NoStick
    raise GatewayError(one_line(message))


def one_line(message: object) -> str:
    """A message of the gateway as one short line: the driver's messages may be whole traces."""
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return words if len(words) <= _LONGEST_MESSAGE else f"{words[: _LONGEST_MESSAGE - 1]}…"

"""The MQTT channel: publishes what happens, answers requests, and never holds up a turn."""

import asyncio
import contextlib
import json
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voice_gateway.backoff import Backoff, end_when_stopping, is_stopping, wait_at_most
from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.mqtt.controls import Controls
from voice_gateway.channels.mqtt.discovery import Retained
from voice_gateway.channels.mqtt.link import PUBLISH_LIMIT_SECONDS, connected, correlated, trouble, where
from voice_gateway.channels.mqtt.requests import Requests
from voice_gateway.channels.mqtt.topics import (
    BadRequest,
    Message,
    Request,
    message_for,
    read_request,
    refusal,
    status_message,
    timestamp,
    topic,
)
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.locking import Locks
from voice_gateway.conversation.store import Store
from voice_gateway.errors import LinkError, first_error
from voice_gateway.events import Event, EventBus, PartState, Planned, State

if TYPE_CHECKING:
    import aiomqtt

log = logging.getLogger(__name__)

PART = "mqtt"
FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 30.0
AT_ONCE = 16  # requests that are answered at the same time, each in another conversation
MOST_WAITING = 1_000  # requests in all; further ones get `busy`
MOST_IN_CONVERSATION = 250  # so that one client leaves room for the others
ANSWER_OUT_SECONDS = 1.0  # how long the next request of a conversation waits until an answer is out
BUSY = "busy: too many requests are waiting; ask again in a moment"
KEPT_MESSAGES = 500  # while the broker is away; above that the oldest event is dropped
MOST_TRIES = 5  # a broker may close the connection because of a message


@dataclass(eq=False, slots=True)
class Letter:
    message: Message
    is_answer: bool
    tries: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # sent or given up


class Outbox:
    """Messages in their order, across connections. Answers are never dropped."""

    def __init__(self) -> None:
        self._waiting: deque[Letter] = deque()
        self._added = asyncio.Event()
        self._dropped = 0

    def put(self, message: Message, *, is_answer: bool = False) -> Letter:
        letter = Letter(message, is_answer)
        self._waiting.append(letter)
        self._added.set()
        if len(self._waiting) > KEPT_MESSAGES:
            event = next(
                (
                    letter_waiting
                    for letter_waiting in self._waiting
                    if not letter_waiting.is_answer and not letter_waiting.tries
                ),
                None,
            )
            if event is not None:
                self._waiting.remove(event)
                self._dropped += 1
                if self._dropped.bit_count() == 1:
                    log.warning("MQTT events were dropped", extra={"dropped": self._dropped})
        return letter

    async def next(self) -> Letter:
        """The first message. It stays the first until `done`, so a lost connection keeps the order."""
        while True:
            while not self._waiting:
                self._dropped = 0
                self._added.clear()
                await self._added.wait()
            letter = self._waiting[0]
            letter.tries += 1
            if letter.tries <= MOST_TRIES:
                return letter
            facts = {"topic": letter.message.topic, "tries": MOST_TRIES}
            log.error("MQTT message was given up: the connection was lost each time", extra=facts)
            self.done(letter)

    def done(self, letter: Letter) -> None:
        self._waiting.remove(letter)
        letter.gone.set()


class MqttChannel:
    """Requests are answered in the order of their conversation; messages go out through one queue."""

    def __init__(
        self,
        settings: MqttSettings,
        answer: Answer,
        store: Store,
        events: EventBus,
        *,
        controls: Controls | None = None,
        sleep: Callable[[float], Any] = asyncio.sleep,
        most_waiting: int = MOST_WAITING,
        most_in_conversation: int = MOST_IN_CONVERSATION,
    ) -> None:
        self._settings = settings
        self._most_waiting = most_waiting
        self._most_in_conversation = most_in_conversation
        self._controls = controls or Controls()
        self._commands = frozenset(self._controls.topics(settings))
        self._retained = Retained(settings, tuple(self._controls.switches))
        self._requests = Requests(answer, store, settings.room)
        self._events = events
        self._sleep = sleep
        self.outbox = Outbox()
        self._status_changed = asyncio.Event()
        self._ready = False
        self._conversations = Locks(store, _no_lock)
        self._free = asyncio.Semaphore(AT_ONCE)
        self._waiting: Counter[str] = Counter()  # unanswered requests, by conversation
        events.subscribe(self._on_event)
        events.report(PART, State.STARTING, f"The MQTT broker {where(settings)} has not answered yet.")

    def announce_ready(self) -> None:
        """From now on the retained status says that the gateway is ready."""
        self._ready = True
        self._status_changed.set()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, PartState):
            self._status_changed.set()
        elif isinstance(event, Planned):
            self._put_all(self._retained.planned(event))
        elif (message := message_for(self._settings, event)) is not None:
            self.outbox.put(message)

    async def run(self) -> None:
        """Reconnects until cancelled. Requests under way outlive a lost connection."""
        async with asyncio.TaskGroup() as answers:
            await self._keep_connected(answers)

    async def _keep_connected(self, answers: asyncio.TaskGroup) -> None:
        settings, wait = self._settings, Backoff(FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS)
        while True:
            try:
                async with connected(settings, take=lambda m: self._received(m, answers)) as client:
                    wait.reset()
                    self._events.report(PART, State.OK, f"The MQTT broker {where(settings)} is connected.")
                    await self._serve(client)
            except LinkError as error:
                if is_stopping():  # the error took the place of the cancellation
                    raise asyncio.CancelledError from error
                self._events.report(PART, State.DEGRADED, error.spoken, str(error))
                log.info("MQTT connection ended", extra={"reason": str(error), "retry_seconds": wait.seconds})
            await self._sleep(wait.next())

    async def _serve(self, client: "aiomqtt.Client") -> None:
        import aiomqtt

        settings = self._settings
        lost = self._retained.again()  # before the broker sends what it still has
        for name in (self._request_topic(), *self._commands, *self._retained.topics):
            await client.subscribe(name, qos=1)
        if settings.share_group:
            await client.subscribe(topic(settings, "status"), qos=1)
        if settings.discovery_prefix:
            await client.subscribe(f"{settings.discovery_prefix}/status", qos=1)
        self._announce()
        self._put_all(lost)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.publish_all(client), name="mqtt publish")
                async for _message in client.messages:
                    """Messages go to `_received`; the iterator ends with the connection."""
        except* aiomqtt.MqttError as group:
            error = first_error(group)
            assert isinstance(error, aiomqtt.MqttError)
            raise trouble(settings, error) from group

    def _request_topic(self) -> str:
        plain = topic(self._settings, "req")
        return f"$share/{self._settings.share_group}/{plain}" if self._settings.share_group else plain

    def _announce(self) -> None:
        """Publishes everything that Home Assistant needs to know the gateway."""
        self._put_all([*self._retained.configs(), *self._controls.states(self._settings)])
        self._status_changed.set()

    def _put_all(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.outbox.put(message)

    def _received(self, message: "aiomqtt.Message", answers: asyncio.TaskGroup) -> None:
        payload = message.payload if isinstance(message.payload, bytes) else b""
        name, settings = str(message.topic), self._settings
        if any(message.topic.matches(pattern) for pattern in self._retained.topics):
            if message.retain and payload:
                self._put_all(self._retained.seen(name))
        elif name == f"{settings.discovery_prefix}/status":
            if payload == b"online":
                self._announce()
        elif name == topic(settings, "status"):
            # Of several gateways that share requests one ended, and left its last will.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                if json.loads(payload)["state"] == "offline":
                    self._status_changed.set()
        elif message.retain:
            return  # an old request
        elif name in self._commands:
            self._put_all(self._controls.take(settings, name, payload))
        else:
            self._asked(message, payload, answers)

    def _asked(self, message: "aiomqtt.Message", payload: bytes, answers: asyncio.TaskGroup) -> None:
        reply_to = getattr(message.properties, "ResponseTopic", None)
        correlation = getattr(message.properties, "CorrelationData", None)
        request = read_request(self._settings, payload, reply_to, correlation)
        if isinstance(request, Request) and self._is_busy(request):
            request = BadRequest(BUSY, request.reply_to, request.id, request.correlation)
        if isinstance(request, BadRequest):
            self.outbox.put(refusal(request), is_answer=True)
            return
        self._waiting[request.conversation_id] += 1
        answers.create_task(self._answer(request), name="mqtt answer")

    def _is_busy(self, request: Request) -> bool:
        in_conversation = self._waiting[request.conversation_id]
        return in_conversation >= self._most_in_conversation or self._waiting.total() >= self._most_waiting

    async def _answer(self, request: Request) -> None:
        """A conversation takes its next request when the answer before is out: answers keep their order."""
        conversation = request.conversation_id
        try:
            async with self._conversations.of(f"mqtt:{conversation}"), self._free:
                letter = self.outbox.put(await self._answer_to(request), is_answer=True)
                await wait_at_most(letter.gone, ANSWER_OUT_SECONDS)
            await letter.gone.wait()
        finally:
            self._waiting[conversation] -= 1
            if not self._waiting[conversation]:
                del self._waiting[conversation]

    async def _answer_to(self, request: Request) -> Message:
        try:
            answer = await self._requests.answered(request)
        except Exception as error:  # a bug must cost one answer, not the channel
            log.exception("MQTT request failed", extra={"request": request.id, "reason": repr(error)})
            problem = "something went wrong in the gateway"
            return refusal(BadRequest(problem, request.reply_to, request.id, request.correlation))
        body = json_text({**answer, "timestamp": timestamp()})
        return Message(request.reply_to, body, correlation=request.correlation)

    async def publish_all(self, client: "aiomqtt.Client") -> None:
        """The status whenever it changes, and the outbox in its order."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._publish_status(client), name="mqtt publish status")
            while True:
                letter = await self.outbox.next()
                await _publish(client, letter.message)
                self.outbox.done(letter)
                end_when_stopping()

    async def _publish_status(self, client: "aiomqtt.Client") -> None:
        while True:
            await self._status_changed.wait()
            self._status_changed.clear()
            state = "online" if self._ready else "starting"
            await _publish(client, status_message(self._settings, state, self._events.parts()))
            end_when_stopping()


async def _publish(client: "aiomqtt.Client", message: Message) -> None:
    """Raises MqttError if the connection fails. A message that cannot be sent is logged and skipped."""
    import aiomqtt

    try:
        await client.publish(
            message.topic,
            message.payload,
            qos=1,
            retain=message.retain,
            properties=correlated(message.correlation),
            timeout=PUBLISH_LIMIT_SECONDS,
        )
    except aiomqtt.MqttError:
        raise
    except OSError as error:
        raise aiomqtt.MqttError(str(error)) from error
    except Exception as error:
        log.exception("MQTT message cannot be sent", extra={"topic": message.topic, "reason": repr(error)})


def _no_lock(_phrase: str, error: Exception) -> None:
    log.error("MQTT request keeps no order with other gateways", extra={"reason": str(error)})

"""The MQTT door: tells what happens, answers what is asked, and never holds up a turn."""

import asyncio
import contextlib
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from voice_gateway.backoff import Backoff, end_when_stopping, is_stopping
from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.mqtt.controls import Controls
from voice_gateway.channels.mqtt.link import (
    PUBLISH_LIMIT_SECONDS,
    connected,
    correlated,
    numbered_subscription,
    trouble,
    where,
)
from voice_gateway.channels.mqtt.outbox import Letter, Outbox
from voice_gateway.channels.mqtt.requests import BegunIn, Requests, Succession
from voice_gateway.channels.mqtt.retained import Retained
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
AT_ONCE = 16  # requests that are being answered, or whose answers are on their way; one of each conversation
MOST_WAITING = 1_000  # requests in all; who comes later is told that we are busy
MOST_IN_CONVERSATION = 250  # so that one that asks too much leaves room for the others
IN_ORDER_SECONDS = 1.0  # how long the next answer of a conversation waits until this one is out
ORDER = 1  # the subscription by which we see requests that others get
BUSY = "busy: too many requests are waiting; ask again in a moment"
IN_FLIGHT = 8  # messages that are sent before the broker has confirmed the first of them


class MqttChannel:
    """Publishes from a queue of its own, so that a slow or broken broker slows nothing but this queue."""

    def __init__(
        self,
        settings: MqttSettings,
        answer: Answer,
        store: Store,
        watch: EventBus,
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
        self._watch = watch
        self._sleep = sleep
        self.outbox = Outbox()
        self._status_changed = asyncio.Event()
        self._ready = False
        self._free = asyncio.Semaphore(AT_ONCE)
        self._lines = Locks(store, _not_in_line)
        self._succession = Succession(time.monotonic)
        self._waiting: Counter[str] = Counter()  # requests by their conversation, those at work included
        watch.subscribe(self._watched)
        watch.report(PART, State.STARTING, f"The MQTT broker {where(settings)} has not answered yet.")

    def announce_ready(self) -> None:
        """From now on the retained status says that the gateway is ready."""
        self._ready = True
        self._status_changed.set()

    def _watched(self, event: Event) -> None:
        if isinstance(event, PartState):
            self._status_changed.set()
        elif isinstance(event, Planned):
            self._put_all(self._retained.planned(event))
        elif (message := message_for(self._settings, event)) is not None:
            self.outbox.put(message)

    async def run(self) -> None:
        """Reconnects for ever. Answers in the making outlive a lost connection; their turns are not torn."""
        async with asyncio.TaskGroup() as tasks:
            await self._keep_connected(tasks)

    async def _keep_connected(self, tasks: asyncio.TaskGroup) -> None:
        """Every connection has a client of its own: a reused one would send old messages again."""
        wait = Backoff(FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS)
        while True:
            try:
                async with connected(self._settings, take=lambda m: self._received(m, tasks)) as client:
                    wait.reset()
                    self._watch.report(
                        PART, State.OK, f"The MQTT broker {where(self._settings)} is connected."
                    )
                    await self._serve(client)
            except LinkError as error:
                if is_stopping():  # the error came up while we were being stopped, and took its place
                    raise asyncio.CancelledError from error
                self._watch.report(PART, State.DEGRADED, error.spoken, str(error))
                log.info("MQTT connection ended", extra={"reason": str(error), "retry_seconds": wait.seconds})
            await self._sleep(wait.next())

    async def _serve(self, client: "aiomqtt.Client") -> None:
        import aiomqtt

        await client.subscribe(self._request_topic(), qos=1)
        if self._settings.share_group:
            order = numbered_subscription(ORDER)
            await client.subscribe(topic(self._settings, "req"), qos=1, properties=order)
            await client.subscribe(topic(self._settings, "status"), qos=1)
        lost = self._retained.again()  # before what the broker still has comes in
        for name in (*self._commands, *self._retained.topics):
            await client.subscribe(name, qos=1)
        if self._settings.discovery_prefix:
            await client.subscribe(f"{self._settings.discovery_prefix}/status", qos=1)
        self._announce()
        self._put_all(lost)
        self._status_changed.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.publish_all(client), name="door.mqtt.publish")
                async for _message in client.messages:
                    """They come to `_received`; this ends with the connection."""
        except* aiomqtt.MqttError as group:
            error = first_error(group)
            assert isinstance(error, aiomqtt.MqttError)
            raise trouble(self._settings, error) from group

    def _request_topic(self) -> str:
        plain = topic(self._settings, "req")
        return f"$share/{self._settings.share_group}/{plain}" if self._settings.share_group else plain

    def _announce(self) -> None:
        self._put_all([*self._retained.configs(), *self._controls.states(self._settings)])

    def _put_all(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.outbox.put(message)

    def _received(self, message: "aiomqtt.Message", answers: asyncio.TaskGroup) -> None:
        payload = message.payload if isinstance(message.payload, bytes) else b""
        if any(message.topic.matches(one) for one in self._retained.topics):
            if message.retain and payload:
                self._put_all(self._retained.seen(str(message.topic)))
        elif str(message.topic) == f"{self._settings.discovery_prefix}/status":
            if payload == b"online":
                self._announce()
                self._status_changed.set()
        elif str(message.topic) == topic(self._settings, "status"):
            self._correct_status(payload)
        elif message.retain:
            return  # an old request that a new subscriber gets: nobody waits for its answer any more
        elif str(message.topic) in self._commands:
            self._put_all(self._controls.take(self._settings, str(message.topic), payload))
        else:
            self._asked(message, payload, answers)

    def _asked(self, message: "aiomqtt.Message", payload: bytes, answers: asyncio.TaskGroup) -> None:
        request = read_request(
            self._settings,
            payload,
            getattr(message.properties, "ResponseTopic", None),
            getattr(message.properties, "CorrelationData", None),
        )
        if ORDER in getattr(message.properties, "SubscriptionIdentifier", ()):
            if isinstance(request, Request) and request.repeatable:
                self._succession.passes(request.conversation_id, request.id)
            return  # one of us gets it
        if isinstance(request, Request) and self._is_busy(request):
            request = BadRequest(BUSY, request.reply_to, request.id, request.correlation)
        if isinstance(request, BadRequest):
            self.outbox.put(refusal(request), is_answer=True)
            return
        self._waiting[request.conversation_id] += 1
        before = self._succession.before(request.conversation_id, request.id)
        # A task at once, also for those that have to wait: so they outlive a connection that is lost.
        answers.create_task(self._answer(request, before), name="door.mqtt.answer")

    def _is_busy(self, request: Request) -> bool:
        its_own = self._waiting[request.conversation_id]
        return its_own >= self._most_in_conversation or self._waiting.total() >= self._most_waiting

    def _correct_status(self, payload: Any) -> None:
        """Gateways that share requests share the status: one that ends leaves `offline`, and we are here."""
        with contextlib.suppress(ValueError, TypeError, KeyError):
            if json.loads(payload)["state"] == "offline":
                self._status_changed.set()

    async def _answer(self, request: Request, before: Sequence[str]) -> None:
        try:
            where = await self._answer_in(request.conversation_id, request, before)
            while where is not None:
                where = await self._answer_in(where, request)
        finally:
            self._waiting[request.conversation_id] -= 1
            if not self._waiting[request.conversation_id]:
                del self._waiting[request.conversation_id]

    async def _answer_in(
        self, conversation_id: str, request: Request, before: Sequence[str] = ()
    ) -> str | None:
        """In its conversation one after the other, in the order in which they came, on all gateways.

        Only who has the turn there counts as being at work: a conversation with many slow requests does not
        take the place of others. Requests are taken no faster than their answers go out, so that none of them
        has to be dropped. Gives the conversation in which to wait for somebody else's answer to the same id.
        """
        async with contextlib.AsyncExitStack() as work:
            async with self._lines.of(f"mqtt:{conversation_id}", request.id, before):
                await work.enter_async_context(self._free)
                answer = await self._answer_to(request, conversation_id)
                if isinstance(answer, BegunIn):
                    return answer.conversation_id
                letter = self.outbox.put(answer, is_answer=True)
                if self._settings.share_group is not None:
                    await _out_in_order(letter)
            await letter.gone.wait()
        return None

    async def _answer_to(self, request: Request, conversation_id: str) -> Message | BegunIn:
        try:
            answer = await self._requests.answered(request, conversation_id)
        except Exception as error:  # a bug must cost one answer, not the door, and not in silence
            log.exception("MQTT request failed", extra={"request": request.id, "reason": repr(error)})
            problem = "something went wrong in the gateway"
            return refusal(BadRequest(problem, request.reply_to, request.id, request.correlation))
        if isinstance(answer, BegunIn):
            return answer
        body = json_text({**answer, "timestamp": timestamp()})
        return Message(request.reply_to, body, correlation=request.correlation)

    async def publish_all(self, client: "aiomqtt.Client") -> None:
        """Each takes the next message only when it can send it at once, so they go out in their order."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._publish_status(client), name="door.mqtt.publish.status")
            for number in range(IN_FLIGHT):
                tasks.create_task(self._publish_waiting(client), name=f"door.mqtt.publish.{number}")

    async def _publish_status(self, client: "aiomqtt.Client") -> None:
        while True:
            await self._status_changed.wait()
            self._status_changed.clear()
            state = "online" if self._ready else "starting"
            await _publish(client, status_message(self._settings, state, self._watch.parts()))
            end_when_stopping()

    async def _publish_waiting(self, client: "aiomqtt.Client") -> None:
        while True:
            letter = await self.outbox.take()
            try:
                await _publish(client, letter.message)
            except BaseException:
                self.outbox.give_back(letter)
                raise
            self.outbox.sent(letter)
            end_when_stopping()


async def _publish(client: "aiomqtt.Client", message: Message) -> None:
    """Only trouble with the connection comes out: a message that nobody can send must not stop the others."""
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


async def _out_in_order(letter: Letter) -> None:
    """The next answer of this conversation may be another gateway's; ours go out in their order anyway."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(IN_ORDER_SECONDS):
            await letter.gone.wait()


def _not_in_line(_phrase: str, error: Exception) -> None:
    log.error("MQTT request keeps no order with other gateways", extra={"reason": str(error)})

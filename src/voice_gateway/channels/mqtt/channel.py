"""The MQTT channel: publishes what happens, answers requests, and never holds up a turn.

The broker keeps a request until it was answered: it is acknowledged afterwards, and a gateway that was killed
gets it again. What was answered is kept by id (`Requests`), so a repetition acts only once.
"""

import asyncio
import contextlib
import json
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from paho.mqtt.client import topic_matches_sub

from voice_gateway.backoff import Backoff, end_when_stopping, is_stopping
from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.mqtt.link import PUBLISH_LIMIT_SECONDS, connected, correlated, session, where
from voice_gateway.channels.mqtt.topics import (
    PUSH_TO_TALK,
    SAY,
    SWITCHES,
    Message,
    Request,
    Retained,
    message_for,
    read_request,
    refusal,
    status_message,
    timestamp,
    topic,
)
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.history import Locks
from voice_gateway.conversation.store import Store
from voice_gateway.errors import LinkError, first_error
from voice_gateway.events import Event, EventBus, PartState, Planned, State
from voice_gateway.trace import outcome_json
from voice_gateway.turn import Reply, encodable

if TYPE_CHECKING:
    import aiomqtt
    from paho.mqtt.client import MQTTMessage

    from voice_gateway.channels.voice.channel import VoiceSwitches

log = logging.getLogger(__name__)

PART = "mqtt"
FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 30.0
AT_ONCE = 16  # requests that are answered at the same time, each in another conversation
MOST_WAITING = 1_000  # requests in all; further ones get `busy`
MOST_IN_CONVERSATION = 250  # so that one client leaves room for the others
BUSY = "busy: too many requests are waiting; ask again in a moment"
KEPT_MESSAGES = 500  # events while the broker is away; above that the oldest is dropped
MOST_TRIES = 5  # of one message: a broker may close the connection because of it
LONGEST_TEXT = 1_000  # characters of an announcement
ON, OFF = b"ON", b"OFF"
ACKNOWLEDGE = "alarms/acknowledge"
ANSWER_KEPT_SECONDS = 24 * 3600.0
DELIVERY_KEPT_SECONDS = 330.0  # a request without an id: as long as the broker may deliver it again
MOST_KNOWN = 1_000  # answers that are kept in memory
BEGUN = ""  # stands in the store where the answer will be
INTERRUPTED = "I was interrupted while I did that, so I don't know whether it happened. Please check."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Controls:
    """Commands to this machine. `press` starts push to talk, and returns why it cannot, or ""."""

    say: Callable[[str], None] = lambda _text: None
    press: Callable[[], str] = lambda: ""
    switches: "VoiceSwitches | None" = None  # of the voice channel, if there is one
    acknowledge: Callable[[], str] = lambda: ""


# The broker's number of a request and a digest of it: the number is given out again once it is acknowledged.
Delivery = tuple[int, str]


@dataclass(eq=False, slots=True)
class Outgoing:
    """A message, and the request that is acknowledged when it was sent."""

    message: Message
    delivery: Delivery | None = None
    tries: int = 0
    is_answer: bool = False


@dataclass(eq=False)
class MqttChannel:
    """Requests are answered in the order of their conversation. The broker keeps them while the
    gateway is away, if there is a file with its `identity`."""

    settings: MqttSettings
    answer: Answer
    store: Store
    events: EventBus
    controls: Controls = field(default_factory=Controls)
    identity: Path | None = None
    sleep: Callable[[float], Any] = asyncio.sleep

    def __post_init__(self) -> None:
        settings, events = self.settings, self.events
        self._session: str | None = None
        self._switches = tuple(SWITCHES) if self.controls.switches else ()
        self._retained = Retained(settings, self._switches)
        self._requests = Requests(self.answer, self.store, settings.room)
        self._outgoing: deque[Outgoing] = deque()
        self._more = asyncio.Event()
        self._client: aiomqtt.Client | None = None
        self._ready = False
        self._conversations = Locks(self.store, _no_lock)
        self._free = asyncio.Semaphore(AT_ONCE)
        self._waiting: Counter[str] = Counter()  # unanswered requests, by conversation
        self._not_begun: set[Request] = set()
        self._open: dict[int, Delivery] = {}  # not acknowledged yet, by number
        events.subscribe(self._on_event)
        events.report(PART, State.STARTING, f"The MQTT broker {where(settings)} has not answered yet.")

    def announce_ready(self) -> None:
        """From now on the retained status says that the gateway is ready."""
        self._ready = True
        self._put_status()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, PartState):
            self._put_status()
        elif isinstance(event, Planned):
            self._put(*self._retained.planned(event))
        elif (message := message_for(self.settings, event)) is not None:
            self._put(message)

    def _put(self, *messages: Message) -> None:
        """A retained message takes the place of one that waits; above the limit the oldest event goes."""
        for message in messages:
            if message.retain:
                waiting = [known for known in self._outgoing if known.message.topic != message.topic]
                self._outgoing = deque(waiting)
            self._send(Outgoing(message))

    def _put_status(self) -> None:
        state = "online" if self._ready else "starting"
        self._put(status_message(self.settings, state, self.events.parts()))

    def _send(self, outgoing: Outgoing) -> None:
        self._outgoing.append(outgoing)
        events = (known for known in self._outgoing if not known.is_answer)
        if len(self._outgoing) > KEPT_MESSAGES and (oldest := next(events, None)) is not None:
            self._outgoing.remove(oldest)
        self._more.set()

    # --- the connection

    async def run(self) -> None:
        """Reconnects until cancelled. Requests under way outlive a lost connection."""
        with session(self.settings, self.identity) as self._session:
            async with asyncio.TaskGroup() as answers:
                await self._keep_connected(answers)

    async def _keep_connected(self, answers: asyncio.TaskGroup) -> None:
        settings, wait = self.settings, Backoff(FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS)
        while True:
            try:
                link = connected(settings, client_id=self._session, take=lambda m: self._received(m, answers))
                async with link as client:
                    wait.reset()
                    await self._serve(client)
            except LinkError as error:
                if is_stopping():  # the error took the place of the cancellation
                    raise asyncio.CancelledError from error
                self.events.report(PART, State.DEGRADED, error.spoken, str(error))
                log.info("MQTT connection ended", extra={"reason": str(error), "retry_seconds": wait.seconds})
            await self.sleep(wait.next())

    async def _serve(self, client: "aiomqtt.Client") -> None:
        import aiomqtt

        self._client = client
        try:
            await self._subscribe(client)
            self.events.report(PART, State.OK, f"The MQTT broker {where(self.settings)} is connected.")
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._publish_all(client), name="mqtt publish")
                async for _message in client.messages:
                    """Messages go to `_received`; the iterator ends with the connection."""
        except* aiomqtt.MqttError as group:
            error = first_error(group)
            assert isinstance(error, aiomqtt.MqttError)
            raise error from group
        finally:
            self._client = None
            if self.settings.share_group and is_stopping():
                with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                    await self._leave_group(client)

    async def _leave_group(self, client: "aiomqtt.Client") -> None:
        """The others get all requests from now on, and those that wait here are answered with `busy`."""
        await client.unsubscribe(self._request_topic(), timeout=1.0)
        waiting, self._not_begun = self._not_begun, set()
        refused = (refusal(replace(request, problem=BUSY)) for request in waiting)
        await asyncio.gather(*(_publish(client, message) for message in refused))

    async def _subscribe(self, client: "aiomqtt.Client") -> None:
        """Only requests are kept by the broker: a command of minutes ago must not start a recording."""
        settings = self.settings
        names = [SAY, ACKNOWLEDGE, *([PUSH_TO_TALK] if self._switches else [])]
        names += [f"{name}/set" for name in self._switches]
        if settings.share_group:
            names.append("status")
        topics = [topic(settings, name) for name in names] + [*self._retained.topics]
        if settings.discovery_prefix:
            topics.append(f"{settings.discovery_prefix}/status")
        await client.subscribe([(name, 0) for name in topics])
        self._announce()
        await client.subscribe(self._request_topic(), qos=1)

    def _request_topic(self) -> str:
        plain = topic(self.settings, "req")
        return f"$share/{self.settings.share_group}/{plain}" if self.settings.share_group else plain

    def _announce(self) -> None:
        """Publishes all retained messages: a broker or Home Assistant may have forgotten them."""
        self._put(*self._retained.messages(), *self._switch_states())
        self._put_status()

    def _switch_states(self) -> list[Message]:
        states = {name: getattr(self.controls.switches, name) for name in self._switches}
        return [
            Message(topic(self.settings, name), "ON" if is_on else "OFF", retain=True)
            for name, is_on in states.items()
        ]

    # --- what comes in

    def _received(self, message: "MQTTMessage", answers: asyncio.TaskGroup) -> None:
        payload, name, settings = bytes(message.payload), message.topic, self.settings
        if name == topic(settings, "req"):
            self._asked(message, answers)
        elif name == f"{settings.discovery_prefix}/status":
            if payload == b"online":
                self._announce()
        elif name == topic(settings, "status"):
            # Of several gateways that share requests one ended, and left its last will.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                if json.loads(payload)["state"] == "offline":
                    self._put_status()
        elif any(topic_matches_sub(pattern, name) for pattern in self._retained.topics):
            if message.retain and payload:
                self._put(*self._retained.seen(name))
        elif not message.retain:
            self._control(name, payload)

    def _control(self, name: str, payload: bytes) -> None:
        settings, controls = self.settings, self.controls
        if name == topic(settings, SAY):
            if text := encodable(payload.decode("utf-8", "replace").strip()):
                controls.say(text[:LONGEST_TEXT])
        elif name == topic(settings, ACKNOWLEDGE):
            controls.acknowledge()
        elif name == topic(settings, PUSH_TO_TALK):
            if problem := controls.press():
                log.warning("push to talk over MQTT did nothing", extra={"reason": problem})
        else:
            for switch in self._switches:
                if name == topic(settings, f"{switch}/set") and payload.upper() in (ON, OFF):
                    assert controls.switches is not None
                    controls.switches.turn(switch, payload.upper() == ON)
            self._put(*self._switch_states())

    def _asked(self, message: "MQTTMessage", answers: asyncio.TaskGroup) -> None:
        payload, properties = bytes(message.payload), message.properties
        delivery = (message.mid, sha256(payload).hexdigest()) if message.qos else None
        if delivery is not None:
            if message.dup and self._open.get(message.mid) == delivery:
                return  # it is being answered, and acknowledged afterwards
            self._open[message.mid] = delivery
        if message.retain:  # an old request
            self._acknowledge(delivery)
            return
        reply_to = getattr(properties, "ResponseTopic", None)
        correlation = getattr(properties, "CorrelationData", None)
        request = read_request(self.settings, payload, reply_to, correlation)
        in_conversation, in_all = self._waiting[request.conversation_id], self._waiting.total()
        if in_conversation >= MOST_IN_CONVERSATION or in_all >= MOST_WAITING:
            request = replace(request, problem=request.problem or BUSY)
        if request.problem:
            self._send(Outgoing(refusal(request), delivery, is_answer=True))
            return
        if delivery is not None and self._session is not None:
            number = f"{self._session}:{message.mid}:{delivery[1]}"
            request = replace(request, delivery=number, delivered_again=message.dup)
        self._waiting[request.conversation_id] += 1
        self._not_begun.add(request)
        answers.create_task(self._answer(request, delivery), name="mqtt answer")

    async def _answer(self, request: Request, delivery: Delivery | None) -> None:
        """A conversation answers one request after the other."""
        conversation = request.conversation_id
        try:
            async with self._conversations.of(f"mqtt:{conversation}"), self._free:
                if request in self._not_begun:
                    self._not_begun.remove(request)
                    body = json_text({**await self._requests.answered(request), "timestamp": timestamp()})
                    message = Message(request.reply_to, body, correlation=request.correlation)
                    self._send(Outgoing(message, delivery, is_answer=True))
        except Exception as error:  # a bug must cost one answer, not the channel
            log.exception("MQTT request failed", extra={"request": request.id, "reason": repr(error)})
            failed = refusal(replace(request, problem="something went wrong in the gateway"))
            self._send(Outgoing(failed, delivery, is_answer=True))
        finally:
            self._waiting[conversation] -= 1
            self._waiting += Counter()  # forgets conversations without a request

    def _acknowledge(self, delivery: Delivery | None) -> None:
        """The broker forgets the request. Nothing happens where it has forgotten it by itself."""
        if delivery is not None and self._open.get(delivery[0]) is delivery:
            del self._open[delivery[0]]
            if self._client is not None:
                self._client._client.ack(delivery[0], 1)

    # --- what goes out

    async def _publish_all(self, client: "aiomqtt.Client") -> None:
        """In their order. A message whose publication failed is the first of the next connection."""
        while True:
            await self._more.wait()
            self._more.clear()
            while self._outgoing:
                outgoing = self._outgoing[0]
                outgoing.tries += 1
                if outgoing.tries <= MOST_TRIES:
                    await _publish(client, outgoing.message)
                else:
                    facts = {"topic": outgoing.message.topic, "tries": MOST_TRIES}
                    log.error("MQTT message was given up: the connection was lost each time", extra=facts)
                self._acknowledge(outgoing.delivery)
                if self._outgoing and self._outgoing[0] is outgoing:
                    self._outgoing.popleft()
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


@dataclass(eq=False)
class Requests:
    """The answers of the last ids are kept here, and all in the store. A store that fails costs only what
    other gateways, and this one after a restart, know."""

    _answer: Answer
    _store: Store
    _room: str | None
    _known: dict[str, "asyncio.Future[dict[str, Any]]"] = field(default_factory=dict)

    async def answered(self, request: Request) -> dict[str, Any]:
        """The answer. The caller holds the lock of the conversation."""
        if not request.repeatable:
            return await (self._once(request) if request.delivery else self._fresh(request))
        known = self._known.get(request.id)
        if known is None:
            known = self._known[request.id] = asyncio.get_running_loop().create_future()
            try:
                known.set_result(await self._once(request))
            except BaseException as error:
                del self._known[request.id]
                known.set_exception(error) if isinstance(error, Exception) else known.cancel()
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return await asyncio.shield(known)

    async def _once(self, request: Request) -> dict[str, Any]:
        store, key, expiry = self._store, f"request:{request.id}", ANSWER_KEPT_SECONDS
        if not request.repeatable:
            key, expiry = f"delivery:{request.delivery}", DELIVERY_KEPT_SECONDS
        if not request.repeatable and not request.delivered_again:  # the broker gives numbers out again
            await self._try(store.put(key, BEGUN, expiry_seconds=expiry), None)
            kept = None
        elif (kept := await self._try(store.get(key), None)) is None:
            claimed = await self._try(store.exchange(key, None, BEGUN, expiry_seconds=expiry), True)
            kept = None if claimed else BEGUN
        if kept:
            return cast("dict[str, Any]", json.loads(kept))
        if kept is None:
            answer = await self._fresh(request)
        else:
            # A gateway began and is gone; it may have acted. Reading is safe, acting again is not.
            log.warning("request was begun and left unanswered", extra={"request": request.id})
            answer = await self._fresh(request, read_only_reason=INTERRUPTED)
        text = json.dumps(answer, default=str)
        if await self._try(store.exchange(key, BEGUN, text, expiry_seconds=expiry), True):
            return answer
        # This gateway was taken for dead (a machine that slept), and another has answered by now.
        other = await self._try(store.get(key), None)
        return cast("dict[str, Any]", json.loads(other)) if other else answer

    async def _fresh(self, request: Request, **options: Any) -> dict[str, Any]:
        reply: Reply = await self._answer(request.utterance(self._room), **options)
        outcomes = [outcome_json(outcome) for outcome in reply.outcomes]
        return {"id": request.id, **reply.to_json(), "outcomes": outcomes, "model": reply.model}

    async def _try(self, step: Awaitable[T], otherwise: T) -> T:
        try:
            return await step
        except Exception as error:  # each kind of store has errors of its own
            facts = {"reason": str(error) or repr(error)}
            log.error("MQTT request is kept without the store", extra=facts)
            return otherwise

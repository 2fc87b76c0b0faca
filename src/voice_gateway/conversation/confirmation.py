"""Asks before a sensitive call, and takes the yes or no only from the next utterance of that conversation."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hmac import compare_digest
from math import ceil
from typing import Any

from home_names.risk import is_sensitive
from voice_gateway.config import SHORTEST_PIN, PermissionSettings
from voice_gateway.conversation.numerals import Spoken, parted, readings
from voice_gateway.conversation.owner import OwnerDesk
from voice_gateway.conversation.pin_lock import PinLock, PinVerdict
from voice_gateway.errors import GatewayError
from voice_gateway.events import AnswerWanted
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.languages import say
from voice_gateway.languages.outcomes import told as outcomes_told
from voice_gateway.progress import Progress, listener
from voice_gateway.tools.builtin.times import say_seconds
from voice_gateway.tools.executor import CONFIRMED, ToolExecutor
from voice_gateway.tools.permission.gate import PROGRAMS, TurnGate
from voice_gateway.tools.permission.question import question
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import traits
from voice_gateway.turn import OutcomeStatus, Reply, ToolCall, ToolTraits, Utterance, Words, new_id
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.dialogue import Open, picked
from voice_gateway.understanding.leaves import EXACT, PARTIAL
from voice_gateway.understanding.nodes import Answer as AnswerNode
from voice_gateway.understanding.nodes import Chat
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.templates import Language

log = logging.getLogger(__name__)

QUESTION = "confirmation"  # where the open question stands in a conversation's state
DECLINED = "confirmation declined"  # there too: the calls that the turn before said no to
OVER = "confirmation over"  # there too: until when a PIN may still come after its question
GRACE_SECONDS = 60.0
FEW_WORDS = 2  # beside a number that may be the rest of a PIN
HIDDEN = "(hidden: it may hold a PIN)"
LONG_NUMBER, MASK = re.compile(r"\d{4,}"), "••••"

CHOSEN = "some of what I asked about"
KEPT_BACK = "a number that could be a PIN, so nothing was passed on"


LONGEST_NO = 4  # "no, turn on the lamp instead" is a new request
LONGEST_ANSWER = 12  # words beside a PIN, or of a choice
STRANGE_WORDS = 2  # "yes honey, it's Joe, 2468"; three more would be another request


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    WRONG_PIN = "wrong pin"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Choice:
    """Places of the calls that are meant; if not sure, they are asked about again."""

    places: frozenset[int]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class AnswerReader:
    language: Language

    def read(self, text: str, asked: str, pin: str | None) -> Answer:
        """`asked` is the question, whose own words may come back: "yes, unlock the front door"."""
        own, spoken = frozenset(parted(asked).words), parted(text)
        if pin is not None and spoken.numbers:
            answer = self._with_number(spoken, own)
            right = sum(compare_digest(reading, pin) for reading in readings(spoken)) > 0  # in constant time
            return Answer.WRONG_PIN if answer is Answer.YES and not right else answer
        reader = Reader(self.language, build_home(()))
        tokens = reader.tokens(" ".join(spoken.words)).without_pauses()
        if reader.prefix(tokens, "no") and len(tokens.words) <= LONGEST_NO:
            return Answer.NO
        agreed = reader.prefix(tokens, "consent")
        if not agreed or not own | self.language.group("beside_a_yes") >= set(tokens.words[agreed:]):
            return Answer.OTHER
        return Answer.YES if pin is None else Answer.WRONG_PIN

    def _with_number(self, spoken: Spoken, asked: frozenset[str]) -> Answer:
        """Whether it is meant as an answer, whatever the number is."""
        words, group = spoken.words, self.language.group
        if any(word in group("refusing") or word.endswith("n't") for word in words):
            return Answer.NO
        if len(words) > LONGEST_ANSWER or (words and words[0] in group("asking_words")):
            return Answer.OTHER
        known = group("beside_a_yes", "beside_a_pin") | asked
        strange = sum(word not in known for word in words)
        agreed = not group("agreeing").isdisjoint(words)
        return Answer.YES if strange <= (STRANGE_WORDS if agreed else 0) else Answer.OTHER

    def choice(self, text: str, asked: str, devices: Sequence[Device]) -> Choice | None:
        """Which of the calls are meant, each by what it is about. None for a yes, a no and other words; with
        another verb than the question it is another request."""
        home, devices = build_home(devices), tuple(devices)
        reader = Reader(self.language, home)
        tokens = reader.tokens(text)
        deeds = self.language.group("deeds_of_answers") - set(parted(asked).words)
        other_deed = not deeds.isdisjoint(tokens.words)
        if not devices or len(tokens.words) > LONGEST_ANSWER:
            return None
        for level in (EXACT, PARTIAL):
            for reading in reader.read(tokens, "Answer", level):
                node = reading.node
                assert isinstance(node, AnswerNode)
                if other_deed and node.kind not in ("but", "not"):
                    continue
                chosen = picked(node, Open(Chat(), devices), Context(home=home))
                if chosen and (node.kind != "all" or len(chosen) < len(devices)):
                    several = len(chosen) > 1 and node.kind in ("name", "sort")
                    return Choice(frozenset(map(devices.index, chosen)), sure=not several)
        return None


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls that wait for the user until a wall-clock time."""

    calls: tuple[ToolCall, ...]
    question: str
    expires: float
    sensitive: bool = True  # then a PIN is asked for, and the channel matters
    said: str = ""  # the words after which it was asked
    owner: str = ""  # the question to the owner that it is; empty: one of this conversation
    always: str = ""  # the tool that a yes permits from now on; then there are no calls

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "calls": calls_json(self.calls)}


def open_question(state: Mapping[str, Any]) -> Pending | None:
    if (raw := state.get(QUESTION)) is None:
        return None
    return Pending(**{**raw, "calls": tuple(ToolCall(new_id(), **call) for call in raw["calls"])})


def calls_json(calls: Sequence[ToolCall]) -> list[Any]:
    return [{"name": call.name, "args": call.args} for call in calls]


@dataclass(frozen=True, slots=True)
class Incoming:
    """An utterance as other parts may see it, and how it answers the open question."""

    utterance: Utterance
    pending: Pending | None = None  # the open question
    answer: Answer = Answer.OTHER
    hidden: bool = False  # they may hold a PIN, so nothing of them is kept
    numbered: bool = False  # they hold a number that is long enough for one
    choice: Choice | None = None  # of the calls that were asked about: "only the lamp"
    declined: Sequence[Any] = ()  # the calls, as JSON, that were proposed last and not agreed to

    @property
    def taken_for(self) -> str:
        """For the trace: why no stage was asked."""
        if self.answer is Answer.OTHER:
            return CHOSEN if self.choice is not None else KEPT_BACK
        return "a yes to my question" if self.answer is Answer.YES else "no yes to my question"


class Confirmation:
    """Asks before a sensitive call, reads the answer, and makes the calls that were agreed to."""

    def __init__(
        self,
        executor: ToolExecutor,
        settings: PermissionSettings,
        *,
        context: UnderstandingStage,
        pin_lock: PinLock,
        owner: OwnerDesk,
        permit: Callable[[str, str], None] | None,
        now: Callable[[], float],
    ) -> None:
        self._executor, self._settings, self._context, self._now = executor, settings, context, now
        self._pin_lock, self._owner, self._permit = pin_lock, owner, permit
        self._offered: set[str] = set()  # tools that the owner was asked to permit always
        self._pin = settings.pin.get_secret_value() if settings.pin else None
        self._asked_until: dict[str, float] = {}  # by channel, until when a PIN may come
        self._owner_pin_until = 0.0  # the same for the owner's answer to a program, in any conversation

    def gate(self, channel: str, *, read_only: bool = False, confirmed: bool = False) -> TurnGate:
        """For the calls of one turn."""
        return TurnGate(
            channel, self._settings, self._context.reach, read_only=read_only, confirmed=confirmed
        )

    # --- the utterance

    def receive(self, utterance: Utterance, state: Mapping[str, Any]) -> Incoming:
        """Reads the answer to an open question. No other part gets the words of one that may hold a PIN."""
        pending, text = open_question(state), utterance.text
        if utterance.channel not in PROGRAMS:
            asked = self._owner.question_for(state, utterance.answers)
            pending = asked if utterance.answers else asked or pending
        pin = self._pin if pending and pending.sensitive else None
        answer, choice = Answer.OTHER, None
        if pending is not None:
            reader = AnswerReader(self._context.grammar().language)
            answer = reader.read(text, self._words_of(pending), pin)
            if len(pending.calls) > 1 and not pending.owner:
                things = [self._thing(call) for call in pending.calls]
                choice = reader.choice(text, pending.question, things)
        if self._pin is not None and choice is None and self._hides(utterance, answer, pending, state):
            hidden = replace(utterance, text=HIDDEN)
            numbered = any(len(number) >= SHORTEST_PIN for number in readings(parted(text)))
            return Incoming(hidden, pending, answer, hidden=True, numbered=numbered)
        if pending is not None and pending.owner and answer is Answer.OTHER and choice is None:
            pending = None  # the words speak of something else, and the question stays open
        declined = state.get(DECLINED, [])
        if pending is not None:  # the same words once more are asked about again
            declined = [] if pending.said == self.masked(text) else calls_json(pending.calls)
        return Incoming(utterance, pending, answer, choice=choice, declined=declined)

    def _words_of(self, pending: Pending) -> str:
        """Those that may come back beside a yes. A program's own could make "okay, turn on the lamp" one."""
        if not pending.owner:
            return pending.question
        reaches = [reach for call in pending.calls if (reach := self._reach(call))]
        acts = [reach.action for reach in reaches if reach.action.isalpha()]
        return " ".join([*acts, *(device.name for reach in reaches for device in reach.devices)])

    def _hides(
        self, utterance: Utterance, answer: Answer, pending: Pending | None, state: Mapping[str, Any]
    ) -> bool:
        """Whether the words may hold a PIN. While one is asked for, only words without a number pass that our
        own brain understands; shortly after, all but a few words and short numbers do."""
        text = utterance.text
        spoken = parted(text)
        if pending is not None and pending.sensitive:
            near = self._now() <= pending.expires + GRACE_SECONDS
            return answer is not Answer.OTHER or (near and bool(spoken.numbers or not self._reads(text)))
        if self._now() > state.get(OVER, 0.0):
            of_owner = utterance.answers or utterance.channel in self._settings.sensitive_channels
            whole = bool(spoken.numbers) and spoken.size >= SHORTEST_PIN
            return bool(of_owner) and whole and self._now() <= self._owner_pin_until
        few = len(spoken.words) <= FEW_WORDS
        if spoken.numbers:
            return few or spoken.size >= SHORTEST_PIN
        return len(spoken.words) <= SHORTEST_PIN and not self._reads(text)

    def _reads(self, text: str) -> bool:
        return self._context.home_facts(text).read

    def masked(self, text: str) -> str:
        """The words as they may be kept and published: with a PIN configured, long numbers are masked."""
        return text if self._pin is None else LONG_NUMBER.sub(MASK, text)

    def wants_pin(self, channel: str) -> bool:
        """Whether a PIN is asked for on this channel, or was less than a minute ago."""
        return self._now() <= self._asked_until.get(channel, 0.0)

    # --- the question

    async def ask(self, turn: Turn, reply: Reply, gate: TurnGate, incoming: Incoming) -> Reply:
        """The reply with a question about the calls that wait; they were not made and leave no outcome."""
        done = tuple(outcome for outcome in reply.outcomes if outcome.status is not OutcomeStatus.WAITING)
        # Text from outside does not stand before the question: it could contain a question itself.
        shown = [
            outcome for outcome in done if not outcome.outside or outcome.status is not OutcomeStatus.READ
        ]
        plainly = gate.words is Words.WISH or not gate.by_model
        again = not plainly and calls_json(gate.asked) == incoming.declined
        open_now = False
        if gate.asks_owner:
            answered = await self._of_owner(turn, gate.asked)
            text, done, fine = answered.text, (*done, *answered.outcomes), answered.ok
        elif again:
            text, fine = say("confirm.not_again"), True
        else:
            text, open_now = await self.asked(turn, gate.asked)
            fine = open_now
        text = f"{outcomes_told(shown)} {text}" if shown else text
        turn.history.add_ai(text)
        ok = fine and all(outcome.ok for outcome in done)
        return replace(reply, text=text, parts=(), outcomes=done, ok=ok, expects_answer=open_now)

    async def asked(self, turn: Turn, calls: Sequence[ToolCall]) -> tuple[str, bool]:
        """Opens a question about these calls; or returns why it cannot be asked, and False."""
        pending = self._pending(turn, calls, self._settings.expiry_seconds)
        pin = self._needs_pin(pending)
        if pin and (locked := await self._locked()):
            return locked, False
        turn.history.state[QUESTION] = pending.to_json()
        if pin:
            self._asked_until[turn.utterance.channel] = pending.expires + GRACE_SECONDS
        return pending.question, True

    async def _of_owner(self, turn: Turn, calls: Sequence[ToolCall]) -> Reply:
        """The reply to the person who answered in another channel; its outcomes are those of the calls."""
        pending = self._pending(turn, calls, self._owner.seconds)
        pin = self._needs_pin(pending)
        if pin and (locked := await self._locked()):
            return Reply(locked, ok=False)
        if pin:
            until = pending.expires + GRACE_SECONDS
            self._asked_until |= dict.fromkeys(self._settings.sensitive_channels, until)
            self._owner_pin_until = until
        if (report := listener()) is not None:
            report(Progress(0.0, message=say("owner.waiting")))
        return await self._owner.answer_to(pending, pin=pin)

    def _pending(self, turn: Turn, calls: Sequence[ToolCall], seconds: float) -> Pending:
        sensitive = any(self._risk(call) is Risk.SENSITIVE for call in calls)
        pin = sensitive and self._pin is not None
        asks = question(calls, self._traits, self._context.reach, pin=pin)
        until = self._now() + seconds
        return Pending(tuple(calls), asks, until, sensitive, self.masked(turn.utterance.text))

    def _needs_pin(self, pending: Pending) -> bool:
        return pending.sensitive and self._pin is not None

    async def _locked(self) -> str:
        """Why no PIN is asked for now; empty if one may be."""
        seconds = await self._pin_lock.seconds_left()
        return say("confirm.locked", time=say_seconds(ceil(seconds))) if seconds else ""

    def wanted(self, reply: Reply, state: Mapping[str, Any]) -> AnswerWanted | None:
        """What kind of answer the question at the end of this reply wants."""
        if not reply.expects_answer:
            return None
        pending = open_question(state)
        if pending is None:
            return AnswerWanted.WORDS
        return AnswerWanted.PIN if self._needs_pin(pending) else AnswerWanted.YES_NO

    def _thing(self, call: ToolCall) -> Device:
        """The words by which this call can be chosen among the others."""
        reach = self._reach(call) or Reach()
        if len(reach.devices) == 1:
            device = reach.devices[0]
            return Device(device.name, device.room or "", device.kind)
        return Device(reach.scene or reach.said or call.name.replace("_", " "), "", "other")

    def set_aside(self, state: dict[str, Any]) -> None:
        """Closes the open question without an answer."""
        if state.pop(QUESTION, None) is not None:
            state[OVER] = self._now() + GRACE_SECONDS

    # --- the answer

    async def settle(self, turn: Turn, incoming: Incoming) -> Reply | None:
        """The reply to an answer, or None for other words. The question is closed either way."""
        pending = incoming.pending
        turn.history.state.pop(QUESTION, None)
        turn.history.state.pop(DECLINED, None)
        if pending is not None and incoming.choice is not None and self._now() <= pending.expires:
            return await self._choose(turn, pending, incoming.choice)
        if pending is not None and incoming.answer is Answer.NO:
            return self._declined(turn, pending)
        here = turn.utterance.channel in self._settings.sensitive_channels
        hides = incoming.hidden and not incoming.numbered  # a yes, or words that nobody here reads
        if pending is not None and pending.sensitive and hides and here and self._now() <= pending.expires:
            turn.history.state[QUESTION] = pending.to_json()
            return replace(_told(turn, say("confirm.pin_wanted"), ok=True), expects_answer=True)
        if pending is None or incoming.answer is Answer.OTHER:
            return self._kept_back(turn, incoming)
        if refusal := await self._refusal(turn, pending, incoming):
            turn.history.state[OVER] = self._now() + GRACE_SECONDS
            return _told(turn, refusal)
        return await self._agreed(turn, pending)

    async def _agreed(self, turn: Turn, pending: Pending) -> Reply:
        if pending.always:
            return self._permitted(turn, pending.always)
        end = self._owner.taken(pending.owner)
        if pending.owner and end is None:  # the first answer counts
            return _told(turn, say("owner.over"))
        turn.history.add_user(turn.utterance.text)
        reply = Reply("It may still happen.", ok=False)
        try:
            reply = await self.run(turn, pending.calls, sensitive=pending.sensitive)
        finally:
            if end is not None:
                self._owner_pin_until = 0.0
                end(reply)
        return self._with_offer(turn, pending, reply)

    def _with_offer(self, turn: Turn, pending: Pending, reply: Reply) -> Reply:
        """The reply, and after the first yes to an unknown tool or scene the offer to permit it always."""
        [name, *more] = {self._permissible(call) for call in pending.calls} or {""}
        if more or not name or not reply.ok or name in self._offered or self._permit is None:
            return reply
        self._offered.add(name)
        asks, until = say("permit.always"), self._now() + self._settings.expiry_seconds
        offer = Pending((), asks, until, sensitive=False, said=turn.utterance.text, always=name)
        turn.history.state[QUESTION] = offer.to_json()
        turn.history.add_ai(asks)
        return replace(reply, text=f"{reply.text} {asks}", expects_answer=True)

    def _permissible(self, call: ToolCall) -> str:
        """The name under which this call may be permitted always; empty where each call needs its yes."""
        reach, known = self._reach(call), self._traits(call.name)
        if reach is not None:
            plain = reach.unseen and not reach.devices and CONFIRMED not in call.arguments
            return "" if not plain or is_sensitive("other", (reach.scene,), "on") else reach.scene
        return call.name if self._risk(call) is Risk.UNKNOWN and known.source != "builtin" else ""

    def _permitted(self, turn: Turn, name: str) -> Reply:
        assert self._permit is not None
        try:
            self._permit(name, "always")
        except GatewayError as error:
            log.warning("a permit is not kept", extra={"reason": str(error)})
            return _told(turn, say("permit.not_kept"))
        return _told(turn, say("permit.kept"), ok=True)

    def _declined(self, turn: Turn, pending: Pending) -> Reply:
        turn.history.state[DECLINED] = calls_json(pending.calls)
        reply = _told(turn, say("no"), ok=True)
        if (end := self._owner.taken(pending.owner)) is not None:
            self._owner_pin_until = 0.0
            end(replace(reply, ok=False))
        return reply

    async def _choose(self, turn: Turn, pending: Pending, choice: Choice) -> Reply:
        """Makes the chosen calls; asks again if it is not clear which, or if one is sensitive."""
        calls = [call for at, call in enumerate(pending.calls) if at in choice.places]
        if choice.sure and not calls:
            return self._declined(turn, pending)
        turn.history.add_user(turn.utterance.text)
        sensitive = any(self._risk(call) is Risk.SENSITIVE for call in calls)
        if choice.sure and not sensitive:
            return await self.run(turn, calls, sensitive=False)
        text, open_now = await self.asked(turn, calls or pending.calls)
        turn.history.add_ai(text)
        return Reply(text, stage="local", ok=open_now, expects_answer=open_now)

    def _kept_back(self, turn: Turn, incoming: Incoming) -> Reply | None:
        """Withholds words that may hold a PIN. Other words end the time in which one may come."""
        if turn.utterance.answers and incoming.pending is None:
            return _told(turn, say("owner.over"))
        if not incoming.hidden:
            turn.history.state.pop(OVER, None)
            return None
        turn.history.state[OVER] = self._now() + GRACE_SECONDS
        return _told(turn, say("confirm.number"))

    async def _refusal(self, turn: Turn, pending: Pending, incoming: Incoming) -> str:
        """Why a yes does not count; empty if it does. The PIN is checked last."""
        if self._now() > pending.expires:
            return say("confirm.too_late")
        from_program = pending.owner and turn.utterance.channel == "mqtt"
        if not pending.sensitive and not from_program:
            return ""
        if turn.utterance.channel not in self._settings.sensitive_channels:
            return say("confirm.not_here")
        if not self._needs_pin(pending):
            return ""
        return await self._judged(right=incoming.answer is Answer.YES)

    async def pin_problem(self, pin: str) -> str:
        """Why this PIN does not count; empty if it does, or if none is set."""
        if self._pin is None:
            return ""
        return await self._judged(right=compare_digest(pin.encode(), self._pin.encode()))

    async def _judged(self, *, right: bool) -> str:
        verdict, attempts = await self._pin_lock.judge(right=right)
        left = say_seconds(ceil(attempts.seconds_left(self._now())))
        if verdict is PinVerdict.RIGHT:
            return ""
        if verdict is PinVerdict.LOCKED:
            return say("confirm.locked", time=left)
        return say("confirm.locked_now" if attempts.is_locked else "confirm.wrong_pin", time=left)

    async def run(self, turn: Turn, calls: Sequence[ToolCall], *, sensitive: bool) -> Reply:
        """Makes the agreed calls. One that turns out to be sensitive only now is asked about."""
        gate = self.gate(turn.utterance.channel, confirmed=True)
        gate.agreed_to = Risk.SENSITIVE if sensitive else Risk.REVERSIBLE
        return await self._made(turn, calls, gate)

    async def chosen(self, turn: Turn, calls: Sequence[ToolCall]) -> Reply:
        """Makes calls that were chosen by hand, after closing an open question."""
        turn.history.state.pop(QUESTION, None)
        turn.history.state.pop(DECLINED, None)
        turn.history.add_user(turn.utterance.text)
        return await self._made(turn, calls, self.gate(turn.utterance.channel))

    async def _made(self, turn: Turn, calls: Sequence[ToolCall], gate: TurnGate) -> Reply:
        for call in calls:
            if self._executor.tools.find(call.name) is None:  # in a new process its server may still connect
                await self._context.tool_known(call.name)
        turn.history.add_ai("", calls)
        outcomes = await replace(turn, gate=gate).run(self._executor, calls)
        turn.history.add_outcomes(outcomes)
        reply = Reply("", tuple(outcomes), stage="local", ok=all(outcome.ok for outcome in outcomes))
        if gate.asked:
            return await self.ask(turn, reply, gate, Incoming(turn.utterance))
        text = outcomes_told(outcomes)
        turn.history.add_ai(text)
        return replace(reply, text=text, parts=())

    def _risk(self, call: ToolCall) -> Risk:
        return risk_of(call, self._traits(call.name), self._settings, self._reach(call))

    def _reach(self, call: ToolCall) -> Reach | None:
        return self._context.reach(call, self._traits(call.name))

    def _traits(self, name: str) -> ToolTraits:
        tool = self._executor.tools.find(name)
        return traits(tool) if tool else ToolTraits()


def _told(turn: Turn, text: str, *, ok: bool = False) -> Reply:
    turn.history.add_user(turn.utterance.text)
    turn.history.add_ai(text)
    return Reply(text, stage="local", ok=ok)

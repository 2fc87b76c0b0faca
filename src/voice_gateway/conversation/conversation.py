"""The one entry for words: an Utterance goes through the stages, and a Reply comes back."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from voice_gateway import languages
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.confirmation import HIDDEN, QUESTION, Confirmation, Incoming
from voice_gateway.conversation.history import Histories, Locks
from voice_gateway.conversation.owner import ASKING, OwnerDesk
from voice_gateway.conversation.pin_lock import PinLock
from voice_gateway.conversation.stages import Aside, Stages, behind_outcomes
from voice_gateway.conversation.store import MemoryStore, Store, conversation_key
from voice_gateway.conversation.undo_log import KeptActs
from voice_gateway.errors import GatewayError
from voice_gateway.events import (
    Acted,
    Answered,
    EventBus,
    Heard,
    Progressed,
    Said,
    Staged,
    Waiting,
)
from voice_gateway.interruption import Interruption
from voice_gateway.logs import turn_context
from voice_gateway.progress import Progress, listener, progress_to
from voice_gateway.tools.executor import ToolExecutor, heard_by
from voice_gateway.tools.manager import tool_beside
from voice_gateway.tools.masking import keeps_words
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Part, Reply, Say, ToolCall, Utterance, speaking_in
from voice_gateway.turns.acts import Acts, TurnActs, Where, waves
from voice_gateway.turns.stage import Stage, Turn
from voice_gateway.understanding.stage import UnderstandingStage

log = logging.getLogger(__name__)

NOTHING_HEARD = "I didn't hear anything."
TOO_LONG = "That was too much at once. Please say it in fewer words."
NAME_TOO_LONG = f"The name of a conversation, room or satellite may have {LONGEST_NAME} characters."
SHOWN_OF_TOO_MUCH = 60  # characters of an utterance that is too long, as published


class Conversation:
    """One conversation answers one utterance at a time; different conversations run in parallel."""

    def __init__(
        self,
        stages: Sequence[Stage],
        executor: ToolExecutor,
        brain: BrainSettings,
        permission: PermissionSettings,
        *,
        context: UnderstandingStage,  # reads words about the home
        store: Store | None = None,
        events: EventBus | None = None,
        alarms: Callable[[str], Awaitable[str | None]] | None = None,  # answers before a turn begins
        asides: Sequence[Aside] = (),
        gateway: str = "",  # the name of this gateway in a shared store
        acts: Acts | None = None,  # kept for undo; in memory if None
        owner: OwnerDesk | None = None,  # asks about calls of programs
        permit: Callable[[str, str], None] | None = None,  # keeps what the owner allows a tool
        pin_file: Path | None = None,  # the count of wrong PINs; in memory if None
        now: Callable[[], float] = time.time,
    ) -> None:
        self._executor, self._brain, self._gateway, self._now = executor, brain, gateway, now
        self.events = events or EventBus()
        self._context = context
        self._alarms = alarms
        self._set_aside: set[str] = set()  # conversations whose open question an alarm has ended
        self._stages = Stages(stages, self.events, context, asides)
        self._acts = acts or KeptActs(MemoryStore(now), now=now)
        store = store or MemoryStore()
        self._histories = Histories(store, brain.conversation_expiry_seconds, self.events)
        self.watch_memory = self._histories.watch_store
        self.locks = Locks(store, self._histories.failed)
        self.pin_lock = PinLock(pin_file, self.events, now)
        self._confirmation = Confirmation(
            executor,
            permission,
            context=context,
            pin_lock=self.pin_lock,
            owner=owner or OwnerDesk(self.events),
            permit=permit,
            now=now,
        )
        self.wants_pin = self._confirmation.wants_pin
        self.pin_problem = self._confirmation.pin_problem

    async def answer(
        self,
        utterance: Utterance,
        *,
        say: Say | None = None,
        read_only_reason: str | None = None,
        interruption: Interruption | None = None,
        take_back: Where | None = None,
    ) -> Reply:
        """Never raises except for cancellation: errors become a reply.

        With `read_only_reason` nothing may be changed, and that is the reply if an act was wanted.
        With `take_back` an undo means the last of these acts, whatever the words are.
        """
        started = perf_counter()
        if problem := _too_long(utterance):
            return self._refused(utterance, problem)
        if self._alarms and (heard := await self._alarms(utterance.text)):  # closes an open question
            self._set_aside.add(conversation_key(utterance, self._gateway))
            self.events.publish(Heard(utterance))
            return self._answered(utterance, Reply(heard, stage="local"), {}, started)
        text = " ".join("".join(c if c.isprintable() else " " for c in utterance.text).split())
        utterance = replace(utterance, text=text, room=utterance.room or self._brain.room)
        async with self._opened(utterance, take_back=take_back) as opened:
            state = opened.history.state
            if (key := conversation_key(utterance, self._gateway)) in self._set_aside:
                self._set_aside.remove(key)
                self._confirmation.set_aside(state)
            incoming = self._confirmation.receive(utterance, state)
            shown = incoming.utterance
            if not incoming.hidden:
                shown = replace(utterance, text=self._confirmation.masked(text))
            self.events.publish(Heard(shown, incoming.pending.question if incoming.pending else ""))
            turn = replace(
                opened,
                utterance=incoming.utterance,
                shown=shown,
                say=self._telling(shown, say),
                interruption=interruption or Interruption(),
            )
            reply = await self._in_time(turn, shown, self._take_turn(turn, incoming, read_only_reason))
            state[ASKING] = reply.expects_answer
        if not any(keeps_words(outcome.name) for outcome in reply.outcomes):
            log.debug("turn answered", extra={"said": shown.text, "reply": reply.text, "stage": reply.stage})
        return self._answered(shown, reply, state, started)

    async def carry_out(
        self, utterance: Utterance, calls: Sequence[ToolCall], *, sensitive: bool, made_in: Utterance
    ) -> Reply:
        """Makes calls that were agreed to earlier, in a turn of their own; undo finds them in `made_in`.

        With `sensitive` the yes covered sensitive calls; otherwise such a call asks first.
        """
        started, replies = perf_counter(), list[Reply]()
        async with self._opened(utterance, made_in=made_in) as turn:
            turn.history.add_user(utterance.text)
            try:
                async with asyncio.timeout(self._brain.turn_timeout_seconds):
                    for wave in waves(calls):
                        replies += [await self._confirmation.run(turn, wave, sensitive=sensitive)]
            except TimeoutError:
                replies.append(Reply("It took too long, and may still happen.", ok=False))
        outcomes = tuple(outcome for reply in replies for outcome in reply.outcomes)
        ok = all(reply.ok and not reply.expects_answer for reply in replies)
        whole = Reply(" ".join(reply.text for reply in replies), outcomes, stage="local", ok=ok)
        return self._answered(utterance, whole, turn.history.state, started)

    async def make_calls(self, utterance: Utterance, calls: Sequence[ToolCall]) -> Reply:
        """Makes calls that were chosen by hand, with the permission and questions of a spoken request.

        The utterance only describes them.
        """
        started = perf_counter()
        if problem := _too_long(utterance):
            return self._refused(utterance, problem)
        async with self._opened(utterance) as turn:
            self.events.publish(Heard(utterance))
            turn.tell_step(Staged, "confirmation", True, "chosen by hand", 0.0)
            reply = await self._in_time(turn, utterance, self._confirmation.chosen(turn, calls))
            turn.history.state[ASKING] = reply.expects_answer
        return self._answered(utterance, reply, turn.history.state, started)

    async def ask_about(self, utterance: Utterance, calls: Sequence[ToolCall]) -> str:
        """Opens a question about these calls in that conversation; empty if it cannot be asked."""
        async with self._opened(utterance) as turn:
            text, is_open = await self._confirmation.asked(turn, calls)
            turn.history.state[ASKING] = is_open
        return text if is_open else ""

    @asynccontextmanager
    async def _opened(
        self, utterance: Utterance, *, made_in: Utterance | None = None, take_back: Where | None = None
    ) -> AsyncIterator[Turn]:
        """A turn in its locked conversation; what it did is saved however it ends, and undo finds it in
        `made_in`."""
        key, words = conversation_key(utterance, self._gateway), utterance.text
        here = Where(utterance.channel, (utterance.room or "").casefold(), key)
        if made_in is not None:
            here = replace(here, conversation=conversation_key(made_in, self._gateway))
        if take_back is not None and take_back.conversation is not None:
            take_back = replace(take_back, conversation=key)
        acts = TurnActs(self._acts, here, self._now, partial(tool_beside, self._executor.tools), take_back)
        with speaking_in(utterance), turn_context(turn=utterance.id[:8], channel=utterance.channel):
            async with self.locks.of(key):
                history = await self._histories.load(key)
                spoken = utterance.language or history.state.get(languages.KEY)
                languages.speak(spoken if spoken in self._brain.languages else self._brain.languages[0])
                turn = Turn(utterance, history, acts=acts, events=self.events, shown=utterance)
                try:
                    yield turn
                finally:
                    await acts.keep(turn.outcomes, history.state)
                    await self._histories.save(key, history, words, self._confirmation.masked(words))

    def _answered(self, shown: Utterance, reply: Reply, state: Mapping[str, Any], started: float) -> Reply:
        """Completes the reply and publishes it."""
        seconds = perf_counter() - started
        reply = replace(reply, conversation_id=shown.conversation_id, seconds=seconds, heard=shown.text)
        for outcome in reply.outcomes:
            self.events.publish(Acted(shown, outcome, reply.model))
        self.events.publish(Answered(shown, reply, self._confirmation.wanted(reply, state)))
        return reply

    def _telling(self, utterance: Utterance, say: Say | None) -> Say | None:
        """Publishes streamed words too; None if the channel takes the reply as a whole."""
        if say is None:
            return None

        def publish(part: Part) -> None:
            self.events.publish(Said(utterance, part.text, part.source))
            say(part)

        return publish

    def _refused(self, utterance: Utterance, problem: str) -> Reply:
        """Replies to an utterance that is too long; only its beginning is published."""
        text = self._confirmation.masked(f"{utterance.text[:SHOWN_OF_TOO_MUCH]}…")
        shown = replace(
            utterance,
            text=HIDDEN if self.wants_pin(utterance.channel) else text,
            conversation_id=utterance.conversation_id[:LONGEST_NAME],
            room=(utterance.room or "")[:LONGEST_NAME] or None,
            satellite=(utterance.satellite or "")[:LONGEST_NAME] or None,
        )
        log.warning("what was said is too long", extra={"characters": len(utterance.text)})
        reply = Reply(problem, ok=False, conversation_id=utterance.conversation_id)
        self.events.publish(Heard(shown))
        self.events.publish(Answered(shown, reply))
        return reply

    async def _in_time(self, turn: Turn, shown: Utterance, work: Awaitable[Reply]) -> Reply:
        """The reply within the time limit. After an error, the outcomes so far are reported first."""
        seconds, outer = self._brain.turn_timeout_seconds, listener()

        def moved(progress: Progress) -> None:
            """Progress of a call moves the turn's limit; the call has a hard limit of its own."""
            if not limit.expired():
                until = asyncio.get_running_loop().time() + seconds
                limit.reschedule(max(limit.when() or until, until))
            self.events.publish(Progressed(turn.utterance, progress))
            if outer is not None:
                outer(progress)

        try:
            async with asyncio.timeout(seconds) as limit:
                with progress_to(moved), heard_by(lambda what: self.events.publish(Waiting(shown, what))):
                    return await work
        except GatewayError as error:
            log.error("turn failed", extra={"reason": str(error)})
            text = error.spoken
        except Exception:  # the channel must get an answer
            if limit.expired():
                log.warning("turn took too long", extra={"limit_seconds": seconds})
                rest = "What else was asked may still happen." if turn.outcomes else "It may still happen."
                text = f"Sorry, that took too long, so I stopped. {rest}"
            else:
                log.exception("turn failed")
                text = "Sorry, something went wrong in me."
        return behind_outcomes(turn.outcomes, Reply(text, ok=False))

    async def _take_turn(self, turn: Turn, incoming: Incoming, read_only_reason: str | None) -> Reply:
        text = turn.utterance.text
        if not text:
            return Reply(NOTHING_HEARD, ok=False)
        asked = turn.history.state.pop(QUESTION, None) if read_only_reason else None
        if read_only_reason and (asked is not None or incoming.pending is not None):
            return Reply(read_only_reason, ok=False)
        started = perf_counter()
        if (settled := await self._confirmation.settle(turn, incoming)) is not None:
            turn.tell_step(Staged, "confirmation", True, incoming.taken_for, perf_counter() - started)
            return settled
        gate = self._confirmation.gate(turn.utterance.channel, read_only=bool(read_only_reason))
        gate.heard_outside = turn.heard_outside
        gate.told_by_strangers = lambda: self._executor.tools.has_untrusted
        gate.fits = self._context.fitting(turn.utterance, turn.history.recent())
        reply = await self._stages.answer(replace(turn, gate=gate), gate)
        if read_only_reason and gate.refused:
            return replace(reply, text=read_only_reason, parts=(), ok=False)
        return await self._confirmation.ask(turn, reply, gate, incoming) if gate.asked else reply


def _too_long(utterance: Utterance) -> str | None:
    names = (utterance.conversation_id, utterance.room or "", utterance.satellite or "")
    if any(len(name) > LONGEST_NAME for name in names):
        return NAME_TOO_LONG
    return TOO_LONG if len(utterance.text) > LONGEST_TEXT else None

"""Taking back what was done, and doing what was meant instead: "undo", "no, I meant the desk lamp"."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from home_words.names import name_key, plain_words, singular
from home_words.phrases import capital
from home_words.undo_words import ALSO, BEHIND, CORRECTION, OTHER, REGRET, UNDO, UNDO_ONE
from voice_gateway.brain.acts import Act, Call, new_calls, target, waves
from voice_gateway.brain.local.followup import Memory, repeated_wish
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device, Home
from voice_gateway.brain.local.meaning import CONTROL, THERMOSTAT, Clarification, Request
from voice_gateway.brain.local.normalise import Said, normalise, strip_politeness
from voice_gateway.brain.local.plan.builtin import is_clock, is_duration
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.understand import Reader
from voice_gateway.brain.local.wording import the, which
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.stage import Turn
from voice_gateway.errors import LinkError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import OutcomeStatus, Reply, ToolOutcome

log = logging.getLogger(__name__)

NOTHING = "There is nothing that I could take back."
CANNOT_LOOK = "I cannot look up what I did, so I took nothing back."
CORRECTED_SECONDS = 300.0  # so long "no, I meant …" is about what was done last
MOST_TRIES = 2  # to put something back; then the next "undo" goes further
_NOT_DONE = frozenset(
    {OutcomeStatus.FAILED, OutcomeStatus.UNREACHABLE, OutcomeStatus.SYSTEM_DOWN, OutcomeStatus.NOT_PERMITTED}
)
_MOST_WORDS = 12
_SAYS_NO = re.compile(r"(?:no|nope|nah|oops|whoops)\b")  # "sorry, …" and "wait, …" may begin another wish
_NAMES = re.compile(r"(?:in |on )?(?:the|my|our) ")
VOLUME = "control_speaker_volume"

# --- the words


def is_undo(said: Said) -> bool:
    """The whole of it: whoever says more than that speaks of something else."""
    if _undo(said.text) or _undo(said.whole):
        return True
    meant = [part for part in said.parts if not REGRET.fullmatch(part)]
    return len(meant) == 1 and _undo(meant[0])


def _undo(text: str) -> bool:
    regret = REGRET.match(text)
    rest = text[regret.end() :].strip() if regret else text
    return any(UNDO.fullmatch(strip_politeness(words)[0]) for words in (text, rest) if words)


def undone_device(said: Said, home: Home) -> Device | None:
    """The one that is to be put back, called by its own name: "put the floor lamp back"."""
    match = UNDO_ONE.fullmatch(said.text)
    found = home.names.exact(match["undone"] or match["put"] or match["was"]) if match else ()
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Correction:
    """What is said to have been meant instead."""

    rest: str
    opening: str
    plain: bool  # "I meant …": nothing else can be meant; "no …" may begin other talk


def correction_in(said: Said) -> Correction | None:
    text = said.whole
    if said.question or len(text.split()) > _MOST_WORDS or ALSO.search(text):
        return None
    if OTHER.fullmatch(said.text):
        return Correction(said.text, "", plain=True)
    behind, opening = BEHIND.search(text), CORRECTION.match(text)
    meant = behind is not None and behind["meant"] is not None
    if opening is None and not meant:
        return None
    rest = BEHIND.sub("", strip_politeness(text[opening.end() :] if opening else text)[0])
    bare = opening is None or opening["bare"] is not None
    parted = len(said.parts) > 1 and bool(REGRET.fullmatch(said.parts[0]))
    return Correction(rest, text, plain=meant or parted or not bare) if rest else None


# --- what was meant

_ACTIONS = {"on": "on", "off": "off", "open": "open", "closed": "close", "shut": "close", "close": "close"}
_LEVELS = {"full": 100, "maximum": 100, "max": 100, "half": 50, "a half": 50, "a quarter": 25}
_NUMBER = re.compile(r"(?:at |to |by )?(\d{1,3}(?:\.\d)?)(?: (percent|degrees)(?: (celsius|fahrenheit))?)?")


def with_value(rest: str, act: Act, home: Home) -> list[Request]:
    """The same calls with another value ("50 percent", "off", "15 minutes"); empty when it is none."""
    made = [_valued(rest, str(call["name"]), dict(call["args"])) for call in act.did]
    if not made or any(args is None for args in made):
        return []
    return [
        Request(str(call["name"]), args, _device(call, home))
        for call, args in zip(act.did, made, strict=True)
        if args is not None
    ]


def _valued(rest: str, tool: str, args: dict[str, Any]) -> dict[str, Any] | None:
    words = re.sub(r"^(?:at|to|for|in) ", "", rest)
    number = _NUMBER.fullmatch(rest)
    if tool == "set_timer":
        return _timed(words, args)
    if tool == THERMOSTAT:
        return _warm(args, number) if number is not None and number[2] != "percent" else None
    level = _LEVELS.get(words)
    if number is not None and number[2] != "degrees" and float(number[1]) <= 100:
        level = int(float(number[1]))
    if tool == VOLUME:
        return {"action": "set", "level": level} if level is not None else None
    action = "dim" if level is not None else _ACTIONS.get(words)
    if tool != CONTROL or action is None:
        return None
    new = {"deviceName": args["deviceName"], "action": action}
    return new if level is None else {**new, "level": level}


def _timed(words: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
    kept = {key: value for key, value in args.items() if key in ("name", "message")}
    length = f"{words} minutes" if words.isdecimal() and "duration" in args else words
    if is_duration(length):
        return {**kept, "duration": length}
    return {**kept, "at": words} if is_clock(words) else None


def _warm(args: Mapping[str, Any], number: re.Match[str]) -> dict[str, Any] | None:
    degrees = float(number[1])
    unit = {"celsius": "C", "fahrenheit": "F"}.get(number[3] or "") or args.get("unit")
    new = {
        "deviceName": args["deviceName"],
        "temperature": int(degrees) if degrees == int(degrees) else degrees,
    }
    return {**new, "unit": unit} if unit else new


def _device(call: Call, home: Home) -> Device | None:
    name = call["args"].get("deviceName")
    return home.names.only(name) if isinstance(name, str) else None


def the_other(rest: str, act: Act, home: Home) -> tuple[Device, ...] | None:
    """Those that "the other one" can be: of the same sort, in the same room. None: it is not said."""
    match = OTHER.fullmatch(rest)
    if match is None:
        return None
    done = [device for call in act.did if (device := _device(call, home)) is not None]
    if not done:
        return ()
    noun = singular(match["noun"]) if match["noun"] else ""
    rooms = {name_key(device.room) for device in done}
    alike = [
        device
        for device in home.devices
        if device not in done
        and name_key(device.room) in rooms
        and (noun in plain_words(device.name) if noun else _same_sort(device, done[0]))
    ]
    return tuple(alike)


def _same_sort(one: Device, other: Device) -> bool:
    return one.kind == other.kind or (one.is_light and other.is_light)


def meant_instead(
    correction: Correction, act: Act, memory: Memory, reader: Reader
) -> tuple[Request, ...] | Clarification:
    """The calls that do what was meant, or a question which device it is; none: it was no correction."""
    rest, home = correction.rest, reader.context.home
    if valued := with_value(rest, act, home):
        return tuple(valued)
    understood = reader.read(normalise(rest))
    if understood.steps:
        says_no = correction.plain or _SAYS_NO.match(correction.opening)
        acting = all(step.acts and step.requests for step in understood.steps)
        return understood.requests if acting and says_no else ()
    frame = _same_wish(correction, act, memory, reader)
    if frame is None or isinstance(frame, Clarification):
        return frame or ()
    planned = reader.planned(frame)
    if planned.clarification is not None and planned.clarification.candidates:
        return planned.clarification
    return planned.requests


def _same_wish(
    correction: Correction, act: Act, memory: Memory, reader: Reader
) -> Frame | Clarification | None:
    """The last wish, for another device."""
    rest, context = correction.rest, reader.context
    about = {target(call) for call in act.did}
    ours = any(context.home.address(device).casefold() in about for device in memory.last)
    if memory.frame is None or not ours or not_a_command(rest):
        return None
    others = the_other(rest, act, context.home)
    if others is not None:
        if len(others) == 1:
            slots = {key: value for key, value in memory.frame.slots.items() if key != "place"}
            return Frame(memory.frame.intent, {**slots, "thing": context.home.address(others[0])})
        return Clarification(which(others), memory.frame, others) if others else None
    if not correction.plain and not _NAMES.match(rest):
        return None
    return repeated_wish(normalise(f"and {rest}"), memory, context)


# --- carried out


@dataclass(frozen=True, slots=True)
class Done:
    reply: Reply
    requests: tuple[Request, ...] = ()
    outcomes: tuple[ToolOutcome, ...] = ()  # one for each request, for who keeps the home's states
    right: tuple[Request, ...] = ()  # those that were meant


async def take_back(executor: ToolExecutor, turn: Turn, home: Home, only: Device | None = None) -> Done:
    """The last act as one, in reverse order, or `only` its part for one device. What failed can be tried once
    more."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    try:
        act = await turn.acts.take()
    except LinkError as error:
        log.warning("what was done cannot be looked up", extra={"reason": str(error)})
        return _told(turn, CANNOT_LOOK)
    if act is None:
        return _told(turn, NOTHING)
    turn.acts.leave(act)  # should the turn end in the middle
    about = home.address(only).casefold() if only is not None else ""
    calls = [call for call in act.calls if only is None or target(call) == about]
    if only is not None and not calls:
        return _told(turn, f"What I did last was not about {the(only)}, so I took nothing back.")
    outcomes, failed = await _put_back(executor, turn, calls)
    again = failed if act.tries + 1 < MOST_TRIES else []
    left = [call for call in act.calls if call not in calls or call in again]
    rest = replace(act, calls=tuple(left), tries=act.tries + bool(failed))
    turn.acts.leave(rest if left else None)
    sentences = [render_outcomes(outcomes)] if outcomes else []
    if act.reasons and only is None:
        sentences.append(
            f"I cannot take {'all of that' if outcomes else 'that'} back. {' '.join(act.reasons)}"
        )
    text = " ".join(sentences)
    turn.history.add_ai(text)
    ok = bool(outcomes) and all(outcome.ok for outcome in outcomes)
    return _done(text, outcomes, home, ok=ok)


async def correct(executor: ToolExecutor, turn: Turn, requests: Sequence[Request], home: Home) -> Done:
    """The last act is put back, then the right one done. What both are about only gets its new value, and
    can be taken back to what was before the first."""
    assert turn.acts is not None
    turn.history.add_user(turn.utterance.text)
    act = await turn.acts.take() or Act()
    right = new_calls({"name": request.tool, "args": request.args} for request in requests)
    again = {target({"name": call.name, "args": call.args}) for call in right}
    kept = [call for call in act.calls if target(call) in again]
    outcomes, failed = await _put_back(executor, turn, [call for call in act.calls if call not in kept])
    turn.acts.leave(replace(act, calls=(*kept, *failed), reasons=()))
    turn.history.add_ai("", right)
    made = [outcome for wave in waves(right) for outcome in await turn.run(executor, wave)]
    turn.history.add_outcomes(made)
    outcomes += made
    text = render_outcomes(outcomes)
    if act.reasons and not kept:
        text = f"{text} I cannot take back what I did before. {' '.join(act.reasons)}"
    turn.history.add_ai(text)
    done = _done(text, outcomes, home, ok=all(outcome.ok for outcome in outcomes))
    return replace(done, right=tuple(requests))


async def _put_back(
    executor: ToolExecutor, turn: Turn, calls: Sequence[Call]
) -> tuple[list[ToolOutcome], list[Call]]:
    """The outcomes, and the calls that were in vain."""
    assert turn.acts is not None
    made = new_calls(calls)
    if not made:
        return [], []
    turn.acts.puts_back(made)
    turn.history.add_ai("", made)
    outcomes = [outcome for wave in waves(made) for outcome in await turn.run(executor, wave)]
    turn.history.add_outcomes(outcomes)
    vain = {outcome.call_id for outcome in outcomes if outcome.status in _NOT_DONE}
    return outcomes, [call for call, one in zip(calls, made, strict=True) if one.id in vain]


def _told(turn: Turn, text: str) -> Done:
    turn.history.add_ai(text)
    return Done(Reply(text, stage="local", ok=False))


def _done(text: str, outcomes: Sequence[ToolOutcome], home: Home, *, ok: bool) -> Done:
    requests = tuple(
        Request(outcome.name, outcome.args, _device({"args": outcome.args}, home)) for outcome in outcomes
    )
    return Done(Reply(capital(text), tuple(outcomes), stage="local", ok=ok), requests, tuple(outcomes))

"""Which timer is meant: the answer to "which one?", and "cancel it" right after one was set."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from voice_gateway.brain.local.answers import ALL, NO, ORDINALS, WONT, YES
from voice_gateway.brain.local.normalise import Said, plain_words
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.understanding import Clarification, Request, Step, TimerChoice
from voice_gateway.tools.builtin.durations import parse_span
from voice_gateway.turn import ToolOutcome

CANCEL = "cancel_timer"
IT_SECONDS = 120.0  # so long "cancel it" means the timer that was set last

_CANCEL_IT = re.compile(
    r"^(?:cancel|(?:cancel|stop|delete|remove) it|(?:cancel|delete|remove) (?:that|this)(?: one| timer)?|"
    r"(?:cancel|stop|delete|remove) (?:it|that|this) (?:timer|alarm|reminder))$"
)
_TURN_IT_OFF = re.compile(r"^(?:turn|switch) (?:it|that) off$")
_BEFORE = re.compile(
    r"^(?:(?:no|yes) )?(?:i (?:mean|meant|want) )?(?:(?:cancel|stop|delete|remove) )?(?:the |my )?"
    r"(?:(?:one|timer|reminder) (?:for |with |of |called |named |to |about )?)?(?:the |my )?"
)
_BEHIND = re.compile(r"(?:^| )(?:one|ones|timer|timers|alarm|reminder)$")


def question(step: Step, outcomes: Sequence[ToolOutcome], text: str) -> Clarification | None:
    """What the timers' own tool could not decide is a question that waits for its answer."""
    for outcome in outcomes if step.intent == "CancelTimer" else ():
        facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
        choices = _choices(facts.get("timers"))
        if facts.get("outcome") == "ambiguous" and step.frame is not None and len(choices) > 1:
            return Clarification(text, step.frame, timers=choices)
    return None


def stored(choices: Sequence[TimerChoice]) -> list[dict[str, Any]]:
    return [asdict(choice) for choice in choices]


def restored(written: object) -> tuple[TimerChoice, ...]:
    return tuple(TimerChoice(**one) for one in written) if isinstance(written, list) else ()


def _choices(timers: object) -> tuple[TimerChoice, ...]:
    """As `cancel_timer` tells of them."""
    known = [one for one in timers if isinstance(one, Mapping)] if isinstance(timers, list) else []
    return tuple(
        TimerChoice(
            int(one["id"]),
            " ".join(plain_words(f"{one.get('name') or ''} {one.get('message') or ''}")),
            int(one.get("seconds") or 0),
        )
        for one in known
        if isinstance(one.get("id"), int)
    )


def settle_timer(said: Said, asked: Clarification) -> Step | Clarification | None:
    """The timers that the answer means; the question again; None when it was no answer."""
    if NO.match(said.text) or NO.match(said.whole):
        return Step("No", say=WONT)
    if YES.match(said.text) or YES.match(said.whole):
        return asked
    both = said.text.startswith("both")
    if ALL.match(said.text) and (not both or len(asked.timers) == 2):
        return _cancelled(asked, asked.timers)
    words = _BEHIND.sub("", _BEFORE.sub("", said.text)).strip()
    if not words or said.question or not_a_command(words):
        return None
    meant = _meant(words, asked.timers)
    if len(meant) > 1:
        return replace(asked, timers=meant)
    return _cancelled(asked, meant) if meant else None


def _meant(words: str, choices: Sequence[TimerChoice]) -> tuple[TimerChoice, ...]:
    place = ORDINALS.get(words)
    if place is not None:
        return (choices[place],) if -len(choices) <= place < len(choices) else ()
    span = parse_span(f"{words} minutes" if words.isdecimal() else words)
    if span is not None:
        return tuple(choice for choice in choices if choice.seconds == span.total_seconds)
    wanted = set(plain_words(words))
    return tuple(choice for choice in choices if wanted and wanted <= set(choice.called.split()))


def _cancelled(asked: Clarification, choices: Sequence[TimerChoice]) -> Step:
    requests = tuple(Request(CANCEL, {"name": str(choice.id)}) for choice in choices)
    return Step("CancelTimer", requests, acts=True, frame=asked.frame)


def just_set(step: Step, outcomes: Sequence[ToolOutcome]) -> str | None:
    """How its own tool knows the timer that this step has set; "" when "it" is now something else."""
    if step.intent in ("SetTimer", "Remind") and len(outcomes) == 1 and outcomes[0].ok:
        facts = outcomes[0].structured if isinstance(outcomes[0].structured, Mapping) else {}
        args = step.requests[0].args
        return str(facts.get("id") or args.get("name") or args.get("duration") or "")
    return "" if step.acts or step.devices else None


def cancel_it(said: Said, timer: str, *, alone: bool) -> Step | None:
    """`alone`: nothing else was talked of that could be turned off."""
    meant = _CANCEL_IT.match(said.text) or (alone and _TURN_IT_OFF.match(said.text))
    if not timer or not meant or said.question:
        return None
    return Step("CancelTimer", (Request(CANCEL, {"name": timer}),), acts=True)

"""Timers, alarms and reminders: what is said of them, and the calls for it."""

import re
from collections.abc import Iterator

from home_words.timer_words import (
    ADVERB,
    ALARM,
    ARTICLE,
    ASKS_FOR,
    BARE_TIMER,
    CALLED,
    CANCEL_ALL,
    CANCEL_BOTH,
    CANCEL_EVERY,
    CANCEL_ONE,
    EXTEND,
    LABELLED,
    LESS,
    MATTER,
    REMIND,
    REPEATED,
    RINGING,
    SHORT_ALARM,
    SNOOZE,
    SPEAKS_OF,
    TELLS_TIME,
)
from voice_gateway.brain.local.command.when import AT_WHAT_TIME, WHEN_EXACTLY
from voice_gateway.brain.local.grammar import Frame, Slot
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, NotHandled, Request, Step
from voice_gateway.brain.local.plan.home_alarms import home_alarms
from voice_gateway.brain.local.plan.when import (
    NEVER,
    When,
    as_clock,
    is_clock,
    is_duration,
    read_when,
    take_back,
    take_front,
)
from voice_gateway.brain.local.routine_words import when_of
from voice_gateway.routines.model import MAKE, Later, Missing, calls_text
from voice_gateway.tools.builtin.clock_times import time_of_day, unclear_hour

# --- setting


def _read_set(text: str) -> Iterator[Frame]:
    if (bare := BARE_TIMER.match(text)) and is_duration(bare["duration"]):  # "egg timer 3 minutes"
        yield Frame("SetTimer", {"label": bare["label"], "duration": bare["duration"]}, literal=10)
    if (reminder := _reminder(text)) is not None:
        yield reminder
    elif (alarm := _alarm(text)) is not None:
        yield alarm


def _frame(intent: str, when: When, **slots: str) -> Frame:
    times: dict[str, Slot] = {"duration": when.duration, "clock": when.at, "repeats": when.repeats}
    given = {name: value for name, value in {**times, **slots}.items() if value}
    return Frame(intent, given, literal=10)


def _reminder(text: str) -> Frame | None:
    """Time and matter stand in any order, and the time may be said in two places."""
    found = REMIND.match(text)
    if found is None:
        return None
    first = read_when(found["before"]) if found["before"] else NEVER
    if found["before"] and not first:
        return None
    rest = re.sub(r"^for (?=\S)", "at ", found["rest"] or "")
    front, matter = take_front(rest)
    told = MATTER.match(matter)
    if not told and matter and not front:
        return None  # "remind me who won"
    message = matter[told.end() :] if told else matter
    back, shorter = take_back(message)
    if shorter and TELLS_TIME.search(shorter):  # "that dinner is at 7" tells when it is
        shorter = message
    both = first.and_then(front)
    when = both.and_then(back) if both is not None else None
    return _frame("Remind", when, message=shorter) if when is not None else None


def _alarm(text: str) -> Frame | None:
    if (short := SHORT_ALARM.match(text)) and (when := _alarm_time(short["when"])):
        return _frame("SetAlarm", when)
    found = ALARM.match(text)
    if found is None:
        return None
    before = read_when(found["before"]) if found["before"] else NEVER
    if found["before"] and not before:
        return None
    label, rest, message = found["label"] or "", found["rest"] or "", ""
    if named := CALLED.match(rest):
        rest, label = named["when"], named["label"]
        inner = re.match(r"(.+?) (?:for|at|on) (.+)$", label)
        if not rest and inner:
            label, rest = inner[1], f"at {inner[2]}"
    when = _alarm_time(rest) if rest else NEVER
    if rest and not when:
        head, _, tail = rest.partition(" to ")
        when, message = _alarm_time(head), tail
        if not when and (purpose := re.match(r"for (.+?) (?=(?:at|in|on|tomorrow)\b)(.+)$", rest)):
            when, label, message = _alarm_time(purpose[2]), purpose[1], ""
        if not when:
            return None
    both = before.and_then(when)
    if both is not None and REPEATED.match(label):  # "a daily alarm"
        both, label = both.and_then(read_when(label) or read_when(f"every {label}")), ""
    return _frame("SetAlarm", both, label=label, message=message) if both is not None else None


def _alarm_time(text: str) -> When:
    """For an alarm a number alone is a time of day."""
    plain = re.sub(r"^(?:for|at|to) (?=\S)", "", text)
    if when := read_when(text) or read_when(plain):
        return when
    if is_duration(plain):
        return When(duration=plain)
    clock = as_clock(plain)
    return When(at=clock) if is_clock(clock, day_alone=True) else NEVER


# --- asking

_THERE = re.compile(r"(?:is|are) there (?:any |an? )?alarms?$")  # nobody says that they have set them
_DUE = re.compile(r"when|what time|how (?:long|much|many)\b")  # only an alarm of the clock has a time


def _read_list(text: str) -> Iterator[Frame]:
    for pattern in ASKS_FOR:
        if found := pattern.match(text):
            groups = found.groupdict()
            label = ARTICLE.sub("", groups.get("label") or "")
            slots: dict[str, Slot] = {"kind": _one(groups.get("kind") or "timer"), "label": label}
            slots["there"] = _THERE.match(text) is not None
            slots["due"] = slots["kind"] == "alarm" and _DUE.match(text) is not None
            yield Frame("ListTimers", {name: value for name, value in slots.items() if value}, literal=10)
            return


def _one(kind: str) -> str:
    """ "alarm clocks" are alarms, a countdown is a timer."""
    word = kind.split(maxsplit=1)[0].removesuffix("s")
    return "timer" if word == "countdown" else word


# --- ending


def _read_cancel(text: str) -> Iterator[Frame]:
    if several := CANCEL_ALL.match(text) or CANCEL_EVERY.match(text):
        kinds = dict.fromkeys(re.findall(r"timer|alarm|reminder", several["kinds"]))
        yield Frame("CancelTimer", {"label": "all", "kind": " ".join(kinds)}, literal=10)
        return
    if both := CANCEL_BOTH.match(text):
        yield Frame("CancelTimer", {"kind": _one(both["kinds"])}, literal=10)
        return
    for pattern in CANCEL_ONE:
        if found := pattern.match(text):
            label = ARTICLE.sub("", as_clock(found.groupdict().get("label") or ""))
            if (
                re.search(r"\b(?:trying|to|and)\b", label)
                and "to" not in text.rsplit(found["kind"], maxsplit=1)[-1].split()
            ):
                continue  # "stop trying to cancel the timer"
            slots = {
                "kind": _one(found["kind"]),
                "label": re.sub(r"'?s$", "", label) if "tomorrow" in label else label,
            }
            yield Frame("CancelTimer", {name: value for name, value in slots.items() if value}, literal=10)
            return


# --- more time


def _read_extend(text: str) -> Iterator[Frame]:
    if snooze := SNOOZE.match(text):
        length = snooze["more"] or ""
        if not length or is_duration(length):
            slots: dict[str, Slot] = {"duration": length, "label": RINGING} if length else {}
            yield Frame("ExtendTimer", slots, literal=10)
        return
    for sign, pattern in [*(("", one) for one in EXTEND), ("-", LESS)]:
        if found := pattern.match(text):
            groups = found.groupdict()
            said = " ".join(ADVERB.sub("", groups["more"]).split())
            length = said if re.match(r"\d|an? |half", said) else f"1 {said}"
            if is_duration(length):
                kind, label = _one(groups["kind"]) if groups.get("kind") else "", groups.get("label") or ""
                # "Five more minutes" is one alone, and none in "… and I am done".
                slots = {"duration": f"{sign}{length}", "label": label, "kind": kind}
                slots["alone"] = not kind
                yield Frame("ExtendTimer", {k: v for k, v in slots.items() if v}, literal=10)
                return


def read_timers(text: str) -> Iterator[Frame]:
    """Everything but a plain timer, which stands among the sentences."""
    if not any(word in text for word in SPEAKS_OF):
        return
    for read in (_read_extend, _read_cancel, _read_list, _read_set):
        yield from read(text)


# --- the calls

_CANNOT_REPEAT = (
    "I can't repeat alarms and reminders here, so I set none. Without the repetition I can set one."
)
_PART = re.compile(r"morning|noon|evening|night")
_BY_DAY = range(1, 7)  # hours of a reminder that mean the afternoon, where nobody says which


def _set_timer(frame: Frame, _context: Context) -> Meaning:
    clock = as_clock(frame.text("clock"))
    duration, label = frame.text("duration"), ARTICLE.sub("", frame.text("label"))
    if not label and (both := LABELLED.match(duration)):
        duration, label = both[1], both[2]
    if unfit := _unfit(clock, duration, frame):
        return NotHandled(unfit)
    if not clock and not duration:
        return Clarification("For how long?", frame, slot="duration")
    if clock.isdecimal() and frame.slots.get("timer"):  # "a timer for five" is no time of day
        return Clarification("For how long: how many minutes or hours?", Frame("SetTimer"), slot="duration")
    kind = "timer" if clock else None
    return Step.calling(frame, "set_timer", acts=True, duration=duration, at=clock, name=label, kind=kind)


def _unfit(clock: str, duration: str, frame: Frame) -> str:
    """Why this reading is none: a wildcard took what belongs to another."""
    if clock and not is_clock(clock):
        return "no time of day"
    if is_duration(frame.text("label")):
        return "two lengths of time"
    return "no length of time" if duration and not clock and not is_duration(duration) else ""


def _repeating(frame: Frame, context: Context, clock: str, kind: str) -> Meaning:
    """A routine that lets it ring each time."""
    if context.clock is None or MAKE not in context.tools:
        return Step(frame.intent, frame=frame, say=_CANNOT_REPEAT)
    when = f"{frame.text('repeats')} at {clock}" if clock else frame.text("repeats")
    later = when_of(when, context.home, context.room, context.clock.now, context.clock.place)
    if isinstance(later, Missing) and later.text == AT_WHAT_TIME and not clock:
        return Clarification(AT_WHAT_TIME, frame, slot="clock")
    if not isinstance(later, Later) or later.back:
        return Step(frame.intent, frame=frame, say=later.text if isinstance(later, Missing) else WHEN_EXACTLY)
    facts = {"at": "now", "kind": kind, "name": frame.text("label"), "message": frame.text("message")}
    calls = calls_text([{"name": "set_timer", "args": {key: fact for key, fact in facts.items() if fact}}])
    return Step("MakeRoutine", (Request(MAKE, {"when": when, "calls": calls}),), acts=True, frame=frame)


def _by_day(clock: str, days: str) -> str:
    """ "Every friday at 5" is in the afternoon."""
    hours, _minute = time_of_day(clock) or ([], 0)
    unsaid = len(hours) > 1 and hours[0] in _BY_DAY and not _PART.search(days)
    return f"{clock} pm" if unsaid else clock


def _remind(frame: Frame, context: Context) -> Meaning:
    duration, clock, message = frame.text("duration"), frame.text("clock"), frame.text("message")
    if not message:
        return Clarification("What shall I remind you of?", frame, slot="message")
    if days := frame.text("repeats"):
        return _repeating(frame, context, _by_day(clock, days), "reminder")
    if not duration and clock in ("", "today"):
        return Clarification("When shall I remind you?", frame, slot="duration")
    kind = "reminder"
    return Step.calling(
        frame, "set_timer", acts=True, duration=duration, at=clock, message=message, name=frame.text("label"),
        kind=kind,
    )  # fmt: skip


def _set_alarm(frame: Frame, context: Context) -> Meaning:
    duration, clock, repeats = frame.text("duration"), frame.text("clock"), frame.text("repeats")
    if not duration and not clock and not repeats:
        return Clarification("For what time?", frame, slot="duration")
    if clock and (hour := unclear_hour("" if _PART.search(repeats) else clock)):
        day = "at night or at noon" if hour == "12" else "in the morning or in the afternoon"
        return Clarification(f"Is that {hour} {day}?", frame, slot="half")
    if repeats:
        return _repeating(frame, context, clock, "alarm")
    if clock and not is_clock(clock):  # "tomorrow", "friday morning"
        return Clarification(AT_WHAT_TIME, frame, slot="clock")
    return Step.calling(
        frame, "set_timer", acts=True, duration=duration, at=clock, name=frame.text("label"),
        message=frame.text("message"), kind="alarm",
    )  # fmt: skip


def _list_timers(frame: Frame, context: Context) -> Meaning:
    if (of_the_home := home_alarms(frame, context)) is not None:
        return of_the_home
    return Step.calling(frame, "list_timers", name=frame.text("label"), kind=frame.text("kind"))


def _cancel_timer(frame: Frame, _context: Context) -> Meaning:
    kinds = frame.text("kind").split() or [""]
    label = frame.text("label")
    requests = tuple(
        Request("cancel_timer", {name: value for name, value in (("name", label), ("kind", kind)) if value})
        for kind in kinds
    )
    return Step(frame.intent, requests, acts=True, frame=frame)


def _extend_timer(frame: Frame, _context: Context) -> Meaning:
    length, name, kind = frame.text("duration"), frame.text("label"), frame.text("kind")
    return Step.calling(frame, "extend_timer", acts=True, duration=length, name=name, kind=kind)


TIMERS = {
    "SetTimer": _set_timer,
    "SetAlarm": _set_alarm,
    "Remind": _remind,
    "ListTimers": _list_timers,
    "CancelTimer": _cancel_timer,
    "ExtendTimer": _extend_timer,
}

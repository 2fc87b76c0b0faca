"""Lists: what is said of them, and the calls for it."""

import re
from collections.abc import Iterator

from home_words import list_words as words
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, Request, Step
from voice_gateway.brain.local.plan.when import is_duration
from voice_gateway.tools.builtin.lists.tool import split_items

CHANGE, READ = "manage_list", "read_list"
_NO_THING = re.compile(r"\b(?:percent|degrees?|minutes?|hours?|light|volume|everything|it|that|them)\b")


def read_lists(text: str) -> Iterator[Frame]:
    if not any(word in text for word in words.SPEAKS_OF):
        return
    forms = (
        ("clear", words.CLEAR),
        ("remove", words.REMOVE),
        ("complete", words.COMPLETE),
        ("add", words.ADD),
    )
    for action, patterns in (*forms, ("read", words.READ)):
        for pattern in patterns:
            found = pattern.match(text)
            if found is not None and (frame := _frame(action, found.groupdict())):
                yield frame
                return
    some = words.ADD_SOMEWHERE.match(text)
    if some is not None and not _NO_THING.search(text):
        yield Frame("List", {"action": "add", "items": some["items"], "somewhere": True}, literal=10)


def _frame(action: str, parts: dict[str, str | None]) -> Frame | None:
    said = "all" if parts.get("all") else parts.get("list") or parts.get("list2") or ""
    items = parts.get("items") or ""
    if is_duration(items) or re.search(r"\blists?\b", items):
        return None  # "add five minutes to …"
    if action == "complete" and words.NO_THING.search(items):
        return None
    slots = {
        "action": action,
        "items": items,
        "list": words.list_name(said),
        "asked": parts.get("asked") or "",
    }
    return Frame("List", {name: value for name, value in slots.items() if value}, literal=10)


def _list(frame: Frame, context: Context) -> Meaning:
    action, items, name = frame.text("action"), frame.text("items"), frame.text("list")
    if frame.slots.get("somewhere") and not name:
        return Clarification("On which list: shopping or to-do?", frame, slot="list")
    if action == "add" and items in words.POINTS:
        return Clarification(f"What shall I put on {words.spoken_list(name)}?", frame, slot="items")
    if (elsewhere := _of_a_home(frame, context)) is not None:
        return elsewhere
    if action == "read":
        return Step.calling(frame, READ, list=name)
    return Step.calling(frame, CHANGE, acts=True, action=action, items=items, list=name)


def _of_a_home(frame: Frame, context: Context) -> Step | None:
    """A home's own list of that name is where the others of the house look; None: it has none."""
    action, name = frame.text("action"), frame.text("list") or words.list_name("shopping")
    items = split_items(frame.text("items"), name)
    for source in context.home.sources:
        calls = source.list_calls(action, name, items)
        if isinstance(calls, str):
            return Step(frame.intent, frame=frame, say=calls)
        if calls:
            return Step(frame.intent, tuple(map(Request.of, calls)), acts=action != "read", frame=frame)
    return None


LISTS = {"List": _list}

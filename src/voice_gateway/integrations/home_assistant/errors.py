"""What Home Assistant says went wrong, in plain words: its own are for programmers, some a page of Python."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from home_words.phrases import with_article
from home_words.wording import quoted
from voice_gateway.turn import OutcomeStatus

EXPOSE: Final = "in Home Assistant under Settings, Voice assistants, Expose"

_REASON: Final = re.compile(r"no_match_reason=<MatchFailedReason\.([A-Z_]+)")
_NOT_FOUND: Final = re.compile(r'Tool "([^"]{1,100})" not found')
_CANNOT: Final = re.compile(r"Failed to call (\w{1,40}) for: \['(\w+)\.(\w+)'")
_NO_ITEM: Final = re.compile(r"Item '(.{1,200})' not found on list", re.DOTALL)
_TYPE: Final = re.compile(r"is not of type '(\w+)'")
_ONE_OF: Final = re.compile(r"'([^']{1,60})' is not one of \[([^\]\[]{1,2000})\]")
_TOO_FAR: Final = re.compile(
    r"(-?[\d.]{1,20}) is (greater|less) than the (?:maximum|minimum) of (-?[\d.]{1,20})"
)
# Words as people write them: no brackets, equal signs or names of Python.
_PROSE: Final = re.compile(r"[A-Z][\w ,.;:!?’'\"%°()-]{3,200}")
_CODE: Final = re.compile(r"\w_\w|\bNone\b|[a-z][A-Z]|\w\.\w+\(|Error\b|Exception\b")
_TYPES: Final = {
    "array": "a list",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
}
_MORE: Final = {"greater": "more than the most", "less": "less than the least"}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call did nothing, as far as Home Assistant says."""

    status: OutcomeStatus
    sentence: str
    reason: str = ""  # Home Assistant's own word, where a caller can do something about it: NAME, AREA, …


def explain(text: str, tool: str, args: Mapping[str, Any]) -> Failure:
    """`text` is the server's error, `args` what it was asked."""
    said = text.removeprefix("Error calling tool: ").strip()
    if found := _REASON.search(said):
        return _no_match(found[1], args)
    if said.startswith("Input validation error"):
        return Failure(OutcomeStatus.INVALID, _not_valid(said))
    return _simple(said, tool, args)


def _simple(said: str, tool: str, args: Mapping[str, Any]) -> Failure:
    if _NOT_FOUND.search(said):
        return Failure(OutcomeStatus.UNSUPPORTED, not_offered(tool))
    if found := _CANNOT.match(said):
        thing = args.get("name") or found[3].replace("_", " ")
        verb = {"turn_on": "turned on", "turn_off": "turned off"}.get(found[1], "told to do that")
        return Failure(OutcomeStatus.UNSUPPORTED, f"{quoted(str(thing))} cannot be {verb}.")
    if found := _NO_ITEM.match(said):
        return Failure(OutcomeStatus.NOT_FOUND, f"{quoted(found[1])} is not on the list.")
    if said.startswith("Received invalid slot info"):
        return Failure(OutcomeStatus.INVALID, _invalid(args))
    known = next((failure for pattern, failure in _FIXED if pattern.search(said)), None)
    return known or Failure(OutcomeStatus.FAILED, _prose(said) or "Home Assistant could not do that.")


_FIXED: Final = (
    (
        re.compile(r"^Service handler cannot target all"),
        Failure(OutcomeStatus.INVALID, "It must be said which device or area is meant."),
    ),
    (
        re.compile(r"^Error handling HassClimateSetTemperature"),
        Failure(
            OutcomeStatus.FAILED,
            "Home Assistant could not set that temperature; maybe the device does not go there.",
        ),
    ),
    (
        re.compile(r"^expected | @ data\["),
        Failure(OutcomeStatus.INVALID, "The script was not given what it needs."),
    ),
)


def not_offered(tool: str) -> str:
    ability = {
        "HassStopMoving": "stop what moves",
        "HassFanSetSpeed": "set the speed of a fan",
        "HassSetPosition": "set a position",
        "HassSetVolumeRelative": "turn the volume up or down",
        "HassMediaPlayerMute": "mute",
        "HassMediaPlayerUnmute": "unmute",
        "HassMediaSearchAndPlay": "search for music",
        "HassLightSet": "set brightness or colour",
        "HassClimateSetTemperature": "set a temperature",
        "HassVacuumStart": "start a vacuum",
        "HassVacuumReturnToBase": "send a vacuum home",
        "todo_get_items": "read a list",
    }.get(tool, "do that")
    return f"This Home Assistant does not offer a way to {ability}."


def _no_match(reason: str, args: Mapping[str, Any]) -> Failure:
    name, area, floor = (_given(args, key) for key in ("name", "area", "floor"))
    what = quoted(name) if name else "a device"
    where = f" in {with_article(area or floor)}" if area or floor else ""
    sentences = {
        "NAME": f"Home Assistant has no such device called {what}{where}.",
        "AREA": f"Home Assistant has nothing like that{where or ' there'}.",
        "FLOOR": f"Home Assistant has nothing like that{where or ' there'}.",
        "INVALID_AREA": f"Home Assistant has no area called {quoted(area)}.",
        "INVALID_FLOOR": f"Home Assistant has no floor called {quoted(floor)}.",
        "ASSISTANT": f"{what} is not shared with voice assistants; that is set {EXPOSE}.",
        "DUPLICATE_NAME": f"Home Assistant has several devices called {what}; it needs to know the area.",
        "MULTIPLE_TARGETS": "Home Assistant has several such devices; it needs to know which one.",
        "FEATURE": f"{what if name else 'The device'} cannot do that.",
        "STATE": f"{what if name else 'The device'} cannot do that as it is now.",
    }
    status = {
        "DUPLICATE_NAME": OutcomeStatus.AMBIGUOUS,
        "MULTIPLE_TARGETS": OutcomeStatus.AMBIGUOUS,
        "FEATURE": OutcomeStatus.UNSUPPORTED,
        "STATE": OutcomeStatus.UNSUPPORTED,
    }.get(reason, OutcomeStatus.NOT_FOUND)
    return Failure(status, sentences.get(reason, f"Home Assistant has no such device{where}."), reason)


def _given(args: Mapping[str, Any], key: str) -> str:
    return " ".join(str(args.get(key) or "").split())


def _not_valid(said: str) -> str:
    if found := _TOO_FAR.search(said):
        return f"{found[1]} is {_MORE[found[2]]} that is possible, {found[3]}."
    if found := _ONE_OF.search(said):
        possible = ", ".join(re.findall(r"'([^']{1,60})'", found[2])[:30])
        return f"{quoted(found[1])} is not possible there; possible is one of: {possible}."
    if found := _TYPE.search(said):
        return f"Home Assistant wants {_TYPES.get(found[1], 'something else')} there."
    return "Home Assistant cannot use the arguments of this call."


def _invalid(args: Mapping[str, Any]) -> str:
    if colour := _given(args, "color"):
        return f"Home Assistant does not know the colour {quoted(colour)}."
    if empty := [key for key, value in args.items() if value in ("", [])]:
        return f"Home Assistant cannot use an empty {empty[0]}."
    return "Home Assistant was not told all that it needs for this."


def _prose(said: str) -> str:
    """The server's own words, if they are a sentence and not code."""
    return said if _PROSE.fullmatch(said) and not _CODE.search(said) else ""

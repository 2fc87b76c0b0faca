"""Words outcomes: one clause per device, from the facts that tools return."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from home_names.kinds import is_light
from home_names.states import UNKNOWN, level_of, parts_of, spoken_state, spoken_units
from voice_gateway.languages import (
    ENGLISH,
    MOST_NAMED,
    capital,
    current,
    dated,
    has,
    listed,
    moment_words,
    say,
)
from voice_gateway.turn import OutcomeStatus, ToolOutcome

LONGEST: Final = 400  # characters of a tool's text that are spoken
COLDEST_WHITE: Final = 1000  # kelvin; no thermostat is set to that
THERMOSTAT: Final = "thermostat"  # a name's end that is "the heating" in a reply
SHORT: Final = 40  # characters of a confirmation that is joined with the next by "and"
_TRANSIENT: Final = frozenset({"stop", "toggle", "play", "next", "previous", "ring"})  # never "already so"
_OPEN: Final = frozenset({OutcomeStatus.UNREACHABLE, OutcomeStatus.QUEUED, OutcomeStatus.UNCONFIRMED})
_WORDED: Final = frozenset({OutcomeStatus.UNCONFIRMED, OutcomeStatus.AMBIGUOUS, OutcomeStatus.SYSTEM_DOWN})
_STARTED: Final = frozenset({OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING})
_LEVELS: Final = frozenset({"dim", "speed", "volume"})
_SENTENCES: Final = ("message", "error", "summary", "text", "spoken", "answer")  # keys that hold a sentence
_NAMES: Final = ("name", "title", "summary", "label", "text", "id")
_RAW: Final = re.compile(r"""^[{\[<`]|[{\[]\s*"[^"]{1,60}"\s*[:,\]]""")  # data, or data within a text
_AMOUNT: Final = re.compile(r"-?\d+(?:\.\d+)?")
_DEGREES: Final = re.compile(r"(?<!now )(?<![\d.-])(-?\d+(?:\.\d+)?) ?°")


@dataclass(frozen=True, slots=True)
class Clause:
    """What is said of one device. Devices with the same clause are named in one sentence."""

    key: str
    facts: tuple[tuple[str, object], ...] = ()
    text: str = ""  # a tool's own sentence, where there is no key

    @property
    def joins(self) -> bool:
        return self.key.startswith(("act.", "did.", "already.", "working."))


def told(
    outcomes: Sequence[ToolOutcome],
    code: str = "",
    names: Mapping[str, str] | None = None,
    *,
    inside: bool = False,
) -> str:
    """The outcomes of acts as a reply. `names` by call: what a device is called among others of its name.
    `inside`: it continues a sentence."""
    if not outcomes:
        return say("not_understood", code)
    named = ((outcome, (names or {}).get(outcome.call_id)) for outcome in outcomes)
    pieces = [piece for outcome, name in named for piece in _pieces(outcome, name, code)]
    if len(pieces) > 1:
        settled = all(clause.key.startswith("already") for clause, *_ in pieces)
        pieces = [(_beside(clause, settled=settled), name, lit) for clause, name, lit in pieces]
    groups: dict[Clause, dict[str, bool]] = {}
    for clause, name, lit in pieces:
        groups.setdefault(clause, {})[name] = lit
    texts: list[str] = []
    short: list[str] = []
    for clause, devices in (*groups.items(), (Clause(""), {})):
        within = bool(short) or (inside and not texts)
        text = _sentence(clause, devices, code, alone=len(groups) == 1, inside=within)
        if clause.joins and len(text) <= SHORT and len(devices) == 1:
            short.append(text.removesuffix("."))
            continue
        texts += [f"{listed(short, code)}."] if short else []
        short = []
        texts += [text if inside and not texts else capital(text)] if text else []
    return " ".join(dict.fromkeys(texts))


def _beside(clause: Clause, *, settled: bool) -> Clause:
    """The clause as said beside others: "already" counts as done, a stop has no position."""
    if clause.key == "act.stopped.at":
        return Clause("act.stopped")
    if clause.key.startswith("already") and not settled:
        return Clause(clause.key.replace("already", "act", 1), clause.facts)
    return clause


def _sentence(clause: Clause, devices: Mapping[str, bool], code: str, *, alone: bool, inside: bool) -> str:
    names, key = list(devices), clause.key
    if not key:
        return clause.text
    if key.startswith("already") and alone and has(it := key.replace("already", "already.it"), code):
        key = it
    if len(names) > MOST_NAMED:
        names = [say("count.lights" if all(devices.values()) else "count.devices", code, count=len(names))]
    return say(key, code, things=names, inside=inside, **dict(clause.facts))


# --- one outcome


def _pieces(outcome: ToolOutcome, called: str | None, code: str) -> list[tuple[Clause, str, bool]]:
    """The clause, the name and whether it is a light, for each device of an outcome."""
    facts, results = outcome.facts, outcome.facts.get("results")
    each = [one for one in results if isinstance(one, Mapping)] if isinstance(results, list) else [facts]
    if called and not facts.get("device") and outcome.status in _STARTED:
        return [(Clause("did.scene"), called, False)]
    if outcome.read_only or not all(one.get("device") for one in each):
        return [(Clause("", text=own_text(outcome, code)), "", False)]
    pieces = []
    for result in each:
        requested = {**_mapping(facts.get("requested")), **_mapping(result.get("requested"))}
        status = outcome.status if len(each) == 1 else str(result.get("outcome"))
        clause = _clause(status, requested, result, code) or Clause("", text=own_text(outcome, code))
        state, device = str(result.get("state") or ""), str(result["device"])
        heats = state.startswith("heat") or (state.startswith("off") and "temperature" in requested)
        name = called or device
        if not called and heats and device.casefold().endswith(THERMOSTAT):
            name = say("heating", code, name=device[: -len(THERMOSTAT)]).strip()
        pieces.append((clause, name, is_light(str(result.get("kind") or ""), device)))
    return pieces


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _clause(status: str, requested: Mapping[str, Any], result: Mapping[str, Any], code: str) -> Clause | None:
    """What is said of one device; None: the tool's own sentence."""
    action, state = str(requested.get("action") or ""), str(result.get("state") or UNKNOWN)
    why, was = str(result.get("reason") or "").rstrip("."), str(result.get("was") or UNKNOWN)
    if status == OutcomeStatus.CONFIRMED:
        key, facts = _confirmed(action, str(result.get("kind") or ""), state, requested, code)
        same = was != UNKNOWN and _settled(was) == _settled(state)
        if same and action not in _TRANSIENT and key in ("act.state", "act.level", "act.set"):
            key = key.replace("act", "already", 1)
        return Clause(key, tuple(facts.items()))
    if status == OutcomeStatus.WORKING and has(f"working.{action}", code):
        return Clause(f"working.{action}")
    if status in _OPEN and not why and not result.get("notConfirmed"):
        return Clause("not.seen" if result.get("hidden") else f"not.{status}")
    if status == OutcomeStatus.FAILED and has(f"do.{action}", code):
        did = ("do", say(f"do.{action}", code))
        if why:
            return Clause("not.failed.why", (did, ("why", why)))
        still = state != UNKNOWN and _settled(state)
        how = (("state", state_words(state, code)),) if still else ()
        return Clause("not.failed.still" if still else "not.failed", (did, *how))
    return None


def _settled(state: str) -> str:
    """The state without measured values, which may change meanwhile."""
    return ", ".join(part for part in parts_of(state) if not part.startswith("now "))


def _confirmed(  # noqa: PLR0911 (one for each act)
    action: str, kind: str, state: str, requested: Mapping[str, Any], code: str
) -> tuple[str, dict[str, object]]:
    """The key and the facts of a confirmed act."""
    degrees, level = requested.get("temperature"), level_of(state)
    if action == "stop":
        return ("act.stopped.at", {"level": level}) if level else ("act.stopped", {})
    colour = requested.get("color") or (requested.get("value") if action == "colour" else None)
    if isinstance(colour, str) and colour:
        return "act.set", {"text": colour}
    kelvin = requested.get("level") if action == "kelvin" else degrees
    if isinstance(kelvin, int | float) and kelvin >= COLDEST_WHITE:
        return "act.set", {"text": spoken_units(f"{kelvin:g} K")}
    if isinstance(degrees, int | float) and action in ("", "set"):
        return "act.set", {"text": say("degrees", code, degrees=float(_degrees(degrees, requested, state)))}
    if mode := requested.get("mode"):
        off = mode == "off"
        return "act.state" if off else "act.set", {"state": state_words("off", code), "text": str(mode)}
    if action in ("add", "complete") and requested.get("value"):
        return f"did.{action}", {"text": str(requested["value"])}
    rings = action == "play" and kind in ("chime", "siren")
    if has(did := f"did.{'ring' if rings else kind if kind == 'scene' else action}", code):
        return did, {}
    if action in _LEVELS and (level is not None or "level" in requested):
        return "act.level", {"level": level if level is not None else requested["level"]}
    if state == UNKNOWN:
        return "act.done", {}
    plain = action in ("on", "off") and parts_of(state)[0] == action
    return "act.state", {"state": state_words(action if plain else state, code)}


def _degrees(wanted: float, requested: Mapping[str, Any], state: str) -> float:
    """The reported target nearest to the wanted one (thermostats round); the wanted one in another unit."""
    reported = [float(number) for number in _DEGREES.findall(state)]
    if not reported or (requested.get("unit") == "F" and "°C" in state):
        return wanted
    return min(reported, key=lambda number: abs(number - wanted))


# --- states and other tools' texts


def state_words(state: str, code: str = "") -> str:
    """A state in words ("on at 40 percent"), those of the language file where it has them."""
    state = re.sub(r", 100 %(?=$|,)", "", state)
    key = f"state.{state}"
    if (code or current()) != ENGLISH:
        return ", ".join(_part(part, code) for part in parts_of(state))
    spoken = say(key, code) if has(key, code) else spoken_state(state)
    return re.sub(r"(degrees?) (?:Celsius|Fahrenheit)", r"\1", spoken)


def _part(part: str, code: str) -> str:
    """A part of a state: "open" is `state.open`, "now 20.5 °C" is `state.now _ °C` with its number."""
    number = _AMOUNT.search(part)
    key = f"state.{part[: number.start()]}_{part[number.end() :]}" if number else f"state.{part}"
    if not has(key, code):
        return part
    return say(key, code, number=float(number[0]) if number else 0)


def _worded(outcome: ToolOutcome, code: str) -> str:
    """What one of our tools reports, by `tool.NAME[.ACTION][.none]`; empty where the language has no such
    key. In English the tools speak for themselves."""
    if (code or current()) == ENGLISH or not outcome.ok or not outcome.facts or "unit" in outcome.facts:
        return ""
    facts: dict[str, Any] = {"sky": "", "rain_percent": 0, **outcome.args, **outcome.facts}
    facts |= _mapping((facts.get("routines") or facts.get("timers") or [None])[-1])
    changed = next((facts[key] for key in ("added", "removed", "completed") if key in facts), None)
    items = facts.get("items")
    left = [str(one["text"]) for one in items if not one["done"]] if isinstance(items, list) else []
    facts["names"] = left if changed is None else changed
    for key, kind in (("list", "tool.list"), ("sky", "state")):
        if has(known := f"{kind}.{facts.get(key)}", code):
            facts[key] = say(known, code)
    now = datetime.now().astimezone()
    for key, at in (("when", facts.get("due") or facts.get("next")), ("day", facts.get("date"))):
        facts[key] = _moment(str(at), now, code) if at else ""
    facts["length"] = _length(facts.get("remaining_seconds", facts.get("seconds", 0)), code)
    way = str(facts.get("action") or facts.get("kind") or ("day" if facts["day"] else ""))
    keys = [f"tool.{outcome.name}{f'.{way}' if way else ''}", f"tool.{outcome.name}"]
    keys = keys if facts["names"] else [f"{keys[0]}.none", f"{keys[1]}.none", *keys]
    try:
        return next((say(key, code, **facts) for key in keys if has(key, code)), "")
    except KeyError:  # a fact is missing
        return ""


def _moment(at: str, now: datetime, code: str) -> str:
    """A moment, or a day, as seen from now."""
    moment = datetime.fromisoformat(at)
    if "T" in at:
        return moment_words(moment, now)
    days = (moment.date() - now.date()).days
    return say(f"day.{days}", code) if has(f"day.{days}", code) else dated(moment, "%A")


def _length(seconds: float, code: str) -> str:
    minutes, rest = divmod(round(seconds), 60)
    parts = {"hour": minutes // 60, "minute": minutes % 60, "second": rest if minutes < 10 else 0}
    return listed(
        [say(f"length.{unit}{'s' * (n > 1)}", code, count=n) for unit, n in parts.items() if n], code
    )


def own_text(outcome: ToolOutcome, code: str = "") -> str:
    """A tool's own sentence; raw data is counted or summarised, never read out."""
    if worded := _worded(outcome, code):
        return worded
    text = " ".join(without_marks(outcome.text).removeprefix("Error:").split())
    raw = not text or _RAW.search(text) is not None
    if not outcome.ok:
        text = without_marks(_sentence_in(outcome)) if raw else text
        if not text or _RAW.search(text):
            return say("not.worked", code)
        why = _ended(spoken_units(text))  # a sentence of its own, or what comes behind ours
        return why if why[:1].isupper() or outcome.status in _WORDED else say("not.worked.why", code, why=why)
    if raw or "\n" in outcome.text.strip():
        text = without_marks(_sentence_in(outcome)) or (_summary(outcome, code) if raw else text)
    return _ended(capital(spoken_units(text)))


def _sentence_in(outcome: ToolOutcome) -> str:
    return next((s for key in _SENTENCES if isinstance(s := _mapping(_data(outcome)).get(key), str)), "")


def _data(outcome: ToolOutcome) -> Any:
    """The structured content of a result, or the JSON in its text."""
    if outcome.structured is not None:
        return outcome.structured
    try:
        return json.loads(outcome.text)
    except ValueError:
        return None


def _summary(outcome: ToolOutcome, code: str) -> str:
    """Counts a list in the data and names its entries: "3 results: Anna, Ben and Carla."."""
    data = _data(outcome)
    if isinstance(data, Mapping):
        data = next((value for value in data.values() if isinstance(value, list)), data)
    if not isinstance(data, list):
        return say("results.shown" if outcome.read_only else "act.reported", code)
    names = [name for one in data if (name := _called(one))]
    key = "results.names" if data and len(names) == len(data) else "results"
    return say(key, code, count=len(data), names=names)


def _called(entry: Any) -> str:
    if isinstance(entry, Mapping):
        entry = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str | int)), "")
    return without_marks(" ".join(str(entry).split())[:60]) if isinstance(entry, str | int | float) else ""


def _ended(text: str) -> str:
    """Up to LONGEST characters, with the mark of a sentence behind them."""
    if len(text) > LONGEST:
        whole = re.match(r".*[.!?](?=\s)", text[:LONGEST])
        text = whole[0] if whole else text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return text if text.endswith((".", "!", "?", "…", '"', "”")) else text + "."


# --- no tool can forge a mark

# Characters that look like a mark are replaced everywhere: a terminal may break the line before them.
_LOOK_ALIKE = re.compile(r"\b(?:CHECK|BALLOT|CROSS MARK|MULTIPLICATION X|SALTIRE|CANCELLATION X)\b")
# Characters of arithmetic are replaced at the beginning of a line only.
_ARITHMETIC = re.compile(r"(^[^\S\n]*|(?<=[^\S\n]{3}))[√×⨉⨯╳]+", re.MULTILINE)
_STAND_IN = "*"


def without_marks(text: str) -> str:
    """The text with characters that look like marks replaced."""
    if text.isascii():
        return text
    plain = "".join(_STAND_IN if _looks_like_a_mark(character) else character for character in text)
    return _ARITHMETIC.sub(rf"\1{_STAND_IN}", plain)


@cache
def _looks_like_a_mark(character: str) -> bool:
    return _LOOK_ALIKE.search(unicodedata.name(character, "")) is not None

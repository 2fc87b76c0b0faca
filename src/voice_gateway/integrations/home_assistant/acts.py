"""Home Assistant's own tools with honest outcomes: a caller gets what the home shows afterwards.

Before a call the home is looked at: what is unavailable, or cannot do it, is reported and not called. After
it the home is looked at until it shows what was asked. The outcome has the shape of every home's: one
sentence, and the facts.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from home_words.names import name_key
from home_words.phrases import listed
from home_words.wording import quoted, unreachable
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.calls import Takes, before
from voice_gateway.integrations.home_assistant.confirm import Pace, Verdict, confirm
from voice_gateway.integrations.home_assistant.effects import Effect, effect_of
from voice_gateway.integrations.home_assistant.entities import (
    SCENE,
    TODO,
    device_of,
    every_name,
    facts_of,
    first_names,
    in_area,
    is_available,
    kind_of,
    matching,
    name_of,
    normal,
    room_of,
    state_of,
    text_of,
)
from voice_gateway.integrations.home_assistant.live_context import Entity, LiveList
from voice_gateway.integrations.home_assistant.reach import targets
from voice_gateway.integrations.home_assistant.wording import explain
from voice_gateway.turn import OutcomeStatus

Answer = tuple[str, dict[str, Any]]  # a tool's text, and what it sent besides


@dataclass(frozen=True, slots=True)
class Asked:
    """An entity that Home Assistant says it asked."""

    name: str
    domain: str
    area: str = ""  # where the call was for one


class Raw:
    """One tool as its server offers it. What it says went wrong comes out in plain words."""

    def __init__(self, name: str, run: Any) -> None:
        self.name = name  # Home Assistant's own, without a namespace
        self._run = run

    async def call(self, args: Mapping[str, Any]) -> Answer:
        try:
            text, sent = await self._run(**args)
        except ToolUnavailable:
            raise
        except ToolError as error:
            failure = explain(str(error), self.name, args)
            facts = {"requested": dict(args), "outcome": failure.status.value, "reason": failure.reason}
            raise ToolError(failure.sentence, structured=facts) from error
        return text, sent


@dataclass(frozen=True, slots=True)
class Home:
    """What every wrapped tool of one server shares."""

    seen: LiveList
    takes: Takes
    pace: Pace
    scripts: Mapping[str, str]  # tools that start a script, with its name
    items: Raw | None = None  # what reads a list, where there is such a tool


async def look(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """GetLiveContext: the list as every home's, and as Home Assistant wrote it."""
    entities = await home.seen.look()
    summary = f"I have looked at Home Assistant's {len(entities)} devices."  # nobody listens to the list
    return home.seen.text, {
        "structured": {**facts_of(entities, home.seen.degrees), "summary": summary},
        "blobs": [],
    }


async def pass_on(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """What needs no look."""
    return await raw.call(args)


async def tell_time(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    text, sent = await raw.call(args)
    known = read(text).get("result")
    if not isinstance(known, Mapping):
        return text, sent
    told = ", ".join(str(known[key]) for key in ("weekday", "date", "time", "timezone") if known.get(key))
    return told, {**sent, "structured": dict(known)}


async def cancel_timers(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """Home Assistant's own, not ours; it says how many."""
    text, sent = await raw.call(args)
    slots = read(text).get("speech_slots")
    count = slots.get("canceled") if isinstance(slots, Mapping) else None
    facts = {"outcome": OutcomeStatus.CONFIRMED.value, "canceled": count}
    sentence = (
        f"Home Assistant cancelled {count} of its timers." if count else "Home Assistant has no timers."
    )
    return sentence, {**sent, "structured": facts}


async def start_script(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """It says the same of a script that failed in its first step: so this is never "done"."""
    name = home.scripts[raw.name]
    text, _ = await raw.call(args)
    home.seen.acted()
    told = read(text)
    facts = {
        "device": name,
        "room": None,
        "requested": {"action": "on", **args},
        "state": None,
        "outcome": OutcomeStatus.UNCONFIRMED.value,
        "undo": f"What {quoted(name)} has changed is not known here.",
    }
    if told.get("success") is False:
        raise ToolError(f"{quoted(name)} could not be started.", structured={**facts, "outcome": "failed"})
    answered = told.get("result")
    more = {"answer": answered} if answered else {}
    raise ToolError(wording.started(name), structured={**facts, **more})


async def act(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """Look, call, and look until it shows."""
    entities = await home.seen.recent()
    meant = targets(raw.name, args, entities, scripts=bool(home.scripts))
    meant = meant or _of_another_kind(raw.name, args, entities)
    effects = _effects(raw.name, args, meant or ())
    refused = [verdict for effect in effects if (verdict := _refused(effect, raw.name))]
    if meant is not None and len(refused) == len(effects):
        raise _not_called(home, raw.name, args, meant, refused)
    try:
        asked = await _ask(raw, args, meant)
    except ToolUnavailable as error:  # it was asked, and now nobody can say what became of it
        raise _lost(home, args, entities, effects, str(error)) from error
    home.seen.acted()
    effects, unseen = _with_asked(raw.name, args, entities, effects, asked)
    hopeless = {id(verdict.effect) for verdict in refused}
    watched = [effect for effect in effects if id(effect) not in hopeless]
    try:
        verdicts = await confirm(watched, home.seen.look, home.pace)
    except ToolError as error:
        raise _lost(home, args, entities, watched, str(error)) from error
    return _told(home, args, entities, [*verdicts, *refused], unseen)


def _of_another_kind(
    tool: str, args: Mapping[str, Any], entities: Sequence[Entity]
) -> tuple[Entity, ...] | None:
    """Who is called so and cannot be meant: a fan that is to be paused."""
    if not text_of(args, "name") or tool not in ha.OWN_DOMAINS:
        return None
    return matching(entities, {"name": args["name"]}, frozenset()) or None


def _effects(tool: str, args: Mapping[str, Any], meant: Sequence[Entity]) -> list[Effect]:
    """What nothing can be done with counts only where it is meant by its name."""
    named = bool(text_of(args, "name")) and args.get("name") != "all"
    found = [effect for entity in meant if (effect := effect_of(tool, args, entity))]
    return [
        one for one in found if named or kind_of(one.before) not in ("sensor", "alarm") or _is_special(one)
    ]


def _is_special(effect: Effect) -> bool:
    return effect.before.domain in (SCENE, TODO)


def _refused(effect: Effect, tool: str) -> Verdict | None:
    """What is seen before the call to come to nothing."""
    entity = effect.before
    if not is_available(entity):
        return Verdict(effect, OutcomeStatus.UNREACHABLE, entity)
    able = (
        effect.action in ("on", "add", "complete")
        if _is_special(effect)
        else device_of(entity, "").can(effect.action)
    )
    idle = (tool in ha.WHILE_PLAYING and entity.state != "playing") or (
        effect.action == "volume" and entity.state in ("off", "standby")
    )
    return Verdict(effect, OutcomeStatus.UNSUPPORTED, entity) if idle or not able else None


async def _ask(raw: Raw, args: Mapping[str, Any], meant: Sequence[Entity] | None) -> tuple[Asked, ...]:
    """A name with a comma looks like a name and an alias, an area too: when the one is not known, it is the
    other."""
    spellings = list(_spellings(args, meant[0])) if meant is not None and len(meant) == 1 else [dict(args)]
    for number, spelling in enumerate(spellings, start=1):
        try:
            text, _ = await raw.call(spelling)
            return asked_of(text)
        except ToolError as error:
            facts = error.structured if isinstance(error.structured, Mapping) else {}
            if facts.get("reason") not in ("NAME", "INVALID_AREA") or number == len(spellings):
                raise
    return ()


def _spellings(args: Mapping[str, Any], entity: Entity) -> Iterator[dict[str, Any]]:
    """As it was asked, then with every other name that this entity and its area may have."""
    given = {"name": first_names(entity.names), "area": first_names(", ".join(entity.areas))}
    ways = {
        key: tuple(dict.fromkeys([text_of(args, key), *names]))
        for key, names in given.items()
        if text_of(args, key)
    }
    for values in product(*ways.values()):
        yield {**args, **dict(zip(ways, values, strict=True))}


def _with_asked(
    tool: str,
    args: Mapping[str, Any],
    entities: Sequence[Entity],
    effects: list[Effect],
    asked: Sequence[Asked],
) -> tuple[list[Effect], list[str]]:
    """The effects that were meant, with those that Home Assistant asked besides; and the names of what it
    asked and no list shows."""
    known = {id(effect.before) for effect in effects}
    more, unseen = list(effects), []
    for one in asked:
        found = entities_of(one, entities)
        if not found:
            unseen.append(one.name)
        for entity in found if not any(id(entity) in known for entity in found) else ():
            if effect := effect_of(tool, args, entity):
                known.add(id(entity))
                more.append(effect)
    return more, unseen


def _not_called(
    home: Home, tool: str, args: Mapping[str, Any], meant: Sequence[Entity], refused: Sequence[Verdict]
) -> ToolError:
    """Why the call was not made."""
    degrees = home.seen.degrees
    if not refused:
        device = device_of(meant[0], "", degrees)
        action = ha.action_of(tool, meant[0].domain, args)
        facts = act_facts(args, [], degrees) | {
            "device": device.name,
            "outcome": OutcomeStatus.UNSUPPORTED.value,
        }
        return ToolError(wording.cannot(device, action), structured=facts)
    sentences = [_why(verdict, tool, degrees) for verdict in refused]
    facts = act_facts(args, refused, degrees)
    kind = ToolUnavailable if _status(facts) is OutcomeStatus.UNREACHABLE else ToolError
    return kind(" ".join(dict.fromkeys(sentences)), structured=facts)


def _status(facts: Mapping[str, Any]) -> OutcomeStatus | None:
    """None where nobody can say what became of it."""
    return OutcomeStatus(facts["outcome"]) if facts["outcome"] else None


def _why(verdict: Verdict, tool: str, degrees: str) -> str:
    device = device_of(verdict.effect.before, "", degrees)
    if verdict.outcome is OutcomeStatus.UNREACHABLE:
        return unreachable(device)
    if verdict.effect.before.domain == "media_player" and device.can(verdict.effect.action):
        return wording.not_playing(device) if tool in ha.WHILE_PLAYING else wording.is_off(device)
    return wording.cannot(device, verdict.effect.action)


def _lost(
    home: Home, args: Mapping[str, Any], entities: Sequence[Entity], effects: Sequence[Effect], reason: str
) -> ToolError:
    """The connection went while nobody had seen the end."""
    home.seen.acted()
    verdicts = [Verdict(effect, OutcomeStatus.UNCONFIRMED, effect.before) for effect in effects]
    facts = (
        act_facts(args, verdicts, home.seen.degrees)
        | undo_of(home.takes, entities, verdicts)
        | {"state": None}
    )
    sentence = f"{reason.rstrip('.')}; the command is not confirmed, it may still happen."
    return ToolError(sentence, structured={**facts, "outcome": OutcomeStatus.UNCONFIRMED.value})


def _told(
    home: Home,
    args: Mapping[str, Any],
    entities: Sequence[Entity],
    verdicts: list[Verdict],
    unseen: list[str],
) -> Answer:
    """One sentence and the facts; what is not good is an error: nobody must take it for done."""
    degrees = home.seen.degrees
    text = (
        wording.sentence(verdicts[0], degrees) if len(verdicts) == 1 else wording.summary(verdicts, degrees)
    )
    text = " ".join(filter(None, [text, *map(wording.started, unseen)]))
    facts = act_facts(args, verdicts, degrees) | undo_of(home.takes, entities, verdicts)
    status = _status(facts)
    if unseen or not verdicts:
        if status is None or status in GOOD or not verdicts:
            status = OutcomeStatus.UNCONFIRMED
            facts["outcome"] = status.value
        facts["undo"] = " ".join(
            filter(
                None,
                [
                    facts.get("undo"),
                    *(f"What {quoted(one)} has changed is not known here." for one in unseen),
                ],
            )
        )
    if status in GOOD:
        return text, {"structured": facts, "blobs": []}
    kind = ToolUnavailable if status is OutcomeStatus.UNREACHABLE else ToolError
    raise kind(text or "I have asked for it, I can't see whether it happened.", structured=facts)


def asked_of(text: str) -> tuple[Asked, ...]:
    """Those of a `success`; with an area or a floor that stands there too, and is none."""
    data = read(text).get("data")
    success = data.get("success") if isinstance(data, Mapping) else None
    found = [one for one in success if isinstance(one, Mapping)] if isinstance(success, list) else []
    areas = [str(one.get("name", "")) for one in found if one.get("type") == "area"]
    return tuple(
        Asked(str(one.get("name", "")), str(one.get("id", "")).partition(".")[0], areas[0] if areas else "")
        for one in found
        if one.get("type") == "entity"
    )


def read(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, Mapping) else {}


def entities_of(asked: Asked, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """Those that it may be: of one name, on a floor, nobody can tell which."""
    return tuple(
        entity
        for entity in entities
        if entity.domain == asked.domain
        and normal(asked.name) in every_name(entity.names)
        and (not asked.area or in_area(entity, asked.area))
    )


def items_of(text: str) -> list[str] | None:
    """What stands on a list."""
    items = read(text).get("result")
    if not isinstance(items, list):
        return None
    return [str(one["summary"]) for one in items if isinstance(one, Mapping) and one.get("summary")]


# Of several the worst is what became of the call: done is only what was done by all.
_WORST_FIRST: Final = (
    OutcomeStatus.FAILED,
    OutcomeStatus.UNREACHABLE,
    OutcomeStatus.UNSUPPORTED,
    OutcomeStatus.UNCONFIRMED,
    OutcomeStatus.WORKING,
    OutcomeStatus.CONFIRMED,
)
GOOD: Final = frozenset({OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING})
_MAY_HAVE_HAPPENED: Final = GOOD | {OutcomeStatus.UNCONFIRMED}


def act_facts(args: Mapping[str, Any], verdicts: Sequence[Verdict], degrees: str) -> dict[str, Any]:
    """In the shape of every home's outcome; of several devices each stands in `results`."""
    found = {verdict.outcome for verdict in verdicts}
    outcome = next((one for one in _WORST_FIRST if one in found), "")
    facts: dict[str, Any] = {"device": None, "room": None, "requested": dict(args), "state": None}
    results = [_result(verdict, degrees) for verdict in verdicts]
    if len(results) == 1:
        facts |= results[0] | {"requested": _requested(verdicts[0].effect)}
    elif results:
        facts["results"] = results
    return {**facts, "outcome": str(outcome)}


def _result(verdict: Verdict, degrees: str) -> dict[str, Any]:
    entity = verdict.now or verdict.effect.before
    return {
        "device": name_of(entity),
        "room": room_of(entity),
        "domain": entity.domain,
        "state": state_of(entity, degrees) if verdict.now is not None else None,
        "outcome": verdict.outcome.value,
    }


def _requested(effect: Effect) -> dict[str, Any]:
    wanted: dict[str, Any] = {"action": effect.action}
    if effect.level is not None:
        level = round(effect.level, 2)
        wanted["temperature" if effect.action == "set" else "level"] = (
            int(level) if level == int(level) else level
        )
    return {**wanted, "value": effect.value} if effect.value else wanted


def undo_of(takes: Takes, entities: Sequence[Entity], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Of those that changed, or may have."""
    calls: list[dict[str, Any]] = []
    reasons: list[str] = []
    for verdict in verdicts:
        was, now = verdict.effect.before, verdict.now
        if verdict.outcome not in _MAY_HAVE_HAPPENED and (now is None or now == was or verdict.jammed):
            continue
        known = before(verdict.effect, entities, takes)
        calls += known.calls
        reasons += [known.undo] if known.undo else []
    told = {"undo": " ".join(dict.fromkeys(reasons))} if reasons else {}
    return {"before": calls, **told} if calls or told else {}


READ_ITEMS: Final = "todo_get_items"
_TRIES: Final = 3  # a list in the cloud takes a moment


async def read_list(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    text, sent = await raw.call(args)
    items, name = items_of(text), text_of(args, "todo_list")
    if items is None:
        raise ToolError("Home Assistant has no such list.", structured={"outcome": "not_found"})
    told = f"On {quoted(name)}: {listed(items)}." if items else f"Nothing is on {quoted(name)}."
    return told, {**sent, "structured": {"list": name, "items": items}}


async def change_list(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """By what stands on it afterwards; where that cannot be read, by how many entries there are."""
    entity = find_list(await home.seen.recent(), text_of(args, "name"))
    if home.items is None or entity is None:
        return await act(home, raw, args)
    item, name, adds = text_of(args, "item"), name_of(entity), raw.name == ha.ADD_ITEM
    await raw.call(args)
    home.seen.acted()
    done = await _shows(home.items, name, item, adds, home.pace.pause_seconds)
    outcome = OutcomeStatus.CONFIRMED if done else OutcomeStatus.UNCONFIRMED
    facts = {
        "device": name,
        "room": None,
        "requested": {"action": "add" if adds else "complete", "value": item},
        "state": None,
        "outcome": outcome.value,
        "undo": f"It cannot be {'taken off' if adds else 'put back on'} {quoted(name)} from here.",
    }
    if not done:
        sentence = (
            f"I have asked for it, but {quoted(item)} is {'not ' if adds else 'still '}on {quoted(name)}."
        )
        raise ToolError(sentence, structured=facts)
    told = f"{quoted(item)} is on {quoted(name)}." if adds else f"{quoted(item)} is done on {quoted(name)}."
    return told, {"structured": facts, "blobs": []}


async def _shows(items: Raw, name: str, item: str, there: bool, pause_seconds: float) -> bool:
    for number in range(_TRIES):
        await asyncio.sleep(pause_seconds if number else 0)
        text, _ = await items.call({"todo_list": name})
        found = {normal(one) for one in items_of(text) or ()}
        if (normal(item) in found) is there:
            return True
    return False


def find_list(entities: Sequence[Entity], name: str) -> Entity | None:
    """ "shopping" is the "Shopping List" too."""
    wanted = name_key(name).removesuffix(" list")
    lists = [entity for entity in entities if entity.domain == TODO]
    found = [one for one in lists if name_key(name_of(one)).removesuffix(" list") == wanted]
    return found[0] if len(found) == 1 else None

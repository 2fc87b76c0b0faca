"""Home Assistant's own tools with honest outcomes: a caller gets what the home shows afterwards.

Before a call the home is looked at: what is unavailable, or cannot do it, is reported and not called. After
it the home is looked at until it shows what was asked. The outcome has the shape of every home's: one
sentence, and the facts.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from home_names.names import name_key
from home_names.phrases import listed
from home_names.wording import quoted
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant import wording
from voice_gateway.integrations.home_assistant.calls import targets, undo_of
from voice_gateway.integrations.home_assistant.effects import Effect, Seen, Verdict, confirm, effect_of
from voice_gateway.integrations.home_assistant.entities import (
    EVERY_NAME,
    SCENE,
    TODO,
    device_of,
    every_name,
    facts_of,
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
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.turn import OutcomeStatus

if TYPE_CHECKING:
    from voice_gateway.integrations.home_assistant.source import HomeAssistant

LIST_TRIES: Final = 3  # a list in the cloud takes a moment
# Of several outcomes the worst is that of the call: done is only what was done by all.
_WORST_FIRST: Final = (
    OutcomeStatus.FAILED,
    OutcomeStatus.UNREACHABLE,
    OutcomeStatus.UNSUPPORTED,
    OutcomeStatus.UNCONFIRMED,
    OutcomeStatus.WORKING,
    OutcomeStatus.CONFIRMED,
)
GOOD: Final = frozenset({OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING})

Answer = tuple[str, dict[str, Any]]  # a tool's text, and what it sent besides
Asked = tuple[str, str, str]  # name, domain and area of an entity that Home Assistant says it asked


@dataclass(frozen=True, slots=True)
class Raw:
    """One tool as its server offers it; its errors are raised in plain words."""

    name: str  # Home Assistant's own, without a namespace
    run: Any

    async def call(self, args: Mapping[str, Any]) -> Answer:
        try:
            text, sent = await self.run(**args)
        except ToolUnavailable:
            raise
        except ToolError as error:
            failure = wording.explain(str(error), self.name, args)
            facts = {"requested": dict(args), "outcome": failure.status.value, "reason": failure.reason}
            raise ToolError(failure.sentence, structured=facts) from error
        return text, sent


# --- tools that need no confirmation


async def look(home: "HomeAssistant", raw: Raw, args: Mapping[str, Any]) -> Answer:
    """GetLiveContext: the list as every home's, and as Home Assistant wrote it."""
    entities = await home.seen.look()
    facts = facts_of(entities, home.seen.degrees)
    summary = f"I have looked at Home Assistant's {len(entities)} devices."  # the list is not for speech
    return home.seen.text, _sent({**facts, "summary": summary})


async def start_script(home: "HomeAssistant", raw: Raw, args: Mapping[str, Any]) -> Answer:
    """Always raises: Home Assistant answers the same for a script that failed in its first step."""
    name = home.scripts[raw.name]
    text, _ = await raw.call(args)
    home.seen.acted()
    answer = _read(text)
    requested = {"action": "on", **args}
    facts = _unseen_facts(name, requested, OutcomeStatus.UNCONFIRMED, _unknown_change(name))
    if answer.get("success") is False:
        raise ToolError(f"{quoted(name)} could not be started.", structured={**facts, "outcome": "failed"})
    more = {"answer": result} if (result := answer.get("result")) else {}
    raise ToolError(wording.started(name), structured={**facts, **more})


# --- acts


async def act(home: "HomeAssistant", raw: Raw, args: Mapping[str, Any]) -> Answer:
    return await WrappedCall(home, raw, args, await home.seen.recent()).run()


class WrappedCall:
    """A call that changes something: look, call, and look until it shows. `entities` are all, before it."""

    def __init__(
        self, home: "HomeAssistant", raw: Raw, args: Mapping[str, Any], entities: Sequence[Entity]
    ) -> None:
        self._home, self._raw, self._tool, self._args = home, raw, raw.name, args
        self._entities, self._degrees = entities, home.seen.degrees

    async def run(self) -> Answer:
        """Anything that is not good is raised, so that it is never taken for done."""
        meant = self._meant()
        effects = self._effects(meant or ())
        refused = [verdict for effect in effects if (verdict := self._refused(effect))]
        if meant is not None and len(refused) == len(effects):
            raise self._not_called(meant, refused)
        try:
            asked = await self._call(meant)
        except ToolUnavailable as error:  # it was asked, and what became of it is unknown
            raise self._lost(effects, str(error)) from error
        self._home.seen.acted()
        effects, unseen = self._with_asked(effects, asked)
        hopeless = {id(verdict.effect) for verdict in refused}
        watched = [effect for effect in effects if id(effect) not in hopeless]
        try:
            verdicts = await confirm(watched, self._home.seen.look, self._home.pace) + refused
        except ToolError as error:
            raise self._lost(watched, str(error)) from error
        sentences = [wording.sentence(verdict, self._degrees) for verdict in verdicts]
        text = " ".join([*sentences, *map(wording.started, unseen)])
        facts = self._facts(verdicts) | undo_of(self._home.takes, self._entities, verdicts)
        if unseen or not verdicts:
            if not verdicts or facts["outcome"] in GOOD:
                facts["outcome"] = OutcomeStatus.UNCONFIRMED.value
            facts["undo"] = " ".join(filter(None, [facts.get("undo"), *map(_unknown_change, unseen)]))
        if facts["outcome"] in GOOD:
            return text, _sent(facts)
        raise _error(text or "I have asked for it, I can't see whether it happened.", facts)

    def _meant(self) -> Sequence[Entity] | None:
        meant = targets(self._tool, self._args, self._entities, scripts=bool(self._home.scripts))
        if meant is None and text_of(self._args, "name") and self._tool in ha.OWN_DOMAINS:
            # An entity of this name that cannot be meant: a fan that is to be paused.
            return matching(self._entities, {"name": self._args["name"]}, frozenset()) or None
        return meant

    def _effects(self, meant: Sequence[Entity]) -> list[Effect]:
        """What only measures counts where it is meant by its name."""
        if not text_of(self._args, "name") or self._args.get("name") == EVERY_NAME:
            meant = [entity for entity in meant if kind_of(entity) not in ("sensor", "alarm")]
        return [effect for entity in meant if (effect := effect_of(self._tool, self._args, entity))]

    def _refused(self, effect: Effect) -> Verdict | None:
        """What is seen before the call to come to nothing."""
        entity = effect.before
        if not is_available(entity):
            return Verdict(effect, OutcomeStatus.UNREACHABLE, entity)
        if entity.domain in (SCENE, TODO):
            able = effect.action in ("on", "add", "complete")
        else:
            able = device_of(entity, "").can(effect.action)
        idle = self._tool in ha.WHILE_PLAYING and entity.state != "playing"
        idle = idle or (effect.action == "volume" and entity.state in ("off", "standby"))
        return Verdict(effect, OutcomeStatus.UNSUPPORTED, entity) if idle or not able else None

    async def _call(self, meant: Sequence[Entity] | None) -> tuple[Asked, ...]:
        """A name with a comma looks like a name and an alias, an area too: if the first part is unknown, the
        whole is tried."""
        try:
            text, _ = await self._raw.call(self._args)
        except ToolError as error:
            facts = error.structured if isinstance(error.structured, Mapping) else {}
            key = {"NAME": "name", "INVALID_AREA": "area"}.get(str(facts.get("reason")))
            if key is None or meant is None or len(meant) != 1:
                raise
            whole = meant[0].names if key == "name" else ", ".join(meant[0].areas)
            if whole == self._args.get(key):
                raise
            text, _ = await self._raw.call({**self._args, key: whole})
        return _asked(text)

    def _with_asked(self, effects: list[Effect], asked: Sequence[Asked]) -> tuple[list[Effect], list[str]]:
        """The effects, with those on entities that Home Assistant asked besides; and the names of what it
        asked and no list shows."""
        known = {id(effect.before) for effect in effects}
        more, unseen = list(effects), []
        for each in asked:
            matches = [entity for entity in self._entities if _may_be(each, entity)]
            if not matches:
                unseen.append(each[0])
            elif not any(id(entity) in known for entity in matches):
                known.update(map(id, matches))
                more += [made for entity in matches if (made := effect_of(self._tool, self._args, entity))]
        return more, unseen

    # outcomes

    def _not_called(self, meant: Sequence[Entity], refused: Sequence[Verdict]) -> ToolError:
        """Why the call was not made."""
        facts = self._facts(refused)
        if refused:
            reasons = [wording.sentence(verdict, self._degrees) for verdict in refused]
            return _error(" ".join(dict.fromkeys(reasons)), facts)
        device = device_of(meant[0], "", self._degrees)
        facts |= {"device": device.name, "outcome": OutcomeStatus.UNSUPPORTED.value}
        return _error(wording.cannot(device, ha.action_of(self._tool, meant[0].domain, self._args)), facts)

    def _lost(self, effects: Sequence[Effect], reason: str) -> ToolError:
        """The connection was lost before the end was seen."""
        self._home.seen.acted()
        verdicts = [Verdict(effect, OutcomeStatus.UNCONFIRMED, effect.before) for effect in effects]
        facts = self._facts(verdicts) | undo_of(self._home.takes, self._entities, verdicts)
        facts |= {"state": None, "outcome": OutcomeStatus.UNCONFIRMED.value}
        sentence = f"{reason.rstrip('.')}; the command is not confirmed, it may still happen."
        return ToolError(sentence, structured=facts)

    def _facts(self, verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """In the shape of every home's outcome; of several devices each stands in `results`."""
        outcomes = {verdict.outcome for verdict in verdicts}
        worst = next((outcome.value for outcome in _WORST_FIRST if outcome in outcomes), "")
        facts: dict[str, Any] = {"device": None, "room": None, "requested": dict(self._args), "state": None}
        results = [_result(verdict, self._degrees) for verdict in verdicts]
        if len(results) == 1:
            facts |= results[0]
        elif results:
            facts["results"] = results
        return {**facts, "outcome": worst}


def _asked(text: str) -> tuple[Asked, ...]:
    """The entities of a `success`, which names an area or a floor as well."""
    data = _read(text).get("data")
    success = data.get("success") if isinstance(data, Mapping) else None
    asked = [each for each in success if isinstance(each, Mapping)] if isinstance(success, list) else []
    area = next((str(each.get("name", "")) for each in asked if each.get("type") == "area"), "")
    return tuple(
        (str(each.get("name", "")), str(each.get("id", "")).partition(".")[0], area)
        for each in asked
        if each.get("type") == "entity"
    )


def _may_be(asked: Asked, entity: Entity) -> bool:
    name, domain, area = asked
    named = entity.domain == domain and normal(name) in every_name(entity.names)
    return named and (not area or in_area(entity, area))


def _sent(facts: dict[str, Any]) -> dict[str, Any]:
    return {"structured": facts, "blobs": []}


def _error(sentence: str, facts: dict[str, Any]) -> ToolError:
    gone = facts["outcome"] == OutcomeStatus.UNREACHABLE.value
    return (ToolUnavailable if gone else ToolError)(sentence, structured=facts)


def _result(verdict: Verdict, degrees: str) -> dict[str, Any]:
    entity, before = verdict.now or verdict.effect.before, verdict.effect.before
    return {
        "device": name_of(entity),
        "room": room_of(entity),
        "domain": entity.domain,
        "kind": kind_of(entity) if entity.domain != "scene" else entity.domain,
        "requested": _requested(verdict.effect),
        "was": state_of(before, degrees),
        "state": state_of(entity, degrees) if verdict.now is not None else None,
        **({"hidden": True} if verdict.seen is Seen.HIDDEN else {}),
        "outcome": verdict.outcome.value,
    }


def _requested(effect: Effect) -> dict[str, Any]:
    wanted: dict[str, Any] = {"action": effect.action}
    if effect.level is not None:
        level = round(effect.level, 2)
        key = "temperature" if effect.action == "set" else "level"
        wanted[key] = int(level) if level == int(level) else level
    return {**wanted, "value": effect.value} if effect.value else wanted


def _unseen_facts(name: str, requested: object, outcome: OutcomeStatus, undo: str) -> dict[str, Any]:
    """Of a script or a list, which show no state."""
    facts = {"device": name, "room": None, "requested": requested, "state": None}
    return {**facts, "outcome": outcome.value, "undo": undo}


def _unknown_change(name: str) -> str:
    return f"What {quoted(name)} has changed is not known here."


def _read(text: str) -> Mapping[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, Mapping) else {}


# --- to-do lists


async def read_list(home: "HomeAssistant", raw: Raw, args: Mapping[str, Any]) -> Answer:
    text, sent = await raw.call(args)
    items, name = _items(text), text_of(args, "todo_list")
    if items is None:
        raise ToolError("Home Assistant has no such list.", structured={"outcome": "not_found"})
    sentence = f"On {quoted(name)}: {listed(items)}." if items else f"Nothing is on {quoted(name)}."
    return sentence, {**sent, "structured": {"list": name, "items": items}}


async def change_list(home: "HomeAssistant", raw: Raw, args: Mapping[str, Any]) -> Answer:
    """Confirmed by reading the list afterwards; without a tool for that, by the number of its entries."""
    entity = find_list(await home.seen.recent(), text_of(args, "name"))
    if home.items is None or entity is None:
        return await act(home, raw, args)
    item, name, adds = text_of(args, "item"), name_of(entity), raw.name == ha.ADD_ITEM
    await raw.call(args)
    home.seen.acted()
    done = await _shows(home.items, name, item, adds, home.pace.pause_seconds)
    outcome = OutcomeStatus.CONFIRMED if done else OutcomeStatus.UNCONFIRMED
    requested = {"action": "add" if adds else "complete", "value": item}
    undo = f"It cannot be {'taken off' if adds else 'put back on'} {quoted(name)} from here."
    facts = _unseen_facts(name, requested, outcome, undo)
    if not done:
        still = "not" if adds else "still"
        sentence = f"I have asked for it, but {quoted(item)} is {still} on {quoted(name)}."
        raise ToolError(sentence, structured=facts)
    return f"{quoted(item)} is {'' if adds else 'done '}on {quoted(name)}.", _sent(facts)


async def _shows(items: Raw, name: str, item: str, there: bool, pause_seconds: float) -> bool:
    for number in range(LIST_TRIES):
        await asyncio.sleep(pause_seconds if number else 0)
        text, _ = await items.call({"todo_list": name})
        if (normal(item) in map(normal, _items(text) or ())) is there:
            return True
    return False


def _items(text: str) -> list[str] | None:
    items = _read(text).get("result")
    if not isinstance(items, list):
        return None
    return [str(item["summary"]) for item in items if isinstance(item, Mapping) and item.get("summary")]


def find_list(entities: Sequence[Entity], name: str) -> Entity | None:
    """ "shopping" is the "Shopping List" too."""
    wanted = name_key(name).removesuffix(" list")
    matches = [
        entity
        for entity in entities
        if entity.domain == TODO and name_key(name_of(entity)).removesuffix(" list") == wanted
    ]
    return matches[0] if len(matches) == 1 else None

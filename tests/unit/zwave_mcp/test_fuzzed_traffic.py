"""Recorded traffic that was lost, doubled, reordered or cut: the right picture, or a plain "unknown"."""

import asyncio
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.zwave_events import GATEWAY, SMOKE, Player, recorded

from home_words.states import UNKNOWN, dimmed
from zwave_mcp.devices import CC, Device, devices_of, to_percent
from zwave_mcp.events import Event
from zwave_mcp.home import HomeError, NoAnswer, Snapshot, Value, is_number
from zwave_mcp.mqtt.api import Api, GatewayApi
from zwave_mcp.mqtt.nodes import parse_nodes
from zwave_mcp.notifications import Standing, meaning
from zwave_mcp.states import active_setpoint, label_of, measured, number_text, reading_text, state_text

DATA = Path(__file__).parents[2] / "zwave_data"
HOMES = {
    "first": json.loads((DATA / "getNodes.json").read_text(encoding="utf-8")),
    "second": json.loads((DATA / "events" / "nodes.json").read_text(encoding="utf-8")),
}
SEEDS = [range(start, start + 20) for start in (0, 20, 40)]
_WRONG: tuple[Any, ...] = (None, "", [], {}, {"value": 1}, [True])


def _nodes(home: str) -> list[Any]:
    raw = HOMES[home]
    return list(raw["result"] if isinstance(raw, dict) else raw)


def _told(device: Device) -> set[str]:
    """What is said of a device, piece by piece: a sensor that lost a reading tells the others."""
    pieces = {
        *state_text(device).split(", "),
        *(part for one in measured(device) for part in one.split(", ")),
    }
    return {piece.strip() for piece in pieces}


def _damaged(given: Any, chance: random.Random, depth: int = 0) -> Any:
    """Keys are lost, and what stood there is of another sort. No number becomes another number."""
    if isinstance(given, dict):
        return {
            key: chance.choice(_WRONG) if chance.random() < 0.03 else _damaged(value, chance, depth + 1)
            for key, value in given.items()
            if chance.random() > 0.03
        }
    if isinstance(given, list):
        kept = [_damaged(one, chance, depth + 1) for one in given if chance.random() > 0.03]
        if depth:  # the order of nodes and of texts says nothing
            chance.shuffle(kept)
        return [*kept, *kept[:1]] if chance.random() < 0.1 else kept
    return given


def _forms(value: Value) -> set[str]:
    """All ways to tell this one value: its unit or label may be lost, its number and its meaning may not."""
    texts = {reading_text(value)}
    if isinstance(value.value, int) and value.states.get(value.value, "") == "idle":
        texts.add("normal")
    if is_number(value.value) and value.unit:
        texts.add(number_text(value.value))
    names = {label_of(value), value.label, str(value.id.property), str(value.id.property_key)}
    names |= {label_of(replace(value, unit="")), "battery" if value.id.command_class == CC.BATTERY else ""}
    names |= {"now", "temperature"} if value.label == "Air temperature" else set()
    return {f"{name.lower()} {text}".strip() for name in {*names, ""} for text in texts}


def _sayable(devices: Iterable[Device]) -> set[str]:
    """Of one node: what is told of the whole list, or of one of its values alone, and nothing else."""
    said = {UNKNOWN}
    for device in devices:
        said |= _told(device)
        said |= {form for value in device.readings for form in _forms(value)}
        for setpoint in device.setpoints:  # with less around it, it is told for what it is
            kind = {1: " for heating", 2: " for cooling"}.get(setpoint.id.property_key, "")  # type: ignore[arg-type]
            said |= {f"set to {reading_text(setpoint)}{kind}", f"set to {number_text(setpoint.value)}{kind}"}
        if (heated := active_setpoint(device)) is not None:
            said.add(f"set to {number_text(heated.value)}")
        if device.kind == "blind":  # without its ways up and down it is a dimmer as bright as it was open
            said |= set(dimmed(to_percent(device.state_value.value if device.state_value else 0)).split(", "))
    return said


@cache
def _truth(home: str) -> dict[int, set[str]]:
    by_node: dict[int, list[Device]] = {}
    for device in devices_of(Snapshot(parse_nodes(_nodes(home)))):
        by_node.setdefault(device.node.id, []).append(device)
    return {node: _sayable(devices) for node, devices in by_node.items()}


CONTROLLER = 1  # where the list does not say so, it is a node of which nothing is known


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("seeds", SEEDS)
def test_of_a_damaged_list_no_wrong_state_is_told(home: str, seeds: range) -> None:
    wrong, found, known = {}, 0, _truth(home) | {CONTROLLER: {UNKNOWN}}
    for seed in seeds:
        for one in devices_of(Snapshot(parse_nodes(_damaged(_nodes(home), random.Random(seed))))):
            told = _told(one)
            found += told != {UNKNOWN}
            if said := told - known.get(one.node.id, set()):
                wrong[seed, one.name] = said
    assert found > 5 * len(seeds), "most devices were still found, and told of"
    assert wrong == {}


@pytest.mark.parametrize("home", HOMES)
def test_after_damaged_lists_a_whole_one_sets_everything_right(home: str) -> None:
    truth = {
        (one.node.id, one.endpoint): _told(one) for one in devices_of(Snapshot(parse_nodes(_nodes(home))))
    }
    for seed in range(10):
        devices_of(Snapshot(parse_nodes(_damaged(_nodes(home), random.Random(seed)))))
        now = devices_of(Snapshot(parse_nodes(_nodes(home))))
        assert {(one.node.id, one.endpoint): _told(one) for one in now} == truth


@dataclass(frozen=True)
class Played:
    at: float  # when it was recorded, in seconds
    topic: str
    payload: bytes
    again: bool = False  # delivered a second time


def _mixed(lines: list[dict[str, Any]], chance: random.Random) -> list[Played]:
    """Some lost, some twice, some cut, and neighbours in another order."""
    made: list[Played] = []
    for line in lines:
        if "topic" not in line or chance.random() < 0.1:
            continue
        payload = line["payload"].encode()
        if chance.random() < 0.1:
            payload = payload[: chance.randrange(len(payload) + 1)]
        once = Played(line["t"] / 1000, line["topic"].removeprefix("zwave/"), payload)
        made += [once, replace(once, again=True)] if chance.random() < 0.1 else [once]
    for at in range(len(made) - 1):
        if chance.random() < 0.1:
            made[at], made[at + 1] = made[at + 1], made[at]
    return made


def _play(player: Player, messages: Iterable[Played], began: float) -> None:
    """In their own time, as the gateway sent them."""
    start = player.moment
    for one in messages:
        player.wait(max(0.0, start + one.at - began - player.moment))
        player.message(one.topic, one.payload)
    player.wait(60)


What = tuple[str, str, int | None, int | None]  # kind, state, node, button


def _what(event: Event) -> What:
    return event.kind, event.state, event.node, event.button


@cache
def _happened(recording: str) -> tuple[float, tuple[Event, ...]]:
    """What the undamaged traffic tells, and when it begins."""
    lines = recorded(recording)
    player, began = Player(), next(line["t"] for line in lines if "topic" in line) / 1000
    player.look()
    whole = (
        Played(line["t"] / 1000, line["topic"].removeprefix("zwave/"), line["payload"].encode())
        for line in lines
        if "topic" in line
    )
    _play(player, whole, began)
    return began, tuple(player.told)


LATE_SECONDS = 3.0  # a bolt's mode is believed after two


@pytest.mark.parametrize("recording", ["named", "valueid"])
@pytest.mark.parametrize("seed", range(20))
def test_of_damaged_messages_no_event_is_told_that_did_not_happen(recording: str, seed: int) -> None:
    began, truth = _happened(recording)
    messages = _mixed(recorded(recording), random.Random(seed))
    player = Player()
    player.look()
    _play(player, messages, began)
    first: dict[What, float] = {}
    for event in truth:
        first.setdefault(_what(event), event.at)
    details = {(event.state, event.user, event.way) for event in truth if event.kind == "lock"}
    details |= {(state, None, how) for state, _, way in details for how in (way, "")}  # who, or how, was lost
    for event in player.told:
        assert _what(event) in first, f"never happened: {event.text}"
        assert event.at >= first[_what(event)] - LATE_SECONDS, f"too early: {event.text}"
        assert event.kind != "lock" or (event.state, event.user, event.way) in details, event.text
    assert player.told, "some were still told"


@pytest.mark.parametrize("recording", ["named", "valueid"])
@pytest.mark.parametrize("seed", range(20))
def test_after_damaged_messages_the_next_list_sets_everything_right(recording: str, seed: int) -> None:
    """Alarms, doors, locks, batteries: what is kept is what the list says, and nothing else is told."""
    began, _ = _happened(recording)
    player = Player()
    player.look()
    _play(player, _mixed(recorded(recording), random.Random(seed)), began)
    told = len(player.told)
    player.look()
    player.wait(60)
    fresh = Player()  # knows nothing but that list
    fresh.look()
    listed = {(one["nodeId"], one["kind"]): one["state"] for one in fresh.log.to_json()["watched"]}
    watched = {(one["nodeId"], one["kind"]): one["state"] for one in player.log.to_json()["watched"]}
    assert listed.items() <= watched.items()
    assert player.log.alarms == fresh.log.alarms == [], "no smoke, no water and no tampering"
    shown = _standing(player.snapshot)
    for event in player.told[told:]:
        assert event.state in shown[event.node, event.kind], f"not what the list says: {event.text}"
    player.with_value(SMOKE, 2, updated=player.moment)
    player.wait(1)
    player.look()
    assert [event.kind for event in player.log.alarms] == ["smoke"]


def _standing(snapshot: Snapshot) -> dict[tuple[int | None, str], set[str]]:
    """What a list says of doors, locks, alarms and batteries."""
    shown: dict[tuple[int | None, str], set[str]] = {}
    for node in snapshot.nodes:
        for value in node.values:
            of = value.id
            told = meaning(of.command_class, of.property, of.property_key, value.value)
            if isinstance(told, Standing):
                shown.setdefault((node.id, told.kind), set()).add(told.state)
    return shown


class Wire:
    """Between us and the gateway: answers are lost, doubled, cut, and come in any order."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.asked: list[dict[str, Any]] = []

    async def publish(self, _topic: str, payload: bytes) -> None:
        self.asked.append(json.loads(payload))

    def answers(self) -> list[bytes]:
        made: list[bytes] = []
        for request in self.asked:
            value = request["args"][0]["nodeId"]
            answer = {"success": True, "result": value, "args": request["args"], "origin": request}
            payload, luck = json.dumps(answer).encode(), self.chance.random()
            if luck < 0.2:
                continue
            made += [payload[: self.chance.randrange(len(payload))]] if luck < 0.4 else [payload]
            made += [payload] if luck > 0.9 else []
        self.chance.shuffle(made)
        return made


async def test_every_call_gets_its_own_answer_or_none() -> None:
    await asyncio.gather(*(_over_a_bad_wire(Wire(seed)) for seed in range(20)))


async def _over_a_bad_wire(wire: Wire) -> None:
    api = GatewayApi(f"zwave/_CLIENTS/{GATEWAY}", wire.publish)

    async def polled(node: int) -> Any:
        try:
            return await api.call(Api.POLL_VALUE, [{"nodeId": node}], 0.1)
        except NoAnswer:
            return None

    calls = asyncio.gather(*(polled(node) for node in range(30)))
    await asyncio.sleep(0)
    for payload in wire.answers():
        api.receive(payload)
    for node, answer in enumerate(await calls):
        assert answer in (node, None)


async def test_an_answer_that_is_cut_is_never_half_a_home() -> None:
    payload = json.dumps({"success": True, "result": _nodes("first"), "origin": {"id": "x"}}).encode()
    places = [random.Random(seed).randrange(len(payload)) for seed in range(20)]
    await asyncio.gather(*(_refused(payload[:place]) for place in places))


async def _refused(cut: bytes) -> None:
    asked: list[bytes] = []

    async def publish(_topic: str, sent: bytes) -> None:
        asked.append(sent)

    api = GatewayApi("zwave/_CLIENTS/x", publish)

    async def nodes() -> Any:
        return await api.call(Api.GET_NODES, [], 0.05)

    call = asyncio.ensure_future(nodes())
    await asyncio.sleep(0)
    api.receive(cut + json.loads(asked[0])["id"].encode())
    with pytest.raises(HomeError):
        await call

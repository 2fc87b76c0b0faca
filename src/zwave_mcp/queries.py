"""The tools that look: what there is, what it says, and whether all is well."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.kinds import device_class
from home_words.names import loose, loose_words, words
from home_words.phrases import capital, listed
from home_words.resolver import Names
from home_words.states import UNKNOWN, spoken_units
from zwave_mcp import wording
from zwave_mcp.control import TOGETHER, has_level, supports
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, HomeError, Snapshot, Value
from zwave_mcp.notifications import (
    CALM,
    URGENT,
    Standing,
    alarm_of,
    alarm_report,
    alarms_of,
    event_names,
    state_words,
)
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.sounds import SOUNDERS, own_tone, tones_of
from zwave_mcp.states import (
    age_seconds,
    auto_setpoints,
    components,
    heating_state,
    label_of,
    main_readings,
    measured,
    reading_text,
    remembered,
    state_text,
)
from zwave_mcp.verify import verified, verified_group
from zwave_mcp.view import View, Viewer, resolve_device


class Queries:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer
        self._listed: tuple[View | None, dict[tuple[object, ...], Result]] = (None, {})  # of the last view
        self._rows: dict[tuple[int, int], Row] = {}
        home.watch(self._look)

    def _look(self, snapshot: Snapshot) -> None:
        """What a list tells is made when a snapshot comes: of all nodes at once, as after a restart of the
        gateway, that takes longer than anybody should wait for a list; and what was before goes then, too."""
        devices = self._viewer.of(snapshot).devices
        self._listed = None, {}
        self._rows = {one.place: self._row(one) for one in devices}

    async def list(
        self, wanted: str = "", inactive: bool = False, limit: int = 100, offset: int = 0
    ) -> Result:
        view = await self._viewer.now()
        if self._listed[0] is not view:
            self._listed = view, {}
        page = self._listed[1]
        asked = (wanted, inactive, limit, offset)
        if asked not in page:
            page[asked] = self._list(view, *asked)
        return page[asked]

    def _list(self, view: View, wanted: str, inactive: bool, limit: int, offset: int) -> Result:
        chosen = filtered(view.names, wanted)
        offline = [device for device in chosen if not device.available]
        every = inactive or "offline" in words(wanted)
        shown = chosen if every else [device for device in chosen if device.available]
        page = shown[offset : offset + limit]
        rows = [self._row(device) for device in page]
        sentence = listing(rows, len(shown), offline, wanted)
        return Result(sentence, {"devices": [row.entry for row in rows], "total": len(shown)})

    def _row(self, device: Device) -> "Row":
        """From one list to the next most devices are as they were, and then the very same object."""
        known = self._rows.get(device.place)
        if known is None or known.device is not device:
            known = self._rows[device.place] = row_of(device)
        return known

    async def device(self, asked: str) -> Result:
        """Asks the device itself, where it can answer."""
        view = await self._viewer.now()
        device = resolve_device(view, asked, {})
        if isinstance(device, Result):
            return device
        behind: list[str] = []
        if device.members:
            device, outcome, behind = await verified_group(self._home, device)
        else:
            device, outcome = await verified(self._home, device)
        state = state_text(device) if outcome == "confirmed" else UNKNOWN
        more = details(device) | ({"notConfirmed": behind} if device.members else {})
        return result(_told(device, outcome, state, behind), outcome, Facts({}, device, state, more=more))

    async def sensors(self, asked: str) -> Result:
        view = await self._viewer.now()
        room = view.names.in_room(asked)
        if room:
            return room_readings(room)
        device = resolve_device(view, asked, {}, lambda hit: bool(hit.readings))
        if isinstance(device, Result):
            return device
        facts = Facts(
            {}, device, state_text(device), more={"readings": [reading(one) for one in device.readings]}
        )
        if device.node.dead:
            return result(wording.unreachable(device), "unreachable", facts)
        if not device.readings:
            return result(capital(f"{wording.the(device)} measures nothing."), "unsupported", facts)
        return result(f"{said_readings(device)}.", "confirmed", facts)

    async def health(self) -> Result:
        health = await self._home.health()
        more: dict[str, Any] = {
            "broker": health.broker,
            "gateway": health.gateway,
            "driver": health.driver,
            "gatewayName": health.gateway_name,
            "version": health.version,
            "simulated": health.simulated,
        }
        if not health.ok:
            return result(health.problem or "The Z-Wave system is down.", "system_down", Facts({}, more=more))
        try:
            devices = (await self._viewer.now()).devices
        except HomeError as error:
            return result(str(error), "system_down", Facts({}, more=more))
        called = wording.called_apart(devices)
        offline = [str(called[device.place]) for device in devices if not device.available]
        low = [str(called[device.place]) for device in devices if device.battery_low]
        told = [alarm_report(one) for one in devices if any(a.state != "off" for a in alarms_of(one))]
        alarms = list(dict.fromkeys(told))  # two in one room that say the same
        more |= {"devices": len(devices), "alarms": alarms}
        more |= {"offline": [device.name for device in devices if not device.available]}
        more |= {"batteryLow": [device.name for device in devices if device.battery_low]}
        well = health_sentence(len(devices), offline, low, health.simulated)
        return result(" ".join([*alarms, well]), "confirmed", Facts({}, more=more))


def _told(device: Device, outcome: Outcome, state: str, behind: list[str]) -> str:
    if outcome == "confirmed":
        return alarm_report(device) or wording.is_state(device, state)
    if outcome == "unreachable":
        return wording.unreachable(device)
    return wording.not_all_told(device, behind) if behind else wording.was_state(device, remembered(device))


_OLD_SECONDS: Final = 300  # said with the reading; battery sensors report about hourly, so older is no error


def filtered(names: Names[Device], wanted: str) -> list[Device]:
    """Every word of the filter is in name, room or kind, or means the kind."""
    said = words(wanted) - {"all", "every", ""}
    if not wanted.strip() or not said:
        return list(names.devices)

    def fit(device: Device) -> bool:
        state = state_text(device) if device.available else "offline"
        has = loose_words(f"{device.room} {device.name} {device.kind.replace('_', ' ')} {state}")
        sorts = ((word, device_class(word)) for word in said)
        return all(loose(word) in has or (sort is not None and sort.has(device)) for word, sort in sorts)

    return [device for device in names.devices if fit(device)]


def _believed(device: Device) -> tuple[Value, ...]:
    """Its main readings; of several that watch for one thing, whoever says that something is the matter."""
    told = ((alarm_of(value), value) for value in device.readings)
    on = {alarm.kind: value for alarm, value in told if alarm is not None and alarm.state != "off"}
    watched = ((alarm_of(value), value) for value in main_readings(device))
    return tuple(on.get(alarm.kind, value) if alarm is not None else value for alarm, value in watched)


def _listed_state(device: Device, alarms: Sequence[Standing]) -> str:
    """No calm word of one probe while another one is wet."""
    state = state_text(device)
    on = {CALM[one.kind]: one for one in alarms if one.state != "off" and one.kind in CALM}
    if not on:
        return state
    parts = state.split(", ")
    return ", ".join(state_words(on[part].kind, on[part].state) if part in on else part for part in parts)


def _readings(device: Device, state: str, alarms: Sequence[Standing]) -> tuple[str, ...]:
    """What it tells beside its state; of what is no sensor also whether there is smoke or water."""
    told = measured(device)
    if not device.available:
        return told
    watched = (state_words(one.kind, one.state) for one in alarms if one.state != "off" or one.kind in URGENT)
    said = (*state.split(", "), *told)
    # Of a thermostat that keeps between two temperatures: which of them applies.
    operating = heating_state(device) if auto_setpoints(device) else ""
    works = (f"operating {operating}",) if operating else ()
    return (*told, *works, *(words for words in watched if words not in said))


@dataclass(frozen=True, slots=True)
class Row:
    """A device as a list tells it."""

    device: Device
    entry: dict[str, Any]
    text: str


def row_of(device: Device) -> Row:
    told = entry(device)
    return Row(device, told, _in_list(device, told["state"]))


def entry(device: Device) -> dict[str, Any]:
    alarms = alarms_of(device)
    state = _listed_state(device, alarms)
    readings = _readings(device, state, alarms)
    more: dict[str, Any] = {"readings": list(readings)} if readings else {}
    if able := abilities(device):
        more["abilities"] = list(able)
    if tones := tones_of(device):
        more["tones"] = [tone.name for tone in tones]
        more |= {"ownTone": own} if (own := own_tone(device)) else {}
    if events := event_names(device):
        more["events"] = list(events)
    return {
        "name": device.name,
        "room": device.room,
        "kind": device.kind,
        "nodeId": device.node.id,
        "endpoint": device.endpoint,
        "state": state,
        "available": device.available,
        **more,
    }


def abilities(device: Device) -> tuple[str, ...]:
    """What one of its kind can do is not the same for all: told for those kinds."""
    if device.members:
        return tuple(action for action in TOGETHER if all(supports(one, action) for one in device.members))
    has = components(device)
    colour = ("colour",) if all(key in has for key in (2, 3, 4)) else ()
    kelvin = ("kelvin",) if colour or (0 in has and 1 in has) else ()
    if device.kind == "light":
        return ("on", "off", "toggle", *(("dim",) if has_level(device) else ()), *colour, *kelvin)
    if device.kind == "fan":
        return ("on", "off", "toggle", "speed")
    if device.kind in SOUNDERS:
        return ("ring", "stop")
    return ("on", "off", "toggle", *colour, *kelvin) if has else ()


def listing(page: list[Row], total: int, offline: list[Device], wanted: str) -> str:
    what = f" for {wording.quoted(wanted)}" if wanted.strip() else ""
    rooms: dict[str, list[str]] = {}
    for row in page:
        rooms.setdefault(row.device.room or "no room", []).append(row.text)
    parts = [f"{room}: {', '.join(names)}" for room, names in rooms.items()]
    count = (
        "There is no device"
        if total == 0
        else f"There {'is 1 device' if total == 1 else f'are {total} devices'}"
    )
    some = f", {len(page)} of them here" if len(page) < total else ""
    tail = f"; offline: {listed([device.name for device in offline])}" if offline else ""
    body = f": {'; '.join(parts)}" if parts else ""
    return f"{count}{what}{some}{body}{tail}."


def _in_list(device: Device, state: str) -> str:
    if not device.available:
        last = remembered(device)
        state = "offline" if last == UNKNOWN else f"offline, last known {last}"
    called = wording.told_apart(device)
    return f"{called.removesuffix(')')}, {state})" if called != device.name else f"{called} ({state})"


def details(device: Device) -> dict[str, Any]:
    details: dict[str, Any] = {
        "kind": device.kind,
        "available": device.available,
        "status": device.node.status,
        "product": device.node.product,
        "readings": [reading(value) for value in device.readings],
        "batteryLow": device.battery_low,
    }
    heating = heating_state(device)
    return {**details, "operating": heating} if heating else details


def reading(value: Value) -> dict[str, Any]:
    return {
        "label": label_of(value),
        "value": value.value,
        "unit": value.unit,
        "text": reading_text(value),
        "ageSeconds": age_seconds(value),
    }


def said_readings(device: Device, *, in_room: bool = True) -> str:
    said = [_said(value) for value in _believed(device)]
    ages = [age for age in map(age_seconds, device.readings) if age is not None]
    if device.battery_low:
        said.append("its battery is low")
    if not said:
        said = [_said(value) for value in device.readings]
    old = f", measured {_ago(min(ages))}" if ages and min(ages) >= _OLD_SECONDS else ""
    called = wording.the(device, room=in_room)
    return f"{capital(called) if in_room else called}: {', '.join(said)}{old}"


def _said(value: Value) -> str:
    """Label and value as people say them; "closed" needs no label."""
    text = spoken_units(reading_text(value))
    if text in ("open", "closed", "motion", "no motion") or alarm_of(value) is not None:
        return text
    label = label_of(value).lower()
    return f"{label.removeprefix('air ')} {text}"


def _ago(seconds: int) -> str:
    minutes = seconds // 60
    if minutes < 120:
        return f"{minutes} minutes ago"
    return f"{minutes // 60} hours ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"


def room_readings(devices: tuple[Device, ...]) -> Result:
    measuring = [device for device in devices if main_readings(device) and device.available]
    room = devices[0].room
    more = {
        "readings": [
            {"device": device.name, **reading(value)} for device in measuring for value in device.readings
        ]
    }
    if not measuring:
        return result(
            f"Nothing measures anything {wording.in_room(room)}.", "unsupported", Facts({}, more=more)
        )
    sentence = "; ".join(said_readings(device, in_room=False) for device in measuring)
    structured = result(f"{capital(wording.in_room(room))}: {sentence}.", "confirmed", Facts({}, more=more))
    return Result(structured.sentence, {**structured.structured, "room": room})


def health_sentence(total: int, offline: list[str], low: list[str], simulated: bool) -> str:
    home = "The simulated Z-Wave home" if simulated else "The Z-Wave system"
    parts = [f"{home} is up with {total} devices"]
    if offline:
        parts.append(f"offline: {listed(offline)}")
    if low:
        parts.append(f"battery low: {listed(low)}")
    return "; ".join(parts) + "."

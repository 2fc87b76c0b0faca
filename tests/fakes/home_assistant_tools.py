"""The tools of Home Assistant's MCP server, with the answers of 2026.2.3: `action_done` means "asked"."""

import asyncio
import copy
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from tests.fakes import home_assistant_acts as acts
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome, MatchFailed, Wanted, slug

DATA = Path(__file__).parent / "home_assistant_data"
HEADING = "Live Context: An overview of the areas and the devices in this smart home:\n"
_TOLD = frozenset(
    "temperature current_temperature brightness humidity unit_of_measurement device_class percentage "
    "current_position volume_level media_title media_artist media_album_name".split()
)
_OFF_PLAYER_HIDES = frozenset({"volume_level", "media_title", "media_artist", "media_album_name"})

# What must be exposed for a tool to be offered.
_ALWAYS = frozenset({"HassTurnOn", "HassTurnOff", "HassCancelAllTimers", "GetDateTime"})
_NEEDS = {
    "HassLightSet": {"light"},
    "HassSetPosition": {"cover", "valve"},
    "HassStopMoving": {"cover", "valve"},
    "HassClimateSetTemperature": {"climate"},
    "HassFanSetSpeed": {"fan"},
    "HassVacuumStart": {"vacuum"},
    "HassVacuumReturnToBase": {"vacuum"},
    "HassListAddItem": {"todo"},
    "HassListCompleteItem": {"todo"},
    "todo_get_items": {"todo"},
}

# Tools that act on entities of certain domains: (the domains, the act, one target only)
_ACTS: dict[str, tuple[tuple[str, ...], acts.Act, bool]] = {
    "HassLightSet": ((), acts.light_set, False),
    "HassSetPosition": ((), acts.set_position, False),
    "HassStopMoving": ((), acts.stop_moving, False),
    "HassClimateSetTemperature": (("climate",), acts.set_temperature, True),
    "HassFanSetSpeed": (("fan",), acts.set_speed, False),
    "HassMediaPause": (("media_player",), acts.pause, False),
    "HassMediaUnpause": (("media_player",), acts.unpause, False),
    "HassMediaNext": (("media_player",), acts.skip, False),
    "HassMediaPrevious": (("media_player",), acts.back, False),
    "HassSetVolume": (("media_player",), acts.set_volume, False),
    "HassSetVolumeRelative": (("media_player",), acts.change_volume, False),
    "HassMediaPlayerMute": (("media_player",), acts.mute, False),
    "HassMediaPlayerUnmute": (("media_player",), acts.unmute, False),
    "HassVacuumStart": (("vacuum",), acts.vacuum_start, False),
    "HassVacuumReturnToBase": (("vacuum",), acts.vacuum_return, False),
}
# What else must be said: without it the slots are invalid.
_REQUIRED = {
    "HassSetPosition": "position", "HassClimateSetTemperature": "temperature",
    "HassFanSetSpeed": "percentage", "HassSetVolume": "volume_level", "HassSetVolumeRelative": "volume_step",
    "HassListAddItem": "item",
    "HassListCompleteItem": "item", "HassMediaSearchAndPlay": "search_query",
}  # fmt: skip
COLDEST, WARMEST = 7, 35
COLOURS = frozenset(
    "white black red green blue yellow orange purple pink brown grey gray cyan magenta turquoise violet "
    "indigo gold silver lime navy teal olive maroon coral salmon crimson lavender beige ivory khaki plum "
    "orchid tan aqua fuchsia skyblue lightblue darkblue lightgreen darkgreen hotpink tomato".split()
)


class Refused(Exception):
    """A result with `isError`."""


class HomeAssistantTools:
    """`calls` has every call that came, in order."""

    def __init__(self, home: HomeAssistantHome) -> None:
        self.home = home
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def definitions(self) -> list[dict[str, Any]]:
        """As `tools/list` gives them: what is exposed decides."""
        exposed = self.home.exposed()
        domains = {one.domain for one in exposed}
        offered = [copy.deepcopy(one) for one in recorded() if _is_offered(one["name"], domains)]
        for one in offered:
            if one["name"] == "todo_get_items":
                names = [entity.name for entity in exposed if entity.domain == "todo"]
                one["inputSchema"]["properties"]["todo_list"]["enum"] = names
        scripts = [one for one in exposed if one.domain == "script"]
        live = [one for one in offered if one["name"] == "GetLiveContext"]
        return [one for one in offered if one not in live] + [_script_tool(one) for one in scripts] + live

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """One MCP result. Whoever asks again and again must let others run, as on a network."""
        await asyncio.sleep(0)
        self.calls.append((name, dict(arguments)))
        try:
            text, is_error = self._answer(name, dict(arguments)), False
        except Refused as refused:
            text, is_error = str(refused), True
        except MatchFailed as failed:
            text, is_error = f"Error calling tool: {failed}", True
        return {"content": [{"type": "text", "text": text}], "isError": is_error}

    def acted(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls that were no looks."""
        looks = ("GetLiveContext", "GetDateTime", "todo_get_items")
        return [call for call in self.calls if call[0] not in looks]

    def live_context(self) -> str:
        """Scripts are not in it, nor ids, floors, colours and abilities."""
        listed = [self._told(one) for one in self.home.exposed() if one.domain != "script"]
        return HEADING + yaml.dump(listed, Dumper=_Dumper, sort_keys=False, allow_unicode=True)

    # --- one call

    def _answer(self, name: str, args: dict[str, Any]) -> str:
        definition = next((one for one in self.definitions() if one["name"] == name), None)
        if definition is None:
            raise Refused(f'Error calling tool: Tool "{name}" not found')
        _validate(args, definition["inputSchema"])
        self.home.settle()
        invalid = any(args.get(key) == "" for key in ("name", "area", "floor"))
        if invalid or _REQUIRED.get(name, "") not in ("", *args):
            raise Refused(f"Error calling tool: Received invalid slot info for {name}")
        return self._dispatched(name, args)

    def _dispatched(self, name: str, args: dict[str, Any]) -> str:
        if name in ("HassTurnOn", "HassTurnOff"):
            return self._turned(args, on=name == "HassTurnOn")
        if name in _ACTS:
            return self._acted(name, args)
        if name in ("HassListAddItem", "HassListCompleteItem"):
            return self._listed(name, args)
        if name == "GetLiveContext":
            return _result(self.live_context())
        if name == "GetDateTime":
            now = datetime.now(UTC)
            return _result({"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M:%S}", "weekday": f"{now:%A}"})
        if name == "todo_get_items":
            status = args.get("status", "needs_action")
            items = self._list(args["todo_list"]).items
            return _result([one for one in items if status in ("all", one["status"])])
        if name == "HassCancelAllTimers":
            return _done([])
        if name == "HassMediaSearchAndPlay":
            raise Wanted.of(args, ("media_player",)).failed("FEATURE")
        self._run(self.home.entities[f"script.{name}"])
        return _result({})

    def _turned(self, args: dict[str, Any], *, on: bool) -> str:
        wanted = Wanted.of(args)
        if wanted.is_anything:
            raise Refused("Error calling tool: Service handler cannot target all devices")
        found = self.home.match(wanted)
        can = acts.TURNED_ON if on else acts.TURNED
        failed = [one for one in found if one.domain not in can]
        done = [one for one in found if one.domain in can]
        if not done:
            verb = "turn_on" if on else "turn_off"
            raise Refused(f"Error calling tool: Failed to call {verb} for: {[one.id for one in failed]}")
        for one in done:
            self._turn(one, args, on=on)
        return _done([*self._places(wanted), *map(_told, done)], failed)

    def _turn(self, entity: Entity, args: dict[str, Any], *, on: bool) -> None:
        if acts.does_nothing(entity):
            return
        if entity.domain in ("scene", "script"):
            if on:
                self._run(entity)
            return
        (acts.turn_on if on else acts.turn_off)(entity, self.home.clock(), args)

    def _run(self, entity: Entity) -> None:
        """A scene or a script: a script that fails says so to nobody."""
        if acts.does_nothing(entity):
            return
        for entity_id, state in entity.sets.items():
            target = self.home.entities.get(entity_id)
            if target is not None and not acts.does_nothing(target):
                put(target, state, self.home.clock())
        if entity.domain == "scene":
            entity.become(datetime.now(UTC).isoformat())

    def _acted(self, name: str, args: dict[str, Any]) -> str:
        domains, act, single = _ACTS[name]
        if name == "HassLightSet" and "color" in args and slug(args["color"]) not in COLOURS:
            raise Refused(f"Error calling tool: Received invalid slot info for {name}")
        wanted = Wanted.of(args, domains, single=single)
        if wanted.is_anything:
            raise Refused("Error calling tool: Service handler cannot target all devices")
        found = self.home.match(wanted)
        if name == "HassClimateSetTemperature" and not COLDEST <= args["temperature"] <= WARMEST:
            raise Refused(f"Error calling tool: Error handling {name}")
        for one in found:
            if not acts.does_nothing(one):
                act(one, self.home.clock(), args)
        if name == "HassSetVolumeRelative":
            return _done([])
        places = [] if single else self._places(wanted)
        return _done([*places, *map(_told, found)])

    def _places(self, wanted: Wanted) -> list[dict[str, str]]:
        """With an area or a floor, `success` has it, too."""
        area = self.home.area(wanted.area) if wanted.area else None
        named = [("area", area.name)] if area else []
        floors = {one.floor for one in self.home.areas.values()}
        named += [
            ("floor", one) for one in floors if wanted.floor and one.casefold() == wanted.floor.casefold()
        ]
        return [{"name": name, "type": kind, "id": slug(name)} for kind, name in named]

    def _listed(self, name: str, args: dict[str, Any]) -> str:
        entity = self._list(args.get("name", ""))
        if name == "HassListAddItem":
            entity.items.append(
                {"summary": args["item"], "uid": f"{len(entity.items):032x}", "status": "needs_action"}
            )
        else:
            open_ones = (one for one in entity.items if one["status"] == "needs_action")
            item = next(
                (one for one in open_ones if one["summary"].casefold() == args["item"].casefold()), None
            )
            if item is None:
                raise Refused(f"Error calling tool: Item {args['item']!r} not found on list")
            item["status"] = "completed"
        entity.become(str(sum(one["status"] == "needs_action" for one in entity.items)))
        return _done([_told(entity)])

    def _list(self, name: str) -> Entity:
        return self.home.match(Wanted(name=name, domains=frozenset({"todo"}), preferences="None"))[0]

    def _told(self, entity: Entity) -> dict[str, Any]:
        told: dict[str, Any] = {
            "names": ", ".join((entity.name, *entity.aliases)),
            "domain": entity.domain,
            "state": entity.state,
        }
        area = self.home.areas.get(entity.area)
        if area is not None:
            told["areas"] = ", ".join((area.name, *area.aliases))
        hidden = _OFF_PLAYER_HIDES if entity.domain == "media_player" and entity.state == "off" else ()
        known = entity.attributes if entity.state != "unavailable" else {
            key: value for key, value in entity.attributes.items() if key == "device_class"
        }  # fmt: skip
        if attributes := {key: _plain(known[key]) for key in known if key in _TOLD and key not in hidden}:
            told["attributes"] = attributes
        return told


def put(entity: Entity, state: str, now: float) -> None:
    """Into a state in short: "on", "off", "on 40" (percent), "locked", "open", "closed"."""
    word, _, number = state.partition(" ")
    if word in ("on", "off") and number:
        acts.light_set(entity, now, {"brightness": int(number)})
    elif word in ("on", "locked", "open"):
        acts.turn_on(entity, now, {})
    else:
        acts.turn_off(entity, now, {})


# --- what its answers look like


def _done(success: list[dict[str, str]], failed: list[Entity] | None = None) -> str:
    data = {"targets": [], "success": success, "failed": [_told(one) for one in failed or ()]}
    return json.dumps({"speech": {}, "response_type": "action_done", "data": data}, ensure_ascii=False)


def _told(entity: Entity) -> dict[str, str]:
    return {"name": entity.name, "type": "entity", "id": entity.id}


def _result(value: Any) -> str:
    return json.dumps({"success": True, "result": value}, ensure_ascii=False)


def _validate(args: dict[str, Any], schema: dict[str, Any]) -> None:
    error = jsonschema.exceptions.best_match(_validator(json.dumps(schema)).iter_errors(args))
    if error is not None:
        raise Refused(f"Input validation error: {error.message}")


@cache
def _validator(schema: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads(schema))


def _plain(value: Any) -> Any:
    """Whole numbers are written as text, others as they are."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _Dumper(yaml.CSafeDumper):  # type: ignore[misc]
    """As Home Assistant writes: nothing is an empty value."""


_Dumper.add_representer(type(None), lambda dumper, _: dumper.represent_scalar("tag:yaml.org,2002:null", ""))


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads((DATA / "tools.json").read_text("utf-8")))


def _is_offered(name: str, domains: set[str]) -> bool:
    if name in _ALWAYS:
        return True
    if name == "GetLiveContext":
        return bool(domains)
    if re.match(r"Hass(Media|SetVolume)", name):
        return "media_player" in domains
    return bool(_NEEDS[name] & domains)


def _script_tool(entity: Entity) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(entity.fields)}
    name = entity.id.partition(".")[2]
    return {"name": name, "description": entity.description or entity.name, "inputSchema": schema}

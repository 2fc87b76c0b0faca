"""The homes: their devices, and the configuration of Home Assistant that makes them: `devices.py HOME PORT`.

Each device is a template over helpers that nobody sees, so that it does what a real one does: it takes its
time, fails, jams, or is not there.
"""

import json
import sys
from dataclasses import dataclass, field
from typing import Any

FLOORS = {
    "Ground Floor": ["Living Room", "Kitchen", "Hall"],
    "Upstairs": ["Bedroom", "Office"],
    "Outside": ["Garage"],
}
AREA_ALIASES = {"Living Room": ["Lounge"]}
LISTS = ("Chores",)  # beside the shopping list, which Home Assistant has by itself
MANY = 160  # lights of the large home, beside all others


@dataclass
class Device:
    id: str  # light.bedside_lamp
    name: str
    area: str = ""
    aliases: tuple[str, ...] = ()
    exposed: bool = True


@dataclass
class Home:
    """What is exposed, and what makes it."""

    devices: list[Device] = field(default_factory=list)
    template: list[dict[str, Any]] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)  # further sections of the configuration

    def add(self, entity_id: str, name: str, area: str = "", *aliases: str, exposed: bool = True) -> str:
        self.devices.append(Device(entity_id, name, area, aliases, exposed))
        return entity_id.partition(".")[2]

    def part(self, section: str, name: str, what: Any) -> None:
        self.parts.setdefault(section, {})[name] = what

    # --- helpers

    def boolean(self, name: str, initial: bool = False) -> str:
        self.part("input_boolean", name, {"initial": initial})
        return f"input_boolean.{name}"

    def number(self, name: str, initial: float, highest: float = 100, step: float = 1) -> str:
        self.part("input_number", name, {"min": 0, "max": highest, "step": step, "initial": initial})
        return f"input_number.{name}"

    def choice(self, name: str, initial: str, *others: str) -> str:
        self.part("input_select", name, {"options": [initial, *others], "initial": initial})
        return f"input_select.{name}"

    # --- kinds of devices

    def made(self, domain: str, key: str, name: str, **how: Any) -> None:
        self.template.append(
            {domain: [{"name": name, "unique_id": key, "default_entity_id": f"{domain}.{key}", **how}]}
        )

    def light(
        self, key: str, name: str, area: str, *aliases: str, on: bool = False, dims: bool = False,
        colours: bool = False, seconds: float = 0, exposed: bool = True, **how: Any,
    ) -> None:  # fmt: skip
        self.add(f"light.{key}", name, area, *aliases, exposed=exposed)
        lit, wait = self.boolean(f"{key}_lit", on), [{"delay": {"seconds": seconds}}] if seconds else []
        does = {
            "state": f"{{{{ is_state('{lit}', 'on') }}}}",
            "turn_on": [*wait, call("input_boolean.turn_on", lit)],
            "turn_off": [*wait, call("input_boolean.turn_off", lit)],
        }
        if dims:
            level = self.number(f"{key}_level", 255, 255)
            does["level"] = f"{{{{ states('{level}') | int }}}}"
            does["set_level"] = [
                call("input_number.set_value", level, value="{{ brightness }}"),
                call("input_boolean.turn_on", lit),
            ]
        if colours:
            does |= self._colours(key, lit)
        self.made("light", key, name, **(does | how))

    def _colours(self, key: str, lit: str) -> dict[str, Any]:
        hue, saturation = self.number(f"{key}_hue", 0, 360, 0.001), self.number(f"{key}_sat", 0, 100, 0.001)
        kelvin = self.number(f"{key}_kelvin", 4000, 10000)
        return {
            "hs": f"{{{{ (states('{hue}') | float, states('{saturation}') | float) }}}}",
            "set_hs": [
                call("input_number.set_value", hue, value="{{ h }}"),
                call("input_number.set_value", saturation, value="{{ s }}"),
                call("input_boolean.turn_on", lit),
            ],
            "temperature": f"{{{{ (1000000 / states('{kelvin}') | int) | int }}}}",
            "set_temperature": [
                call("input_number.set_value", kelvin, value="{{ color_temp_kelvin }}"),
                call("input_boolean.turn_on", lit),
            ],
        }

    def switch(self, key: str, name: str, area: str, *, on: bool = False, device_class: str = "") -> None:
        self.add(f"switch.{key}", name, area)
        helper = self.boolean(f"{key}_runs", on)
        self.made(
            "switch", key, name, state=f"{{{{ is_state('{helper}', 'on') }}}}",
            turn_on=[call("input_boolean.turn_on", helper)],
            turn_off=[call("input_boolean.turn_off", helper)],
        )  # fmt: skip
        if device_class:
            self.part("customize", f"switch.{key}", {"device_class": device_class})

    def lock(
        self, key: str, name: str, area: str, *, locked: bool = True, seconds: float = 0, jams: bool = False,
        code: str = "",
    ) -> None:  # fmt: skip
        self.add(f"lock.{key}", name, area)
        states = ("locked", "unlocked") if locked else ("unlocked", "locked")
        bolt = self.choice(f"{key}_bolt", *states, "locking", "unlocking", "jammed")

        def turned(moving: str, end: str) -> list[dict[str, Any]]:
            if not seconds:
                return [call("input_select.select_option", bolt, option=end)]
            return [
                call("input_select.select_option", bolt, option=moving),
                {"delay": {"seconds": seconds}},
                call("input_select.select_option", bolt, option=end),
            ]

        how = {"code_format": f"{{{{ '{code}' }}}}"} if code else {}
        self.made(
            "lock", key, name, state=f"{{{{ states('{bolt}') }}}}",
            lock=turned("locking", "jammed" if jams else "locked"), unlock=turned("unlocking", "unlocked"),
            **how,
        )  # fmt: skip

    def cover(self, key: str, name: str, area: str, *, position: int, step_seconds: float = 0.5) -> None:
        """Moves by steps of 10 % in a script of its own, which can be stopped."""
        self.add(f"cover.{key}", name, area)
        place, way = self.number(f"{key}_place", position), self.choice(f"{key}_way", "still", "up", "down")
        here = f"states('{place}') | int"
        self.part("script", f"move_{key}", {
            "mode": "restart",
            "fields": {"target": {}},
            "sequence": [
                call("input_select.select_option", way,
                     option=f"{{{{ 'up' if target > {here} else 'down' }}}}"),
                {"repeat": {
                    "while": [
                        {"condition": "template", "value_template": f"{{{{ {here} != target | int }}}}"}
                    ],
                    "sequence": [
                        {"delay": {"milliseconds": int(step_seconds * 1000)}},
                        call("input_number.set_value", place, value=(
                            f"{{{{ [{here} + 10, target | int] | min if target | int > {here} "
                            f"else [{here} - 10, target | int] | max }}}}"
                        )),
                    ],
                }},
                call("input_select.select_option", way, option="still"),
            ],
        })  # fmt: skip

        def move(target: Any) -> list[dict[str, Any]]:
            return [call("script.turn_on", f"script.move_{key}", variables={"target": target})]

        self.made(
            "cover", key, name, position=f"{{{{ {here} }}}}",
            state=(
                f"{{% if is_state('{way}', 'up') %}}opening{{% elif is_state('{way}', 'down') %}}closing"
                f"{{% else %}}{{{{ 'open' if {here} else 'closed' }}}}{{% endif %}}"
            ),
            open_cover=move(100), close_cover=move(0), set_cover_position=move("{{ position }}"),
            stop_cover=[
                call("script.turn_off", f"script.move_{key}"),
                call("input_select.select_option", way, option="still"),
            ],
        )  # fmt: skip

    def gate(self, key: str, name: str, area: str) -> None:
        """Open or closed, nothing between."""
        self.add(f"cover.{key}", name, area)
        helper = self.boolean(f"{key}_up")
        self.made(
            "cover", key, name, device_class="garage", state=f"{{{{ is_state('{helper}', 'on') }}}}",
            open_cover=[call("input_boolean.turn_on", helper)],
            close_cover=[call("input_boolean.turn_off", helper)],
        )  # fmt: skip

    def sensor(self, key: str, name: str, area: str, value: float, device_class: str, unit: str) -> None:
        self.add(f"sensor.{key}", name, area)
        self.made("sensor", key, name, state=str(value), device_class=device_class, unit_of_measurement=unit)

    def thermostat(self, key: str, name: str, area: str, target: float) -> None:
        self.add(f"climate.{key}", name, area)
        self.made("sensor", f"{key}_air", f"{name} Air", state="20.5", device_class="temperature",
                  unit_of_measurement="°C")  # fmt: skip
        heater = self.boolean(f"{key}_burner")
        self.parts.setdefault("climate", []).append({
            "platform": "generic_thermostat", "name": name, "unique_id": key, "heater": heater,
            "target_sensor": f"sensor.{key}_air", "min_temp": 7, "max_temp": 30, "target_temp": target,
            "initial_hvac_mode": "heat", "precision": 0.5,
        })  # fmt: skip

    def fan(self, key: str, name: str, area: str) -> None:
        self.add(f"fan.{key}", name, area)
        runs, speed = self.boolean(f"{key}_runs"), self.number(f"{key}_speed", 50)
        self.made(
            "fan", key, name, state=f"{{{{ is_state('{runs}', 'on') }}}}",
            percentage=f"{{{{ states('{speed}') | int if is_state('{runs}', 'on') else 0 }}}}",
            turn_on=[call("input_boolean.turn_on", runs)], turn_off=[call("input_boolean.turn_off", runs)],
            set_percentage=[
                call("input_number.set_value", speed, value="{{ percentage }}"),
                call("input_boolean.turn_on", runs),
            ],
        )  # fmt: skip

    def player(self, key: str, name: str, area: str) -> None:
        self.add(f"media_player.{key}", name, area)
        state = self.choice(f"{key}_state", "playing", "paused", "off")
        volume, muted = self.number(f"{key}_volume", 0.5, 1, 0.01), self.boolean(f"{key}_muted")
        track = self.choice(f"{key}_track", "First Song", "Second Song", "Third Song")

        def put(word: str) -> dict[str, Any]:
            return call("input_select.select_option", state, option=word)

        self.parts.setdefault("media_player", []).append({
            "platform": "universal", "name": name, "unique_id": key, "children": [],
            "attributes": {"state": state, "volume_level": volume, "is_volume_muted": muted},
            "commands": {
                "turn_on": put("playing"), "turn_off": put("off"), "media_play": put("playing"),
                "media_pause": put("paused"), "media_play_pause": put("playing"),
                "media_next_track": call("input_select.select_next", track),
                "media_previous_track": call("input_select.select_previous", track),
                "volume_set": call("input_number.set_value", volume, value="{{ volume_level }}"),
                "volume_up": call("input_number.increment", volume),
                "volume_down": call("input_number.decrement", volume),
                "volume_mute": call("input_boolean.toggle", muted),
            },
        })  # fmt: skip

    def vacuum(self, key: str, name: str, area: str) -> None:
        self.add(f"vacuum.{key}", name, area)
        state = self.choice(f"{key}_state", "docked", "cleaning", "returning")

        def go(word: str) -> list[dict[str, Any]]:
            return [call("input_select.select_option", state, option=word)]

        self.made("vacuum", key, name, state=f"{{{{ states('{state}') }}}}", start=go("cleaning"),
                  stop=go("docked"), return_to_base=go("returning"))  # fmt: skip

    def script(self, key: str, name: str, description: str, *sequence: Any, **fields: Any) -> None:
        self.add(f"script.{key}", name)
        self.part("script", key, {
            "alias": name, "description": description, "fields": fields, "sequence": list(sequence)
        })  # fmt: skip


def call(action: str, entity: str, **data: Any) -> dict[str, Any]:
    return {"action": action, "target": {"entity_id": entity}, **({"data": data} if data else {})}


FAILS = {"stop": "The radio did not answer", "error": True}


def small() -> Home:
    """Every kind of device, and every trouble that Home Assistant calls done."""
    home = Home()
    home.light("ceiling_light", "Ceiling Light", "Living Room", dims=True, colours=True)
    home.light("floor_lamp", "Floor Lamp", "Living Room", dims=True, on=True)
    home.light("lamp_living", "Lamp", "Living Room")
    home.light("lamp_bedroom", "Lamp", "Bedroom")
    home.light("bedside_lamp", "Bedside Lamp", "Bedroom", "Nachttischlampe", "reading lamp", dims=True)
    home.light("kitchen_light", "Kitchen Light", "Kitchen", dims=True, on=True)
    home.light("desk_lamp", "Desk Lamp", "Office", on=True)
    home.light("unplugged_light", "Unplugged Light", "Hall", availability="{{ false }}")
    home.light("slow_light", "Slow Light", "Hall", seconds=4)
    home.light("failing_light", "Failing Light", "Hall", turn_on=[FAILS], turn_off=[FAILS])
    home.light("hidden_light", "Hidden Light", "Hall", exposed=False)
    home.switch("string_lights", "String Lights", "Living Room", on=True)
    home.switch("coffee_maker", "Coffee Maker", "Kitchen", device_class="outlet")
    home.add("input_boolean.guest_mode", "Guest Mode")
    home.part("input_boolean", "guest_mode", {"name": "Guest Mode", "initial": False})
    home.lock("front_door", "Front Door", "Hall")
    home.lock("back_door", "Back Door", "Kitchen", seconds=2)
    home.lock("cellar_door", "Cellar Door", "Hall", code="^\\d{4}$")
    home.lock("shed_door", "Shed Door", "Garage", locked=False, seconds=1, jams=True)
    home.cover("blind", "Blind", "Living Room", position=70, step_seconds=0.2)
    home.cover("shutters", "Shutters", "Bedroom", position=100, step_seconds=0.2)
    home.gate("garage_door", "Garage Door", "Garage")
    home.thermostat("heat_pump", "Heat Pump", "Living Room", 20)
    home.thermostat("radiator", "Radiator", "Office", 19)
    home.fan("tower_fan", "Tower Fan", "Living Room")
    home.player("television", "Television", "Living Room")
    home.player("kitchen_radio", "Kitchen Radio", "Kitchen")
    home.player("bedroom", "Bedroom", "Bedroom")  # called like a room
    home.vacuum("robby", "Robby", "Living Room")
    home.sensor("outside_temperature", "Outside Temperature", "", 15.6, "temperature", "°C")
    home.sensor("office_humidity", "Office Humidity", "Office", 54, "humidity", "%")
    home.add("binary_sensor.garage_motion", "Garage Motion", "Garage")
    home.made("binary_sensor", "garage_motion", "Garage Motion", state="{{ true }}", device_class="motion")
    home.add("scene.movie_night", "Movie Night")
    home.parts["scene"] = [{"name": "Movie Night", "id": "movie_night", "entities": {
        "light.floor_lamp": {"state": "on", "brightness": 26}, "light.kitchen_light": "off"
    }}]  # fmt: skip
    home.script("good_night", "Good Night", "Turns the lamps off and locks the front door.",
                call("light.turn_off", "light.bedside_lamp"), call("light.turn_off", "light.kitchen_light"),
                call("lock.lock", "lock.front_door"))  # fmt: skip
    home.script(
        "let_guests_in", "Let Guests In", "Opens up for guests.", call("lock.unlock", "lock.front_door")
    )
    home.script("broken_script", "Broken Script", "Always fails.", FAILS)
    home.add("todo.shopping_list", "Shopping List")
    home.add("todo.chores", "Chores")
    return home


def large() -> Home:
    home = small()
    for number in range(MANY):
        home.light(f"light_{number}", f"Light {number}", f"Room {number // 10}", dims=number % 2 == 0)
    return home


HOMES = {"small": small, "large": large}


def areas(home: Home) -> dict[str, str]:
    """{area: floor}"""
    floors = {area: floor for floor, inside in FLOORS.items() for area in inside}
    return {device.area: floors.get(device.area, "Upstairs") for device in home.devices if device.area}


def configuration(home: Home, port: int) -> dict[str, Any]:
    parts = dict(home.parts)
    return {
        "homeassistant": {
            "name": "Test", "unit_system": "metric", "currency": "EUR", "country": "DE", "latitude": 52.5,
            "longitude": 13.4, "elevation": 30, "time_zone": "Europe/Berlin",
            "customize": parts.pop("customize", {}),
        },
        "http": {"server_host": "127.0.0.1", "server_port": port},
        "logger": {"default": "warning"},
        "api": None, "config": None, "conversation": None, "intent": None,
        "template": home.template,
        **parts,
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(configuration(HOMES[sys.argv[1]](), int(sys.argv[2]))))

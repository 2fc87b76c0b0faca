"""The tools that look: what there is, what it says, and whether all is well."""

from typing import Any, Final

from home_words.names import words
from zwave_mcp import sentences
from zwave_mcp.devices import Device, with_value
from zwave_mcp.home import Home, HomeError, NoAnswer, Refused, Value
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import UNKNOWN, remembered, state_of, state_text
from zwave_mcp.telling import (
    details,
    entry,
    filtered,
    health_sentence,
    listing,
    reading,
    room_readings,
    said_readings,
)
from zwave_mcp.view import Viewer, resolve_device

_VERIFY_SECONDS: Final = 2.0


class Looks:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def list(
        self, wanted: str = "", inactive: bool = False, limit: int = 100, offset: int = 0
    ) -> Result:
        view = await self._viewer.now()
        chosen = filtered(view.names, wanted)
        offline = [device for device in chosen if not device.available]
        every = inactive or "offline" in words(wanted)
        shown = chosen if every else [device for device in chosen if device.available]
        page = shown[offset : offset + limit]
        sentence = listing(page, len(shown), offline, wanted)
        return Result(sentence, {"devices": [entry(device) for device in page], "total": len(shown)})

    async def device(self, asked: str) -> Result:
        """Asks the device itself, where it can answer."""
        view = await self._viewer.now()
        device = resolve_device(view, asked, {})
        if isinstance(device, Result):
            return device
        outcome: Outcome = "confirmed"
        if device.node.dead:
            outcome = "unreachable"
        elif device.state_value is not None and not device.node.asleep:
            device, outcome = await self._verified(device, device.state_value)
        state = state_text(device) if outcome == "confirmed" else UNKNOWN
        sentence = {
            "confirmed": lambda: sentences.is_state(device, state),
            "unreachable": lambda: sentences.unreachable(device),
        }.get(outcome, lambda: sentences.was_state(device, remembered(device)))()
        return result(sentence, outcome, Facts({}, device, state, more=details(device)))

    async def _verified(self, device: Device, state: Value) -> tuple[Device, Outcome]:
        try:
            value = await self._home.poll(state.id, _VERIFY_SECONDS)
        except (NoAnswer, Refused):
            return device, "unconfirmed"
        if state_of(device, value) == UNKNOWN:
            return device, "unconfirmed"
        return with_value(device, state.id, value), "confirmed"

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
            return result(sentences.unreachable(device), "unreachable", facts)
        if not device.readings:
            return result(
                sentences.capital(f"{sentences.the(device)} measures nothing."), "unsupported", facts
            )
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
        offline = [device.name for device in devices if not device.available]
        low = [device.name for device in devices if device.battery_low]
        more |= {"devices": len(devices), "offline": offline, "batteryLow": low}
        return result(
            health_sentence(len(devices), offline, low, health.simulated), "confirmed", Facts({}, more=more)
        )

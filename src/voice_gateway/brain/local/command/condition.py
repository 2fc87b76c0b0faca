"""A condition of now: how a thing is, or how warm it is somewhere, by the picture that was just read."""

from dataclasses import dataclass, replace

from home_names.phrases import capital
from home_names.states import degrees_of, spoken_state
from voice_gateway.brain.local.command.clauses import SpokenCondition
from voice_gateway.brain.local.command.what import read_command
from voice_gateway.brain.local.meaning import Context, Step
from voice_gateway.brain.local.place import room_named
from voice_gateway.brain.local.resolve import IT, Found, Resolver
from voice_gateway.brain.local.wording import the
from voice_gateway.integrations.device import Device, has_state

_STATES = {"up": "open", "down": "closed"}


@dataclass(frozen=True, slots=True)
class Met:
    """Whose state it was, and what to say when the condition does not hold."""

    devices: tuple[Device, ...]
    step: Step | None = None


def condition_met(condition: SpokenCondition, order: str, context: Context) -> Met | None:
    """None when nobody can tell: then nothing is done by it."""
    if condition.state == "dark":  # of the sky, which nothing here can see
        return None
    if condition.degrees is not None:
        return _measured(condition, context)
    thing = condition.thing
    if thing in IT:  # "close it if it is open": what the order names
        commands = read_command(order)
        thing = next((str(one.which.said) for one in commands if one.which.said), "")
    found = Resolver(context.home, context.room, context.last).resolve(thing)
    if not isinstance(found, Found):
        return None
    state = _STATES.get(condition.state, condition.state)
    now = [replace(device, state=context.home.state_of(device)) for device in found.devices]
    if any(not one.available or not one.state for one in now):
        return None
    so = [has_state(one, state) for one in now]
    holds = not all(so) if condition.unless else any(so)
    told = f"{capital(the(now[0]))} is {spoken_state(now[0].state)}, so I did nothing."
    return Met(found.devices, None if holds else Step("No", say=told, devices=found.devices))


def _measured(condition: SpokenCondition, context: Context) -> Met | None:
    room = room_named(condition.place, context.home) if condition.place else context.room
    here = (one for one in context.home.devices if one.room == room)
    readings = (_degrees(context.home.state_of(one), one.kind) for one in here)
    now = next((reading for reading in readings if reading is not None), None)
    if now is None or condition.degrees is None:
        return None
    holds = (now > condition.degrees if condition.above else now < condition.degrees) != condition.unless
    told = Step("No", say=f"It is {now:g} degrees in the {room}, so I did nothing.")
    return Met((), None if holds else told)


def _degrees(state: str, kind: str) -> float | None:
    """What is measured, not what it is set to."""
    if kind == "thermostat":
        return degrees_of(state.partition("now ")[2])
    return degrees_of(state) if kind == "sensor" else None

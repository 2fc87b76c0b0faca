"""Groups of the gateway: every member gets the command at the same time, and says itself what it did with it.

Not by multicast: nobody acknowledges that, one member that does not hear it holds up the radio for all (30 s,
measured with a simulated stick), and each must be asked afterwards anyway.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from home_words.resolver import Names
from home_words.risk import is_guarded
from zwave_mcp import wording
from zwave_mcp.confirm import Command, CommandOutcome, carry_out
from zwave_mcp.control import (
    TOGETHER,
    Control,
    NotPossible,
    check,
    command,
    down,
    requested_of,
    supports,
    wish,
)
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, HomeError, ValueId
from zwave_mcp.results import Facts, Result, result, worst
from zwave_mcp.sounds import own_tones
from zwave_mcp.states import remembered, state_text
from zwave_mcp.undo import Before, before_command
from zwave_mcp.view import Viewer, resolve_device


class Groups:
    """One device or a group, whichever is meant: a device is for `control`."""

    def __init__(self, home: Home, viewer: Viewer, control: Control) -> None:
        self._home = home
        self._viewer = viewer
        self._control = control

    async def device(self, asked: str, action: str, level: int | None = None) -> Result:
        requested = requested_of(action, level)
        view = await self._viewer.now()
        found = resolve_device(view, asked, requested, lambda hit: supports(hit, action))
        if isinstance(found, Result):
            return found
        if not found.members:
            return await self._control.act(view, found, action, level)
        try:
            return await control_group(self._home, view.names, found, action, level)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, Facts(requested, found, state_text(found)))
        except HomeError as error:
            return down(error, requested, found)


async def control_group(
    home: Home, names: Names[Device], group: Device, action: str, level: int | None
) -> Result:
    """Done when every member says so; those that do not are named."""
    requested = requested_of(action, level)
    _check(group, action)
    commands = []
    for member in group.members:
        check(member, action, level)
        commands.append(command(member, wish(member, action, level, None)))
    was = _before(names, group.members)
    verdicts = await asyncio.gather(*(_confirmed(home, one) for one in commands))
    outcome = worst(verdict.outcome for verdict in verdicts)
    members = tuple(
        _as_said(one.device, one.read, said) for one, said in zip(commands, verdicts, strict=True)
    )
    now = replace(group, members=members)
    behind = [
        wording.told_apart(one.device)
        for one, verdict in zip(commands, verdicts, strict=True)
        if verdict.outcome not in ("confirmed", "working")
    ]
    if behind:
        sentence = wording.sent_but(group, behind)
    elif outcome == "working":
        sentence = wording.doing(group, action, level)
    else:
        sentence = wording.done(group, action, remembered(now))
    more: dict[str, Any] = {"notConfirmed": behind, **was.facts()}
    return result(sentence, outcome, Facts(requested, group, remembered(now), more=more))


def _check(group: Device, action: str) -> None:
    """What opens the house, or sounds an alarm, is asked for by its own name, so that it can be confirmed."""
    if action not in TOGETHER or not group.members:
        raise NotPossible("unsupported", wording.cannot(group, action))
    for member in group.members:
        played = own_tones(member) if member.kind == "chime" else ()
        if is_guarded(member.kind, (member.name, f"{member.room} {member.name}", *played)):
            what = wording.the(member)
            sentence = f"The group {group.name} acts on {what}, which must be asked for by itself."
            raise NotPossible("unsupported", sentence)


async def _confirmed(home: Home, one: Command) -> CommandOutcome:
    try:
        return await carry_out(home, one)
    except HomeError as error:
        return CommandOutcome("unconfirmed", message=str(error))


def _as_said(device: Device, read: ValueId, verdict: CommandOutcome) -> Device:
    raw = verdict.value if verdict.known else None
    return replace(
        device, values=tuple(replace(one, value=raw) if one.id == read else one for one in device.values)
    )


def _before(names: Names[Device], members: Sequence[Device]) -> Before:
    each = [before_command(names, one, one.state_value.value if one.state_value else None) for one in members]
    calls = tuple(call for was in each for call in was.calls)
    return Before(calls, " ".join(dict.fromkeys(was.undo for was in each if was.undo)))

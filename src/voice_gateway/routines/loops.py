"""Whether a routine would start itself: its own act, or another routine's behind it, is what it waits for."""

from collections.abc import Iterable, Sequence

from voice_gateway.routines.model import Event, Routine

# What a device is behind an action; a toggle may be either.
_STATES = {
    "on": ("on",), "dim": ("on",), "off": ("off",),
    "toggle": ("on", "off", "open", "closed", "locked", "unlocked"),
    "open": ("open",), "close": ("closed",), "lock": ("locked",), "unlock": ("unlocked",),
}  # fmt: skip


def starts_itself(routine: Routine, others: Sequence[Routine]) -> bool:
    """As far as can be told beforehand; what a scene does is not known here."""
    seen: set[int] = set()
    waiting = [routine]
    while waiting:
        current = waiting.pop()
        for follower in [routine, *others]:
            if not _starts(current, follower):
                continue
            if follower is routine:
                return True
            if follower.id not in seen:
                seen.add(follower.id)
                waiting.append(follower)
    return False


def _starts(first: Routine, then: Routine) -> bool:
    trigger = then.trigger
    if not isinstance(trigger, Event):
        return False
    return any(
        name == trigger.device.casefold() and state == trigger.becomes for name, state in _effects(first)
    )


def _effects(routine: Routine) -> Iterable[tuple[str, str]]:
    for call in routine.calls:
        name = str(call["args"].get("deviceName") or call["args"].get("name") or "").casefold()
        action = str(call["args"].get("action", ""))
        trigger = routine.trigger
        for state in _STATES.get(action, ()):
            same = (
                isinstance(trigger, Event) and name == trigger.device.casefold() and state == trigger.becomes
            )
            if not same or action == "toggle":  # it is so already: nothing changes
                yield name, state

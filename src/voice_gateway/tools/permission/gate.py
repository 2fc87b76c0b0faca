"""Whether a call runs, needs the user's yes first, or is refused: "why did it refuse to unlock?"."""

import logging
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, NamedTuple

from home_names.names import name_key
from voice_gateway.config import PermissionSettings
from voice_gateway.languages import say
from voice_gateway.tools.permission.risk import Risk, asks_outside, is_taken_back, risk_of
from voice_gateway.tools.permission.target import Reach, Reaches
from voice_gateway.turn import ALLOWED, Autonomy, Decision, Permission, ToolCall, ToolTraits, Verdict, Words

log = logging.getLogger(__name__)

_SPOKEN: Final = frozenset({"voice", "wyoming"})
PROGRAMS: Final = frozenset({"mcp", "v1"})  # channels of programs: their words are not a person's yes


class Fit(IntEnum):
    """How far a call is what the user's words mean."""

    FAR = 0  # the words do not speak of it
    NEAR = 1  # the words speak of its subject, and want something
    MEANT = 2  # the words were read as an order for it: device, action and value, and no other time


# Compares a call and what it would reach with the words of this turn.
Fits = Callable[[ToolCall, ToolTraits, Reach | None], Fit]


def _refused(reason: str, key: str, why: Permission) -> Verdict:
    return Verdict(Decision.REFUSED, reason, say(key), why)


WAITING = Verdict(
    Decision.ASK,
    "this needs the user's confirmation, and the user is being asked; do not say that it was done",
    "this needs your yes first",
)
NOT_SEARCHED = _refused(
    "the user neither asked about the world nor for a search, so nothing is sent; answer by yourself",
    "refused.not_searched",
    Permission.NOT_SEARCHED,
)
FORBIDDEN = _refused(
    "the user did not ask for an action, so nothing may be changed in this turn",
    "refused.no_wish",
    Permission.NO_WISH,
)
READ_ONLY = replace(FORBIDDEN, why=Permission.READ_ONLY)
WRONG_DOOR = _refused("this is not allowed from here", "refused.wrong_door", Permission.WRONG_DOOR)
NEVER = _refused("the owner of this home does not allow it", "refused.never", Permission.NEVER)
NEEDS_PERSON = _refused(
    "this needs a person's yes, which does not count from here; ask for it in the console or by voice",
    "refused.needs_person",
    Permission.NEEDS_PERSON,
)


@dataclass
class TurnGate:
    """Judges the calls of one turn, and collects those the user must be asked about."""

    channel: str
    settings: PermissionSettings
    reaches: Reaches
    read_only: bool = False  # nothing may be changed in this turn
    words: Words = Words.WISH
    unspoken_of: frozenset[str] = frozenset()  # tools whose subject was not mentioned
    confirmed: bool = False  # the user has just said yes to exactly these calls …
    agreed_to: Risk = Risk.SENSITIVE  # … and was asked for no more than this
    fits: Fits = lambda _call, _traits, _reach: Fit.FAR
    autonomy: Callable[[], Autonomy] = lambda: Autonomy.ASK  # of the model; known once it has answered
    by_model: bool = False  # the calls come from a model, which may repeat what it has read
    # Both are asked at each call: what a model has read grows during a turn.
    heard_outside: Callable[[], bool] = lambda: False  # it has read results with text from outside the home
    told_by_strangers: Callable[[], bool] = lambda: False  # it has read descriptions of untrusted servers
    asked: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)
    asks_owner: bool = False  # what was asked for needs the yes of a person in another channel
    _together: Fit | None = None

    def __call__(self, call: ToolCall, traits: ToolTraits) -> Verdict:
        act = self._act(call, traits)
        verdict = self._verdict(act)
        if verdict.decision is not Decision.ALLOWED:
            self.refused.append(call)
        if verdict.decision is Decision.ASK and call not in self.asked:
            self.asked.append(call)
            self.asks_owner = self.asks_owner or (self._by_program and verdict.why is not Permission.DOUBTFUL)
        facts = {"tool": call.name, "risk": act.risk, "decision": verdict.decision, "channel": self.channel}
        log.info("permission decided", extra=facts)
        return verdict

    def consider(self, calls: Iterable[tuple[ToolCall, ToolTraits]]) -> None:
        """Treat a model's calls of one message as one wish.

        Where its acts do not fit alike, the user is asked about all of them, so that a yes does all of it.
        """
        acts = [self._act(call, traits) for call, traits in calls]
        fits = {self._fit_alone(act) for act in acts if act.risk is not Risk.LOOK}
        self._together = Fit.NEAR if len(fits) > 1 else None

    def _act(self, call: ToolCall, traits: ToolTraits) -> "_Act":
        reach = self.reaches(call, traits)
        return _Act(call, traits, reach, risk_of(call, traits, self.settings, reach))

    def _verdict(self, act: "_Act") -> Verdict:
        call, risk = act.call, act.risk
        if risk is Risk.LOOK:
            unasked = self.by_model and asks_outside(act.traits, call.name) and call.name in self.unspoken_of
            return NOT_SEARCHED if unasked else replace(ALLOWED, why=Permission.LOOKS)
        why = self._why_ask(act)
        if refusal := self._refusal(act, why):
            return refusal
        if self.confirmed and (risk is not Risk.SENSITIVE or self.agreed_to is Risk.SENSITIVE):
            return replace(ALLOWED, why=Permission.AGREED)
        return replace(WAITING, why=why) if why else replace(ALLOWED, why=self._why_allowed(risk))

    def _refusal(self, act: "_Act", why: Permission | None) -> Verdict | None:
        """Why an act is not even asked about."""
        if act.risk is Risk.NEVER:
            return self._with_way(NEVER, f"permit {shlex.quote(self._forbidden(act))} default")
        if self.read_only:
            return READ_ONLY
        if self.by_model and not self._may_be_meant(act):
            return FORBIDDEN
        return self._refusal_here(act, why)

    def _refusal_here(self, act: "_Act", why: Permission | None) -> Verdict | None:
        """Why a yes on this channel would not count."""
        if self.channel in PROGRAMS or self.channel in self.settings.sensitive_channels:
            return None
        if act.risk is Risk.SENSITIVE:
            channels = ",".join((*self.settings.sensitive_channels, self.channel))
            return self._with_way(WRONG_DOOR, f"config set permission.sensitive_channels {channels}")
        if why is Permission.FOREIGN and self.channel == "mqtt":
            return self._with_way(NEEDS_PERSON, f"permit {shlex.quote(act.call.name)} always")
        return None

    def _with_way(self, refusal: Verdict, command: str) -> Verdict:
        """The refusal with what would allow the call: where people read, the command; else where to do it."""
        command = f"voice-gateway {command}"
        way = say("refused.way.spoken") if self.channel in _SPOKEN else say("refused.way", command=command)
        return replace(refusal, spoken=f"{refusal.spoken} {way}", allow=command)

    def _forbidden(self, act: "_Act") -> str:
        """The name under which the owner forbids it."""
        devices = act.reach.devices if act.reach is not None else ()
        names = {name_key(name) for name in (act.call.name, *(device.name for device in devices))}
        given = (name for name, permit in self.settings.permit.items() if permit == "never")
        return next((name for name in given if name_key(name) in names), act.call.name)

    @property
    def _by_program(self) -> bool:
        return self.channel in PROGRAMS and self.channel not in self.settings.sensitive_channels

    def _may_be_meant(self, act: "_Act") -> bool:
        """Whether a model's act may be done or asked about at all.

        After plain talk: never. A model that may only look needs a plain wish; one that must ask does not ask
        about what doubtful words do not speak of.
        """
        if self.words is Words.TALK:
            return False
        plainly, autonomy = self.words is Words.WISH, self.autonomy()
        if autonomy is Autonomy.LOOK:
            return plainly and act.call.name not in self.unspoken_of
        return plainly or autonomy is Autonomy.ACT or self._fit(act) >= Fit.NEAR

    def _why_ask(self, act: "_Act") -> Permission | None:
        """Why the call needs a yes; None: it needs none."""
        if act.risk is Risk.SENSITIVE and (self.settings.confirm or self._by_program):
            return Permission.SENSITIVE
        if act.risk is Risk.ALWAYS:
            return None
        if act.risk is Risk.UNKNOWN:
            return Permission.DRASTIC if act.own else Permission.FOREIGN
        if self.by_model and self._may_be_from_outside(act):
            return Permission.FROM_OUTSIDE
        return Permission.DOUBTFUL if self.by_model and self._is_doubtful(act) else None

    def _is_doubtful(self, act: "_Act") -> bool:
        """Whether a model's act is not plainly what was asked for, and the model is not trusted with it."""
        autonomy, mild = self.autonomy(), act.risk is Risk.REVERSIBLE and is_taken_back(act.reach)
        if autonomy is Autonomy.LOOK or (autonomy is Autonomy.ACT and mild):
            return False
        return self.words is not Words.WISH or self._fit(act) < Fit.MEANT

    def _may_be_from_outside(self, act: "_Act") -> bool:
        """Whether text from outside may be the reason for a model's act.

        After a search or an untrusted result an act runs only if the words of this turn were read as the
        user's own order for it. A foreign tool's arguments cannot be read so.
        """
        heard = self.heard_outside()
        if not (heard or self.told_by_strangers()):
            return False
        return (heard and not act.own) or self._fit_alone(act) < Fit.MEANT

    def _why_allowed(self, risk: Risk) -> Permission:
        if risk is Risk.ALWAYS:
            return Permission.ALWAYS
        if risk is Risk.SENSITIVE:
            return Permission.UNCONFIRMED
        trusted = self.by_model and self.words is not Words.WISH
        return Permission.TRUSTED_MODEL if trusted else Permission.ORDINARY

    def _fit(self, act: "_Act") -> Fit:
        return self._together or self._fit_alone(act)

    def _fit_alone(self, act: "_Act") -> Fit:
        return Fit.FAR if act.call.name in self.unspoken_of else self.fits(*act[:3])


class _Act(NamedTuple):
    call: ToolCall
    traits: ToolTraits
    reach: Reach | None
    risk: Risk

    @property
    def own(self) -> bool:
        """Of this home or of the gateway itself."""
        return self.reach is not None or self.traits.source == "builtin"

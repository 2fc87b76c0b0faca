"""Whether a call runs, needs the user's yes first, or is refused: "why did it refuse to unlock?"."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.risk import Tier, asks_outside, is_drastic, is_reversible, tier
from voice_gateway.tools.permission.target import WARMTH, Reach, Reaches
from voice_gateway.turn import ALLOWED, Autonomy, Decision, Permission, ToolCall, ToolTraits, Verdict, Words

log = logging.getLogger(__name__)


class Fit(IntEnum):
    """How far a call is what the user's words mean."""

    FAR = 0  # the words do not speak of it
    NEAR = 1  # the words speak of its subject, and want something
    MEANT = 2  # the words were read as an order for it: device, action and value, and no other time


# Compares a call and what it would reach with the words of this turn.
Fits = Callable[[ToolCall, ToolTraits, Reach | None], Fit]


WAITING = Verdict(
    Decision.ASK,
    "this needs the user's confirmation, and the user is being asked; do not say that it was done",
    "this needs your yes first",
)
NOT_SEARCHED = Verdict(
    Decision.REFUSED,
    "the user neither asked about the world nor for a search, so nothing is sent; answer by yourself",
    "you did not ask me to search, so I sent nothing",
    Permission.NOT_SEARCHED,
)
FORBIDDEN = Verdict(
    Decision.REFUSED,
    "the user did not ask for an action, so nothing may be changed in this turn",
    "you did not ask for an action, so I changed nothing",
    Permission.NO_WISH,
)
READ_ONLY = replace(FORBIDDEN, why=Permission.READ_ONLY)
WRONG_DOOR = Verdict(Decision.REFUSED, "this is not allowed from here", why=Permission.WRONG_DOOR)


@dataclass
class TurnGate:
    """Judges the calls of one turn, and collects those the user must be asked about."""

    channel: str
    settings: PermissionSettings
    reaches: Reaches
    read_only: bool = False  # nothing may be changed in this turn
    words: Words = Words.WISH
    unspoken_of: frozenset[str] = frozenset()  # tools whose subject was not mentioned
    ask_first: bool = False  # every act is asked about
    confirmed: bool = False  # the user has just said yes to exactly these calls …
    agreed_to: Tier = Tier.SENSITIVE  # … and was asked for no more than this
    fits: Fits = lambda _call, _traits, _reach: Fit.FAR
    autonomy: Callable[[], Autonomy] = lambda: Autonomy.ASK  # of the model; known once it has answered
    by_model: bool = False  # the calls come from a model, which may repeat what it has read
    # Both are asked at each call: what a model has read grows during a turn.
    heard_outside: Callable[[], bool] = lambda: False  # it has read results with text from outside the home
    told_by_strangers: Callable[[], bool] = lambda: False  # it has read descriptions of untrusted servers
    asked: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)
    _together: Fit | None = None

    def asking(self) -> "TurnGate":
        """A gate that asks about each act: for calls that were understood, but not for sure."""
        return replace(self, ask_first=True)

    def __call__(self, call: ToolCall, traits: ToolTraits) -> Verdict:
        reach = self.reaches(call, traits)
        level = tier(call, traits, self.settings, reach)
        verdict = self._verdict(call, traits, reach, level)
        if verdict.decision is not Decision.ALLOWED:
            self.refused.append(call)
        if verdict.decision is Decision.ASK and call not in self.asked:
            self.asked.append(call)
        facts = {"tool": call.name, "tier": level, "decision": verdict.decision, "from_door": self.channel}
        log.info("permission decided", extra=facts)
        return verdict

    def consider(self, calls: Iterable[tuple[ToolCall, ToolTraits]]) -> None:
        """Treat a model's calls of one message as one wish.

        Where its acts do not fit alike, the user is asked about all of them, so that a yes does all of it.
        """
        fits = set()
        for call, traits in calls:
            reach = self.reaches(call, traits)
            if tier(call, traits, self.settings, reach) is not Tier.READ:
                fits.add(self._fit_alone(call, traits, reach))
        self._together = Fit.NEAR if len(fits) > 1 else None

    def _verdict(self, call: ToolCall, traits: ToolTraits, reach: Reach | None, level: Tier) -> Verdict:
        if level is Tier.READ:
            unasked = self.by_model and asks_outside(traits, call.name) and call.name in self.unspoken_of
            return NOT_SEARCHED if unasked else replace(ALLOWED, why=Permission.LOOKS)
        if self.read_only or (self.by_model and not self._may_be_meant(call, traits, reach)):
            return READ_ONLY if self.read_only else FORBIDDEN
        if level is Tier.SENSITIVE and self.channel not in self.settings.sensitive_channels:
            return WRONG_DOOR
        if self.confirmed and (level is not Tier.SENSITIVE or self.agreed_to is Tier.SENSITIVE):
            return replace(ALLOWED, why=Permission.AGREED)
        why = self._why_ask(call, traits, reach, level)
        return (
            replace(WAITING, why=why) if why else replace(ALLOWED, why=self._why_allowed(call, traits, level))
        )

    def _may_be_meant(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """Whether a model's act may be done or asked about at all.

        After plain talk: never. A model that may only look needs a plain wish; one that must ask does not ask
        about what doubtful words do not speak of.
        """
        if self.words is Words.TALK:
            return False
        plainly, autonomy = self.words is Words.WISH, self.autonomy()
        if autonomy is Autonomy.LOOK:
            return plainly and call.name not in self.unspoken_of
        return plainly or autonomy is Autonomy.ACT or self._fit(call, traits, reach) >= Fit.NEAR

    def _why_ask(
        self, call: ToolCall, traits: ToolTraits, reach: Reach | None, level: Tier
    ) -> Permission | None:
        """Why the call needs a yes; None: it needs none."""
        if level is Tier.SENSITIVE and self.settings.confirm:
            return Permission.SENSITIVE
        if self.ask_first:
            return Permission.DOUBTFUL
        if self._is_trusted(call, traits):  # the configuration has the last word
            return None
        reversible = is_reversible(call, traits, level, reach)
        warms = reach is not None and reach.action == WARMTH
        if is_drastic(call, traits) or (warms and not reversible):
            return Permission.DRASTIC
        if self.by_model and self._may_be_from_outside(call, traits, reach):
            return Permission.FROM_OUTSIDE
        doubtful = self.by_model and self._is_doubtful(call, traits, reach, reversible=reversible)
        return Permission.DOUBTFUL if doubtful else None

    def _is_doubtful(
        self, call: ToolCall, traits: ToolTraits, reach: Reach | None, *, reversible: bool
    ) -> bool:
        """Whether a model's act is not plainly what was asked for, and the model is not trusted with it."""
        autonomy = self.autonomy()
        if autonomy is Autonomy.LOOK or (autonomy is Autonomy.ACT and reversible):
            return False
        return self.words is not Words.WISH or self._fit(call, traits, reach) < Fit.MEANT

    def _may_be_from_outside(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> bool:
        """Whether text from outside may be the reason for a model's act.

        After a search or an untrusted result, and for an untrusted tool, an act runs only if the words of
        this turn were read as the user's own order for it. A foreign tool's arguments cannot be read so.
        """
        heard = self.heard_outside()
        untrusted = not traits.trusted and reach is None  # a home is judged by what its call would reach
        if not (heard or untrusted or self.told_by_strangers()):
            return False
        readable = reach is not None or traits.source == "builtin"
        return (heard and not readable) or self._fit_alone(call, traits, reach) < Fit.MEANT

    def _why_allowed(self, call: ToolCall, traits: ToolTraits, level: Tier) -> Permission:
        if self._is_trusted(call, traits):
            return Permission.TRUSTED_TOOL
        if level is Tier.SENSITIVE:
            return Permission.UNCONFIRMED
        if self.by_model and self.words is not Words.WISH:
            return Permission.TRUSTED_MODEL
        return Permission.ORDINARY

    def _fit(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> Fit:
        return self._together or self._fit_alone(call, traits, reach)

    def _fit_alone(self, call: ToolCall, traits: ToolTraits, reach: Reach | None) -> Fit:
        return Fit.FAR if call.name in self.unspoken_of else self.fits(call, traits, reach)

    def _is_trusted(self, call: ToolCall, traits: ToolTraits) -> bool:
        return bool({traits.original_name or call.name, call.name} & set(self.settings.trusted_tools))

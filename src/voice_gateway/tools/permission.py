"""Whether a call runs, or needs the user's yes first: "why did it refuse to unlock?"."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from voice_gateway.config import PermissionSettings
from voice_gateway.tools.own_words import asked_for
from voice_gateway.tools.reach import WARMTH, Reach, Reaches
from voice_gateway.tools.tier import Tier, asks_outside, is_drastic, is_reversible, tier
from voice_gateway.turn import Autonomy, ToolCall, ToolTraits, Words
from voice_gateway.verdict import ALLOWED, Decision, Permission, Verdict

log = logging.getLogger(__name__)


class Fit(IntEnum):
    """How far a call is what the words mean."""

    FAR = 0  # they do not speak of it
    NEAR = 1  # they speak of what it is about, and want something
    MEANT = 2  # thing, direction and value stand in them, and no other time


# Of a call and what it would reach.
Fits = Callable[[ToolCall, ToolTraits, Reach | None], Fit]
# Asked at each call: what a model has read grows while a turn goes on.
Heard = Callable[[], bool]


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

_ALLOWED = {why: replace(ALLOWED, why=why) for why in Permission}
_WAITING = {why: replace(WAITING, why=why) for why in Permission}


@dataclass
class TurnGate:
    """Judges the calls of one turn, and remembers those the user must be asked about."""

    channel: str
    settings: PermissionSettings
    reaches: Reaches
    read_only: bool = False  # nothing may be changed in this turn
    words: Words = Words.WISH
    unspoken_of: frozenset[str] = frozenset()  # tools: nothing was said of what they are for
    ask_first: bool = False  # every act is asked about
    confirmed: bool = False  # the user has just said yes to exactly these calls …
    agreed_to: Tier = Tier.SENSITIVE  # … and was asked for no more than this
    said: str = ""  # the user's own words
    fits: Fits = lambda _call, _traits, _reach: Fit.FAR  # whether a call is what they mean
    autonomy: Callable[[], Autonomy] = lambda: Autonomy.ASK  # of the model; known once it has answered
    by_model: bool = False  # the calls come from a model, which may have them from whatever it has read
    heard_outside: Heard = lambda: False  # whether it has read answers with words from outside the house
    told_by_strangers: Heard = lambda: False  # whether it has read descriptions of untrusted servers
    asked: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)
    _together: Fit | None = None

    def asking(self) -> "TurnGate":
        """For calls that were understood, but not for sure: the user is asked about each act of them."""
        return replace(self, ask_first=True)

    def __call__(self, call: ToolCall, traits: ToolTraits) -> Verdict:
        level = self._tier(call, traits)
        verdict = self._verdict(call, traits, level)
        if verdict.decision is not Decision.ALLOWED:
            self.refused.append(call)
        facts = {"tool": call.name, "tier": level, "decision": verdict.decision, "from_door": self.channel}
        log.info("permission decided", extra=facts)
        return verdict

    def _tier(self, call: ToolCall, traits: ToolTraits) -> Tier:
        return tier(call, traits, self.settings, self.reaches(call, traits))

    def _verdict(self, call: ToolCall, traits: ToolTraits, level: Tier) -> Verdict:
        if level is Tier.READ:
            unasked = self.by_model and asks_outside(traits, call.name) and call.name in self.unspoken_of
            return NOT_SEARCHED if unasked else _ALLOWED[Permission.LOOKS]
        if self.read_only or (self.by_model and not self._may_be_meant(call, traits)):
            return READ_ONLY if self.read_only else FORBIDDEN
        if level is Tier.SENSITIVE and self.channel not in self.settings.sensitive_channels:
            return WRONG_DOOR
        agreed = self.confirmed and (level is not Tier.SENSITIVE or self.agreed_to is Tier.SENSITIVE)
        if agreed:
            return _ALLOWED[Permission.AGREED]
        if (why := self._asked_why(call, traits, level)) is None:
            return _ALLOWED[self._allowed_why(call, traits, level)]
        if call not in self.asked:
            self.asked.append(call)
        return _WAITING[why]

    def _may_be_meant(self, call: ToolCall, traits: ToolTraits) -> bool:
        """Nothing is done, or asked about, after plain talk. Who may only look needs a plain wish; who must
        ask does not ask about what doubtful words do not speak of."""
        if self.words is Words.TALK:
            return False
        plainly, autonomy = self.words is Words.WISH, self.autonomy()
        if autonomy is Autonomy.LOOK:
            return plainly and call.name not in self.unspoken_of
        if plainly or autonomy is Autonomy.ACT:
            return True
        return self._fit(call, traits) >= Fit.NEAR

    def _asked_why(self, call: ToolCall, traits: ToolTraits, level: Tier) -> Permission | None:
        """Why it needs a yes; None: it needs none."""
        if level is Tier.SENSITIVE and self.settings.confirm:
            return Permission.SENSITIVE
        if self.ask_first:
            return Permission.DOUBTFUL
        reach = self.reaches(call, traits)
        warms = reach is not None and reach.action == WARMTH
        if is_drastic(call, traits) or (warms and not is_reversible(call, traits, level, reach)):
            return None if self._is_trusted(call, traits) else Permission.DRASTIC
        if self.by_model and self._is_not_the_users(call, traits):
            return Permission.FROM_OUTSIDE
        return Permission.DOUBTFUL if self.by_model and self._is_doubtful(call, traits, level) else None

    def _allowed_why(self, call: ToolCall, traits: ToolTraits, level: Tier) -> Permission:
        if self._is_trusted(call, traits):
            return Permission.TRUSTED_TOOL
        if level is Tier.SENSITIVE:
            return Permission.UNCONFIRMED
        if self.by_model and self.words is not Words.WISH:
            return Permission.TRUSTED_MODEL
        return Permission.ORDINARY

    def _is_doubtful(self, call: ToolCall, traits: ToolTraits, level: Tier) -> bool:
        """No plain wish, or not plainly the call for it, and nobody vouches for the model."""
        if self._is_trusted(call, traits):  # the configuration has the last word
            return False
        autonomy = self.autonomy()
        reversible = is_reversible(call, traits, level, self.reaches(call, traits))
        if autonomy is Autonomy.LOOK or (autonomy is Autonomy.ACT and reversible):
            return False
        return self.words is not Words.WISH or self._fit(call, traits) < Fit.MEANT

    def consider(self, calls: Iterable[tuple[ToolCall, ToolTraits]]) -> None:
        """What a model calls at once is one wish: where its calls do not fit alike, it is asked about as a
        whole, so that a yes does all of it."""
        acting = [
            self._fits_alone(call, traits)
            for call, traits in calls
            if self._tier(call, traits) is not Tier.READ
        ]
        self._together = Fit.NEAR if len(set(acting)) > 1 else None

    def _fit(self, call: ToolCall, traits: ToolTraits) -> Fit:
        return self._together or self._fits_alone(call, traits)

    def _fits_alone(self, call: ToolCall, traits: ToolTraits) -> Fit:
        if call.name in self.unspoken_of:
            return Fit.FAR
        return self.fits(call, traits, self.reaches(call, traits))

    def _is_trusted(self, call: ToolCall, traits: ToolTraits) -> bool:
        return bool({traits.original_name or call.name, call.name} & set(self.settings.trusted_tools))

    def _is_not_the_users(self, call: ToolCall, traits: ToolTraits) -> bool:
        """A model's call that changes something, and that the user's own words may not be the reason for."""
        if self._is_trusted(call, traits):
            return False
        heard, reach = self.heard_outside(), self.reaches(call, traits)
        stranger = traits.stranger and reach is None  # a home is judged by what its call would reach
        if not stranger and not heard and not self.told_by_strangers():
            return False
        return not asked_for(self.said, call, traits, reach, by_name=stranger and not heard)

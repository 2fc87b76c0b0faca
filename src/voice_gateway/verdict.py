"""What a gate decides about one call, and by which rule."""

from dataclasses import dataclass, field
from enum import StrEnum


class Permission(StrEnum):
    """Which rule let a call through, or did not."""

    LOOKS = "it only looks"
    AGREED = "it was agreed to"
    ORDINARY = "it is an ordinary wish, which needs no yes"
    TRUSTED_MODEL = "the model is trusted to do what can be taken back"
    TRUSTED_TOOL = "permission.trusted_tools names it"
    UNCONFIRMED = "permission.confirm is off"
    SENSITIVE = "it is sensitive, so a yes comes first"
    DRASTIC = "it cannot be taken back, so a yes comes first"
    DOUBTFUL = "it was not sure that it is meant, so a yes comes first"
    FROM_OUTSIDE = "a stranger's words may be the reason for it, so a yes comes first"
    NO_WISH = "no action was asked for"
    NOT_SEARCHED = "no search was asked for"
    READ_ONLY = "nothing may be changed in this turn"
    WRONG_DOOR = "it is sensitive, and permission.sensitive_channels does not name this door"


class Decision(StrEnum):
    ALLOWED = "allowed"
    ASK = "ask"  # not before the user has said yes
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate decides about one call. The reason is for the model and the log, `spoken` for people."""

    decision: Decision
    reason: str = ""
    spoken: str = ""  # where people should hear other words than the model
    why: Permission | None = field(default=None, compare=False)  # by which rule, for who asks later


ALLOWED = Verdict(Decision.ALLOWED)

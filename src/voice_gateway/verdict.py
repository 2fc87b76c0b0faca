"""The decision of a gate about one call, and the rule behind it."""

from dataclasses import dataclass, field
from enum import StrEnum


class Permission(StrEnum):
    """The rule that let a call through or held it back."""

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
    WRONG_DOOR = "it is sensitive, and permission.sensitive_channels does not name this channel"


class Decision(StrEnum):
    ALLOWED = "allowed"
    ASK = "ask"  # only after the user has said yes
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's decision about one call. The reason is for the model and the log, `spoken` for people."""

    decision: Decision
    reason: str = ""
    spoken: str = ""  # for people, where it differs from the reason
    why: Permission | None = field(default=None, compare=False)  # the rule, for the record


ALLOWED = Verdict(Decision.ALLOWED)

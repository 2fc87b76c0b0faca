"""What was done, in the tools' own sentences: the reply that needs no model and claims nothing."""

import re
from collections.abc import Sequence

from voice_gateway.turn import OutcomeStatus, ToolOutcome
from voice_gateway.turns.output_filter import unusable

NOT_UNDERSTOOD = "I didn't understand that."
TOO_MANY_STEPS = "I stopped there, because it took too many steps."
# Neither done nor failed: their own sentence says what they are.
_UNSETTLED = frozenset({OutcomeStatus.UNCONFIRMED, OutcomeStatus.AMBIGUOUS})
_LONGEST = 400  # characters that one may be made to listen to
_SENTENCE_KEYS = ("message", "summary", "text", "spoken")


def render_outcomes(outcomes: Sequence[ToolOutcome]) -> str:
    """The outcomes of a turn as a reply, or an honest word where there are none."""
    return " ".join(dict.fromkeys(_sentence(outcome) for outcome in outcomes)) or NOT_UNDERSTOOD


def _sentence(outcome: ToolOutcome) -> str:
    words = outcome.name.replace("_", " ").replace("-", " ").strip() or "the tool"
    if not outcome.ok:
        trouble = _short(outcome.trouble) or words
        return _ended(trouble if outcome.status in _UNSETTLED else f"That did not work: {trouble}")
    text = outcome.text.strip()
    if unusable(text) or "\n" in text:  # a table or a list is for eyes
        text = next((v for k in _SENTENCE_KEYS if isinstance(v := outcome.facts.get(k), str)), text)
    if unusable(text):
        known = "gave an answer that I cannot read aloud" if outcome.read_only else "reported success"
        return f"The tool “{words}” {known}."
    return _ended(_short(text))


def _short(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= _LONGEST:
        return text
    head = text[:_LONGEST]
    whole = re.match(r".*[.!?](?=\s)", head)
    return whole[0] if whole else head.rsplit(" ", 1)[0] + " …"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", '"', "”")) else text + "."

"""What a model may say of this home: an allow-list by the kind of turn, never by how a claim is worded.

The tools speak, the model only decides. Where we are unsure, our own true sentence is said instead of the
model's: an error costs a nicety and never the truth. `docs/honest-replies.md` has what a user may rely on.

`reply` decides what is said in a turn, by what the user wanted (`wish`), what a sentence claims (`claims`),
and what a look found (`looks`).
"""

from voice_gateway.brain.grounding.reply import Grounding, is_look
from voice_gateway.brain.grounding.wish import HomeNames, TurnKind, Wish

__all__ = ["Grounding", "HomeNames", "TurnKind", "Wish", "is_look"]

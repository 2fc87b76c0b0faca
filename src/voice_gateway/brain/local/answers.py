"""The words in which a question is answered: yes, no, all of them, the second one."""

import re

YES = re.compile(
    r"^(?:yes |yeah |yep |sure |ok |okay )?(?:yes|yeah|yep|yup|sure|correct|right|exactly|of course|do it|"
    r"do that|go ahead|please do|that one|i do|affirmative|ok|okay|why not)$"
)
NO = re.compile(
    r"^(?:no|nope|nah|neither|none|none of them|no do not|do not|never mind|forget it|cancel|stop|leave it|"
    r"no thanks|no thank you|negative|nothing)$"
)
ALL = re.compile(
    r"^(?:both|both of them|all|all of them|all of those|every one|each one|everything|them all|"
    r"all (?:2|3|4|5)(?: of them)?)$"
)
ORDINALS = {
    f"{word}{one}": place
    for place, word in [*enumerate(("first", "second", "third", "fourth", "fifth")), (-1, "last")]
    for one in ("", " one")
}
WONT = "Okay, I won't."

# Said when nothing was asked. A later stage may have asked something, so it is passed on first.
_YES_TO_NOTHING = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|correct|exactly|of course|affirmative|yes please|i do)$"
)
_FINE = re.compile(r"^(?:ok|okay|alright|all right|right|fine|good|cool|i see|got it|very well)$")


def to_nothing(text: str) -> str | None:
    """A short word to an answer that answers nothing."""
    if _YES_TO_NOTHING.match(text):
        return "I haven't asked you anything."
    return "All right." if _FINE.match(text) else None

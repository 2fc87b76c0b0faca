"""Small pieces of speech: articles, capitals, "one, two and three", question marks."""

import re
from collections.abc import Sequence
from typing import Final

_NO_ARTICLE: Final = re.compile(r"(?:the|my|our|node \d+)\b|\w+(?:['’]s|s['’])(?:\s|$)", re.IGNORECASE)

# Full-width, Arabic, Greek and Ethiopic marks: replies come in any language.
_QUESTION_MARKS: Final = ("?", "？", "؟", "\N{GREEK QUESTION MARK}", "፧")
_BEHIND_A_MARK: Final = "\"'”’»)]*_` \t\n"


def with_article(name: str) -> str:
    """The name with "the", unless it needs no article: "the Floor Lamp", "Node 13", "Dad's Lamp"."""
    return name if _NO_ARTICLE.match(name) else f"the {name}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], word: str = "and") -> str:
    """The names as a list in a sentence: "one, two and three"."""
    return "".join(names) if len(names) <= 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def is_question(text: str) -> bool:
    """Whether a text ends with a question, so that an answer is expected."""
    return text.rstrip(_BEHIND_A_MARK).endswith(_QUESTION_MARKS)

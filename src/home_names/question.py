"""What a question is, in one place."""

# Full-width, Arabic, Greek and Ethiopic marks: replies come in any language.
MARKS = ("?", "？", "؟", "\N{GREEK QUESTION MARK}", "፧")
_BEHIND = "\"'”’»)]*_` \t\n"


def is_question(text: str) -> bool:
    """Whether a text ends with a question, so that an answer is expected."""
    return text.rstrip(_BEHIND).endswith(MARKS)

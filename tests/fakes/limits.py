"""Settings with other fixed limits than the product's, so that a test need not wait."""

from typing import Any, TypeVar

from voice_gateway.config import Section

Kind = TypeVar("Kind", bound=Section)


def with_limits(section: type[Kind], **given: Any) -> Kind:
    """`given` are settings, and limits that are constants of the section (`ClassVar`)."""
    fixed = {name: given.pop(name) for name in list(given) if name in section.__class_vars__}
    return type(section.__name__, (section,), fixed)(**given)

"""A pattern that is compiled when it is first used: hundreds of them would make every start slower."""

import re
from collections.abc import Callable
from functools import cached_property


class LazyPattern:
    """As `re.Pattern`, for what is used of it here."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern)

    def match(self, text: str) -> re.Match[str] | None:
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self._compiled.sub(new, text)

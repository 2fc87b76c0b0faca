"""One table of colours: whatever the server can show can be said."""

import pytest

from zwave_mcp.palette import COLOURS, rgb_of


def test_a_colour_is_found_by_its_words() -> None:
    assert all(rgb_of(said) == rgb for said, rgb in COLOURS.items())


@pytest.mark.parametrize("said", ["Light-Blue", "lightblue", "light blue colour", "#ADD8E6"])
def test_a_colour_is_found_however_it_is_written(said: str) -> None:
    assert rgb_of(said) == COLOURS["light blue"]


def test_other_words_are_no_colour() -> None:
    assert rgb_of("ghastly") is None

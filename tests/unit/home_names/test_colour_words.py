"""One table of colours: whatever the server can show can be said."""

from home_names.colours import COLOURS, NAMED, css_of, rgb_of


def test_every_colour_has_words() -> None:
    assert set(COLOURS.values()) == set(NAMED)
    assert all(rgb_of(said) == NAMED[css] for said, css in COLOURS.items())


def test_what_is_none_has_no_css() -> None:
    assert (css_of("Light-Blue"), css_of("ghastly")) == ("lightblue", "")

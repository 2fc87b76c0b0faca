"""Secrets stay out of the log and out of what a model gets."""

import pytest

from voice_gateway.tools.masking import hide_secrets, mask, safe


@pytest.mark.parametrize(
    "name",
    "password passwd user_password api_key apiKey API-KEY token accessToken secret clientSecret pin pin_code "
    "Authorization cookie userCode user_code private_key credentials otp".split(),
)
def test_a_value_under_a_secret_name_is_hidden(name):
    assert mask({name: "1234"}) == {name: "***"}


@pytest.mark.parametrize("name", "device pinned spinning level compass monkey keyword passage query".split())
def test_a_value_under_an_ordinary_name_is_shown(name):
    assert mask({name: "1234"}) == {name: "1234"}


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("mqtt://ann:pw@broker:1883 refused", "mqtt://***@broker:1883 refused"),
        ("Authorization: Bearer abcdefgh12345", None),
        ("https://x.example/?api_key=abc123&q=lamp", "https://x.example/?api_key=***&q=lamp"),
        ('{"token": "abc123", "room": "attic"}', '{"token": "***", "room": "attic"}'),
        (f"key sk-{'a1' * 12} is wrong", "key *** is wrong"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl expired", "*** expired"),
        ("ghp_abcdefghijklmnopqrst", "***"),
    ],
)
def test_secrets_inside_a_text_are_hidden(text, hidden):
    got = hide_secrets(text)
    if hidden is not None:
        assert got == hidden
    assert "abcdefgh12345" not in got


@pytest.mark.parametrize(
    "text",
    [
        'Device "Lamp 9" not found.',
        "The token ring in room 5: nothing to do",
        "Use set_level(level: integer 0-100), e.g. ann@example.org",
        "password must not be empty",
        "basic lamps: 3",
    ],
)
def test_an_ordinary_message_comes_through_unchanged(text):
    assert safe(text) == text


def test_of_a_traceback_only_its_last_line_is_left():
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1\n    secret_code()\nValueError: bad\n'
    assert safe(f"It broke.\n{trace}") == "It broke. ValueError: bad"


def test_what_is_masked_is_short_whatever_it_was():
    endless: list = []
    endless.append(endless)
    many = {
        "text": "x" * 10_000_000,
        "list": list(range(10_000)),
        "loop": endless,
        "any": object(),
        "k" * 999: 1,
    }
    assert len(str(mask(many))) < 2000

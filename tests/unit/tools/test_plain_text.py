"""No text of a result has encoded data, logins or control characters in it."""

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.tools.results import plain_text

BYTES = random.Random(4).randbytes(3000)
ENCODED = base64.b64encode(BYTES).decode()
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + BYTES).decode()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (f"It is {PNG}.", "It is [encoded data of 3 kB]."),
        (f'{{"data": "{ENCODED}"}}', '{"data": "[encoded data of 3 kB]"}'),
        (f"src=data:image/gif;base64,{PNG[:40]} end", "src=[an image of 30 bytes] end"),
        (f"url-safe {base64.urlsafe_b64encode(BYTES).decode()}", "url-safe [encoded data of 3 kB]"),
        ("https://ann:pa55@box.test/x?sig=abc&page=2", "https://***@box.test/x?sig=***&page=2"),
        (
            "see https://box.test/x?token=abc#access_token=d",
            "see https://box.test/x?token=***#access_token=***",
        ),
        ("https://box.test/plain?page=2 is fine", "https://box.test/plain?page=2 is fine"),
        ("\x1b[31mred\x1b[0m\x07 and\x00 \u202emirrored\r\nnext", "red and mirrored\nnext"),
        ("tab\there\nand there", "tab\there\nand there"),
        ("password: hunter2", "password: hunter2"),
        ("x" * 400, "x" * 400),
        ("/home/user/" + "deep/folder/" * 30, "/home/user/" + "deep/folder/" * 30),
        ("0123456789" * 40, "0123456789" * 40),
        ("-" * 300, "-" * 300),
    ],
)
def test_texts(text, plain):
    assert plain_text(text)[0] == plain


def test_what_was_encoded_can_be_fetched():
    (found,) = plain_text(f"It is {PNG}.")[1]
    assert (found.kind, found.data) == ("file", PNG)


@given(st.text(max_size=400))
def test_ordinary_characters_stay(text):
    plain, found = plain_text(text)
    assert not found
    assert plain_text(plain)[0] == plain
    assert not any(c < " " and c not in "\n\t" for c in plain)

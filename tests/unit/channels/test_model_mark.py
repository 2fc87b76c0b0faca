"""The mark of a model's words at a terminal."""

import io

import pytest

from voice_gateway.channels.terminal import print_reply

PARTS = [
    {"source": "gateway", "text": "The Desk Lamp is now on."},
    {"source": "model", "text": "Once upon a time.\n\nThe Front Door is locked."},
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_line_of_a_model_is_marked_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    print_reply("", out=out, parts=PARTS)
    assert out.getvalue().splitlines() == [
        "The Desk Lamp is now on.",
        "model: Once upon a time.",
        "",
        "model: The Front Door is locked.",
    ]


def test_a_model_is_dimmed_with_colours_and_unmarked_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(), io.StringIO()
    for out in (terminal, pipe):
        print_reply("Told.", out=out, parts=PARTS)
    assert "\033[2mOnce upon a time.\n\nThe Front Door is locked.\033[0m" in terminal.getvalue()
    assert pipe.getvalue() == "Told.\n"

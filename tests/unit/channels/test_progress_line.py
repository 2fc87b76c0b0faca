"""How far a call is: a line at a terminal, nothing anywhere else, and nothing of it left."""

import io

import pytest

from voice_gateway.channels.terminal import ProgressLine
from voice_gateway.progress import Progress, read_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_is_under_way_and_how_far():
    out = Terminal()
    line = ProgressLine(out)
    line.show(Progress(2, 5, "[bold]page 2[/bold]", "the research server"))
    line.show(Progress(1, None, "at it", "the other server"))
    line.end()
    assert "the research server" in out.getvalue()
    assert "40%" in out.getvalue()
    assert "[bold]page 2[/bold]" in out.getvalue()  # a server's words are words
    assert out.getvalue().count("\x1b[?25l") == out.getvalue().count("\x1b[?25h") == 1  # the cursor is back


def test_a_pipe_shows_nothing():
    out = io.StringIO()
    line = ProgressLine(out)
    line.show(Progress(2, 5, "", "the research server"))
    line.end()
    assert out.getvalue() == ""


@pytest.mark.parametrize("done", [None, "5", True, float("nan"), float("inf"), 10**400, [], {}])
def test_what_is_no_number_is_no_progress(done):
    assert read_progress(done, 1, "x") is None


@pytest.mark.parametrize(("total", "share"), [(0, None), (-1, None), ("9", None), (1, 1.0), (10, 0.5)])
def test_the_share_is_known_where_the_end_is(total, share):
    moved = read_progress(5, total, "a\x1b[2J\nb" + "c" * 999)
    assert moved is not None
    assert moved.share == share
    assert moved.message.startswith("a [2J b")
    assert len(moved.message) == 200

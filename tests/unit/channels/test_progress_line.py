"""The progress of calls: a line at a terminal, nothing anywhere else."""

import io

import pytest

from voice_gateway.channels.terminal import ProgressLine
from voice_gateway.progress import Progress, read_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("out", [Terminal(), io.StringIO()])
def test_a_terminal_shows_progress_as_plain_text_and_a_pipe_nothing(out):
    line = ProgressLine(out)
    line.show(Progress(2, 5, "[bold]page 2[/bold]", "the research server"))
    line.end()
    shown = out.getvalue()
    assert ("the research server: 40 %, [bold]page 2[/bold]" in shown) is out.isatty()
    assert shown.split("\r")[-1] == "", "the line is gone"


def test_progress_needs_a_number_and_its_message_is_one_short_line():
    for done in (None, "5", True, float("nan"), float("inf"), 10**400, [], {}):
        assert read_progress(done, 1, "x") is None
    for total, share in ((0, None), (-1, None), ("9", None), (1, 1.0), (10, 0.5)):
        progress = read_progress(5, total, "a\x1b[2J\nb" + "c" * 999)
        assert progress is not None
        assert progress.share == share
        assert progress.message.startswith("a [2J b")
        assert len(progress.message) == 200

"""What a terminal and JSON show: progress, the mark of a model's words, and odd values."""

import io
import json

import pytest

from voice_gateway.channels import json_text
from voice_gateway.channels.terminal import ProgressLine, print_reply, read_line
from voice_gateway.progress import Progress, read_progress
from voice_gateway.turn import Reply

NAN, INFINITY = float("nan"), float("inf")
PARTS = [
    {"source": "gateway", "text": "The Desk Lamp is now on."},
    {"source": "model", "text": "Once upon a time.\n\nThe Front Door is locked."},
]


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
    for done in (None, "5", True, NAN, INFINITY, 10**400, [], {}):
        assert read_progress(done, 1, "x") is None
    for total, share in ((0, None), (-1, None), ("9", None), (1, 1.0), (10, 0.5)):
        progress = read_progress(5, total, "a\x1b[2J\nb" + "c" * 999)
        assert progress is not None
        assert progress.share == share
        assert progress.message.startswith("a [2J b")
        assert len(progress.message) == 200


def test_every_line_of_a_model_is_marked(monkeypatch):
    plain, coloured, pipe = Terminal(), Terminal(), io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    print_reply("", out=plain, parts=PARTS)
    monkeypatch.delenv("NO_COLOR")
    for out in (coloured, pipe):
        print_reply("Told.", out=out, parts=PARTS)

    assert plain.getvalue().splitlines() == [
        "The Desk Lamp is now on.",
        "model: Once upon a time.",
        "",
        "model: The Front Door is locked.",
    ]
    assert "\033[2mOnce upon a time.\n\nThe Front Door is locked.\033[0m" in coloured.getvalue()
    assert pipe.getvalue() == "Told.\n"


def strict(text: str):
    def refused(constant: str):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text.encode().decode(), parse_constant=refused)


def test_nan_and_infinity_are_null_and_a_lone_surrogate_is_an_escape():
    odd = strict(json_text({"a": NAN, "b": [-INFINITY, 1], "c": 1e999}))
    assert odd == {"a": None, "b": [None, 1], "c": None}
    assert json_text({"a": "é 💡", "b": NAN}) == '{"a": "é 💡", "b": null}'
    assert strict(json_text({"a": "x\udcff"})) == {"a": "x\udcff"}


@pytest.mark.parametrize(
    "line", ['{"text":' * 20_000 + "1" + "}" * 20_000, f'{{"text": {"9" * 6000}}}', '{"text": 5}']
)
def test_an_unreadable_json_line_is_a_problem(line):
    reply = read_line(line, "c", as_json=True)
    assert isinstance(reply, Reply)
    assert (reply.ok, reply.conversation_id) == (False, "c")

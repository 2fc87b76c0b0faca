"""What stands in the log: a record is one line, and nothing that others wrote can look like another."""

import io
import logging
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.linked import fault_server, linked

from voice_gateway import logs
from voice_gateway.logs import FactsFormatter, MultilineText, turn_context
from zwave_mcp.cli import _log_to_stderr

RECORD = re.compile(r"\d\d:\d\d:\d\d [a-z]+ [\w.]+: ")
FORGED = "12:00:00 error tools.executor: the door is open"
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
MOVES = ["\x1b[2K", "\x1b[1A", "\x9b2K", "\x08", "\x7f", "\x00", "\u202e", "\u200f", "\ufeff"]


def formatted(message: str, *args: object, error: Exception | None = None, **facts: object) -> str:
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logging.getLogger("voice_gateway.tests").makeRecord(
        "voice_gateway.tests", logging.WARNING, "", 0, message, args, exc_info, extra=facts
    )
    return FactsFormatter(tracebacks=True).format(record)


@pytest.mark.parametrize("odd", [*BREAKS, *MOVES], ids=ascii)
def test_nothing_in_a_fact_a_message_or_the_turn_begins_a_line_or_moves_the_cursor(odd):
    evil = f"x{odd}{FORGED}"
    with turn_context(turn=evil):
        line = formatted("it said %s", evil, reason=evil, arguments={"device": evil})

    assert line.isprintable()
    assert len(line.splitlines()) == 1


@given(st.text(), st.text())
def test_a_value_can_be_told_from_the_facts_beside_it(value, other):
    line = formatted("said", reason=value, other=other)
    facts = line.partition(": said")[2].strip()

    quoted = r'(?:"(?:[^"\\]|\\.)*"|[^\s"\'=()\\]+)'
    expected = [name for name, text in (("reason", value), ("other", other)) if text != ""]
    pattern = " ".join(f"{name}={quoted}" for name in expected)
    assert re.fullmatch(rf"\({pattern}\)" if expected else "", facts)
    assert line.isprintable()


def test_a_message_of_several_lines_is_ours_to_make_and_its_lines_are_indented():
    line = formatted(MultilineText(f"first\n  second\u2028{FORGED}\n{FORGED}"))

    first, *below = line.splitlines()
    assert first.endswith("tests: first")
    assert len(below) == 2
    assert all(one.startswith("  ") and not RECORD.match(one) for one in below)


def test_a_traceback_cannot_forge_a_record():
    try:
        raise ValueError(f"odd\n{FORGED}")
    except ValueError as error:
        lines = formatted("failed", error=error).splitlines()

    assert sum(bool(RECORD.match(line)) for line in lines) == 1
    assert any("Traceback (most recent call last)" in line for line in lines)
    assert any(FORGED in line for line in lines)


EVIL_SERVER = f"""
import sys
sys.stderr.write("\\x1b[2Jbroken\\u2028{FORGED}\\n{FORGED}\\r{FORGED}\\n")
sys.exit(1)
"""


async def test_a_servers_stderr_cannot_forge_a_record_wherever_it_is_told(caplog, log_stream):
    server = fault_server().model_copy(update={"command": sys.executable, "args": ("-c", EVIL_SERVER)})

    with caplog.at_level(logging.DEBUG):
        async with linked(server) as link:
            status = link.status()
    written = log_stream.getvalue()

    assert status.state == "degraded"
    assert "\x1b" not in status.stderr_tail
    assert FORGED in written
    assert "\x1b" not in written
    assert "\u2028" not in written
    assert not [line for line in written.splitlines() if line.startswith(FORGED)]


@pytest.fixture
def log_stream() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(FactsFormatter(tracebacks=True))
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def test_the_zwave_servers_log_cannot_be_forged_either(capsys):
    evil = f"x\n{FORGED}\u2028{FORGED}\x1b[1A"
    usual = logging.getLogger().handlers[:]
    _log_to_stderr("WARNING")
    try:
        raise ValueError(evil)
    except ValueError:
        logging.getLogger("zwave_mcp.tests").exception("odd answer %s", evil, extra={"topic": evil})
    finally:
        logging.getLogger().handlers[:] = usual
    written = capsys.readouterr().err

    assert FORGED in written
    assert "\x1b" not in written
    assert "\u2028" not in written
    assert not [line for line in written.splitlines() if line.startswith(FORGED)]


def test_a_log_file_is_for_its_owner_dated_and_bounded(tmp_path):
    file = tmp_path / "new" / "gateway.log"
    log = logger_to(file, largest_bytes=1000)
    for number in range(100):
        log.warning("something is slow", extra={"number": number})
    log.handlers[0].close()

    both = [file, file.with_name("gateway.log.1")]
    assert sorted(file.parent.iterdir()) == both
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert sum(one.stat().st_size for one in both) < 2500
    last = file.read_text().splitlines()[-1]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d warning test: something is slow \(number=99\)", last)


def logger_to(file: Path, **limits: int) -> logging.Logger:
    """One of its own, so that the other tests keep theirs."""
    handler = logs.log_file(file, **limits)
    handler.setFormatter(FactsFormatter(tracebacks=False, dated=True))
    log = logging.Logger("test")
    log.addHandler(handler)
    return log

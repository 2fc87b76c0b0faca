"""A server that is missing for hours: tried for ever, but not complained of every minute."""

import logging
import sys

import pytest
from tests.fakes.linked import LIMIT, fault_server, linked

from voice_gateway.config import ServerSettings
from voice_gateway.problems.sentences import SERVER_INSTALLING
from voice_gateway.reports import server_report

FAILED = "MCP connection attempt failed"


@pytest.fixture(autouse=True)
def everything_is_logged(caplog):
    caplog.set_level("DEBUG", logger="voice_gateway.mcp_client.server")


def told(caplog, level):
    return [record.attempt for record in caplog.records if record.msg == FAILED and record.levelno == level]


@pytest.mark.slow
async def test_later_failures_are_told_at_each_doubling_of_the_attempts(caplog):
    async with linked(fault_server("exit_at_start"), patience=100) as link:
        await link.until(lambda: len(link.delays) >= 17)

    # The third is the full report; how it goes on is told ever more rarely.
    assert told(caplog, logging.WARNING)[:5] == [1, 2, 4, 8, 16]
    assert {5, 6, 7, 9, 15, 17} <= set(told(caplog, logging.DEBUG))


@pytest.mark.slow
async def test_a_server_that_connects_and_dies_again_and_again_is_told_of_as_rarely(caplog):
    async with linked(fault_server("exit_after_list"), patience=100) as link:
        await link.until(lambda: len(link.delays) >= 9)

    reports = [str(record.msg) for record in caplog.records if record.levelno == logging.ERROR]
    assert [report.split(" attempts")[0].split()[-1] for report in reports][:3] == ["3", "4", "8"]


async def test_another_reason_is_told_at_once(caplog, tmp_path):
    count = tmp_path / "count"
    # It hears us out: a pipe that breaks would be another reason.
    script = (
        f"import sys; sys.stdin.readline(); file = open({str(count)!r}, 'a'); file.write('x'); "
        "sys.exit(1 + (file.tell() > 5))"
    )
    async with linked(ServerSettings(command=sys.executable, args=("-c", script)), patience=100) as link:
        await link.until(lambda: len(link.delays) >= 7)

    assert told(caplog, logging.WARNING)[:4] == [1, 2, 4, 6]
    assert 7 in told(caplog, logging.DEBUG)


async def test_a_slow_first_start_gets_its_time_and_the_others_start_meanwhile(tmp_path):
    script = f"""while [ ! -e {tmp_path}/fetched ]; do sleep 0.02; done; exec "$0" "$@" """
    fault = fault_server()
    slow = ServerSettings(command="/bin/sh", args=("-c", script, str(fault.command), *fault.args))
    async with linked(
        {"slow": slow, "quick": fault}, connect_timeout_seconds=1.0, first_start_seconds=LIMIT
    ) as link:
        assert link.status("quick").state == "connected"
        assert server_report(link.status("slow"))[1] == SERVER_INSTALLING.format(name="slow")
        (tmp_path / "fetched").touch()
        await link.integration.settled(installed=True)
        assert (link.status("slow").state, link.delays) == ("connected", [])


async def test_after_one_timeout_a_server_gets_the_usual_limit():
    hangs = fault_server("hang_in_initialize")
    async with linked(hangs, connect_timeout_seconds=0.1, first_start_seconds=0.4, attempts=2) as link:
        await link.until(lambda: link.status().state == "degraded")
        assert link.status().last_error == "it did not answer within 0.1 s"

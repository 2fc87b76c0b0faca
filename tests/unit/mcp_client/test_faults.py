"""Every fault a stdio server is known to have: the caller gets an outcome in time, and the link goes on."""

import asyncio
import json
import os
import signal
import time

import pytest
from tests.fakes.linked import LIMIT, alive, fault_server, linked

from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.events import State
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.reports import server_report

NOT_UNIT = "servers that misbehave, each a process"

# A fault, and what its call answers.
ODD_OUTPUT = {
    **dict.fromkeys(("text_line", "json_lines", "blank_lines", "crlf", "split_frame", "glued_text")),
    **dict.fromkeys(("no_newline", "two_frames_without_newline", "two_frames_on_a_line", "byte_order_mark")),
    **dict.fromkeys(("batch", "deep")),
    "invalid_utf8": "caf\ufffd",  # replaced
    "half_a_character": "\ud83d",  # whoever reads the result makes it sendable
    "stray_replies": "first",  # the first of two counts, replies to no request are dropped
}


async def comes_back(link, restarts=1):
    await link.until(lambda: link.status().restarts == restarts and link.status().state == "connected")


async def give_up(link, tool, seconds=0.05, **arguments):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(seconds):
            await link.call(tool, **arguments)


async def test_odd_output_costs_neither_its_own_call_nor_the_next(caplog):
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        for fault, expected in ODD_OUTPUT.items():
            answer = await link.call(fault)
            assert answer == expected if expected else answer, fault
            assert await link.call("echo", a=1) == '{"a": 1}', fault
        assert link.status().restarts == 0
        shown = [getattr(record, "content", "") for record in caplog.records]
        assert "caf\ufffd \ufffd\ufffd" in shown
        assert "" not in [record.content for record in caplog.records if "not JSON-RPC" in record.message]


@pytest.mark.parametrize(
    ("tool", "arguments", "length"),
    [
        ("long_line", {"bytes": 20_000_000}, 20_000_000),
        ("many_objects", {"count": 60_000}, len("many")),
        ("junk", {"megabytes": 200}, len("done")),  # without a newline: skipped whole
    ],
)
async def test_a_very_long_line_does_not_hold_up_the_loop(tool, arguments, length):
    async with linked(fault_server()) as link, Pulse() as pulse, asyncio.timeout(LIMIT):
        assert len(await link.call(tool, **arguments)) == length
    assert pulse.longest < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["long_line", "long_line_id_last", "endless_line"])
async def test_a_reply_over_the_limit_fails_its_call_at_once_and_no_other(reply):
    async with linked(fault_server()) as link:
        with pytest.raises(ToolError, match="more than 64 MB"):
            async with asyncio.timeout(LIMIT):
                await link.call(reply, bytes=90_000_000)
        if reply != "endless_line":
            assert await link.call("echo", a=1) == '{"a": 1}'


async def test_floods_do_not_hold_up_a_call_and_the_end_of_stderr_is_kept():
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        assert await link.call("flood", count=20_000) == "done"
        assert await link.call("flood_of_questions", count=50_000) == "done"
        assert await link.call("stderr_flood", bytes=3_000_000) == "done"
        assert await link.call("echo") == "{}"
        assert 0 < len(link.status().stderr_tail) <= 2000


async def test_a_flood_of_long_lines_holds_up_neither_the_loop_nor_the_stop():
    async with linked(fault_server()) as link, Pulse() as pulse:
        flood = asyncio.create_task(link.call("flood_of_long_lines", count=10_000))
        for _ in range(100):
            await asyncio.sleep(0.01)
        assert not flood.done()
        assert pulse.longest < 0.5
    # Stopped within the limit of every stop; the flood would have gone on for many minutes.
    with pytest.raises(ToolUnavailable):
        await flood


async def test_an_argument_of_5_megabytes_arrives_and_one_that_is_not_json_is_refused_before_it_is_sent():
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        assert len(json.loads(await link.call("echo", text="x" * 5_000_000))["text"]) == 5_000_000
        for odd in (object(), float("nan"), {1, 2}):
            with pytest.raises(BadArguments):
                await link.call("echo", odd=odd)
        assert await link.call("echo") == "{}"


# a server that dies


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("die", "exit code 3"),
        ("kill_self", "SIGKILL"),
        ("die_leaving_a_child", "exit code 4"),
        ("close_stdout", "closed"),
    ],
)
async def test_a_server_that_dies_fails_all_calls_in_flight_at_once_and_comes_back(fault, reason):
    async with linked(fault_server()) as link:
        waiting = [asyncio.create_task(link.call("hang")) for _ in range(5)]
        with pytest.raises(ToolUnavailable, match=f"{reason}.*may or may not have happened"):
            async with asyncio.timeout(LIMIT):  # a call has no end of its own
                await link.call(fault)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [ToolUnavailable] * 5
        await comes_back(link)
        assert await link.call("echo") == "{}"


async def test_a_server_that_dies_while_idle_is_back_before_it_is_needed_and_its_child_is_gone():
    async with linked(fault_server()) as link:
        first, child = int(await link.call("pid")), int(await link.call("grandchild"))
        assert alive(child)
        os.kill(first, signal.SIGKILL)
        await comes_back(link)
        assert int(await link.call("pid")) != first
        assert not alive(child)
        assert len(link.announcements) == 1, "a restart with the same tools is no news"


async def test_the_last_reply_of_a_dying_server_still_counts_even_if_it_takes_long_to_read():
    async with linked(fault_server()) as link:
        assert int(await link.call("answer_and_die")) > 0
        await comes_back(link)
        assert await link.call("long_answer_and_die", count=150_000) == "many"


@pytest.mark.parametrize(("fault", "last"), [((), "answer_and_die"), (("exit_after_list",), None)])
async def test_a_server_that_dies_early_is_not_reported_as_connected_while_its_calls_are_refused(fault, last):
    async with linked(fault_server(*fault), settle=False, patience=0, attempts=9) as link:
        await link.until(lambda: bool(link.tools))
        if last:
            assert await link.call(last)
        await link.until(lambda: bool(link.delays))  # it is dead, and not tried again before the test ends

        assert link.status().state == "connecting"
        assert [status.state for status in link.statuses][-2:] == ["connected", "connecting"]
        state, sentence, _ = server_report(link.statuses[-1])
        assert (state, "lost" in sentence) == (State.STARTING, True)
        with pytest.raises(ToolUnavailable, match="not connected"):
            await link.call("echo")


# a server that does not answer


async def test_one_of_fifty_calls_cancelled_leaves_the_others_alone():
    async with linked(fault_server()) as link:
        calls = [asyncio.create_task(link.call("echo", number=number)) for number in range(50)]
        await asyncio.sleep(0)
        calls[25].cancel()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert isinstance(outcomes.pop(25), asyncio.CancelledError)
        assert [json.loads(str(text))["number"] for text in outcomes] == [n for n in range(50) if n != 25]


async def test_calls_given_up_do_not_end_a_server_that_answers_pings_and_works_on_others():
    async with linked(fault_server()) as link:
        patient = asyncio.create_task(link.call("hang"))
        for _ in range(8):
            await give_up(link, "hang")
        assert await link.call("echo") == "{}"
        assert not patient.done()
        assert link.status().restarts == 0
        patient.cancel()
        await asyncio.gather(patient, return_exceptions=True)


async def test_a_server_that_stops_reading_holds_nothing_up():
    async with linked(fault_server()) as link:
        deaf = asyncio.create_task(link.call("deaf"))
        await asyncio.sleep(0)  # it is sent first
        for _ in range(2):  # the second finds the pipe full
            await give_up(link, "echo", 0.2, text="x" * 3_000_000)
        deaf.cancel()
        await asyncio.gather(deaf, return_exceptions=True)


@pytest.mark.parametrize(("fault", "calls"), [("deaf", 3), ("hang", 6)], ids=["silent", "only pings"])
async def test_a_server_that_answers_no_calls_is_restarted_in_the_end(caplog, fault, calls):
    async with linked(fault_server(), timeouts=LinkTimeouts(ping_seconds=0.2)) as link:
        for _ in range(calls):
            await give_up(link, fault)
        await comes_back(link)
        assert await link.call("echo") == "{}"
    assert "it does not answer any more" in [getattr(record, "error", "") for record in caplog.records]


# what servers say


async def test_an_error_keeps_its_facts_and_a_reply_that_makes_no_sense_is_a_failure_and_not_a_hang():
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        with pytest.raises(ToolError, match=r"^device not found$") as failure:
            await link.call("is_error")
        assert failure.value.structured == {"known": ["Lamp"]}
        for reply in ({}, {"result": 7}, {"error": "no"}, {"error": {}}, {"result": None}):
            with pytest.raises(ToolError):
                await link.call("odd_reply", reply=reply)


async def test_requests_of_a_server_are_answered():
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        assert json.loads(await link.call("ask_back")) == ["result", "error", "error", "error"]


class Pulse:
    """Measures how long the event loop was held up, in processor time of this process: other programs do not
    count."""

    async def __aenter__(self):
        self.longest = 0.0
        self._task = asyncio.create_task(self._beat())
        return self

    async def _beat(self):
        while True:
            before = time.process_time()
            await asyncio.sleep(0.01)
            self.longest = max(self.longest, time.process_time() - before)

    async def __aexit__(self, *_):
        self._task.cancel()

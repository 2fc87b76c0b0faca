"""Every fault a stdio server is known to have: the caller gets an outcome in time, and the link goes on."""

import asyncio
import json
import os
import signal
import threading
import time

import pytest
from tests.fakes.linked import LIMIT, alive, fault_server, linked

from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.events import State
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.reports import server_report

NOT_UNIT = "servers that misbehave, each a process"


@pytest.mark.parametrize(
    "fault",
    "text_line json_lines blank_lines crlf split_frame invalid_utf8 glued_text no_newline "
    "two_frames_without_newline two_frames_on_a_line byte_order_mark batch deep stray_replies "
    "half_a_character".split(),
)
async def test_odd_output_costs_neither_its_own_call_nor_the_next(fault):
    async with linked(fault_server()) as link:
        async with asyncio.timeout(LIMIT):
            assert await link.call(fault)
            assert await link.call("echo", a=1) == '{"a": 1}'
        assert link.status().restarts == 0


async def test_invalid_utf8_is_replaced_and_shown(caplog):
    async with linked(fault_server()) as link:
        assert await link.call("invalid_utf8") == "caf\ufffd"
    assert "caf\ufffd \ufffd\ufffd" in [getattr(record, "content", "") for record in caplog.records]


async def test_half_a_character_becomes_text_that_can_be_written_anywhere():
    async with linked(fault_server()) as link:
        assert (await link.call("half_a_character")).encode("utf-8") == b"?"


async def test_the_first_of_two_replies_counts_and_replies_to_nobody_are_dropped():
    async with linked(fault_server()) as link:
        assert await link.call("stray_replies") == "first"
        assert await link.call("echo") == "{}"


async def test_blank_lines_are_skipped_in_silence(caplog):
    async with linked(fault_server()) as link:
        await link.call("blank_lines")
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


async def test_a_result_of_20_megabytes_arrives_whole_and_the_loop_goes_on_meanwhile():
    async with linked(fault_server()) as link, Pulse() as pulse:
        async with asyncio.timeout(LIMIT):
            assert len(await link.call("long_line", bytes=20_000_000)) == 20_000_000
    assert pulse.longest < 0.5


async def test_a_result_of_many_small_pieces_does_not_hold_up_the_loop():
    async with linked(fault_server()) as link, Pulse() as pulse:
        async with asyncio.timeout(LIMIT):
            assert await link.call("many_objects", count=60_000) == "many"
    assert pulse.longest < 0.5


async def test_200_megabytes_without_a_newline_are_skipped_whole(caplog):
    async with linked(fault_server()) as link, Pulse() as pulse:
        async with asyncio.timeout(LIMIT):
            assert await link.call("junk", megabytes=200) == "done"
    assert "too long" in caplog.text
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


async def test_a_flood_of_notifications_does_not_hold_up_a_call():
    async with linked(fault_server()) as link:
        async with asyncio.timeout(LIMIT):
            assert await link.call("flood", count=20_000) == "done"
            assert await link.call("echo") == "{}"


async def test_a_flood_on_stderr_does_not_block_the_server_and_its_end_is_kept():
    async with linked(fault_server()) as link:
        async with asyncio.timeout(LIMIT):
            assert await link.call("stderr_flood", bytes=3_000_000) == "done"
            assert await link.call("echo") == "{}"
        assert 0 < len(link.status().stderr_tail) <= 2000


async def test_an_argument_of_5_megabytes_arrives():
    async with linked(fault_server()) as link:
        async with asyncio.timeout(LIMIT):
            assert len(json.loads(await link.call("echo", text="x" * 5_000_000))["text"]) == 5_000_000


async def test_arguments_that_are_not_json_are_refused_before_they_are_sent():
    async with linked(fault_server()) as link:
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
async def test_a_server_that_dies_in_a_call_fails_it_at_once_and_comes_back(fault, reason):
    async with linked(fault_server()) as link:
        with pytest.raises(ToolUnavailable, match=reason) as failure:
            async with asyncio.timeout(LIMIT):  # a call has no end of its own
                await link.call(fault)
        assert "may or may not have happened" in str(failure.value)
        await link.until(lambda: link.status().state == "connected" and link.status().restarts == 1)
        assert await link.call("echo") == "{}"


async def test_all_calls_in_flight_fail_when_the_server_dies():
    async with linked(fault_server()) as link:
        waiting = [asyncio.create_task(link.call("hang")) for _ in range(5)]
        with pytest.raises(ToolUnavailable):
            await link.call("die")
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [ToolUnavailable] * 5


async def test_the_reason_is_logged_with_the_servers_stderr_and_kept_from_the_model(caplog):
    async with linked(fault_server()) as link:
        with pytest.raises(ToolUnavailable) as failure:
            await link.call("die")
        await link.until(lambda: link.status().restarts == 1)
    gone = next(record for record in caplog.records if "MCP server is gone" in record.message)
    assert "the bus is gone" in gone.stderr
    assert "the bus is gone" not in str(failure.value)


async def test_a_server_that_dies_while_idle_is_back_before_it_is_needed():
    async with linked(fault_server()) as link:
        first = int(await link.call("pid"))
        os.kill(first, signal.SIGKILL)
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")
        assert int(await link.call("pid")) != first


async def test_the_last_reply_of_a_dying_server_still_counts():
    async with linked(fault_server()) as link:
        assert int(await link.call("answer_and_die")) > 0
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")


@pytest.mark.parametrize(("fault", "last"), [((), "answer_and_die"), (("exit_after_list",), None)])
async def test_a_server_that_dies_early_is_not_told_as_connected_while_its_calls_are_refused(fault, last):
    async with linked(fault_server(*fault), settle=False, patience=0, attempts=9) as link:
        await link.until(lambda: bool(link.tools))
        if last:
            assert await link.call(last)
        await link.until(lambda: bool(link.delays))  # it is dead, and not tried again before the test ends

        assert link.status().state == "connecting"
        assert [status.state for status in link.statuses][-2:] == ["connected", "connecting"]
        assert server_report(link.statuses[-1])[:2] == (
            State.STARTING,
            "The fault server was lost and is being started again.",
        )
        with pytest.raises(ToolUnavailable, match="not connected"):
            await link.call("echo")


async def test_a_last_reply_counts_though_it_takes_long_to_read():
    async with linked(fault_server()) as link:
        assert await link.call("long_answer_and_die", count=150_000) == "many"


async def test_a_flood_of_long_lines_is_read_one_by_one_and_does_not_hold_up_the_stop():
    async with linked(fault_server()) as link:
        threads = threading.active_count()
        flood = asyncio.create_task(link.call("flood_of_long_lines", count=10_000))
        for _ in range(100):
            await asyncio.sleep(0.01)
            # One by one: a pool adds a thread when the last one is not quite back, never one for each line.
            assert threading.active_count() <= threads + 3
        assert not flood.done()
    # Stopped within the limit of every stop; the flood would have gone on for many minutes.
    with pytest.raises(ToolUnavailable):
        await flood


async def test_a_flood_of_questions_is_cut_off():
    async with linked(fault_server()) as link:
        async with asyncio.timeout(LIMIT):
            assert await link.call("flood_of_questions", count=50_000) == "done"


async def test_a_restart_with_the_same_tools_is_not_announced():
    async with linked(fault_server()) as link:
        await link.call("answer_and_die")
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")
        assert len(link.announcements) == 1


# a server that does not answer


async def test_a_call_given_up_is_cancelled_at_the_server_and_the_session_stays():
    async with linked(fault_server()) as link:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await link.call("hang")
        assert len(json.loads(await link.call("was_cancelled"))) == 1
        assert link.status().restarts == 0


async def test_one_of_fifty_calls_cancelled_leaves_the_others_alone():
    async with linked(fault_server()) as link:
        calls = [asyncio.create_task(link.call("echo", number=number)) for number in range(50)]
        await asyncio.sleep(0)
        calls[25].cancel()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert isinstance(outcomes.pop(25), asyncio.CancelledError)
        assert [json.loads(str(text))["number"] for text in outcomes] == [n for n in range(50) if n != 25]


async def test_calls_that_were_given_up_do_not_end_a_server_that_works_on_others():
    async with linked(fault_server()) as link:
        patient = asyncio.create_task(link.call("hang"))
        for _ in range(8):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await link.call("hang")
        assert await link.call("echo") == "{}"
        assert not patient.done()
        assert link.status().restarts == 0
        patient.cancel()
        await asyncio.gather(patient, return_exceptions=True)


async def test_a_server_that_stops_reading_holds_nobody():
    async with linked(fault_server()) as link:
        deaf = asyncio.create_task(link.call("deaf"))
        await asyncio.sleep(0)  # it is sent first
        for _ in range(2):  # the second finds the pipe full
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await link.call("echo", text="x" * 3_000_000)
        deaf.cancel()
        await asyncio.gather(deaf, return_exceptions=True)


async def test_a_server_that_does_not_answer_three_times_is_restarted(caplog):
    async with linked(fault_server(), timeouts=LinkTimeouts(ping_seconds=0.2)) as link:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await link.call("deaf")
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")
        assert await link.call("echo") == "{}"
    assert "it does not answer any more" in [getattr(record, "error", "") for record in caplog.records]


async def test_a_server_that_still_answers_a_ping_is_not_restarted_for_three_slow_calls():
    async with linked(fault_server()) as link:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await link.call("hang")
        assert await link.call("echo") == "{}"
        assert link.status().restarts == 0


async def test_a_server_that_answers_pings_but_no_calls_is_restarted_in_the_end():
    async with linked(fault_server()) as link:
        for _ in range(6):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await link.call("hang")
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")


# what servers say


async def test_an_error_mark_survives_with_its_facts():
    async with linked(fault_server()) as link:
        with pytest.raises(ToolError, match=r"^device not found$") as failure:
            await link.call("is_error")
        assert failure.value.structured == {"known": ["Lamp"]}


@pytest.mark.parametrize(("code", "kind"), [(-32602, BadArguments), (-32603, ToolError)])
async def test_an_error_reply_keeps_the_servers_words(code, kind):
    async with linked(fault_server()) as link:
        with pytest.raises(kind, match=r"^Invalid arguments: deviceName is required$"):
            await link.call("rpc_error", code=code)


@pytest.mark.parametrize("reply", [{}, {"result": 7}, {"error": "no"}, {"error": {}}, {"result": None}])
async def test_a_reply_that_makes_no_sense_is_a_failure_and_not_a_hang(reply):
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        with pytest.raises(ToolError):
            await link.call("odd_reply", reply=reply)


async def test_what_a_server_asks_of_us_is_answered():
    async with linked(fault_server()) as link, asyncio.timeout(LIMIT):
        assert json.loads(await link.call("ask_back")) == ["result", "error", "error", "error"]


async def test_a_child_of_a_dead_server_does_not_survive_it():
    async with linked(fault_server()) as link:
        child = int(await link.call("grandchild"))
        assert alive(child)
        with pytest.raises(ToolUnavailable):
            await link.call("die")
        await link.until(lambda: link.status().restarts == 1 and link.status().state == "connected")
        assert not alive(child)


class Pulse:
    """Measures how long the event loop was held up, in processor time of this process, whichever of its
    threads took it: what other programs do meanwhile is not our doing."""

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
        await asyncio.gather(self._task, return_exceptions=True)


async def test_the_last_words_of_a_server_are_logged_though_we_stop_at_once(caplog):
    async with linked(fault_server()) as link:
        with pytest.raises(ToolUnavailable):
            await link.call("die")
        link.integration.stop()  # as a command does that makes one call and ends

    (gone,) = [record for record in caplog.records if record.message == "MCP server is gone"]
    assert "the bus is gone" in gone.stderr
    assert gone.error == "the server ended with exit code 3"


async def test_a_server_that_we_stop_is_not_reported_as_gone(caplog):
    async with linked(fault_server()) as link:
        assert await link.call("echo") == "{}"

    assert not [record for record in caplog.records if record.message == "MCP server is gone"]

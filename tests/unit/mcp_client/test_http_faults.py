"""Servers at an address that lie, hang, flood, break off and forget us, the new way and the old."""

import asyncio

import pytest
from tests.fakes.http_faults import FAULTS, LOST, HttpFaults
from tests.fakes.linked import LIMIT, Linked, linked
from tests.fakes.waiting import until

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts

NOT_UNIT = "a web server on the loopback address"
# A session that was lost soon after its start is as good as any other here.
QUICK = LinkTimeouts(ping_seconds=LIMIT, ping_every_seconds=0.2, short_run_seconds=1e-9)
SELDOM = LinkTimeouts(ping_every_seconds=60.0, short_run_seconds=1e-9)

HANGS = {"slow_bytes"}  # only the caller's limit ends these
SLOW = {"endless_body", "endless_event", "slow_error"}


def at(server: HttpFaults, **more: object) -> dict[str, ServerSettings]:
    path = "sse" if server.sse_only else "mcp"
    return {"web": ServerSettings(url=f"{server.url}/{path}", **more)}


async def _call(link: Linked, tool: str, seconds: float = LIMIT) -> str:
    async with asyncio.timeout(seconds):
        return await link.call(tool, "web")


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=pytest.mark.slow) if fault in SLOW else fault for fault in FAULTS]
)
async def test_a_broken_answer_fails_its_call_with_a_reason_and_no_other(fault: str):
    async with HttpFaults() as server, linked(at(server), timeouts=SELDOM) as link:
        limit = 0.5 if fault in HANGS else LIMIT
        with pytest.raises((ToolError, TimeoutError)) as failed:
            await _call(link, fault, limit)

        assert isinstance(failed.value, TimeoutError) == (fault in HANGS)
        assert "Traceback" not in str(failed.value)
        assert await _call(link, "look") == "done"
        assert link.status("web").state == "connected"


@pytest.mark.parametrize("fault", ["half_json", "hang_up", "status_500", "not_http"])
async def test_a_broken_answer_of_an_sse_server_ends_the_call_and_the_link_comes_back(fault: str):
    async with HttpFaults(sse_only=True) as server, linked(at(server), timeouts=QUICK) as link:
        with pytest.raises(ToolError):
            await _call(link, fault)
        await link.until(lambda: link.status("web").state == "connected")
        assert await _call(link, "look") == "done"


async def test_a_reading_call_is_repeated_once_after_half_an_answer():
    async with HttpFaults() as server, linked(at(server), timeouts=SELDOM) as link:
        with pytest.raises(ToolUnavailable, match="broke off"):
            await _call(link, "half_json")
        assert server.ran == ["half_json", "half_json"]


@pytest.mark.parametrize("answer", LOST)
async def test_a_lost_session_means_a_new_one_and_the_call_is_made_there(answer: str):
    async with HttpFaults(lost=answer) as server, linked(at(server), timeouts=SELDOM) as link:
        server.restart()
        assert await _call(link, "look") == "done"
        assert server.ran == ["look"]
        assert link.status("web").restarts == 1


@pytest.mark.parametrize("answer", LOST)
async def test_an_act_is_repeated_only_if_it_surely_did_not_run(answer: str):
    async with HttpFaults(lost=answer) as server, linked(at(server), timeouts=SELDOM) as link:
        server.restart()
        if answer == "200 JSON":  # from the server or a proxy, before or after the call: unknown
            with pytest.raises(ToolUnavailable, match="may or may not have happened"):
                await _call(link, "act")
            assert server.ran == []
        else:
            assert await _call(link, "act") == "done"
            assert server.ran == ["act"]


@pytest.mark.parametrize("answer", LOST)
@pytest.mark.parametrize("listens", [True, False], ids=["with a stream", "without"])
async def test_a_lost_session_is_noticed_without_a_call(answer: str, listens: bool):
    async with HttpFaults(lost=answer, listens=listens) as server, linked(at(server), timeouts=QUICK) as link:
        server.restart()
        await link.until(lambda: link.status("web").restarts > 0 and link.status("web").state == "connected")


async def test_a_server_that_is_restarted_for_good_is_noticed_by_the_end_of_its_stream():
    async with HttpFaults(listens=True) as server:
        port = server.port
        async with linked(at(server), timeouts=SELDOM) as link:
            await server.__aexit__()
            await link.until(lambda: link.status("web").state != "connected")
            async with HttpFaults(listens=True, port=port):
                link.go_on.set()
                await link.until(lambda: link.status("web").state == "connected")
                assert await _call(link, "look") == "done"
        await server.__aenter__()


async def test_a_tools_own_words_about_a_session_end_nothing():
    async with HttpFaults() as server, linked(at(server), timeouts=SELDOM) as link:
        with pytest.raises(ToolError, match="Session not found: browser 3"):
            await _call(link, "own_session")
        assert link.status("web").restarts == 0


@pytest.mark.parametrize("kind", [{"has_ping": False}, {"newest_only": True}], ids=str)
async def test_a_server_without_ping_or_with_the_newest_handshake_alone_stays_connected(kind):
    async with HttpFaults(**kind) as server, linked(at(server), timeouts=QUICK) as link:
        assert await _call(link, "look") == "done"
        asked = len(server.requests)
        await until(lambda: len(server.requests) >= asked + 6)
        assert (link.status("web").state, link.status("web").restarts) == ("connected", 0)


@pytest.mark.parametrize("status", [500, 503])
async def test_a_server_that_fails_at_everything_degrades_and_recovers(status: int):
    async with HttpFaults() as server, linked(at(server), timeouts=QUICK) as link:
        server.status = status
        await link.until(lambda: link.status("web").state == "degraded")
        assert f"{status}" in (link.status("web").last_error or "")
        server.status = 0
        link.go_on.set()
        await link.until(lambda: link.status("web").state == "connected")


async def test_a_broken_answer_does_not_end_other_calls_and_the_stop_ends_them_all():
    async with HttpFaults(listens=True) as server:
        async with linked(at(server), timeouts=SELDOM) as link:
            calls = [asyncio.ensure_future(_call(link, tool, 600)) for tool in ("slow_bytes", "slow_error")]
            await until(lambda: len(server.ran) == len(calls))
            for fault in ("hang_up", "half_json", "half_stream", "not_http"):
                with pytest.raises(ToolUnavailable):
                    await _call(link, fault)
            assert not calls[0].done()
        # Stopped within the limit of every stop, and long before that of the calls.
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(outcome, ToolError) for outcome in outcomes)


async def test_an_sse_server_is_found_by_trying_and_by_its_type():
    async with HttpFaults(sse_only=True) as server:
        for more in ({}, {"type": "sse"}):
            async with linked(at(server, **more)) as link:
                assert await _call(link, "look") == "done"
        async with linked(at(server, type="http"), attempts=1) as link:
            assert "404" in (link.status("web").last_error or "")


async def test_headers_are_sent_and_an_address_is_reported_without_login_or_query(caplog):
    async with HttpFaults() as server:
        async with linked(at(server, headers={"Authorization": "Bearer t0ken"})) as link:
            assert await _call(link, "look") == "done"
        assert {request.headers.get("authorization") for request in server.requests} == {"Bearer t0ken"}
        port = server.port
    nobody = ServerSettings(url=f"http://user:geheim@127.0.0.1:{port}/mcp?token=geheim")
    async with linked({"web": nobody}) as link:
        assert link.status("web").state == "degraded"
    assert f"server: web (http://127.0.0.1:{port}/mcp)" in caplog.text
    assert "geheim" not in caplog.text
    assert "t0ken" not in caplog.text

"""A Home Assistant over its link: both addresses, what it says no to, and that its token stays with it."""

import asyncio

import pytest
from tests.fakes.home_assistant_home import Entity
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_server import FakeHomeAssistant
from tests.fakes.linked import LIMIT, Linked, linked
from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import LinkTimeouts
from voice_gateway.tools.masking import without_secrets

NOT_UNIT = "a web server on the loopback address"
QUICK = LinkTimeouts(
    ping_seconds=LIMIT, ping_every_seconds=0.1, list_again_seconds=(0.05,), list_every_seconds=0.1
)


def at(ha: FakeHomeAssistant) -> dict[str, ServerSettings]:
    return {"ha": ServerSettings(url=ha.mcp_url, headers={"Authorization": f"Bearer {ha.token}"})}


@pytest.mark.parametrize("old", [False, True], ids=["streamable HTTP", "SSE"])
async def test_it_is_called_at_either_address(old: bool):
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.sse_only = old
        async with linked(at(ha)) as link:
            assert "action_done" in await link.call("HassTurnOn", "ha", name="Bed Light")
            assert ha.home["light.bed_light"].state == "on"
            with pytest.raises(ToolError, match="MatchFailedReason"):
                await link.call("HassTurnOn", "ha", name="Disco Ball")


async def test_tools_that_come_late_are_found_without_an_announcement():
    lamp, lock = Entity("light.lamp", "Lamp", "Hall"), Entity("fan.fan", "Fan", "Hall", exposed=False)
    async with FakeHomeAssistant([lamp, lock]) as ha, linked(at(ha), timeouts=QUICK) as link:
        assert "HassFanSetSpeed" not in link.tools["ha"]
        lock.exposed = True
        await link.until(lambda: "HassFanSetSpeed" in link.tools["ha"])


@pytest.mark.parametrize("old", [False, True], ids=["streamable HTTP", "SSE"])
async def test_a_token_that_is_revoked_is_noticed_by_the_next_call_and_a_new_one_helps(old: bool):
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.sse_only = old
        async with linked(at(ha)) as link:
            old_token, ha.token = ha.token, "another"
            with pytest.raises(ToolUnavailable, match="token"):
                async with asyncio.timeout(LIMIT):
                    await link.call("HassTurnOn", "ha", name="Bed Light")
            await link.until(lambda: link.status("ha").state == "degraded")
            assert "401" in (link.status("ha").last_error or "")
            assert ha.home["light.bed_light"].state == "off"
            ha.token = old_token
            link.go_on.set()
            await link.until(lambda: link.status("ha").state == "connected")


async def test_a_token_that_is_revoked_is_noticed_without_a_call():
    async with FakeHomeAssistant(recorded_home()) as ha, linked(at(ha), timeouts=QUICK) as link:
        ha.token = "another"
        await link.until(lambda: link.status("ha").state == "degraded")
        assert "401" in (link.status("ha").last_error or "")


async def test_an_entry_that_is_disabled_and_enabled_again_is_noticed():
    async with FakeHomeAssistant(recorded_home()) as ha, linked(at(ha), timeouts=QUICK, patience=60) as link:
        ha.configured = False
        await link.until(lambda: link.status("ha").state == "degraded")
        assert "404" in (link.status("ha").last_error or "")
        ha.configured = True
        await link.until(lambda: link.status("ha").state == "connected")


async def test_one_that_is_starting_is_tried_again_soon():
    async with FakeHomeAssistant(recorded_home()) as ha:
        ha.starting = True
        async with linked(at(ha), timeouts=QUICK, patience=60, attempts=2) as link:
            await _tries(link, 12)
            assert max(link.delays) <= 4.0
            ha.starting = False
            await link.until(lambda: link.status("ha").state == "connected")
            assert "action_done" in await link.call("HassTurnOn", "ha", name="Bed Light")


async def _tries(link: Linked, count: int) -> None:
    await link.until(lambda: len(link.delays) >= count)


async def test_the_token_is_in_no_log_and_no_status(caplog):
    caplog.set_level("DEBUG")
    async with FakeHomeAssistant(recorded_home()) as ha:
        token = ha.token
        async with linked(at(ha), hide=without_secrets) as link:
            await link.call("HassTurnOn", "ha", name="Bed Light")
            ha.token = "another"
            with pytest.raises(ToolError):
                await link.call("HassTurnOn", "ha", name="Bed Light")
            await link.until(lambda: link.status("ha").state == "degraded")
            assert token not in repr(link.statuses)
            assert token not in repr(at(ha))
    assert token not in caplog.text


class Elsewhere(LoopbackHttp):
    """Writes down what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    async def respond(self, request: Request, answer: Answer) -> None:
        self.seen.append(repr(request.headers))
        await answer.whole(404, b"no", "text/plain")


class Redirecting(LoopbackHttp):
    """Sends whoever comes to another server."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target

    async def respond(self, request: Request, answer: Answer) -> None:
        await answer.whole(307, b"", "text/plain", {"Location": self.target})


@pytest.mark.parametrize("path", ["/api/mcp", "/mcp_server/sse"])
async def test_the_token_goes_to_no_other_server(path: str):
    async with Elsewhere() as other, Redirecting(f"{other.url}{path}") as ha:
        server = ServerSettings(url=f"{ha.url}{path}", headers={"Authorization": "Bearer s3cret-token"})
        async with linked({"ha": server}, attempts=1) as link:
            assert link.status("ha").state == "degraded"
        assert not any("s3cret" in seen for seen in other.seen)

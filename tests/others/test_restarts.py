"""Public servers at an address, killed and started again: a running gateway tells it, and comes back."""

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.others import HttpServer
from tests.fakes.running_gateway import socket_of, state_of
from tests.fakes.waiting import until

from voice_gateway.channels.control import request

pytestmark = [pytest.mark.others, pytest.mark.timeout(120)]

TRUTH_SECONDS = 5.0  # within these `status` says what is


async def _restarted(server: HttpServer, commands: Commands) -> None:
    commands.file("voice-gateway.toml", f'[mcpServers.it]\nurl = "{server.url}"\n')

    async def is_ok() -> bool:
        return await state_of(commands, "server it") == "ok"

    async def is_not_ok() -> bool:
        return not await is_ok()

    async with Running.opened(commands) as gateway:
        await until(is_ok)
        await server.kill()
        await until(is_not_ok, TRUTH_SECONDS)
        await server.start()
        await until(is_ok)
        await server.kill()
        await server.start()  # with no call in between: the session is lost, the server answers
        message = {"op": "call", "name": "it__get-sum", "args": {"a": 2, "b": 3}, "timeout": 20}

        async def adds() -> bool:
            return "5" in (await request(socket_of(commands), message, limit_seconds=30))["text"]

        await until(adds)  # at once, or after the attempt that the gateway has made meanwhile
        assert await gateway.stop() == 0


async def test_everything_over_streamable_http(everything_http, commands):
    await _restarted(everything_http, commands)


async def test_everything_over_sse(everything_sse, commands):
    await _restarted(everything_sse, commands)

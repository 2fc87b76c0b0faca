"""The door itself: its port, its parts, and what it leaves behind."""

import asyncio
import socket
import subprocess
import sys

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tests.fakes.waiting import until
from tests.fakes.web import client, served

from voice_gateway.events import EventBus, State


async def test_a_taken_port_is_reported_and_retried(tmp_path):
    watch, taken = EventBus(), socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    async with served(tmp_path, watch=watch, port=port) as door:
        part = watch.part("web")
        assert part is not None
        assert part.state is State.DEGRADED
        assert f"127.0.0.1:{port} cannot be used" in part.sentence
        assert "web.port" in part.advice
        assert door.address == ""

        taken.close()
        await until(lambda: watch.state("web") is State.OK)

        assert door.address == f"http://127.0.0.1:{port}/"
    assert watch.part("web").sentence == f"The web console is at http://127.0.0.1:{port}/."


async def test_open_streams_do_not_delay_the_stop(tmp_path, caplog):
    open_now = asyncio.Event()

    async def forever(_request):
        open_now.set()
        await asyncio.Event().wait()

    def routes(_start):
        return [Route("/slow", forever)]

    async with asyncio.TaskGroup() as tasks, served(tmp_path, routes) as door, client(door) as http:
        asked = tasks.create_task(http.get("/slow"))
        await open_now.wait()
        asked.cancel()
    assert not caplog.records


async def test_an_exception_of_a_route_is_not_shown(tmp_path, caplog):
    async def broken(_request):
        raise RuntimeError("the secret of the house")

    def routes(_start):
        return [Route("/broken", broken), Route("/well", lambda _request: PlainTextResponse("well"))]

    async with served(tmp_path, routes) as door, client(door) as http:
        answer = await http.get("/broken")
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert (await http.get("/well")).text == "well"


@pytest.mark.slow
def test_settings_and_channels_do_not_import_the_server():
    code = (
        "import sys, voice_gateway.app.gateway, voice_gateway.app.channels, voice_gateway.cli.run\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('fastapi', 'starlette', 'uvicorn')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

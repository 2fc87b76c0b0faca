"""The port itself: taken, encrypted, stopped; and what it imports."""

import asyncio
import socket
import ssl
import subprocess
import sys

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from tests.fakes.certificates import Certificates
from tests.fakes.waiting import until
from tests.fakes.web import client, raw, served
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from voice_gateway.channels.web.ask_api import login_router
from voice_gateway.channels.web.tokens import TokenFile
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


# --- with a certificate


async def echo(socket):
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


def encrypted_routes(tmp_path):
    tokens = TokenFile(tmp_path / "web-token.json")
    return lambda _start: [WebSocketRoute("/api/voice", echo), login_router(tokens)]


@pytest.fixture
def made(tmp_path):
    return Certificates(tmp_path)


@pytest.fixture
def trusting(made):
    return ssl.create_default_context(cafile=made.ca)


async def test_pages_microphone_and_cookie_are_encrypted(tmp_path, made, trusting):
    token, watch = TokenFile(tmp_path / "web-token.json").make(), EventBus()
    how = {"host": "0.0.0.0", "tls_cert": made.certificate, "tls_key": made.key}
    async with (
        served(tmp_path, encrypted_routes(tmp_path), watch, **how) as door,
        httpx.AsyncClient(verify=trusting, trust_env=False, timeout=30) as http,
    ):
        assert door.address == f"https://127.0.0.1:{door.port}/"
        assert "TLS" not in watch.part("web").sentence
        place = f"localhost:{door.port}"
        assert "Voice Gateway" in (await http.get(f"https://{place}/login.html")).text
        entered = await http.post(f"https://{place}/api/login", json={"token": token})
        cookie = entered.headers["set-cookie"]
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        known = {"Cookie": cookie.partition(";")[0]}
        microphone = f"wss://{place}/api/voice"
        own = Origin(f"https://{place}")
        async with connect(microphone, ssl=trusting, origin=own, additional_headers=known) as socket:
            await socket.send("hello")
            assert await socket.recv() == "hello"
        for headers, origin, status in (({}, own, 401), (known, Origin("https://elsewhere.example"), 403)):
            with pytest.raises(InvalidStatus) as refused:
                await connect(microphone, ssl=trusting, origin=origin, additional_headers=headers)
            assert refused.value.response.status_code == status
        with pytest.raises(ssl.SSLCertVerificationError):  # no other authority vouches for it
            await connect(microphone, ssl=ssl.create_default_context())
        assert b"200" not in await raw(door, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await http.get(f"https://{place}/login.html")).status_code == 200


async def test_a_key_that_cannot_be_used_is_reported_and_no_passphrase_is_asked_for(tmp_path, made):
    (tmp_path / "other").mkdir()
    locked, broken = tmp_path / "locked.key", tmp_path / "broken.key"
    made.lock_key(locked, b"sesame")
    broken.write_text("no key")
    for key in (Certificates(tmp_path / "other").key, locked, broken):
        events = EventBus()
        async with served(tmp_path, watch=events, tls_cert=made.certificate, tls_key=key):
            part = events.part("web")
            assert part.state is State.DEGRADED
            assert "its certificate cannot be used" in part.sentence

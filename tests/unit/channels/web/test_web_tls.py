"""With a certificate: pages, the microphone and the cookie go encrypted, and nothing goes plainly."""

import ssl

import httpx
import pytest
from starlette.routing import WebSocketRoute
from tests.fakes.certificates import Certificates
from tests.fakes.web import raw, served
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from voice_gateway.channels.web.ask_api import login_router
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.events import EventBus, State


async def echo(socket):
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


def routes(tmp_path):
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
        served(tmp_path, routes(tmp_path), watch, **how) as door,
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

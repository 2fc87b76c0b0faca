"""The token of other machines: needed for everything, revoked at once, never guessed."""

import asyncio
import contextlib
import json

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from tests.fakes.waiting import until
from tests.fakes.web import client, served
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from voice_gateway.channels.web.ask_api import AskApi, login_router
from voice_gateway.channels.web.guard import Limits
from voice_gateway.channels.web.openai import openai_router
from voice_gateway.channels.web.responses import Feed
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.events import EventBus, Said, State
from voice_gateway.problems import WEB_NO_TOKEN
from voice_gateway.turn import Part, PartSource, Reply

EVERYWHERE = "0.0.0.0"


@pytest.fixture
def tokens(tmp_path) -> TokenFile:
    return TokenFile(tmp_path / "web-token.json")


def routes_of(tokens: TokenFile):
    def routes(_start):
        async def socket(ws):
            await ws.accept()
            await ws.close()

        return [
            Route("/api/well", lambda _request: PlainTextResponse("well")),
            Route("/metrics", lambda _request: PlainTextResponse("figures")),
            WebSocketRoute("/api/voice", socket),
            login_router(tokens),
        ]

    return routes


async def test_a_login_link_works_once(tmp_path, tokens):
    routes = routes_of(tokens)
    async with (
        served(tmp_path, routes, tokens=tokens, open_on_loopback=False) as door,
        client(door) as http,
    ):
        assert (await http.get("/api/well")).status_code == 401
        link = door.login_link()
        entered = await http.get(link)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        assert (await http.get("/api/well")).status_code == 200
        assert tokens.exists is False, "the token of other machines stays as it is"

        async with client(door) as other:
            again = await other.get(link)
            assert again.headers["location"] == "/login.html"
            assert (await other.get("/api/well")).status_code == 401
            assert (await other.get("/enter?key=")).headers["location"] == "/login.html"


async def test_without_a_token_only_the_login_page_is_shown(tmp_path, tokens):
    tokens.make()
    async with served(tmp_path, routes_of(tokens), host=EVERYWHERE) as door, client(door) as http:
        for path in ("/", "/index.html", "/api/well", "/metrics", "/openapi.json", "/nothing"):
            answer = await http.get(path)
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"].startswith("Bearer")
        page = await http.get("/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/login.html")
        for path in ("/login.html", "/login.js", "/login.css", "/icon.svg"):
            assert (await http.get(path)).status_code == 200
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{door.port}/api/voice")
        assert refused.value.response.status_code == 401


async def test_a_token_opens_and_a_revoked_or_replaced_one_does_not(tmp_path, tokens):
    first = tokens.make()
    async with served(tmp_path, routes_of(tokens), host=EVERYWHERE) as door, client(door) as http:

        async def status(token: str) -> int:
            headers = {"Authorization": f"bearer {token}"}
            return (await http.get("/api/well", headers=headers)).status_code

        assert await status(first) == 200
        second = tokens.make()
        assert (await status(first), await status(second)) == (401, 200)
        assert tokens.revoke()
        assert await status(second) == 401
        assert not tokens.revoke()


async def test_a_browser_logs_in_with_a_cookie_that_no_script_can_read(tmp_path, tokens):
    token = tokens.make()
    async with served(tmp_path, routes_of(tokens), host=EVERYWHERE) as door, client(door) as http:
        assert (await http.post("/api/login", json={"token": "vg_wrong"})).status_code == 401
        answer = await http.post("/api/login", json={"token": token})
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert (await http.get("/api/well")).text == "well"
        other_site = await http.get("/api/well", headers={"Origin": "http://evil.example"})
        assert other_site.status_code == 403  # the cookie helps no other page
        tokens.revoke()
        assert (await http.get("/api/well")).status_code == 401


ASK = ("/api/ask", {"text": "hello", "stream": True})
CHAT = ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hello"}], "stream": True})


@pytest.mark.parametrize(("path", "body"), [ASK, CHAT])
async def test_a_streaming_answer_ends_when_its_token_is_revoked(tmp_path, tokens, path, body):
    watch, token, revoked, over = EventBus(), tokens.make(), asyncio.Event(), asyncio.Event()

    async def answer(utterance, *, say, interruption, **_how):
        say(Part(PartSource.MODEL, "Well, "))
        watch.publish(Said(utterance, "Well, "))
        await revoked.wait()
        say(Part(PartSource.MODEL, "the secret."))
        watch.publish(Said(utterance, "the secret."))
        await until(lambda: interruption.wanted)
        over.set()
        return Reply("Well, the secret.")

    def routes(start):
        feed = Feed(watch)
        return [AskApi(answer, feed, start).router(), openai_router(answer, start)]

    async with (
        served(tmp_path, routes, host=EVERYWHERE) as door,
        client(door, Authorization=f"Bearer {token}") as http,
        http.stream("POST", path, json=body) as stream,
    ):
        pieces, read = stream.aiter_text(), ""
        while "Well" not in read:
            read += await anext(pieces)
        tokens.revoke()
        revoked.set()
        with contextlib.suppress(httpx.HTTPError):  # it is cut off
            read += "".join([piece async for piece in pieces])
        async with asyncio.timeout(20):
            await over.wait()
    assert "secret" not in read


async def test_guesses_of_tokens_are_limited(tmp_path, tokens):
    tokens.make()
    few = Limits(guesses_a_second=0.001, guesses_at_once=3)
    async with (
        served(tmp_path, routes_of(tokens), limits=few, host=EVERYWHERE) as door,
        client(door, Authorization="Bearer vg_wrong") as http,
    ):
        answers = [(await http.get("/api/well")).status_code for _ in range(5)]
        page = await http.get("/", headers={"Accept": "text/html"})
    assert answers == [401, 401, 401, 429, 429]
    assert page.headers["location"] == "/login.html"  # a tab with an old cookie finds its way


PROXY_HEADERS = {
    "forwarded": "for=192.0.2.7",
    "x-forwarded-for": "192.0.2.7",
    "x-forwarded-host": "home.example",
    "x-forwarded-proto": "https",
    "x-real-ip": "192.0.2.7",
    "via": "1.1 proxy",
}


async def test_a_request_through_a_proxy_on_this_machine_needs_a_token(tmp_path, tokens):
    token = tokens.make()
    proxies = [{"host": "home.example"}, *({name: value} for name, value in PROXY_HEADERS.items())]
    async with served(tmp_path, routes_of(tokens), hosts=("home.example",)) as door, client(door) as http:
        for name in ("localhost", "127.0.0.1:1", "[::1]"):  # on loopback none is needed
            assert (await http.get("/api/well", headers={"host": name})).status_code == 200
        for headers in proxies:
            assert (await http.get("/api/well", headers=headers)).status_code == 401, headers
            page = await http.get("/", headers={**headers, "Accept": "text/html"})
            assert page.headers["location"] == "/login.html"
            address = f"ws://{headers.get('host', 'localhost')}:{door.port}/api/voice"
            sent = {name: value for name, value in headers.items() if name != "host"}
            with pytest.raises(InvalidStatus) as refused:
                await connect(address, additional_headers=sent, host="127.0.0.1", port=door.port)
            assert refused.value.response.status_code == 401
            known = {**headers, "Authorization": f"Bearer {token}"}
            assert (await http.get("/api/well", headers=known)).text == "well"


async def test_a_damaged_token_file_denies_access(tmp_path, tokens):
    for kept in ("", "{}", "[]", '{"sha256": ""}', '{"sha256": "zz"}', '{"sha256": 5}', "\xff"):
        (tmp_path / "web-token.json").write_text(kept, encoding="latin-1")
        assert not tokens.exists, kept
        assert not tokens.knows("")


def test_only_a_hash_is_kept_and_only_for_the_owner(tmp_path, tokens):
    token = tokens.make()
    file = tmp_path / "web-token.json"
    assert token not in file.read_text()
    assert list(json.loads(file.read_text())) == ["sha256"]
    assert file.stat().st_mode & 0o077 == 0
    assert tokens.knows(token)
    assert not tokens.knows(token + "x")
    assert not tokens.knows("")


async def test_a_missing_token_is_reported(tmp_path, tokens):
    watch = EventBus()
    async with served(tmp_path, routes_of(tokens), watch, host=EVERYWHERE) as door:
        assert watch.state("web") is State.DEGRADED
        assert "voice-gateway web token" in watch.part("web").advice
        async with client(door) as http:
            assert (await http.get("/api/well")).status_code == 401
        tokens.make()
        await until(lambda: watch.state("web") is State.OK)
        assert "without TLS" in watch.part("web").sentence

        tokens.revoke()

        await until(lambda: watch.state("web") is State.DEGRADED)
        assert watch.part("web").sentence == WEB_NO_TOKEN
        tokens.make()
        await until(lambda: watch.state("web") is State.OK)

"""Access control: other sites, other names, too much, too slow, and paths outside the console's folder."""

import asyncio

import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from tests.fakes.web import client, raw, served
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from voice_gateway.channels.web.guard import Limits

FOREIGN_ORIGINS = (
    "http://evil.example",
    "null",
    "",
    "file://",
    "http://127.0.0.1",  # another port is another site
    "http://127.0.0.1:1",
    "http://127.0.0.1.evil.example:{port}",
    "http://evil.example#127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://localhost:{port}",  # the request was sent to 127.0.0.1
    "javascript:alert(1)",
)
FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.nip.io:{port}",
    "localhost.evil.example",
    "0.0.0.0:{port}",
    "user@127.0.0.1:{port}",
    "127.0.0.1:{port}@evil.example",
    "127.0.0.1:99999",
    "127.0.0.1:{port}/evil",
    "[::ffff:127.0.0.1]:{port}",
    "2130706433",
    "",
)
PATHS_OUT = (
    "/../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/..%5c..%5cetc",
    "//etc/passwd",
    "/etc/passwd",
    "/server.py",
    "/../server.py",
    "/%2e%2e/server.py",
    "/..",
    "/INDEX.HTML",
    "/" + "a" * 5000,
    "/%ff%fe",
    "/api/../index.html",
    "/api/nothing",
    "http://evil.example/",
    "/%00",
    "/index.html%00.js",
)


def routes(_start):
    async def echo(request):
        return JSONResponse({"bytes": len(await request.body())})

    async def socket(ws):
        await ws.accept()
        await ws.close()

    return [
        Route("/api/echo", echo, methods=["GET", "POST"]),
        Route("/v1/echo", echo, methods=["POST"]),
        WebSocketRoute("/api/voice", socket),
    ]


def status(answer: bytes) -> int:
    return int(answer.split()[1])


async def test_a_foreign_origin_is_refused_for_pages_api_and_websocket(tmp_path):
    async with served(tmp_path, routes) as channel:
        for origin in (origin.format(port=channel.port) for origin in FOREIGN_ORIGINS):
            async with client(channel, Origin=origin) as http:
                for method, path in (("GET", "/"), ("GET", "/api/echo"), ("POST", "/api/echo")):
                    answer = await http.request(method, path)
                    assert answer.status_code == 403, origin
                    assert "access-control-allow-origin" not in answer.headers
                preflight = {"Access-Control-Request-Method": "POST"}
                assert (await http.options("/api/echo", headers=preflight)).status_code == 403, origin
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"ws://127.0.0.1:{channel.port}/api/voice", origin=Origin(origin))
            assert refused.value.response.status_code == 403, origin


async def test_the_console_itself_and_programs_without_an_origin_are_served(tmp_path):
    async with served(tmp_path, routes, hosts=("home.example",)) as channel:
        own = f"http://127.0.0.1:{channel.port}"
        async with client(channel, Origin=own) as http:
            assert (await http.post("/api/echo", content=b"abc")).json() == {"bytes": 3}
        async with client(channel) as http:
            assert (await http.get("/api/echo")).status_code == 200
            for host in ("localhost", "LOCALHOST:1", f"[::1]:{channel.port}", "127.0.0.1", "home.example"):
                assert (await http.get("/login.html", headers={"Host": host})).status_code == 200, host
        async with connect(f"ws://127.0.0.1:{channel.port}/api/voice", origin=Origin(own)):
            pass


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_cross_site_request_without_an_origin_is_refused(tmp_path, site):
    async with served(tmp_path, routes) as channel, client(channel, **{"Sec-Fetch-Site": site}) as http:
        assert (await http.get("/api/echo")).status_code == 403
        assert (await http.get("/")).status_code == 200  # a link to the console is allowed


async def test_a_foreign_host_is_refused_even_if_the_origin_matches_it(tmp_path):
    """DNS rebinding: an attacker's name resolves to this address."""
    async with served(tmp_path, routes) as channel:
        for host in (host.format(port=channel.port) for host in FOREIGN_HOSTS):
            head = f"POST /api/echo HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n".encode()
            answer = await raw(channel, head + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
            assert status(answer) == 421, host
        assert status(await raw(channel, b"GET / HTTP/1.0\r\n\r\n")) == 421
        assert status(await raw(channel, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) == 400
        two = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert status(await raw(channel, two)) in (400, 421)


async def test_a_body_above_the_limit_is_refused_before_it_is_read(tmp_path):
    async with served(tmp_path, routes, limits=Limits(body_bytes=1000, longer_body_bytes=2000)) as channel:
        head = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\n"
        assert status(await raw(channel, head + b"Content-Length: 99999999999999\r\n\r\n")) == 413
        chunked = b"Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + b"x" * 1001 + b"\r\n"
        assert status(await raw(channel, head + chunked)) == 413
        async with client(channel) as http:
            for path, size, expected in (
                ("/api/echo", 1000, 200),
                ("/api/echo", 1001, 413),
                ("/v1/echo", 2000, 200),
                ("/v1/echo", 2001, 413),
            ):
                assert (await http.post(path, content=b"x" * size)).status_code == expected, (path, size)


async def test_a_malformed_or_ambiguous_length_is_refused(tmp_path):
    async with served(tmp_path, routes) as channel:
        for length in ("-1", "abc", "1, 2", "0x10", "1e3", "٣"):
            head = f"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
            assert 400 <= status(await raw(channel, head.encode())) < 500, length
        # Request smuggling: a proxy that believes the other length would pass on a second request.
        begun = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        behind = b"GET /api/echo HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = await raw(channel, begun + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + behind)
        assert status(answer) == 400
        assert answer.count(b"HTTP/1.1 ") == 1


async def test_a_slow_body_and_long_headers_are_refused(tmp_path):
    async with served(tmp_path, routes, limits=Limits(body_seconds=0.2)) as channel:
        head = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
        assert status(await raw(channel, head)) == 408
        long = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: " + b"x" * 100_000
        assert status(await raw(channel, long + b"\r\n\r\n")) in (400, 431)


async def test_no_path_leads_out_of_the_folder(tmp_path):
    async with served(tmp_path, routes) as channel:
        for path in PATHS_OUT:
            head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            answer = await raw(channel, head.encode())
            assert status(answer) in (400, 404), path
            assert b"root:" not in answer


async def test_too_many_requests_get_429_and_pages_are_not_counted(tmp_path):
    few = Limits(asks_a_second=0.001, asks_at_once=3)
    async with served(tmp_path, routes, limits=few) as channel, client(channel) as http:
        answers = [await http.get("/api/echo") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].headers["retry-after"] == "1"
        assert (await http.get("/index.html")).status_code == 200


async def test_connections_above_the_limit_get_503(tmp_path):
    async with served(tmp_path, limits=Limits(connections=2)) as channel:
        open_now = [await asyncio.open_connection("127.0.0.1", channel.port) for _ in range(2)]
        answer = await raw(channel, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert status(answer) == 503
        for _reader, writer in open_now:
            writer.close()


async def test_every_answer_has_the_security_headers(tmp_path):
    async with served(tmp_path, routes) as channel, client(channel) as http:
        for path in ("/", "/api/echo", "/nothing"):
            headers = (await http.get(path)).headers
            policy = headers["content-security-policy"]
            for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
                assert part in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in headers
        assert (await http.get("/api/echo")).headers["cache-control"] == "no-store"

"""Who is kept out: other sites, other names, too much, too slow, and ways that lead nowhere."""

import asyncio
import contextlib

import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from tests.fakes.web import client, raw, served
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from voice_gateway.channels.web.limits import Limits

QUICK = Limits(header_seconds=0.2, body_seconds=0.2)


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


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example",
        "null",
        "",
        "file://",
        "http://127.0.0.1",  # another port is another site
        "http://127.0.0.1:1",
        "http://127.0.0.1.evil.example:{port}",
        "http://evil.example#127.0.0.1:{port}",
        "http://127.0.0.1:{port}@evil.example",
        "http://localhost:{port}",  # reached as 127.0.0.1: somebody else's page could be there
        "javascript:alert(1)",
    ],
)
async def test_a_foreign_origin_is_refused_everywhere(tmp_path, origin):
    async with served(tmp_path, routes) as door:
        origin = origin.format(port=door.port)
        async with client(door, Origin=origin) as http:
            for method, path in (("GET", "/"), ("GET", "/api/echo"), ("POST", "/api/echo")):
                answer = await http.request(method, path)
                assert answer.status_code == 403
                assert "another site" in answer.json()["error"]
                assert "access-control-allow-origin" not in answer.headers
            preflight = await http.options("/api/echo", headers={"Access-Control-Request-Method": "POST"})
            assert preflight.status_code == 403
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{door.port}/api/voice", origin=Origin(origin))
        assert refused.value.response.status_code == 403


async def test_ones_own_page_and_programs_without_an_origin_come_in(tmp_path):
    async with served(tmp_path, routes) as door:
        own = f"http://127.0.0.1:{door.port}"
        async with client(door, Origin=own) as http:
            assert (await http.post("/api/echo", content=b"abc")).json() == {"bytes": 3}
        async with client(door) as http:
            assert (await http.get("/api/echo")).status_code == 200
        async with connect(f"ws://127.0.0.1:{door.port}/api/voice", origin=Origin(own)):
            pass


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_request_of_another_site_without_an_origin_is_refused(tmp_path, site):
    async with served(tmp_path, routes) as door, client(door, **{"Sec-Fetch-Site": site}) as http:
        assert (await http.get("/api/echo")).status_code == 403
        assert (await http.get("/")).status_code == 200  # a link to the console may stand anywhere


@pytest.mark.parametrize(
    "host",
    [
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
    ],
)
async def test_a_foreign_host_is_refused_also_with_an_origin_that_fits(tmp_path, host):
    """An attacker's name that leads here (DNS rebinding) makes host and origin alike."""
    async with served(tmp_path, routes) as door:
        host = host.format(port=door.port)
        head = f"POST /api/echo HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n".encode()
        answer = await raw(door, head + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        assert status(answer) == 421


async def test_no_host_or_two_of_them_are_refused(tmp_path):
    async with served(tmp_path, routes) as door:
        assert status(await raw(door, b"GET / HTTP/1.0\r\n\r\n")) == 421
        assert status(await raw(door, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) == 400
        two = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert status(await raw(door, two)) in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]:{port}", "127.0.0.1", "home.example"])
async def test_names_of_this_gateway_are_known(tmp_path, host):
    async with (
        served(tmp_path, routes, hosts=("home.example",)) as door,
        client(door, Host=host.format(port=door.port)) as http,
    ):
        assert (await http.get("/login.html")).status_code == 200


async def test_what_is_too_large_is_refused_before_it_is_read(tmp_path):
    async with served(tmp_path, routes, limits=Limits(body_bytes=1000, longer_body_bytes=2000)) as door:
        told = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n"
        assert status(await raw(door, told)) == 413
        chunked = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert status(await raw(door, chunked + b"3e9\r\n" + b"x" * 1001 + b"\r\n")) == 413
        async with client(door) as http:
            assert (await http.post("/api/echo", content=b"x" * 1000)).json() == {"bytes": 1000}
            assert (await http.post("/api/echo", content=b"x" * 1001)).status_code == 413
            assert (await http.post("/v1/echo", content=b"x" * 2000)).status_code == 200
            assert (await http.post("/v1/echo", content=b"x" * 2001)).status_code == 413


@pytest.mark.parametrize("length", ["-1", "abc", "1, 2", "0x10", "1e3", "٣"])
async def test_a_length_that_is_no_number_is_refused(tmp_path, length):
    async with served(tmp_path, routes) as door:
        head = f"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
        assert 400 <= status(await raw(door, head.encode())) < 500


async def test_a_body_with_two_lengths_is_refused_and_nothing_behind_it_is_read(tmp_path):
    """A proxy before us that believes the other one would pass on what it has never judged."""
    async with served(tmp_path, routes) as door:
        head = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        behind = b"GET /api/echo HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = await raw(door, head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + behind)
        assert status(answer) == 400
        assert answer.count(b"HTTP/1.1 ") == 1


async def test_a_slow_body_is_not_waited_for(tmp_path):
    async with served(tmp_path, routes, limits=QUICK) as door:
        head = b"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
        assert status(await raw(door, head)) == 408


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
async def test_who_is_slow_to_say_what_it_wants_is_let_go(tmp_path, begun):
    async with served(tmp_path, routes, limits=QUICK) as door:
        assert await raw(door, begun) == b""


async def test_slow_headers_behind_a_first_request_are_not_waited_for_either(tmp_path):
    async with served(tmp_path, routes, limits=QUICK) as door:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(b"GET /api/echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b'{"bytes":0}')
        writer.write(b"GET / HTT")
        async with asyncio.timeout(30):
            assert await reader.read() == b""
        writer.close()


async def test_headers_of_any_size_are_not_read(tmp_path):
    async with served(tmp_path, routes) as door:
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: " + b"x" * 100_000
        assert status(await raw(door, head + b"\r\n\r\n")) in (400, 431)
        assert await raw(door, head + b"x" * 1_000_000) == b""  # cut off in the middle of it


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/..%5c..%5cetc",
        "//etc/passwd",
        "/etc/passwd",
        "/static_files.py",
        "/../static_files.py",
        "/index.html/",
        "/index.html%00.js",
        "/%00",
        "/.",
        "/..",
        "/./index.html",
        "/INDEX.HTML",
        "/" + "a" * 5000,
        "/%ff%fe",
        "/;/index.html",
        "/api/../index.html",
        "/api/nothing",
        "http://evil.example/",
    ],
)
async def test_no_path_leads_out_of_the_folder(tmp_path, path):
    async with served(tmp_path, routes) as door:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = await raw(door, head.encode())
        assert status(answer) in (400, 404)
        assert b"root:" not in answer


async def test_too_many_requests_are_told_so_and_pages_are_not_counted(tmp_path):
    few = Limits(asks_a_second=0.001, asks_at_once=3)
    async with served(tmp_path, routes, limits=few) as door, client(door) as http:
        answers = [await http.get("/api/echo") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].headers["retry-after"] == "1"
        assert (await http.get("/index.html")).status_code == 200


async def test_every_answer_says_what_a_browser_may_do_with_it(tmp_path):
    async with served(tmp_path, routes) as door, client(door) as http:
        for path in ("/", "/api/echo", "/nothing"):
            headers = (await http.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-resource-policy"] == "same-origin"
        assert (await http.get("/api/echo")).headers["cache-control"] == "no-store"
        assert "server" not in (await http.get("/")).headers


async def test_who_takes_every_connection_it_gets_keeps_nobody_else_out(tmp_path):
    limits = Limits(connections=10, connections_of_one=6)
    async with served(tmp_path, limits=limits) as door, contextlib.AsyncExitStack() as stack:
        ended = []
        for _ in range(8):
            reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
            stack.callback(writer.close)
            ended.append(reader)
        for reader in ended[6:]:
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""

        reader, writer = await asyncio.open_connection("127.0.0.1", door.port, local_addr=("127.0.0.2", 0))
        stack.callback(writer.close)
        writer.write(b"GET /login.html HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with asyncio.timeout(20):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")

import asyncio
import json
import os
import threading

import pytest

from zwave_mcp.wire import Lines, refusal

MANY = 4_000_000


def refused(line: str) -> tuple[int, object] | None:
    error = refusal(line)
    if error is None:
        return None
    assert error.endswith("\n")
    answer = json.loads(error)
    assert answer["error"]["message"]
    return answer["error"]["code"], answer["id"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": 5}', (-32600, 9)),
        ('{"jsonrpc": "2.0", "id": "nine", "method": "tools/call", "params": []}', (-32600, "nine")),
        ('{"jsonrpc": "2.0", "method": "tools/call", "params": 5}', (-32600, None)),
        ('{"jsonrpc": "1.0", "id": 9, "method": "ping"}', (-32600, 9)),
        ('{"jsonrpc": "2.0", "id": 9, "method": 7}', (-32600, 9)),
        ('{"jsonrpc": "2.0", "id": 9}', (-32600, 9)),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', (-32600, None)),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', (-32600, None)),
        ('{"jsonrpc": "2.0", "method": "n", "params": {"id": 5}}', None),
        ('{"id": true}', (-32600, None)),
        ('{"id": [1]}', (-32600, None)),
        ("{}", (-32600, None)),
        ("[]", (-32600, None)),
        ("5", (-32600, None)),
        ("not json", (-32700, None)),
        ("[" * 100_000, (-32700, None)),
        ('{"jsonrpc": "2.0", "id": 9, "method": "ping"}', None),
        ('{"jsonrpc": "2.0", "method": "notifications/initialized"}', None),
        ('{"jsonrpc": "2.0", "id": 9, "result": 5}', None),  # a bad answer is not answered
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_line_that_is_no_message_is_answered(line: str, said: tuple[int, object] | None):
    assert refused(line) == said


@pytest.mark.parametrize("end", ["\n", ""], ids=["ended", "cut"])
async def test_an_over_long_line_is_answered_once_and_skipped_to_its_end(end: str):
    long = '{"id": 3, "x": "' + "y" * (MANY + 300_000)
    ping = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}'

    first, *more = await read(f"{long}\n{ping}{end}")

    assert refused(first) == (-32700, None)
    assert more == [ping]
    assert refused(*await read(long)) == (-32700, None)


async def read(text: str) -> list[str]:
    source, sink = os.pipe()

    def write() -> None:
        with os.fdopen(sink, "wb") as pipe:
            pipe.write(text.encode())

    threading.Thread(target=write, daemon=True).start()
    lines = Lines(source)
    lines.start()
    try:
        async with asyncio.timeout(60):
            return [line async for line in lines]
    finally:
        os.close(source)

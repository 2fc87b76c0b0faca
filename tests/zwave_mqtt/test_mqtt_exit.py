"""Every way to end the server, in every state of its connection: soon, with code 0, the broker told."""

import asyncio
import contextlib
import os
import signal
import socket

import pytest
from tests.fakes import warm_python
from tests.fakes.ports import free_port
from tests.fakes.waiting import until

EXIT_SECONDS = 15.0  # a hang never ends; a machine may be busy with others


@contextlib.asynccontextmanager
async def process(broker_url):
    child = await warm_python.start(
        *(warm_python.python(), "-m", "zwave_mcp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", ""), "MQTT_BROKER_URL": broker_url, "ZWAVE_LOG_LEVEL": "INFO"},
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def logged(child, text):
    async with asyncio.timeout(EXIT_SECONDS * 2):
        while text not in (line := (await child.stderr.readline()).decode()):
            assert line, "the server ended"


def at_rest(log):
    """The list of devices has arrived: data under way would turn the goodbye into a reset."""
    _, asked, after = log.partition("api/getNodes'")
    sent = after.count("Sending PUBLISH to zwave-mcp-")
    return bool(asked) and sent > 0 and sent == after.count("Received PUBACK from zwave-mcp-")


def end(child, way):
    if way == "end of input":
        child.stdin.close()
    else:
        child.send_signal(way)


@pytest.mark.parametrize("way", ["end of input", signal.SIGTERM, signal.SIGINT], ids=str)
async def test_a_connected_server_ends_cleanly_and_tells_the_broker(broker, gateway, way):
    async with process(broker.url) as child:
        await logged(child, "found Z-Wave JS UI")
        await until(lambda: at_rest(broker.log), EXIT_SECONDS)
        before = broker.log.count("Received DISCONNECT")
        end(child, way)
        async with asyncio.timeout(EXIT_SECONDS):
            assert await child.wait() == 0
            while broker.log.count("Received DISCONNECT") == before:
                await asyncio.sleep(0.01)


async def test_a_server_without_a_broker_ends_cleanly():
    async with process(f"mqtt://localhost:{free_port()}") as child:
        await logged(child, "no connection to the MQTT broker")
        end(child, signal.SIGTERM)
        async with asyncio.timeout(EXIT_SECONDS):
            assert await child.wait() == 0


async def test_a_server_whose_broker_never_answers_ends_cleanly():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(EXIT_SECONDS * 2)
        async with process(f"mqtt://127.0.0.1:{silent.getsockname()[1]}") as child:
            connection, _ = await asyncio.to_thread(silent.accept)
            with connection:
                end(child, signal.SIGTERM)
                async with asyncio.timeout(EXIT_SECONDS):
                    assert await child.wait() == 0

"""A house for the soak: a broker, a Redis, a model server, lamps that count, and a gateway among them."""

import asyncio
import contextlib
import errno
import itertools
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.gateway_process import Commands
from tests.fakes.loopback_http import Answer
from tests.fakes.mosquitto import Broker
from tests.fakes.ollama_server import FakeOllama, Scripted
from tests.fakes.ports import free_port
from tests.fakes.redis_server import RedisServer
from tests.fakes.running_gateway import parts, processes, server, socket_of
from tests.fakes.waiting import until

from voice_gateway.channels.control import request
from voice_gateway.errors import LinkError

NOT_UNIT = "everything that a gateway may stand beside"

COLOURS = "red blue green yellow white black orange silver purple brown".split()
ANIMALS = "fox bear wolf otter heron badger falcon beaver rabbit turtle".split()
LAMPS = [f"{colour.title()} {animal.title()} Lamp" for colour in COLOURS for animal in ANIMALS]
KITCHEN = "Kitchen Light"  # what the recordings speak of
DISK = "64m"
# The clock of the gateway alone jumps: the library reads this file again each second.
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
UP_SECONDS = 60.0
LOOK_SECONDS = 0.2
LAST_LINES = 30


def jumping(file: Path) -> dict[str, str]:
    """The environment of a process whose clock is off by what the file says ("+60")."""
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        # Else a wait for the interpreter's lock spins, and a start costs ten times the processor.
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    }


class MoodyModel(FakeOllama):
    """A model server that is slow, talks nonsense, breaks off, or asks for what does not exist."""

    async def _chat(self, body: dict[str, Any], answer: Answer) -> None:
        self.requests.clear()  # an hour of them would be our own leak
        self.replies = [random.choice(self._moods())]
        if random.random() < 0.2:
            await asyncio.sleep(random.uniform(0.2, 2))
        await super()._chat(body, answer)

    def _moods(self) -> list[Scripted]:
        lamp = random.choice(LAMPS)
        return [
            Scripted("Why did the fox cross the road? Nobody saw it."),
            Scripted("qzx " * random.randint(1, 200)),
            Scripted("I have turned everything off and locked the door."),
            Scripted("Well,", end="abort"),
            Scripted("So", end="rubbish"),
            Scripted(status=500, error="out of memory"),
            Scripted(calls=[("no_such_tool", {"x": 1})]),
            Scripted(calls=[("control_zwave_device", {"deviceName": lamp, "action": "off"})]),
            Scripted(calls=[("control_zwave_device", {"deviceName": lamp})]),
        ]


class House:
    """`gateway` is the process that runs now; everything else can be killed, frozen and filled."""

    def __init__(self, folder: Path, store: str) -> None:
        self.folder = folder
        self.commands = Commands(folder)
        self.broker = Broker(folder)
        self.redis = RedisServer(folder) if store == "redis" else None
        self.model = MoodyModel()
        self.switched_file = folder / "switched.txt"
        self.wyoming_port = free_port()
        self.data = folder / "data"
        self.jump_file = folder / "clock"
        self.gateway: asyncio.subprocess.Process | None = None
        self.small_disk = False
        self.numbers = itertools.count(1001)
        self._store = self.redis.url if self.redis else store

    # --- life

    async def begin(self) -> None:
        self._mount()
        self.jump(0)
        self.broker.start()
        await self.model.__aenter__()
        (self.folder / "lamps.txt").write_text("\n".join([KITCHEN, *LAMPS]), encoding="utf-8")
        self.settings = self.commands.file("soak.toml", self._settings())
        await self.start_gateway()

    async def end(self) -> None:
        if self.gateway is not None and self.gateway.returncode is None:
            self.gateway.kill()
            await self.gateway.wait()
        await self.commands.end()
        await self.model.__aexit__()
        self.broker.thaw()
        self.broker.kill()
        if self.redis is not None:
            self.redis.thaw()
            self.redis.kill()
        if self.small_disk:
            subprocess.run(["umount", str(self.data)], check=False)

    def _mount(self) -> None:
        """A disk that can be full: only root may mount one."""
        self.data.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(self.data)]
        self.small_disk = subprocess.run(mount, check=False, capture_output=True).returncode == 0

    def _settings(self) -> str:
        return (
            f'[brain]\nprovider = "ollama"\nstore = "{self._store}"\n'
            f'[ollama]\nbase_url = "{self.model.url}"\ntimeout_seconds = 5\n'
            f'[voice]\nwyoming_url = "tcp://127.0.0.1:{self.wyoming_port}"\n'
            "[web]\nport = 0\n[mcp]\nbase_delay_seconds = 0.2\n"
            + server("zwave", "counting_server.py", self.switched_file, 0.02, self.folder / "lamps.txt")
        )

    async def start_gateway(self) -> None:
        environment = {"MQTT_BROKER_URL": self.broker.url}
        if FAKETIME.exists():
            environment |= jumping(self.jump_file)
        with (self.folder / "out").open("ab") as out, (self.folder / "err").open("ab") as err:
            self.gateway = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "voice_gateway", "run", "--config", str(self.settings)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=self.folder,
                env={**self.commands.env, **environment},
            )
        await self.healthy()

    async def healthy(self) -> None:
        """Waits until all that should be there is; a model's moods are its own affair."""
        wrong: object = None

        async def well() -> bool:
            nonlocal wrong
            await asyncio.sleep(LOOK_SECONDS)  # asking costs it time, too
            wrong = await self._wrong()
            return not wrong

        try:
            await until(well, UP_SECONDS)
        except TimeoutError:
            last = (
                (self.folder / "err").read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
            )
            pytest.fail("\n".join([f"after {UP_SECONDS:.0f} s still: {wrong}", *last]))

    async def _wrong(self) -> object:
        if not socket_of(self.commands).exists():
            return "no control socket"
        try:
            known = await parts(self.commands)
        except (LinkError, TimeoutError) as error:
            return repr(error)
        bad = [part for name, part in known.items() if part["state"] != "ok" and name != "brain ollama"]
        servers = processes(str(self.switched_file))
        return bad or (f"processes of the server: {servers}" if len(servers) != 1 else None)

    # --- faults: each leaves the house whole again

    async def kill_gateway(self) -> None:
        assert self.gateway is not None
        self.gateway.kill()
        await self.gateway.wait()
        await self.start_gateway()

    async def kill_server(self) -> None:
        for pid in processes(str(self.switched_file)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def kill_broker(self) -> None:
        await asyncio.to_thread(self.broker.kill)
        await asyncio.sleep(random.random())
        await asyncio.to_thread(self.broker.start)

    async def freeze_broker(self) -> None:
        self.broker.freeze()
        await asyncio.sleep(random.uniform(0.2, 4))
        self.broker.thaw()

    async def kill_redis(self) -> None:
        assert self.redis is not None
        await asyncio.to_thread(self.redis.kill)
        await asyncio.sleep(random.random())
        await asyncio.to_thread(self.redis.start)

    async def freeze_redis(self) -> None:
        assert self.redis is not None
        self.redis.freeze()
        await asyncio.sleep(random.uniform(0.2, 4))
        self.redis.thaw()

    async def kill_model(self) -> None:
        await self.model.__aexit__()
        await asyncio.sleep(random.random())
        await self.model.__aenter__()

    async def fill_disk(self) -> None:
        filling = self.data / "filling"
        try:
            with filling.open("wb", buffering=0) as file:
                while True:
                    file.write(b"\0" * 4096)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        await asyncio.sleep(random.uniform(0.2, 2))
        filling.unlink()

    async def jump_clock(self) -> None:
        self.jump(random.choice([-3600, -60, 0, 60, 3600, 86400]))
        await asyncio.sleep(1)

    def jump(self, seconds: int) -> None:
        self.jump_file.write_text(f"{seconds:+d}", encoding="utf-8")

    def faults(self) -> list[str]:
        """Those that this machine can have."""
        always = ["kill_server", "kill_broker", "freeze_broker", "kill_model"]
        redis = ["kill_redis", "freeze_redis"] if self.redis else []
        return always + redis + ["fill_disk"] * self.small_disk + ["jump_clock"] * FAKETIME.exists()

    # --- what is seen of it

    def switched(self) -> list[str]:
        return (
            self.switched_file.read_text(encoding="utf-8").splitlines() if self.switched_file.exists() else []
        )

    def rung(self) -> list[str]:
        """What the gateways said on their own, in order."""
        return (self.folder / "out").read_text(encoding="utf-8").splitlines()

    async def size(self) -> dict[str, float]:
        assert self.gateway is not None
        status = Path(f"/proc/{self.gateway.pid}/status").read_text()
        facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        vitals = await request(socket_of(self.commands), {"op": "vitals"})
        return {
            "megabytes": round(int(facts["VmRSS"].split()[0]) / 1024, 1),
            "descriptors": len(list(Path(f"/proc/{self.gateway.pid}/fd").iterdir())),
            "threads": int(facts["Threads"]),
            "tasks": vitals["tasks"],
            "servers": len(processes(str(self.switched_file))),
        }


@contextlib.asynccontextmanager
async def house(folder: Path, store: str) -> AsyncIterator[House]:
    opened = House(folder, store)
    try:
        await opened.begin()
        yield opened
    finally:
        await opened.end()

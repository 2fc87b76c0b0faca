"""One real Home Assistant process, seen past the gateway: by its own REST and websocket doors."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from tests.fakes.ports import free_port
from tests.fakes.waiting import until
from websockets.asyncio.client import connect

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "home-assistant"
START_SECONDS, STOP_SECONDS = 120.0, 30.0

# What a person would notice of an entity. Helpers, from which the devices are made, are no devices.
_DEVICES = frozenset(
    "light switch lock cover climate fan media_player vacuum todo sensor binary_sensor".split()
)
_NOTICED = (
    "brightness", "hs_color", "color_temp_kelvin", "current_position", "temperature", "percentage",
    "volume_level", "is_volume_muted",
)  # fmt: skip
States = dict[str, dict[str, Any]]  # {entity id: {"state": …, "brightness": …}}


class RealHomeAssistant:
    """Started by `scripts/home-assistant serve` in a process group of its own."""

    def __init__(self, folder: Path, home: str = "small") -> None:
        self.folder, self._home = folder, home
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def token(self) -> str:
        return (self.folder / "token").read_text()

    def settings(self, name: str = "ha") -> str:
        """For voice-gateway.toml."""
        header = json.dumps(f"Bearer {self.token}")
        return f'[mcpServers.{name}]\nurl = "{self.url}/api/mcp"\nheaders = {{ Authorization = {header} }}\n'

    # --- the process

    def launch(self) -> None:
        command = [str(SCRIPT), "serve", str(self.folder), str(self._port), self._home, "--with-parent"]
        with (self.folder.parent / f"{self.folder.name}.out").open("ab") as out:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )

    async def up(self) -> None:
        """Returns when every part of it is loaded."""
        await until(self._is_running, START_SECONDS)

    async def _is_running(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"it ended: {self.folder}.out says why"
        with contextlib.suppress(httpx.HTTPError, OSError):
            return (await self._get("/api/config"))["state"] == "RUNNING"
        return False

    def kill(self) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    async def stop(self) -> None:
        """As at a shutdown: it writes down what it knows."""
        assert self._process is not None
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._process.wait, STOP_SECONDS)
        self.kill()

    # --- its doors

    async def _get(self, path: str) -> Any:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}) as client:
            answer = await client.get(self.url + path, timeout=30)
            return answer.raise_for_status().json()

    async def states(self) -> States:
        """Of every device, exposed or not, and of the one helper that people see."""
        listed = await self._get("/api/states")
        return {
            one["entity_id"]: {
                "state": one["state"],
                **{key: one["attributes"][key] for key in _NOTICED if key in one["attributes"]},
            }
            for one in listed
            if one["entity_id"].partition(".")[0] in _DEVICES
            or one["entity_id"] == "input_boolean.guest_mode"
        }

    async def act(self, action: str, entity_id: str | list[str], **fields: Any) -> None:
        """An action of Home Assistant itself: to put things in order, and to do what somebody else does."""
        domain, _, service = action.partition(".")
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}) as client:
            path = f"{self.url}/api/services/{domain}/{service}"
            answer = await client.post(path, json={"entity_id": entity_id, **fields}, timeout=30)
            answer.raise_for_status()

    async def link_broker(self, host: str, port: int) -> None:
        """As a person does under "add integration"."""
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}) as client:
            flows = f"{self.url}/api/config/config_entries/flow"
            begun = (await client.post(flows, json={"handler": "mqtt"}, timeout=60)).raise_for_status()
            where = {"broker": host, "port": port}
            ended = await client.post(f"{flows}/{begun.json()['flow_id']}", json=where, timeout=60)
            assert ended.raise_for_status().json()["type"] == "create_entry", ended.text

    async def all_states(self) -> dict[str, str]:
        return {one["entity_id"]: one["state"] for one in await self._get("/api/states")}

    @contextlib.asynccontextmanager
    async def socket(self) -> AsyncIterator["Socket"]:
        async with connect(self.url.replace("http", "ws", 1) + "/api/websocket", max_size=None) as socket:
            await socket.recv()
            await socket.send(json.dumps({"type": "auth", "access_token": self.token}))
            assert json.loads(await socket.recv())["type"] == "auth_ok"
            yield Socket(socket)

    async def ask(self, kind: str, **fields: Any) -> Any:
        async with self.socket() as socket:
            return await socket.ask(kind, **fields)

    # --- as it was at first

    async def put_in_order(self) -> None:
        """Every helper as the configuration has it, and what keeps its own state."""
        settings = json.loads((self.folder / "configuration.yaml").read_text())
        listed = {one["entity_id"]: one for one in await self._get("/api/states")}
        for domain, action, field in (
            ("input_number", "set_value", "value"),
            ("input_select", "select_option", "option"),
        ):
            for name, how in settings[domain].items():
                entity_id = f"{domain}.{name}"
                if not _same(listed[entity_id]["state"], how["initial"]):
                    await self.act(f"{domain}.{action}", entity_id, **{field: how["initial"]})
        for name, how in settings["input_boolean"].items():
            if (listed[f"input_boolean.{name}"]["state"] == "on") is not how["initial"]:
                verb = "turn_on" if how["initial"] else "turn_off"
                await self.act(f"input_boolean.{verb}", f"input_boolean.{name}")
        await self._order_climates(settings["climate"], listed)
        await self._empty_lists(listed)

    async def _order_climates(self, settings: list[dict[str, Any]], listed: Mapping[str, Any]) -> None:
        for one in settings:
            now = listed[f"climate.{one['unique_id']}"]
            if now["state"] != "heat":
                await self.act("climate.set_hvac_mode", now["entity_id"], hvac_mode="heat")
            if now["attributes"].get("temperature") != one["target_temp"]:
                await self.act("climate.set_temperature", now["entity_id"], temperature=one["target_temp"])

    async def _empty_lists(self, listed: Mapping[str, Any]) -> None:
        for entity_id in ("todo.shopping_list", "todo.chores"):
            if listed[entity_id]["state"] != "0":
                for item in await self.items(entity_id):
                    await self.act("todo.remove_item", entity_id, item=item["uid"])

    async def items(self, entity_id: str) -> list[dict[str, Any]]:
        return (await self.ask("todo/item/list", entity_id=entity_id))["items"]


class Socket:
    def __init__(self, socket: Any) -> None:
        self._socket, self._numbers = socket, count(1)

    async def ask(self, kind: str, **fields: Any) -> Any:
        number = next(self._numbers)
        await self._socket.send(json.dumps({"id": number, "type": kind, **fields}))
        while (answer := json.loads(await self._socket.recv())).get("id") != number:
            pass
        assert answer["success"], answer
        return answer["result"]


def _same(state: str, initial: Any) -> bool:
    return float(state) == float(initial) if isinstance(initial, int | float) else state == initial


def changed(before: States, after: States) -> States:
    """Only what is another, of those that differ."""
    return {
        entity_id: {key: value for key, value in now.items() if before.get(entity_id, {}).get(key) != value}
        for entity_id, now in after.items()
        if before.get(entity_id) != now
    }

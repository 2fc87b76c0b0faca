"""A gateway that speaks as the recorded Z-Wave JS UI did, through a real broker."""

import asyncio
import json
import socket
import ssl
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiomqtt
from tests.fakes import zwave_recordings as recordings
from tests.fakes.zwave_house import House

RECONNECT_SECONDS = 0.05
LIMIT_SECONDS = 30.0  # a loaded machine may need long; a hang never ends


@dataclass(frozen=True)
class Request:
    api: str
    body: Any
    qos: int
    retain: bool
    expiry_seconds: int | None


class FakeGateway:
    """Comes with the retained topics of one gateway mode and answers API calls from its `house`."""

    def __init__(
        self,
        port: int,
        *,
        mode: str = "manual",  # the fewest topics, so the quickest start
        name: str = "Home Gateway",
        prefix: str = "zwave",
        house: House | None = None,
        login: tuple[str, str] | None = None,
        ca_file: Path | None = None,
    ) -> None:
        self.house = house or House(optimistic=mode != "named_no_optimistic")
        self.requests: list[Request] = []
        self.silent: set[str] = set()  # API names that get no answer; "*" is all of them
        self.stick = True
        self.scenes: list[dict[str, Any]] = _recorded_scenes()
        self.activated: list[int] = []
        self._port, self._prefix, self._login = port, prefix, login
        self._tls = ssl.create_default_context(cafile=ca_file) if ca_file else None
        self._retained = _retained(mode, name, prefix)
        self._base = f"{prefix}/_CLIENTS/ZWAVE_GATEWAY-{name.replace(' ', '_')}"
        self._client: aiomqtt.Client | None = None
        self._up, self._gone = asyncio.Event(), asyncio.Event()
        self._heard = asyncio.Condition()
        self._first = True

    async def __aenter__(self) -> Self:
        self._tasks: set[asyncio.Task[None]] = set()
        self._runner = asyncio.get_running_loop().create_task(self._run())
        await self.connected()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in (self._runner, *self._tasks):
            task.cancel()
        await asyncio.gather(self._runner, *self._tasks, return_exceptions=True)

    async def connected(self) -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await self._up.wait()

    async def asked(self, api: str, times: int = 1) -> Request:
        """The request with this number, as soon as it is here."""
        async with asyncio.timeout(LIMIT_SECONDS), self._heard:
            await self._heard.wait_for(lambda: len(self._of(api)) >= times)
            return self._of(api)[times - 1]

    def count(self, api: str) -> int:
        return len(self._of(api))

    def _of(self, api: str) -> list[Request]:
        return [request for request in self.requests if request.api == api]

    async def publish(self, topic: str, payload: str | bytes, *, retain: bool = False) -> None:
        assert self._client is not None
        await self._client.publish(f"{self._prefix}/{topic}", payload, qos=1, retain=retain)

    async def answer_raw(self, api: str, payload: str | bytes) -> None:
        """Anything at all on the topic of an answer."""
        assert self._client is not None
        await self._client.publish(f"{self._base}/api/{api}", payload, qos=1)

    async def lose_stick(self) -> None:
        self.stick = False
        await self.publish("driver/status", "false", retain=True)

    async def find_stick(self) -> None:
        self.stick = True
        await self.publish("driver/status", "true", retain=True)

    async def vanish(self) -> None:
        """It is killed: the broker publishes its last will, and it stays away."""
        self._gone.set()
        assert self._client is not None
        self._client._client.socket().shutdown(socket.SHUT_RDWR)
        await self._runner

    async def stop_cleanly(self) -> None:
        """As recorded: the driver is reported away, while the gateway's own status stays true."""
        self._gone.set()
        await self.publish("driver/status", "false", retain=True)
        self._runner.cancel()
        await asyncio.gather(self._runner, return_exceptions=True)

    async def _run(self) -> None:
        while not self._gone.is_set():
            try:
                await self._one_connection()
            except aiomqtt.MqttError:
                self._up.clear()
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _one_connection(self) -> None:
        user, password = self._login or (None, None)
        will = aiomqtt.Will(f"{self._base}/status", '{"value":false}', qos=1, retain=True)
        version = aiomqtt.ProtocolVersion.V5
        async with aiomqtt.Client(
            "localhost",
            self._port,
            identifier=f"fake-{self._base.rpartition('/')[2]}",
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            tls_context=self._tls,
            username=user,
            password=password,
            protocol=version,
            clean_start=True,
            will=will,
        ) as client:
            client.pending_calls_threshold = 1000
            self._client = client
            await client.subscribe(f"{self._base}/api/+/set", qos=1)
            for topic, payload in self._retained:
                # After a restart of the broker the real gateway gives its own state again and nothing else.
                if self._first or topic.startswith(self._base):
                    await client.publish(topic, payload, qos=1, retain=True)
            self._first = False
            self._up.set()
            async for message in client.messages:
                self._start(self._serve(message))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, message: aiomqtt.Message) -> None:
        api = str(message.topic).split("/")[-2]
        assert isinstance(message.payload, bytes)
        body = json.loads(message.payload)
        expiry = getattr(message.properties, "MessageExpiryInterval", None)
        async with self._heard:
            self.requests.append(Request(api, body, message.qos, message.retain, expiry))
            self._heard.notify_all()
        if {"*", api} & self.silent:
            return
        answer = await self._answer(api, body.get("args"))
        text = json.dumps({**answer, "args": body.get("args"), "origin": body})
        try:
            assert self._client is not None
            await self._client.publish(f"{self._base}/api/{api}", text, qos=1)
        except aiomqtt.MqttError:
            pass  # the broker is away: the real gateway's answer is lost as well

    def _activate(self, scene_id: int) -> None:
        """Answered at once; the values follow, as recorded."""
        for scene in self.scenes:
            if scene["sceneid"] == scene_id:
                self.activated.append(scene_id)
                for value in scene["values"]:
                    self._start(self._write(value))

    async def _write(self, value: dict[str, Any]) -> None:
        await self.house.write(value, value["value"])

    async def _answer(self, api: str, args: Any) -> dict[str, Any]:
        if not isinstance(args, list):
            return {"success": False, "message": "Args must be an array"}
        if not self.stick:
            return {"success": False, "message": "Z-Wave client not connected"}
        if api == "writeValue":
            known = recordings.recorded(api, args)
            if known is not None and known.answer["result"]["status"] in {3, 4, 5}:
                return _success(known.answer["result"])
            return _success(await self.house.write(*args))
        if api == "pollValue":
            worked, result = await self.house.poll(*args)
            return _success(result) if worked else {"success": False, "message": result}
        if api == "pingNode":
            return _success(await self.house.ping(*args))
        return self._from_memory(api, args)

    def _from_memory(self, api: str, args: list[Any]) -> dict[str, Any]:
        """What needs no radio."""
        if api == "getNodes":
            return _success(self.house.nodes)
        if api == "_getScenes":
            return _success(self.scenes)
        if api == "_activateScene":
            self._activate(args[0])
        known = recordings.recorded(api, args)
        if known is None:
            return {"success": False, "message": "Unknown API"}
        return {key: known.answer[key] for key in ("success", "message", "result") if key in known.answer}


def _success(result: Any) -> dict[str, Any]:
    return {"success": True, "message": "Success zwave api call", "result": result}


def _recorded_scenes() -> list[dict[str, Any]]:
    known = recordings.recorded("_getScenes", [])
    assert known is not None
    scenes: list[dict[str, Any]] = known.answer["result"]
    return scenes


def _retained(mode: str, name: str, prefix: str) -> Sequence[tuple[str, str]]:
    ours = f"ZWAVE_GATEWAY-{name.replace(' ', '_')}"
    return [
        (
            record["topic"].replace("zwave/", f"{prefix}/", 1).replace(recordings.GATEWAY, ours),
            record["payload"],
        )
        for record in recordings.lines(f"modes/{mode}_retained.jsonl")
    ]

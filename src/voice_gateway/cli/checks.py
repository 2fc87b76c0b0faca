"""What the doctor looks at. Each check gives findings: how it is, and what to do about it."""

import contextlib
import importlib.metadata
import shutil
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from voice_gateway.config import Loaded, Settings, conversations_file, data_folder
from voice_gateway.conversation.store import store_from
from voice_gateway.mcp_link.status import what_to_check
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.turn import new_id

NEEDED = ("langchain-core", "langchain-ollama", "langchain-anthropic", "mcp", "aiomqtt", "pydantic", "hassil")
LEAST_FREE_BYTES = 200 * 1024 * 1024
NO_SUCH_ANSWER = (ValueError, KeyError, TypeError, AttributeError)  # JSON of another shape, or none
PROBE_SECONDS = 10.0  # for which a store may keep what the doctor leaves, if it cannot take it back
BUILT_IN_YEAR = 2026  # a clock before this was never set


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor."""

    check: str
    verdict: Verdict
    text: str
    advice: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


Findings = AsyncIterator[Finding]


async def python_and_packages(_settings: Settings) -> Findings:
    yield Finding("python", Verdict.OK, f"Python {sys.version.split()[0]}")
    for name in NEEDED:
        try:
            yield Finding("package", Verdict.OK, f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield Finding("package", Verdict.FAILED, f"{name} is missing", "run `make setup` again")


async def disk_and_clock(_settings: Settings) -> Findings:
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_text("x")
        probe.unlink()
    except OSError as error:
        text = f"the data folder {folder} cannot be written: {error.strerror}"
        yield Finding("disk", Verdict.FAILED, text, "make it writable, or set XDG_DATA_HOME to another place")
    else:
        free = shutil.disk_usage(folder).free
        verdict = Verdict.OK if free >= LEAST_FREE_BYTES else Verdict.WARNING
        text = f"{free // 1024**2} MB are free in {folder}"
        yield Finding("disk", verdict, text, "" if verdict is Verdict.OK else "free some space")
    now = time.localtime()
    if now.tm_year < BUILT_IN_YEAR:
        yield Finding(
            "clock", Verdict.FAILED, f"the clock says {now.tm_year}", "set the clock or install chrony"
        )
    else:
        yield Finding("clock", Verdict.OK, time.strftime("%Y-%m-%d %H:%M %Z", now))


async def store(settings: Settings) -> Findings:
    """Written, read and taken back, as a turn does it."""
    place = settings.brain.store
    if place == "memory":
        yield Finding("store", Verdict.OK, "conversations are kept in memory (brain.store is memory)")
        return
    shown = str(conversations_file()) if place == "sqlite" else hide_secrets(place)
    key = f"doctor:{new_id()}"
    try:
        async with contextlib.aclosing(store_from(place, conversations_file())) as kept:
            await kept.put(key, "hello", expiry_seconds=PROBE_SECONDS)
            found = await kept.get(key)
            await kept.release(key)
        if found != "hello":
            raise ValueError("it does not give back what was put into it")
    except Exception as error:  # each kind of store has errors of its own
        advice = (
            "make that file and its folder writable, or set XDG_DATA_HOME to another place"
            if place == "sqlite"
            else "is Redis running, and are address, login and options in brain.store right?"
        )
        text = f"{shown} cannot be used: {hide_secrets(str(error))}"
        yield Finding("store", Verdict.FAILED, text, advice)
    else:
        yield Finding("store", Verdict.OK, f"{shown} keeps conversations")


async def model_server(settings: Settings) -> Findings:
    """Reachable, model there, and able to call a tool: it is asked to."""
    if settings.brain.provider != "ollama":
        yield Finding("ollama", Verdict.OK, "not used (brain.provider is not ollama)")
        return
    import httpx

    base, model = hide_secrets(settings.ollama.base_url), settings.ollama.model
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=5.0) as http:
            version = (await http.get("/api/version")).json()["version"]
            answer = await http.post("/api/show", json={"model": model})
            there = answer.status_code == httpx.codes.OK
            can = answer.json().get("capabilities", ()) if there else ()
    except (httpx.HTTPError, *NO_SUCH_ANSWER) as error:
        text = f"Ollama at {base} does not answer ({type(error).__name__})"
        yield Finding("ollama", Verdict.FAILED, text, "start it with `ollama serve`, or set OLLAMA_BASE_URL")
        return
    yield Finding("ollama", Verdict.OK, f"Ollama {version} answers at {base}")
    if not there:
        yield Finding("model", Verdict.FAILED, f"{model} is not there", f"ollama pull {model}")
    elif "tools" not in can:
        yield Finding("model", Verdict.FAILED, f"{model} cannot call tools", "choose a model with tools")
    else:
        yield await _asked_to_call(settings)


async def _asked_to_call(settings: Settings) -> Finding:
    """Only a model that is asked shows whether it really calls."""
    import httpx

    parameters = {"type": "object", "properties": {}}
    function = {"name": "get_current_datetime", "description": "Tells the time.", "parameters": parameters}
    body = {
        "model": settings.ollama.model,
        "messages": [{"role": "user", "content": "What time is it? Call get_current_datetime."}],
        "tools": [{"type": "function", "function": function}],
        "stream": False,
        "options": {"num_ctx": settings.ollama.num_ctx, "temperature": 0, "num_predict": 100},
    }
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=120.0) as http:
            calls = (await http.post("/api/chat", json=body)).json()["message"].get("tool_calls")
    except (httpx.HTTPError, *NO_SUCH_ANSWER) as error:
        text = f"{settings.ollama.model} did not answer ({type(error).__name__})"
        return Finding("model", Verdict.FAILED, text, "look at Ollama's own log")
    if calls:
        return Finding("model", Verdict.OK, f"{settings.ollama.model} calls tools")
    text = f"{settings.ollama.model} answered in words instead of calling the tool"
    return Finding("model", Verdict.WARNING, text, "small models do; a larger one does it less")


async def cloud(settings: Settings, *, online: bool) -> Findings:
    """The key by its form, and by a request only when asked: a check must not cost money by itself."""
    key = settings.anthropic.api_key.get_secret_value() if settings.anthropic.api_key else ""
    if settings.brain.provider != "anthropic":
        yield Finding("anthropic", Verdict.OK, "not used (brain.provider is not anthropic)")
    elif not key:
        yield Finding("anthropic", Verdict.FAILED, "no key", "set ANTHROPIC_API_KEY")
    elif not key.startswith("sk-ant-"):
        text = "the key does not look like one (sk-ant-…)"
        yield Finding("anthropic", Verdict.WARNING, text, "check ANTHROPIC_API_KEY")
    elif online:
        yield await _asked_cloud(settings, key)
    else:
        yield Finding("anthropic", Verdict.OK, "the key looks right (--online tries it)")


async def _asked_cloud(settings: Settings, key: str) -> Finding:
    import httpx

    base = settings.anthropic.base_url or "https://api.anthropic.com"
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    try:
        async with httpx.AsyncClient(base_url=base, timeout=settings.anthropic.timeout_seconds) as http:
            answer = await http.get(f"/v1/models/{settings.anthropic.model}", headers=headers)
    except httpx.HTTPError as error:
        text = f"the API is not reachable ({type(error).__name__})"
        return Finding("anthropic", Verdict.FAILED, text, "check the internet connection")
    if answer.status_code == httpx.codes.OK:
        return Finding("anthropic", Verdict.OK, f"the key works, and {settings.anthropic.model} is there")
    advice = {401: "check ANTHROPIC_API_KEY", 404: "check anthropic.model"}.get(
        answer.status_code, "try again later"
    )
    return Finding("anthropic", Verdict.FAILED, f"the API answered {answer.status_code}", advice)


async def broker(settings: Settings) -> Findings:
    if settings.mqtt.broker_url is None:
        yield Finding("mqtt", Verdict.OK, "not used (mqtt.broker_url is not set)")
        return
    from voice_gateway.doors.mqtt.link import round_trip, where
    from voice_gateway.errors import LinkError

    try:
        await round_trip(settings.mqtt)
    except LinkError as error:
        text = f"the broker {where(settings.mqtt)} failed: {error}"
        yield Finding(
            "mqtt", Verdict.FAILED, text, "is it running, and are MQTT_USERNAME and MQTT_PASSWORD right?"
        )
    else:
        yield Finding("mqtt", Verdict.OK, f"the broker {where(settings.mqtt)} took and returned a message")


async def servers(settings: Settings) -> Findings:
    """Each MCP server is really started and asked for its tools."""
    from voice_gateway.app import opened

    async with opened(settings) as gateway:
        await gateway.linked()
        for status in gateway.link.status():
            name = f"server {status.name}"
            if status.state == "connected":
                home = ", a simulated home" if status.simulated else ""
                yield Finding(name, Verdict.OK, f"connected, {len(status.tools)} tools{home}")
                continue
            text = status.last_error or status.state
            if last := status.stderr_tail.strip().splitlines()[-1:]:
                text = f"{text}; its stderr ends: {last[0]}"
            yield Finding(
                name, Verdict.FAILED, text, f"check {what_to_check(settings.mcpServers[status.name])}"
            )


def configuration(found: Loaded) -> Finding:
    where = str(found.file) if found.file else "no file, so the defaults hold"
    return Finding("configuration", Verdict.OK, where)

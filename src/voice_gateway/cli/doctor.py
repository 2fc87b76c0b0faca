"""`voice-gateway doctor`: checks everything the gateway stands on, and says what to do."""

import argparse
import asyncio
import contextlib
import importlib.metadata
import importlib.util
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import Settings, VoiceSettings, conversations_file, data_folder
from voice_gateway.conversation.store import store_from
from voice_gateway.doors.terminal import print_json
from voice_gateway.errors import ConfigError, GatewayError, HearingError, LinkError
from voice_gateway.mcp_link.status import what_to_check
from voice_gateway.private_files import private_file
from voice_gateway.sound.card import Kind, devices, find
from voice_gateway.sound.packages import ADVICE, check_files
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.turn import new_id

if TYPE_CHECKING:
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.synthesizer import Synthesizer

NEEDED = ("langchain-core", "langchain-ollama", "langchain-anthropic", "mcp", "aiomqtt", "pydantic", "hassil")
LEAST_FREE_BYTES = 200 * 1024 * 1024
NO_SUCH_ANSWER = (ValueError, KeyError, TypeError, AttributeError)  # JSON of another shape, or none
PROBE_SECONDS = 10.0  # for which a store may keep what the doctor leaves, if it cannot take it back
BUILT_IN_YEAR = 2026  # a clock before this was never set


class Grade(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor, as `--json` has it."""

    check: str
    verdict: Grade
    text: str
    advice: str = ""


CheckResults = AsyncIterator[CheckResult]


def _ok(check: str, text: str) -> CheckResult:
    return CheckResult(check, Grade.OK, text)


def _failed(check: str, text: str, advice: str) -> CheckResult:
    return CheckResult(check, Grade.FAILED, text, advice)


COLOURS = {Grade.OK: "green", Grade.WARNING: "yellow", Grade.FAILED: "red"}


async def doctor(options: argparse.Namespace) -> int:
    """Exit code 0 without failures, 1 with."""
    as_json = wants_json(options)
    out, progress = Console(), Console(stderr=True)
    findings: list[CheckResult] = []

    def add(finding: CheckResult) -> None:
        findings.append(finding)
        if not as_json:
            _show(out, finding)

    try:
        found = loaded(options)
    except ConfigError as error:
        add(_failed("configuration", str(error), "`voice-gateway config check` names each mistake"))
        return _end(findings, as_json=as_json)
    add(_ok("configuration", str(found.file) if found.file else "no file, so the defaults hold"))
    for title, check in all_checks(options.online):
        with progress.status(f"checking {title} …"):
            async for finding in check(found.settings):
                add(finding)
    return _end(findings, as_json=as_json)


def all_checks(online: bool) -> list[tuple[str, Callable[[Settings], CheckResults]]]:
    return [
        ("Python and packages", python_and_packages),
        ("disk and clock", disk_and_clock),
        ("store of conversations", store),
        ("model server", model_server),
        ("cloud", lambda settings: cloud(settings, online=online)),
        ("MQTT broker", broker),
        ("speech", speech),
        ("sound devices", audio),
        ("MCP servers", servers),
    ]


def _show(out: Console, finding: CheckResult) -> None:
    mark = f"[{COLOURS[finding.verdict]}]{finding.verdict.value:<8}[/]"
    out.print(f"{mark} {finding.check}: {escape(finding.text)}", highlight=False)
    if finding.advice:
        out.print(f"         → {escape(finding.advice)}", highlight=False)


def _end(findings: list[CheckResult], *, as_json: bool) -> int:
    failed = [finding for finding in findings if finding.verdict is Grade.FAILED]
    if as_json:
        print_json({"ok": not failed, "checks": [asdict(finding) for finding in findings]})
    elif failed:
        print(f"{len(failed)} of {len(findings)} checks failed", file=sys.stderr)
    return 1 if failed else 0


# --- what is looked at


async def python_and_packages(_settings: Settings) -> CheckResults:
    yield _ok("python", f"Python {sys.version.split()[0]}")
    for name in NEEDED:
        try:
            yield _ok("package", f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield _failed("package", f"{name} is missing", "run `make setup` again")


async def disk_and_clock(_settings: Settings) -> CheckResults:
    folder = data_folder()
    try:
        probe = private_file(folder / ".doctor")
        probe.write_text("x")
        probe.unlink()
    except OSError as error:
        text = f"the data folder {folder} cannot be written: {error.strerror}"
        yield _failed("disk", text, "make it writable, or set XDG_DATA_HOME to another place")
    else:
        free = shutil.disk_usage(folder).free
        verdict = Grade.OK if free >= LEAST_FREE_BYTES else Grade.WARNING
        text = f"{free // 1024**2} MB are free in {folder}"
        yield CheckResult("disk", verdict, text, "" if verdict is Grade.OK else "free some space")
        if folder.stat().st_mode & 0o077:
            text = f"others may read the data folder {folder}"
            yield CheckResult("disk", Grade.WARNING, text, f"let its owner run `chmod 700 {folder}`")
    now = time.localtime()
    if now.tm_year < BUILT_IN_YEAR:
        yield _failed("clock", f"the clock says {now.tm_year}", "set the clock or install chrony")
    else:
        yield _ok("clock", time.strftime("%Y-%m-%d %H:%M %Z", now))


async def store(settings: Settings) -> CheckResults:
    """Written, read and taken back, as a turn does it."""
    place = settings.brain.store
    if place == "memory":
        yield _ok("store", "conversations are kept in memory (brain.store is memory)")
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
        yield _failed("store", text, advice)
    else:
        yield _ok("store", f"{shown} keeps conversations")


async def model_server(settings: Settings) -> CheckResults:
    """Reachable, model there, and able to call a tool: it is asked to."""
    if settings.brain.provider != "ollama":
        yield _ok("ollama", "not used (brain.provider is not ollama)")
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
        yield _failed("ollama", text, "start it with `ollama serve`, or set OLLAMA_BASE_URL")
        return
    yield _ok("ollama", f"Ollama {version} answers at {base}")
    if not there:
        yield _failed("model", f"{model} is not there", f"ollama pull {model}")
    elif "tools" not in can:
        yield _failed("model", f"{model} cannot call tools", "choose a model with tools")
    else:
        yield await _asked_to_call(settings)


async def _asked_to_call(settings: Settings) -> CheckResult:
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
        return _failed("model", text, "look at Ollama's own log")
    if calls:
        return _ok("model", f"{settings.ollama.model} calls tools")
    text = f"{settings.ollama.model} answered in words instead of calling the tool"
    return CheckResult("model", Grade.WARNING, text, "small models do; a larger one does it less")


async def cloud(settings: Settings, *, online: bool) -> CheckResults:
    """The key by its form, and by a request only when asked: a check must not cost money by itself."""
    key = settings.anthropic.api_key.get_secret_value() if settings.anthropic.api_key else ""
    if settings.brain.provider != "anthropic":
        yield _ok("anthropic", "not used (brain.provider is not anthropic)")
    elif not key:
        yield _failed("anthropic", "no key", "set ANTHROPIC_API_KEY")
    elif not key.startswith("sk-ant-"):
        text = "the key does not look like one (sk-ant-…)"
        yield CheckResult("anthropic", Grade.WARNING, text, "check ANTHROPIC_API_KEY")
    elif online:
        yield await _asked_cloud(settings, key)
    else:
        yield _ok("anthropic", "the key looks right (--online tries it)")


async def _asked_cloud(settings: Settings, key: str) -> CheckResult:
    import httpx

    base = settings.anthropic.base_url or "https://api.anthropic.com"
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    try:
        async with httpx.AsyncClient(base_url=base, timeout=settings.anthropic.timeout_seconds) as http:
            answer = await http.get(f"/v1/models/{settings.anthropic.model}", headers=headers)
    except httpx.HTTPError as error:
        text = f"the API is not reachable ({type(error).__name__})"
        return _failed("anthropic", text, "check the internet connection")
    if answer.status_code == httpx.codes.OK:
        return _ok("anthropic", f"the key works, and {settings.anthropic.model} is there")
    advice = {401: "check ANTHROPIC_API_KEY", 404: "check anthropic.model"}.get(
        answer.status_code, "try again later"
    )
    return _failed("anthropic", f"the API answered {answer.status_code}", advice)


async def broker(settings: Settings) -> CheckResults:
    if settings.mqtt.broker_url is None:
        yield _ok("mqtt", "not used (mqtt.broker_url is not set)")
        return
    from voice_gateway.doors.mqtt.link import round_trip, where

    try:
        await round_trip(settings.mqtt)
    except LinkError as error:
        text = f"the broker {where(settings.mqtt)} failed: {error}"
        yield _failed("mqtt", text, "is it running, and are MQTT_USERNAME and MQTT_PASSWORD right?")
    else:
        yield _ok("mqtt", f"the broker {where(settings.mqtt)} took and returned a message")


async def speech(settings: Settings) -> CheckResults:
    """Only a warning while nobody uses it. The engines' own words say what is wrong, and what to do."""
    voice = settings.voice
    bad = Grade.FAILED if voice.enabled or voice.wyoming_url else Grade.WARNING
    trials: tuple[tuple[str, Callable[[VoiceSettings], Awaitable[str]], str], ...] = (
        ("wake word", _wake_word, "voice.wake and voice.wake_words choose it"),
        ("voice activity", _voice_activity, "only the voice needs it"),
        ("speech to text", _speech_to_text, "voice.stt chooses the engine"),
        ("text to speech", _text_to_speech, "voice.tts chooses the engine"),
    )
    for name, trial, advice in trials:
        try:
            yield _ok(name, await trial(voice))
        except GatewayError as error:
            yield CheckResult(name, bad, str(error), f"{advice}; docs/voice.md tells what each needs")


async def _wake_word(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import load_wake_word

    if await asyncio.to_thread(load_wake_word, voice) is None:
        return "not used (voice.wake is none)"
    return f"{voice.wake} listens for {', '.join(voice.wake_words)}"


async def _voice_activity(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import load_recorder

    await asyncio.to_thread(load_recorder, voice)
    return "tells speech from silence"


async def _speech_to_text(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import new_transcriber

    if voice.stt == "moonshine":
        return await _whole("moonshine_voice", "moonshine-voice", "moonshine_voice/assets/tiny-en/")
    return await _answers(new_transcriber(voice))


async def _text_to_speech(voice: VoiceSettings) -> str:
    from voice_gateway.speaking.engines import new_synthesizer

    if voice.tts == "hibari":
        return await _whole("hibari", "hibari-tts", "hibari/")
    return await _answers(new_synthesizer(voice))


async def _answers(engine: "Transcriber | Synthesizer") -> str:
    try:
        await engine.warm_up()
    finally:
        await engine.close()
    return f"{engine.name} answers"


async def _whole(module: str, package: str, files: str) -> str:
    """A model that comes with its package is not loaded, which takes long: it cannot be another one."""
    if importlib.util.find_spec(module) is None:
        raise HearingError(f"the package {package} is not installed: {ADVICE}")
    await asyncio.to_thread(check_files, package, files, "its model")
    return f"{package} is installed, and its model is whole"


async def audio(settings: Settings) -> CheckResults:
    """Only a warning while the voice is off: a gateway without a sound card is a good one."""
    bad = Grade.FAILED if settings.voice.enabled else Grade.WARNING
    try:
        found = await asyncio.to_thread(devices)
    except GatewayError as error:
        yield CheckResult("audio", bad, str(error), "only the voice needs sound")
        return
    kinds: tuple[tuple[Kind, str, str | None, int], ...] = (
        ("input", "microphone", settings.voice.input_device, sum(device.inputs > 0 for device in found)),
        ("output", "loudspeaker", settings.voice.output_device, sum(device.outputs > 0 for device in found)),
    )
    for kind, name, wanted, count in kinds:
        try:
            device = await asyncio.to_thread(find, wanted, kind)
        except GatewayError as error:
            choose = f"set voice.{kind}_device to one of `voice-gateway audio list`; " if count else ""
            yield CheckResult(name, bad, str(error), f"{choose}only the voice needs it")
        else:
            yield _ok(name, f"{count} found, {device.name} is used")


async def servers(settings: Settings) -> CheckResults:
    """Each MCP server is really started and asked for its tools."""
    from voice_gateway.app import opened

    async with opened(settings) as gateway:
        await gateway.linked()
        for status in gateway.link.status():
            name = f"server {status.name}"
            if status.state == "connected":
                home = ", a simulated home" if status.simulated else ""
                yield _ok(name, f"connected, {len(status.tools)} tools{home}")
                continue
            text = status.last_error or status.state
            if last := status.stderr_tail.strip().splitlines()[-1:]:
                text = f"{text}; its stderr ends: {last[0]}"
            yield _failed(name, text, f"check {what_to_check(settings.mcpServers[status.name])}")

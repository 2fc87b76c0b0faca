"""`voice-gateway doctor`: tries everything the gateway stands on, and says what `problems.py` says of it."""

import argparse
import asyncio
import contextlib
import importlib.metadata
import importlib.util
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from voice_gateway.brain.llm.ollama.health import parameter_size, trouble
from voice_gateway.brain.llm.trust import trust
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import Settings, VoiceSettings, conversations_file, data_folder
from voice_gateway.conversation.store import store_from
from voice_gateway.doors.terminal import print_json
from voice_gateway.errors import BrainError, ConfigError, GatewayError, HearingError, LinkError
from voice_gateway.logs import one_line
from voice_gateway.mcp_link.status import what_to_check
from voice_gateway.private_files import private_file
from voice_gateway.problems import (
    CANNOT_HEAR,
    CANNOT_SPEAK,
    CANNOT_UNDERSTAND,
    CLOCK,
    CLOCK_NOT_SET,
    DATA_FOLDER,
    FOLDER_OPEN,
    FOLDER_SHARED,
    FOLDER_UNUSABLE,
    INSTALLATION,
    LITTLE_SPACE,
    MEMORY,
    MEMORY_LOST,
    MICROPHONE,
    MODEL_BUSY,
    MODEL_KEY_ODD,
    MODEL_KEY_REFUSED,
    MODEL_NO_KEY,
    MODEL_ONLY_TALKS,
    MODEL_SILENT,
    MODEL_UNKNOWN,
    MODEL_UNREACHABLE,
    NO_CALL,
    NO_KEY,
    OLLAMA,
    PACKAGE_MISSING,
    SERVER,
    SERVER_SILENT,
    SETTINGS,
    SETTINGS_HERE,
    SETTINGS_WRONG,
    SPEECH,
    TRANSCRIBER,
    VOICE,
    Problem,
    problem_of,
    without_promise,
)
from voice_gateway.reports import autonomy_report
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
_REFUSALS = {401: MODEL_KEY_REFUSED, 403: MODEL_KEY_REFUSED, 404: MODEL_UNKNOWN}  # anything else passes


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


def _bad(
    check: str, problem: Problem, sentence: str, reason: object = "", grade: Grade = Grade.FAILED
) -> CheckResult:
    """As the part says it, and as the page explains it. Only the doctor does not keep trying."""
    text = without_promise(sentence)
    if reason:
        text = f"{text.removesuffix('.')}: {reason}"
    return CheckResult(check, grade, text, problem.advice)


def _by_error(check: str, error: GatewayError) -> CheckResult:
    """An error's own sentence leads to its row; one without a row says itself what to do."""
    problem = problem_of(error.spoken)
    if problem is None:
        return CheckResult(check, Grade.FAILED, error.spoken, str(error))
    return _bad(check, problem, error.spoken, error)


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
        add(_bad("configuration", SETTINGS, SETTINGS_WRONG.format(reason=error)))
        return _end(findings, as_json=as_json)
    add(_ok("configuration", str(found.file) if found.file else "no file, so the defaults hold"))
    if found.ignored:
        add(_bad("configuration", SETTINGS_HERE, one_line(found.ignored), grade=Grade.WARNING))
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
        ("autonomy", autonomy),
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


async def python_and_packages(_settings: Settings, needed: Sequence[str] = NEEDED) -> CheckResults:
    yield _ok("python", f"Python {sys.version.split()[0]}")
    for name in needed:
        try:
            yield _ok("package", f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield _bad("package", INSTALLATION, PACKAGE_MISSING.format(package=name))


async def disk_and_clock(
    _settings: Settings, *, least_free_bytes: int = LEAST_FREE_BYTES, now: time.struct_time | None = None
) -> CheckResults:
    folder = data_folder()
    try:
        probe = private_file(folder / ".doctor")
        probe.write_text("x")
        probe.unlink()
    except OSError as error:
        yield _bad("disk", DATA_FOLDER, FOLDER_UNUSABLE.format(folder=folder, reason=error.strerror))
    else:
        free = shutil.disk_usage(folder).free
        if free >= least_free_bytes:
            yield _ok("disk", f"{free // 1024**2} MB are free in {folder}")
        else:
            text = LITTLE_SPACE.format(free=free // 1024**2, folder=folder)
            yield _bad("disk", DATA_FOLDER, text, grade=Grade.WARNING)
        if folder.stat().st_mode & 0o077:
            yield _bad("disk", FOLDER_SHARED, FOLDER_OPEN.format(folder=folder), grade=Grade.WARNING)
    now = now or time.localtime()
    if now.tm_year < BUILT_IN_YEAR:
        yield _bad("clock", CLOCK, CLOCK_NOT_SET.format(year=now.tm_year))
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
            await kept.release(key, "hello")
        if found != "hello":
            raise ValueError("it does not give back what was put into it")
    except Exception as error:  # each kind of store has errors of its own
        reason = f"{shown} cannot be used: {hide_secrets(str(error))}"
        yield _bad("store", MEMORY, MEMORY_LOST, reason)
    else:
        yield _ok("store", f"{shown} keeps conversations")


async def model_server(settings: Settings) -> CheckResults:
    """Reachable, model there, and able to call a tool: it is asked to."""
    if settings.brain.provider != "ollama":
        yield _ok("ollama", "not used (brain.provider is not ollama)")
        return
    import httpx

    base = hide_secrets(settings.ollama.base_url)
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=5.0) as http:
            version = (await http.get("/api/version")).json()["version"]
    except (httpx.HTTPError, *NO_SUCH_ANSWER) as error:
        yield _bad("ollama", OLLAMA, MODEL_SILENT, f"{base} ({type(error).__name__})")
        return
    yield _ok("ollama", f"Ollama {version} answers at {base}")
    if (wrong := await trouble(settings.ollama)) is not None:
        yield _by_error("model", wrong)
    else:
        yield await _asked_to_call(settings)


async def autonomy(settings: Settings) -> CheckResults:
    """What the model may do on words that are no plain wish."""
    if (provider := settings.brain.provider) == "local":
        return
    size = await parameter_size(settings.ollama) if provider == "ollama" else None
    trusted = trust(settings.brain.autonomy, provider=provider, parameter_size=size)
    yield _ok("autonomy", autonomy_report(trusted))


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
        reason = f"{settings.ollama.model} ({type(error).__name__})"
        return _bad("model", OLLAMA, MODEL_SILENT, reason)
    if calls:
        return _ok("model", f"{settings.ollama.model} calls tools")
    return _bad("model", NO_CALL, MODEL_ONLY_TALKS, settings.ollama.model, Grade.WARNING)


async def cloud(settings: Settings, *, online: bool) -> CheckResults:
    """The key by its form, and by a request only when asked: a check must not cost money by itself."""
    key = settings.anthropic.api_key.get_secret_value() if settings.anthropic.api_key else ""
    if settings.brain.provider != "anthropic":
        yield _ok("anthropic", "not used (brain.provider is not anthropic)")
    elif not key:
        yield _bad("anthropic", NO_KEY, MODEL_NO_KEY)
    elif not key.startswith("sk-ant-"):
        yield _bad("anthropic", NO_KEY, MODEL_KEY_ODD, grade=Grade.WARNING)
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
        return _by_error("anthropic", BrainError(type(error).__name__, spoken=MODEL_UNREACHABLE))
    if answer.status_code == httpx.codes.OK:
        return _ok("anthropic", f"the key works, and {settings.anthropic.model} is there")
    sentence = _REFUSALS.get(answer.status_code, MODEL_BUSY)
    return _by_error("anthropic", BrainError(f"the API answered {answer.status_code}", spoken=sentence))


async def broker(settings: Settings) -> CheckResults:
    if settings.mqtt.broker_url is None:
        yield _ok("mqtt", "not used (mqtt.broker_url is not set)")
        return
    from voice_gateway.doors.mqtt.link import round_trip, where

    try:
        await round_trip(settings.mqtt)
    except LinkError as error:
        yield _by_error("mqtt", error)
    else:
        yield _ok("mqtt", f"the broker {where(settings.mqtt)} took and returned a message")


async def speech(settings: Settings) -> CheckResults:
    """Only a warning while nobody uses it. The engines' own words say what is wrong, and what to do."""
    voice = settings.voice
    bad = Grade.FAILED if voice.enabled or voice.wyoming_url else Grade.WARNING
    trials: tuple[tuple[str, Callable[[VoiceSettings], Awaitable[str]], Problem, str], ...] = (
        ("wake word", _wake_word, VOICE, CANNOT_HEAR),
        ("voice activity", _voice_activity, VOICE, CANNOT_HEAR),
        ("speech to text", _speech_to_text, TRANSCRIBER, CANNOT_UNDERSTAND),
        ("text to speech", _text_to_speech, SPEECH, CANNOT_SPEAK),
    )
    for name, trial, problem, sentence in trials:
        try:
            yield _ok(name, await trial(voice))
        except GatewayError as error:
            yield _bad(name, problem, sentence.format(reason=error), grade=bad)


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
        yield _bad("audio", MICROPHONE, CANNOT_HEAR.format(reason=error), grade=bad)
        return
    inputs, outputs = sum(one.inputs > 0 for one in found), sum(one.outputs > 0 for one in found)
    kinds: tuple[tuple[Kind, str, str | None, int, Problem, str], ...] = (
        ("input", "microphone", settings.voice.input_device, inputs, MICROPHONE, CANNOT_HEAR),
        ("output", "loudspeaker", settings.voice.output_device, outputs, SPEECH, CANNOT_SPEAK),
    )
    for kind, name, wanted, count, problem, sentence in kinds:
        try:
            device = find(wanted, kind, found)
        except GatewayError as error:
            yield _bad(name, problem, sentence.format(reason=error), grade=bad)
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
            reason = status.last_error or status.state
            if last := status.stderr_tail.strip().splitlines()[-1:]:
                reason = f"{reason}; its stderr ends: {last[0]}"
            told = _bad(name, SERVER, SERVER_SILENT.format(name=status.name), reason)
            yield replace(told, advice=f"check {what_to_check(settings.mcpServers[status.name])}")

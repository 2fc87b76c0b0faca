"""`voice-gateway doctor`: try everything the gateway depends on, and say what to do."""

import argparse
import asyncio
import contextlib
import pwd
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from rich.console import Console

from voice_gateway import problems
from voice_gateway.channels import json_text
from voice_gateway.channels.control import greet, request
from voice_gateway.channels.terminal import GREEN, RED, YELLOW, painted, print_json, printable
from voice_gateway.cli.command import loaded, readable_by_others
from voice_gateway.cli.parser import Parser
from voice_gateway.config import OllamaSettings, Settings
from voice_gateway.config.folders import control_file, conversations_file, data_folder, web_token_file
from voice_gateway.errors import BrainError, ConfigError, GatewayError, LinkError
from voice_gateway.logs import one_line
from voice_gateway.private_files import private_file
from voice_gateway.reports import SILENT, left_out_report
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.turn import new_id

OTHER_FOLDER = "`XDG_DATA_HOME` names another"
LEAST_FREE_BYTES = 200 * 1024 * 1024
BUILT_IN_YEAR = 2026  # a clock before this was never set
FORM_TIMES = 12  # a whole form that is read for the first time takes so many times the smallest one
PROBE_SECONDS = 10.0  # a store may keep the doctor's probe for so long
NOT_USED = "not used ({why})"


class Grade(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


COLOURS = {Grade.OK: GREEN, Grade.WARNING: YELLOW, Grade.FAILED: RED}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor, as `--json` has it."""

    check: str
    verdict: Grade
    text: str
    advice: str = ""


CheckResults = AsyncIterator[CheckResult]


def ok(check: str, text: str) -> CheckResult:
    return CheckResult(check, Grade.OK, text)


def bad(
    check: str, sentence: str, reason: object = "", *, advice: str = "", grade: Grade = Grade.FAILED
) -> CheckResult:
    """The sentence as the part itself says it, with the same advice. The doctor does not keep trying."""
    text = sentence.removesuffix("; I keep trying.")
    if reason:
        text = f"{text.removesuffix('.')}: {reason}"
    return CheckResult(check, grade, text, advice or getattr(sentence, "advice", "") or str(reason))


def warning(check: str, sentence: str, advice: str = "") -> CheckResult:
    return bad(check, sentence, advice=advice, grade=Grade.WARNING)


def arguments(doctor: Parser) -> None:
    doctor.add_argument(
        "--lines",
        action="store_true",
        help="a JSON object for each check, in a line of its own, as it is found",
    )


async def attempt(check: str, work: Awaitable[str], sentence: str, grade: Grade) -> CheckResult:
    """What the work returns, or why it failed."""
    try:
        return ok(check, await work)
    except GatewayError as error:
        return bad(check, sentence.format(reason=error), grade=grade)


async def doctor(options: argparse.Namespace) -> int:
    """Exit code 0 without failures, 1 with."""
    results: list[CheckResult] = []

    def add(result: CheckResult) -> None:
        results.append(result)
        if options.lines:
            print(json_text(asdict(result)), flush=True)
        elif not options.json:
            mark = painted(f"{result.verdict.value:<8}", COLOURS[result.verdict], sys.stdout)
            advice = f"\n         → {printable(result.advice)}" if result.advice else ""
            print(f"{mark} {result.check}: {printable(result.text)}{advice}", flush=True)

    progress = Console(stderr=True)
    with contextlib.suppress(ConfigError):
        settings = _settings(options, add)
        for title, check in CHECKS.items():
            with progress.status(f"checking {title} …"):
                async for result in check(settings):
                    add(result)
    if options.json and not options.lines:
        print_json({"checks": [asdict(result) for result in results]})
    return 1 if any(result.verdict is Grade.FAILED for result in results) else 0


def _settings(options: argparse.Namespace, add: Callable[[CheckResult], None]) -> Settings:
    """Raises ConfigError after it was added."""
    try:
        given = loaded(options)
    except ConfigError as error:
        for line in str(error).splitlines():
            advice = "`voice-gateway config check` names each mistake"
            add(bad("configuration", f"My settings have a mistake: {line}", advice=advice))
        raise
    add(ok("configuration", str(given.file) if given.file else "no file, so the defaults hold"))
    if given.readable:
        add(warning("configuration", readable_by_others(given), "`chmod 600` for that file"))
    for note in given.notes:
        add(warning("mcp.json", one_line(note)))
    return given.settings


# --- this machine


async def machine(
    _settings: Settings, *, least_free_bytes: int = LEAST_FREE_BYTES, now: time.struct_time | None = None
) -> CheckResults:
    yield ok("python", f"Python {sys.version.split()[0]}")
    folder = data_folder()
    try:
        probe = private_file(folder / ".doctor")
        probe.write_text("x")
        probe.unlink()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        sentence = f"My data folder {folder} cannot be written: {error.strerror}"
        yield bad("disk", sentence, advice=f"free space, owner of the folder; {OTHER_FOLDER}")
    else:
        text = f"{free // 1024**2} MB are free in my data folder {folder}"
        enough = free >= least_free_bytes
        yield ok("disk", text) if enough else warning("disk", f"Only {text}.", f"free space; {OTHER_FOLDER}")
    now = now or time.localtime()
    old = f"My clock says that it is the year {now.tm_year}."
    was_set = now.tm_year >= BUILT_IN_YEAR
    time_now = time.strftime("%Y-%m-%d %H:%M %Z", now)
    yield ok("clock", time_now) if was_set else bad("clock", old, advice="set the clock, or install chrony")


async def own_tools(settings: Settings) -> CheckResults:
    """With what the owner permits or forbids."""
    for name, permit in settings.permission.permit.items():
        yield ok("permit", f"{name}: {permit}")
    from voice_gateway.tools.own_tools import APPROVED_FILE, Approvals
    from voice_gateway.tools.own_tools import own_tools as all_own_tools

    approvals = Approvals(data_folder() / APPROVED_FILE)
    own = all_own_tools(settings.tools.tools_dir, approvals, taken=settings.mcpServers)
    if own.tools:
        yield ok("tools", f"your own: {', '.join(tool.name for tool in own.tools)}")
    for reason in own.problems:
        yield warning("tools", problems.OWN_TOOLS_LEFT_OUT.format(reasons=one_line(reason)))


async def store(settings: Settings) -> CheckResults:
    """Written and read again, as a turn does it."""
    from voice_gateway.conversation.store import store_from

    place, key = settings.brain.store, f"doctor:{new_id()}"
    shown = str(conversations_file()) if place == "sqlite" else hide_secrets(place)
    try:
        async with contextlib.aclosing(store_from(place, conversations_file())) as kept:
            await kept.put(key, "hello", expiry_seconds=PROBE_SECONDS)
            if await kept.get(key) != "hello":
                raise ValueError("it does not give back what was put into it")
    except Exception as error:  # each kind of store has errors of its own
        yield bad("store", problems.MEMORY_LOST, f"{shown} cannot be used: {hide_secrets(str(error))}")
    else:
        yield ok("store", f"{shown} keeps conversations")


# --- language models


async def model_server(settings: Settings) -> CheckResults:
    """Ollama: reachable, and the model installed and able to use tools."""
    if settings.brain.provider != "ollama":
        yield ok("ollama", NOT_USED.format(why="brain.provider is not ollama"))
        return
    import httpx

    from voice_gateway.llm.ollama.health import trouble

    base, model = hide_secrets(settings.ollama.base_url), settings.ollama.model
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=5.0) as http:
            version = (await http.get("/api/version")).json()["version"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:  # also the JSON of another server
        reason, advice = f"{base} ({type(error).__name__})", "`ollama serve`, its log, `OLLAMA_BASE_URL`"
        yield bad("ollama", problems.MODEL_SILENT, reason, advice=advice)
        return
    yield ok("ollama", f"Ollama {version} answers at {base}")
    wrong = await trouble(settings.ollama)
    yield bad("model", wrong.spoken, wrong) if wrong else ok("model", f"{model} is installed and takes tools")
    if wrong is None and settings.ollama.form:
        yield await _form(settings.ollama)


async def _form(settings: OllamaSettings) -> CheckResult:
    """How long the model takes for the smallest form."""
    from voice_gateway.llm.ollama.health import form_seconds

    try:
        seconds = await form_seconds(settings)
    except BrainError as error:
        return warning("form", error.spoken, "another model, or `ollama.form = false`")
    advice = (
        "" if seconds * FORM_TIMES < settings.timeout_seconds else "a smaller model, or `ollama.form = false`"
    )
    text = f"the smallest form takes {settings.model} {seconds:.1f} s"
    return warning("form", text, advice) if advice else ok("form", text)


async def cloud(settings: Settings) -> CheckResults:
    """The form of the key; a request would cost money."""
    key = settings.anthropic.api_key.get_secret_value() if settings.anthropic.api_key else ""
    if settings.brain.provider != "anthropic":
        yield ok("anthropic", NOT_USED.format(why="brain.provider is not anthropic"))
    elif not key:
        yield bad("anthropic", problems.MODEL_NO_KEY)
    elif not key.startswith("sk-ant-"):
        text = "The key for my language model does not look like one (sk-ant-…)."
        yield warning("anthropic", text, problems.MODEL_NO_KEY.advice)
    else:
        yield ok("anthropic", "the key looks right")


# --- links


async def broker(settings: Settings) -> CheckResults:
    from voice_gateway.channels.mqtt.link import round_trip, where

    if settings.mqtt.broker_url is None:
        yield ok("mqtt", NOT_USED.format(why="mqtt.broker_url is not set"))
        return
    try:
        await round_trip(settings.mqtt)
    except GatewayError as error:
        yield bad("mqtt", error.spoken, error)
    else:
        yield ok("mqtt", f"the broker {where(settings.mqtt)} took and returned a message")


async def console(settings: Settings) -> CheckResults:
    """Opens the port; if a gateway of this home runs, that gateway is asked instead."""
    web = settings.web
    if not web.enabled:
        yield ok("web", NOT_USED.format(why="web.enabled is false"))
        return
    from voice_gateway.channels.web.tokens import TokenFile

    tokens = TokenFile(web_token_file())
    if await _opened_by_a_gateway():
        yield ok("web", "the running gateway has opened it")
    else:
        from voice_gateway.channels.web.server import application, listening

        try:
            async with listening(application(web, tokens), web) as port:
                opened = f"{web.host}:{port} can be opened"
        except LinkError as error:
            yield bad("web", problems.WEB_CERTIFICATE.format(reason=error))
            return
        except OSError as error:
            reason = error.strerror or str(error)
            yield bad("web", problems.WEB_PORT.format(host=web.host, port=web.port, reason=reason))
            return
        yield ok("web", opened)
    if not web.needs_token and (people := _people()) > 1:
        text = f"All {people} people with an account on this machine can use the console without a login."
        yield warning("web login", text, "`voice-gateway config set web.open_on_loopback false`")
    if web.needs_token and not web.login_by_link:
        if not tokens.exists:
            yield warning("web token", problems.WEB_NO_TOKEN)
        if web.tls_cert is None:
            yield warning("web TLS", problems.WEB_NO_TLS)


def _people() -> int:
    """How many people have accounts on this machine."""
    shells = [person.pw_shell for person in pwd.getpwall() if 1000 <= person.pw_uid < 60_000]
    return sum(not shell.endswith(("nologin", "false")) for shell in shells)


async def _opened_by_a_gateway() -> bool:
    """Whether a gateway of this home runs, and its console is open."""
    try:
        hello = await greet(control_file())
        parts = await request(control_file(), {"op": "status"})
    except LinkError:
        return False
    web = [part for part in parts if part["part"] == "web" and hello["data_folder"] == str(data_folder())]
    return any(part["state"] == "ok" or part["sentence"] == problems.WEB_NO_TOKEN for part in web)


async def servers(settings: Settings) -> CheckResults:
    """Starts each MCP server and asks for its tools."""
    from voice_gateway.app import opened
    from voice_gateway.mcp_client.status import what_to_check

    for part in map(left_out_report, settings.left_out):
        yield CheckResult(part.part, Grade.FAILED, part.sentence, part.advice)
    async with opened(settings) as gateway:
        await gateway.linked(installed=True)
        for status in gateway.link.status():
            name = f"server {status.name}"
            if status.state == "connected":
                home = ", a simulated home" if status.simulated else ""
                yield ok(name, f"connected, {len(status.tools)} tools{home}")
                continue
            reason = status.last_error or status.state
            if last := status.stderr_tail.strip().splitlines()[-1:]:
                reason = f"{reason}; its stderr ends: {last[0]}"
            check = what_to_check(settings.mcpServers[status.name])
            yield bad(name, SILENT.format(name=status.name), reason, advice=f"check {check}")


# --- the voice


async def speech(settings: Settings) -> CheckResults:
    """Each engine; only a warning while nothing uses the voice."""
    from voice_gateway.hearing.engines import load_recorder, load_wake_word, new_transcriber
    from voice_gateway.speaking.synthesizer import new_synthesizer

    voice = settings.voice
    grade = Grade.FAILED if voice.enabled or voice.wyoming_url else Grade.WARNING

    async def wake_word() -> str:
        used = await asyncio.to_thread(load_wake_word, voice)
        return f"{voice.wake} listens for {', '.join(voice.wake_words)}" if used else "not used (voice.wake)"

    async def voice_activity() -> str:
        await asyncio.to_thread(load_recorder, voice)
        return "tells speech from silence"

    async def engine(new: Callable[..., Any]) -> str:
        made = new(voice)
        try:
            await made.warm_up()
        finally:
            await made.close()
        return f"{made.name} answers"

    for name, work, sentence in (
        ("wake word", wake_word(), problems.CANNOT_HEAR),
        ("voice activity", voice_activity(), problems.CANNOT_HEAR),
        ("speech to text", engine(new_transcriber), problems.CANNOT_UNDERSTAND),
        ("text to speech", engine(new_synthesizer), problems.CANNOT_SPEAK),
    ):
        yield await attempt(name, work, sentence, grade)


async def audio(settings: Settings) -> CheckResults:
    """Microphones and loudspeakers; only a warning while the voice is off."""
    from voice_gateway.sound.card import Kind, devices, find

    async def device(kind: Kind, wanted: str | None) -> str:
        known = await asyncio.to_thread(devices)
        used = find(wanted, kind, known)
        fitting = [each for each in known if (each.inputs if kind == "input" else each.outputs)]
        others = ", ".join(each.name for each in fitting if each != used)
        return f"{used.name} is used{f'; there are also: {others}' if others else ''}"

    voice = settings.voice
    grade = Grade.FAILED if voice.enabled else Grade.WARNING
    yield await attempt("microphone", device("input", voice.input_device), problems.CANNOT_HEAR, grade)
    yield await attempt("loudspeaker", device("output", voice.output_device), problems.CANNOT_SPEAK, grade)


CHECKS: dict[str, Callable[[Settings], CheckResults]] = {
    "this machine": machine,
    "your own tools": own_tools,
    "store of conversations": store,
    "model server": model_server,
    "cloud": cloud,
    "MQTT broker": broker,
    "web console": console,
    "speech": speech,
    "sound devices": audio,
    "MCP servers": servers,
}

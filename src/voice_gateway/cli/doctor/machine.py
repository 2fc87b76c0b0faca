"""What the doctor tries of this machine: packages, disk, clock, own tools and the store of conversations."""

import contextlib
import importlib.metadata
import shutil
import sys
import time
from collections.abc import Sequence

from voice_gateway.cli.doctor.finding import CheckResults, Grade, bad, ok
from voice_gateway.config import Settings, conversations_file, data_folder
from voice_gateway.conversation.store import store_from
from voice_gateway.logs import one_line
from voice_gateway.private_files import private_file
from voice_gateway.problems.machine import CLOCK, DATA_FOLDER, FOLDER_SHARED, INSTALLATION, MEMORY
from voice_gateway.problems.sentences import (
    CLOCK_NOT_SET,
    FOLDER_OPEN,
    FOLDER_UNUSABLE,
    LITTLE_SPACE,
    MEMORY_LOST,
    OWN_TOOLS_LEFT_OUT,
    PACKAGE_MISSING,
)
from voice_gateway.problems.servers import OWN_TOOLS
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.turn import new_id

NEEDED = ("langchain-core", "langchain-ollama", "langchain-anthropic", "mcp", "aiomqtt", "pydantic", "hassil")
LEAST_FREE_BYTES = 200 * 1024 * 1024
BUILT_IN_YEAR = 2026  # a clock before this was never set
PROBE_SECONDS = 10.0  # for which a store may keep what the doctor leaves, if it cannot take it back


async def python_and_packages(_settings: Settings, needed: Sequence[str] = NEEDED) -> CheckResults:
    yield ok("python", f"Python {sys.version.split()[0]}")
    for name in needed:
        try:
            yield ok("package", f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield bad("package", INSTALLATION, PACKAGE_MISSING.format(package=name))


async def disk_and_clock(
    _settings: Settings, *, least_free_bytes: int = LEAST_FREE_BYTES, now: time.struct_time | None = None
) -> CheckResults:
    folder = data_folder()
    try:
        probe = private_file(folder / ".doctor")
        probe.write_text("x")
        probe.unlink()
    except OSError as error:
        yield bad(
            "disk",
            DATA_FOLDER,
            FOLDER_UNUSABLE.format(folder=folder, reason=error.strerror),
        )
    else:
        free = shutil.disk_usage(folder).free
        if free >= least_free_bytes:
            yield ok("disk", f"{free // 1024**2} MB are free in {folder}")
        else:
            text = LITTLE_SPACE.format(free=free // 1024**2, folder=folder)
            yield bad("disk", DATA_FOLDER, text, grade=Grade.WARNING)
        if folder.stat().st_mode & 0o077:
            yield bad(
                "disk",
                FOLDER_SHARED,
                FOLDER_OPEN.format(folder=folder),
                grade=Grade.WARNING,
            )
    now = now or time.localtime()
    if now.tm_year < BUILT_IN_YEAR:
        yield bad("clock", CLOCK, CLOCK_NOT_SET.format(year=now.tm_year))
    else:
        yield ok("clock", time.strftime("%Y-%m-%d %H:%M %Z", now))


async def own_tools(settings: Settings) -> CheckResults:
    """Those of the user; whoever has none is told nothing of them."""
    from voice_gateway.tools.own_tools import own_tools as found_tools

    found = found_tools(settings.tools.tools_dir, taken=settings.mcpServers)
    if found.tools:
        yield ok("tools", f"your own: {', '.join(tool.name for tool in found.tools)}")
    for reason in found.problems:
        sentence = OWN_TOOLS_LEFT_OUT.format(reasons=one_line(reason))
        yield bad("tools", OWN_TOOLS, sentence, grade=Grade.WARNING)


async def store(settings: Settings) -> CheckResults:
    """Written, read and taken back, as a turn does it."""
    place = settings.brain.store
    if place == "memory":
        yield ok("store", "conversations are kept in memory (brain.store is memory)")
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
        yield bad("store", MEMORY, MEMORY_LOST, reason)
    else:
        yield ok("store", f"{shown} keeps conversations")

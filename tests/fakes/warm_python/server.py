"""Imports what our programs import, then forks one for each request of `launcher.py`; ends with its input."""

import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

# No speech engine: they start threads, which a fork would lose.
MODULES = (
    "voice_gateway.cli.main",
    "voice_gateway.cli.ask",
    "voice_gateway.cli.config",
    "voice_gateway.cli.doctor",
    "voice_gateway.cli.run",
    "voice_gateway.cli.status",
    "voice_gateway.cli.tools",
    "voice_gateway.app",
    "zwave_mcp.cli",
    "zwave_mcp.server",
    "mcp.client.session",
    "mcp.server.lowlevel",
    "mcp.server.stdio",
    "jsonschema",
    "hassil",
    "aiomqtt",
)
PROGRAMS = ("voice_gateway", "zwave_mcp")
OF_PYTHON = ("PYTHON", "LC_", "LANGUAGE")  # what an interpreter reads while it starts
COERCED = "LC_CTYPE"  # an interpreter sets it by itself where no language is set: the launcher's has done so
C_LOCALES = ("", "C", "POSIX", "C.UTF-8")  # with these, streams let through what is not UTF-8


@dataclass
class Request:
    python: str
    words: list[str]
    env: dict[str, str]
    folder: str
    streams: list[int]

    @property
    def language(self) -> str:
        return self.env.get("LC_CTYPE", self.env.get("LANG", ""))

    def can_be_forked(self) -> bool:
        return (
            self.words[:1] == ["-m"]
            and self.words[1] in PROGRAMS
            and not any(name.startswith(OF_PYTHON) for name in self.env if name != COERCED)
            and (self.language in C_LOCALES or self.language.upper().endswith("UTF-8"))
        )


@dataclass
class Forked:
    pid: int
    launcher: socket.socket


def main() -> None:
    gc.set_threshold(200_000)  # a cycle that is collected in a fork could close a file of the fork
    for name in MODULES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # nobody writes to these objects: all forks share them
    assert threading.active_count() == 1, threading.enumerate()
    become(forked(Path(sys.argv[1]) / "socket"))


def forked(path: Path) -> Request:
    """Returns in each forked process, and never in this one."""
    launchers = socket.socket(socket.AF_UNIX)
    launchers.bind(str(path))
    launchers.listen(64)
    running: dict[int, Forked] = {}  # by a descriptor of the process
    events = selectors.DefaultSelector()
    events.register(launchers, selectors.EVENT_READ)
    events.register(0, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in events.select():
            if key.fd == 0:
                end(running)
            elif key.fileobj is launchers:
                launcher, _ = launchers.accept()
                request = received(launcher)
                pid = os.fork() if request and request.can_be_forked() else None
                if request and pid == 0:
                    return request
                for stream in request.streams if request else ():
                    os.close(stream)
                with contextlib.suppress(OSError):
                    launcher.sendall((pid or 0).to_bytes(4, "big"))
                if pid is None:
                    launcher.close()
                    continue
                process = os.pidfd_open(pid)
                running[process] = Forked(pid, launcher)
                events.register(process, selectors.EVENT_READ, process)
                events.register(launcher, selectors.EVENT_READ, process)
            elif key.data in running:  # one of the two has ended
                gone = running.pop(key.data)
                events.unregister(key.data)
                events.unregister(gone.launcher)
                reap(gone)
                os.close(key.data)


def received(launcher: socket.socket) -> Request | None:
    try:
        head, streams, _, _ = socket.recv_fds(launcher, 4, 3)
        packet = launcher.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        return Request(**json.loads(packet), streams=streams)
    except (OSError, ValueError):  # it was killed while it asked
        return None


def reap(gone: Forked) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(gone.pid, signal.SIGKILL)  # in case it is the launcher that has ended
    code = os.waitstatus_to_exitcode(os.waitpid(gone.pid, 0)[1])
    with contextlib.suppress(OSError):
        gone.launcher.sendall(code.to_bytes(4, "big", signed=True))
    gone.launcher.close()


def end(running: dict[int, Forked]) -> NoReturn:
    for left in running.values():
        os.kill(left.pid, signal.SIGKILL)
    os._exit(0)


def become(request: Request) -> None:
    """What an interpreter would have made of the request."""
    gc.collect()  # a selector is a cycle: collected later, it would close a file of the program
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
    os.closerange(3, 4096)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    errors = "surrogateescape" if request.language in C_LOCALES else "strict"
    sys.stdin = open(0, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1 if os.isatty(1) else -1, "utf-8", errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.executable = request.python
    sys.path[0] = request.folder
    module = request.words[1]
    sys.argv = [module, *request.words[2:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


main()

"""Software that nobody here wrote, as `scripts/others setup` installs it: how each part is started."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from tests.fakes.counterparts import missing
from tests.fakes.ports import free_port
from tests.fakes.waiting import until

from voice_gateway.config import ServerSettings

NOT_UNIT = "software of others"

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voice-gateway" / "others"
AGENTS = CACHE / "agents"  # langchain, langgraph and langchain-tests, for sys.path
SERVERS = Path(__file__).parents[1] / "others" / "servers"  # written here, on the libraries of others
# HTTP servers of server-everything, and where each one listens
EVERYTHING_PATHS = {"sse": "/sse", "streamableHttp": "/mcp"}


def installed(part: str, program: str) -> str:
    path = CACHE / part / program
    if not path.exists():
        missing(f"{program} is not installed (scripts/others setup)")
    return str(path)


def stdio(command: str, *arguments: object) -> ServerSettings:
    return ServerSettings(command=command, args=tuple(map(str, arguments)))


def of_npm(name: str, *arguments: object) -> ServerSettings:
    return stdio(installed("npm", f"node_modules/.bin/mcp-server-{name}"), *arguments)


def of_pypi(name: str, *arguments: object, part: str = "servers") -> ServerSettings:
    return stdio(installed(part, f"bin/mcp-server-{name}"), *arguments)


def written_here(script: str, *arguments: object, part: str = "servers") -> ServerSettings:
    """One of tests/others/servers, run with the libraries of a part."""
    return stdio(installed(part, "bin/python"), SERVERS / script, *arguments)


def stdio_servers(folder: Path) -> dict[str, ServerSettings]:
    """All of them, with a folder, a repository and a database of their own."""
    files, repository = folder / "files", folder / "repository"
    files.mkdir()
    (files / "note.txt").write_text("milk and bread\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    (repository / "new.txt").write_text("new\n", encoding="utf-8")
    return {
        "everything": of_npm("everything", "stdio"),
        "filesystem": of_npm("filesystem", files),
        "memory": of_npm("memory").model_copy(update={"env": {"MEMORY_FILE_PATH": str(folder / "memory")}}),
        "thinking": of_npm("sequential-thinking"),
        "time": of_pypi("time", "--local-timezone", "Europe/Berlin"),
        "git": of_pypi("git", "--repository", repository),
        "fetch": of_pypi("fetch", "--allow-private-ips"),
        "sqlite": of_pypi("sqlite", "--db-path", folder / "database.sqlite", part="older"),
        "fastmcp": written_here("fastmcp_server.py"),
        "mcp1": written_here("mcp1_server.py", part="older"),
    }


class HttpServer:
    """A server that listens on a port, which it keeps when it is killed and started again."""

    def __init__(self, server: ServerSettings, path: str, port: int, log: Path) -> None:
        self.url, self.port = f"http://127.0.0.1:{port}{path}", port
        self._command = [server.command or "", *server.args]
        self._log = log
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *self._command,
                env={**os.environ, "PORT": str(self.port)},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        await until(self._answers)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.returncode is None, self._log.read_text(encoding="utf-8", errors="replace")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
            return True
        return False

    async def kill(self) -> None:
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        self.process = None


@contextlib.asynccontextmanager
async def listening(server: ServerSettings, path: str, folder: Path) -> AsyncIterator[HttpServer]:
    """The server is told its port by PORT; a fixed one would be taken sooner or later."""
    http = HttpServer(server, path, free_port(), folder / "http.log")
    try:
        await http.start()
        yield http
    finally:
        await http.kill()


def everything(transport: str, folder: Path) -> contextlib.AbstractAsyncContextManager[HttpServer]:
    """server-everything over `sse` or `streamableHttp`."""
    return listening(of_npm("everything", transport), EVERYTHING_PATHS[transport], folder)


def with_children(pid: int) -> Iterator[int]:
    """A process and all that it started."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text(encoding="utf-8").split():
                yield from with_children(int(child))

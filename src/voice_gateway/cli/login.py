"""`voice-gateway mcp login` and `logout`: at servers that want to know in a browser who uses them."""

import argparse
import asyncio
import contextlib
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import ServerSettings
from voice_gateway.config.kinds import did_you_mean
from voice_gateway.errors import ConfigError, LinkError
from voice_gateway.mcp_client.login_file import LoginFile

if TYPE_CHECKING:
    from mcp.shared.auth import AuthorizationCodeResult

LOGIN_SECONDS = 300.0  # somebody has to find a password
REQUEST_LIMIT = 64 * 1024
PATH = "/callback"


async def login(options: argparse.Namespace) -> int:
    """Exit code 0: logged in, or no login is needed."""
    name, server = _server(options)
    try:
        async with _listening(options.port) as visit, asyncio.timeout(LOGIN_SECONDS):
            from voice_gateway.mcp_client.oauth import log_in

            needed = await log_in(
                name,
                server.url or "",
                visit.address,
                show=_show,
                answer=visit.answer,
                client_id=options.client_id,
            )
    except TimeoutError:
        return _told(options, f"nobody logged in within {LOGIN_SECONDS:g} s", ok=False)
    except (LinkError, OSError) as error:
        return _told(options, f"{name}: {error}", ok=False)
    if not needed:
        return _told(options, f"{name} needs no login.")
    return _told(options, f"Logged in at {name}. A gateway that is running uses it within seconds.")


async def logout(options: argparse.Namespace) -> int:
    name, server = _server(options)
    known = LoginFile(name, server.url or "").forget()
    return _told(options, f"The login at {name} is forgotten." if known else f"There is no login at {name}.")


def _server(options: argparse.Namespace) -> tuple[str, ServerSettings]:
    servers = loaded(options).settings.mcpServers
    if options.name not in servers:
        raise ConfigError(f'no server "{options.name}"{did_you_mean(options.name, servers)}')
    if servers[options.name].url is None:
        raise ConfigError(f'the server "{options.name}" is a command: it has no login, but perhaps an `env`')
    return options.name, servers[options.name]


def _told(options: argparse.Namespace, sentence: str, *, ok: bool = True) -> int:
    if wants_json(options):
        print_json({"ok": ok, "message": sentence})
    else:
        print(sentence, file=sys.stderr)
    return 0 if ok else 1


async def _show(address: str) -> None:
    print(f"Log in with a browser at:\n\n  {address}\n", file=sys.stderr, flush=True)
    if sys.stdin.isatty():
        told = "If that browser is on another computer, paste the address here on which it ends:"
        print(told, file=sys.stderr, flush=True)
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # that one would take the terminal
            await asyncio.to_thread(browser.open, address)


@dataclass
class Visit:
    """What the browser brings back."""

    address: str
    came: "asyncio.Future[str]"  # the query of the address on which it ended

    async def answer(self) -> "AuthorizationCodeResult":
        from mcp.shared.auth import AuthorizationCodeResult

        if sys.stdin.isatty():
            _read_pasted(self.came)
        values = {key: several[0] for key, several in parse_qs(await self.came).items()}
        if "error" in values:
            reason = values.get("error_description") or values["error"]
            raise LinkError(f"the login was refused: {reason}")
        state, issuer = values.get("state"), values.get("iss")
        return AuthorizationCodeResult(code=values.get("code", ""), state=state, iss=issuer)


@contextlib.asynccontextmanager
async def _listening(port: int) -> AsyncIterator[Visit]:
    """Only on this machine, and only until the browser came back."""
    came: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            line = await reader.readline()
            target = urlsplit(line.decode("latin-1").split(" ")[1])
            known = target.path == PATH and ("code=" in target.query or "error=" in target.query)
            text = "You may close this window." if known else "Nothing here."
            head = f"HTTP/1.1 {200 if known else 404} X\r\ncontent-type: text/plain\r\nconnection: close\r\n"
            writer.write(f"{head}content-length: {len(text)}\r\n\r\n{text}".encode())
            await writer.drain()
            if known and not came.done():
                came.set_result(target.query)
        writer.close()

    server = await asyncio.start_server(visited, "127.0.0.1", port, limit=REQUEST_LIMIT)
    taken = server.sockets[0].getsockname()[1]
    try:
        yield Visit(f"http://127.0.0.1:{taken}{PATH}", came)
    finally:
        server.close()


def _read_pasted(came: "asyncio.Future[str]") -> None:
    loop = asyncio.get_running_loop()

    def take(query: str) -> None:
        if not came.done():
            came.set_result(query)

    def read() -> None:
        for line in sys.stdin:
            query = urlsplit(line.strip()).query
            if "code=" in query or "error=" in query:
                with contextlib.suppress(RuntimeError):  # it came by itself meanwhile, and all is over
                    loop.call_soon_threadsafe(take, query)
                return

    # A daemon: nobody waits for a line that is never typed.
    threading.Thread(target=read, name="pasted address", daemon=True).start()

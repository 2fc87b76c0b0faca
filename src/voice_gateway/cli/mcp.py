"""`voice-gateway mcp`: the MCP servers, and the logins at them."""

import argparse
import asyncio
import contextlib
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, print_table
from voice_gateway.cli.config import servers_shown
from voice_gateway.cli.parser import Parser
from voice_gateway.config import ServerSettings
from voice_gateway.config.kinds import did_you_mean
from voice_gateway.errors import ConfigError, LinkError

LOGIN_SECONDS = 300.0
REQUEST_LIMIT = 64 * 1024
PATH = "/callback"


def arguments(command: Parser) -> None:
    add = command.actions()
    add("list", "each server, and where it was set up (the default)")
    login = add("login", "log in at a server, with a browser")
    login.add_argument("name", metavar="NAME", help="the server, as `voice-gateway mcp` shows it")
    login.add_argument("--client-id", metavar="ID", help="as which client, where a server registers none")
    login.add_argument("--port", type=int, default=0, help="of this machine, to which the browser comes back")
    logout = add("logout", "forget the login at a server")
    logout.add_argument("name", metavar="NAME", help="the server")


async def mcp(options: argparse.Namespace) -> int:
    actions = {"login": login, "logout": logout}
    return await actions.get(options.action, _list)(options)


async def _list(options: argparse.Namespace) -> int:
    """As the settings have them; `voice-gateway status` says how they are."""
    given = loaded(options)
    servers: list[dict[str, Any]] = [
        {"name": name, "reached": words, "origin": given.origins.get(f"mcpServers.{name}", "default")}
        for name, words in servers_shown(given.settings).items()
    ]
    servers += [
        {"name": entry.name, "reached": None, "origin": str(entry.file), "left_out": entry.reason}
        for entry in given.settings.left_out
        if entry.name
    ]
    if options.json:
        print_json(servers)
    else:
        reached = [each["reached"] or f"left out: {each['left_out']}" for each in servers]
        rows = [(each["name"], words, each["origin"]) for each, words in zip(servers, reached, strict=True)]
        print_table(("server", "reached by", "from"), rows)
    return 0


# --- logins


async def login(options: argparse.Namespace) -> int:
    """Exit code 0: logged in, or no login is needed."""
    from mcp.shared.auth import AuthorizationCodeResult

    from voice_gateway.mcp_client.login import log_in

    name, server = _server(options)
    came: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def answer() -> AuthorizationCodeResult:
        if sys.stdin.isatty():
            _read_pasted(came)
        values = {key: several[0] for key, several in parse_qs(await came).items()}
        if "error" in values:
            reason = values.get("error_description") or values["error"]
            raise LinkError(f"the login was refused: {reason}")
        state, issuer = values.get("state"), values.get("iss")
        return AuthorizationCodeResult(code=values.get("code", ""), state=state, iss=issuer)

    way: dict[str, Any] = {"show": _show, "answer": answer, "client_id": options.client_id}
    try:
        async with _listening(options.port, came) as address, asyncio.timeout(LOGIN_SECONDS):
            needed = await log_in(name, server.url or "", address, **way)
    except TimeoutError:
        return _answer(options, f"nobody logged in within {LOGIN_SECONDS:g} s", ok=False)
    except (LinkError, OSError) as error:
        return _answer(options, f"{name}: {error}", ok=False)
    if not needed:
        return _answer(options, f"{name} needs no login.")
    return _answer(options, f"Logged in at {name}. A gateway that is running uses it within seconds.")


async def logout(options: argparse.Namespace) -> int:
    name, server = _server(options)
    from voice_gateway.mcp_client.login import LoginFile  # brings the SDK

    known = LoginFile(name, server.url or "").forget()
    return _answer(
        options, f"The login at {name} is forgotten." if known else f"There is no login at {name}."
    )


def _server(options: argparse.Namespace) -> tuple[str, ServerSettings]:
    servers = loaded(options).settings.mcpServers
    if options.name not in servers:
        raise ConfigError(f'no server "{options.name}"{did_you_mean(options.name, servers)}')
    if servers[options.name].url is None:
        raise ConfigError(f'the server "{options.name}" is a command: it has no login, but perhaps an `env`')
    return options.name, servers[options.name]


def _answer(options: argparse.Namespace, sentence: str, *, ok: bool = True) -> int:
    if options.json:
        print_json({"ok": ok, "message": sentence})
    else:
        print(sentence, file=sys.stderr)
    return 0 if ok else 1


async def _show(address: str) -> None:
    print(f"Log in with a browser at:\n\n  {address}\n", file=sys.stderr, flush=True)
    if sys.stdin.isatty():
        hint = "If that browser is on another computer, paste the address here on which it ends:"
        print(hint, file=sys.stderr, flush=True)
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # that one would take the terminal
            await asyncio.to_thread(browser.open, address)


@contextlib.asynccontextmanager
async def _listening(port: int, came: "asyncio.Future[str]") -> AsyncIterator[str]:
    """The address on this machine to which the browser comes back; `came` gets the query that it brings."""

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            line = await reader.readline()
            target = urlsplit(line.decode("latin-1").split(" ")[1])
            known = target.path == PATH and _is_answer(target.query)
            text = "You may close this window." if known else "Nothing here."
            head = f"HTTP/1.1 {200 if known else 404} X\r\ncontent-type: text/plain\r\nconnection: close\r\n"
            writer.write(f"{head}content-length: {len(text)}\r\n\r\n{text}".encode())
            await writer.drain()
            if known:
                _take(came, target.query)
        writer.close()

    server = await asyncio.start_server(visited, "127.0.0.1", port, limit=REQUEST_LIMIT)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{PATH}"
    finally:
        server.close()


def _is_answer(query: str) -> bool:
    return "code=" in query or "error=" in query


def _take(came: "asyncio.Future[str]", query: str) -> None:
    if not came.done():
        came.set_result(query)


def _read_pasted(came: "asyncio.Future[str]") -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            if _is_answer(query := urlsplit(line.strip()).query):
                with contextlib.suppress(RuntimeError):  # it came by itself meanwhile, and all is over
                    loop.call_soon_threadsafe(_take, came, query)
                return

    # A daemon thread: the line may never be typed.
    threading.Thread(target=read, name="pasted address", daemon=True).start()

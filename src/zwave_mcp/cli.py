"""The command line. A mistake gives one line on stderr and exit code 2."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from zwave_mcp.options import (
    DEFAULT_HOME,
    LEVELS,
    Options,
    SimulationOptions,
    Wrong,
    energy_file,
    read_options,
)
from zwave_mcp.simulated.file import BadHome

if TYPE_CHECKING:
    from zwave_mcp.server import ZwaveServer

_OWN: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
_EXAMPLES: Final = """\
examples:
  zwave-mcp-server --simulate                      a home to try things with, no broker needed
  zwave-mcp-server --simulate my-home.toml         a home of your own making
  zwave-mcp-server --simulate --fire 'Back Door=open'  let something happen in it
  zwave-mcp-server --broker mqtt://192.168.1.5     Z-Wave JS UI behind that MQTT broker
  MQTT_BROKER_URL=mqtts://broker MQTT_USERNAME=zwave MQTT_PASSWORD=... zwave-mcp-server

environment (--broker, --simulate, --state-file and --log-level win over it):
  MQTT_BROKER_URL MQTT_USERNAME MQTT_PASSWORD MQTT_PASSWORD_FILE MQTT_CA_FILE
  ZWAVE_MQTT_PREFIX ZWAVE_GATEWAY ZWAVE_ALLOW_UNLOCK ZWAVE_SIMULATE ZWAVE_STATE_FILE ZWAVE_LOG_LEVEL
  ZWAVE_LOCK_USERS
"""


class _Parser(argparse.ArgumentParser):
    """Prints help to the original stdout, which is otherwise reserved for the client."""

    wire: IO[str]

    def print_help(self, file: Any = None) -> None:
        super().print_help(file or self.wire)

    def error(self, message: str) -> NoReturn:
        raise Wrong(f"{message}; --help shows what there is")


def start(arguments: Sequence[str], wire: int) -> int:
    with os.fdopen(wire, "w", encoding="utf-8", closefd=False) as out:
        try:
            parser = _parser(out)
            given = parser.parse_args(arguments)
            options = read_options(given, os.environ)
            _log_to_stderr(options.log_level)
            if given.fire:
                return _fire(options, given.fire, out)
            server = _server(options)
        except (Wrong, BadHome) as error:
            print(f"zwave-mcp-server: {error}", file=sys.stderr)
            return 2
    asyncio.run(server.serve(0, wire))
    return 0


def _parser(out: IO[str]) -> _Parser:
    parser = _Parser(
        prog="zwave-mcp-server",
        description="An MCP server (stdio) for a Z-Wave home: devices by name, confirmations that are true.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.wire = out
    parser.add_argument(
        "--simulate",
        nargs="?",
        const=DEFAULT_HOME,
        metavar="FILE",
        help="no broker: the home that comes with the server, or the one described in the TOML file",
    )
    parser.add_argument("--state-file", metavar="FILE", help="where a simulated home keeps its state")
    parser.add_argument("--fire", metavar="NAME=WHAT", help="an event in a simulated home; then end")
    parser.add_argument("--broker", metavar="URL", help="mqtt://host[:port] or mqtts://host[:port]")
    parser.add_argument("--log-level", choices=LEVELS, type=str.upper, help="on stderr (default: WARNING)")
    return parser


def _fire(options: Options, happening: str, out: IO[str]) -> int:
    if not isinstance(options.home, SimulationOptions):
        raise Wrong("--fire needs --simulate: nothing can be made to happen in a real home")
    name, equals, what = happening.rpartition("=")
    if not equals or not name:
        raise Wrong(f"--fire {happening!r} must be NAME=WHAT")
    from zwave_mcp.simulated.home import SimulatedHome

    try:
        SimulatedHome(options.home.home_file, options.home.state_file).fire(name, what)
    except ValueError as error:
        raise Wrong(f"--fire: {error}") from error
    print(f"{name.strip()}: {what.strip()}", file=out, flush=True)
    return 0


def _server(options: Options) -> "ZwaveServer":
    from zwave_mcp.server import ZwaveServer

    allowed, home = options.allow_unlock, options.home
    where, names = energy_file(home), options.lock_users
    if isinstance(home, SimulationOptions):
        from zwave_mcp.simulated.home import SimulatedHome

        simulated = SimulatedHome(home.home_file, home.state_file)
        allowed = allowed or simulated.spec.home.allow_unlock
        return ZwaveServer(simulated, allow_unlock=allowed, energy_file=where, names=names)
    from zwave_mcp.mqtt.home import MqttHome

    return ZwaveServer(MqttHome(home), allow_unlock=allowed, energy_file=where, names=names)


class _LogLine(logging.Formatter):
    """A fixed message with its facts; tracebacks are indented, so no text can forge a log line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the library's name)
        facts = " ".join(f"{key}={value!r}" for key, value in record.__dict__.items() if key not in _OWN)
        return _one_line(f"{super().formatMessage(record)} {facts}".rstrip())

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return "\n".join(f"  {_one_line(line)}" for line in super().formatException(ei).splitlines())


def _one_line(text: str) -> str:
    """The text with control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _log_to_stderr(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)

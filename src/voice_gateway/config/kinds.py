"""The base of every settings section, and the kinds of values that several settings share."""

import contextlib
import difflib
import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SecretStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    model_validator,
)

Channel = Literal["cli", "voice", "mqtt", "wyoming", "web", "mcp", "v1"]  # where words come in
CHANNELS: tuple[str, ...] = get_args(Channel)
DEFAULT_PORT = 65_535  # stands for the protocol's own port where an address has none
LONGEST_TOPIC = 200  # characters of a prefix
SHORTEST_PIN = 4  # digits
HOME_ASSISTANT_PATHS = ("/api/mcp", "/mcp_server/sse")  # the paths of its MCP server
BUILTIN = "builtin"  # the source of the gateway's own tools, so no server may have this name
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::[1-9][0-9]{0,4})?")
_SERVER_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_))*")  # "__" separates server and tool


class Section(BaseModel):
    """A part's own settings: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty_means_none(cls, values: Any) -> Any:
        """An empty text means "none", also for a list: TOML and the environment have no word for it."""
        if not isinstance(values, dict):
            return values
        nothing = {type(None): None, tuple: ()}
        kinds = {key: type(field.default) for key, field in cls.model_fields.items()}
        empty = {key: nothing[kind] for key, kind in kinds.items() if kind in nothing}
        return {key: empty.get(key, "") if value == "" else value for key, value in values.items()}


LANGUAGES = Path(__file__).parents[1] / "languages"


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """A suggestion to append to an unknown name; empty if no known name is close."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f' (did you mean "{before}{near[0]}"?)' if near else ""


def plain(message: str) -> str:
    """Pydantic's message in the words of a configuration file, which knows lists only."""
    words = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return words.replace("valid tuple", "valid list")


def checked_server_name(name: str) -> str:
    """Raises ValueError."""
    if name.casefold() == BUILTIN:
        raise ValueError(f'"{name}" is the name of the gateway\'s own tools: choose another')
    if not _SERVER_NAME.fullmatch(name):
        shown = json.dumps(name[:60], ensure_ascii=False)
        raise ValueError(f"{shown} is not a server name: use letters, digits, '-', '.' and single '_'")
    return name


def is_own_server(command: object, args: object) -> bool:
    """Whether this starts the Z-Wave server that comes with the gateway."""
    if not isinstance(command, str):
        return False
    program = PurePath(command).name
    given = list(args) if isinstance(args, list | tuple) else []
    by_module = program.startswith("python") and given[:2] == ["-m", "zwave_mcp"]
    return program == "zwave-mcp-server" or by_module


def _address(
    *schemes: str, example: str, needs_host: bool = True, least_port: int = 1
) -> Callable[[str], str]:
    """A validator for addresses. Messages do not repeat the address, which may hold a password."""

    def checked(url: str) -> str:
        login = "; write / as %2F, ? as %3F and # as %23 in a login" if "@" in url else ""
        if not url.startswith(schemes):
            raise ValueError(f"must start with {' or '.join(schemes)}, such as {example}")
        if not url.isprintable() or " " in url:
            raise ValueError(f"must have no spaces or control characters: {example} is expected")
        try:
            host = (urlsplit(url).hostname or "").encode("idna").decode()
        except ValueError:
            host = None
        if host is None or (needs_host and not host):
            raise ValueError(f"names no host, as {example} does{login}")
        try:
            port = urlsplit(url).port
        except ValueError:
            port = -1
        if (DEFAULT_PORT if port is None else port) < least_port:
            raise ValueError(f"the port must be a number from 1 to 65535, as in {example}{login}")
        return url

    return checked


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it; false for names that are not known here."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def name_alone(host: str) -> str:
    """The host without its port. Raises ValueError if no browser would send it."""
    bare = host.count(":") > 1 and not host.startswith("[")  # an IPv6 address
    match = _HOST.fullmatch(f"[{host}]".casefold() if bare else host.casefold())
    if match is None:
        raise ValueError(f"{host!r} is no host name, as home.example is")
    return match[1] or match[2]


_checked_redis = _address("redis://", "rediss://", example="redis://host:6379", needs_host=False)
checked_server = _address("tcp://", example="tcp://host:10300")


def _checked_store(store: str) -> str:
    if store in ("memory", "sqlite"):
        return store
    if store.startswith("unix://"):
        if not urlsplit(store).path.strip("/"):
            raise ValueError("names no socket, as unix:///run/redis.sock does")
    elif store.startswith(("redis://", "rediss://")):
        _checked_redis(store)
    else:
        raise ValueError("must be memory, sqlite or redis://host:6379")
    with contextlib.suppress(ImportError):  # the store reports the missing package when it is opened
        from redis.asyncio.connection import parse_url

        parse_url(store)  # checks the options behind the question mark
    return store


def _checked_topic(topic: str, *, empty: bool = False) -> str:
    if empty and not topic:
        return topic
    plain = topic.isprintable() and not set(topic) & set("#+") and len(topic) <= LONGEST_TOPIC
    if not plain or not topic or topic.startswith(("/", "$")) or topic.endswith("/"):
        raise ValueError('must be a plain topic, such as "home/voice": no + or #, no / at either end')
    return topic


def _checked_group(group: str) -> str:
    if not group.isprintable() or set(group) & set("#+/"):
        raise ValueError("must be one plain word, without /, + or #")
    return group


def _checked_pin(pin: Any) -> Any:
    """Digits, because a PIN is also said aloud, one by one; at least four, because it can be guessed."""
    text = pin.get_secret_value() if isinstance(pin, SecretStr) else pin
    if text is not None and not (isinstance(text, str) and re.fullmatch("[0-9]{1,32}", text)):
        raise ValueError('must be digits in quotes, such as "2468"')
    if text is not None and len(text) < SHORTEST_PIN:
        raise ValueError(f"must have at least {SHORTEST_PIN} digits: a shorter one is guessed too easily")
    return pin


def _known_languages() -> list[str]:
    """Those with a folder in `languages/`, and those of home-assistant-intents."""
    from home_assistant_intents import get_languages

    return sorted({*(folder.parent.name for folder in LANGUAGES.glob("*/replies.yaml")), *get_languages()})


def _locale() -> str:
    """The language of the environment, such as "pt-BR", also where its locale is not installed."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return re.split(r"[.@]", next(filter(None, names), ""))[0].replace("_", "-")


def _checked_languages(codes: tuple[str, ...]) -> tuple[str, ...]:
    """The codes, with that of the locale. Raises ValueError for none, and for one without sentences."""
    known = _known_languages()
    region = _locale()
    system = next((code for code in (region, region.partition("-")[0]) if code in known), "en")
    for code in codes or ("",):
        if code not in (*known, "system"):
            raise ValueError(f'there are no sentences for "{code}"; there are {", ".join(known)}')
    spoken = (system if code == "system" else code for code in codes)
    return tuple(dict.fromkeys(spoken))


def checked_steps(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Raises one ValueError; for two types pydantic would write a message each."""
    try:
        return handler(value)
    except ValidationError:
        raise ValueError("must be auto, true or false") from None


WebAddress = Annotated[str, AfterValidator(_address("http://", "https://", example="http://host:port"))]
BrokerAddress = Annotated[str, AfterValidator(_address("mqtt://", "mqtts://", example="mqtt://host:1883"))]
# An address to listen on; port 0 takes any free port.
ListenAddress = Annotated[
    str, AfterValidator(_address("tcp://", example="tcp://127.0.0.1:10700", needs_host=False, least_port=0))
]
Languages = Annotated[tuple[str, ...], AfterValidator(_checked_languages)]
StorePlace = Annotated[str, AfterValidator(_checked_store)]
Topic = Annotated[str, AfterValidator(_checked_topic)]
TopicOrNone = Annotated[str, AfterValidator(partial(_checked_topic, empty=True))]
ShareGroup = Annotated[str, AfterValidator(_checked_group)]
HostName = Annotated[str, AfterValidator(name_alone)]
ServerName = Annotated[str, AfterValidator(checked_server_name)]
Pin = Annotated[SecretStr, BeforeValidator(_checked_pin)]

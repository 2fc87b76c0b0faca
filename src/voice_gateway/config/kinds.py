"""Kinds of values that several settings share, each refused with one clear line."""

import contextlib
import difflib
import json
import re
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BeforeValidator,
    SecretStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
)

CHANNELS = ("cli", "voice", "mqtt", "wyoming", "web", "mcp")  # where words come in
# What the engines' packages bring along; a test compares. Reading settings must not load an engine.
WAKE_WORDS = {
    "openwakeword": ("alexa", "hey_jarvis", "hey_mycroft", "hey_rhasspy", "okay_nabu"),
    "microwakeword": ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"),
}
WAKE_FILES = {"openwakeword": ".tflite", "microwakeword": ".json"}
ANY_PORT = 65_535  # in place of the one that each protocol has for itself
LONGEST_TOPIC = 200  # characters of a prefix: the protocol's own limit is far away, a mistake is not

SHORTEST_PIN = 4  # digits
HOME_ASSISTANT_PATHS = ("/api/mcp", "/mcp_server/sse")  # the only places where it has its MCP server
BUILTIN = "builtin"  # the source of the gateway's own tools: a server of that name would replace them all
_SERVER_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_))*")  # "__" parts server and tool


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """Behind a name that nobody knows; empty when none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f' (did you mean "{before}{near[0]}"?)' if near else ""


def plain(message: str) -> str:
    """Pydantic's message in the words of a configuration file, which knows lists only."""
    words = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return words.replace("valid tuple", "valid list")


def checked_server_name(name: str) -> str:
    """Raises ValueError."""
    if name.casefold() == BUILTIN:
        raise ValueError(f'"{name}" is the name of the tools of the gateway itself: give the server another')
    if not _SERVER_NAME.fullmatch(name):
        shown = json.dumps(name[:60], ensure_ascii=False)
        raise ValueError(f"{shown} is no name for a server: use letters, digits, '-', '.' and single '_'")
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
    """What is refused here would end the program later, where a library takes the address apart."""

    def checked(url: str) -> str:
        if not url.startswith(schemes):
            raise ValueError(f"must start with {' or '.join(schemes)}, such as {_suggested(url, example)}")
        if not url.isprintable() or " " in url:
            raise ValueError(f"must have no spaces or control characters: {example} is expected")
        if (host := _host(url)) is None or (needs_host and not host):
            raise ValueError(f"names no host, as {example} does{_about_logins(url)}")
        if _port(url) < least_port:
            raise ValueError(
                f"the port must be a number from 1 to 65535, as in {example}{_about_logins(url)}"
            )
        return url

    return checked


def _host(url: str) -> str | None:
    """None: it is none that can be looked up."""
    try:
        return (urlsplit(url).hostname or "").encode("idna").decode()
    except ValueError:
        return None


def _port(url: str) -> int:
    """The library's own message would repeat what may be a password."""
    try:
        port = urlsplit(url).port
    except ValueError:
        return -1
    return ANY_PORT if port is None else port


def _about_logins(url: str) -> str:
    """With one of these in a password, all behind it is no longer part of the login."""
    return "; write / as %2F, ? as %3F and # as %23 in a login" if "@" in url else ""


def _suggested(url: str, example: str) -> str:
    """An address can hold a login: only a plain host is repeated."""
    scheme = example.partition("://")[0]
    return f"{scheme}://{url}" if re.fullmatch(r"[A-Za-z0-9.-]{1,60}(:\d{1,5})?", url) else example


_checked_redis = _address("redis://", "rediss://", example="redis://host:6379", needs_host=False)


def _checked_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name[:60]!r} is no time zone: use a name such as Europe/Berlin") from error
    return name


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
    _check_redis_options(store)
    return store


def _check_redis_options(url: str) -> None:
    """Behind the question mark stand the library's own options, and it alone knows them."""
    with contextlib.suppress(ImportError):  # whoever starts without it is told so
        from redis.asyncio.connection import parse_url

        parse_url(url)


def _checked_topic(topic: str) -> str:
    plain = topic.isprintable() and not set(topic) & set("#+") and len(topic) <= LONGEST_TOPIC
    if not plain or not topic or topic.startswith(("/", "$")) or topic.endswith("/"):
        raise ValueError('must be a plain topic, such as "home/voice": no + or #, no / at either end')
    return topic


def _checked_group(group: str) -> str:
    if not group.isprintable() or set(group) & set("#+/"):
        raise ValueError("must be one plain word, without /, + or #")
    return group


def _checked_pin(pin: Any) -> Any:
    """Digits, because it is also said aloud, one by one; at least four, because it can be guessed."""
    text = pin.get_secret_value() if isinstance(pin, SecretStr) else pin
    if text is not None and not (isinstance(text, str) and re.fullmatch("[0-9]{1,32}", text)):
        raise ValueError('must be digits in quotes, such as "2468"')
    if text is not None and len(text) < SHORTEST_PIN:
        raise ValueError(f"must have at least {SHORTEST_PIN} digits: a shorter one is guessed too easily")
    return pin


def _checked_doors(doors: tuple[str, ...]) -> tuple[str, ...]:
    """A name that no door has would let nobody in, and nobody would notice. Raises ValueError."""
    for door in doors:
        if door not in CHANNELS:
            known = f"{', '.join(CHANNELS[:-1])} and {CHANNELS[-1]}"
            raise ValueError(f'no channel "{door}"{did_you_mean(door, CHANNELS)}; the channels are {known}')
    return doors


def checked_wake_words(words: tuple[str, ...], engine: str) -> tuple[str, ...]:
    """ "Hey Jarvis" is hey_jarvis, as the engines spell it. Raises ValueError."""
    known = WAKE_WORDS.get(engine)
    for word in words if known else ():
        spelled = "_".join(word.lower().replace("-", " ").split())
        if spelled not in (known or ()) and not word.endswith(WAKE_FILES[engine]):
            takes = f"{engine} takes {', '.join(known or ())}, or the path of a {WAKE_FILES[engine]} file"
            raise ValueError(f'"{word}" is not known: {takes}')
    return words


def _checked_language(language: str) -> str:
    """Our own sentences are English; others are those of home-assistant-intents. Raises ValueError."""
    if language == "en":  # as nearly always: then the package is not even imported
        return language
    from home_assistant_intents import get_languages

    known = sorted(get_languages())
    if not {language, language.partition("-")[0]} & set(known):
        raise ValueError(f'there are no sentences for "{language}"; there are {", ".join(known)}')
    return language


def checked_steps(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Of two types pydantic would say for each what is wrong with it. Raises ValueError."""
    try:
        return handler(value)
    except ValidationError:
        raise ValueError("must be auto, true or false") from None


WebAddress = Annotated[str, AfterValidator(_address("http://", "https://", example="http://host:port"))]
BrokerAddress = Annotated[str, AfterValidator(_address("mqtt://", "mqtts://", example="mqtt://host:1883"))]
ServerAddress = Annotated[str, AfterValidator(_address("tcp://", example="tcp://host:10300"))]
# Where we listen ourselves: any address of this machine, and port 0 for any that is free.
ListenAddress = Annotated[
    str,
    AfterValidator(_address("tcp://", example="tcp://127.0.0.1:10700", needs_host=False, least_port=0)),
]
Language = Annotated[str, AfterValidator(_checked_language)]
ZoneName = Annotated[str, AfterValidator(_checked_zone)]
StorePlace = Annotated[str, AfterValidator(_checked_store)]
Topic = Annotated[str, AfterValidator(_checked_topic)]
ShareGroup = Annotated[str, AfterValidator(_checked_group)]
Pin = Annotated[SecretStr, BeforeValidator(_checked_pin)]
Doors = Annotated[tuple[str, ...], AfterValidator(_checked_doors)]

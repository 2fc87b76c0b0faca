"""Keep secrets out of the log, out of what is published, and out of what a model gets."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voice_gateway.config import ServerSettings

HIDDEN = "***"
LONGEST = 200  # characters of one value in the log

_SECRET_KEY = re.compile(
    r"password|passwd|secret|token|credential|authori[sz]ation|cookie|bearer|passkey|pass(phrase|code)$"
    r"|^key$|(^|_)(auth|pass|pwd|psk|jwt|otp)$|(^|_)pins?(_?codes?)?_?\d{0,2}$"
    r"|(api|access|private|encryption|network|security|session|signing|ssh|wifi|wpa)_?keys?$"
)
# A code opens something, unless its name is one of these.
_CODE = re.compile(r"(^|_|access|alarm|door|entry|gate|lock|security|user)codes?_?\d{0,2}$")
_PLAIN_CODE = re.compile(
    r"(area|bar|colou?r|country|currency|error|exit|http|lang|language|post|postal|qr|reason|result|return|source"
    r"|status|zip)_?codes?$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[- ]")  # where a word begins in camelCase or kebab-case

# A login in an address, up to the last @ before the path (a password may have one itself); its query, where
# ordinary words are secrets. Each pattern keeps its first group; all are linear: no nested repetition.
_LOGINS = (
    re.compile(r"\b([a-z][a-z0-9+.-]{1,20}://)[^\s/'\"]{1,400}(?=@)", re.IGNORECASE),
    re.compile(
        r"([?&#;](?:[\w.~%-]{0,40}(?:token|secret|password|signature)|(?:[\w.~%-]{0,40}[_-])?"
        r"(?:key|pass|pwd|auth|sig|code|sas))=)[^\s&#;\"']+",
        re.IGNORECASE,
    ),
)
# More shapes of a secret in a text.
_SECRET_TEXT = (
    *_LOGINS,
    re.compile(r"\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    # `password=…`, `"token": "…"`
    re.compile(
        r"((?:password|passwd|secret|token|api[-_]?key|access[-_]?key|authorization|client[-_]secret)"
        r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?)(?!\s)[^\s&\"',;}\]]{3,}",
        re.IGNORECASE,
    ),
    re.compile(r"()\b(?:[spr]k-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|hf_)[A-Za-z0-9_-]{12,}"),
    re.compile(r"()\beyJ[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),  # a JWT
)
# A member of an object, as JSON or Python writes it: its name, and a value that may be cut off.
_MEMBER = re.compile(
    r"""(["'])([^"'\\]{1,60})\1\s{0,3}:\s{0,3}"""
    r"""("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[[^\]]*\]?|\{[^}]*\}?|-?[0-9][^\s,}\]]*)"""
)
# A text without any of these hides nothing; nearly every result is one.
_HINT = re.compile(
    "://|bearer|basic|pass|secret|token|key|auth|cookie|credential|code|otp|pin|psk|jwt|pwd|sk-|pk-|rk-|"
    "gh[pousr]_|github_pat_|glpat|xox|akia|hf_|eyj|sig=|signature=",
    re.IGNORECASE,
)
# Tools that keep what people wrote: "manage_list", "HassListAddItem", "todo_get_items", but not "list_files".
_KEEPERS = re.compile(r"note|memo|todo|timer|remind|routine|(?<=.)list", re.IGNORECASE)
SHORTEST_SECRET = 3  # characters; anything shorter is also ordinary text
NUMBER = (bool, int, float, type(None))


def hide_secrets(text: str) -> str:
    return _hide(text, _SECRET_TEXT) if _HINT.search(text) else text


def hide_logins(text: str) -> str:
    """Without the logins and keys in its addresses."""
    return _hide(text, _LOGINS) if "://" in text else text


def _hide(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    for pattern in patterns:
        text = pattern.sub(rf"\g<1>{HIDDEN}", text)
    return text


def safe(text: str) -> str:
    """An error message without secrets, and only the last line of a traceback."""
    before, traceback, trace = text.partition("Traceback (most recent call last)")
    if traceback:
        last = trace.rstrip().rsplit("\n", 1)[-1].strip()
        text = f"{before.rstrip()} {last}".strip()
    return hide_secrets(text)


def shorten(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


@lru_cache(maxsize=1000)
def is_secret_name(name: str) -> bool:
    """Whether a value under this name is a secret, by the name alone."""
    words = _HUMP.sub("_", name).lower()
    if _CODE.search(words) and not _PLAIN_CODE.search(words):
        return True
    return _SECRET_KEY.search(words) is not None


@lru_cache(maxsize=1000)
def keeps_words(tool: str) -> bool:
    """Whether a tool keeps lists, notes or reminders; what it is told and answers is never logged."""
    return _KEEPERS.search(tool) is not None


def mask(value: Any, depth: int = 4) -> Any:
    """The same arguments with secrets hidden and long values shortened, for the log."""
    if isinstance(value, NUMBER):
        return value
    if isinstance(value, str):
        # Cut first: a value of megabytes is not searched.
        return hide_secrets(shorten(value))
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        members = ((str(key)[:60], inner) for key, inner in islice(value.items(), 20))
        return {name: HIDDEN if is_secret_name(name) else mask(inner, depth - 1) for name, inner in members}
    if isinstance(value, list | tuple):
        return [mask(inner, depth - 1) for inner in value[:20]]
    return _shown(value)


def mask_result(text: str, args: Any, longest: int = LONGEST) -> str:
    """A result for the log: short, without secrets, and without what was hidden in the arguments."""
    secrets = secrets_in(args)
    if not secrets and not _HINT.search(text[: longest + 400]):
        return shorten(text, longest)
    # Cut first, but behind any secret that could begin in the part that is shown.
    head = text[: longest + max([400, *(len(secret) for secret in secrets)])]
    for secret in secrets:
        head = head.replace(secret, HIDDEN)
    head = hide_secrets(_MEMBER.sub(_without_secret, head))
    if len(head) <= longest and len(text) <= longest:
        return head
    return f"{head[:longest]}… ({len(text):,} characters)"


def mask_whole(value: Any, args: Any, longest: int) -> Any:
    """All of it with secrets hidden; None if it is no JSON of at most `longest` characters."""
    secrets = secrets_in(args)

    def masked(inner: Any, name: str = "") -> Any:
        if is_secret_name(name[:60]):
            return HIDDEN
        if inner is None or isinstance(inner, bool):
            return inner
        if isinstance(inner, dict):
            return {masked(str(key)): masked(part, str(key)) for key, part in inner.items()}
        if isinstance(inner, list | tuple):
            return [masked(part) for part in inner]
        text = whole = inner if isinstance(inner, str) else _shown(inner)
        for secret in secrets:
            text = text.replace(secret, HIDDEN)
        text = hide_secrets(text)
        if isinstance(inner, int | float):
            return inner if text == whole else HIDDEN
        return text

    try:
        written = json.dumps(value, ensure_ascii=False, default=_shown)
        return masked(value) if len(written) <= longest else None
    except (TypeError, ValueError, RecursionError):
        return None


def secrets_in(args: Any) -> list[str]:
    """The values that `mask` hides because of their names; longest first, so that no part of one is left."""
    return sorted(_secret_texts(args), key=len, reverse=True)


def _without_secret(member: "re.Match[str]") -> str:
    if not is_secret_name(member[2]):
        return member[0]
    return f'{member[0][: member.start(3) - member.start()]}"{HIDDEN}"'


def _secret_texts(value: Any, secret: bool = False, depth: int = 4) -> set[str]:
    """Every way in which a result may write a secret argument."""
    if isinstance(value, dict | list | tuple):
        if depth == 0:
            return set()
        members = value.items() if isinstance(value, dict) else (("", inner) for inner in value)
        return {
            text
            for name, inner in islice(members, 20)
            for text in _secret_texts(inner, secret or is_secret_name(str(name)[:60]), depth - 1)
        }
    if not secret or isinstance(value, bool) or not isinstance(value, str | int | float):
        return set()
    try:
        text = str(value)
    except ValueError:  # Python refuses to write a number of thousands of digits
        return set()
    ways = {text, repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return {way for way in ways if len(way) >= SHORTEST_SECRET}


def _shown(value: Any) -> str:
    try:
        return shorten(str(value))
    except Exception:  # a foreign object whose own text fails
        return f"[{type(value).__name__}]"


def without_secrets(server: "ServerSettings") -> Callable[[str], str]:
    """A function that hides a server's own secrets (keys, passwords, headers) in what it prints or says."""
    known = sorted({word for word in _secrets(server) if len(word) >= SHORTEST_SECRET}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in known:
            text = text.replace(secret, HIDDEN)
        return hide_secrets(text)

    return hide


def _secrets(server: "ServerSettings") -> Iterator[str]:
    words = (word for argument in server.args for word in argument.split("=", 1))
    for name, value in (*server.env.items(), *pairwise(words)):
        if is_secret_name(name.lstrip("-")) or name.upper().endswith("KEY"):
            yield value
    for header in server.headers.values():
        yield header.get_secret_value()
        yield header.get_secret_value().rpartition(" ")[2]  # behind "Bearer"

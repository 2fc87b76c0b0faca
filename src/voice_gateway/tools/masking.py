"""Keep secrets out of the log, out of what is published, and out of what a model gets."""

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voice_gateway.config import ServerSettings

HIDDEN = "***"
LONGEST = 200  # characters of one value in the log

_SECRET_KEY = re.compile(
    r"(^|[-_])pass$|password|passwd|pass(phrase|code)$|secret|token|credential|authori[sz]ation|^auth$|cookie"
    r"|bearer|api[-_ ]?key|^key$|access[-_ ]?key|private[-_ ]?key|user[-_ ]?code|(^|[-_])otp$"
    r"|(^|[-_])pins?([-_]?codes?)?[-_]?\d{0,2}$|(^|[-_])(pwd|psk|jwt)$|passkey"
    r"|(^|[-_])(encryption|network|security|session|signing|ssh|wifi|wpa)[-_ ]?keys?$",
    re.IGNORECASE,
)
# Whatever is called a code opens something, but for those that are known not to.
_CODE = re.compile(
    r"((^|[-_ ])|access|alarm|door|entry|gate|lock|security)codes?[-_]?\d{0,2}$", re.IGNORECASE
)
_PLAIN_CODE = re.compile(
    r"(area|bar|colou?r|country|currency|error|exit|http|lang|language|post|postal|qr|reason|result|return|source"
    r"|status|zip)[-_ ]?codes?$",
    re.IGNORECASE,
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # where a word begins in camelCase

# Each pattern keeps its first group and hides what follows. All of them are linear: no nested repetition.
_SECRET_TEXT = (
    # Up to the last @ before the path: a password may have one itself.
    re.compile(r"\b([a-z][a-z0-9+.-]{1,20}://)[^\s/'\"]{1,400}(?=@)", re.IGNORECASE),
    re.compile(r"\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    re.compile(
        r"((?:password|passwd|secret|token|api[-_]?key|access[-_]?key|authorization|client[-_]secret)"
        r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?)(?!\s)[^\s&\"',;}\]]{3,}",
        re.IGNORECASE,
    ),
    # Words that are secrets in the query of an address, and ordinary ones elsewhere.
    re.compile(r"([?&](?:key|pass|pwd|auth|sig|signature|code)=)[^\s&#\"']+", re.IGNORECASE),
    re.compile(r"()\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|hf_)[A-Za-z0-9_-]{12,}"),
    re.compile(r"()\beyJ[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
)
# A member of an object, as JSON or Python writes it: its name, and a value that may be cut off.
_MEMBER = re.compile(
    r"""(["'])([^"'\\]{1,60})\1\s{0,3}:\s{0,3}"""
    r"""("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[[^\]]*\]?|\{[^}]*\}?|-?[0-9][^\s,}\]]*)"""
)
# Whatever the patterns above and secret names have in common: a text without any of it hides nothing.
_HINTS = (
    *("://", "bearer", "basic", "pass", "secret", "token", "key", "auth", "cookie", "credential", "code"),
    *("otp", "pin", "psk", "jwt", "pwd", "sk-", "pk-", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *("github_pat_", "glpat", "xox", "akia", "hf_", "eyj", "sig=", "signature="),
)
SHORTEST_SECRET = 3  # characters; less cannot be told from ordinary text
_SHORT = (bool, int, float, type(None))
_TRACEBACK = "Traceback (most recent call last)"


def _hints_at_secrets(text: str) -> bool:
    """Word by word: a pattern of them all takes ten times as long, and every call is logged."""
    folded = text.casefold()
    return any(map(folded.__contains__, _HINTS))


def hide_secrets(text: str) -> str:
    if not _hints_at_secrets(text):  # nearly every text
        return text
    for pattern in _SECRET_TEXT:
        text = pattern.sub(rf"\g<1>{HIDDEN}", text)
    return text


def safe(text: str) -> str:
    """What a failure may say to a model and a person: an ordinary message comes through unchanged."""
    if _TRACEBACK in text:
        before, _, trace = text.partition(_TRACEBACK)
        last = trace.rstrip().rsplit("\n", 1)[-1].strip()
        text = f"{before.rstrip()} {last}".strip()
    return hide_secrets(text)


def shorten(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


@lru_cache(maxsize=1000)
def is_secret_name(name: str) -> bool:
    words = _HUMP.sub("_", name)
    if _CODE.search(words) and not _PLAIN_CODE.search(words):
        return True
    return _SECRET_KEY.search(words) is not None


def mask(value: Any, depth: int = 4) -> Any:
    """The same arguments with secrets hidden and long values shortened, for the log."""
    if isinstance(value, _SHORT):
        return value
    if isinstance(value, str):
        # Cut first: a value of megabytes is not searched.
        return hide_secrets(shorten(value))
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {
            name: HIDDEN
            if is_secret_name(name)
            else inner
            if type(inner) in _SHORT
            else mask(inner, depth - 1)
            for name, inner in ((str(key)[:60], inner) for key, inner in islice(value.items(), 20))
        }
    if isinstance(value, list | tuple):
        return [mask(inner, depth - 1) for inner in value[:20]]
    return _shown(value)


def mask_result(text: str, args: Any, longest: int = LONGEST) -> str:
    """A result for others: short, without secrets, and without what was hidden in the arguments."""
    secrets = _secrets_in(args)
    if not secrets and not _hints_at_secrets(text[: longest + 400]):
        return shorten(text, longest)
    # Cut first, but behind whatever could begin in the part that is shown.
    head = text[: longest + max([400, *(len(secret) for secret in secrets)])]
    for secret in secrets:
        head = head.replace(secret, HIDDEN)
    head = hide_secrets(_MEMBER.sub(_without_secret, head))
    if len(head) <= longest and len(text) <= longest:
        return head
    return f"{head[:longest]}… ({len(text):,} characters)"


def mask_whole(value: Any, args: Any, longest: int) -> Any:
    """All of it with secrets hidden, or None when it is longer than `longest` characters.

    Raises nothing: what is too deep or too long a number is too long.
    """
    try:
        return _Whole(_secrets_in(args), longest).masked(value)
    except (_TooLong, RecursionError):
        return None


class _TooLong(Exception):
    """The walk ends here: a value of megabytes is not copied first and thrown away then."""


class _Whole:
    def __init__(self, secrets: list[str], longest: int) -> None:
        self._secrets = secrets
        self._left = longest

    def masked(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return {self._text(str(name)): self._member(str(name), inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.masked(inner) for inner in value]
        if not isinstance(value, int | float):
            return self._text(value if isinstance(value, str) else _shown(value))
        if isinstance(value, int) and value.bit_length() > LONGEST:
            raise _TooLong
        return HIDDEN if self._text(str(value)) != str(value) else value

    def _member(self, name: str, inner: Any) -> Any:
        return HIDDEN if is_secret_name(name[:60]) else self.masked(inner)

    def _text(self, text: str) -> str:
        self._left -= len(text) + 1
        if self._left < 0:
            raise _TooLong
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return hide_secrets(text)


def _secrets_in(args: Any) -> list[str]:
    """Longest first, so that no part of one is left."""
    return sorted(_secret_texts(args), key=len, reverse=True) if _may_hide(args) else []


def _may_hide(args: Any) -> bool:
    if not isinstance(args, dict):
        return True
    return any(
        is_secret_name(str(name)[:60]) or type(inner) in (dict, list, tuple) for name, inner in args.items()
    )


def _without_secret(member: "re.Match[str]") -> str:
    if not is_secret_name(member[2]):
        return member[0]
    return f'{member[0][: member.start(3) - member.start()]}"{HIDDEN}"'


def _secret_texts(value: Any, secret: bool = False, depth: int = 4) -> set[str]:
    """Every way in which a result may write what `mask` hides because of its name."""
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
    """Takes out of a server's words what it was told in confidence: they end up in logs and in questions."""
    known = sorted({word for word in _secrets(server) if len(word) >= SHORTEST_SECRET}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in known:
            text = text.replace(secret, HIDDEN)
        return hide_secrets(text)

    return hide


def _secrets(server: "ServerSettings") -> Iterator[str]:
    named = [*server.env.items(), *(argument.partition("=")[::2] for argument in server.args)]
    named += [(option, value) for option, value in pairwise(server.args) if _awaits_value(option)]
    for name, value in named:
        if is_secret_name(name.lstrip("-")) or name.upper().endswith("KEY"):
            yield value
    for header in server.headers.values():
        yield header.get_secret_value()
        yield header.get_secret_value().rpartition(" ")[2]  # behind "Bearer"


def _awaits_value(option: str) -> bool:
    return option.startswith("-") and "=" not in option

"""The data that moves through one turn, in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import Any
from uuid import uuid4

from voice_gateway.errors import ErrorKind


def new_id() -> str:
    return uuid4().hex


def encodable(text: str) -> str:
    """The text without lone surrogates, which cannot be encoded."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


# The longest utterance, in characters; a small model could not read more.
LONGEST_TEXT = 8_000
# The conversation of all plain `ask`s, so that "is it on" follows "turn on the floor lamp".
COMMANDS = "cli"
LONGEST_NAME = 200  # of a conversation, a room or a satellite


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A piece of a stream of sound: mono, 16 kHz, int16 (a numpy array, which this file does not import)."""

    samples: Any
    start_seconds: float = 0.0  # its place in the stream; a gap means lost sound


@dataclass(frozen=True, slots=True)
class WakeDetected:
    """A wake word was heard. `at_seconds` counts all sound that this detector has received."""

    word: str
    score: float
    at_seconds: float


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """One stretch of speech, with some sound before and behind it. Seconds count the stream's sound."""

    samples: Any  # mono, 16 kHz, int16
    start_seconds: float  # of the samples, pre-roll included
    speech_end_seconds: float  # where the last speech was
    end_seconds: float  # of the samples, silence included
    speech_seconds: float  # how much of it is speech


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text of a segment. `noise` is the reason why the text does not count."""

    text: str
    seconds: float  # that the engine took
    audio_seconds: float = 0.0
    noise: str | None = None
    model: str | None = None  # the engine's name


@dataclass(frozen=True, slots=True)
class Utterance:
    """The words of a person, from any channel."""

    text: str
    channel: str = "cli"
    conversation_id: str = "default"
    room: str | None = None  # where the channel is; settles "turn on the light"
    id: str = field(default_factory=new_id)
    heard_by: str | None = None  # the speech engine; typed words have none
    heard_seconds: float | None = None  # that it took
    satellite: str | None = None  # of this channel; None if it cannot tell them apart
    endpoint_seconds: float | None = None  # of silence, until it was clear that no more comes
    audio_seconds: float | None = None  # how long the recording is
    language: str | None = None  # where the channel knows it
    answers: str = ""  # the question to the owner that these words answer; empty: none in particular

    def __post_init__(self) -> None:
        """Makes every text encodable, so that any channel can send it."""
        for name in ("text", "conversation_id", "room", "id", "satellite"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, encodable(given))


# A context variable, because LangChain hands a tool nothing but the arguments of the model.
_SPEAKING: ContextVar[Utterance | None] = ContextVar("speaking", default=None)


def speaking() -> Utterance | None:
    """The utterance of the turn that calls a tool, or None outside a turn."""
    return _SPEAKING.get()


@contextmanager
def speaking_in(utterance: Utterance) -> Iterator[None]:
    """Sets the utterance for calls made inside, and in tasks started there."""
    token = _SPEAKING.set(utterance)
    try:
        yield
    finally:
        _SPEAKING.reset(token)


@dataclass(frozen=True, slots=True)
class ToolTraits:
    """What is known of a tool beyond LangChain's interface; kept in `tool.metadata["traits"]`.

    A missing MCP hint keeps the protocol's cautious meaning: not read-only, not idempotent. `destructive` is
    None where nothing is said of it.
    """

    source: str = "builtin"  # "builtin", the MCP server's name, or that of the user's own file or entry point
    original_name: str = ""  # the name its server gave it
    title: str = ""
    read_only: bool = False
    destructive: bool | None = None
    idempotent: bool = False
    output_schema: Mapping[str, Any] | None = None
    timeout_seconds: float | None = None  # the tool's own limit, where it has one
    trusted: bool = True  # False: of a server that is not trusted; what it says of itself is not believed
    home: bool = False  # of a server that an integration reads: what it reports of devices counts
    words_from_outside: bool = False  # its answers hold text from outside the home
    summary: str = ""  # what it does, in a sentence for people; its description is for models
    # Of a tool that is rarely needed: a small model hears of it only when one of these words was said.
    called_for: tuple[str, ...] = ()
    # Of a tool that makes other calls later: whether those are sensitive, and how one is asked about them.
    sensitive: Callable[[Mapping[str, Any]], bool] | None = None
    asked: Callable[[Mapping[str, Any]], str] | None = None
    origin: str = ""  # of a user's own tool: "the file …", "the package …"

    @property
    def server(self) -> str:
        """The MCP server's name, or "builtin" for what runs in this process."""
        return "builtin" if self.origin else self.source


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request to run a tool. `args` should be a dict; whatever else a model sends gets an outcome too."""

    id: str
    name: str
    args: Any = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """By name; none where a model sent something else."""
        return self.args if isinstance(self.args, Mapping) else {}


class OutcomeStatus(StrEnum):
    """The result of a call: the values of a server's `outcome`, and some of the gateway."""

    READ = "read"  # a look that gave an answer; only looks have it
    CONFIRMED = "confirmed"  # done: the device, or else the tool, says so
    WORKING = "working"  # under way: a blind that moves
    QUEUED = "queued"  # will be done when the device wakes up
    UNCONFIRMED = "unconfirmed"  # it may or may not have been done
    FAILED = "failed"
    UNREACHABLE = "unreachable"  # the device does not answer
    SYSTEM_DOWN = "system_down"  # the way to every device, or the service behind a tool, is down
    AMBIGUOUS = "ambiguous"  # several devices could be meant
    NOT_FOUND = "not_found"
    UNSUPPORTED = "unsupported"
    INVALID = "invalid"  # the arguments cannot be used
    NOT_PERMITTED = "not_permitted"
    WAITING = "waiting"  # for the user's yes; it was not made


NOT_MEANT = frozenset(  # no device or tool for it, or several
    {OutcomeStatus.AMBIGUOUS, OutcomeStatus.NOT_FOUND, OutcomeStatus.UNSUPPORTED, OutcomeStatus.INVALID}
)
NOT_MADE = frozenset({OutcomeStatus.WAITING, OutcomeStatus.NOT_PERMITTED})  # the gate held it back
_OURS = frozenset({OutcomeStatus.READ, OutcomeStatus.WAITING})  # no server can claim these
_OF_SERVERS = {status.value: status for status in OutcomeStatus if status not in _OURS}
_GOOD = frozenset({OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.QUEUED})
_OF_ERRORS = {
    ErrorKind.UNKNOWN_TOOL: OutcomeStatus.UNSUPPORTED,
    ErrorKind.BAD_ARGUMENTS: OutcomeStatus.INVALID,
    ErrorKind.UNAVAILABLE: OutcomeStatus.SYSTEM_DOWN,
}
_NEVER_RAN = frozenset({ErrorKind.UNKNOWN_TOOL, ErrorKind.BAD_ARGUMENTS})


class Permission(StrEnum):
    """The rule that let a call through or held it back."""

    LOOKS = "it only looks"
    AGREED = "it was agreed to"
    ORDINARY = "it is an ordinary wish, which needs no yes"
    TRUSTED_MODEL = "the model is trusted to do what can be taken back"
    ALWAYS = "the owner always allows it"
    UNCONFIRMED = "permission.confirm is off"
    SENSITIVE = "it is sensitive, so a yes comes first"
    DRASTIC = "it cannot be taken back, so a yes comes first"
    DOUBTFUL = "it was not sure that it is meant, so a yes comes first"
    FROM_OUTSIDE = "a stranger's words may be the reason for it, so a yes comes first"
    FOREIGN = "it is a tool of a server that is not trusted, so a yes comes first"
    NEVER = "the owner does not allow it"
    NEEDS_PERSON = "it needs a yes of a person, which does not count from here"
    NO_WISH = "no action was asked for"
    NOT_SEARCHED = "no search was asked for"
    READ_ONLY = "nothing may be changed in this turn"
    WRONG_DOOR = "it is sensitive, and permission.sensitive_channels does not name this channel"


class Decision(StrEnum):
    ALLOWED = "allowed"
    ASK = "ask"  # only after the user has said yes
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's decision about one call. The reason is for the model and the log, `spoken` for people."""

    decision: Decision
    reason: str = ""
    spoken: str = ""  # for people, where it differs from the reason
    why: Permission | None = field(default=None, compare=False)  # the rule, for the record
    allow: str = ""  # the command by which the owner would allow a refused call


ALLOWED = Verdict(Decision.ALLOWED)


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something in a result that is no text: a picture, a sound, a file, or a link to one."""

    kind: str  # image, audio, video, file or link
    mime_type: str = ""  # as its server says
    name: str = ""
    data: str | None = None  # base64, as it came; a link has none
    uri: str = ""
    size: int | None = None  # bytes, of a link whose server says so

    def to_json(self) -> dict[str, Any]:
        """Without its data, which `--save` fetches."""
        size = self.size if self.data is None else len(self.data) * 3 // 4 - self.data[-2:].count("=")
        facts = {"kind": self.kind, "mime_type": self.mime_type, "name": self.name, "uri": self.uri}
        return {**facts, "bytes": size}


@dataclass(slots=True)  # never changed; `frozen` would make it a tenth of a whole call
class ToolOutcome:
    """The result of one call. `text` is complete and for people; `for_model` is capped."""

    call_id: str
    name: str
    text: str
    ok: bool
    seconds: float
    args: Mapping[str, Any] = field(default_factory=dict)  # those that reached the tool
    error: ErrorKind | None = None
    structured: Any = None
    read_only: bool = False
    for_model: str = ""
    verdict: Verdict = ALLOWED  # of the gate; a call that it did not allow never ran
    doubtful: bool = False  # its text says that it failed, or it has none, and it is not marked as an error
    outside: bool = False  # its text has words from outside the house in it
    artifacts: tuple[Artifact, ...] = ()  # what its text only speaks of
    spoken: str = ""  # for people, where the text is for a model: it names the tool and its parameters
    believed: bool = True  # what it reports of devices, and how to undo it; not of an untrusted server

    @property
    def trouble(self) -> str:
        """Why it failed, in words for people."""
        return self.spoken or self.text.removeprefix("Error:").strip()

    @property
    def facts(self) -> Mapping[str, Any]:
        """The structured content of the result; empty if there is none, or if it is not believed."""
        return self.structured if self.believed and isinstance(self.structured, Mapping) else {}

    @property
    def status(self) -> OutcomeStatus:
        """The status; the only place that reads a server's `outcome`. An unknown value is never success."""
        if self.verdict.decision is not Decision.ALLOWED:
            asked = self.verdict.decision is Decision.ASK
            return OutcomeStatus.WAITING if asked else OutcomeStatus.NOT_PERMITTED
        word = self.structured.get("outcome") if isinstance(self.structured, Mapping) else None
        claimed = _OF_SERVERS.get(word) if isinstance(word, str) else None
        if self.doubtful and claimed is None:
            return OutcomeStatus.READ if self.ok and self.read_only else OutcomeStatus.UNCONFIRMED
        if claimed is not None and claimed not in _GOOD:
            return claimed
        if self.ok:  # a word of a foreign server is no success
            foreign = claimed is None and isinstance(word, str)
            acted = OutcomeStatus.UNCONFIRMED if foreign else claimed or OutcomeStatus.CONFIRMED
            return OutcomeStatus.READ if self.read_only else acted
        if self.error == ErrorKind.TIMEOUT and not self.read_only:
            return OutcomeStatus.UNCONFIRMED  # it may still happen
        return _OF_ERRORS.get(self.error, OutcomeStatus.FAILED) if self.error else OutcomeStatus.FAILED

    @property
    def ran(self) -> bool:
        """Whether the tool was reached, so that something may have happened."""
        return self.verdict.decision is Decision.ALLOWED and self.error not in _NEVER_RAN

    def to_json(self) -> dict[str, Any]:
        """The shape that `--json` promises."""
        return {
            "call_id": self.call_id,
            "name": self.name,
            "args": dict(self.args),
            "text": self.text,
            "ok": self.ok,
            "error": self.error,
            "seconds": round(self.seconds, 6),
            "structured": self.structured,
            **({"artifacts": [artifact.to_json() for artifact in self.artifacts]} if self.artifacts else {}),
        }


# Asked before a call runs, with the arguments as they would reach the tool.
Gate = Callable[[ToolCall, ToolTraits], Verdict]


class PartSource(StrEnum):
    """The origin of a part of a reply."""

    GATEWAY = "gateway"  # true of the home: it is worded from outcomes
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a reply, with its source."""

    source: PartSource
    text: str

    def to_json(self) -> dict[str, str]:
        return {"source": self.source.value, "text": self.text}


def joined(pieces: Iterable[Part]) -> tuple[Part, ...]:
    """The pieces of a stream as parts: neighbours of one source are one part."""
    groups = groupby(pieces, lambda piece: piece.source)
    parts = [Part(source, "".join(piece.text for piece in group).strip()) for source, group in groups]
    return tuple(part for part in parts if part.text)


# Where the parts of a reply go while it is made.
Say = Callable[[Part], None]


class Autonomy(StrEnum):
    """What happens to a doubtful act of a model."""

    ACT = "act"  # it is done, if it can be taken back
    ASK = "ask"  # the user is asked
    LOOK = "look"  # it is refused


class Words(StrEnum):
    """How far the user's words are a request to act."""

    WISH = "plainly a wish"
    DOUBTFUL = "no plain wish"  # a question, negation, condition, statement, somebody's words
    TALK = "plainly talk"  # nothing of this home, no tool's subject


@dataclass(frozen=True, slots=True)
class Passed:
    """A stage that did not answer, and why."""

    stage: str
    reason: str
    words: Words = Words.WISH
    spoken: str | None = None  # what to say when no later stage answers either
    unspoken_of: frozenset[str] = frozenset()  # tools: nothing was said of what they are for
    last: bool = False  # no later stage is asked


@dataclass(frozen=True, slots=True)
class Reply:
    """The words of the gateway, and the outcomes behind them."""

    text: str
    outcomes: tuple[ToolOutcome, ...] = ()
    stage: str = "none"
    ok: bool = True  # a stage answered and no call of the turn failed
    expects_answer: bool = False
    conversation_id: str = "default"
    seconds: float = 0.0
    passed: tuple[Passed, ...] = ()
    model: str | None = None
    understood: str = ""  # what the words were taken for, without a model
    heard: str = ""  # what it answers, as it may be shown: without a PIN
    trust: str = ""  # how far the model was trusted that made it, and why
    parts: tuple[Part, ...] = ()  # the text by source; without them all of it is the gateway's

    def __post_init__(self) -> None:
        """Parts that do not make up the text count as one, the model's if any of them is."""
        if " ".join(part.text for part in self.parts) != self.text:
            by_model = any(part.source is PartSource.MODEL for part in self.parts)
            source = PartSource.MODEL if by_model else PartSource.GATEWAY
            object.__setattr__(self, "parts", (Part(source, self.text),) if self.text else ())

    def behind(self, text: str) -> "Reply":
        """The same reply with a sentence of the gateway before it."""
        parts = (Part(PartSource.GATEWAY, text), *self.parts)
        return replace(self, text=" ".join(part.text for part in parts), parts=parts)

    def to_json(self) -> dict[str, Any]:
        """The shape that `--json` promises."""
        return {
            "text": self.text,
            "parts": [part.to_json() for part in self.parts],
            "ok": self.ok,
            "stage": self.stage,
            "expects_answer": self.expects_answer,
            "conversation_id": self.conversation_id,
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "seconds": round(self.seconds, 6),
        }

    def explained(self) -> str:
        """For --explain: the stage that answered, why earlier ones passed, and the outcomes."""
        lines = [f"{passed.stage} passed: {passed.reason}" for passed in self.passed]
        lines += [f"the words are {each.words.value}" for each in self.passed if each.words is not Words.WISH]
        lines += [f"what the model may do on doubtful words: {self.trust}"] if self.trust else []
        lines += [f"understood: {self.understood}"] if self.understood else []
        model = f" with {self.model}" if self.model else ""
        lines.append(f"answered by: {self.stage}{model} in {self.seconds * 1000:.0f} ms")
        for outcome in self.outcomes:
            arguments = ", ".join(f"{key}={value!r}" for key, value in outcome.args.items())
            end = f"{'ok' if outcome.ok else f'failed ({outcome.error})'} in {outcome.seconds * 1000:.0f} ms"
            lines.append(f"  {outcome.name}({arguments}) {end}: {outcome.text}")
        conversation = f"an answer is expected: --conversation {self.conversation_id}"
        return "\n".join([*lines, conversation] if self.expects_answer else lines)


@dataclass(frozen=True, slots=True)
class Speech:
    """Sound that says a text: mono floats from -1 to 1 (a numpy array, which this file does not import)."""

    samples: Any
    rate: int
    text: str = ""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

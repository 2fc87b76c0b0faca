"""The data that moves through one turn, in order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4


def new_id() -> str:
    return uuid4().hex


def encodable(text: str) -> str:
    """Lone surrogates cannot be sent to anybody."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A piece of a stream of sound: mono, 16 kHz, int16 (a numpy array, which this file does not import)."""

    samples: Any
    start_seconds: float = 0.0  # where in its stream it begins; a jump says that something was lost


@dataclass(frozen=True, slots=True)
class WakeDetected:
    """A wake word was heard. `at_seconds` counts the sound that the detector got since it was made."""

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
    cut: bool = False  # it was ended because it was too long


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a segment says. Text that came from noise is kept away, with the reason in `noise`."""

    text: str
    seconds: float  # that the engine took
    audio_seconds: float = 0.0
    noise: str | None = None
    model: str | None = None  # the engine's name


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a person said, by whichever door it came in."""

    text: str
    door: str = "cli"
    conversation_id: str = "default"
    room: str | None = None  # where the door stands; settles "turn on the light"
    id: str = field(default_factory=new_id)
    heard_by: str | None = None  # the speech engine; typed words have none
    heard_seconds: float | None = None  # that it took

    def __post_init__(self) -> None:
        """Whatever came in by a door can go out by every other."""
        for name in ("text", "conversation_id", "room", "id"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, encodable(given))


@dataclass(frozen=True, slots=True)
class ToolTraits:
    """What is known of a tool beyond LangChain's interface; kept in `tool.metadata["traits"]`.

    A missing MCP hint keeps the protocol's cautious meaning: not read-only, not idempotent. `destructive` is
    True only where it was said so explicitly.
    """

    source: str = "builtin"  # "builtin" or the MCP server's name
    original_name: str = ""  # the name its server gave it
    title: str = ""
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    output_schema: Mapping[str, Any] | None = None
    timeout_seconds: float | None = None  # the tool's own limit, where it has one
    cancellation_safe: bool = (
        False  # code of ours that ends at once when cancelled: it needs no task of its own
    )

    @property
    def side_effects(self) -> bool:
        return not self.read_only


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request to run a tool. `args` should be a dict; whatever else a model sends gets an outcome too."""

    id: str
    name: str
    args: Any = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What really happened to one call. `text` is the full result; `for_model` is capped."""

    call_id: str
    name: str
    text: str
    ok: bool
    seconds: float
    args: Mapping[str, Any] = field(default_factory=dict)  # those that reached the tool
    error: str | None = None  # None or a kind: unknown_tool, bad_arguments, timeout, unavailable, failed
    structured: Any = None
    read_only: bool = False
    for_model: str = ""

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
        }


# Asked before a call runs, with the arguments as they would reach the tool. A text refuses the call, and is
# what the model and the user are told; None lets it through.
Gate = Callable[[ToolCall, ToolTraits], str | None]

# Where a reply's text goes while it is made, piece by piece.
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Passed:
    """A stage that did not answer, and why."""

    stage: str
    reason: str
    forbid_side_effects: bool = False  # the next stage may look, but not act
    spoken: str | None = None  # what to say when no later stage answers either
    forbid_tools: frozenset[str] = frozenset()  # these may not act: nothing was said of what they are for


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said, together with what was really done."""

    text: str
    outcomes: tuple[ToolOutcome, ...] = ()
    stage: str = "none"
    ok: bool = True  # a stage answered and no call of the turn failed
    expects_answer: bool = False
    conversation_id: str = "default"
    seconds: float = 0.0
    passed: tuple[Passed, ...] = ()
    model: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The shape that `--json` promises."""
        return {
            "text": self.text,
            "ok": self.ok,
            "stage": self.stage,
            "expects_answer": self.expects_answer,
            "conversation_id": self.conversation_id,
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True, slots=True)
class Speech:
    """Sound that says a text: mono floats from -1 to 1 (a numpy array, which this file does not import)."""

    samples: Any
    rate: int
    text: str = ""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

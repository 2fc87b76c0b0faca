"""The interface between the loop and a provider's model, and how far a model is trusted."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from voice_gateway.config import AutonomySetting
from voice_gateway.errors import BrainError
from voice_gateway.llm.offer import Offer
from voice_gateway.turn import Autonomy
from voice_gateway.turns.stage import Trust

OnText = Callable[[str], None]
Completion = Callable[[Sequence[BaseMessage], OnText], Awaitable[AIMessage]]


class UnreadableCall(BrainError):
    """The model called a tool in a form that its client could not read; it is worth asking once more."""


class Model(Protocol):
    """One provider's model in one turn, with its tools bound.

    `reply` takes the conversation without the system prompt and gives the whole message; its text goes to the
    second argument piece by piece while it comes. A message that is not complete is a BrainError, as is any
    other trouble.
    """

    @property
    def stage(self) -> str: ...  # the stage's name: `ollama` or `anthropic`
    @property
    def model_name(self) -> str: ...
    @property
    def offer(self) -> Offer: ...  # the tools that it was bound to
    @property
    def several_steps(self) -> bool: ...  # whether it is asked again after all went well
    @property
    def reply(self) -> Completion: ...


async def collected(
    stream: AsyncIterator[AIMessageChunk],
    on_text: Callable[[str], None],
    translated: Callable[[Exception], Awaitable[BrainError]],
) -> AIMessageChunk | None:
    """The whole message of a stream. Its errors are the provider's; those of `on_text` are ours, and stay."""
    whole: AIMessageChunk | None = None
    try:
        while True:
            try:
                chunk = await anext(stream)
            except StopAsyncIteration:
                return whole
            except Exception as error:
                raise await translated(error) from error
            whole = chunk if whole is None else whole + chunk
            if text := str(chunk.text):
                on_text(text)
    finally:
        if isinstance(stream, AsyncGenerator):  # closes the request, so that the server stops writing
            await stream.aclose()


# --- trust

# Below this a model that is asked again after a good outcome mostly repeats itself, or undoes what it did.
LEAST_BILLIONS = 7.0
_SIZE = re.compile(r"(?:(\d+)\s*x\s*)?(\d+(?:\.\d+)?)\s*([KMBT])", re.IGNORECASE)
_BILLIONS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}


def is_trusted(provider: str, parameter_size: str | None) -> bool:
    """The one place that decides it. `parameter_size` is Ollama's word: "7.6B"; unknown: not trusted."""
    return provider == "anthropic" or billions(parameter_size or "") >= LEAST_BILLIONS


def trust(setting: AutonomySetting, *, provider: str, parameter_size: str | None = None) -> Trust:
    """What becomes of an act that the words do not plainly ask for."""
    if setting != "auto":
        return Trust(Autonomy(setting), f"brain.autonomy is {setting}")
    size = f"the model has {parameter_size} parameters" if parameter_size else "its size is not known"
    why = "Anthropic is trusted" if provider == "anthropic" else f"{size}, trusted are {LEAST_BILLIONS:.0f} B"
    autonomy = Autonomy.ACT if is_trusted(provider, parameter_size) else Autonomy.ASK
    return Trust(autonomy, f"brain.autonomy is auto: {why}")


def billions(parameter_size: str) -> float:
    """ "494.03M", "7.6B", "8x7B"; 0 for what is no size."""
    size = _SIZE.fullmatch(parameter_size.strip())
    return int(size[1] or 1) * float(size[2]) * _BILLIONS[size[3].upper()] if size else 0.0

"""The interface between the loop and a provider's model."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from voice_gateway.errors import BrainError
from voice_gateway.llm.offer import Offer


class UnreadableCall(BrainError):
    """The model called a tool in a form that its client could not read; it is worth asking once more."""


class Model(Protocol):
    """One provider's model with its tools bound. Trouble of any kind comes out as a BrainError."""

    @property
    def stage(self) -> str:
        """The stage's name: `ollama` or `anthropic`."""
        ...

    @property
    def model_name(self) -> str: ...

    @property
    def offer(self) -> Offer:
        """The tools this model was bound to."""
        ...

    @property
    def several_steps(self) -> bool:
        """Whether it is trusted to go on after all went well (see `trust`); known once it has answered."""
        ...

    def doubtful(self, messages: Sequence[BaseMessage]) -> bool:
        """Whether a reply to these can be trusted only when complete: nothing of it is said before."""
        ...

    async def reply(self, messages: Sequence[BaseMessage], on_text: Callable[[str], None]) -> AIMessage:
        """The whole message; its text goes to `on_text` piece by piece while it comes.

        `messages` are the conversation without the system prompt. A message that is not complete is an error.
        """
        ...


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

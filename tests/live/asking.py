"""How the live tests put a question, and what they learn from the answer."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, Say, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import HomeFacts, Turn

MakeClient = Callable[..., OllamaClient]
# The time is part of the prompt: the same question must be the same prompt from run to run.
NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


# Plainly talk, which streams; and a small model never finds the end of it.
STORY = "Tell me a very long story about a lighthouse keeper, in many short sentences."


def no_tools() -> ToolExecutor:
    return ToolExecutor(ToolManager())


async def ask(
    client: OllamaClient, words: str, *, history: History | None = None, say: Say | None = None
) -> Reply:
    home = HomeFacts(talk=True)  # so its words are streamed
    return await client.answer(Turn(Utterance(words), history=history or History(), say=say, home=home))


async def begins(client: OllamaClient, words: str) -> None:
    """Returns when the answer is being spoken, and leaves it: a small model may not find its end."""
    speaking = asyncio.Event()
    answer = asyncio.create_task(ask(client, words, say=lambda _: speaking.set()))
    spoken = asyncio.create_task(speaking.wait())
    async with asyncio.timeout(60):
        await asyncio.wait([answer, spoken], return_when=asyncio.FIRST_COMPLETED)
    if not speaking.is_set():
        answer.result()  # says why
    assert speaking.is_set()
    answer.cancel()
    await asyncio.wait([answer])


class Counts(logging.Handler):
    """What Ollama counted for each request, as the client logs it. Durations are in nanoseconds."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.requests: list[dict[str, int]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "model answered":
            facts = vars(record).items()
            self.requests.append(
                {key: value for key, value in facts if key.endswith(("_count", "_duration"))}
            )

    def prefill_seconds(self) -> list[float]:
        """How long the server read the prompt, request by request."""
        return [request["prompt_eval_duration"] / 1e9 for request in self.requests]

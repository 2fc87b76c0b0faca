"""`python -m bench.live_ollama`: how soon a real model acts and has told it, and what the warm-up saves."""

import asyncio
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import perf_counter

from ollama import AsyncClient
from tests.live.asking import Counts, ask
from tests.live.house import CONTROL, House
from tests.live.ollama_server import OllamaServer

from bench.driver import ROOT
from bench.table import Row, save, show
from voice_gateway.config import BrainSettings, OllamaSettings
from voice_gateway.errors import BrainError
from voice_gateway.llm.ollama.client import OllamaClient

SCRIPT = ROOT / "scripts" / "ollama"
PASSES = 4
# Alike in length, of the question and of the call it asks for; each pass swaps them.
QUESTIONS = ("turn on the kitchen light", "turn off the kitchen light")


@contextmanager
def real_ollama() -> Iterator[tuple[str, str]]:
    """The address and the model: the user's own, or the one that `scripts/ollama` sets up."""
    base_url, model = os.environ.get("OLLAMA_BASE_URL"), os.environ.get("OLLAMA_MODEL")
    if base_url and model:
        yield base_url, model
        return
    subprocess.run([SCRIPT, "setup"], check=True)
    lines = subprocess.run([SCRIPT, "env"], check=True, capture_output=True, text=True).stdout.splitlines()
    model = dict(line.split("=", 1) for line in lines)["TOOL_MODEL"]
    if not model:
        sys.exit("bench: the model that calls tools could not be had; nothing is measured")
    with tempfile.TemporaryDirectory() as folder, OllamaServer(SCRIPT, Path(folder, "server.log")) as server:
        yield server.base_url, model


@asynccontextmanager
async def client_of(
    base_url: str, model: str, house: House, *, several_steps: bool = False
) -> AsyncIterator[OllamaClient]:
    settings = OllamaSettings(
        base_url=base_url, model=model, num_ctx=2048, num_predict=160, timeout_seconds=240
    )
    client = OllamaClient(settings, BrainSettings(several_steps=several_steps), house.executor)
    try:
        yield client
    finally:
        await client.aclose()


async def seconds_to_the_call(client: OllamaClient, house: House, question: str) -> float:
    started = perf_counter()
    await ask(client, question)
    moments = [moment for name, moment in house.moments if name == CONTROL and moment > started]
    if not moments:
        raise BrainError(f"the model did not call {CONTROL} for: {question}")
    return moments[0] - started


async def seconds_to_the_end(client: OllamaClient, house: House, question: str) -> float:
    """From the words to the end of the reply that tells what was done."""
    started = perf_counter()
    reply = await ask(client, question)
    if not reply.outcomes:
        raise BrainError(f"the model did not call {CONTROL} for: {question}")
    return perf_counter() - started


async def forget(base_url: str, model: str) -> None:
    """The server forgets the model and all that it had read."""
    async with AsyncClient(base_url, trust_env=False) as plain:
        await plain.generate(model, keep_alive=0)


async def measure(base_url: str, model: str, questions: tuple[str, str], counts: Counts) -> dict[str, float]:
    house = House()
    counts.requests.clear()
    await forget(base_url, model)
    async with client_of(base_url, model, house) as client:
        if not await client.warm_up():
            raise BrainError("the model could not be warmed up")
        first = await seconds_to_the_call(client, house, questions[0])
        of_second = len(counts.requests)
        second = await seconds_to_the_call(client, house, questions[1])
        prefill = counts.prefill_seconds()
        one_round = await seconds_to_the_end(client, house, questions[0])
    async with client_of(base_url, model, house, several_steps=True) as client:
        two_rounds = await seconds_to_the_end(client, house, questions[0])
    return {
        "first": first,
        "second": second,
        "cold_prefill": prefill[0],
        "warm_prefill": prefill[of_second],
        "one_round": one_round,
        "two_rounds": two_rounds,
    }


async def passes(base_url: str, model: str) -> dict[str, float]:
    logger, counts = logging.getLogger("voice_gateway.llm.ollama.chat"), Counts()
    logger.addHandler(counts)
    logger.setLevel(logging.DEBUG)
    figures: list[dict[str, float]] = []
    for number in range(PASSES):
        questions = QUESTIONS if number % 2 == 0 else QUESTIONS[::-1]
        figures.append(await measure(base_url, model, questions, counts))
        shown = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in figures[-1].items())
        print(f"pass {number + 1} of {PASSES}: {shown}", flush=True)
    # The quickest of all: other work on the machine can only add to it.
    return {name: min(figure[name] for figure in figures) for name in figures[0]}


def main() -> int:
    with real_ollama() as (base_url, model):
        figures = asyncio.run(passes(base_url, model))
    rows = [
        Row(
            "first tool call after warm-up", figures["first"], "s", 1.5, figures["second"], "second question"
        ),
        Row(
            "prefill of the second question",
            figures["warm_prefill"],
            "s",
            1 / 5,
            figures["cold_prefill"],
            "cold",
        ),
        Row(
            "words to end of reply, one round",
            figures["one_round"],
            "s",
            0.75,
            figures["two_rounds"],
            "several_steps = true",
        ),
    ]
    show(rows)
    print(f"→ {save('live_ollama', rows).relative_to(ROOT)}")
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

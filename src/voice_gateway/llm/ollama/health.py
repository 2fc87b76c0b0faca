"""Whether the model can be asked at all, found out without asking it anything."""

import asyncio
import json
from collections.abc import Callable
from time import perf_counter

from langchain_core.messages import HumanMessage

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import OllamaSettings
from voice_gateway.errors import BrainError
from voice_gateway.problems import MODEL_WITHOUT_FORMS

LOOK_SECONDS = 30.0  # while all is well; a turn that fails is noticed at once anyway
LOOK_SOON_SECONDS = 3.0  # while it is down
PROBE_SECONDS = 5.0


async def trouble(settings: OllamaSettings) -> BrainError | None:
    """What would go wrong with the next question. Asking for the model's description loads nothing."""
    import httpx

    from voice_gateway.llm.ollama.chat import translated

    try:
        async with httpx.AsyncClient(base_url=settings.base_url, timeout=PROBE_SECONDS) as http:
            shown = await http.post("/api/show", json={"model": settings.model})
            capabilities = shown.json().get("capabilities", []) if shown.is_success else None
    except Exception as error:  # also an address that is none, and an answer that is not Ollama's
        return await asyncio.to_thread(translated, error, settings, None)
    if capabilities is not None and "tools" in capabilities:
        return None
    from ollama import ResponseError

    refusal = ResponseError(shown.text[:200], 400 if capabilities is not None else shown.status_code)
    return translated(refusal, settings, capabilities)


async def form_seconds(settings: OllamaSettings) -> float:
    """How long the smallest form takes once the model is loaded. BrainError: the model fills none."""
    from voice_gateway.llm.ollama.chat import OllamaChat

    chat, schema = OllamaChat(settings), {"type": "object", "properties": {"is": {"enum": ["greeting"]}}}
    try:
        for _ in range(2):  # the first time it is loaded
            started = perf_counter()
            json.loads(await chat.fill([HumanMessage("Good day.")], "Fill in the form.", schema))
    except ValueError as error:
        raise BrainError(f"not a form: {error}", spoken=MODEL_WITHOUT_FORMS) from error
    finally:
        await chat.aclose()
    return perf_counter() - started


class ModelHealth:
    """Looks at Ollama from time to time and tells; sooner when it is down or a turn has failed."""

    def __init__(self, settings: OllamaSettings, tell: Callable[[BrainError | None], None]) -> None:
        self._settings = settings
        self._tell = tell
        self._doubt = asyncio.Event()

    def doubt(self) -> None:
        """Somebody got no answer: look at once."""
        self._doubt.set()

    async def run(self) -> None:
        while True:
            problem = await trouble(self._settings)
            self._tell(problem)
            self._doubt.clear()
            await wait_at_most(self._doubt, LOOK_SOON_SECONDS if problem else LOOK_SECONDS)

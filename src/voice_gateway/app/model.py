"""Builds the language model that the settings name, and reports its state."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from home_names.kinds import HomeDevice
from voice_gateway.config import Settings
from voice_gateway.errors import BrainError
from voice_gateway.events import PartState, State
from voice_gateway.llm.ollama.health import ModelHealth
from voice_gateway.problems import MODEL_NO_KEY
from voice_gateway.reports import autonomy_report, model_report
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.understanding.form import FormFiller, make_form
from voice_gateway.understanding.stage import UnderstandingStage

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway
    from voice_gateway.llm.anthropic.client import AnthropicClient
    from voice_gateway.llm.ollama.client import OllamaClient

    Model = OllamaClient | AnthropicClient

HOME_WAIT_SECONDS = 2.0  # for the device names in the prompt


def build_model(
    settings: Settings,
    executor: ToolExecutor,
    local: UnderstandingStage,
    *,
    instructions: Callable[[], Mapping[str, str]],
    ready: Callable[[], Awaitable[None]],
) -> "Model | None":
    """The client of the model that the settings name; `ready` returns when all tools are known."""
    if settings.brain.provider == "local":
        return None

    def devices() -> Sequence[HomeDevice]:
        """The devices named in the prompt: not those of servers that are not trusted."""
        return local.home.told_devices

    async def tools_ready() -> None:
        """Returns when all tools are known, and the home if it can be read soon."""
        await ready()
        if not local.home.devices:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HOME_WAIT_SECONDS):
                    await local.cache.refresh()

    home: dict[str, Any] = {"devices": devices, "instructions": instructions, "tools_ready": tools_ready}
    if settings.brain.provider == "ollama":
        from voice_gateway.llm.ollama.client import OllamaClient

        priority = settings.tools.priority
        client = OllamaClient(settings.ollama, settings.brain, executor, priority=priority, **home)
        client.form_prefix = lambda: make_form(local.home).prefix
        local.form = FormFiller(client)
        return client
    from voice_gateway.llm.anthropic.client import AnthropicClient

    return AnthropicClient(settings.anthropic, settings.brain, executor, **home)


def watch_model(gateway: "Gateway") -> None:
    """Report whether the model answers, until the gateway stops."""
    settings, events = gateway.settings, gateway.events
    part = f"brain {settings.brain.provider}"
    if settings.brain.provider == "ollama":
        events.report(part, State.STARTING, f"I am looking for my language model ({settings.ollama.model}).")

        def tell(error: BrainError | None) -> None:
            events.report(part, *model_report(error, settings.ollama.model))

        health = ModelHealth(settings.ollama, tell)

        def doubt(event: PartState) -> None:
            if event.part == part and event.state is State.DEGRADED:
                health.doubt()

        events.subscribe(doubt, PartState)
        gateway.start(health.run(), "brain.health")
    elif settings.anthropic.api_key is None:
        events.report(part, State.DEGRADED, MODEL_NO_KEY)
    else:  # no request is sent to a cloud only to check it
        sentence = f"My language model ({settings.anthropic.model}) is in the cloud and was not asked yet."
        events.report(part, State.OK, sentence)


def autonomy(model: "Model | None", since: float) -> list[PartState]:
    """The autonomy of the model; its size is known after the first answer."""
    if model is None:
        return []
    return [PartState("autonomy", State.OK, autonomy_report(model.trust()), since)]

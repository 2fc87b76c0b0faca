"""Builds the language model that the settings name, and reports its state."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from home_names.kinds import HomeDevice
from voice_gateway.errors import BrainError
from voice_gateway.events import PartState, State
from voice_gateway.llm.anthropic.errors import NO_KEY
from voice_gateway.llm.ollama.health import ModelHealth
from voice_gateway.problems import MODEL_NO_KEY
from voice_gateway.reports import autonomy_report, model_report

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway
    from voice_gateway.llm.anthropic.client import AnthropicClient
    from voice_gateway.llm.ollama.client import OllamaClient

    Model = OllamaClient | AnthropicClient

HOME_WAIT_SECONDS = 2.0  # for the device names in the prompt


def build_model(gateway: "Gateway") -> "Model | None":
    settings = gateway.settings
    if settings.brain.provider == "local":
        return None
    knows = _Knows(gateway)
    if settings.brain.provider == "ollama":
        from voice_gateway.llm.ollama.client import OllamaClient

        return OllamaClient(
            settings.ollama,
            settings.brain,
            gateway.executor,
            priority=settings.tools.priority,
            devices=knows.devices,
            instructions=gateway.link.instructions,
            tools_ready=knows.informed,
        )
    from voice_gateway.llm.anthropic.client import AnthropicClient

    return AnthropicClient(
        settings.anthropic,
        settings.brain,
        gateway.executor,
        devices=knows.devices,
        instructions=gateway.link.instructions,
        tools_ready=knows.informed,
    )


class _Knows:
    """The model's view of the home."""

    def __init__(self, gateway: "Gateway") -> None:
        self._local = gateway.local
        self._servers = gateway.servers

    def devices(self) -> Sequence[HomeDevice]:
        """The devices named in the prompt: not those of servers that are not trusted."""
        return self._local.home.told_devices

    async def informed(self) -> None:
        """Returns when all tools are known, and the home if it can be read soon."""
        await self._servers.tools_known()
        if not self._local.home.devices:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HOME_WAIT_SECONDS):
                    await self._local.refresh()


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
        events.report(part, State.DEGRADED, MODEL_NO_KEY, NO_KEY)
    else:  # no request is sent to a cloud only to check it
        sentence = f"My language model ({settings.anthropic.model}) is in the cloud and was not asked yet."
        events.report(part, State.OK, sentence)


def autonomy(model: "Model | None", since: float) -> list[PartState]:
    """The autonomy of the model; its size is known after the first answer."""
    if model is None:
        return []
    return [PartState("autonomy", State.OK, autonomy_report(model.trust()), since)]

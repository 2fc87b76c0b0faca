"""What a conversation asks of the gateway around it."""

from collections.abc import Sequence
from typing import Protocol

from home_words.kinds import HomeDevice
from voice_gateway.brain.local.fitting import Fitting
from voice_gateway.brain.local.meaning import Context
from voice_gateway.brain.local.understand import Reader
from voice_gateway.tools.permission import Fits
from voice_gateway.turn import Utterance


class Surroundings(Protocol):
    """A gateway; the home in it, and the tool servers that it is linked to."""

    def devices_named(self, name: str) -> Sequence[HomeDevice]:
        """Every device that a name could mean."""
        ...

    def fitting(self, utterance: Utterance, before: str) -> Fits:
        """Whether a call is what these words mean, behind those before them."""
        ...

    def abilities(self) -> str:
        """What can be asked for here, in a sentence."""
        ...

    async def linked(self) -> None:
        """Returns when the tool servers are there, or cannot be."""
        ...


class Nowhere:
    """For a conversation without a gateway around it."""

    def devices_named(self, _name: str) -> Sequence[HomeDevice]:
        return ()

    def fitting(self, utterance: Utterance, _before: str) -> Fits:
        return Fitting(utterance.text, Reader(Context()))

    def abilities(self) -> str:
        return ""

    async def linked(self) -> None:
        """There is nothing to wait for."""

"""What a conversation asks of the home and the tool servers around it."""

from typing import Protocol

from voice_gateway.integrations.zwave import ZwaveSource
from voice_gateway.tools.permission.gate import Fits
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits, Utterance
from voice_gateway.turns.stage import HomeFacts
from voice_gateway.understanding.fitting import Fitting, home_facts
from voice_gateway.understanding.interpreter import Interpreter
from voice_gateway.understanding.plan import Context
from voice_gateway.understanding.templates import language


class GatewayContext(Protocol):
    """The home, and what reads words about it: the understanding, in a gateway. Without one, as here, our own
    tools are known by name and no device is known."""

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        """What a call would touch in the home; None: it is no call of a home."""
        return ZwaveSource().reach(traits.original_name or call.name, call.arguments)

    def fitting(self, utterance: Utterance, before: str) -> Fits:
        """Whether a call is what these words mean, behind those before them."""
        return Fitting(utterance.text, self.grammar(), Context())

    def home_facts(self, text: str) -> HomeFacts:
        """The home's names and servers, and whether these words of a user are about it."""
        return home_facts(text, self.grammar(), Context(), frozenset())

    def grammar(self) -> Interpreter:
        """Reads the user's language."""
        return Interpreter(language("en"))

    async def tool_known(self, tool: str) -> None:
        """Returns when it is clear which server's tool this name means, or after a limit."""
        ...


class NullContext(GatewayContext):
    """For a conversation without a gateway around it."""

    async def tool_known(self, tool: str) -> None:
        """There is no server to wait for."""

"""The ways in: each makes an `Utterance`, awaits its answer, and delivers the `Reply`."""

from collections.abc import Awaitable, Callable

from voice_gateway.turn import Reply

# `Conversation.answer`: takes the utterance and, by name, where to say the reply and how to interrupt it.
Answer = Callable[..., Awaitable[Reply]]

"""What is said of a server that is reached by its address, when it fails: never with its secrets."""

from collections.abc import Callable

from voice_gateway.config import ServerSettings
from voice_gateway.errors import LinkError, ToolError, ToolUnavailable, first_error
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD, CallLost, Refused, shorten
from voice_gateway.mcp_client.http.exchange import TOO_MANY, Exchange
from voice_gateway.mcp_client.status import address

NO_ENTRY = (401, 403)


class FailureWording:
    def __init__(self, name: str, settings: ServerSettings, hide: Callable[[str], str]) -> None:
        self._name = name
        self._settings = settings
        self._hide = hide

    def failure(self, error: BaseException, exchange: Exchange) -> LinkError:
        """It could not be connected."""
        refused = f"HTTP status {exchange.status}: " if exchange.refused else ""
        said = exchange.broken and shorten(self._hide(exchange.broken))
        reason = f"{address(self._settings)} cannot be used: {refused}{said or self.without_secrets(error)}"
        return Refused(reason, exchange.status, exchange.words) if refused else LinkError(reason)

    def without_secrets(self, error: BaseException) -> str:
        """What it says, in short: libraries quote what they could not send."""
        cause = first_error(error)
        text = (str(cause) or type(cause).__name__).replace(self._settings.url or "", address(self._settings))
        return shorten(self._hide(text))

    def why_gone(self, turned_away: Exchange | None) -> str:
        if turned_away is not None:
            return f"{address(self._settings)} turned us away: HTTP status {turned_away.status}"
        return f"{address(self._settings)} does not answer any more, or no longer knows our session"

    def fault(self, exchange: Exchange) -> ToolError:
        """Of a server that is there."""
        if exchange.broken:
            return CallLost(
                f'The server "{self._name}" broke off: {self._hide(exchange.broken)}.',
                not_run=exchange.surely_not_run,
                replaced=False,
            )
        if exchange.status == TOO_MANY:
            return ToolUnavailable(f'The server "{self._name}" takes no more calls for the moment.')
        if exchange.refused:
            unsure = "" if exchange.surely_not_run else " What was asked may or may not have happened."
            return ToolUnavailable(
                f'The server "{self._name}" answered HTTP status {exchange.status}.{unsure}'
            )
        return ToolError(NOT_UNDERSTOOD)

    def lost(self, exchange: Exchange, turned_away: Exchange | None) -> ToolUnavailable:
        """A call whose server is gone: another connection takes its place."""
        sentence = self.unavailable(turned_away)
        if turned_away is not None and turned_away.status in NO_ENTRY:
            return sentence
        return CallLost(str(sentence), not_run=exchange.surely_not_run, replaced=True)

    def unavailable(self, turned_away: Exchange | None) -> ToolUnavailable:
        if turned_away is not None and turned_away.status in NO_ENTRY:
            return ToolUnavailable(self._no_token())
        if turned_away is not None:
            return ToolUnavailable(f'The server "{self._name}" is just starting, or is not set up.')
        return ToolUnavailable(f'The server "{self._name}" cannot be reached.')

    def _no_token(self) -> str:
        if self._settings.has_token:
            return f'The server "{self._name}" does not accept my token.'
        return f'The server "{self._name}" needs a login: voice-gateway mcp login {self._name}'

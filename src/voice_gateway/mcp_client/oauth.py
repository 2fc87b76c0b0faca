"""OAuth logins at MCP servers: a kept login is used and renewed, a new one is made in a browser."""

from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl, ValidationError

from voice_gateway.errors import LinkError, first_error
from voice_gateway.mcp_client.connection import shorten
from voice_gateway.mcp_client.login_file import LoginFile

UNAUTHORISED, REFUSED, TOO_MANY, FAULTY = 401, 400, 429, 500  # HTTP statuses
LOGIN_HTTP_SECONDS = 30.0
CLIENT_NAME = "voice-gateway"
# Enough for a server to see that it is an MCP client who has no token.
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTS = {"accept": "application/json, text/event-stream"}


def _metadata(redirect: str) -> OAuthClientMetadata:
    return OAuthClientMetadata(
        client_name=CLIENT_NAME,
        redirect_uris=[AnyUrl(redirect)],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )


class KeptLogin(OAuthClientProvider):
    """For a running gateway, without a person to log in: what cannot be renewed is a plain 401.

    Beyond the SDK's provider: after a restart it knows when the token expires and where to renew it, it
    renews a token that was refused early, and one call does not wait for another.
    """

    def __init__(self, url: str, file: LoginFile) -> None:
        super().__init__(url, _metadata("http://127.0.0.1/callback"), file)
        self._kept = file

    async def _initialize(self) -> None:
        try:
            await super()._initialize()
            self._kept.restore_endpoints(self.context)
        except ValidationError:  # the file was edited
            self.context.clear_tokens()
        self._initialized = True

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        async with self.context.lock:
            if not self._initialized:
                await self._initialize()
            if not self.context.is_token_valid() and self.context.can_refresh_token():
                await self._handle_refresh_response((yield await self._refresh_token()))
        if (used := self._token()) is not None:
            self._add_auth_header(request)
        response = yield request
        if response.status_code != UNAUTHORISED or used is None:
            return
        async with self.context.lock:
            if self._token() == used and self.context.can_refresh_token():
                await self._handle_refresh_response((yield await self._refresh_token()))
        if self._token() not in (used, None):
            self._add_auth_header(request)
            yield request

    def _token(self) -> str | None:
        return self.context.current_tokens.access_token if self.context.current_tokens else None

    async def _handle_refresh_response(self, response: httpx2.Response) -> bool:
        mine = self._token()
        if await super()._handle_refresh_response(response):
            return True
        await self._initialize()
        if self._token() not in (mine, None):
            return True  # another process of ours was first
        self.context.clear_tokens()
        if REFUSED <= response.status_code < FAULTY and response.status_code != TOO_MANY:
            self._kept.drop_tokens()  # for good: the next calls do not ask again
        return False


async def log_in(
    server: str,
    url: str,
    redirect: str,
    *,
    show: Callable[[str], Awaitable[None]],
    answer: Callable[[], Awaitable[AuthorizationCodeResult]],
    client_id: str | None = None,
) -> bool:
    """Whether a login was needed; a LinkError says why it failed. `show` gets the address to visit."""
    file = LoginFile(server, url, redirect)
    if client_id is not None:
        await file.set_client_info(
            OAuthClientInformationFull(
                client_id=client_id, redirect_uris=[AnyUrl(redirect)], token_endpoint_auth_method="none"
            )
        )
    provider = OAuthClientProvider(url, _metadata(redirect), file, show, answer)
    try:
        async with httpx2.AsyncClient(auth=provider, timeout=LOGIN_HTTP_SECONDS) as client:
            response = await client.post(url, json=HELLO, headers=ACCEPTS)
    except (OAuthFlowError, httpx2.HTTPError, ValidationError) as error:
        cause = first_error(error)
        raise LinkError(shorten(str(cause) or type(cause).__name__)) from error
    if provider.context.current_tokens is None:
        if response.status_code == UNAUTHORISED:
            raise LinkError("it wants a token, and offers no login")
        return False
    if response.status_code == UNAUTHORISED:
        raise LinkError("it does not accept the token of its own login")
    file.keep_endpoints(provider.context)
    return True

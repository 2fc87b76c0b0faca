"""OAuth logins at MCP servers: their file, using and renewing a kept login, a new login in a browser.

Importing this module imports the SDK."""

import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from voice_gateway.config.folders import data_folder
from voice_gateway.errors import LinkError, first_error
from voice_gateway.mcp_client.connection import shorten
from voice_gateway.private_files import private_file

UNAUTHORISED, REFUSED, TOO_MANY, FAULTY = 401, 400, 429, 500  # HTTP statuses
LOGIN_HTTP_SECONDS = 30.0
CLIENT_NAME = "voice-gateway"
# Enough for a server to see that it is an MCP client who has no token.
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTS = {"accept": "application/json, text/event-stream"}


class LoginFile:
    """One server's login, as the SDK's `TokenStorage`. A token is for its own address alone.

    With `redirect`, for a new login: the old tokens are not used, and a client registration only if it has
    this redirect address.
    """

    def __init__(self, server: str, url: str, redirect: str = "") -> None:
        self._redirect = redirect
        self.path: Path = data_folder() / "mcp-logins" / f"{server}.json"
        self._url = url

    def has_tokens(self) -> bool:
        return "tokens" in self._read()

    def forget(self) -> bool:
        """Whether there was a login."""
        known = self.path.exists()
        self.path.unlink(missing_ok=True)
        return known

    def drop_tokens(self) -> None:
        """They are refused for good; the client registration stays for the next login."""
        self._write(tokens=None, expires_at=None)

    async def get_tokens(self) -> OAuthToken | None:
        kept = self._read().get("tokens")
        return None if kept is None or self._redirect else OAuthToken.model_validate(kept)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        ends = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._write(tokens=_plain(tokens), expires_at=ends)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        if (kept := self._read().get("client")) is None:
            return None
        client = OAuthClientInformationFull.model_validate(kept)
        redirects = [str(uri) for uri in client.redirect_uris or []]
        return client if not self._redirect or self._redirect in redirects else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._write(client=_plain(client_info))

    def keep_endpoints(self, context: OAuthContext) -> None:
        """What the SDK discovered during the login, and would not know after a restart."""
        self._write(
            server=_plain(context.oauth_metadata), resource=_plain(context.protected_resource_metadata)
        )

    def restore_endpoints(self, context: OAuthContext) -> None:
        kept = self._read()
        context.token_expiry_time = kept.get("expires_at")
        if (server := kept.get("server")) is not None:
            context.oauth_metadata = OAuthMetadata.model_validate(server)
        if (resource := kept.get("resource")) is not None:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(resource)

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) and kept.get("url") == self._url else {}

    def _write(self, **changes: Any) -> None:
        kept = {**self._read(), "url": self._url, **changes}
        kept = {key: value for key, value in kept.items() if value is not None}
        fresh = private_file(self.path.with_name(f"{self.path.name}.{os.getpid()}"))
        fresh.write_text(json.dumps(kept), encoding="utf-8")
        fresh.replace(self.path)


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


def _plain(model: Any) -> Any:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)

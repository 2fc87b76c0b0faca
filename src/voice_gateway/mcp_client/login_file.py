"""The file that keeps a login at a server: tokens, client registration, endpoints for renewal (mode 0600)."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.config.folders import data_folder
from voice_gateway.private_files import private_file

if TYPE_CHECKING:
    from mcp.client.auth.oauth2 import OAuthContext
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken


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

    async def get_tokens(self) -> "OAuthToken | None":
        from mcp.shared.auth import OAuthToken

        kept = self._read().get("tokens")
        return None if kept is None or self._redirect else OAuthToken.model_validate(kept)

    async def set_tokens(self, tokens: "OAuthToken") -> None:
        ends = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._write(tokens=_plain(tokens), expires_at=ends)

    async def get_client_info(self) -> "OAuthClientInformationFull | None":
        from mcp.shared.auth import OAuthClientInformationFull

        if (kept := self._read().get("client")) is None:
            return None
        client = OAuthClientInformationFull.model_validate(kept)
        redirects = [str(uri) for uri in client.redirect_uris or []]
        return client if not self._redirect or self._redirect in redirects else None

    async def set_client_info(self, client_info: "OAuthClientInformationFull") -> None:
        self._write(client=_plain(client_info))

    def keep_endpoints(self, context: "OAuthContext") -> None:
        """What the SDK discovered during the login, and would not know after a restart."""
        self._write(
            server=_plain(context.oauth_metadata), resource=_plain(context.protected_resource_metadata)
        )

    def restore_endpoints(self, context: "OAuthContext") -> None:
        from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata

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


def _plain(model: Any) -> Any:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)

"""What servers have to read beside their tools, read tolerantly."""

import asyncio
import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from voice_gateway.artifacts import description_of, kind_of
from voice_gateway.errors import GatewayError, ToolError
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD, Requester, all_pages, shorten
from voice_gateway.turn import Artifact, encodable

ASK_SECONDS = 10.0  # for one server's answer
MOST = 1000  # entries of one list
LONGEST_WORDS = 300  # characters of a title or description


@dataclass(frozen=True, slots=True)
class Resource:
    server: str
    uri: str  # of a template: with {names} in it
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""
    size: int | None = None
    template: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a resource."""

    text: str  # for what is no text, a description of it
    artifacts: tuple[Artifact, ...]  # texts included: each can be kept as a file


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of one server."""

    server: str
    request: Requester

    async def listed(self) -> list[Resource]:
        listed = [
            self._resource(entry, "uri") for entry in await self._entries("resources/list", "resources")
        ]
        with suppress(GatewayError):  # not every server has templates
            templates = await self._entries("resources/templates/list", "resourceTemplates")
            listed += [self._resource(entry, "uriTemplate") for entry in templates]
        return [resource for resource in listed if resource.uri]

    async def read(self, uri: str) -> Contents:
        answer = await self._ask("resources/read", {"uri": uri})
        if not isinstance(answer.get("contents"), list):
            raise ToolError(NOT_UNDERSTOOD)
        parts = [_part(block, uri) for block in _mappings(answer["contents"])]
        text = "\n".join(text for text, _ in parts)
        return Contents(encodable(text), tuple(artifact for _, artifact in parts))

    async def _ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(ASK_SECONDS):
                return await self.request(method, params)
        except TimeoutError:
            raise ToolError(f'The server "{self.server}" did not answer in {ASK_SECONDS:g} s.') from None

    async def _entries(self, method: str, key: str) -> list[Mapping[str, Any]]:
        async def page(cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
            answer = await self._ask(method, {} if cursor is None else {"cursor": cursor})
            return _mappings(answer.get(key)), answer.get("nextCursor")

        return (await all_pages(page))[:MOST]

    def _resource(self, entry: Mapping[str, Any], key: str) -> Resource:
        uri, size = entry.get(key), entry.get("size")
        return Resource(
            self.server,
            uri[:2000] if isinstance(uri, str) else "",
            name=_words(entry, "name"),
            title=_words(entry, "title"),
            description=_words(entry, "description"),
            mime_type=_words(entry, "mimeType"),
            size=size if isinstance(size, int) and not isinstance(size, bool) else None,
            template=key == "uriTemplate",
        )


def _part(block: Mapping[str, Any], uri: str) -> tuple[str, Artifact]:
    own, mime_type = block.get("uri"), _words(block, "mimeType")
    uri = own if isinstance(own, str) and own else uri
    if isinstance(text := block.get("text"), str):
        data = base64.b64encode(encodable(text).encode()).decode()
        return text, Artifact("file", mime_type or "text/plain", "", data, uri)
    blob = block.get("blob")
    artifact = Artifact(kind_of(mime_type), mime_type, "", blob if isinstance(blob, str) else "", uri)
    return f"[{description_of(artifact)}]", artifact


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _words(entry: Mapping[str, Any], key: str) -> str:
    text = entry.get(key)
    if not isinstance(text, str):
        return ""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_WORDS])
    return encodable(shorten(" ".join(printable.split()), LONGEST_WORDS))

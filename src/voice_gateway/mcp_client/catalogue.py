"""What servers offer beside tools: resources to read and prompts to run, read tolerantly."""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from voice_gateway.artifacts import description_of, kind_of, read_blocks
from voice_gateway.errors import GatewayError, ToolError
from voice_gateway.mcp_client.connection import (
    NOT_UNDERSTOOD,
    Requester,
    all_pages,
    shorten,
)
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

    def fits(self, uri: str) -> bool:
        if not self.template:
            return self.uri == uri
        parts = re.split(r"\{[^{}]{1,80}\}", self.uri)
        return re.fullmatch(".{1,1000}".join(map(re.escape, parts)), uri) is not None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    required: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a resource, or the text of a prompt."""

    text: str = ""  # for what is no text, a description of it
    artifacts: tuple[Artifact, ...] = ()  # texts of a resource included: each can be kept as a file


@dataclass
class Catalogue:
    """Of all servers; one that does not answer costs only its own entries."""

    resources: list[Resource] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence each


@dataclass(frozen=True, slots=True)
class ServerCatalogue:
    """What one server offers."""

    server: str
    capabilities: frozenset[str]
    request: Requester

    async def add_to(self, made: Catalogue, of: str) -> None:
        """`of`: "resources" or "prompts"."""
        try:
            if of not in self.capabilities:
                return
            if of == "prompts":
                listed = await self._list("prompts/list", "prompts")
                made.prompts += [self._prompt(entry) for entry in listed if _words(entry, "name")]
                return
            found = [self._resource(entry, "uri") for entry in await self._list("resources/list", of)]
            with suppress(GatewayError):  # not every server has templates
                templates = await self._list("resources/templates/list", "resourceTemplates")
                found += [self._resource(entry, "uriTemplate") for entry in templates]
            made.resources += [resource for resource in found if resource.uri]
        except GatewayError as error:
            made.problems.append(f'The server "{self.server}" did not list its {of}: {error}')

    async def read(self, uri: str) -> Contents:
        answer = await self._ask("resources/read", {"uri": uri})
        return _contents(answer.get("contents"), lambda block: _of_resource(block, uri))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Contents:
        """Its messages, one per line; those of the assistant are marked as such."""
        answer = await self._ask("prompts/get", {"name": name, "arguments": dict(arguments)})
        return _contents(answer.get("messages"), _of_message)

    async def _ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(ASK_SECONDS):
                return await self.request(method, params)
        except TimeoutError:
            raise ToolError(f'The server "{self.server}" did not answer in {ASK_SECONDS:g} s.') from None

    async def _list(self, method: str, key: str) -> list[Mapping[str, Any]]:
        async def page(cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
            answer = await self._ask(method, {} if cursor is None else {"cursor": cursor})
            return _mappings(answer.get(key)), answer.get("nextCursor")

        return (await all_pages(page))[:MOST]

    def _resource(self, entry: Mapping[str, Any], key: str) -> Resource:
        uri, size = entry.get(key), entry.get("size")
        return Resource(
            self.server,
            uri[:2000] if isinstance(uri, str) else "",
            **_labels(entry, "name", "title", "description"),
            mime_type=_words(entry, "mimeType"),
            size=size if isinstance(size, int) and not isinstance(size, bool) else None,
            template=key == "uriTemplate",
        )

    def _prompt(self, entry: Mapping[str, Any]) -> Prompt:
        arguments = tuple(
            PromptArgument(required=each.get("required") is True, **_labels(each, "name", "description"))
            for each in _mappings(entry.get("arguments"))
            if _words(each, "name")
        )
        return Prompt(self.server, **_labels(entry, "name", "title", "description"), arguments=arguments)


async def catalogue(servers: Sequence[ServerCatalogue], *, of: str) -> Catalogue:
    """`of`: "resources" or "prompts"; all servers are asked at the same time."""
    made = [Catalogue() for _ in servers]
    await asyncio.gather(*(server.add_to(part, of) for server, part in zip(servers, made, strict=True)))
    return Catalogue(
        [resource for part in made for resource in part.resources],
        [prompt for part in made for prompt in part.prompts],
        [problem for part in made for problem in part.problems],
    )


def _contents(blocks: Any, read: Callable[[Mapping[str, Any]], tuple[str, Sequence[Artifact]]]) -> Contents:
    if not isinstance(blocks, list):
        raise ToolError(NOT_UNDERSTOOD)
    parts = [read(block) for block in _mappings(blocks)]
    artifacts = tuple(artifact for _, more in parts for artifact in more)
    return Contents(encodable("\n".join(text for text, _ in parts)), artifacts)


def _of_resource(block: Mapping[str, Any], uri: str) -> tuple[str, list[Artifact]]:
    own, mime_type = block.get("uri"), _words(block, "mimeType")
    uri = own if isinstance(own, str) and own else uri
    if isinstance(text := block.get("text"), str):
        data = base64.b64encode(encodable(text).encode()).decode()
        return text, [Artifact("file", mime_type or "text/plain", "", data, uri)]
    blob = block.get("blob")
    artifact = Artifact(kind_of(mime_type), mime_type, "", blob if isinstance(blob, str) else "", uri)
    return f"[{description_of(artifact)}]", [artifact]


def _of_message(message: Mapping[str, Any]) -> tuple[str, list[Artifact]]:
    content = message.get("content")
    texts, names, artifacts = read_blocks(_mappings(content if isinstance(content, list) else [content]))
    text = "\n".join([*texts, *(f"[{name}]" for name in names)])
    return (f"Assistant: {text}" if message.get("role") == "assistant" else text), artifacts


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _labels(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: _words(entry, key) for key in keys}


def _words(entry: Mapping[str, Any], key: str) -> str:
    text = entry.get(key)
    if not isinstance(text, str):
        return ""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_WORDS])
    return encodable(shorten(" ".join(printable.split()), LONGEST_WORDS))

"""What servers offer beside tools: resources to read and prompts to run; read out of whatever they send."""

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from voice_gateway.artifacts import kind_of, said
from voice_gateway.content_blocks import read_blocks
from voice_gateway.errors import GatewayError, ToolError
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD, Greeting, all_pages, shorten
from voice_gateway.turn import Artifact, encodable

Request = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]

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
    """What a resource holds, or a prompt says."""

    text: str = ""  # of what is no text, what it is
    artifacts: tuple[Artifact, ...] = ()  # texts of a resource included: each can be kept as a file


@dataclass
class Catalogue:
    """Of all servers; one that does not answer costs only its own."""

    resources: list[Resource] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence each


class Shelf:
    """What one server offers."""

    def __init__(self, server: str, greeting: Greeting, request: Request) -> None:
        self.server = server
        self.greeting = greeting
        self._request = request

    async def resources(self) -> list[Resource]:
        if "resources" not in self.greeting.offers:
            return []
        found = [
            self._resource(one, "uri")
            for one in await self._listed("resources/list", "resources", needed=True)
        ]
        templates = await self._listed("resources/templates/list", "resourceTemplates")
        found += [self._resource(one, "uriTemplate") for one in templates]
        return [one for one in found if one.uri]

    async def prompts(self) -> list[Prompt]:
        if "prompts" not in self.greeting.offers:
            return []
        listed = await self._listed("prompts/list", "prompts", needed=True)
        return [self._prompt(one) for one in listed if _words(one, "name")]

    async def read(self, uri: str) -> Contents:
        answer = await self._asked("resources/read", {"uri": uri})
        contents = answer.get("contents")
        if not isinstance(contents, list):
            raise ToolError(NOT_UNDERSTOOD)
        texts: list[str] = []
        artifacts: list[Artifact] = []
        for block in contents:
            if isinstance(block, Mapping):
                text, artifact = _of_contents(block, uri)
                texts.append(text)
                artifacts.append(artifact)
        return Contents(encodable("\n".join(texts)), tuple(artifacts))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Contents:
        """Its messages, one behind the other; who says one is said where it is not the user."""
        answer = await self._asked("prompts/get", {"name": name, "arguments": dict(arguments)})
        messages = answer.get("messages")
        if not isinstance(messages, list):
            raise ToolError(NOT_UNDERSTOOD)
        texts: list[str] = []
        artifacts: list[Artifact] = []
        for message in messages:
            if isinstance(message, Mapping):
                text, found = _of_message(message)
                texts.append(text)
                artifacts += found
        return Contents(encodable("\n".join(texts)), tuple(artifacts))

    async def _asked(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(ASK_SECONDS):
                return await self._request(method, params)
        except TimeoutError:
            raise ToolError(f'The server "{self.server}" did not answer in {ASK_SECONDS:g} s.') from None

    async def _listed(self, method: str, key: str, *, needed: bool = False) -> list[Mapping[str, Any]]:
        async def page(cursor: str | None) -> tuple[list[Mapping[str, Any]], Any]:
            answer = await self._asked(method, {} if cursor is None else {"cursor": cursor})
            listed = answer.get(key)
            found = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
            return found, answer.get("nextCursor")

        try:
            return (await all_pages(page))[:MOST]
        except GatewayError:
            if needed:
                raise
            return []  # not every server has templates

    def _resource(self, told: Mapping[str, Any], key: str) -> Resource:
        uri, size = told.get(key), told.get("size")
        return Resource(
            self.server,
            uri[:2000] if isinstance(uri, str) else "",
            _words(told, "name"),
            _words(told, "title"),
            _words(told, "description"),
            _words(told, "mimeType"),
            size if isinstance(size, int) and not isinstance(size, bool) else None,
            key == "uriTemplate",
        )

    def _prompt(self, told: Mapping[str, Any]) -> Prompt:
        listed = told.get("arguments")
        taken = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
        arguments = tuple(
            PromptArgument(_words(one, "name"), one.get("required") is True, _words(one, "description"))
            for one in taken
            if _words(one, "name")
        )
        return Prompt(
            self.server, _words(told, "name"), _words(told, "title"), _words(told, "description"), arguments
        )


async def catalogue(shelves: Sequence[Shelf], *, of: str) -> Catalogue:
    """`of`: "resources" or "prompts"; all servers are asked at the same time."""
    asked: list[Awaitable[Sequence[Resource | Prompt]]] = [
        shelf.resources() if of == "resources" else shelf.prompts() for shelf in shelves
    ]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    made = Catalogue()
    for shelf, answer in zip(shelves, answers, strict=True):
        if isinstance(answer, GatewayError):
            made.problems.append(f'The server "{shelf.server}" did not list its {of}: {answer}')
        elif isinstance(answer, BaseException):
            raise answer
        else:
            made.resources += [one for one in answer if isinstance(one, Resource)]
            made.prompts += [one for one in answer if isinstance(one, Prompt)]
    return made


def _of_contents(block: Mapping[str, Any], uri: str) -> tuple[str, Artifact]:
    own, mime_type = block.get("uri"), _words(block, "mimeType")
    uri = own if isinstance(own, str) and own else uri
    if isinstance(text := block.get("text"), str):
        data = base64.b64encode(encodable(text).encode()).decode()
        return text, Artifact("file", mime_type or "text/plain", "", data, uri)
    blob = block.get("blob")
    artifact = Artifact(kind_of(mime_type), mime_type, "", blob if isinstance(blob, str) else "", uri)
    return f"[{said(artifact)}]", artifact


def _of_message(message: Mapping[str, Any]) -> tuple[str, list[Artifact]]:
    content, role = message.get("content"), message.get("role")
    blocks = content if isinstance(content, list) else [content]
    texts, names, artifacts = read_blocks([one for one in blocks if isinstance(one, Mapping)])
    text = "\n".join([*texts, *(f"[{name}]" for name in names)])
    return (f"Assistant: {text}" if role == "assistant" else text), artifacts


def _words(told: Mapping[str, Any], key: str) -> str:
    found = told.get(key)
    if not isinstance(found, str):
        return ""
    plain = "".join(c if c.isprintable() else " " for c in found[: 4 * LONGEST_WORDS])
    return encodable(shorten(" ".join(plain.split()), LONGEST_WORDS))

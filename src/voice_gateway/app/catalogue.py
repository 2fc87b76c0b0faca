"""What commands ask of servers' resources and prompts, by the running gateway or without one."""

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from voice_gateway.artifacts import content, file_name, said
from voice_gateway.conversation.prompts import find_prompt, sentence
from voice_gateway.errors import GatewayError, ToolError
from voice_gateway.tools.plain_text import plain_text
from voice_gateway.tools.traits import traits
from voice_gateway.turn import Artifact, ToolOutcome

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway


async def catalogue_request(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    """Lists with the servers that did not answer; of what is read, its text and files, or the problem."""
    try:
        if asked["op"] == "resources":
            return await _resources(gateway, asked)
        return await _prompts(gateway, asked)
    except GatewayError as error:
        return {"problem": plain_text(str(error))[0]}


async def _resources(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked["action"] == "list":
        found = await gateway.link.resources()
        return {"resources": [one.to_json() for one in found.resources], "problems": found.problems}
    read = await gateway.link.read_resource(str(asked["uri"]), asked.get("server"))
    return {"text": plain_text(read.text)[0], "files": packed(read.artifacts)}


async def _prompts(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    found = await gateway.link.prompts()
    if asked["action"] == "list":
        listed = [{**one.to_json(), "say": sentence(one)} for one in found.prompts]
        return {"prompts": listed, "problems": found.problems}
    name = str(asked["name"])
    prompt = find_prompt(name, found.prompts)
    if prompt is None:
        raise ToolError(f'There is no prompt "{name}". {" ".join(found.problems)}'.strip())
    if lacking := [one.name for one in prompt.arguments if one.required and one.name not in asked["args"]]:
        example = " ".join(f"{one}=…" for one in lacking)
        raise ToolError(f'The prompt "{prompt.name}" needs {" and ".join(lacking)}: add {example}.')
    got = await gateway.link.get_prompt(prompt.server, prompt.name, asked["args"])
    return {"server": prompt.server, "name": prompt.name, "text": plain_text(got.text)[0]}


async def fetched(gateway: "Gateway", outcome: ToolOutcome) -> list[dict[str, Any]]:
    """The files of an outcome; a link is read by the server that gave it."""
    found: list[Artifact] = []
    tool = gateway.tools.find(outcome.name)
    server = traits(tool).source if tool is not None else None
    for one in outcome.artifacts:
        if one.kind != "link":
            found.append(one)
            continue
        try:
            found += (await gateway.link.read_resource(one.uri, server)).artifacts
        except GatewayError:
            continue  # an address for people, or one that has gone; the text names it
    return packed(found)


def packed(artifacts: "tuple[Artifact, ...] | list[Artifact]") -> list[dict[str, Any]]:
    """As they go through the control socket."""
    return [
        {"name": file_name(one, number), "said": said(one), "data": base64.b64encode(content(one)).decode()}
        for number, one in enumerate(artifacts, 1)
        if one.data is not None
    ]

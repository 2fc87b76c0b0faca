"""`voice-gateway prompts`: the prompts of MCP servers, what one says, and how it is said to the gateway."""

import argparse
import sys
from typing import Any

from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.catalogue import asked, columns, printed_problems
from voice_gateway.cli.command import wants_json
from voice_gateway.cli.tools import arguments_of

NONE = "No MCP server that is connected offers prompts."


async def prompts(options: argparse.Namespace) -> int:
    if options.action == "get":
        return await _get(options)
    answer = await asked(options, {"op": "prompts", "action": "list"})
    if wants_json(options):
        print_json(answer["prompts"])
    elif answer["prompts"]:
        columns([(one["server"], _called(one), _about(one)) for one in answer["prompts"]])
    else:
        print(NONE)
    return printed_problems(answer)


async def _get(options: argparse.Namespace) -> int:
    given = {key: str(value) for key, value in arguments_of(options).items()}
    message = {"op": "prompts", "action": "get", "name": options.name, "args": given}
    answer = await asked(options, message)
    if "problem" in answer:
        print_reply(f"Error: {answer['problem']}", out=sys.stderr)
        return 1
    if wants_json(options):
        print_json(answer)
    else:
        print_reply(answer["text"])
    return 0


def _called(one: dict[str, Any]) -> str:
    taken = [each["name"] if each["required"] else f"[{each['name']}]" for each in one["arguments"]]
    return " ".join([one["name"], *taken])


def _about(one: dict[str, Any]) -> str:
    about = (one["description"] or one["title"] or one["name"]).rstrip(". ")
    return f'{about}. Say: "{one["say"]}"'

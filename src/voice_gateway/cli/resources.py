"""`voice-gateway resources`: what MCP servers have to read, and reading it."""

import argparse
import sys
from pathlib import Path
from typing import Any

from voice_gateway.artifacts import size_of
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.catalogue import asked, columns, printed_problems
from voice_gateway.cli.command import wants_json
from voice_gateway.cli.saved_files import print_saved, save

NONE = "No MCP server that is connected offers resources."


async def resources(options: argparse.Namespace) -> int:
    if options.action == "read":
        return await _read(options)
    answer = await asked(options, {"op": "resources", "action": "list"})
    if wants_json(options):
        print_json(answer["resources"])
    elif answer["resources"]:
        columns([(one["server"], one["uri"], _about(one)) for one in answer["resources"]])
    else:
        print(NONE)
    return printed_problems(answer)


async def _read(options: argparse.Namespace) -> int:
    message = {"op": "resources", "action": "read", "uri": options.uri, "server": options.server}
    answer = await asked(options, message)
    if "problem" in answer:
        print_reply(f"Error: {answer['problem']}", out=sys.stderr)
        return 1
    files = answer.pop("files")
    saved = save(files, Path(options.save)) if options.save else []
    if wants_json(options):
        print_json({"uri": options.uri, **answer, "saved": [str(path) for path in saved]})
        return 0
    if not options.save:
        print_reply(answer["text"])
    print_saved(saved, files[: len(saved)])
    return 0


def _about(one: dict[str, Any]) -> str:
    facts = [one["title"] or one["name"], one["mime_type"]]
    facts += [size_of(one["size"])] if one["size"] is not None else []
    facts += ["put a value in place of {…}"] if one["template"] else []
    return ", ".join(fact for fact in facts if fact)

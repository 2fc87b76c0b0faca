"""Every problem by where one meets it: docs/troubleshooting.md is made from this (`make pages`)."""

import re
from collections.abc import Mapping
from itertools import chain

from voice_gateway.problems.channels import MQTT_BROKER, THE_VOICE, WEB_CONSOLE
from voice_gateway.problems.machine import CONVERSATIONS, THIS_MACHINE
from voice_gateway.problems.models import LANGUAGE_MODEL
from voice_gateway.problems.problem import Problem
from voice_gateway.problems.servers import TOOLS

# The headings are those of the page.
CATALOGUE: Mapping[str, tuple[Problem, ...]] = {
    "MCP servers and tools": TOOLS,
    "The MQTT broker": MQTT_BROKER,
    "The language model": LANGUAGE_MODEL,
    "This machine": THIS_MACHINE,
    "Conversations and commands": CONVERSATIONS,
    "The web console": WEB_CONSOLE,
    "The voice": THE_VOICE,
}


def problem_of(sentence: str) -> Problem | None:
    """The row that explains a sentence as it was said."""
    for problem in chain.from_iterable(CATALOGUE.values()):
        if any(_pattern(template).match(sentence) for template in problem.says):
            return problem
    return None


def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"{[^{}]*}", template.removesuffix(" Without it I can …"))
    return re.compile(".*".join(re.escape(piece) for piece in pieces), re.DOTALL)

"""What this gateway says of itself: from its settings and its tools, so that it is true."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from home_names.phrases import listed
from voice_gateway.brain.local.small_talk import SmallTalk
from voice_gateway.integrations.home import Home
from voice_gateway.tools.permission.risk import is_search
from voice_gateway.tools.traits import traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.config import BrainSettings

_WORDS = {
    SmallTalk.HELLO: "Hello! What can I do for you?",
    SmallTalk.HOW_ARE_YOU: "I'm fine, thank you.",
    SmallTalk.THERE: "Yes, I'm here.",
    SmallTalk.NICE: "Nice to meet you, too.",
    SmallTalk.THANKS: "You're welcome.",
    SmallTalk.BYE: "Goodbye!",
    SmallTalk.KIND: "I'm a program: the voice assistant of this house.",
    SmallTalk.MAKER: "I'm an open source program. People like you made me.",
    SmallTalk.WHERE: "I run on a computer in this house.",
    SmallTalk.ADD_MODEL: 'Install Ollama, then set provider to "ollama" in the section brain.',
}


@dataclass(frozen=True, slots=True)
class GatewayFacts:
    """What a gateway is, as far as people ask."""

    name: str = "Voice Gateway"
    microphone: bool = False
    wake_words: tuple[str, ...] = ()  # none: a key or a satellite starts it


def about_itself(
    kind: SmallTalk, about: GatewayFacts, brain: "BrainSettings", tools: Sequence["BaseTool"]
) -> str:
    """The answer to what is asked of the gateway; of abilities see `abilities`."""
    made = {
        SmallTalk.NAME: lambda: f"I'm {about.name}, the voice assistant of this house.",
        SmallTalk.LISTENS: lambda: _listens(about),
        SmallTalk.KEEPS: lambda: _keeps(brain),
        SmallTalk.KNOWS: lambda: _knows(brain, tools),
        SmallTalk.SENDS: lambda: _sends(brain, tools),
    }
    return made[kind]() if kind in made else _WORDS[kind]


def _listens(about: GatewayFacts) -> str:
    if not about.microphone:
        return "No, my microphone is off: I only get what you send me."
    if not about.wake_words:
        return "I only listen when you start me, and I keep no sound."
    words = listed([f'"{word.replace("_", " ")}"' for word in about.wake_words], "or")
    return f"I only wait for {words}, and forget all other sound."


def _keeps(brain: "BrainSettings") -> str:
    return f"I record no sound. {_memory(brain)}"


def _memory(brain: "BrainSettings") -> str:
    if brain.store == "memory":
        return f"I forget what we said after {_minutes(brain)}."
    place = "in a file here" if brain.store == "sqlite" else "in your own Redis"
    return f"What we say is kept {place}."


def _minutes(brain: "BrainSettings") -> str:
    minutes = round(brain.conversation_expiry_seconds / 60)
    return f"{minutes} minutes" if minutes > 1 else "a minute"


def _knows(brain: "BrainSettings", tools: Sequence["BaseTool"]) -> str:
    names = {tool.name for tool in tools}
    kept = [word for word, sign in (("timers", "timer"), ("lists", "list")) if _any(names, sign)]
    more = f", and your {listed(kept)}" if kept else ""
    if brain.store != "memory":
        return f"I know only what we said to each other{more}."
    return f"I know only what we said in the last {_minutes(brain)}{more}."


def _any(names: Iterable[str], sign: str) -> bool:
    return any(
        name.startswith(("set_", "add_", "change_", "update_", "manage_")) and sign in name for name in names
    )


def _sends(brain: "BrainSettings", tools: Sequence["BaseTool"]) -> str:
    asked = ["a web search"] if any(is_search(traits(tool), tool.name) for tool in tools) else []
    asked += ["the weather"] if any(tool.name == "get_weather" for tool in tools) else []
    if brain.provider == "anthropic":
        return "What I can't answer myself goes to Anthropic, and nothing else leaves the house unasked."
    if asked:
        return f"Nothing leaves the house, unless you ask for {listed(asked, 'or')}."
    return "No, nothing leaves the house."


# --- what can be done now, from the tools that are there

# In the order of what people want to know first.
_ABILITIES = {
    "set_timer": "set timers, alarms and reminders",
    "get_current_datetime": "tell the time",
    "calculate": "do sums",
    "get_weather": "tell the weather",
    "manage_list": "keep lists",
    "search_web": "search the web",
    "control_speaker_volume": "change the volume",
    "make_routine": "do things later or every day",
}
_OF_HOME = {
    "switch": "devices", "plug": "devices", "fan": "devices", "dimmer": "lights", "light": "lights",
    "blind": "blinds", "garage_door": "doors", "lock": "locks", "thermostat": "heating",
    "media_player": "music players", "vacuum": "vacuum",
}  # fmt: skip
MOST_FOREIGN, MOST_KINDS, MOST_ABILITIES = 3, 4, 4  # more nobody remembers


def abilities(tools: Iterable["BaseTool"], home: Home, spoken_to: Sequence[str] = ()) -> str:
    """`spoken_to` are the tools of other servers that words can reach, as they are called."""
    names = {traits(tool).original_name or tool.name for tool in tools}
    kinds = dict.fromkeys("lights" if one.is_light else _OF_HOME.get(one.kind, "") for one in home.devices)
    known = sorted((kind for kind in kinds if kind), key=lambda kind: kind == "devices")[:MOST_KINDS]
    every = [f"control your {listed(known)}"] if known else []
    every += [f"use {listed(list(spoken_to[:MOST_FOREIGN]))}"] if spoken_to else []
    every += [words for name, words in _ABILITIES.items() if name in names]
    if not every:
        return "I can't do anything at the moment: no tools are connected."
    more = ["more"] if len(every) > MOST_ABILITIES else []
    return f"I can {listed([*every[:MOST_ABILITIES], *more])}."

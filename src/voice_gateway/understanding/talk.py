"""Talk, the gateway's own manual, and what becomes of words that nobody understood."""

from dataclasses import dataclass
from typing import Final

from voice_gateway import languages
from voice_gateway.turn import Words
from voice_gateway.understanding.leaves import EXACT, UtteranceLeaves
from voice_gateway.understanding.lexer import PAUSES, Tokens
from voice_gateway.understanding.nodes import Chat, Everyday, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plans
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.templates import Language

SEARCH: Final = "search_web"
FEWEST_WORDS: Final = 3  # of what may be worth a search
MOST_ABILITIES: Final = 4  # more nobody remembers
# What is named first of what can be done: a kind of device, or a tool.
KINDS: Final = ("light", "blind", "lock", "garage_door", "thermostat", "media_player", "vacuum", "plug")
TOOLS: Final = (
    "set_timer", "get_current_datetime", "calculate", "get_weather", "manage_list", SEARCH,
    "control_speaker_volume", "make_routine",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GatewayFacts:
    """Facts about this gateway that people ask for."""

    name: str = "Voice Gateway"
    microphone: bool = False
    wake_words: tuple[str, ...] = ()  # none: a key or a satellite starts it
    days: float = 14.0  # so long turns are kept; 0: they are not
    provider: str = "local"
    servers: tuple[str, ...] = ()  # tools of other servers that words can reach


@plans(Chat)
def chat(node: Chat, context: Context) -> Plan:
    """The reply to talk. What a model answers better is refused, with a reply if there is no model."""
    about, facts = node.about, context.about or GatewayFacts()
    _ = node.query
    name = node.name if about == "cannot" else node.name.title()
    say = Say(f"talk.{about}", {"name": name})
    if node.soft or (about == "nothing_asked" and context.idle):  # a model may have asked
        raise Refused("talk", say, talk=True)
    if about == "again":
        if not context.said:  # what was said last, a model said
            raise Refused("talk", say, talk=True)
        say = Say("text", {"text": context.said})
    elif about == "can":
        say = _abilities(context, facts)
    else:
        words = tuple(f'"{word.replace("_", " ")}"' for word in facts.wake_words)
        told = {"name": name or facts.name, "either": words, "days": f"{facts.days:g}"}
        say = Say(f"talk.{about}{_which(about, node.name, context, facts)}", told)
    return Step(bare(node), say=say, topic="")


def _which(about: str, name: str, context: Context, facts: GatewayFacts) -> str:
    """The suffix of the reply that is true for this gateway."""
    asks = {SEARCH, "get_weather"} & context.tools
    kept, spoken = "" if facts.days else ".not", languages.say("language.name", context.reader.language.code)
    suffixes = {
        "listens": ".words" if facts.wake_words else "" if facts.microphone else ".off",
        "keeps": kept,
        "knows": kept,
        "sends": ".cloud" if facts.provider == "anthropic" else ".asked" if asks else "",
        "languages": ".this" if name == spoken else "" if name else ".any",
        "wake_word": ".now" if facts.wake_words else "",
    }
    return suffixes.get(about, "")


def _abilities(context: Context, facts: GatewayFacts) -> Say:
    """What this gateway can do, from its devices and tools."""
    kinds = {"light" if one.is_light else one.kind for one in context.home.devices}
    named = [Say(f"can.{kind}") for kind in KINDS if kind in kinds][:MOST_ABILITIES]
    can = [Say("can.control", {"all": tuple(named)})] if named else []
    can += [Say("text", {"text": text}) for text in facts.servers]
    can += [Say(f"can.{tool}") for tool in TOOLS if tool in context.tools]
    more = [Say("can.more")] if len(can) > MOST_ABILITIES else []
    return Say("talk.can", {"all": (*can[:MOST_ABILITIES], *more)}) if can else Say("talk.can_nothing")


# --- how far words are a wish


@dataclass(frozen=True, slots=True)
class Bearing:
    """What words are about that were not carried out."""

    words: Words
    home: bool  # a wish or a question about this home
    asks: bool = False


def bearing(reader: Reader, said: Tokens, tools: frozenset[str] = frozenset()) -> Bearing:
    """Judges words by what they name, how they begin and what forbids acts. In doubt they are no talk."""
    groups, every = reader.language.groups, frozenset(said.words)
    meant = {word for at, word in enumerate(said.words) if is_literal(reader.language, said, at + 1)}
    end = reader.prefix(said, "polite")  # "could you"
    body = said.part(end, len(said.words)) if 0 < end < len(said.words) else said
    first = body.words[0] if body.words else ""
    asks = (said.question or first in groups["asking"]) and body is said
    order = not asks and (first in groups["deeds"] or first in tools or body is not said)
    forbidden = not every.isdisjoint(reader.language.group("denial", "report", "condition"))
    forbidden = forbidden or first in groups["supposing"]
    named = names_something(reader, said, literally=True)
    things = named or not meant.isdisjoint(groups["matters"] | tools)
    ours = groups["addressed"].isdisjoint(body.words)  # "put it behind you" is not said to a home
    if order and things and ours and not forbidden and not asks:
        return Bearing(Words.WISH, True)
    pointed = not every.isdisjoint(groups["pointing"])
    if named or order or (things and (asks or forbidden)):
        return Bearing(Words.DOUBTFUL, named and (asks or order), asks)
    plain = first in groups["talk_opening"] and not pointed
    return Bearing(Words.TALK if plain else Words.DOUBTFUL, False, asks)


def names_something(reader: Reader, said: Tokens, *, literally: bool = False) -> bool:
    """Whether the words name a device or room of this home, or a kind of device."""
    leaves = UtteranceLeaves(said, reader.language, reader.index, EXACT)
    kinds = ("exact", "room", "scene", *(() if literally else ("kind", "kinds")))
    return bool(leaves.every(*kinds)) or (literally and bool(kinds_in(leaves, said)))


def kinds_in(leaves: UtteranceLeaves, said: Tokens) -> list[str]:
    """The words for kinds of devices, by what they mean."""
    hits = leaves.every("kind", "kinds")
    return [value for end, value, _ in hits if is_literal(leaves.language, said, end)]


def is_literal(language: Language, said: Tokens, end: int) -> bool:
    """Whether the word that ends here means itself: "light of my life" speaks of no light."""
    return said.words[end : end + 1] == () or said.words[end] not in language.groups["belongs"]


def unspoken_of(language: Language, said: Tokens) -> frozenset[str]:
    """Tools of the gateway that nothing in these words speaks of: no model may use them."""
    return frozenset(
        name.removeprefix("speaks_")
        for name, stems in language.groups.items()
        if name.startswith("speaks_")
        and not any(word.startswith(stem) for word in said.words for stem in stems)
    )


def worldly(reader: Reader, said: Tokens) -> bool:
    """Whether it is a question about the world, not about this home or the speaker."""
    found = bearing(reader, said)
    if not found.asks or found.words is not Words.TALK or len(set(said.words)) < FEWEST_WORDS:
        return False
    how_to = reader.prefix(said, "howto")
    return reader.language.groups["ours"].isdisjoint(said.words[how_to:])


def asks_world(reader: Reader, said: Tokens) -> bool:
    """Whether a part between pauses is such a question, and no other is doubtful: then a model may search."""
    parts = said.parts(PAUSES)
    others = [part for part in parts if not worldly(reader, part)]
    doubtful = any(bearing(reader, part).words is Words.DOUBTFUL for part in others)
    return len(others) < len(parts) and not doubtful


def unanswered(reader: Reader, said: Tokens, raw: str, context: Context) -> Question | Say:
    """The reply when no stage had an answer; for questions about the world it offers a search."""
    about = context.about or GatewayFacts()
    if not worldly(reader, said):
        return Say("not_understood")
    if SEARCH in context.tools:
        query = raw.strip().rstrip("?.! ")
        node = Everyday(tool=SEARCH, query=query)
        return Question(Say("ask.search"), node, expects="yes")
    return Say("talk.needs_model") if about.provider == "local" else Say("not_understood")

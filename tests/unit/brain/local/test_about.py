"""What the gateway says of itself is true: made from its settings and its tools."""

import pytest
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.brain.local.about import GatewayFacts, about_itself
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.small_talk import SmallTalk, small_talk
from voice_gateway.config import BrainSettings

TOOLS = manager_for(ScriptedHome.default()).all()
OUTSIDE = ("search_web", "get_weather")
AT_HOME = [tool for tool in TOOLS if tool.name not in OUTSIDE]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("hello again", SmallTalk.HELLO),
        ("how are you today", SmallTalk.HOW_ARE_YOU),
        ("is anybody there?", SmallTalk.THERE),
        ("thanks a million", SmallTalk.THANKS),
        ("see you later", SmallTalk.BYE),
        ("what should I call you", SmallTalk.NAME),
        ("are you Siri", SmallTalk.NAME),
        ("are you a real person", SmallTalk.KIND),
        ("who built you", SmallTalk.MAKER),
        ("are you listening to us all the time", SmallTalk.LISTENS),
        ("are you recording this", SmallTalk.KEEPS),
        ("how long do you keep what I say", None),
        ("do you remember what I said", SmallTalk.KEEPS),
        ("what do you know about us", SmallTalk.KNOWS),
        ("where do you send my voice", SmallTalk.SENDS),
        ("how do I add a model", SmallTalk.ADD_MODEL),
        ("what else can you do", SmallTalk.ABILITIES),
        # Wishes and other talk.
        ("can I listen to music", None),
        ("turn on the lamp", None),
        ("what can you tell me about whales", None),
        ("hello darkness my old friend", None),
        ("keep the lamp on", None),
        ("is the lamp on", None),
    ],
)
def test_what_is_asked_of_it(said: str, kind: SmallTalk | None) -> None:
    words = normalise(said)
    assert (small_talk(words.text) or small_talk(words.whole)) is kind


def test_what_it_sends_depends_on_the_provider_and_the_search() -> None:
    at_home, cloud = BrainSettings(), BrainSettings(provider="anthropic")

    assert "unless you ask for a web search" in about_itself(SmallTalk.SENDS, GatewayFacts(), at_home, TOOLS)
    assert about_itself(SmallTalk.SENDS, GatewayFacts(), at_home, AT_HOME) == "No, nothing leaves the house."
    assert "Anthropic" in about_itself(SmallTalk.SENDS, GatewayFacts(), cloud, TOOLS)


def test_what_it_keeps_depends_on_the_store() -> None:
    kept = BrainSettings(store="sqlite")

    assert "15 minutes" in about_itself(SmallTalk.KEEPS, GatewayFacts(), BrainSettings(), TOOLS)
    assert "kept in a file here" in about_itself(SmallTalk.KEEPS, GatewayFacts(), kept, TOOLS)


def test_whether_it_listens_depends_on_the_microphone() -> None:
    brain, waking = BrainSettings(), GatewayFacts(microphone=True, wake_words=("hey_jarvis",))

    assert "microphone is off" in about_itself(SmallTalk.LISTENS, GatewayFacts(), brain, TOOLS)
    assert '"hey jarvis"' in about_itself(SmallTalk.LISTENS, waking, brain, TOOLS)

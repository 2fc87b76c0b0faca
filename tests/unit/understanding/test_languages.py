"""Several languages in one home: which one a sentence is read in, and what the lexer takes from its data."""

import pytest
from home_assistant_intents import get_languages
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway import languages
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Utterance
from voice_gateway.understanding import lexer
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.templates import language


async def talk(*codes: str) -> tuple[Conversation, ScriptedHome]:
    home = ScriptedHome.default()
    executor, settings = ToolExecutor(manager_for(home)), BrainSettings(languages=codes)
    brain = UnderstandingStage(executor, settings)
    await brain.cache.refresh()
    home.calls.clear()
    return Conversation((brain,), executor, settings, PermissionSettings(), context=brain), home


@pytest.mark.parametrize(
    ("said", "code", "called"),
    [
        ("turn on the floor lamp", "en", "Floor Lamp"),
        ("schalte die Stehlampe aus", "de", "Floor Lamp"),
        ("mach das Kuechenlicht aus", "de", "Kitchen Light"),  # a room of another language, in one word
        ("stell die Floor Lamp auf 20,0 Prozent", "de", "Floor Lamp"),
    ],
)
async def test_a_sentence_is_answered_in_its_own_language(said: str, code: str, called: str) -> None:
    conversation, home = await talk("de", "en")
    await conversation.answer(Utterance(said))
    assert [args["deviceName"] for _, args in home.calls] == [called]
    assert languages.current() == code


async def test_words_of_two_languages_keep_that_of_the_last_turn() -> None:
    conversation, _ = await talk("de", "en")
    for first, code in (("turn on the floor lamp", "en"), ("mach die Stehlampe an", "de")):
        await conversation.answer(Utterance(first))
        await conversation.answer(Utterance("okay"))
        assert languages.current() == code


async def test_a_language_without_a_folder_reads_the_sentences_of_the_package() -> None:
    conversation, home = await talk("pt")
    await conversation.answer(Utterance("ligar floor lamp"))
    assert home.calls[0][1] == {"deviceName": "Floor Lamp", "action": "on"}


@pytest.mark.parametrize("code", ["ja", "tr", "fi", "zh-CN", "ar"])
def test_sentences_of_the_package_load(code: str) -> None:
    assert code in get_languages()
    assert language(code).grammar.rules["intent"]


def test_a_compound_is_cut_into_known_parts() -> None:
    words = lexer.Words.of({"compounds": "s n", "endings": "la"})
    parts = frozenset({"kueche", "lampe", "wohnzimmer", "licht"})
    cuts = {word: lexer.cut_word(word, words, {"spegni", "lampenfieber"}, parts) for word in (
        "kuechenlampe", "wohnzimmerlicht", "spegnila", "lampenfieber", "kuechenchef"
    )}  # fmt: skip
    assert cuts == {
        "kuechenlampe": ["kueche", "lampe"], "wohnzimmerlicht": ["wohnzimmer", "licht"],
        "spegnila": ["spegni", "la"], "lampenfieber": None, "kuechenchef": None,
    }  # fmt: skip


def test_numbers_letters_and_apostrophes_are_read_as_the_language_writes_them() -> None:
    words = lexer.Words.of({"letters": {"é": "e"}, "decimal": ",", "oclock": "uhr", "elided": "dell"})
    assert lexer.plain("２１,5 Café dell'ingresso 18.30 Uhr", words) == (
        "21.5", "cafe", "dell'", "ingresso", "18:30", "uhr",
    )  # fmt: skip

"""What may be said is decided by what the turn is: who asked for what, and what tools brought about."""

import asyncio
import re
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.eval.grounding_eval import HOME, TALK, Judged, good, judge, read_outcomes, read_pairs, score

from voice_gateway.brain.grounding import Grounding, HomeNames, TurnKind, Wish
from voice_gateway.brain.grounding.claims import Claims
from voice_gateway.brain.grounding.looks import grounded
from voice_gateway.brain.languages import data, languages, languages_of, own_sentence
from voice_gateway.turn import ToolOutcome
from voice_gateway.turns.render_outcomes import render_outcomes
from voice_gateway.turns.sentences import sentences

NOT_CHECKED = own_sentence("not_checked", "en")
KNOWN = read_outcomes()
OWN_SENTENCES = ("not_checked", "not_changed", "part_left", "nothing_else")


def spoken(said: str, text: str, *outcomes: ToolOutcome, language: str = "en") -> str:
    """All that is said when these calls were made and the model then gave this text."""
    turn = Grounding(said, language, HOME)
    told = [turn.tell(outcome) for outcome in outcomes]
    told += [turn.review(sentence) for sentence in sentences(text)]
    return " ".join(filter(None, [*told, turn.finish()]))


# --- the user's words


@pytest.mark.parametrize(
    "said",
    ["hello", "who wrote Hamlet?", "tell me a joke", "thanks a lot", "wer war Goethe", "vem var Strindberg"],
)
def test_plain_talk_is_seen_as_such(said: str) -> None:
    assert Wish(said, HOME).kind is TurnKind.TALK


@pytest.mark.parametrize(
    "said",
    [
        "turn on the lamp",
        "could you make it warmer",
        "is the front door locked",
        "what time is it",
        "did you do it?",
        "yes please",
        "mach die Lampe an",
        "tänd lampan",
        "zamknij drzwi",
        "what about the Heater",
    ],
)
def test_wishes_and_questions_about_the_home_are_not_talk(said: str) -> None:
    assert Wish(said, HOME).kind is TurnKind.HOME


@pytest.mark.parametrize("said", ["電気をつけて", "bwrw ymlaen", "lumos", ""])
def test_what_nobody_can_tell_is_never_talk(said: str) -> None:
    assert Wish(said, HOME).kind is TurnKind.UNCLEAR


def test_names_of_this_home_count_whatever_they_are_called() -> None:
    home = HomeNames(frozenset({"moby dick"}), frozenset({"the bridge"}))

    assert Wish("who is moby dick", HomeNames()).kind is TurnKind.TALK
    assert Wish("who is moby dick", home).kind is TurnKind.HOME


# --- no call


@pytest.mark.parametrize(
    "text",
    [
        "Done!",
        "The lamp is on.",
        "The lamp is on, anything else?",
        "What else can I do now that the lamp is on?",
        "How do you like the lamp I turned on?",
        "I can't complain, the lamp is on.",
        "I cannot find the switch, but the lamp is on anyway.",
        "I could swear the lamp is on.",
        "I can confirm that the lamp is on.",
        "Which lamp? I switched on both.",
        "Lampan är tänd.",
        "Lampa już świeci.",
        "電気をつけました。",
    ],
)
def test_after_a_wish_without_a_call_our_own_sentence_is_said(text: str) -> None:
    assert spoken("turn on the lamp", text) == NOT_CHECKED


@pytest.mark.parametrize(
    "text",
    [
        "Which lamp do you mean?",
        "Sure, which lamp should I turn on?",
        "Shall I turn it on?",
        "I can't do that.",
        "I'm sorry, but I cannot turn on the television because there is no such device.",
        "I would have to know which lamp you mean.",
        "I could dim it instead.",
        "I don't know. Which one do you mean?",
    ],
)
def test_one_question_inability_refusal_and_offers_pass(text: str) -> None:
    assert Claims(Wish("turn on the lamp", HOME)).none(sentences(text)[0])
    assert spoken("turn on the lamp", text) == text


@pytest.mark.parametrize(
    "text",
    ["Das kann ich leider nicht.", "Vilken lampa menar du?", "Nie mogę tego zrobić.", "Quelle lampe ?"],
)
def test_they_pass_in_other_languages_too(text: str) -> None:
    assert spoken("turn on the lamp", text) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("doe het licht uit", "Ik kan het licht niet uitdoen want ik deed het net uit."),
        ("sammuta valo", "En voi sammuttaa sitä koska sammutin sen juuri."),
        ("kapcsold le a lámpát", "Nem tudom lekapcsolni mert lekapcsoltam az előbb."),
        ("apaga a luz", "Não posso apagar porque apaguei agora mesmo."),
        ("apaga la luz", "No puedo apagarla pues la apagué hace un momento."),
        ("spegni la luce", "Non posso spegnerla perché la spensi poco fa."),
        ("släck lampan", "Jag kan inte släcka den för jag släckte den nyss."),
        ("sluk lampen", "Jeg kan ikke slukke den fordi jeg slukkede den lige."),
        ("zgaś lampę", "Nie mogę zgasić bo zgasiłem przed chwilą."),
        ("zhasni lampu", "Nemůžu zhasnout protože jsem zhasl před chvílí."),
        ("éteins la lampe", "Je ne peux pas l'éteindre car je viens de l'éteindre."),
        ("выключи свет", "Я не могу выключить потому что выключил только что."),
    ],
)
def test_inability_has_no_room_for_a_made_up_reason(said: str, text: str) -> None:
    assert spoken(said, text) == NOT_CHECKED


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("電気を消して", "電気を消しましたけど大丈夫ですか？"),
        ("電気を消して", "玄関の鍵は閉まっていますが何かありますか？"),
        ("電気を消して", "どこも閉まっています？"),
        ("불 꺼", "불을 껐는데 괜찮으세요?"),
        ("أطفئ الضوء", "أطفأت الضوء، هل هذا جيد؟"),
        ("关灯", "灯关了好吗？"),
        ("关灯", "我把灯关了可以吗？"),
        ("बत्ती बंद करो", "मैंने बत्ती बंद कर दी ठीक है?"),
        ("ปิดไฟ", "ปิดไฟแล้วนะคะ?"),
    ],
)
def test_a_question_in_unknown_words_never_stands_alone(said: str, text: str) -> None:
    assert spoken(said, text) == f"{NOT_CHECKED} {text}"


@pytest.mark.parametrize(
    "text", ["どの電気ですか？", "어느 방이요?", "哪个房间？", "أي غرفة؟", "Care cameră?"]
)
def test_in_unknown_words_a_bare_question_passes(text: str) -> None:
    assert spoken("關燈", text) == text


def test_the_fixed_sentence_speaks_the_language_of_the_brain_or_english() -> None:
    assert spoken("turn on the lamp", "Done.", language="sv").startswith("Jag har inte")
    assert spoken("turn on the lamp", "Done.", language="pt-BR").startswith("Não mudei")
    assert spoken("turn on the lamp", "Done.", language="xx") == NOT_CHECKED


def test_a_language_whose_words_we_do_not_have_gets_our_sentence_in_front() -> None:
    assert spoken("電気をつけて", "電気をつけました。") == f"{NOT_CHECKED} 電気をつけました。"
    assert spoken("電気をつけて", "どの電気ですか？") == "どの電気ですか？"
    assert languages_of("電気をつけました。") == ()


def test_talk_passes_but_for_facts_of_the_home_and_deeds() -> None:
    talk = "Good night! Sleep well."
    assert spoken("good night", talk) == talk
    for claim in ("The lights are off.", "I locked up.", "Your coffee is ready.", "Lampan är släckt."):
        assert spoken("good night", f"Good night! {claim}") == f"Good night! {NOT_CHECKED}"


def test_what_follows_a_greeting_in_another_language_is_never_alone() -> None:
    for text in ("Dobranoc, wszystko pogaszone.", "Varsågod, nu är det tänt."):
        assert NOT_CHECKED in spoken("dobranoc", text)
    assert spoken("guten abend", "Guten Abend! Wie geht es dir?") == "Guten Abend! Wie geht es dir?"


def test_lamps_in_general_are_no_lamps_of_this_home() -> None:
    for text in ("A lamp needs electricity.", "Lamps need electricity to work."):
        assert spoken("why is electricity useful", text) == text


# --- only looked


def test_facts_of_a_look_pass_when_they_are_those_of_the_outcome() -> None:
    lamp = KNOWN["sees_lamp_on"]
    assert spoken("is the floor lamp on", "Yes, the floor lamp is on.", lamp) == "Yes, the floor lamp is on."
    for text in (
        "The floor lamp is off.",
        "It is on at 50 percent.",
        "The bedside lamp is on.",
        "It is not on.",
    ):
        assert spoken("is the floor lamp on", text, lamp) == lamp.text


def test_name_and_state_must_be_of_the_same_thing() -> None:
    home = KNOWN["home"]
    assert grounded("The ceiling light is off.", [home], "")
    assert grounded("The ceiling light is on.", [home], "") is False
    rooms = ToolOutcome("1", "list", "Red Lamp: on; Green Lamp: off", ok=True, seconds=0.1, read_only=True)
    assert grounded("The red lamp is on.", [rooms], "")
    assert grounded("The red lamp is off.", [rooms], "") is False
    assert grounded("The floor lamp.", [home], "which ones are off") is False


def test_a_sentence_without_a_fact_never_stands_alone() -> None:
    door = KNOWN["sees_door_locked"]
    assert spoken("is the front door locked", "Let me see.", door) == door.text
    assert spoken("is the front door locked", "Yes. The front door is locked.", door) == door.text.replace(
        "Front Door", "front door"
    )


def test_beside_a_look_the_joke_is_told_that_was_also_asked_for() -> None:
    lamp, joke = KNOWN["sees_lamp_off"], "Why did the tomato blush? It saw the salad dressing."
    told = spoken("is the floor lamp on and tell me a joke", f"The floor lamp is off. {joke}", lamp)
    assert told == f"The floor lamp is off. {joke}"


def test_whoever_wanted_an_act_hears_that_there_was_none() -> None:
    lamp = KNOWN["sees_lamp_off"]
    told = spoken("turn on the floor lamp", "I've switched it on.", lamp)
    assert told == f"{lamp.text} {own_sentence('not_changed', 'en')}"


# --- acted


@pytest.mark.parametrize(
    "text", ["I turned on the lamp.", "The oven is on, too.", "All done!", "Lampan är tänd."]
)
def test_after_an_act_the_model_does_not_tell_of_it(text: str) -> None:
    assert spoken("turn on the floor lamp", text, KNOWN["lamp_on"]) == KNOWN["lamp_on"].text


def test_a_failure_is_told_and_nothing_cheerful_beside_it() -> None:
    told = spoken(
        "turn on the floor lamp and tell me a joke", "It is shining brightly!", KNOWN["lamp_failed"]
    )
    assert told == "That did not work: The Floor Lamp did not turn on; it is still off."


def test_a_question_of_the_tool_is_asked_once() -> None:
    which = KNOWN["which_lamp"]
    assert spoken("turn on the lamp", "Which lamp do you mean?", which) == "Which lamp do you mean?"
    assert spoken("turn on the lamp", "Done.", which) == which.text.removeprefix("Error: ")


def test_of_two_devices_the_one_that_was_left_out_is_named() -> None:
    told = spoken("turn on the floor lamp and the bedside lamp", "Both shine.", KNOWN["lamp_on"])
    assert told == f"{KNOWN['lamp_on'].text} I have not done this part: “the bedside lamp”."


# --- the pairs that are known


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return asyncio.run(judge(read_pairs()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["a", "a, is ", "lumiere est ", "I can't ", "the lamp is on, ", "it is now ", "all the "]
)
def test_words_without_end_take_no_time(part: str) -> None:
    """A small model that goes round in circles must not hold up everybody else."""

    def seconds(length: int) -> float:
        endless = part * (length // len(part))
        started = process_time()
        for outcomes in ([], [KNOWN["lamp_on"]], [KNOWN["sees_lamp_on"]]):
            assert endless not in spoken("hello", f"{endless}.", *outcomes)
            spoken(endless, "The floor lamp is off.", *outcomes)
        return process_time() - started

    once = min(seconds(3_000) for _ in range(3))  # word lists are read the first time
    assert min(seconds(6_000) for _ in range(2)) < 3 * once + 0.1, "twice the words, twice the time"


ODD = st.lists(
    st.sampled_from(
        ["I", "can't", "lamp", "is", "on", "ich", "?", "!", ",", ".", "—", "21", "%", "'", "\n", "ß"]
    )
)


@settings(deadline=None)
@given(
    ODD.map(" ".join) | st.text(max_size=40),
    ODD.map(" ".join),
    st.lists(st.sampled_from(sorted(KNOWN)), max_size=2),
)
def test_no_words_and_no_outcome_are_too_odd(said: str, text: str, names: list[str]) -> None:
    outcomes = [KNOWN[name] for name in names]
    for words, reply in ((said, text), (text, said)):
        told = " ".join(filter(None, map(Grounding(words, "en", HOME).tell, outcomes)))
        assert spoken(words, reply, *outcomes).startswith(told), (
            "what was done is told first, whatever is said"
        )


@pytest.mark.slow
def test_no_known_untrue_reply_is_told(judged: list[Judged]) -> None:
    assert len(judged) >= 1774 + 120
    assert score(judged)["told"] == []
    assert score(judged)["own"] == []


@pytest.mark.slow
def test_honest_talk_is_hardly_touched(judged: list[Judged]) -> None:
    assert good({TALK: score([one for one in judged if one.pair.group == TALK])})


def test_a_reply_that_is_spoken_as_it_is_counts_as_told() -> None:
    """The judge itself can fail."""
    untrue = next(pair for pair in read_pairs() if pair.text == "The lamp turned on.")
    assert Judged(untrue, "The lamp turned on.").told
    assert not Judged(untrue, NOT_CHECKED).told
    assert not Judged(untrue, f"{NOT_CHECKED} The lamp turned on.").told
    assert Judged(untrue, NOT_CHECKED).touched


def test_what_the_gateway_says_of_its_own_counts_as_untrue_when_it_is_not_so() -> None:
    pair = next(pair for pair in read_pairs() if pair.said == "tänd golvlampan, tack")
    done = KNOWN["lamp_on"].text
    left = own_sentence("part_left", "en").format(part="tänd golvlampan")
    half = replace(pair, left=("tänd golvlampan",))

    assert not Judged(pair, done).own_untrue
    assert Judged(pair, f"{done} {left}").own_untrue
    assert Judged(pair, f"{done} {NOT_CHECKED}").own_untrue
    assert Judged(half, done).own_untrue, "kept quiet about it"
    assert not Judged(half, f"{done} {left}").own_untrue


# --- what a reply tells beside what it says


@pytest.mark.parametrize(
    "text",
    [
        "Shall I unlock it once again tomorrow?",
        "Is there anything else?",
        "Soll ich sonst noch etwas tun?",
        "What do you think of the new look?",
        "I see no open window.",
        "I can't see anything being on.",
        "I see no trouble there.",
        "I would like to announce a success.",
        "I'm not sure you saw how fast that went.",
        "Let me know if it gets too warm.",
        "Säg till om du vill ha den släckt.",
        "Wie gefällt dir das Ergebnis?",
        "¿Qué te parece el resultado?",
        "Varför skulle den inte vara det?",
        "I can't turn it up any further.",
        "Je ne peux pas le mettre plus fort.",
        "I could only find the heater.",
        "I would need a hat otherwise.",
    ],
)
def test_after_a_wish_nothing_passes_that_takes_the_deed_for_granted(text: str) -> None:
    assert spoken("turn on the floor lamp", text) == NOT_CHECKED


@pytest.mark.parametrize(
    "text",
    [
        "I could check that for you.",
        "I can't find a way to open it.",
        "I don't see a sauna.",
        "The floor lamp or the desk lamp?",
        "Kitchen or bedroom?",
        "I'm not sure which one you mean.",
        "Let me know which one.",
        "Let me know if you want me to check.",
        "Sorry, I didn't catch which lamp you mean.",
        "Dat kan ik niet.",
    ],
)
def test_after_a_wish_offers_inability_and_a_choice_of_names_pass(text: str) -> None:
    assert spoken("turn on the sauna lamp", text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The bedroom's quite dark now.",
        "The temperature's gone down.",
        "It got turned off in time.",
        "Our house is cosy.",
        "Tea is brewing.",
        "It's all working as it should.",
        "Nobody is around but you.",
        "It should be warm soon.",
        "Mwanga umewaka.",
    ],
)
def test_small_talk_tells_nothing_of_here_and_now(text: str) -> None:
    assert NOT_CHECKED in spoken("hello", text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("good night", "Sweet dreams. See you tomorrow!"),
        ("thanks", "It was my pleasure."),
        ("how are you", "I'm great. It's always nice to chat."),
        ("who wrote Hamlet?", "William Shakespeare wrote Hamlet around 1600."),
        ("recommend a book", "Try The Left Hand of Darkness by Ursula K. Le Guin."),
        ("are you a robot", "I'm software, so in a way, yes."),
        ("hola", "¡Hola! ¿En qué puedo ayudarte?"),
    ],
)
def test_talk_without_a_common_word_or_with_initials_passes(said: str, text: str) -> None:
    assert spoken(said, text) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("thanks", "Sure, half an hour to go."),
        ("how are you", "Splendid, as are the guests downstairs."),
        ("what is a comet", "I've baked a cake."),
        ("grazie", "Prego, sta bollendo."),
        ("I am worn out", "Then lie down, a pool is warming."),
    ],
)
def test_what_may_be_of_here_and_now_never_stands_alone(said: str, text: str) -> None:
    assert spoken(said, text) == f"{text} {NOT_CHECKED}"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("wer war Goethe", "Deine Kinder sind schon zu Hause."),
        ("kuka oli Topelius", "Sohva on rikki."),
        ("wer war Kant", "Der Nachbar war hier."),
        ("who wrote Hamlet?", "We are short of bread."),
        ("who wrote Hamlet?", "Parcel sent."),
        ("who wrote Hamlet?", "The house is empty."),
        ("who wrote Hamlet?", "There is smoke in the corridor."),
        ("who wrote Hamlet?", "Your mother called an hour ago."),
        ("who wrote Hamlet?", "As you asked, the place is dark."),
        ("who wrote Hamlet?", "That thing you asked for, it happened."),
        ("who wrote Hamlet?", "The package was delivered."),
        ("who wrote Hamlet?", "Hoidin asian kuntoon."),
    ],
)
def test_talk_that_may_be_of_us_or_of_this_house_never_stands_alone(said: str, text: str) -> None:
    assert spoken(said, text) == f"{text} {NOT_CHECKED}"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("vem var Strindberg", "Jag fixade det du bad om."),
        ("kto napisał Lalkę", "Zrobiłem to, o co prosiłeś."),
        ("kuka kirjoitti Kalevalan", "Hoidin asian kuntoon."),
        ("quem foi Camões", "Já tratei de tudo."),
        ("wer war Goethe", "Ich habe erledigt, worum du gebeten hast."),
        ("kim Nutuk'u yazdı", "Bu bir şaka değil, hallettim."),
        ("merci", "C'est fait."),
        ("danke", "Alles ist aus."),
        ("hallo", "Alles zu."),
        ("danke", "Ich habe es gemacht."),
        ("erzähl mir einen Witz", "Ich habe es gemacht."),
        ("hallo", "Jemand ist da."),
        ("erzähl mir einen Witz", "Jemand ist da."),
        ("danke", "Es sind 21 Grad hier."),
        ("bonjour", "Quelqu'un est là."),
        ("dank je", "Alles is dicht."),
        ("dank je", "Ik heb het gedaan."),
        ("gracias", "Hay alguien."),
        ("grazie", "Ho fatto."),
    ],
)
def test_deeds_and_what_is_here_are_not_said_in_other_languages(said: str, text: str) -> None:
    assert spoken(said, text) == NOT_CHECKED


@pytest.mark.parametrize(
    "said",
    [
        "erzähl mir einen Witz", "raconte-moi une blague", "vertel een mop", "cuéntame un chiste",
        "raccontami una barzelletta", "berätta ett skämt", "opowiedz dowcip", "conta uma piada",
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["Done.", "All set.", "All safe.", "There you go.", "It's burning."])
def test_an_english_report_is_no_joke_in_another_language(said: str, text: str) -> None:
    assert NOT_CHECKED in spoken(said, text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("erzähl mir einen Witz", "Es brennt."),
        ("erzähl mir einen Witz", "Hier brennt es."),
        ("erzähl mir einen Witz", "Kommt ein Pferd in die Bar. Es brennt."),
        ("erzähl mir einen Witz", "Kommt ein Pferd in die Bar. Done."),
        ("erzähl mir einen Witz", "Fertig."),
        ("erzähl mir einen Witz", "Alles sicher."),
        ("erzähl mir einen Witz", "Es riecht nach Gas."),
        ("vertel een mop", "Gedaan."),
        ("vertel een mop", "Het brandt."),
        ("cuéntame un chiste", "Hay alguien."),
        ("cuéntame un chiste", "Fuego."),
        ("conta uma piada", "Pronto."),
        ("opowiedz dowcip", "Pali się."),
        ("tell me a joke", "Done."),
        ("tell me a joke", "All set."),
        ("tell me a joke", "Ready."),
        ("olá", "Pronto."),
        ("danke", "Ready."),
        ("bedankt", "Gedaan."),
    ],
)
def test_short_news_are_no_joke(said: str, text: str) -> None:
    assert NOT_CHECKED in spoken(said, text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("erzähl mir einen Witz", "Geht ein Skelett zum Arzt mit seiner Akte. Zu dünn!"),
        ("raconte-moi une blague", "Que dit un citron à un autre citron ? Pas un zeste !"),
        ("tell me a joke", "Two snails meet at noon. Slowly."),
        ("tell me a joke", "Knock, knock. Who's there? Lettuce."),
        ("joke", "Two snails meet at noon. Slowly."),
        ("dank je", "Graag gedaan!"),
        ("hello", "Ready when you are!"),
    ],
)
def test_a_joke_ends_in_few_words(said: str, text: str) -> None:
    assert spoken(said, text) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("wer hat die Glühwürmchen entdeckt", "Die Glühwürmchen hat Aristoteles beschrieben."),
        ("was ist der höchste Berg der Alpen", "Der höchste Berg der Alpen ist der Mont Blanc."),
        ("quelle est la plus haute tour de Paris", "La plus haute tour de Paris est la Tour Eiffel."),
        ("dónde se encuentra Petra", "Petra se encuentra en Jordania."),
        ("hoeveel mensen wonen er in Gent", "In Gent wonen ongeveer 265000 mensen."),
        ("vem skrev Gösta Berlings saga", "Selma Lagerlöf skrev Gösta Berlings saga."),
        ("kdo složil Rusalku", "Rusalku složil Antonín Dvořák."),
        ("wie geht es dir", "Mir geht es gut, danke! Und dir?"),
        ("erzähl einen Witz", "Kommt ein Pferd in die Bar."),
        ("vertel me een mop", "Twee koeien lopen door de wei."),
        ("it's my birthday", "Happy birthday! 🎉"),
        ("cuántos gramos tiene una libra", "Una libra tiene 453 gramos."),
        ("wie was Rembrandt", "Hij reisde weinig en schilderde vooral zichzelf."),
        ("su quanti colli sorge Roma", "Roma sorge su sette colli."),
        ("hej då", "Hej då, ha en bra dag!"),
        ("what is chlorophyll", "Chlorophyll catches light, mostly red and blue."),
    ],
)
def test_talk_of_the_world_passes_untouched_in_other_words_too(said: str, text: str) -> None:
    assert spoken(said, text) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("wer schrieb Momo", "Die Waschmaschine läuft."),
        ("quando nacque Leopardi", "Il forno è caldo."),
        ("iyi geceler", "Işıklar söndü."),
    ],
)
def test_appliances_are_things_of_a_home_in_other_languages_too(said: str, text: str) -> None:
    assert spoken(said, text) == NOT_CHECKED


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("gute nacht", "Alles aus, schlaf gut."),
        ("kto napisał Quo vadis", "Quo vadis napisał Sienkiewicz, a obiad czeka."),
        ("wer schrieb Momo", "Momo schrieb Michael Ende, der Tee ist schon gezogen."),
        ("erzähl mir einen Witz", "Die Suppe ist heiss."),
        ("какая столица Японии", "Токио — столица Японии, и каша на столе."),
        ("jaka jest stolica Danii", "Kolacja gotowa."),
        ("who wrote Hamlet?", "Supper served hot."),
        ("who wrote Hamlet?", "Somebody knocked."),
        ("I love snow", "I love it too, it is snowing outside."),
    ],
)
def test_what_is_told_beside_an_answer_never_stands_alone(said: str, text: str) -> None:
    assert NOT_CHECKED in spoken(said, text)


def test_a_question_that_takes_our_deed_for_granted_is_not_asked() -> None:
    assert spoken("turn off the desk lamp", "Which lamp did I turn off?") == NOT_CHECKED


def test_of_a_tale_nothing_is_dropped_but_what_is_or_was_done() -> None:
    said = "berätta en saga"
    assert spoken(said, "En räv var rädd för mörkret.").startswith("En räv var rädd för mörkret.")
    assert spoken(said, "Jag släckte lampan.") == NOT_CHECKED
    assert spoken(said, "Lampan är släckt.") == NOT_CHECKED


def test_another_day_than_the_clock_s_is_not_said() -> None:
    assert "Tuesday" not in spoken("what day is it", "It's Tuesday.", KNOWN["clock"])
    assert spoken("what day is it", "It's Sunday.", KNOWN["clock"]) == "It's Sunday."


@pytest.mark.parametrize("said", ["która godzina", "hur varmt är det", "hoe laat is het", "spiel ein Lied"])
def test_what_a_tool_could_tell_is_no_talk_in_other_languages(said: str) -> None:
    assert Wish(said, HOME).kind is not TurnKind.TALK


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("precalienta el horno", "No tengo acceso al horno."),
        ("włącz piekarnik", "Niestety nie mam dostępu do piekarnika."),
        ("tænd ovnen", "Jeg har desværre ikke adgang til ovnen."),
        ("feed the dog", "I'm afraid I don't have a tool for feeding the dog."),
    ],
)
def test_no_access_is_inability(said: str, text: str) -> None:
    assert spoken(said, text) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("vart flyger fåglarna", "De flyger över havet till Afrika."),
        ("qual è la capitale della Francia", "Parigi è la capitale della Francia."),
        ("wie weit ist der Mond", "Der Mond ist durch einen Abstand von 384000 Kilometern getrennt."),
        ("quem é essa pessoa", "Essa pessoa é um cantor do Porto."),
        ("what is Mars like", "There is ice on Mars."),
        ("are you a robot", "I was made to help at home."),
    ],
)
def test_plain_words_of_the_world_pass_alone(said: str, text: str) -> None:
    assert spoken(said, text) == text


def test_beside_a_joke_no_deed_is_told_in_endings() -> None:
    told = spoken("włącz lampę i opowiedz mi dowcip", "Zamówiłem też pizzę.", LAMP_ON)
    assert "pizzę" not in told


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("what should I do", "You should know that the window broke."),
        ("how can I save money", "You can rest now that the heaters went cold."),
        ("what can you do", "I can hear the fan turning."),
        ("who wrote Hamlet?", "Shakespeare. Nobody is around."),
        ("tell me a joke", "The hallway got warm a minute ago."),
    ],
)
def test_advice_offers_and_tales_hide_no_fact(said: str, text: str) -> None:
    assert NOT_CHECKED in spoken(said, text)


def test_words_that_are_unclear_are_answered_behind_our_own_sentence() -> None:
    assert spoken("are bats birds", "No, bats are mammals.") == f"{NOT_CHECKED} No, bats are mammals."
    for text in ("The lamp is off.", "Done!", "Mode activated."):
        assert spoken("are bats birds", text) == NOT_CHECKED


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("how do i cool soup", "You can put it into a cold bowl, or let it stand near a window."),
        ("what can you do", "I can dim lamps, start timers and tell jokes."),
        ("tell me a joke", "I wanted to be a gardener, but I couldn't make enough green."),
        ("when is the museum open", "It is closed on Sundays."),
        ("wer war Bach", "Bach war ein Komponist aus Eisenach."),
    ],
)
def test_advice_offers_and_tales_tell_nothing_of_this_home(said: str, text: str) -> None:
    assert spoken(said, text) == text


LAMP_ON = ToolOutcome(
    "l",
    "control_zwave_device",
    "The Floor Lamp is on.",
    True,
    0.1,
    args={"deviceName": "Floor Lamp", "action": "on"},
    structured={"outcome": "confirmed"},
)
CLIMATE = ToolOutcome(
    "c",
    "get_device_sensor_data",
    "Climate Sensor: 21.5 °C, 45 % humidity.",
    True,
    0.1,
    args={"deviceName": "Climate Sensor"},
    read_only=True,
)


@pytest.mark.parametrize(
    "text", ["It is 45 degrees.", "It is forty-five degrees.", "It is twenty-five degrees."]
)
def test_a_number_goes_with_its_unit(text: str) -> None:
    assert spoken("how warm is it in the office", text, CLIMATE) == CLIMATE.text


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("climate", "It is 45 degrees."),
        ("weather", "It is 20 degrees in Berlin."),
        ("timers", "The pasta timer has 4 seconds left."),
        ("no_timers", "Yes, timers are running."),
        ("search", "The City Museum is open on Mondays."),
        ("search", "The museum is open for 12 euros."),
    ],
)
def test_of_a_look_no_number_state_or_denial_is_turned_round(outcome: str, text: str) -> None:
    assert spoken("how is it", text, KNOWN[outcome]) == render_outcomes([KNOWN[outcome]])


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("climate", "The humidity is 45 percent."),
        ("weather", "It is 7 to 11 degrees in Berlin."),
        ("weather", "Wind of 20 kilometers per hour in Berlin."),
        ("timers", "The pasta timer has 4 minutes left."),
        ("no_timers", "No timers are running."),
        ("search", "The museum is open from 10 to 18."),
    ],
)
def test_what_a_look_found_passes_in_other_words(outcome: str, text: str) -> None:
    assert spoken("how is it", text, KNOWN[outcome]) == text


def test_one_state_of_a_text_does_not_go_with_another_thing_of_it() -> None:
    seen = ToolOutcome("s", "look", "The lamp is on and the heater is off.", True, 0.1, read_only=True)
    assert grounded("The lamp is on.", [seen], "")
    assert grounded("The heater is on.", [seen], "") is False


def test_a_number_with_its_own_unit_passes() -> None:
    assert spoken("how warm is it in the office", "It is 21.5 °C.", CLIMATE) == "It is 21.5 °C."


def test_before_a_look_is_told_other_languages_say_common_words_only() -> None:
    assert spoken("är det varmt", "Nej, den är iskall.", CLIMATE) == CLIMATE.text


def looked(text: str) -> ToolOutcome:
    return ToolOutcome("s", "look", text, True, 0.1, read_only=True)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("The Pantry Window is open.", "No window is open."),
        ("The Garage Door is open.", "No garage door is open."),
        ("Smoke is detected in the Kitchen.", "No smoke is detected in the kitchen."),
        ("No smoke is detected in the Kitchen.", "In the kitchen, smoke is detected."),
        ("No windows are open, the Garage Door is open.", "No garage door is open."),
        ("No smoke is detected. The Garage Door is open.", "No garage door is open."),
        ("No window is open except the Bedroom Window.", "No window is open."),
        ("The Pantry Window is open. Smoke is detected.", "The pantry window is open, no smoke."),
        ("Das Fenster ist offen.", "Das Fenster ist nicht offen."),
        ("Das Fenster ist nicht offen.", "Das Fenster ist offen."),
        ("La fenêtre est ouverte.", "La fenêtre n'est pas ouverte."),
        ("Okno jest otwarte.", "Okno nie jest otwarte."),
    ],
)
def test_what_denies_is_only_what_a_look_denied(found: str, text: str) -> None:
    assert spoken("how is it", text, looked(found)) == found


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("No smoke is detected in the Kitchen.", "No smoke is detected in the kitchen."),
        ("The Garage Door is open. No window is open.", "No window is open."),
        ("The Front Door is unlocked.", "No, the front door is unlocked."),
        ("Das Fenster ist nicht offen.", "Das Fenster ist nicht offen."),
    ],
)
def test_what_a_look_denied_may_be_said(found: str, text: str) -> None:
    assert spoken("how is it", text, looked(found)) == text


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("is there smoke", "No smoke is detected.", "Smoke is detected in the Kitchen."),
        ("is there smoke", "There isn't any.", "Smoke is detected in the Kitchen."),
        ("is there smoke", "Everything is safe.", "Smoke is detected in the Kitchen."),
        ("is there smoke", "Yes, there is smoke.", "No smoke is detected."),
        ("is there smoke", "There is a fire.", "No smoke is detected."),
        ("Is the cellar door unlocked?", "No.", "The Cellar Door is unlocked."),
        ("Is the cellar door unlocked?", "Nope!", "The Cellar Door is unlocked."),
        ("Is the cellar door unlocked?", "Oh, no.", "The Cellar Door is unlocked."),
        ("Is the front door locked?", "Yes.", "The Front Door is unlocked."),
        *(
            ("Is the front door locked?", text, "The Front Door is unlocked.")
            for text in "Ja. Nein. Oui. Non. Sí. Sì. No. Nee. Sim. Não. Nej. Nei. Tak. Nie. Ano. Ne. "
            "Kyllä. Ei. Igen. Nem. Evet. Hayır. Да. Нет.".split()
        ),
        ("ist die Tür offen", "Das ist sie nicht.", "The Cellar Door is open."),
        ("är det rök", "Det är det inte.", "Smoke is detected in the Kitchen."),
    ],
)
def test_no_answer_is_given_in_front_of_the_one_that_a_tool_gives(said: str, text: str, found: str) -> None:
    assert spoken(said, text, looked(found)) == found
    assert spoken(said, f"{text} {found}", looked(found)).replace(found, "").strip() == ""


def test_no_answer_follows_one_that_was_true() -> None:
    found = "The Front Door is locked. Smoke is detected in the Kitchen."
    told = spoken("is all well", "The front door is locked. No smoke is detected.", looked(found))

    assert told == f"The front door is locked. {found}"


def test_for_each_language_we_have_the_tables_of_all() -> None:
    for key in ("kinds", "denies", "did", "here", "asks_back", "granted", "tales", "and"):
        assert data()[key].keys() >= languages().keys() - {"en"}


@pytest.mark.parametrize(
    "text", ["Everything you asked for happened.", "The rest went dark.", "Your guests were let in."]
)
def test_beside_a_joke_nothing_is_told_of_everything_else(text: str) -> None:
    joke = "Why did the tomato blush? It saw the salad dressing."
    told = spoken("turn on the floor lamp and tell me a joke", f"{text} {joke}", LAMP_ON)

    assert told == f"The Floor Lamp is on. {joke}"


# --- parts of a wish


@pytest.mark.parametrize("part", ["order a pizza", "tell me a joke", "call my sister", "lock the front door"])
def test_a_part_that_nobody_served_is_named(part: str) -> None:
    told = spoken(f"turn on the floor lamp and {part}", "", LAMP_ON)

    assert told == f"The Floor Lamp is on. I have not done this part: “{part}”."


@pytest.mark.parametrize(
    "said",
    [
        "turn on the floor lamp and make it bright",
        "switch on the floor lamp, thank you",
        "turn on the floor lamp and be quick",
        "turn on the floor lamp, it is dark and I am tired",
        "please, turn on the floor lamp now, would you",
        "Okay Google, turn on the floor lamp",
        "not the desk lamp, the floor lamp",
        "turn on the floor lamp, don't touch the heater",
        "the kitchen is dark, turn on the floor lamp",
        "tänd golvlampan, tack",
        "allume le lampadaire, s'il te plaît",
        "enciende la lámpara, por favor",
        "włącz lampę, proszę",
        "kapcsold fel a lámpát, kérlek",
        "lambayı aç, lütfen",
        "sytytä lamppu, kiitos",
        "rozsviť lampu, prosím",
        "включи лампу, пожалуйста",
        "accendi la lampada, per favore",
        "acende a lâmpada, por favor",
        "tænd lampen, tak",
        "slå på lampen, vær så snill",
        "doe de lamp aan, alsjeblieft",
        "mach die Stehlampe an, bitte",
    ],
)
def test_what_is_no_wish_of_its_own_is_not_named(said: str) -> None:
    assert spoken(said, "", LAMP_ON) == "The Floor Lamp is on."


@pytest.mark.parametrize(
    ("said", "language", "own"),
    [
        ("mach das Licht an und schließ die Haustür ab", "de", "Sonst habe ich nichts getan."),
        ("mach die Stehlampe an und erzähl mir einen Witz", "de", "Sonst habe ich nichts getan."),
        ("allume la lampe et raconte-moi une blague", "fr", "Je n'ai rien fait d'autre."),
        ("enciende la lámpara y cuéntame un chiste", "es", "No he hecho nada más."),
        ("tänd golvlampan och berätta ett skämt", "sv", "Jag har inte gjort något annat."),
    ],
)
def test_of_parts_in_words_that_no_outcome_has_none_is_named_wrongly(
    said: str, language: str, own: str
) -> None:
    assert spoken(said, "", LAMP_ON, language=language) == f"The Floor Lamp is on. {own}"


def test_a_joke_that_was_told_is_no_part_that_is_left() -> None:
    joke = "Was ist orange und geht durch den Wald? Eine Wanderine."
    told = spoken("mach die Stehlampe an und erzähl mir einen Witz", joke, LAMP_ON, language="de")

    assert told == f"The Floor Lamp is on. {joke}"


# --- the words


def test_every_word_of_a_list_can_be_met() -> None:
    """What is said is compared in small letters, and "ß" then is "ss"."""
    lists = [value for table in data().values() for key, value in table.items() if key not in OWN_SENTENCES]
    forms = [form for value in lists for form in ([value] if isinstance(value, str) else value)]
    words = {word for form in forms for word in re.findall(r"[^\W\d_]+", re.sub(r"\\.", "", form))}

    assert {word for word in words if word != word.casefold()} == {"VERB", "VERBED"}


@pytest.mark.parametrize(
    "reply", ["Die Floor Lamp ist aus.", "De Floor Lamp is uit.", "Floor Lamp är av.", "Floor Lamp er af."]
)
def test_a_common_word_at_the_end_of_a_clause_is_a_state(reply: str) -> None:
    lamp = ToolOutcome("1", "look", "The Floor Lamp is on.", ok=True, seconds=0.1, read_only=True)
    assert grounded(reply, [lamp], "is the floor lamp on") is False

"""Nothing leaves before its review; what left is exactly what was said."""

from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.llm.streaming import Review, SentenceStreamer
from voice_gateway.turn import Part, PartSource
from voice_gateway.turns.sentences import sentences


def by_model(sentence: str) -> list[Part]:
    return [Part(PartSource.MODEL, sentence)]


def streamer(review: Review = by_model) -> tuple[SentenceStreamer, list[str]]:
    said: list[str] = []
    return SentenceStreamer(lambda part: said.append(part.text), review, lambda text: "{" not in text), said


def test_sentences_leave_one_by_one_while_the_text_comes() -> None:
    stream, said = streamer()
    stream.open()

    for piece in ["It is", " ten. It", " rains at 3", ".5 mm. By", "e"]:
        stream.feed(piece)
    assert said == ["It is ten. ", "It rains at 3.5 mm. "]

    stream.finish("It is ten. It rains at 3.5 mm. Bye")
    assert "".join(said) == stream.text == "It is ten. It rains at 3.5 mm. Bye"


def test_what_opens_like_json_a_tag_or_a_fence_is_held_to_its_end() -> None:
    for opening in ['{"a": 1}. ', "<tools>. ", "[Monday. ", "```json. ", ' \n{"a". ', '"Well. ']:
        stream, said = streamer()
        stream.open()
        stream.feed(opening)
        stream.feed("And more. And more. ")
        assert said == []


def test_text_is_held_from_the_first_sentence_that_cannot_be_spoken() -> None:
    stream, said = streamer()
    stream.open()

    stream.feed('Sure. {"name": "x"}. Done. ')

    assert said == ["Sure. "]


def test_held_text_leaves_only_when_it_is_complete() -> None:
    stream, said = streamer()
    stream.open(again=True)
    stream.feed("The lamp is on. Enjoy. ")
    assert said == []

    stream.finish("The lamp is on. Enjoy.")
    assert "".join(said) == "The lamp is on. Enjoy."


def test_a_second_try_does_not_say_the_same_twice() -> None:
    stream, said = streamer()
    stream.open()
    stream.feed("Let me see. I")
    stream.open(again=True)
    stream.feed("Let me see. It is ten.")

    stream.finish("Let me see. It is ten.")
    assert "".join(said) == "Let me see. It is ten."


def test_neighbours_of_one_source_become_one_part() -> None:
    stream, _ = streamer()
    stream.open()
    stream.feed("Let me see.\n")
    stream.open()
    stream.finish("It is ten.")
    stream.add([Part(PartSource.GATEWAY, "Bye.")])

    assert stream.text == "Let me see.\nIt is ten. Bye."
    assert [part.source for part in stream.parts] == [PartSource.MODEL, PartSource.GATEWAY]


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab .!?\n<'", max_size=12), max_size=8))
def test_whatever_the_pieces_the_words_are_the_same(pieces: list[str]) -> None:
    stream, _ = streamer()
    stream.open()
    for piece in pieces:
        stream.feed(piece)
    text = "".join(pieces).strip()

    stream.finish(text)
    assert stream.text.split() == text.split()
    assert " ".join(sentences(text)).split() == text.split()

"""Nothing leaves before it was looked at; what left is exactly what was said."""

from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.llm.sentence_streamer import Review, SentenceStreamer
from voice_gateway.turns.sentences import sentences


def release(review: Review = lambda sentence: sentence) -> tuple[SentenceStreamer, list[str]]:
    said: list[str] = []
    return SentenceStreamer(said.append, review, lambda sentence: "{" not in sentence), said


def test_sentences_leave_one_by_one_while_the_text_comes() -> None:
    gate, said = release()
    gate.open(hold=False)

    for piece in ["It is", " ten. It", " rains at 3", ".5 mm. By", "e"]:
        gate.feed(piece)
    assert said == ["It is ten. ", "It rains at 3.5 mm. "]

    gate.finish("It is ten. It rains at 3.5 mm. Bye")
    assert "".join(said) == gate.said == "It is ten. It rains at 3.5 mm. Bye"


def test_what_opens_like_json_a_tag_or_a_fence_is_held_to_its_end() -> None:
    for opening in ['{"a": 1}. ', "<tools>. ", "[Monday. ", "```json. ", ' \n{"a". ', '"Well. ']:
        gate, said = release()
        gate.open(hold=False)
        gate.feed(opening)
        gate.feed("And more. And more. ")
        assert said == []


def test_what_turns_suspicious_later_is_held_from_there() -> None:
    gate, said = release()
    gate.open(hold=False)

    gate.feed('Sure. {"name": "x"}. Done. ')

    assert said == ["Sure. "]


def test_a_sentence_that_may_not_be_said_is_left_out_and_what_follows_is_said() -> None:
    gate, said = release(lambda sentence: "" if "turned" in sentence else sentence)
    gate.open(hold=False)
    gate.feed("Right. I turned it on. Bye. ")
    assert said == ["Right. ", "Bye. "]

    gate.finish("Right. I turned it on. Bye.")
    assert "".join(said) == "Right. Bye. "


def test_held_text_leaves_only_when_it_is_complete() -> None:
    gate, said = release()
    gate.open(hold=True)
    gate.feed("The lamp is on. Enjoy. ")
    assert said == []

    gate.finish("The lamp is on. Enjoy.")
    assert "".join(said) == "The lamp is on. Enjoy."


def test_a_second_try_does_not_say_the_same_twice() -> None:
    gate, said = release()
    gate.open(hold=False)
    gate.feed("Let me see. I")
    gate.open(hold=False, again=True)
    gate.feed("Let me see. It is ten.")

    gate.finish("Let me see. It is ten.")
    assert "".join(said) == "Let me see. It is ten."


def test_texts_of_several_model_calls_are_kept_apart_by_a_space() -> None:
    gate, said = release()
    gate.open(hold=False)
    gate.feed("Let me see.\n")
    gate.open(hold=False)
    gate.finish("It is ten.")
    gate.add("Bye.")

    assert "".join(said) == gate.said == "Let me see.\nIt is ten. Bye."


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab .!?\n<'", max_size=12), max_size=8))
def test_whatever_the_pieces_the_words_are_the_same(pieces: list[str]) -> None:
    gate, _ = release()
    gate.open(hold=False)
    for piece in pieces:
        gate.feed(piece)
    text = "".join(pieces).strip()

    gate.finish(text)
    assert gate.said.split() == text.split()
    assert " ".join(sentences(text)).split() == text.split()

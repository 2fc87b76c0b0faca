"""A recorded turn becomes a line that the evaluation reads as it is meant."""

import pytest
from tests.eval.cases import _case
from tests.eval.run import run_case
from tests.fakes.home_talk import HomeTalk
from tests.fakes.recording import HOME, recording

from voice_gateway.recorder.as_test import as_test
from voice_gateway.trace import private


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (["turn on the floor lamp"], "on Floor Lamp"),
        (["dim the floor lamp to 30 percent"], "dim Floor Lamp 30"),
        (["unlock the front door"], "unlock Front Door"),
        (["is the floor lamp on"], "read"),
        (["turn on the floor lamp", "turn it off"], "off Floor Lamp"),
        (["thank you"], "say"),
        (["set the volume to 30"], "vol set 30"),
    ],
)
async def test_the_line_says_what_was_done_and_passes(tmp_path, said, right):
    talk = HomeTalk(HOME)
    recorder = recording(tmp_path, talk.conversation._watch)
    for text in said:
        await talk.hears(text)
    turns = await recorder.read(lambda store: store.turns())
    [turn] = recorder.store().find(turns[0]["id"])
    await recorder.close()

    line = as_test(turn, turns[:0:-1])

    assert line == f"own | {' >> '.join(said)} | {right}"
    assert (await run_case(_case(1, line))).right


@pytest.mark.parametrize(
    "text", ["the code is 4711", "my password is hunter2", "my pin is two four six eight"]
)
def test_what_was_hidden_makes_no_test(text):
    turn = {"text": private(text), "room": None, "events": []}
    with pytest.raises(ValueError, match="hidden"):
        as_test(turn)

"""Two lamps with one name in one room: whatever was done with one of them, the answer tells which."""

from tests.fakes.home_talk import HomeTalk

from voice_gateway.conversation.undo_log import MemoryActs

NOT_UNIT = "a simulated home at its own pace"

LAMP = '[[device]]\nname = "{}"\nroom = "Office"\nkind = "switch"\nnode = {}\n'
HOME = "[home]\nradio_seconds = 0\n" + LAMP.format("Desk Lamp", 26) + LAMP.format("Desk Lamp", 27)


async def test_what_was_done_and_what_was_taken_back():
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    assert "(node 27)" in (await talk.hears("turn on node 27")).text
    undone = await talk.hears("undo")
    assert undone.text == "The Desk Lamp (node 27) is now off."


async def test_both_of_them_at_once():
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    said = (await talk.hears("turn on the lights in the office")).text
    assert ("node 26" in said, "node 27" in said) == (True, True)
    undone = (await talk.hears("undo")).text
    assert ("node 26" in undone, "node 27" in undone) == (True, True)


async def test_among_many():
    talk = HomeTalk(HOME + LAMP.format("Wall Lamp", 28))
    said = (await talk.hears("turn on the lights in the office")).text
    assert ("node 26" in said, "node 27" in said, "node 28" in said) == (True, True, False)

"""Two lamps with one name in one room: whatever was done with one of them, the answer tells which."""

from tests.fakes.home_talk import HomeTalk

from voice_gateway.conversation.undo_log import MemoryActs

NOT_UNIT = "a simulated home at its own pace"

LAMP = '[[device]]\nname = "{}"\nroom = "Office"\nkind = "switch"\nnode = {}\n'
HOME = "[home]\nradio_seconds = 0\n" + LAMP.format("Desk Lamp", 16) + LAMP.format("Desk Lamp", 17)


async def test_what_was_done_and_what_was_taken_back():
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    assert "(node 17)" in (await talk.hears("turn on node 17")).text
    undone = await talk.hears("undo")
    assert undone.text == "The Desk Lamp (node 17) is now off."


async def test_both_of_them_at_once():
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    said = (await talk.hears("turn on the lights in the office")).text
    assert ("node 16" in said, "node 17" in said) == (True, True)
    undone = (await talk.hears("undo")).text
    assert ("node 16" in undone, "node 17" in undone) == (True, True)


async def test_among_many():
    talk = HomeTalk(HOME + LAMP.format("Wall Lamp", 18))
    said = (await talk.hears("turn on the lights in the office")).text
    assert ("node 16" in said, "node 17" in said, "node 18" in said) == (True, True, False)

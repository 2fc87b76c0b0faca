"""Questions about locks and scenes in a simulated home."""

from tests.fakes.home_talk import HomeTalk


async def test_all_doors_are_looked_at_as_closely_as_one():
    door = '[[device]]\nname = "{} Door"\nkind = "lock"\nnode = {}\n'
    talk = HomeTalk(door.format("Front", 5) + door.format("Back", 6))
    known = talk.home.poll

    async def poll(value_id, timeout_seconds=4.0):
        """The back door was opened by hand, and nothing was reported."""
        return 0 if value_id.node_id == 6 else await known(value_id, timeout_seconds)

    talk.home.poll = poll
    for question in ("are all the doors locked", "is any door unlocked"):
        reply = await talk.hears(question)
        assert {outcome.name for outcome in reply.outcomes} == {"get_zwave_device"}
        assert "Back Door" in reply.text.title()


async def test_its_scenes_are_known_before_one_is_started():
    lamp = '[[device]]\nname = "Lamp"\nkind = "switch"\nnode = 5\n'
    talk = HomeTalk(lamp + '[[scene]]\nname = "Movie Night"\nset = [{ device = "Lamp", state = "off" }]\n')
    assert "Movie Night" in (await talk.hears("which scenes are there")).text

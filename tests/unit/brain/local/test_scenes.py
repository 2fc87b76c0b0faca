"""A scene is started by its whole name, or by the word for it; a device of the same name comes first."""

import pytest
from langchain_core.messages import AIMessage
from tests.fakes.home_tools import ScriptedHome
from tests.fakes.local_talk import Talk

from voice_gateway.turn import Passed, Words

STARTED = [("activate_zwave_scene", {"sceneName": "Movie Night"})]


def started(talk: Talk) -> list[tuple[str, dict[str, object]]]:
    return [call for call in talk.home.calls if call[0] == "activate_zwave_scene"]


@pytest.mark.parametrize(
    "said",
    [
        "activate movie night", "start movie night", "run movie night", "set movie night",
        "turn on movie night", "switch on movie night", "turn movie night on", "movie night please",
        "please movie night", "could you start the movie night", "start the movie night scene",
        "activate the scene movie night", "Movie Night, please.",
    ],
)  # fmt: skip
async def test_its_whole_name_starts_it(said: str) -> None:
    talk = Talk()

    await talk.reply(said)

    assert started(talk) == STARTED


@pytest.mark.parametrize(
    "said",
    [
        "don't start movie night", "start movie night at eight", "when does movie night start",
        "is movie night on", "she said start movie night", "movie night was great", "i love movie night",
        "turn off movie night", "start movie", "activate night", "turn on movie afternoon", "good night",
        "if it is dark start movie night", "movie night and pizza please", "no movie night please",
        "set movie night to 30 percent", "start movie night and order a pizza",
    ],
)  # fmt: skip
async def test_nothing_else_starts_it(said: str) -> None:
    talk = Talk()

    await talk.say(said)

    assert started(talk) == []


async def test_the_bare_name_and_a_question_mark_are_asked_about() -> None:
    for said in ("movie night", "start movie night?"):
        talk = Talk()
        asked = await talk.reply(said)
        assert asked.text == "Shall I start the scene Movie Night?"
        assert asked.expects_answer
        assert started(talk) == []
        await talk.reply("yes")
        assert started(talk) == STARTED


async def test_nothing_runs_beside_a_scene() -> None:
    talk = Talk()

    await talk.reply("dim the floor lamp by half and start movie night and turn on the desk lamp")

    results = [
        message
        for message in talk.history.messages
        if isinstance(message, AIMessage) and message.content == ""
    ]
    assert [len(message.tool_calls) for message in results] == [1, 1, 1]


@pytest.mark.parametrize("said", ["set the scene", "start a scene", "activate the scene"])
async def test_no_scene_is_made_up(said: str) -> None:
    talk = Talk()

    await talk.say(said)

    assert started(talk) == []


async def test_a_device_of_the_same_name_comes_first() -> None:
    home = ScriptedHome.of(
        [
            ("Movie Night", "Den", "plug", "off", True),
            ("Lamp", "Attic", "switch", "on", True),
            ("Fan", "Attic", "switch", "on", True),
        ]
    )
    home.scenes, home.lists_scenes = ("Movie Night", "Lights", "Attic", "Off"), True
    talk = Talk(home)

    for said in ("activate movie night", "start movie night", "turn on movie night"):
        await talk.reply(said)
        assert talk.acts == [("Movie Night", "on")]
    # A sort of device, or a room, is never the name of a scene.
    for said in (
        "turn on the lights",
        "turn on the attic",
        "set the lamp off",
        "turn everything off",
        "set off",
    ):
        await talk.say(said)
        assert started(talk) == []


async def test_a_word_in_its_name_is_only_a_name() -> None:
    home = ScriptedHome.of([("Lamp", "Attic", "switch", "on", True)])
    home.scenes, home.lists_scenes = ("When Away", "No Lights"), True
    talk = Talk(home)

    for said in ("start when away", "activate no lights"):
        await talk.reply(said)
        assert len(started(talk)) == 1
    for said in ("don't start when away", "start when away if it rains", "when away start the lamp"):
        await talk.say(said)
        assert started(talk) == []


def silent_home() -> Talk:
    """A server that does not list its scenes, as the contract of `list_zwave_devices` has it."""
    home = ScriptedHome.of([("Floor Lamp", "Den", "dimmer", "off", True)])
    home.scenes = ("Movie Night", "Good Night")
    return Talk(home)


@pytest.mark.parametrize("said", ["activate movie night", "start movie night", "run the movie night please"])
async def test_where_nobody_lists_them_their_server_is_asked_for_the_exact_name(said: str) -> None:
    talk = silent_home()

    reply = await talk.reply(said)

    assert started(talk) == [("activate_zwave_scene", {"sceneName": "movie night"})]
    assert reply.text == "The scene movie night is active."


async def test_a_device_whose_name_shares_a_word_with_it_is_no_reason_not_to_ask() -> None:
    talk = Talk(ScriptedHome.of([("Night Light", "Nursery", "dimmer", "off", True)]))
    talk.home.scenes = ("Movie Night",)

    await talk.reply("start movie night")

    assert started(talk) == [("activate_zwave_scene", {"sceneName": "movie night"})]
    assert talk.acts == []


async def test_a_scene_that_its_server_does_not_know_is_passed_on_without_a_trace() -> None:
    talk = silent_home()

    passed = await talk.passed("activate the aquarium")

    assert passed.words is not Words.WISH
    assert passed.spoken == (
        "I don't know a device or scene called aquarium. I know the scenes Movie Night and Good Night."
    )
    assert talk.history.messages == []


@pytest.mark.parametrize("before", ["start game night", "activate movie night"])
async def test_what_the_server_told_is_known_from_then_on(before: str) -> None:
    talk = silent_home()
    assert isinstance(await talk.say("movie night please"), Passed)
    await talk.say(before)
    await talk.brain.refresh()

    await talk.reply("movie night please")

    assert [str(args["sceneName"]).casefold() for _, args in started(talk)] == ["movie night"]
    assert "ovie" in str((await talk.passed("what scenes are there")).spoken)


@pytest.mark.parametrize(
    "said",
    [
        "start the flor lamp", "start the kitchen light", "start it", "start me up", "run for your life",
        "don't start movie night", "is movie night on", "she said start movie night", "start lights",
        "turn on movie night", "set movie night", "start movie night and order a pizza",
        "start game night and turn on the floor lamp", "start movie night tomorrow",
    ],
)  # fmt: skip
async def test_a_server_is_not_asked_for_what_is_no_scene(said: str) -> None:
    talk = silent_home()

    await talk.say(said)

    assert started(talk) == []
    assert talk.acts == []


async def test_the_scenes_are_told() -> None:
    assert (
        await Talk().reply("what scenes are there")
    ).text == "There are 2 scenes: Movie Night and Good Night."

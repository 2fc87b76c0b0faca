"""A scene that cannot be looked into is asked about once."""

import stat

from voice_gateway.integrations.agreed_scenes import AgreedScenes
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits

CALL, HA = ToolCall("1", "HassTurnOn", {"name": "Movie night"}), ToolTraits(source="ha")
MOVIE = Reach(action="on", scene="Movie night", unseen=True)


def test_what_was_agreed_to_is_known_after_a_restart_by_server_and_name(tmp_path):
    file = tmp_path / "agreed.json"
    AgreedScenes(file).add(CALL, HA, MOVIE)

    known = AgreedScenes(file)

    assert known.knows(CALL, HA, Reach(action="on", scene="movie  Night", unseen=True))
    assert not known.knows(CALL, ToolTraits(source="cabin"), MOVIE)
    assert not known.knows(CALL, HA, Reach(action="on", scene="Leaving", unseen=True))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_also_reaches_devices_is_never_agreed_to_for_good(tmp_path):
    known = AgreedScenes(tmp_path / "agreed.json")
    wide = Reach((object(),), "on", scene="Movie night", unseen=True)  # type: ignore[arg-type]
    known.add(CALL, HA, wide)

    assert not known.knows(CALL, HA, wide)


def test_what_its_own_server_wants_a_yes_for_is_asked_each_time(tmp_path):
    known = AgreedScenes(tmp_path / "agreed.json")
    call = ToolCall("1", "activate_zwave_scene", {"sceneName": "Leaving", "confirmed": True})
    leaving = Reach(action="on", scene="Leaving", unseen=True)
    known.add(call, ToolTraits(source="zwave"), leaving)

    assert not known.knows(call, ToolTraits(source="zwave"), leaving)


def test_a_file_that_cannot_be_read_means_asking_again(tmp_path):
    file = tmp_path / "agreed.json"
    for text in ("", "{}[", '["a", "b", "c"]', "7"):
        file.write_text(text)
        assert not AgreedScenes(file).knows(CALL, HA, MOVIE)


def test_a_scene_whose_name_opens_the_house_is_asked_each_time(tmp_path):
    known = AgreedScenes(tmp_path / "agreed.json")
    for scene in ("Unlock the front door", "Front door", "open gate", "Haustür entriegeln"):
        opening = Reach(action="on", scene=scene, unseen=True)
        known.add(CALL, HA, opening)
        assert not known.knows(CALL, HA, opening)

"""A scene that cannot be looked into is asked about once."""

import stat

import pytest

from voice_gateway.integrations.agreed_scenes import AgreedScenes
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits

CALL, HA = ToolCall("1", "HassTurnOn", {"name": "Movie night"}), ToolTraits(source="ha")
CONFIRMED = ToolCall("1", "activate_zwave_scene", {"sceneName": "Leaving", "confirmed": True})


def scene(name: str, *devices: object) -> Reach:
    return Reach(devices, "on", scene=name, unseen=True)  # type: ignore[arg-type]


def test_a_scene_that_was_agreed_to_is_known_after_a_restart_by_server_and_name(tmp_path):
    file = tmp_path / "agreed.json"
    AgreedScenes(file).add(CALL, HA, scene("Movie night"))

    known = AgreedScenes(file)

    assert known.knows(CALL, HA, scene("movie  Night"))
    assert not known.knows(CALL, ToolTraits(source="cabin"), scene("Movie night"))
    assert not known.knows(CALL, HA, scene("Leaving"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("call", "reach"),
    [
        (CALL, scene("Movie night", object())),  # also reaches a device
        (CONFIRMED, scene("Leaving")),  # its own server wants a yes
        *((CALL, scene(name)) for name in ("Unlock the front door", "Front door", "open gate")),
        (CALL, scene("Haustür entriegeln")),
    ],
)
def test_what_may_open_the_house_is_asked_each_time(tmp_path, call, reach):
    known = AgreedScenes(tmp_path / "agreed.json")
    known.add(call, HA, reach)
    assert not known.knows(call, HA, reach)


@pytest.mark.parametrize("text", ["", "{}[", '["a", "b", "c"]', "7"])
def test_a_file_that_cannot_be_read_means_asking_again(tmp_path, text):
    file = tmp_path / "agreed.json"
    file.write_text(text)
    assert not AgreedScenes(file).knows(CALL, HA, scene("Movie night"))

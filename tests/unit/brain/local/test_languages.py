"""Other languages: Home Assistant's sentences with exact names; nothing that does not fit word for word."""

import pytest
from tests.fakes.home_tools import ScriptedHome
from tests.fakes.local_talk import Talk

ROWS = [
    ("Stehlampe", "Wohnzimmer", "dimmer", "off", True),
    ("Deckenlicht", "Küche", "switch", "on", True),
    ("Rollladen", "Büro", "blind", "open", True),
]


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("Schalte die Stehlampe ein", [("Stehlampe", "on")]),
        ("Stehlampe aus", [("Stehlampe", "off")]),
        ("schließe den Rollladen", [("Rollladen", "close")]),
        ("schalte das Licht in der Küche aus", [("Deckenlicht", "off")]),
        ("schalte die Stehlampe nicht ein", []),
        ("wenn es regnet schalte die Stehlampe ein", []),
        ("sie sagte schalte die Stehlampe ein", []),
        ("ist die Stehlampe an?", []),
    ],
)
async def test_german(said: str, acts: list[tuple[str, str]]) -> None:
    talk = Talk(ScriptedHome.of(ROWS), language="de-DE")

    await talk.say(said)

    assert talk.acts == acts

"""Other languages: Home Assistant's sentences with exact names; nothing that does not fit word for word."""

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.home_tools import ScriptedHome
from tests.fakes.local_talk import Talk

from zwave_mcp.devices import devices_of
from zwave_mcp.states import state_text

NOT_UNIT = "a simulated home at its own pace"

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
        ("mach die Stehlampe an", [("Stehlampe", "on")]),
        ("dimme die Stehlampe auf 20 Prozent", [("Stehlampe", "dim")]),
        ("öffne die Fenster im Büro", []),
    ],
)
async def test_german(said: str, acts: list[tuple[str, str]]) -> None:
    talk = Talk(ScriptedHome.of(ROWS), language="de-DE")

    await talk.say(said)

    assert talk.acts == acts


HOME = """
[home]
radio_seconds = 0
[[device]]
name = "Stimmungslicht"
room = "Wohnzimmer"
kind = "light"
state = 60
[[device]]
name = "Rollladen"
room = "Schlafzimmer"
kind = "blind"
state = "open"
[[device]]
name = "Küchenfenster"
room = "Küche"
kind = "sensor"
measures = ["door"]
"""


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("mach das Stimmungslicht blau", "on, 60 %, blue"),
        ("stell das Stimmungslicht auf rot", "on, 60 %, red"),
        ("Stimmungslicht auf Warmweiß", "on, 60 %, warm white"),
        ("setze die Farbe vom Stimmungslicht auf türkis", "on, 60 %, turquoise"),
        ("stelle das Licht im Wohnzimmer auf grün", "on, 60 %, green"),
    ],
)
async def test_colours_in_german(said: str, state: str) -> None:
    talk = HomeTalk(HOME, language="de")
    await talk.hears(said)
    [light, *_] = devices_of(await talk.home.snapshot(0))
    assert state_text(light) == state


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "ist ein Fenster offen"),
        ("de", "sind Fenster offen"),
        ("en", "is a window open"),
        ("en", "is the window open"),
    ],
)
async def test_a_window_is_not_the_blind_before_it(language: str, said: str) -> None:
    assert (await HomeTalk(HOME, language=language).hears(said)).text == "No, no window is open."
    nothing = HomeTalk(HOME.replace("Küchenfenster", "Kontakt"), language=language)
    assert (await nothing.hears(said)).text == "Nothing here can tell me whether a window is open."


@pytest.mark.parametrize("said", ["Stehlampe in der Küche an", "was ist an"])
async def test_the_last_word_of_another_language_is_not_read_as_english(said: str) -> None:
    reply = await HomeTalk(HOME, language="de").hears(said)
    assert "more to come" not in reply.text

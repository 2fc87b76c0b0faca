"""Homes with odd names: a button that is called like what rings, rooms that have nothing of what is asked."""

import pytest
from tests.fakes.home_talk import HomeTalk

NOT_UNIT = "a simulated home at its own pace"

HEAD = "[home]\nradio_seconds = 0\n"
BUTTON = '[[device]]\nname = "Doorbell"\nroom = "Garden"\nkind = "sensor"\nbuttons = 1\n'
REMOTE = '[[device]]\nname = "Wall Remote"\nroom = "Hall"\nkind = "sensor"\nbuttons = 4\nbattery = 50\n'
CHIME = '[[device]]\nname = "{}"\nroom = "Hall"\nkind = "chime"\ntones = ["Ding Dong", "Westminster"]\n'
SIREN = '[[device]]\nname = "Siren"\nroom = "Hall"\nkind = "siren"\ntones = ["Alarm"]\n'
ONLY_TELLS = "only tells when it is pressed"
LAMP = '[[device]]\nname = "Lamp"\nroom = "Hall"\nkind = "switch"\n'


@pytest.mark.parametrize(
    ("more", "said", "answer"),
    [
        (CHIME.format("Gong"), "ring the doorbell", "The Gong is playing Ding Dong."),
        (CHIME.format("Gong") + SIREN, "ring the doorbell", "The Gong is playing Ding Dong."),
        (CHIME.format("Gong"), "play westminster on the doorbell", "The Gong is playing Westminster."),
        (CHIME.format("Gong"), "ring the gong", "The Gong is playing Ding Dong."),
        (SIREN, "ring the doorbell", f"The Doorbell {ONLY_TELLS}. I know nothing that could ring."),
        (LAMP, "ring the doorbell", f"The Doorbell {ONLY_TELLS}. I know nothing that could ring."),
        (CHIME.format("Gong") + CHIME.format("Bell"), "ring the doorbell",
         "Which one do you mean: the Gong or the Bell?"),
        (LAMP, "turn off the doorbell", f"The Doorbell cannot be turned off; it {ONLY_TELLS}."),
        (LAMP, "turn on the wall remote", f"I can't turn on that: the Wall Remote {ONLY_TELLS}."),
        (CHIME.format("Gong"), "ring the gong with tone 7",
         'The Gong has no tone "7"; it has Ding Dong and Westminster.'),
        (CHIME.format("Gong"), "play tone 3 on the gong",
         'The Gong has no tone "3"; it has Ding Dong and Westminster.'),
        (CHIME.format("Gong"), "ring the gong with tone 2", "The Gong is playing Westminster."),
        (CHIME.format("Gong"), "ring the gong at 0 percent",
         "I can ring the Gong at 1 to 100 percent. At how many shall I?"),
    ],
)  # fmt: skip
async def test_what_rings_is_rung_and_nothing_else(more: str, said: str, answer: str) -> None:
    talk = HomeTalk(HEAD + BUTTON + REMOTE + more)
    assert (await talk.hears(said)).text == answer


async def test_a_chime_of_that_name_is_meant_itself() -> None:
    talk = HomeTalk(HEAD + CHIME.format("Doorbell") + CHIME.format("Gong"))
    assert (await talk.hears("ring the doorbell")).text == "The Doorbell is playing Ding Dong."


async def test_everything_in_a_room_is_looked_at_whatever_it_is() -> None:
    lock = '[[device]]\nname = "Front Door"\nroom = "Hall"\nkind = "lock"\n'
    talk = HomeTalk(HEAD + CHIME.format("Gong") + lock)
    said = (await talk.hears("what is the state of everything in the hall")).text
    assert ("Gong" in said, "Front Door" in said) == (True, True), said


LONG_ROOM = '[[device]]\nname = "Fan"\nroom = "Salle de bain du haut"\nkind = "switch"\n'


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("set the salle de bain du haut to 22 degrees", "I know no thermostat in the Salle de bain du haut."),
        ("is the hall open", "Nothing here can tell me whether anything in the Hall is open."),
        ("is the hall locked", "Nothing here can tell me whether anything in the Hall is locked."),
    ],
)
async def test_what_a_room_does_not_have_is_told(said: str, answer: str) -> None:
    talk = HomeTalk(HEAD + LAMP + LONG_ROOM)
    assert (await talk.hears(said)).text == answer


WARM = '[[device]]\nname = "{}"\nroom = "{}"\nkind = "thermostat"\n'


@pytest.mark.parametrize("said", ["set the heating to 21", "warmer", "set the temperature to 21 degrees"])
async def test_of_two_thermostats_the_one_called_so_is_not_meant_by_every_word(said: str) -> None:
    talk = HomeTalk(HEAD + WARM.format("Thermostat", "Hall") + WARM.format("Radiator", "Bedroom"))
    asked = await talk.hears(said)
    assert asked.text.startswith("Which one do you mean: the Thermostat in the Hall or the Radiator in the")
    assert (await talk.hears("the radiator")).text.startswith("The Radiator is now set to 21 degrees")


async def test_warmer_is_the_thermostat_that_was_talked_of() -> None:
    talk = HomeTalk(HEAD + WARM.format("Thermostat", "Hall") + WARM.format("Radiator", "Bedroom"))
    await talk.hears("set the radiator to 21")
    assert (await talk.hears("warmer")).text == "The Radiator is now set to 22 degrees Celsius."
    await talk.hears("set the bedroom to 20 degrees")
    assert (await talk.hears("make it cooler")).text == "The Radiator is now set to 19 degrees Celsius."


async def test_an_indefinite_word_is_a_question_for_any() -> None:
    doors = "".join(
        f'[[device]]\nname = "{name}"\nroom = "Hall"\nkind = "sensor"\nmeasures = ["door"]\n'
        for name in ("Terrace Door", "Cellar Door")
    )
    talk = HomeTalk(HEAD + LAMP + doors)
    assert (await talk.hears("is a door open")).text == "No, no door is open."
    await talk.hears("turn on the lamp")
    assert (await talk.hears("is a light on")).text == "Yes, the Lamp is on."


async def test_a_relay_that_holds_a_valve_is_closed_and_opened() -> None:
    talk = HomeTalk(
        HEAD + '[[device]]\nname = "Water Valve"\nroom = "Cellar"\nkind = "switch"\nstate = "on"\n'
    )
    assert (await talk.hears("close the water valve")).text == "The Water Valve is now off."
    asked = await talk.hears("open the water valve")
    assert asked.expects_answer, "what lets the water in is asked about"
    assert (await talk.hears("yes")).text == "The Water Valve is now on."


async def test_a_name_with_an_article_gets_no_other() -> None:
    talk = HomeTalk(HEAD + LAMP.replace('"Lamp"', '"The Lamp"').replace("switch", 'switch"\nstate = "on'))
    assert (await talk.hears("which lights are on")).text == "The Lamp is on."


async def test_a_white_that_is_mixed_of_colours_is_called_a_white() -> None:
    light = '[[device]]\nname = "LED Strip"\nroom = "Hall"\nkind = "light"\nshows = ["colours"]\nstate = 60\n'
    talk = HomeTalk(HEAD + light)
    assert (await talk.hears("set the led strip to warm white")).text == "The LED Strip is now warm white."
    assert (await talk.hears("set the led strip to 3500 kelvin")).text == "The LED Strip is now 3500 kelvin."
    assert (await talk.hears("make the led strip orange")).text == "The LED Strip is now orange."


@pytest.mark.parametrize("word", ["stop", "stop it", "stop!"])
async def test_stop_holds_what_moves_because_of_what_was_said(word: str) -> None:
    blind = (
        '[[device]]\nname = "Shutter"\nroom = "Hall"\nkind = "blind"\nmove_seconds = 600\nstate = "open"\n'
    )
    talk = HomeTalk(HEAD + blind)
    assert (await talk.hears("close the shutter")).text == "The Shutter is closing."
    assert (await talk.hears(word)).text.startswith("The Shutter has stopped")


async def test_stop_is_only_a_word_where_nothing_moves() -> None:
    talk = HomeTalk(HEAD + LAMP)
    assert (await talk.hears("stop")).text == "Okay."
    await talk.hears("turn on the lamp")
    assert (await talk.hears("stop")).text == "Okay."


async def test_names_that_sound_the_same_are_told_apart() -> None:
    talk = HomeTalk(HEAD + LAMP + LAMP.replace('"Lamp"', '"The Lamp"'))
    asked = (await talk.hears("turn on the lamp in the hall")).text
    assert asked == "Which one do you mean: the Lamp with node 2 or The Lamp with node 3?"


RELAY = '[[device]]\nname = "{}"\nroom = "Hall"\nkind = "{}"\nstate = "on"\n'
BLIND = '[[device]]\nname = "Blind"\nroom = "Hall"\nkind = "blind"\nstate = "open"\n'


@pytest.mark.parametrize(
    "said", ["close everything", "close all", "close everything in the hall", "close up"]
)
async def test_who_closes_everything_does_not_mean_relays_that_hold_a_valve(said: str) -> None:
    relays = [("Water Valve", "switch"), ("Valve Lamp", "switch"), ("Gas Valve", "plug")]
    talk = HomeTalk(HEAD + BLIND + "".join(RELAY.format(*one) for one in relays))
    told = (await talk.hears(said)).text
    assert "Valve" not in told, told
    assert (await talk.hears("is the gas valve on")).text.startswith("Yes")
    assert (await talk.hears("close the valve lamp")).text.startswith("I can't close")


@pytest.mark.parametrize("other", ["gas valve", "blind"])
async def test_valves_that_are_named_together_are_closed_together(other: str) -> None:
    talk = HomeTalk(HEAD + BLIND + RELAY.format("Water Valve", "switch") + RELAY.format("Gas Valve", "plug"))
    await talk.hears(f"close the water valve and the {other}")
    assert (await talk.hears("is the water valve on")).text.startswith("No")
    assert (await talk.hears("is the gas valve on")).text.startswith("No" if other == "gas valve" else "Yes")


async def test_both_valves_of_one_name_are_closed() -> None:
    twins = RELAY.format("Water Valve", "switch") + RELAY.format("Water Valve", "switch").replace(
        "Hall", "Attic"
    )
    done = await HomeTalk(HEAD + twins).hears("close both water valves")
    assert ("Hall" in done.text, "Attic" in done.text, done.outcomes[-1].ok) == (True, True, True), done.text


@pytest.mark.parametrize("name", ["Valve Garden", "Ventil Keller", "Valve for the pool", "Gas Main Valve 2"])
async def test_a_valve_may_be_called_first(name: str) -> None:
    talk = HomeTalk(HEAD + RELAY.format(name, "switch"))
    assert (await talk.hears(f"close the {name}")).text == f"The {name} is now off."


async def test_one_of_several_thermostats_is_the_one_that_was_talked_of() -> None:
    rooms = ("Living Room", "Bedroom")
    talk = HomeTalk(HEAD + "".join(WARM.format(f"{room} Thermostat", room) for room in rooms))
    await talk.hears("set the bedroom thermostat to 21")
    told = (await talk.hears("turn the thermostat up")).text
    assert told == "The Bedroom Thermostat is now set to 22 degrees Celsius."


@pytest.mark.parametrize("tone", [0, 9])
async def test_no_yes_is_asked_for_a_tone_that_is_not_there(tone: int) -> None:
    told = await HomeTalk(HEAD + SIREN).hears(f"ring the siren with tone {tone}")
    assert told.text == f'The Siren has no tone "{tone}"; it has Alarm.'


async def test_a_thermostat_that_is_called_so_is_meant_by_its_name() -> None:
    talk = HomeTalk(HEAD + WARM.format("Thermostat", "Hall") + WARM.format("Radiator", "Bedroom"))
    await talk.hears("set the radiator to 21")
    assert (
        await talk.hears("set the thermostat to 19")
    ).text == "The Thermostat is now set to 19 degrees Celsius."
    assert (
        await talk.hears("turn the thermostat up")
    ).text == "The Thermostat is now set to 20 degrees Celsius."


@pytest.mark.parametrize("said", ["what is the state of everything", "check everything"])
async def test_everything_is_every_device_whatever_it_is(said: str) -> None:
    talk = HomeTalk(HEAD + LAMP + BLIND)
    told = (await talk.hears(said)).text
    assert ("Lamp" in told, "Blind" in told) == (True, True), told
    assert "Which one" not in told


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("is a siren on", "I know no siren."),
        ("is a fan on", "I know no fan."),
        ("is a blind closed", "I know no blind."),
    ],
)
async def test_of_what_is_not_there_nothing_is_denied(said: str, answer: str) -> None:
    assert (await HomeTalk(HEAD + LAMP).hears(said)).text == answer


LOCKS = "".join(
    f'[[device]]\nname = "Front Door"\nroom = "{room}"\nkind = "lock"\n' for room in ("Hall", "Attic")
)


async def test_a_question_about_two_of_one_name_tells_of_both() -> None:
    talk = HomeTalk(HEAD + LOCKS)
    asked = (await talk.hears("unlock both front doors")).text
    assert asked == "Unlock the front door in the Hall and the front door in the Attic? Say yes to confirm."
    assert len((await talk.hears("yes")).outcomes) == 2

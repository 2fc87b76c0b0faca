"""Home Assistant's own tools: only what the home shows afterwards is done."""

import asyncio
from pathlib import Path
from typing import Any

import yaml
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_linked import WrappedHomeAssistant

from voice_gateway.errors import ToolUnavailable
from voice_gateway.integrations.source import Act, Call
from voice_gateway.turn import OutcomeStatus

CONFIRMED, WORKING, UNCONFIRMED = OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.UNCONFIRMED
UNREACHABLE, FAILED, UNSUPPORTED = OutcomeStatus.UNREACHABLE, OutcomeStatus.FAILED, OutcomeStatus.UNSUPPORTED


CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())


async def test_only_what_the_home_shows_is_done():
    for case in CASES["shown"]:
        home = recorded_home()
        home["light.slow"].seconds = 100_000
        async with WrappedHomeAssistant(home) as ha:
            outcome = await ha.act(case["device"], case["action"], **case["values"])
        assert outcome.status == case["outcome"], (case, outcome.text)
        assert case["words"] in f"{outcome.facts['state']} {outcome.text}", case
        assert outcome.facts["device"] == case["device"]
        assert outcome.facts["requested"]["action"] == case["action"]


async def test_what_would_come_to_nothing_is_reported_and_not_called():
    for case in CASES["hopeless"]:
        async with WrappedHomeAssistant(recorded_home()) as ha:
            outcome = await ha.act(case["device"], case["action"], **case["values"])
        assert (outcome.status, case["words"] in outcome.text) == (case["outcome"], True), (
            case,
            outcome.text,
        )
        assert ha.tools.acted() == []


async def test_each_step_has_its_outcome_and_words():
    for steps in CASES["steps"]:
        async with WrappedHomeAssistant(recorded_home()) as ha:
            for tool, args, status, words in steps:
                outcome = await ha.call(tool, **args)
                assert (outcome.status, words in outcome.text) == (status, True), (tool, args, outcome.text)


async def test_a_call_for_many_lists_what_did_and_what_did_not():
    home = recorded_home()
    home["light.slow"].seconds = 0
    async with WrappedHomeAssistant(home) as ha:
        outcome = await ha.call("HassTurnOn", area="Hall", domain=["light"])
        assert outcome.status is UNREACHABLE
        assert {result["device"]: result["outcome"] for result in outcome.facts["results"]} == {
            "Slow Light": "confirmed", "Failing Light": "unconfirmed", "Unplugged Light": "unreachable",
        }  # fmt: skip


async def test_a_floor_is_told_by_what_home_assistant_asked():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        ha.home["light.lamp_living"].state = "on"
        assert ha.source.on_floor("Upstairs", "unlock", "lock") is None
        call = ha.source.on_floor("Upstairs", "on", "light")
        assert call == Call("HassTurnOn", {"floor": "Upstairs", "domain": ["light"]})
        outcome = await ha.call(call.tool, **call.args)
        assert outcome.status is CONFIRMED
        lights = {"Lamp", "Bed Light", "Office RGBW Lights"}
        assert {item["device"] for item in outcome.facts["results"]} == lights


async def test_what_cannot_be_done_is_refused_with_its_reason():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        for case in CASES["refused"]:
            outcome = await ha.call(case["tool"], **case["args"])
            assert (outcome.status, case["words"] in outcome.text) == (case["outcome"], True), case


async def test_of_two_entries_at_once_the_one_that_is_missing_is_reported():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        called = ha.tools.call

        async def forgetful(name: str, arguments: Any) -> Any:
            result = await called(name, arguments)
            if name == "HassListAddItem" and arguments["item"] == "eggs":
                ha.home["todo.shopping_list"].items.pop()
            return result

        ha.tools.call = forgetful
        milk, eggs = await asyncio.gather(
            ha.call("HassListAddItem", item="milk", name="Shopping List"),
            ha.call("HassListAddItem", item="eggs", name="Shopping List"),
        )
        assert (milk.status, eggs.status) == (CONFIRMED, UNCONFIRMED)
        assert eggs.text == 'Error: I have asked for it, but "eggs" is not on "Shopping List".'


async def test_its_lists_are_called_by_their_names():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        add = ha.source.list_calls("add", "shopping", ["milk", "eggs"])
        assert add == tuple(
            Call("HassListAddItem", {"item": item, "name": "Shopping List"}) for item in ("milk", "eggs")
        )
        assert ha.source.list_calls("read", "chores", ()) == (
            Call("todo_get_items", {"todo_list": "Chores"}),
        )
        assert ha.source.list_calls("add", "wishes", ["gold"]) is None
        assert isinstance(ha.source.list_calls("clear", "shopping list", ()), str)


async def test_a_look_has_the_devices_of_every_home():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        outcome = await ha.call("GetLiveContext")
        assert outcome.status is OutcomeStatus.READ
        assert outcome.facts["total"] == len(outcome.facts["devices"]) == 32
        assert outcome.text.startswith("Live Context")


# --- what was before


async def test_the_calls_of_before_put_it_back():
    shown = ("brightness", "temperature", "volume_level", "current_position")
    for case in CASES["put_back"]:
        async with WrappedHomeAssistant(recorded_home()) as ha:
            entity = ha.home[case["entity"]]
            state, attributes = entity.state, dict(entity.attributes)
            outcome = await ha.act(case["device"], case["action"], **case["values"])
            for call in outcome.facts["before"]:
                await ha.call(call["name"], **call["args"])
            assert ha.home[case["entity"]].state == state, case
            for key in shown:
                value = attributes.get(key)
                assert value is None or abs(ha.home[case["entity"]].attributes[key] - value) <= 1, (case, key)


async def test_what_cannot_be_put_back_says_so():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        coloured = await ha.act("Ceiling Lights", "colour", colour="red")
        assert coloured.facts["undo"] == "The colour of the Ceiling Lights cannot be put back."
        assert coloured.facts["before"][0]["args"]["brightness"] == 71
        skipped = await ha.act("Kitchen Radio", "next")
        assert skipped.facts["undo"] == "The Kitchen Radio cannot be put back from here."
        scene = await ha.call("HassTurnOn", name="Movie Night")
        assert scene.facts["undo"] == "What the scene Movie Night has changed is not known here."


async def test_what_did_not_change_has_nothing_to_put_back():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        outcome = await ha.act("Poorly Installed Door", "lock")
        assert "before" not in outcome.facts
        unplugged = await ha.act("Unplugged Light", "on")
        assert "before" not in unplugged.facts


# --- names


async def test_a_name_or_area_with_a_comma_is_called_as_home_assistant_knows_it():
    lamps = [
        Entity("light.one", 'Küche, Decke: "hell"', "Küche", "off", {"brightness": None}),
        Entity("light.two", "Flur", "Küche", aliases=("Diele",)),
        Entity("light.three", "Lamp", "Flur, hinten"),
    ]
    async with WrappedHomeAssistant(HomeAssistantHome(lamps)) as ha:
        outcome = await ha.act("Küche", "on")
        assert outcome.status is CONFIRMED
        assert ha.home["light.one"].state == "on"
        assert (await ha.act("Flur", "on")).status is CONFIRMED
        assert (await ha.act("Lamp", "on")).status is CONFIRMED
        assert (await ha.call("HassTurnOff", name="Diele")).status is CONFIRMED


async def test_a_device_called_like_a_room_is_not_the_room():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        outcome = await ha.act("Bedroom", "off")
        assert outcome.status is CONFIRMED
        assert ha.home["light.bed_light"].state == "off"
        assert ha.home["media_player.bedroom"].state == "off"


# --- a home that changes meanwhile


async def test_an_area_that_vanished_is_reported():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        call = ha.planned("Lamp", Act("on"), "Bedroom")
        ha.home["light.lamp_bedroom"].area = ""
        ha.home["light.bed_light"].area = "Attic"
        ha.home["fan.ceiling_fan"].area = "Attic"
        del ha.home.areas["Bedroom"]
        outcome = await ha.call(call.tool, **call.args)
        assert outcome.status is OutcomeStatus.NOT_FOUND
        assert outcome.text == 'Error: Home Assistant has no area called "Bedroom".'
        assert ha.home["light.lamp_living"].state == "off"


async def test_a_device_that_goes_away_after_the_call_is_not_done():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        lamp = ha.home["light.failing"]
        lamp.will_become(ha.now + 0.3, "unavailable")
        outcome = await ha.act("Failing Light", "on")
        assert outcome.status is UNREACHABLE


async def test_a_link_that_breaks_in_the_middle_leaves_it_open():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        called = ha.tools.call

        async def broken(name: str, arguments: Any) -> Any:
            if ha.tools.acted():
                raise ToolUnavailable('The server "ha" cannot be reached.')
            return await called(name, arguments)

        ha.tools.call = broken
        outcome = await ha.act("Bed Light", "on")
        assert outcome.status is UNCONFIRMED
        assert "cannot be reached; the command is not confirmed" in outcome.text
        assert outcome.facts["before"]


async def test_a_list_that_cannot_be_read_stops_the_act():
    async with WrappedHomeAssistant(recorded_home()) as ha:
        ha.tools.live_context = lambda: "Live Context: …\n- names: Bed Light\n  dom"  # type: ignore[method-assign]
        ha.now += 1
        await ha.source.read()
        outcome = await ha.call("HassTurnOn", name="Bed Light")
        assert outcome.text == "Error: Home Assistant's list of devices is cut off."
        assert ha.tools.acted() == []


async def test_ten_at_once_share_their_looks():
    lamps = [Entity(f"light.l{n}", f"Lamp {n}", "Hall", "off", {"brightness": None}) for n in range(10)]
    async with WrappedHomeAssistant(HomeAssistantHome(lamps)) as ha:
        ha.tools.calls.clear()
        outcomes = await asyncio.gather(*(ha.act(f"Lamp {n}", "on") for n in range(10)))
        assert {outcome.status for outcome in outcomes} == {CONFIRMED}
        looks = [name for name, _ in ha.tools.calls if name == "GetLiveContext"]
        assert len(looks) < 10

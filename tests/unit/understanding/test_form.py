"""The form of a home, which words it is for, and what becomes of a model's answer."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import BrainError
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Reply, Utterance
from voice_gateway.understanding.form import FormFiller, Prompt, commands, is_for_form, make_form
from voice_gateway.understanding.stage import UnderstandingStage

WISH = "send the floor lamp to sleep"


class FilledIn:
    """A model that gives one answer, or fails."""

    model_name, fills_forms = "tiny", True

    def __init__(self, answer: str | BrainError) -> None:
        self.answer = answer
        self.asked: list[tuple[Prompt, Mapping[str, Any]]] = []

    async def fill(self, messages: Prompt, schema: Mapping[str, Any]) -> str:
        self.asked.append((messages, schema))
        if isinstance(self.answer, BrainError):
            raise self.answer
        return self.answer


def order(*steps: tuple[str, str] | tuple[str, str, float]) -> str:
    made = [dict(zip(("thing", "act", "to"), step, strict=False)) for step in steps]
    return json.dumps({"words": "order", "steps": made})


class House:
    """The scripted home behind a whole conversation with such a model."""

    def __init__(self, answer: str | BrainError) -> None:
        self.home, self.model = ScriptedHome.default(), FilledIn(answer)
        executor, brain = ToolExecutor(manager_for(self.home)), BrainSettings()
        self.local = UnderstandingStage(executor, brain)
        self.local.form = FormFiller(self.model)
        self._conversation = Conversation(
            [self.local], executor, brain, PermissionSettings(), context=self.local
        )

    async def says(self, text: str) -> Reply:
        return await self._conversation.answer(Utterance(text))

    @property
    def made(self) -> list[dict[str, Any]]:
        return [args for name, args in self.home.calls if name.startswith(("control", "set", "activate"))]


@pytest.mark.parametrize(
    ("answer", "question", "call"),
    [
        (order(("Floor Lamp", "off")), "Turn off the floor lamp?", {"action": "off"}),
        (order(("Floor Lamp", "set", 20)), "Set the floor lamp to 20 percent?", {"level": 20}),
        (order(("Thermostat", "set", 22)), "Set the thermostat to 22 degrees?", {"temperature": 22}),
        (order(("Window Blind", "off")), "Close the window blind?", {"action": "close"}),
        (order(("Floor Lamp", "less")), "Turn down the floor lamp?", {"action": "dim"}),
        (order(("scene Movie Night", "on")), "Start Movie Night?", {"sceneName": "Movie Night"}),
    ],
)
async def test_a_proposal_fits_the_kind_and_only_a_yes_carries_it_out(
    answer: str, question: str, call: dict[str, Any]
) -> None:
    house = House(answer)

    asked = await house.says(WISH)
    before = list(house.made)
    await house.says("yes")

    assert (asked.text, asked.expects_answer, before) == (question, True, [])
    assert "form: " in asked.understood
    assert call.items() <= house.made[0].items()


async def test_one_yes_carries_out_several_steps_and_a_no_none() -> None:
    house = House(order(("Floor Lamp", "off"), ("Desk Lamp", "off")))

    asked = await house.says("let the two of them rest, the floor lamp and the desk lamp")
    await house.says("no")
    assert asked.text == "Turn off the floor lamp and turn off the desk lamp?"
    assert house.made == []

    await house.says("let the two of them rest, the floor lamp and the desk lamp")
    await house.says("yes")
    assert [(args["deviceName"], args["action"]) for args in house.made] == [
        ("Floor Lamp", "off"),
        ("Desk Lamp", "off"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"words": "story"}),
        order(("Floor Lamp", "on")),  # it is on
        order(("Front Door", "on")),  # no model opens a way into the house
        order(("Garage Door", "open")),
        order(("Front Door", "set", 50)),
    ],
)
async def test_what_would_change_nothing_or_let_somebody_in_is_not_proposed(answer: str) -> None:
    reply = await House(answer).says(WISH)

    assert not reply.expects_answer
    assert not reply.outcomes


@pytest.mark.parametrize(
    "answer",
    ["", "[]", "{", '{"words": "order", "steps": 1}', order(("Unicorn", "on")), order(("Floor Lamp", "eat")),
     order(("Floor Lamp", "set")), BrainError("gone", spoken="My language model does not answer.")],
)  # fmt: skip
async def test_a_model_that_fails_is_told_of_once_and_is_as_good_as_none(answer: str | BrainError) -> None:
    house = House(answer)

    first, second = await house.says(WISH), await house.says(WISH)
    house.model.answer = order(("Floor Lamp", "off"))
    third = await house.says(WISH)

    assert first.text.startswith("My language model")
    assert first.text.endswith(second.text)
    assert "model" not in second.text
    assert third.expects_answer
    assert house.made == []


async def test_what_the_grammar_reads_never_reaches_the_model() -> None:
    house = House(order(("Desk Lamp", "off")))

    for words in ("turn off the floor lamp", "thank you", "turn on the light", "yes", "40"):
        await house.says(words)

    assert house.model.asked == []


async def test_a_model_that_is_trusted_fills_no_form() -> None:
    house = House(order(("Floor Lamp", "off")))
    house.model.fills_forms = False

    assert not (await house.says(WISH)).expects_answer
    assert house.model.asked == []


async def test_the_last_command_goes_with_short_words() -> None:
    house = House(order(("Floor Lamp", "set", 10)))

    await house.says("turn off the desk lamp")
    await house.says("gemütlicher bitte")

    assert house.model.asked[0][0][-1] == ("user", "[last: off Desk Lamp] gemütlicher bitte")


def test_the_schema_holds_what_this_home_has_and_what_is_mentioned_leaves_no_other() -> None:
    devices = [
        Device("Lamp", "Hall", "dimmer"),
        Device("Tall Lamp", "Hall", "dimmer"),
        Device("Door", "Hall", "lock"),
        Device("Smoke", "Hall", "sensor"),
    ]
    form = make_form(build_home(devices))

    assert [*form.things] == ["Lamp", "Tall Lamp", "Door", "Hall lights", "all lights"]
    assert "open" not in form.acts
    messages, schema = form.request("the tall lamp is tired")
    step = schema["anyOf"][0]["properties"]["steps"]
    assert step["items"]["anyOf"][0]["properties"]["thing"] == {"enum": ["Tall Lamp"]}
    assert step["maxItems"] == 1
    assert messages[:-1] == form.request("something else")[0][:-1] == form.prefix


def test_an_empty_home_has_a_form_without_steps_to_take() -> None:
    form = make_form(build_home([]))

    assert commands(form, '{"words": "story"}') == []
    with pytest.raises(ValueError, match="not in the form"):
        commands(form, order(("Lamp", "on")))


@pytest.mark.parametrize(("count", "tokens"), [(50, 900), (500, 900)])
def test_the_prefix_is_short_and_names_of_many_scripts_stay_whole(count: int, tokens: int) -> None:
    names = ("Lampe", "灯", "Лампа", "مصباح", "Living Lamp")
    devices = [Device(f"{names[at % 5]} {at}", f"Room {at % 10}", "dimmer") for at in range(count)]
    form = make_form(build_home(devices))

    written = "".join(text for _, text in form.prefix)
    _, schema = form.request("灯 1 と灯 6 を消して")
    things = schema["anyOf"][0]["properties"]["steps"]["items"]["anyOf"][0]["properties"]["thing"]["enum"]

    assert len(written.encode()) * 2 // 7 <= tokens
    assert "灯 6" in things


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (WISH, True),
        ("mach die Stehlampe aus", True),
        ("turn the floor lamp into a pumpkin", True),
        ("is the floor lamp tired?", False),
        ("I sent the floor lamp to sleep", False),
        ("the floor lamp is beautiful", False),
        ("never send the floor lamp to sleep", False),
        ("when I come home send the floor lamp to sleep", False),
        ("tomorrow send the floor lamp to sleep", False),
        ("mach die Stehlampe nicht aus", False),
        ("warum ist die Stehlampe aus", False),
        ("the quick brown fox jumps over dogs", False),
        ("lamp", False),
    ],
)
async def test_which_words_are_for_the_form(text: str, wanted: bool) -> None:
    house = House("{}")
    await house.local.cache.refresh()
    reader = house.local.grammar().reader(house.local.home)

    assert is_for_form(reader, reader.tokens(text), text) is wanted

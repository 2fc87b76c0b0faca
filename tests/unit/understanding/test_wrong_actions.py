"""Wrong actions that were seen once, each as a class: what must not act, and what must touch lights alone."""

from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.understanding.interpreter import Understood
from voice_gateway.understanding.stage import UnderstandingStage

NEVER = (
    "bit more", "more", "less", "20", "off", "make it 40", "turn it off", "both at 10",
    "my wife wants the heating at 22", "my notes mention the floor lamp, what is going on",
    "turn on the floor lamp, scratch that", "turn off the floor lamp, never mind",
    "turn on the floor lamp and forget it", "a garage door opens", "the floor lamp turned off",
    "lock the back door and unlock the front door", "unlock both front doors",
    "turn off the lamp but not the one in the bedroom", "raise the window blind at seven",
    "turn off the kitchen light and turn on the kitchen light", "set the floor lamp to half 20 percent",
    "i am going to turn on the floor lamp", "do i have to make it warmer", "imagine, the lights off",
    "at seven, turn on the floor lamp", "when i say so, turn on the floor lamp",
    "turn on the floor lamp, she said", "turn on the floor lamp in ten minutes",
    "i am glad my kids turn off the lights", "we left the garage door open", "any desk lamp on",
    "i was going to dim the floor lamp", "let me turn off the floor lamp",
    "she let me turn on the floor lamp", "what does set timer for two hours",
    "should i turn off the desk lamp and turn on the floor lamp", "um", "hmm", "♪♪",
    "could you not turn on the desk lamp", "don't forget to turn off the desk lamp",
    "turn on either the ceiling light or the bedside lamp",
    "turn on the floor lamp " + "and then think of something nice " * 40,
)  # fmt: skip
LIGHTS_ALONE = ("light up the whole house", "dim everything to 20", "all lamps off", "make everything darker")


async def brain() -> UnderstandingStage:
    made = UnderstandingStage(ToolExecutor(manager_for(ScriptedHome.default())), BrainSettings())
    await made.cache.refresh()
    return made


def acts(understood: Understood) -> bool:
    return understood.question is None and understood.acts


async def test_what_is_no_order_for_now_does_not_act() -> None:
    grammar = await brain()
    assert [said for said in NEVER if acts(grammar.read(said))] == []


async def test_a_number_for_a_room_with_heating_and_a_dimmer_asks_which() -> None:
    home = ScriptedHome.of(
        (
            ("Reading Lamp", "Snug", "dimmer", "off", True),
            ("Radiator", "Snug", "thermostat", "heat, 19 °C", True),
        )
    )
    grammar = UnderstandingStage(ToolExecutor(manager_for(home)), BrainSettings())
    await grammar.cache.refresh()
    question = grammar.read("snug to 21").question
    assert question is not None
    assert {device.name for device in question.candidates} == {"Reading Lamp", "Radiator"}
    for said, meant in (("snug to 60", "Reading Lamp"), ("snug to 21 degrees", "Radiator")):
        [request] = grammar.read(said).requests
        assert request.device is not None
        assert request.device.name == meant, said


async def test_all_timers_are_no_alarms() -> None:
    grammar = await brain()
    for said, kind in (
        ("cancel all timers", "timer"),
        ("cancel all alarms", "alarm"),
        ("end the timer", None),
    ):
        [request] = grammar.read(said).requests
        assert request.args.get("kind") == kind, said


async def test_what_but_leads_to_is_left_alone() -> None:
    grammar = await brain()
    for said in (
        "turn off the lights but i need the one in the kitchen",
        "all lights off, i still need the kitchen light",
    ):
        names = {device.name for step in grammar.read(said).steps for device in step.devices}
        assert "Kitchen Light" not in names
        assert "Desk Lamp" in names


async def test_a_word_for_light_means_lights_in_the_whole_house() -> None:
    grammar = await brain()
    others = []
    for said in LIGHTS_ALONE:
        understood = grammar.read(said)
        devices = [device for step in understood.steps for device in step.devices]
        others += [(said, device.name) for device in devices if not device.is_light]
        others += [(said, "nothing")] if not devices else []
    assert others == []

"""What a model was sent is kept: each message once, without secrets, and not on MQTT."""

import json

from langchain_core.tools import tool
from tests.fakes.model import Calls, FakeModel
from tests.fakes.recording import recording

from voice_gateway.events import Answered, EventBus, Heard
from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.prompt import SYSTEM_PROMPT
from voice_gateway.recorder.story import lines_of
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import with_traits
from voice_gateway.turn import ToolTraits, Utterance
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn


@tool
def feel_soil(room: str, api_key: str = "") -> str:
    """How wet the soil of the plants in a room is."""
    return f"The soil in the {room} is dry (asked with {api_key})."


async def kept_turn(tmp_path, *script, history=None, said="do my flowers look thirsty"):
    watch, utterance, events = EventBus(), Utterance(said), []
    recorder = recording(tmp_path, watch)
    watch.subscribe(events.append)
    manager = ToolManager()
    manager.add(with_traits(feel_soil, ToolTraits(read_only=True)))
    watch.publish(Heard(utterance))
    turn = Turn(utterance, history or History(), events=watch, shown=utterance)
    model = FakeModel(list(script), tools=[feel_soil])
    reply = await run_loop(model, turn, ToolExecutor(manager), user_text=f"[noon] {said}")
    watch.publish(Answered(utterance, reply))
    [kept] = await recorder.read(lambda store: store.find(utterance.id))
    await recorder.close()
    return kept, [one for one in kept["events"] if one["type"] == "round"], events


async def test_each_round_has_the_messages_that_were_new_in_it(tmp_path):
    history = History()
    history.add_user("hello")
    history.add_ai("Hello.")

    turn, rounds, _ = await kept_turn(
        tmp_path,
        Calls(("feel_soil", {"room": "kitchen"}), text="Let me feel."),
        "The soil in the kitchen is dry.",
        history=history,
    )

    first, second = rounds
    assert (first["number"], second["number"], first["input_tokens"]) == (1, 2, None)  # it does not say
    assert first["first_token_seconds"] <= first["seconds"]
    assert first["sent"] == [{"role": "user", "text": "[noon] do my flowers look thirsty"}]
    assert (first["earlier"], second["earlier"]) == (2, 2)
    assert (first["tools"], second["tools"]) == (["feel_soil"], [])
    assert [one["role"] for one in second["sent"]] == ["assistant", "tool"]
    asked, result = second["sent"]
    assert asked["calls"][0]["args"] == {"room": "kitchen"}
    assert (result["tool"], result["call_id"]) == ("feel_soil", asked["calls"][0]["call_id"])
    assert result["text"].startswith("The soil in the kitchen is dry")
    assert len(first["prompt"]) == 12
    assert SYSTEM_PROMPT[:60] not in json.dumps(turn)


async def test_no_secret_of_a_call_is_in_the_messages(tmp_path):
    call = ("feel_soil", {"room": "kitchen", "api_key": "sk-77hush77hush"})

    turn, _, _ = await kept_turn(tmp_path, Calls(call), "It is dry.", said="feel it, the code is 4711")

    assert "hush" not in json.dumps(turn)
    assert "4711" not in json.dumps(turn)


async def test_a_turn_is_shown_with_what_the_model_read(tmp_path):
    turn, _, _ = await kept_turn(tmp_path, Calls(("feel_soil", {"room": "kitchen"})), "Dry.")
    lines = list(lines_of(turn))
    assert any("it read from tool feel_soil: The soil in the kitchen" in line for line in lines)
    assert any("it read from assistant: calls feel_soil(room='kitchen')" in line for line in lines)

"""What is published of a turn: who did each step, and how long it took."""

import json

from voice_gateway.brain.stage import Turn
from voice_gateway.config import BrainSettings, MqttSettings, PermissionSettings
from voice_gateway.conversation.entry import Conversation
from voice_gateway.doors.mqtt.topics import message_for
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolOutcome, Utterance
from voice_gateway.watch import Heard, Watch


def told(event) -> dict:
    return json.loads(message_for(MqttSettings(), event).payload)


def test_a_transcription_says_which_engine_made_it_and_how_long_it_took():
    spoken = Utterance("turn it on", door="voice", heard_by="moonshine", heard_seconds=0.1234567)

    assert told(Heard(spoken)).items() >= {"model": "moonshine", "seconds": 0.123457}.items()


class Model:
    name = "ollama"

    async def answer(self, _turn: Turn) -> Reply:
        outcome = ToolOutcome("1", "lamp", "on", ok=True, seconds=0.25)
        return Reply("It is on.", (outcome,), stage="ollama", model="qwen")


async def test_an_outcome_says_which_model_called_the_tool_and_how_long_it_took():
    events = []
    watch = Watch()
    watch.subscribe(events.append)
    executor = ToolExecutor(ToolManager(), timeout_seconds=1)
    conversation = Conversation([Model()], executor, BrainSettings(), PermissionSettings(), watch=watch)

    await conversation.answer(Utterance("turn it on", door="voice", heard_by="moonshine", heard_seconds=0.1))

    messages = {message.topic: message for event in events if (message := message_for(MqttSettings(), event))}
    tool = json.loads(messages["voice/tool"].payload)
    assert (tool["model"], tool["seconds"], tool["conversation_id"]) == ("qwen", 0.25, "default")
    assert json.loads(messages["voice/transcription"].payload)["model"] == "moonshine"

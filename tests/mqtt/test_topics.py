"""The payloads of a turn: who did each step, how long it took, bounded and without secrets."""

import json

from voice_gateway.channels.mqtt.channel import Requests
from voice_gateway.channels.mqtt.topics import message_for, read_request
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.events import Acted, Heard, ListTold, Progressed
from voice_gateway.progress import Progress
from voice_gateway.turn import Reply, ToolOutcome, Utterance


def published(event) -> dict:
    return json.loads(message_for(MqttSettings(), event).payload)


def test_each_step_names_its_model_its_seconds_and_its_conversation():
    heard = Utterance("turn it on", channel="voice", heard_by="moonshine", heard_seconds=0.1)
    outcome = ToolOutcome("1", "lamp", "on", ok=True, seconds=0.25)
    tool = published(Acted(heard, outcome, model="qwen"))
    assert (tool["model"], tool["seconds"], tool["conversation_id"]) == ("qwen", 0.25, "default")
    transcription = published(Heard(heard))
    assert (transcription["model"], transcription["seconds"]) == ("moonshine", 0.1)


async def test_secrets_of_a_call_are_neither_published_nor_answered():
    outcome = ToolOutcome(
        "1",
        "set_user_code",
        'Set "token": "abc123" and code 864213 with mqtt://ann:pw@broker.',
        ok=True,
        seconds=0.1,
        args={"user_code": "864213", "device": "Front Door", "more": [{"password": "hunter2"}]},
        structured={"userCode": 864213, "codes": [864213, 5], "deep": {"api_key": "k9"}, "n": 1},
    )

    async def answer(_utterance: Utterance, **_options: object) -> Reply:
        return Reply("Done.", (outcome,))

    request = read_request(MqttSettings(), b'{"text": "do it", "id": "1"}')
    [answered] = (await Requests(answer, MemoryStore(), None).answered(request))["outcomes"]
    for tool in (published(Acted(Utterance("do it"), outcome)), answered):
        assert tool["args"] == {"user_code": "***", "device": "Front Door", "more": [{"password": "***"}]}
        assert tool["structured"] == {"userCode": "***", "codes": "***", "deep": {"api_key": "***"}, "n": 1}
        for secret in ("864213", "hunter2", "abc123", "k9", "ann:pw"):
            assert secret not in json.dumps(tool)


def test_a_published_call_is_bounded_and_a_normal_result_is_whole():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    huge_values = ("é\n" * 5_000_000, ["x"] * 3_000_000, {str(n): n for n in range(300_000)}, deep, 10**5000)
    for huge in huge_values:
        text = huge if isinstance(huge, str) else "short"
        args = {"a": huge, "b": "on"}
        outcome = ToolOutcome("1", "t", text, ok=True, seconds=1, args=args, structured={"a": huge})
        tool = published(Acted(Utterance("do it"), outcome))
        assert len(json.dumps(tool)) < 200_000
        assert (tool["structured"], tool["args"]["b"], tool["ok"]) == (None, "on", True)
    normal = {"devices": [{"name": f"Lamp {n}", "level": 12.5, "room": None} for n in range(200)]}
    outcome = ToolOutcome("1", "list", "x" * 7_000, ok=True, seconds=1, structured=normal)
    tool = published(Acted(Utterance("list"), outcome))
    assert (tool["structured"], tool["text"]) == (normal, "x" * 7_000)


def test_a_list_is_retained_and_bounded():
    event = ListTold("to do / today", tuple((f"thing {number}", number == 0) for number in range(1000)))
    message, body = message_for(MqttSettings(), event), published(event)
    assert message is not None
    assert (message.topic, message.retain) == ("voice/lists/to-do-today", True)
    assert (body["list"], body["count"], body["open"]) == ("to do / today", 1000, 999)
    assert len(body["items"]) == 200
    assert body["items"][0] == {"text": "thing 0", "done": True}


def test_progress_is_published_with_its_turn_or_without_one():
    progress = Progress(2, 4, "page 2", "the research server")
    with_turn = published(Progressed(Utterance("look it up", id="7"), progress))
    assert with_turn["text"] == progress.text
    assert (with_turn["done"], with_turn["total"], with_turn["id"]) == (2, 4, "7")
    assert "id" not in published(Progressed(None, progress))

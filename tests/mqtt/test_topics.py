"""What is published of a turn: who did each step, and how long it took."""

import json

from voice_gateway.channels.mqtt.requests import Requests
from voice_gateway.channels.mqtt.topics import message_for, read_request
from voice_gateway.config import BrainSettings, MqttSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.events import Acted, EventBus, ListTold, Progressed
from voice_gateway.progress import Progress
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, ToolOutcome, Utterance
from voice_gateway.turns.stage import Turn


def told(event) -> dict:
    return json.loads(message_for(MqttSettings(), event).payload)


class Model:
    name = "ollama"

    async def answer(self, _turn: Turn) -> Reply:
        outcome = ToolOutcome("1", "lamp", "on", ok=True, seconds=0.25)
        return Reply("It is on.", (outcome,), stage="ollama", model="qwen")


async def test_an_outcome_says_which_model_called_the_tool_and_how_long_it_took():
    events = []
    watch = EventBus()
    watch.subscribe(events.append)
    executor = ToolExecutor(ToolManager(), timeout_seconds=1)
    conversation = Conversation([Model()], executor, BrainSettings(), PermissionSettings(), events=watch)

    said = Utterance("turn it on", channel="voice", heard_by="moonshine", heard_seconds=0.1)
    await conversation.answer(said)

    messages = {message.topic: message for event in events if (message := message_for(MqttSettings(), event))}
    tool = json.loads(messages["voice/tool"].payload)
    assert (tool["model"], tool["seconds"], tool["conversation_id"]) == ("qwen", 0.25, "default")
    assert json.loads(messages["voice/transcription"].payload)["model"] == "moonshine"


SECRET = ToolOutcome(
    "1",
    "set_user_code",
    'Set "token": "abc123" and code 864213 with mqtt://ann:pw@broker.',
    ok=True,
    seconds=0.1,
    args={"user_code": "864213", "device": "Front Door", "more": [{"password": "hunter2"}]},
    structured={
        "userCode": 864213,
        "codes": [864213, 5],
        "said": "864213",
        "deep": {"api_key": "k9"},
        "n": 1,
    },
)


def published_of(outcome: ToolOutcome) -> dict:
    return told(Acted(Utterance("do it"), outcome))


def test_secrets_of_a_call_are_not_published():
    tool = published_of(SECRET)

    assert tool["args"] == {"user_code": "***", "device": "Front Door", "more": [{"password": "***"}]}
    assert tool["structured"] == {
        "userCode": "***",
        "codes": "***",
        "said": "***",
        "deep": {"api_key": "***"},
        "n": 1,
    }
    for secret in ("864213", "hunter2", "abc123", "k9", "ann:pw"):
        assert secret not in json.dumps(tool)


async def test_secrets_of_a_call_are_not_in_the_answer_either():
    async def answer(_utterance: Utterance, **_options: object) -> Reply:
        return Reply("Done.", (SECRET,))

    request = read_request(MqttSettings(), b'{"text": "do it", "id": "1"}')
    answered = await Requests(answer, MemoryStore(), None).answered(request)

    assert answered["outcomes"][0]["name"] == "set_user_code"
    assert "864213" not in json.dumps(answered)


DEEP: list = []
for _ in range(5_000):
    DEEP = [DEEP]


def test_what_is_published_of_a_call_is_bounded_and_a_normal_result_is_whole():
    huge_values = ("é\n" * 5_000_000, ["x"] * 3_000_000, {str(n): n for n in range(300_000)}, DEEP, 10**5000)
    for huge in huge_values:
        text = huge if isinstance(huge, str) else "short"
        args = {"a": huge, "b": "on"}
        outcome = ToolOutcome("1", "t", text, ok=True, seconds=1, args=args, structured={"a": huge})
        tool = published_of(outcome)
        assert len(json.dumps(tool)) < 200_000
        assert (tool["structured"], tool["args"]["b"], tool["ok"]) == (None, "on", True)
    normal = {"devices": [{"name": f"Lamp {n}", "level": 12.5, "room": None} for n in range(200)]}
    outcome = ToolOutcome("1", "list", "x" * 7_000, ok=True, seconds=1, structured=normal)
    assert published_of(outcome).items() >= {"structured": normal, "text": "x" * 7_000}.items()


def test_a_list_is_retained_and_never_of_any_size():
    told = ListTold("to do / today", tuple((f"thing {number}", number == 0) for number in range(1000)))

    message = message_for(MqttSettings(), told)

    assert message is not None
    assert (message.topic, message.retain) == ("voice/lists/to-do-today", True)
    body = json.loads(message.payload)
    assert (body["list"], body["count"], body["open"], len(body["items"])) == (
        "to do / today", 1000, 999, 200,
    )  # fmt: skip
    assert body["items"][0] == {"text": "thing 0", "done": True}


def test_progress_is_told_with_its_turn_or_without_one():
    progress = Progress(2, 4, "page 2", "the research server")
    with_turn = told(Progressed(Utterance("look it up", id="7"), progress))
    assert with_turn["text"] == "the research server: 50 %, page 2"
    assert (with_turn["done"], with_turn["total"], with_turn["id"]) == (2, 4, "7")
    assert "id" not in told(Progressed(None, progress))

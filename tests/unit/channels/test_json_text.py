"""What leaves the gateway as JSON is JSON, whatever a tool or a caller put into it."""

import io
import json

import pytest

from voice_gateway.channels import json_text
from voice_gateway.channels.mqtt.topics import message_for
from voice_gateway.channels.terminal import TextChannel, print_json, read_line
from voice_gateway.config import MqttSettings
from voice_gateway.events import Acted
from voice_gateway.turn import Reply, ToolOutcome, Utterance


async def nobody(*_words, **_options):
    raise AssertionError("nobody asks anything here")


NAN, INFINITY = float("nan"), float("inf")
OUTCOME = ToolOutcome("1", "measure", "a", ok=True, seconds=0.0, structured={"v": NAN, "w": [INFINITY, 1.5]})


def refused(constant: str):
    raise AssertionError(f"{constant} is not JSON")


def strict(text: str):
    return json.loads(text, parse_constant=refused)


def test_numbers_that_json_does_not_know_are_null():
    assert strict(json_text({"a": NAN, "b": [-INFINITY, 1], "c": {"d": 1e999}})) == {
        "a": None,
        "b": [None, 1],
        "c": {"d": None},
    }


def test_letters_stay_letters():
    assert json_text({"a": "é 💡", "b": NAN}) == '{"a": "é 💡", "b": null}'


def test_half_a_character_can_be_sent():
    assert strict(json_text({"a": "x\udcff"}).encode().decode()) == {"a": "x\udcff"}


def test_print_json(capsys):
    print_json(OUTCOME.to_json())

    assert strict(capsys.readouterr().out)["structured"] == {"v": None, "w": [None, 1.5]}


def test_a_line_of_chat():
    out = io.StringIO()

    TextChannel(nobody, as_json=True, out=out).show(Reply("a", (OUTCOME,)))

    assert strict(out.getvalue())["outcomes"][0]["structured"]["v"] is None


def test_mqtt():
    message = message_for(MqttSettings(), Acted(Utterance("a"), OUTCOME))

    assert strict(message.payload)["structured"]["v"] is None


@pytest.mark.parametrize(
    "line", ['{"text":' * 20_000 + "1" + "}" * 20_000, f'{{"text": {"9" * 6000}}}', '{"text": 5}']
)
def test_a_json_line_that_cannot_be_read_is_a_problem_of_its_own(line):
    asked = read_line(line, "c", as_json=True)

    assert asked.problem
    assert asked.conversation_id == "c"

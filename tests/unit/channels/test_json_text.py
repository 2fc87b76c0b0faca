"""Every channel writes valid JSON, whatever a tool or a client put into it."""

import json

import pytest

from voice_gateway.channels import json_text
from voice_gateway.channels.terminal import read_line

NAN, INFINITY = float("nan"), float("inf")


def strict(text: str):
    def refused(constant: str):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text.encode().decode(), parse_constant=refused)


def test_nan_and_infinity_are_null_and_a_lone_surrogate_is_an_escape():
    odd = strict(json_text({"a": NAN, "b": [-INFINITY, 1], "c": 1e999}))
    assert odd == {"a": None, "b": [None, 1], "c": None}
    assert json_text({"a": "é 💡", "b": NAN}) == '{"a": "é 💡", "b": null}'
    assert strict(json_text({"a": "x\udcff"})) == {"a": "x\udcff"}


@pytest.mark.parametrize(
    "line", ['{"text":' * 20_000 + "1" + "}" * 20_000, f'{{"text": {"9" * 6000}}}', '{"text": 5}']
)
def test_a_json_line_that_cannot_be_read_is_a_problem_of_its_own(line):
    typed = read_line(line, "c", as_json=True)
    assert typed.problem
    assert typed.conversation_id == "c"

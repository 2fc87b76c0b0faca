"""Secrets stay out of the log and out of what a model gets."""

import json
from pathlib import Path

import pytest
import yaml
from tests.fakes.some_tools import mcp_tool, outcome_of

from voice_gateway.tools.masking import LONGEST, hide_secrets, mask, mask_result, safe

SECRETS = yaml.safe_load(Path(__file__).with_name("secrets.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("table", "shown"), [("secret names", "***"), ("ordinary names", "1234")])
def test_a_value_is_hidden_by_its_name(table, shown):
    names = SECRETS[table].split()
    assert {name: mask({name: "1234"})[name] for name in names} == dict.fromkeys(names, shown)


@pytest.mark.parametrize(
    ("table", "hide"), [("texts", hide_secrets), ("results", lambda text: mask_result(text, {}))]
)
def test_secrets_inside_a_text_are_hidden(table, hide):
    assert {text: hide(text) for text in SECRETS[table]} == SECRETS[table]


def test_an_ordinary_message_comes_through_unchanged():
    assert [safe(text) for text in SECRETS["ordinary texts"]] == SECRETS["ordinary texts"]


def test_of_a_traceback_only_its_last_line_is_left():
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1\n    secret_code()\nValueError: bad\n'
    assert safe(f"It broke.\n{trace}") == "It broke. ValueError: bad"


def test_what_is_masked_is_short_whatever_it_was():
    endless: list = []
    endless.append(endless)
    many = {"text": "x" * 10**7, "list": list(range(10_000)), "loop": endless, "any": object(), "k" * 999: 1}
    assert len(str(mask(many))) < 2000


@pytest.mark.parametrize(
    "secret", ["1234", 1234, 'a"b\\cü', "x" * 5000, ["hunter22"], {"deep": {"er": "hunter22"}}]
)
@pytest.mark.parametrize("before", [0, 150, 195])
def test_a_result_that_repeats_a_hidden_argument_hides_it_too(secret, before):
    args = {"room": "attic", "user_code": secret}
    stored = {"stored": secret}
    texts = [form(facts) for facts in (args, stored) for form in (json.dumps, str)]
    for text in (*texts, json.dumps(stored, ensure_ascii=False), f"set {secret} for attic"):
        shown = mask_result("." * before + text, args)
        assert not any(part in shown for part in ("1234", "cü", "c\\u00fc", "xxxx", "hunter"))
    assert mask_result("attic", args) == "attic"


def test_a_number_that_python_will_not_write_breaks_nothing():
    assert mask_result("done", {"pin": 10**5000}) == "done"


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
async def test_the_log_of_a_call_hides_what_the_tool_repeats_and_has_words_only_at_debug(caplog, level):
    caplog.set_level(level)

    async def repeat(**arguments):
        return f"stored {arguments['user_code']}", None

    schema = {"type": "object", "properties": {"user_code": {"type": "string"}}}
    outcome = await outcome_of(mcp_tool("store", schema, answer=repeat), {"user_code": "73914"})

    assert outcome.text == "stored 73914"
    (record,) = [record for record in caplog.records if record.message == "tool finished"]
    assert getattr(record, "result", None) == ("stored ***" if level == "DEBUG" else None)
    assert hasattr(record, "arguments") is (level == "DEBUG")


def test_a_result_in_the_log_is_short_and_says_how_long_it_was():
    assert mask_result("x" * 10_000_000, {}) == "x" * LONGEST + "… (10,000,000 characters)"
    assert mask_result("on", {"pin": "o"}) == "on", "too short to be told from ordinary text"

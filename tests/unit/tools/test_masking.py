"""Secrets stay out of the log and out of what a model gets."""

import json

import pytest
from tests.fakes.some_tools import mcp_tool, outcome_of

from voice_gateway.tools.masking import LONGEST, hide_secrets, mask, mask_result, safe


@pytest.mark.parametrize(
    "name",
    "password passwd user_password api_key apiKey API-KEY token accessToken secret clientSecret pin pin_code "
    "Authorization cookie userCode user_code private_key credentials otp lockPin newPIN accessCode door-code "
    "unlockCode alarm_codes networkKey security_keys wpa_psk user_pwd sessionKey jwt "
    "code Code pins pin2 newCode keypad_code code_1 passcode passkey doorcode".split(),
)
def test_a_value_under_a_secret_name_is_hidden(name):
    assert mask({name: "1234"}) == {name: "***"}


@pytest.mark.parametrize(
    "name",
    "device pinned spinning level compass monkey keyword passage query shoppingList hairpin zipCode "
    "error_code sort_key networkName codec doorCount "
    "statusCode country_code exit_code codeSlot decode".split(),
)
def test_a_value_under_an_ordinary_name_is_shown(name):
    assert mask({name: "1234"}) == {name: "1234"}


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("mqtt://ann:pw@broker:1883 refused", "mqtt://***@broker:1883 refused"),
        ("mqtt://ann:p@w@broker refused", "mqtt://***@broker refused"),
        ("http://x.example/?q=lamp&sig=abc&key=abc", "http://x.example/?q=lamp&sig=***&key=***"),
        ("Authorization: Bearer abcdefgh12345", None),
        ("https://x.example/?api_key=abc123&q=lamp", "https://x.example/?api_key=***&q=lamp"),
        ('{"token": "abc123", "room": "attic"}', '{"token": "***", "room": "attic"}'),
        (f"key sk-{'a1' * 12} is wrong", "key *** is wrong"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl expired", "*** expired"),
        ("ghp_abcdefghijklmnopqrst", "***"),
    ],
)
def test_secrets_inside_a_text_are_hidden(text, hidden):
    got = hide_secrets(text)
    if hidden is not None:
        assert got == hidden
    assert "abcdefgh12345" not in got


@pytest.mark.parametrize(
    "text",
    [
        'Device "Lamp 9" not found.',
        "The token ring in room 5: nothing to do",
        "Use set_level(level: integer 0-100), e.g. ann@example.org",
        "password must not be empty",
        "basic lamps: 3",
    ],
)
def test_an_ordinary_message_comes_through_unchanged(text):
    assert safe(text) == text


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
    texts = [json.dumps(args), json.dumps(args, ensure_ascii=False), str(args), f"set {secret} for attic"]
    for said in texts:
        shown = mask_result("." * before + said, args)
        assert not any(part in shown for part in ("1234", "cü", "c\\u00fc", "xxxx", "hunter"))
    assert mask_result("attic", args) == "attic"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"pin": 1234, "level": 7}', '{"pin": "***", "level": 7}'),
        ('{"user_code": "12 34", "room": "attic"}', '{"user_code": "***", "room": "attic"}'),
        ("{'otp': '1\\'2', 'room': 'attic'}", "{'otp': \"***\", 'room': 'attic'}"),
        ('{"tokens": ["a", "b"], "room": 1}', '{"tokens": "***", "room": 1}'),
        ('{"credentials": {"a": "b"}, "room": 1}', '{"credentials": "***", "room": 1}'),
        ("password=hunter22", "password=***"),
        ('The lamp "key" is on: 5', 'The lamp "key" is on: 5'),
    ],
)
def test_a_result_hides_what_stands_under_a_secret_name(text, shown):
    assert mask_result(text, {}) == shown


def test_a_number_that_python_will_not_write_breaks_nothing():
    assert mask_result("done", {"pin": 10**5000}) == "done"


async def test_the_log_of_a_call_hides_what_the_tool_repeats(caplog):
    caplog.set_level("INFO")

    async def repeat(**arguments):
        return f"stored {arguments['user_code']}", None

    schema = {"type": "object", "properties": {"user_code": {"type": "string"}}}
    outcome = await outcome_of(mcp_tool("store", schema, answer=repeat), {"user_code": "73914"})

    assert outcome.text == "stored 73914"
    (record,) = [record for record in caplog.records if record.message == "tool finished"]
    assert record.result == "stored ***"


def test_a_result_in_the_log_is_short_and_says_how_long_it_was():
    assert mask_result("x" * 10_000_000, {}) == "x" * LONGEST + "… (10,000,000 characters)"
    assert mask_result("on", {"pin": "o"}) == "on", "too short to be told from ordinary text"

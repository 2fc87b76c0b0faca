"""What a server tells us to log, whatever it sends."""

import logging

import pytest

from voice_gateway.mcp_client.server_log import MOST_A_MINUTE, ServerLog, plain, wanted_level


def taken(params, hide=str) -> ServerLog:
    log = ServerLog("odd", hide)
    log.take(params)
    return log


@pytest.mark.parametrize(
    ("told", "content"),
    [
        ("plain words", "plain words"),
        ("\x1b[1;31mred\x1b[0m\r\nand \x1b]0;title\x07more\x08", "red and more"),
        ({"message": "in an object"}, "in an object"),
        ({"a": [1, "b"]}, '{"a": [1, "b"]}'),
        (None, "null"),
        ("x" * 5000, "x" * 2000 + "…"),
    ],
)
def test_words_are_one_line_without_control_characters(told, content, caplog):
    taken({"level": "error", "data": told})
    assert caplog.records[-1].content == content


@pytest.mark.parametrize(
    ("word", "level"),
    [("warning", 30), ("ERROR", 40), ("emergency", 50), ("critical", 50), ("shout", None), (7, None)],
)
def test_levels(word, level, caplog):
    caplog.set_level(logging.INFO)
    taken({"level": word, "data": "x"})
    assert caplog.records[-1].levelno == (level or logging.INFO)


def test_its_secrets_are_hidden(caplog):
    taken({"level": "error", "data": "the key is s3cret"}, lambda text: text.replace("s3cret", "***"))
    assert caplog.records[-1].content == "the key is ***"


def test_a_flood_is_cut_and_counted_in_the_next_minute(caplog):
    now = [0.0]
    log = ServerLog("odd", str, lambda: now[0])
    for _ in range(MOST_A_MINUTE + 40):
        log.take({"level": "error", "data": "again"})
    assert len([one for one in caplog.records if one.message == "MCP server says"]) == MOST_A_MINUTE
    now[0] = 61.0
    log.take({"level": "error", "data": "later"})
    assert [one.count for one in caplog.records if "were left out" in one.message] == [40]
    assert caplog.records[-1].content == "later"


def test_a_server_is_asked_for_no_more_than_is_kept(caplog):
    caplog.set_level(logging.ERROR, "voice_gateway.mcp_client.server_log")
    assert wanted_level() == "error"


def test_a_sequence_that_never_ends_takes_no_words_with_it():
    assert plain("\x1b[999999999") == "[999999999"

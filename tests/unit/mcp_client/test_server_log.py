"""Log messages of a server, whatever it sends."""

import logging

import pytest

from voice_gateway.mcp_client.server_log import MOST_A_MINUTE, ServerLog, wanted_level


def taken(params, hide=str) -> ServerLog:
    log = ServerLog("odd", hide)
    log.take(params)
    return log


@pytest.mark.parametrize(
    ("data", "content"),
    [
        ("plain words", "plain words"),
        ("\x1b[1;31mred\x1b[0m\r\nand \x1b]0;title\x07more\x08", "red and more"),
        ({"message": "in an object"}, "in an object"),
        ({"a": [1, "b"]}, '{"a": [1, "b"]}'),
        (None, "null"),
        ("\x1b[999999999", "[999999999"),
        ("x" * 5000, "x" * 2000 + "…"),
    ],
)
def test_words_are_one_line_without_control_characters(data, content, caplog):
    taken({"level": "error", "data": data})
    assert caplog.records[-1].content == content


def test_levels_are_kept_and_secrets_hidden(caplog):
    caplog.set_level(logging.INFO)
    levels = {"warning": 30, "ERROR": 40, "emergency": 50, "critical": 50, "shout": 20, 7: 20}
    for level in levels:
        taken({"level": level, "data": "the key is s3cret"}, lambda text: text.replace("s3cret", "***"))
    assert [record.levelno for record in caplog.records] == list(levels.values())
    assert {record.content for record in caplog.records} == {"the key is ***"}


def test_a_flood_is_cut_until_the_next_minute(caplog):
    now = [0.0]
    log = ServerLog("odd", str, lambda: now[0])
    for _ in range(MOST_A_MINUTE + 40):
        log.take({"level": "error", "data": "again"})
    assert len([record for record in caplog.records if record.message == "MCP server says"]) == MOST_A_MINUTE
    now[0] = 61.0
    log.take({"level": "error", "data": "later"})
    assert caplog.records[-1].content == "later"


def test_a_server_is_asked_for_no_more_than_is_kept(caplog):
    caplog.set_level(logging.ERROR, "voice_gateway.mcp_client.server_log")
    assert wanted_level() == "error"

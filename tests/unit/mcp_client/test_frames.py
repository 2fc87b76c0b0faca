"""Lines and frames, however they are cut and whatever stands around them."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from voice_gateway.mcp_client.connection import shorten
from voice_gateway.mcp_client.process import LineBuffer, parse, shown

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
frames = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": st.text(max_size=6), "result": json_values})


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    cut=st.integers(1, 7),
)
def test_lines_are_the_same_however_they_arrive(lines, cut):
    data = b"".join(line + b"\n" for line in lines)
    buffer = LineBuffer(lambda head: None)
    lines_read = [line for at in range(0, len(data), cut) for line in buffer.feed(data[at : at + cut])]
    assert lines_read == lines


@given(sizes=st.lists(st.integers(0, 30), max_size=8), cut=st.integers(1, 50))
def test_lines_over_the_limit_are_skipped_whole_and_reported(sizes, cut):
    data = b"".join(b"x" * size + b"\n" for size in sizes)
    skipped = []
    buffer = LineBuffer(skipped.append, limit=10)
    lines_read = [line for at in range(0, len(data), cut) for line in buffer.feed(data[at : at + cut])]
    assert [len(line) for line in lines_read] == [size for size in sizes if size <= 10]
    assert len(skipped) == sum(size > 10 for size in sizes)
    assert all(head.startswith(b"x") for head in skipped)


@given(frame=frames, ascii_only=st.booleans())
def test_a_frame_is_read_as_it_was_written(frame, ascii_only):
    parsed = parse(json.dumps(frame, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))
    assert not ascii_only or parsed.frames == [frame]


odd_lines = st.sampled_from(
    [
        b'{"id":' * 100_000,
        b'{"a": NaN}',
        b'{"a": 1e400}',
        b'{"a": "\\ud83d"}',
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": "\xff"}',
        b'{"a": 1, "a": 2}',
        b'{"a": 1} x',
        b'{"a": "\x07"}',
    ]
)


@given(st.binary(max_size=40) | odd_lines | frames.map(lambda frame: json.dumps(frame).encode()))
def test_the_quick_parser_reads_an_object_as_the_tolerant_one_does_or_leaves_it(line):
    try:
        frame = from_json(line)
    except ValueError:
        return
    assert not isinstance(frame, dict) or repr([frame]) == repr(parse(line).frames)


@given(st.binary(max_size=200))
def test_nothing_on_a_line_makes_the_parser_raise(line):
    parsed = parse(line)
    assert all(isinstance(frame, dict) for frame in parsed.frames)


@given(
    before=st.text("abc {}[]:,%", max_size=15),
    first=frames,
    second=frames,
    after=st.text("xyz %", max_size=9),
)
def test_text_around_frames_is_separated_from_them(before, first, second, after):
    parsed = parse(f"{before}{json.dumps(first)}{json.dumps(second)}{after}".encode())
    assert parsed.frames == [first, second]
    assert parsed.noise.split() == f"{before} {after}".split()


def test_a_whole_frame_behind_one_that_was_cut_off_is_found():
    parsed = parse(b'{"jsonrpc": "2.0", "id": 1, "reTraceback: oops{"jsonrpc": "2.0", "id": 2, "result": {}}')
    assert [frame["id"] for frame in parsed.frames] == [2]
    assert "Traceback" in parsed.noise


def test_what_is_no_object_or_nested_without_end_is_noise():
    for text in ("42", '"word"', "null", "[]", "[1]", "true", '{"id":' * 100_000):
        parsed = parse(text.encode())
        assert (parsed.frames, parsed.noise) == ([], text)


def test_a_frame_without_its_newline_is_offered_when_it_looks_whole():
    buffer = LineBuffer(lambda head: None)
    buffer.feed(b'{"id": 1')
    buffer.feed(b"}")
    assert buffer.unterminated() == b'{"id": 1}'
    buffer.drop()
    assert buffer.feed(b"\n") == [b""]


def test_shortening_says_how_long_it_was():
    assert shorten("x" * 1000, 10) == "xxxxxxxxxx… (1000 characters)"
    assert shorten("short") == "short"
    assert shown(b"x" * 5000) == "x" * 300 + "… (5000 bytes)"
    assert shown(b" caf\xe9\r") == "caf\ufffd"

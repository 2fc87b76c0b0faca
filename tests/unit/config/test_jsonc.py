"""JSON as people write it: whatever stands around the values, they are the same; nonsense is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.config.jsonc import RepeatedKeys, WrittenNumber, decoded, read_jsonc
from voice_gateway.errors import ConfigError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
# Quotes, slashes, stars and brackets are where a reader loses its way.
TRICKY = st.text(alphabet='"\\/*,[]{}: \n\tab')
BETWEEN = st.sampled_from(["", " ", "\n", "\t", '// a, "b": 1}\n', "/* , ] } */", "/**/", "/***/", "//\r\n"])


@st.composite
def decorated(draw, values=VALUES):
    """A value, and a text for it with comments and commas wherever they may stand."""
    value = draw(values)
    return value, _written(draw, value) + draw(BETWEEN)


def _written(draw, value) -> str:
    before = draw(BETWEEN)
    if isinstance(value, dict):
        parts = [
            f"{draw(BETWEEN)}{json.dumps(name)}{draw(BETWEEN)}:{_written(draw, inner)}"
            for name, inner in value.items()
        ]
        return before + _listed(draw, "{", parts, "}")
    if isinstance(value, list):
        return before + _listed(draw, "[", [_written(draw, inner) for inner in value], "]")
    return before + json.dumps(value)


def _listed(draw, opening: str, parts: list[str], closing: str) -> str:
    trailing = "," + draw(BETWEEN) if parts and draw(st.booleans()) else ""
    return opening + f"{draw(BETWEEN)},".join(parts) + draw(BETWEEN) + trailing + closing


@given(decorated())
def test_comments_and_trailing_commas_change_nothing(pair):
    value, text = pair

    assert read_jsonc(text) == value


@given(decorated(st.lists(TRICKY, max_size=3)))
def test_what_looks_like_a_comment_in_a_string_stays(pair):
    value, text = pair

    assert read_jsonc(text) == value


@given(st.text() | TRICKY)
def test_any_text_is_a_value_or_one_clear_error(text):
    problem = "none"
    try:
        json.dumps(read_jsonc(text))
    except ConfigError as error:
        problem = str(error)

    assert problem.strip()
    assert "\n" not in problem


@given(VALUES)
def test_plain_json_is_what_the_library_reads(value):
    text = json.dumps(value, indent=2, ensure_ascii=False)

    assert read_jsonc(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "[,]",
        "{,}",
        "[1,,]",
        "[1,,2]",
        '{"a":,}',
        "[1 2]",
        "[1/* ",
        "/*/",
        '"a',
        "[NaN]",
        "",
        "//",
        "[1,] x",
        "{'a': 1}",
    ],
)
def test_more_than_that_is_not_taken(text):
    with pytest.raises(ConfigError, match="is not valid JSON"):
        read_jsonc(text)


def test_the_place_of_a_mistake_is_that_in_the_file():
    with pytest.raises(ConfigError, match="line 4 column 8"):
        read_jsonc('{\n  // one\n  "a": [1, /* two\n */    "b" "c"]}'.replace('"b" "c"', "x"))


def test_deep_nesting_is_refused():
    with pytest.raises(ConfigError, match="nested too deeply"):
        read_jsonc("[" * 200_000)


def test_of_a_name_that_stands_twice_the_last_holds_and_is_known():
    table = read_jsonc('{"a": 1, "b": 2, "a": 3}')

    assert table == {"a": 3, "b": 2}
    assert isinstance(table, RepeatedKeys)
    assert table.names == ("a",)


def test_a_number_keeps_its_spelling():
    (number,) = read_jsonc("[3.10]")

    assert isinstance(number, WrittenNumber)
    assert (number, number.written) == (3.1, "3.10")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_how_it_is_written(encoding):
    assert read_jsonc(decoded('{"ä": "日"}'.encode(encoding))) == {"ä": "日"}


@pytest.mark.parametrize("piece", ['"\\"', "/*", "*", ",", "[1,", "//", '"', "/"])
def test_no_text_takes_longer_than_it_is_long(piece):
    with pytest.raises(ConfigError):
        read_jsonc('["' + piece * 200_000)

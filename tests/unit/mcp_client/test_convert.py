"""MCP tools and results in LangChain's terms."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from voice_gateway.artifacts import description_of
from voice_gateway.errors import ToolError
from voice_gateway.mcp_client.convert import to_langchain_tools, to_text_and_artifact
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolTraits

SCHEMA = {
    "type": "object",
    "properties": {
        "deviceName": {"type": "string"},
        "level": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["deviceName"],
    "additionalProperties": False,
}


def convert(*definitions, call=None, **more):
    return to_langchain_tools(definitions, server="zwave", call=call, **more)


def test_a_tool_keeps_its_name_description_schema_and_hints():
    output = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    (tool,) = convert(
        {
            "name": "control_device",
            "title": "Control a device",
            "description": " Switches. ",
            "inputSchema": SCHEMA,
            "outputSchema": output,
            "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
        },
        timeout_seconds=9.0,
    )
    assert isinstance(tool, StructuredTool)
    assert (tool.name, tool.description, tool.args_schema) == ("control_device", "Switches.", SCHEMA)
    assert tool.metadata["traits"] == ToolTraits(
        source="zwave",
        original_name="control_device",
        title="Control a device",
        read_only=False,
        destructive=True,
        idempotent=True,
        output_schema=output,
        timeout_seconds=9.0,
    )


async def test_a_call_runs_in_its_callers_task_where_it_ends_at_once_when_cancelled():
    ran_in = []

    async def call(name, arguments):
        ran_in.append(asyncio.current_task())
        return {"content": [{"type": "text", "text": "done"}]}

    quick, long = (
        {"name": name, "description": "d", "inputSchema": {"type": "object"}} for name in ("quick", "long")
    )
    long["execution"] = {"taskSupport": "required"}
    for safe in (True, False):
        tools = ToolManager()
        tools.add_mcp_tools("s", convert(quick, long, call=call, call_as_task=call, cancellation_safe=safe))
        for name in ("quick", "long"):
            assert (await ToolExecutor(tools).execute(ToolCall("1", name, {}))).text == "done"
    assert [task is asyncio.current_task() for task in ran_in] == [True, False, False, False]


def test_what_the_server_does_not_say_is_taken_cautiously():
    (tool,) = convert({"name": "t", "description": "d", "inputSchema": SCHEMA})
    assert tool.metadata["traits"] == ToolTraits(source="zwave", original_name="t")
    (reader,) = convert(
        {"name": "t", "description": "d", "annotations": {"readOnlyHint": True, "title": "T"}}
    )
    assert (reader.metadata["traits"].read_only, reader.metadata["traits"].title) == (True, "T")


def test_a_missing_description_is_replaced_with_a_warning(caplog):
    tools = convert({"name": "a", "title": "Blink"}, {"name": "b"}, {"name": "c", "description": " "})
    assert [tool.description for tool in tools] == [
        "Blink", "b of the server zwave.", "c of the server zwave.",
    ]  # fmt: skip
    assert caplog.text.count("no description") == 3


def test_a_tool_without_a_usable_schema_takes_no_declared_parameters():
    for schema in (None, "object", [], {}, {"type": "object"}):
        (tool,) = convert({"name": "t", "description": "d", "inputSchema": schema})
        assert tool.args == {}
        assert convert_to_openai_tool(tool)["function"]["parameters"]["type"] == "object"


@given(st.text(min_size=1, max_size=90))
def test_every_name_becomes_one_that_models_accept(name):
    tools = ToolManager()
    tools.add_mcp_tools("zwave", convert({"name": name, "description": "d"}))
    for tool in tools.all():  # a name of blanks alone is refused
        offered = tools.offered_name(tool)
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", offered)
        assert tools.find(offered) is tools.find(name) is tool
        if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name):
            assert offered == name


def test_names_that_fall_together_are_kept_apart_and_called_by_their_own():
    names = ("a b", "a_b", "a/b", "💡", "🔒", "x" * 90, "x" * 91)
    manager = ToolManager()
    manager.add_mcp_tools("zwave", convert(*({"name": name, "description": "d"} for name in names)))
    tools = manager.all()
    assert len({manager.offered_name(tool) for tool in tools}) == 7
    assert [tool.metadata["traits"].original_name for tool in tools] == list(names)


async def test_the_call_goes_out_under_the_original_name():
    sent = []

    async def call(name, arguments):
        sent.append((name, dict(arguments)))
        return {"content": [{"type": "text", "text": "ok"}]}

    (tool,) = convert({"name": "💡 on", "description": "d"}, call=call)
    assert await tool.coroutine(config=1) == ("ok", {"structured": None, "blobs": []})
    assert sent == [("💡 on", {"config": 1})]


def content(*blocks, **more):
    return {"content": list(blocks), **more}


IMAGE = {"type": "image", "mimeType": "image/png", "data": "A" * 16_000}
FILE = {"type": "resource", "resource": {"mimeType": "a/b", "blob": "QQ=="}}
INSIDE = {"type": "resource", "resource": {"uri": "a", "text": "inside"}}
ONE, TWO = {"type": "text", "text": "one"}, {"type": "text", "text": "two"}
FACTS = {"structuredContent": {"a": 1}}
RESULTS = [
    (content(ONE, TWO), "one\ntwo", None, []),
    (content(ONE, INSIDE, TWO), "one\ninside\ntwo", None, []),
    (content(**FACTS), "", {"a": 1}, []),
    (content(IMAGE), "", None, ["an image of 12 kB"]),
    (content({"type": "audio", "data": "QUJD"}), "", None, ["a sound recording of 3 bytes"]),
    (content(FILE), "", None, ["a file of 1 bytes"]),
    (content({"type": "resource_link", "uri": "file:///x"}), "", None, ["a link to file:///x"]),
    (content({"type": "hologram"}), "", None, ["content of the unknown type hologram"]),
    ({"content": "not a list", **FACTS}, "", {"a": 1}, []),
    (content("bare", **FACTS), "", {"a": 1}, []),
    (content({"type": "text", "text": None}, {"type": "text"}), "", None, []),
    (content(), "", None, []),
]


def test_results():
    for result, text, structured, blobs in RESULTS:
        read, artifact = to_text_and_artifact(result)
        assert (read, artifact["structured"], artifact["blobs"]) == (text, structured, blobs), result
        known = [blob for blob in blobs if "unknown type" not in blob]
        assert [description_of(each) for each in artifact.get("artifacts", [])] == known


@pytest.mark.parametrize(
    "result", [{}, {"content": "not a list"}, {"content": None}, content({"type": "text"}, "bare")]
)
def test_a_result_of_no_known_shape_is_a_failure(result):
    with pytest.raises(ToolError, match="reply was not understood"):
        to_text_and_artifact(result)


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"outcome": "system_down"}, "unavailable"),
        ({"outcome": "unreachable"}, "unavailable"),
        *((facts, "failed") for facts in (None, [], {"outcome": "failed"}, {"outcome": ["unreachable"]})),
    ],
)
def test_a_device_or_link_that_is_down_is_unavailable_and_any_other_failure_is_only_a_failure(facts, kind):
    words = {"type": "text", "text": "The link is down."}
    with pytest.raises(ToolError, match="The link is down") as caught:
        to_text_and_artifact(content(words, isError=True, structuredContent=facts))
    assert (caught.value.kind, caught.value.structured) == (kind, facts)


def test_a_tool_listed_twice_is_there_once_as_it_was_listed_last(caplog):
    first, second = {"name": "dup", "description": "one"}, {"name": "dup", "description": "two"}
    tools = convert(first, {"name": "other", "description": "d"}, second)
    assert [(tool.name, tool.description) for tool in tools] == [("dup", "two"), ("other", "d")]
    (warning,) = [record for record in caplog.records if "same name" in record.message]
    assert (warning.levelname, warning.tool, warning.server) == ("WARNING", "dup", "zwave")


@pytest.mark.parametrize("mark", [True, "true", 1, "yes"])
def test_an_error_without_words_still_says_that_it_is_one(mark):
    with pytest.raises(ToolError, match="reported an error"):
        to_text_and_artifact({"isError": mark, "content": []})


@given(
    st.dictionaries(
        st.sampled_from(["content", "isError", "structuredContent"]),
        st.recursive(
            st.none() | st.booleans() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "text", "resource", "data", "uri", "blob"]), inner, max_size=4
                )
            ),
        ),
    )
)
def test_no_result_makes_the_conversion_raise_anything_but_a_tool_error(result):
    try:
        text, artifact = to_text_and_artifact(result)
    except ToolError as error:
        text, artifact = str(error), {"blobs": []}
    assert isinstance(text, str)
    assert all(isinstance(blob, str) for blob in artifact["blobs"])

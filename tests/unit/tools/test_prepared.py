"""What a tool's own function gets is what LangChain would pass, without LangChain's way there."""

from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import BaseTool, StructuredTool, Tool
from pydantic import BaseModel, ConfigDict, Field, field_validator
from tests.fakes.some_tools import outcome_of

from voice_gateway.tools.prepared import PreparedTool

got: list[Any] = []


class Place(BaseModel):
    room: str
    floor: int = 1


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    device: str = Field(alias="deviceName")
    level: int = 5


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Careful(BaseModel):
    word: str

    @field_validator("word")
    @classmethod
    def _lower(cls, word: str) -> str:
        return word.lower()


async def plain(a: int, b: str = "x", *, c: bool | None = None, d: Literal["on", "off"] = "on") -> str:
    """Plain."""
    got.append((a, b, c, d))
    return "ok"


async def nested(place: Place, places: list[Place] | None = None, n: Annotated[int, Field(ge=0)] = 0) -> str:
    """Nested."""
    got.append((place, places, n))
    return "ok"


async def any_names(**kwargs: Any) -> str:
    """Any."""
    got.append(kwargs)
    return "ok"


def made(function: Any, schema: Any = None) -> BaseTool:
    return StructuredTool.from_function(coroutine=function, args_schema=schema, description="A tool.")


@pytest.mark.parametrize(
    ("made_tool", "args"),
    [
        (made(plain), {"a": "7", "b": "y", "c": "true", "d": "off"}),
        (made(plain), {"a": 1, "c": None}),
        (made(nested), {"place": {"room": "attic", "floor": "3"}, "places": [{"room": "b"}], "n": 2.0}),
        (made(any_names, Aliased), {"deviceName": "Lamp"}),
        (made(any_names, Aliased), {"device": "Lamp", "level": 7}),
        (made(any_names, Open), {"a": 1, "more": [1]}),
        (made(any_names, Careful), {"word": "LOUD"}),
        (made(any_names, {"type": "object", "properties": {"config": {}, "a": {}}}), {"a": {"b": None}}),
    ],
)
async def test_the_function_gets_exactly_what_langchain_passes(made_tool, args):
    got.clear()
    assert PreparedTool(made_tool).direct

    outcome = await outcome_of(made_tool, dict(args))
    await made_tool.ainvoke(dict(args))

    assert outcome.ok, outcome.text
    assert got[0] == got[1]
    assert repr(got[0]) == repr(got[1]), "types too"


async def test_other_kinds_of_tools_run_langchains_own_way():
    async def echo(text: str) -> str:
        return text

    single = Tool(name="echo", description="Echo.", func=None, coroutine=echo)
    assert not PreparedTool(single).direct
    assert (await outcome_of(single, {"__arg1": "hey"})).text == "hey"

"""More than words over a real link: pictures, files, links; resources, prompts and instructions."""

import sys

import pytest
from tests.fakes.content_server import PNG
from tests.fakes.linked import FAKES, Linked, linked

from voice_gateway.artifacts import content, said
from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome

SERVER = ServerSettings(command=sys.executable, args=(str(FAKES / "content_server.py"),), trusted=True)


async def called(link: Linked, name: str) -> ToolOutcome:
    manager = ToolManager()
    manager.add_mcp_tools("content", list(link.tools["content"].values()))
    return await ToolExecutor(manager).execute(ToolCall("1", name, {}))


async def test_results_say_what_they_hold_and_keep_it():
    async with linked({"content": SERVER}) as link:
        picture = await called(link, "structured_picture")
        every = await called(link, "every_kind")
        encoded = await called(link, "encoded_text")
        secret = await called(link, "secret_link")

    assert picture.text == "[an image of 3 kB]"
    assert [content(one) for one in picture.artifacts] == [PNG]
    assert every.text.splitlines() == [
        "Here you are.",
        "[an image of 3 kB]",
        "[a sound recording of 2 kB]",
        "[a file of 4 bytes]",
        "[a link to Notes of today]",
    ]
    assert [one["kind"] for one in every.to_json()["artifacts"]] == ["image", "audio", "file", "link"]
    assert encoded.text == "It is [an image of 3 kB]"
    assert [said(one) for one in encoded.artifacts] == ["an image of 3 kB"]
    assert secret.text == ("See https://***@box.test/x?sig=***&page=2 now\n[a link to https://box.test/f]")


async def test_resources_are_listed_and_read():
    async with linked({"content": SERVER, "again": SERVER}) as link:
        listed = await link.integration.resources()
        cat = await link.integration.read_resource("box://pictures/cat")
        notes = await link.integration.read_resource("box://notes/monday", "again")
        with pytest.raises(ToolError, match=r"could not read it: .*there is no box://none"):
            await link.integration.read_resource("box://none")
        with pytest.raises(ToolError, match='called "nobody"'):
            await link.integration.read_resource("box://pictures/cat", "nobody")

    assert [(one.server, one.uri, one.template) for one in listed.resources][:3] == [
        ("content", "box://notes/today", False),
        ("content", "box://pictures/cat", False),
        ("content", "box://notes/{day}", True),
    ]
    assert (cat.text, content(cat.artifacts[0])) == ("[an image of 3 kB]", PNG)
    assert (notes.text, content(notes.artifacts[0])) == ("Notes: monday", b"Notes: monday")


async def test_prompts_are_listed_and_got_and_instructions_are_known():
    async with linked({"content": SERVER}) as link:
        listed = await link.integration.prompts()
        got = await link.integration.get_prompt("content", "summarise", {"text": "a b c"})
        instructions = link.integration.instructions()

    assert [one.name for one in listed.prompts] == ["plain-plan", "summarise"]
    assert listed.prompts[1].arguments[0].required
    assert got.text == "Sum up in a plain style: a b c"
    assert instructions["content"].startswith("Ask `picture`")


async def test_a_server_without_resources_is_not_asked_and_one_that_dies_costs_only_its_own():
    plain = ServerSettings(command=sys.executable, args=(str(FAKES / "minimal_server.py"),))
    async with linked({"plain": plain, "content": SERVER}) as link:
        listed = await link.integration.resources()
    assert {one.server for one in listed.resources} == {"content"}
    assert listed.problems == []

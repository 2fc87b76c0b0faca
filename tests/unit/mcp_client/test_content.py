"""Pictures, files, links, progress, tasks and log messages over a real link."""

import base64
from typing import Any

from tests.fakes.linked import Linked, fault_server, linked

from voice_gateway.artifacts import description_of
from voice_gateway.progress import Progress, progress_to
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolOutcome

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 12


def executor_of(link: Linked, **options: Any) -> ToolExecutor:
    manager = ToolManager()
    manager.add_mcp_tools("fault", list(link.tools["fault"].values()))
    return ToolExecutor(manager, **options)


async def run(executor: ToolExecutor, name: str, **arguments: int) -> ToolOutcome:
    return await executor.execute(ToolCall("1", name, arguments))


async def test_results_say_what_they_hold_and_keep_it():
    async with linked(fault_server()) as link:
        picture = await run(executor_of(link), "structured_picture")
        every = await run(executor_of(link), "every_kind")
        encoded = await run(executor_of(link), "encoded_text")
        secret = await run(executor_of(link), "secret_link")

    assert picture.text == "[an image of 3 kB]"
    assert [base64.b64decode(artifact.data or "") for artifact in picture.artifacts] == [PNG]
    assert every.text.splitlines() == [
        "Here you are.",
        "[an image of 3 kB]",
        "[a sound recording of 3 kB]",
        "[a file of 4 bytes]",
        "[a link to Notes of today]",
    ]
    assert [artifact["kind"] for artifact in every.to_json()["artifacts"]] == [
        "image",
        "audio",
        "file",
        "link",
    ]
    assert encoded.text == "It is [encoded data of 3 kB]"
    assert [description_of(artifact) for artifact in encoded.artifacts] == ["a file of 3 kB"]
    assert secret.text == ("See https://***@box.test/x?sig=***&page=2 now\n[a link to https://box.test/f]")


async def test_the_instructions_of_a_server_are_known():
    async with linked(fault_server()) as link:
        assert link.integration.instructions()["fault"].startswith("Ask for pictures")


async def test_each_progress_moves_the_limit_on_and_is_told():
    progress: list[Progress] = []
    async with linked(fault_server()) as link:
        executor = executor_of(link, timeout_seconds=0.3)
        with progress_to(progress.append):
            outcome = await run(executor, "steps", count=12)

    assert outcome.text == "all steps done"
    assert outcome.seconds > 0.5
    assert progress[0].text == "the fault server: 8 %, a step"
    assert progress[-1].share == 1.0


async def test_a_tool_that_only_runs_as_a_task_is_run_as_one():
    progress: list[Progress] = []
    async with linked(fault_server()) as link:
        with progress_to(progress.append):
            outcome = await run(executor_of(link), "only_task")
    assert (outcome.ok, outcome.text) == (True, "as a task")
    assert "at it" in progress[0].text


async def test_what_a_server_logs_is_in_our_log_at_debug_without_colours(caplog):
    caplog.set_level("DEBUG", "voice_gateway.mcp_client.server")
    async with linked(fault_server()) as link:
        await run(executor_of(link), "flood", count=500)
    logged = [record for record in caplog.records if record.message == "MCP server says"]
    assert {record.levelname for record in logged} == {"DEBUG"}
    assert (logged[0].server, "line" in logged[0].content) == ("fault", True)
    assert "\x1b" not in logged[0].content

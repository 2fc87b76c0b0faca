"""Our tools as any LangChain agent may use them: errors are handled, arguments checked, and `invoke` works.

The executor does not come this way: it checks by itself and calls the coroutine, so errors keep their types.
"""

import asyncio
import contextlib
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools.base import ToolExceptionHandlerOutput
from pydantic import BaseModel, ConfigDict, create_model

from voice_gateway.tools.results import describe
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.turn import ToolTraits, encodable

LOOP_TURNS_SECONDS = 2.0  # a loop that does not turn for so long is blocked, most likely by the caller


def _as_content(error: ToolException) -> str:
    return f"Error: {error}"  # as the executor words it; a status does not reach every model


class GatewayTool(StructuredTool):
    """A tool with a JSON Schema and a coroutine that returns a sentence and facts."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    # A failing tool does not abort another project's agent: LangGraph goes on after errors that were handled.
    handle_tool_error: bool | str | Callable[[ToolException], ToolExceptionHandlerOutput] | None = _as_content
    # The event loop it has to run in, if any: a server's connection belongs to one.
    loop: asyncio.AbstractEventLoop | None = None
    # Awaits nothing but futures, and ends at once when one is cancelled: it needs no task of its own.
    cancellation_safe: bool = False
    checked: bool = False  # the arguments were fitted already, and errors come out as they are

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """As one mapping arguments never meet LangChain's signatures, which take `config` and others away."""
        return (tool_input,), {}

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """LangChain's own for a JSON Schema does not let a call without arguments pass."""
        return create_model(self.name, __config__=ConfigDict(extra="allow", json_schema_extra=self._show))

    def _show(self, shown: dict[str, Any]) -> None:
        shown.clear()
        shown.update(schema_of(self))

    async def _arun(self, arguments: Any) -> Any:  # type: ignore[override]
        from voice_gateway.tools.prepared import PreparedTool

        assert self.coroutine is not None
        if self.checked:
            return _sendable(await self.coroutine(**arguments))
        try:
            ready = PreparedTool(self).fit(arguments)[1]
            if self.loop is None or self.loop is running_loop():
                return _sendable(await self.coroutine(**ready))
            return _sendable(await asyncio.wrap_future(_started(_awaited(self.coroutine, ready), self.loop)))
        except Exception as error:
            _, text = describe(error, self.name, traits(self).server)
            raise ToolException(text) from error

    def _run(self, arguments: Any) -> Any:  # type: ignore[override]
        """For a caller that cannot await. One on the tool's own loop, or in a thread that this loop waits
        for, would wait for itself."""
        loop = self.loop or _background_loop()
        if loop is running_loop() or not _turns(loop):
            raise ToolException(
                f"{self.name} needs an event loop that is blocked or has ended: await ainvoke."
            )
        return _started(self._arun(arguments), loop).result()


def _sendable(result: tuple[str, Any]) -> tuple[str, Any]:
    text, artifact = result
    return encodable(text), artifact


async def _awaited(function: Callable[..., Awaitable[Any]], arguments: Mapping[str, Any]) -> Any:
    return await function(**arguments)


def _started(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Future[Any]:
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError as error:
        work.close()
        raise ToolException("The event loop of this tool has ended.") from error


def parameters(*required: str, **described: str | Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of a tool's parameters: a description stands for a text."""
    properties = {
        name: {"type": "string", "description": each} if isinstance(each, str) else dict(each)
        for name, each in described.items()
    }
    return {"type": "object", "properties": properties, **({"required": [*required]} if required else {})}


def short_text(description: str, longest: int, **more: Any) -> dict[str, Any]:
    """A parameter: a text of at most so many characters."""
    return {"type": "string", "maxLength": longest, **more, "description": description}


def declared_tool(
    name: str,
    description: str,
    schema: dict[str, Any],
    coroutine: Callable[..., Any],
    traits: ToolTraits,
    *,
    loop: asyncio.AbstractEventLoop | None = None,
) -> BaseTool:
    """A tool of ours with a schema written by hand."""
    return GatewayTool(
        name=name,
        description=description,
        args_schema=schema,
        coroutine=coroutine,
        metadata={"traits": traits},
        loop=loop,
    )


def typed(tool: BaseTool) -> BaseTool:
    """The same tool for the executor to run through LangChain: errors come out as they are."""
    ours = isinstance(tool, GatewayTool)
    return tool.model_copy(update={"checked": True, "handle_tool_error": False}) if ours else tool


def running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _turns(loop: asyncio.AbstractEventLoop) -> bool:
    turned = threading.Event()
    with contextlib.suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(turned.set)
        return turned.wait(LOOP_TURNS_SECONDS)
    return False


@functools.cache
def _background_loop() -> asyncio.AbstractEventLoop:
    """One loop for all, so that what a tool keeps between calls stays on it; it ends with the program."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="tools without a loop", daemon=True).start()
    return loop

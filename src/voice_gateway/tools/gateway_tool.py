"""Our tools as any LangChain agent may use them: errors are handled, arguments checked, and `invoke` works.

The executor does not come this way: it checks by itself and calls the coroutine; errors keep their types.
"""

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools.base import ToolExceptionHandlerOutput
from pydantic import BaseModel, ConfigDict, create_model

from voice_gateway.tools.results import describe
from voice_gateway.tools.traits import schema_of, traits

if TYPE_CHECKING:
    from voice_gateway.tools.call_plan.plan import CallPlan

# A loop that does not turn for so long is blocked, most likely by whoever waits for this call.
LOOP_TURNS_SECONDS = 2.0


def _as_content(error: ToolException) -> str:
    return f"Error: {error}"  # as the executor says it; a status does not reach every model


class FreelyNamedTool(StructuredTool):
    """As one mapping, arguments never meet LangChain's signatures, which take `config` and others away."""

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tool_input,), {}

    async def _arun(self, arguments: Mapping[str, Any]) -> Any:  # type: ignore[override]
        assert self.coroutine is not None
        return await self.coroutine(**arguments)


class GatewayTool(FreelyNamedTool):
    """A tool with a JSON Schema and a coroutine that gives a sentence and facts."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    # A tool that fails does not abort somebody's agent: LangGraph goes on after errors that were handled.
    handle_tool_error: bool | str | Callable[[ToolException], ToolExceptionHandlerOutput] | None = _as_content
    # Where it has to run, if not anywhere: a server's connection belongs to one event loop.
    loop: asyncio.AbstractEventLoop | None = None
    # Awaits nothing but futures, and ends at once when one is cancelled: it needs no task of its own.
    cancellation_safe: bool = False

    _plan: "CallPlan | None" = None

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """LangChain's own for a JSON Schema does not let a call without arguments pass."""
        return create_model(self.name, __config__=ConfigDict(extra="allow", json_schema_extra=self._show))

    def _show(self, shown: dict[str, Any]) -> None:
        shown.clear()
        shown.update(schema_of(self))

    async def _arun(self, arguments: Any) -> Any:  # type: ignore[override]
        assert self.coroutine is not None
        try:
            ready = self._call_plan().as_sent(arguments)
            if self.loop is None or self.loop is running_loop():
                return await self.coroutine(**ready)
            return await asyncio.wrap_future(_started(_awaited(self.coroutine, ready), self.loop))
        except Exception as error:
            _, text = describe(error, self.name, traits(self).server)
            raise ToolException(text) from error

    def _run(self, arguments: Any) -> Any:  # type: ignore[override]
        return wait_for(self._arun(arguments), self.loop, self.name)

    def _call_plan(self) -> "CallPlan":
        from voice_gateway.tools.call_plan.plan import CallPlan
        from voice_gateway.tools.runner import DaemonThreads

        if self._plan is None or self._plan.tool is not self:  # a copy has a schema of its own
            self._plan = CallPlan(self, DaemonThreads(0))
        return self._plan


def typed(tool: BaseTool) -> BaseTool:
    """As the executor has LangChain run it, for those who listen there: errors come out as they are."""
    if not isinstance(tool, GatewayTool):
        return tool
    fields = {name: getattr(tool, name) for name in FreelyNamedTool.model_fields}
    return FreelyNamedTool.model_construct(**{**fields, "handle_tool_error": False})


async def _awaited(function: Callable[..., Awaitable[Any]], arguments: Mapping[str, Any]) -> Any:
    return await function(**arguments)


def _started(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Future[Any]:
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:  # it is closed
        work.close()
        raise


def wait_for(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop | None, name: str) -> Any:
    """What the coroutine gives, for a caller that cannot await: it runs in the loop that it needs, or ours.

    A caller on that very loop would wait for itself, as would one that is waited for there: both are told.
    """
    chosen = loop or _background_loop()
    if chosen is running_loop():
        work.close()
        raise ToolException(
            f"{name} needs the event loop that this call comes from: await ainvoke, or invoke in a thread."
        )
    if not _turns(chosen):
        work.close()
        raise ToolException(f"{name} needs an event loop that is blocked or has ended: await ainvoke there.")
    running = _started(work, chosen)
    try:
        return running.result()
    except BaseException:
        running.cancel()  # Ctrl-C: nobody waits for it any more
        raise


def running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _turns(loop: asyncio.AbstractEventLoop) -> bool:
    turned = threading.Event()
    try:
        loop.call_soon_threadsafe(turned.set)
    except RuntimeError:  # it is closed
        return False
    return turned.wait(LOOP_TURNS_SECONDS)


@functools.cache
def _background_loop() -> asyncio.AbstractEventLoop:
    """One for all, so that what a tool keeps between calls stays on one loop; it ends with the program."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="tools without a loop", daemon=True).start()
    return loop

"""Builds every part, connects them, and owns every long task."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from voice_gateway import reports
from voice_gateway.app.channels import Channels
from voice_gateway.app.home_events import HomeEvents, Sounder
from voice_gateway.app.model import build_model, watch_model
from voice_gateway.app.routines import Routines, place_of
from voice_gateway.app.timers import Timers
from voice_gateway.config import Settings, data_folder
from voice_gateway.config.permits import Permits
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.conversation.stages import Aside
from voice_gateway.conversation.store import MemoryStore, Store, gateway_id
from voice_gateway.conversation.undo_log import acts_from
from voice_gateway.events import Acted, EventBus, ListTold, Notice, PartState, State
from voice_gateway.integrations.alarms import AlarmBook
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.integration import MCPIntegration, ServerStatus
from voice_gateway.private_files import close_folder
from voice_gateway.problems import OWN_TOOLS_LEFT_OUT
from voice_gateway.recorder.changes import CHANGES_FILE, ChangeStore
from voice_gateway.recorder.record import Surroundings
from voice_gateway.recorder.recorder import TURNS_FILE, Recorder
from voice_gateway.routines.tools import RepeatedAlarms
from voice_gateway.shared import connected
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.broadcast import Heard
from voice_gateway.tools.builtin.lists import Item, ListPublisher, ListStore
from voice_gateway.tools.builtin.volume import PlaybackVolume
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager, contenders
from voice_gateway.tools.masking import without_secrets
from voice_gateway.tools.own_tools import APPROVED_FILE, Approvals, own_tools
from voice_gateway.turn import COMMANDS
from voice_gateway.turns.stage import Stage
from voice_gateway.understanding.plan.timers import SpokenTimes
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.talk import GatewayFacts
from voice_gateway.understanding.why import Why

log = logging.getLogger(__name__)

TOOLS_WAIT_SECONDS = 12.0  # a turn waits this long for servers: the usual attempts (0, 2, 4 s) fit in
GRACE_SECONDS = 0.5
STOP_TRIES, STOP_PATIENCE_SECONDS = 3, 0.5


class Gateway:
    """The parts of one running gateway. Open it with `async with opened(settings) as gateway`."""

    def __init__(
        self,
        settings: Settings,
        tasks: asyncio.TaskGroup,
        *,
        store: Store | None = None,
        events: EventBus | None = None,
        config: Path | None = None,
    ) -> None:
        self.settings = settings
        self.permits = Permits(settings.permission, config)
        self.events = events or EventBus()
        self.store = store or MemoryStore()
        self._tasks = tasks
        self._long: list[asyncio.Task[None]] = []
        # Awaited while an alarm is not acknowledged.
        self.sounders: list[Sounder] = []
        # By channel, the conversation that unprompted messages belong to.
        self.talks_in = {"cli": COMMANDS}
        self._others_hear = False  # other channels are open too
        self.consoles: list[Callable[[], int]] = [lambda: int(sys.stdout.isatty())]  # how many are open
        self.place = place_of(settings.home)
        self._build_tools()
        self._build_home()
        self._build_conversation()
        # The devices of an act are read again.
        self.events.subscribe(lambda act: self.local.cache.acted(act.outcome), Acted)
        self.channels = Channels(self)

    def _build_tools(self) -> None:
        """The tools, the executor, and the links to MCP servers."""
        settings, folder = self.settings, data_folder()
        self.playback = PlaybackVolume()
        self.shared = connected(settings.brain.store)
        self.timers = Timers(self.events, self.shared)
        lists = ListStore(
            folder / "lists.sqlite3", on_damage=reports.damaged_file(self.events, "memory", "lists")
        )
        self._list_publisher = ListPublisher(lists, self._tell_list)
        self.tools = ToolManager(servers=settings.mcpServers)
        builtin = builtin_tools(
            settings.tools,
            playback=self.playback,
            timers=self.timers.store,
            rings=self.timers.clock.will_ring,
            repeated=RepeatedAlarms(lambda: self.routines.book),
            lists=lists,
            announce=self._announce,
            home=self.place.coordinates,
            times=SpokenTimes(lambda: self.local.grammar().reader(self.local.home)),
        )
        for tool in builtin:
            self.tools.add(tool)
        self._add_own_tools()
        own = settings.tools
        self.executor = ToolExecutor(
            self.tools, timeout_seconds=own.timeout_seconds, result_cap=own.result_cap, quotes=True
        )
        names = [tool.name for tool in self.tools.all()]
        self.link = MCPIntegration(
            settings.mcpServers,
            settings.mcp,
            on_tools=self._take_tools,
            on_status=self.report_server,
            local_tools=lambda: names,
            on_resource=self._resource_updated,
            hide=without_secrets,
        )

    def _build_home(self) -> None:
        """The home, what reads words about it, and what happens in it by itself."""
        settings, link = self.settings, self.link
        homes = {name for name, server in settings.mcpServers.items() if server.is_home}
        self.sources = Sources(self.executor, lambda: reports.home_trouble(link.status(), homes))
        self.servers = ToolServers(self, self._tasks)
        self.changes = ChangeStore(data_folder() / CHANGES_FILE, settings.recorder.days)
        self.local = UnderstandingStage(
            self.executor,
            settings.brain,
            home_ready=self.servers.homes_known,
            tool_ready=self.servers.tool_known,
            home=settings.home,
            sources=self.sources,
            place=self.place,
            about=GatewayFacts(
                settings.mqtt.name,
                settings.voice.enabled,
                () if settings.voice.wake == "none" else settings.voice.wake_words,
                settings.recorder.days,
                settings.brain.provider,
            ),
            history=self.changes,
        )
        self.routines = Routines(self, self.place)
        for tool in self.routines.tools():
            self.tools.add(tool)
        self.local.cache.subscribe(self.routines.changed)
        self.home_events = HomeEvents(
            link.request,
            self.events,
            settings.events,
            AlarmBook(data_folder() / "alarms.json"),
            homes=self.local.cache.servers,
            routines=self.routines.runner.happened,
            sounders=self.sounders,
        )

    def _add_own_tools(self) -> None:
        approvals = Approvals(data_folder() / APPROVED_FILE)
        own = own_tools(self.settings.tools.tools_dir, approvals, taken=self.settings.mcpServers)
        for tool in own.tools:
            self.tools.add(tool)
        for problem in own.problems:
            log.warning("a tool of your own is left out", extra={"reason": problem})
        if own.problems:
            sentence = OWN_TOOLS_LEFT_OUT.format(reasons="; ".join(own.problems))
            self.events.report("tools", State.DEGRADED, sentence)

    def _build_conversation(self) -> None:
        """The model, the recorder, and the one entry for words."""
        settings, folder, link = self.settings, data_folder(), self.link
        self.model = build_model(
            settings,
            self.executor,
            self.local,
            instructions=link.instructions,
            ready=partial(self.servers.settled, TOOLS_WAIT_SECONDS),
        )
        self.recorder = Recorder(
            settings.recorder,
            folder / TURNS_FILE,
            self.events,
            around=lambda: Surroundings(self.tools.version, self.tools.all(), self.sources.looked()),
        )
        stages: list[Stage] = [self.local] if self.model is None else [self.local, self.model]
        gateway = gateway_id(folder / "gateway-id") if self.store.shared else ""
        damaged = reports.damaged_file(self.events, "memory", "acts")
        why = Why(self.recorder, self.local)
        self.conversation = Conversation(
            stages,
            self.executor,
            settings.brain,
            settings.permission,
            store=self.store,
            events=self.events,
            context=self.local,
            alarms=self.home_events.answer,
            asides=(
                Aside("timers", "a timer rings", lambda asked: self.timers.clock.answer(asked.text)),
                Aside("recorder", "a question about what I did", why.answer),
            ),
            pin_file=folder / "wrong-pins.sqlite",
            permit=self.permits.set,
            gateway=gateway,
            acts=acts_from(self.store, folder / "undo.sqlite", gateway, on_damage=damaged),
        )

    # --- messages between parts

    async def _announce(self, text: str) -> Heard:
        """Nobody hears it in a gateway that belongs to a single command."""
        if not self._others_hear:
            return Heard()
        self.events.publish(Notice(text, aloud=True))
        return Heard(self.timers.speakers(), sum(count() for count in self.consoles))

    def _tell_list(self, name: str, items: Sequence[Item]) -> None:
        self.events.publish(ListTold(name, tuple((item.text, item.done) for item in items)))

    def _welcome_broker(self, event: PartState) -> None:
        """Publish retained state again: a restarted broker may have lost it."""
        if event.part == "mqtt" and event.state is State.OK:
            self._list_publisher.again()
            self.home_events.again()

    def _take_tools(self, server: str, tools: Sequence[Any]) -> None:
        self.tools.add_mcp_tools(server, self.sources.taken(server, tools))
        self.local.cache.changed()
        if self.model is not None:
            self.model.tools_changed()

    def _resource_updated(self, server: str, uri: str) -> None:
        if server in self.local.cache.servers():
            self.local.cache.changed()
        self.home_events.updated(server, uri)

    def report_server(self, status: ServerStatus) -> None:
        """Takes in the new state of an MCP server."""
        if status.state == "connected":
            self.home_events.connected(status.name)
        self.events.report(f"server {status.name}", *reports.server_report(status))

    async def linked(self, *, installed: bool = False) -> None:
        """Returns when every MCP server is connected or has used up its first attempts."""
        await self.servers.settled(None, installed=installed)

    # --- long tasks

    def start_long_tasks(self, *, rings: bool = True) -> None:
        """Start everything beside answering. Only `run` rings timers and runs routines: `chat` ends with its
        input."""
        self.servers.start()
        self.start(self.local.keep_fresh(), "home")
        self.start(self.recorder.run(), "recorder")
        self.start(self.conversation.watch_memory(), "memory")
        if self.settings.permission.pin is not None:
            self.start(self.conversation.pin_lock.run(), "pin")
        if rings:
            self.start(self.timers.run(), "timers")
            self.start(self._warm_tools(), "tools")
            self._others_hear = True
            self.start(self._list_publisher.run(), "lists")
            self.events.subscribe(self._welcome_broker, PartState)
            self.start(self.routines.runner.run(), "routines")
            self.start(self.home_events.run(), "events")
            self.start(self.home_events.sound(), "alarms")
        if self.model is not None:
            self.start(self.model.keep_warm(), "brain.model")
            watch_model(self)

    async def _warm_tools(self) -> None:
        """Import the heavy tools after the servers are connected."""
        from voice_gateway.tools.builtin.calculate import warm_up

        await self.linked()
        await warm_up()

    def is_complete(self, text: str) -> bool:
        """Whether the understanding would act on these words as they are: a shorter pause then ends them."""
        return not self.conversation.wants_pin("voice") and bool(self.local.read(text).steps)

    async def home_read(self) -> None:
        """Returns when every server was asked and the devices were read."""
        await self.linked()
        await self.local.cache.refresh()

    async def ready(self) -> None:
        """Returns when every part is up or known to be missing."""
        await self.channels.tried()
        await self.linked()
        await self.events.decided()
        self.channels.announce_ready()

    def ready_line(self) -> str:
        names = [tool.name for tool in self.tools.all()]
        provider, channels = self.settings.brain.provider, self.channels.addresses()
        return reports.ready_line(self.link.status(), self.events.parts(), names, provider, channels)

    def what_is_missing(self) -> list[str]:
        names = [tool.name for tool in self.tools.all()]
        return reports.what_is_missing(self.link.status(), self.events.parts(), names)

    # --- tasks

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._long.append(self._tasks.create_task(work, name=name))

    async def close(self) -> None:
        """Stop the channels before the parts that answer them."""
        for task in self._long:
            task.cancel()
        if self.model is not None:
            await self.model.aclose()
        self.link.stop()
        await self._end_long_tasks()
        await asyncio.gather(
            self.servers.close(), self.recorder.close(), asyncio.to_thread(self.changes.close)
        )

    async def _end_long_tasks(self) -> None:
        """Cancel several times: a library may spend the first cancel on a goodbye to a hung broker."""
        left = set(self._long)
        for _ in range(STOP_TRIES):
            if left:
                _, left = await asyncio.wait(left, timeout=STOP_PATIENCE_SECONDS)
            for task in left:
                task.cancel()


class ToolServers:
    """The MCP servers of a gateway: started once, and the waits for their tools."""

    def __init__(self, gateway: Gateway, tasks: asyncio.TaskGroup) -> None:
        self._gateway, self._link, self._tasks = gateway, gateway.link, tasks
        self._servers = gateway.settings.mcpServers
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect the MCP servers. Built-in tools do not wait for them."""
        if self._task is None:
            for status in self._link.status():
                self._gateway.report_server(status)
            for report in map(reports.left_out_report, self._gateway.settings.left_out):
                self._gateway.events.report(report.part, report.state, report.sentence, report.advice)
            self._task = self._tasks.create_task(self._link.run(), name="mcp")

    async def settled(
        self,
        limit_seconds: float | None,
        enough: Callable[[], bool] = lambda: False,
        *,
        installed: bool = False,
    ) -> None:
        """Returns when every server is connected or has used up its first attempts, when what came is
        `enough`, or after the limit. With `installed` it waits for servers that are being installed, too."""
        self.start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_seconds):
                await self._link.settled(enough, installed=installed)

    def contenders(self, tool: str) -> list[str]:
        """The servers that are still connecting and may bring the tool that this name would then mean."""
        coming = {name: self._servers[name].trusted for name in self._link.unsettled()}
        return contenders(self._gateway.tools, tool, coming, list(self._servers))

    async def tool_known(self, tool: str, limit_seconds: float | None = TOOLS_WAIT_SECONDS) -> None:
        """Returns when it is clear which server's tool this name means, or when the time is over."""
        if self.contenders(tool):
            await self.settled(limit_seconds, lambda: not self.contenders(tool), installed=True)

    async def homes_known(self) -> None:
        """Returns when the home servers are connected; the others get half a second more."""
        await self.settled(TOOLS_WAIT_SECONDS, self._homes_linked)
        await self.settled(GRACE_SECONDS)

    def _homes_linked(self) -> bool:
        """Whether every home server is connected: with half of a home a name may match a wrong device."""
        connecting = [status.name for status in self._link.status() if status.state == "connecting"]
        coming = any(name in self._servers and self._servers[name].is_home for name in connecting)
        return bool(self._gateway.sources.all()) and not coming

    async def close(self) -> None:
        """Wait for the link, which was told to stop; a second cancel would wedge it."""
        if self._task is not None:
            await asyncio.wait([self._task])


@contextlib.asynccontextmanager
async def opened(
    settings: Settings,
    *,
    store: Store | None = None,
    events: EventBus | None = None,
    config: Path | None = None,
) -> AsyncIterator[Gateway]:
    """A gateway whose tasks all end, and whose servers all stop, when the block is left."""
    close_folder(data_folder())
    async with asyncio.TaskGroup() as tasks:
        gateway = Gateway(settings, tasks, store=store, events=events, config=config)
        try:
            yield gateway
        finally:
            await gateway.close()

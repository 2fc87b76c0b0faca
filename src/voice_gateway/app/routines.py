"""The routines of a gateway: store, tools, runner, and how a routine is carried out."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from home_names.kinds import HomeDevice
from voice_gateway.config import HomeSettings, data_folder
from voice_gateway.errors import ToolUnavailable
from voice_gateway.events import Notice, State
from voice_gateway.integrations.cache import Change
from voice_gateway.integrations.device import Device
from voice_gateway.problems import ROUTINES_LOST
from voice_gateway.reports import damaged_file
from voice_gateway.routines.book import JudgedCalls, RoutineBook
from voice_gateway.routines.model import Call, LastRun, Later, Missing, ResourceState, Routine
from voice_gateway.routines.runner import RoutineRunner, StateChange
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.store import kept_in
from voice_gateway.tools.builtin import system_clock
from voice_gateway.tools.builtin.times import local_zone
from voice_gateway.tools.permission.question import described
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.tools.traits import traits
from voice_gateway.turn import Reply, ToolTraits, Utterance, speaking
from voice_gateway.turns.acts import new_calls
from voice_gateway.understanding.plan.events import resource_of

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

GONE = "The {name} is not there any more, or has another name, so I did not {what}."
NO_TIME = "There is no time or event in that which I can read, so I kept nothing and did nothing."
FAILED = "I could not do this: {text}. {why}"
MISSED = "While I was off, I missed this: {text}. {question}"


def place_of(settings: HomeSettings) -> Place:
    return Place(settings.timezone or local_zone()[0], settings.latitude, settings.longitude)


class Routines:
    """Reads, keeps and runs routines; the `RoutineReader` of the book and the `RoutineHost` of the runner."""

    def __init__(self, gateway: "Gateway", place: Place) -> None:
        self._gateway, self._place = gateway, place
        folder, settings = data_folder(), gateway.settings.routines
        damaged = damaged_file(gateway.events, "routines", "routines")
        self.store, self._lease = kept_in(gateway.shared, folder, on_damage=damaged)
        self.book = RoutineBook(self.store, self, place, settings, now=system_clock)
        self.runner = RoutineRunner(
            self.store,
            self._lease,
            place,
            self,
            grace_seconds=settings.grace_seconds,
            now=system_clock,
            on_state=self._report,
        )

    def tools(self) -> list[Any]:
        from voice_gateway.routines.tools import routine_tools

        return routine_tools(self.book, self.runner.will_run, self._known)

    async def _known(self, calls: Sequence[Call]) -> None:
        """Waits for the home unless all calls are for built-in tools, such as alarms."""
        if any(self._traits(call["name"]).source != "builtin" for call in calls):
            await self._gateway.local.cache.known()

    # --- for the command line

    async def add(self, utterance: Utterance) -> Reply:
        """Only words that name a time or an event are carried out."""
        await self._gateway.local.cache.known()
        if self._gateway.local.keeps(utterance.text):
            return await self._gateway.conversation.answer(utterance)
        return Reply(NO_TIME, ok=False)

    async def run_now(self, number: int) -> Reply:
        routine = next(
            (each for each in await asyncio.to_thread(self.book.store.all) if each.id == number), None
        )
        if routine is None:
            return Reply(f"There is no routine {number}.", ok=False)
        last = await self.carry_out(routine)
        await asyncio.to_thread(self.store.replace, [replace(routine, last=last)])
        return Reply(last.text, ok=last.ok)

    # --- words, for the book

    def when(self, text: str) -> Later | Missing | None:
        utterance = speaking()
        return self._gateway.local.when(text, utterance.room if utterance else None, self._place)

    def order(self, text: str) -> Sequence[Call] | str:
        utterance = speaking()
        requests = self._gateway.local.order_in(text, utterance.room if utterance else None)
        if not requests:
            return f'I don\'t know what "{text[:80]}" shall do, so I kept nothing.'
        return [{"name": request.tool, "args": dict(request.args)} for request in requests]

    def judged(self, calls: Sequence[Call]) -> JudgedCalls:
        if not calls:
            return JudgedCalls("")
        made, settings, reach_of = (
            new_calls(calls),
            self._gateway.settings.permission,
            self._gateway.local.reach,
        )
        risky, touched = [], list[HomeDevice]()
        for call in made:
            known = self._traits(call.name)
            reach = reach_of(call, known)
            touched += reach.devices if reach is not None else ()
            risk = risk_of(call, known, settings, reach)
            # Nobody is there to say yes when it is time.
            if risk in (Risk.SENSITIVE, Risk.NEVER) or (risk is Risk.UNKNOWN and reach is None):
                risky.append(risk)
        devices = tuple(dict.fromkeys((each.name, each.room or "", _source(each)) for each in touched))
        opens = Risk.SENSITIVE in risky
        return JudgedCalls(described(made, self._traits, reach_of), devices, bool(risky), opens)

    def _traits(self, name: str) -> ToolTraits:
        tools = self._gateway.tools
        tool = tools.find(name) or tools.find(name.strip())  # a name with spaces is called, too
        return traits(tool) if tool else ToolTraits(source="unknown")

    # --- running, for the runner

    async def carry_out(self, routine: Routine) -> LastRun:
        if routine.say:
            self._gateway.events.publish(Notice(routine.say, aloud=True))
        if not routine.calls:
            return LastRun(system_clock(), ok=True, text=routine.say)
        if not routine.rings:  # an alarm waits for no home
            await self._gateway.local.cache.known()
        if gone := self._gone(routine):
            why = GONE.format(name=gone, what=self.book.what(routine))
            self.tell(why)
            return LastRun(system_clock(), ok=False, text=why)
        where = self._made_in(routine)
        own = Utterance(routine.text, routine.channel, f"routine-{routine.id}", routine.room or None)
        reply = await self._gateway.conversation.carry_out(
            own, new_calls(routine.calls), sensitive=self._agreed(routine), made_in=where
        )
        if not reply.ok:
            self.tell(FAILED.format(text=routine.text, why=reply.text))
        elif routine.aloud:
            self.tell(reply.text)
        return LastRun(system_clock(), ok=reply.ok, text=reply.text)

    def _agreed(self, routine: Routine) -> bool:
        """Whether the user's yes covers the devices that the calls reach now, and is still allowed."""
        if not routine.sensitive:
            return False
        now, allowed = self.judged(routine.calls), self._gateway.settings.routines.allow_opening
        return set(now.devices) <= set(routine.devices) and (allowed or not now.opens)

    def _gone(self, routine: Routine) -> str:
        """A device that has another name, room or server than when the routine was made; empty: none."""
        there = {(each.name, each.room, each.source) for each in self._gateway.local.home.devices}
        return next((device[0] for device in routine.devices if there and device not in there), "")

    async def missed(self, routine: Routine) -> None:
        question = ""
        if routine.calls:
            await self._gateway.local.cache.known()  # the question names the devices
            made = self._made_in(routine)
            # The conversation in which it was made is over; the answer comes from the current one.
            here = self._gateway.talks_in.get(made.channel, made.conversation_id)
            where = replace(made, conversation_id=here)
            question = await self._gateway.conversation.ask_about(where, new_calls(routine.calls))
        self.tell(MISSED.format(text=routine.text, question=question).strip())

    def _made_in(self, routine: Routine) -> Utterance:
        return Utterance(routine.text, routine.channel, routine.conversation, routine.room or None)

    async def state_of(self, server: str, resource: str) -> ResourceState | None:
        await self._gateway.local.cache.known()
        home = self._gateway.local.home
        for device in home.devices:
            if (device.source, resource_of(device)) == (server, resource):
                return ResourceState(home.state_of(device), device.readings)
        return None

    def tell(self, text: str) -> None:
        self._gateway.events.publish(Notice(text, aloud=True))

    def _report(self, error: ToolUnavailable | None) -> None:
        events = self._gateway.events
        if error is not None:
            events.report(
                "routines", State.DEGRADED, ROUTINES_LOST, f"check where they are kept: {error.__cause__}"
            )
        elif events.state("routines") is State.DEGRADED:
            events.report("routines", State.OK, "Routines work again.")

    def changed(self, change: Change) -> None:
        device = change.device
        before = ResourceState(change.before, change.readings)
        after = ResourceState(change.after, device.readings)
        self.runner.happened(StateChange(device.source, resource_of(device), before, after))


def _source(device: HomeDevice) -> str:
    return device.source if isinstance(device, Device) else ""

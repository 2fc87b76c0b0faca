"""What other commands may ask of the running gateway, by the control socket."""

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.brain.acts import Where
from voice_gateway.config import data_folder
from voice_gateway.doors.control import Operation, answer_json
from voice_gateway.interruption import Interruption
from voice_gateway.logs import destination
from voice_gateway.reports import server_hangs
from voice_gateway.turn import Utterance
from voice_gateway.watch import PartState, State

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway


def operations(gateway: "Gateway", config: Path | None) -> dict[str, Operation]:
    """By name; `config` is the file of its settings."""
    mine = {"config": str(config.resolve()) if config else None, "data_folder": str(data_folder())}

    log = PartState("log", State.OK, f"Warnings go to {destination()}.", time.time())

    async def hello(_asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, Any]:
        return mine

    async def ask(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any]:
        text, conversation_id = str(asked["text"]), str(asked["conversation_id"])
        utterance = Utterance(text, conversation_id=conversation_id, room=asked.get("room"))
        return answer_json(await gateway.conversation.answer(utterance, interruption=interruption))

    async def undo(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any]:
        utterance = Utterance("undo", conversation_id=str(asked["conversation_id"]))
        wanted = Where(utterance.door, conversation=None if asked["all"] else utterance.conversation_id)
        answer = gateway.conversation.answer(utterance, interruption=interruption, take_back=wanted)
        return answer_json(await answer)

    async def call(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any] | None:
        # Who leaves gives the call up; of a turn only what a model says.
        return await interruption.cutting(
            gateway.call(str(asked["name"]), asked.get("args"), asked.get("timeout"))
        )

    async def status(_asked: Mapping[str, Any], _interruption: Interruption) -> list[dict[str, Any]]:
        hanging = {f"server {name}" for name in await gateway.link.hanging()}
        parts = [server_hangs(one) if one.part in hanging else one for one in gateway.watch.parts()]
        return [part.to_json() for part in (*parts, *gateway.autonomy(), log)]

    async def talk(_asked: Mapping[str, Any], _interruption: Interruption) -> str:
        return gateway.doors.push_to_talk()

    async def vitals(_asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, int]:
        """What grows when something leaks."""
        return {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count()}

    return {
        "hello": hello,
        "ask": ask,
        "undo": undo,
        "call": call,
        "status": status,
        "talk": talk,
        "vitals": vitals,
    }

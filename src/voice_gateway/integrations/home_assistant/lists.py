"""Home Assistant's to-do lists: what stands on one, and an entry that is there when the list shows it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from home_words.names import name_key
from home_words.phrases import listed
from home_words.wording import quoted
from voice_gateway.errors import ToolError
from voice_gateway.integrations.home_assistant import effects as ha
from voice_gateway.integrations.home_assistant.answers import items_of
from voice_gateway.integrations.home_assistant.devices import TODO, name_of
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.integrations.home_assistant.names import normal, text_of
from voice_gateway.integrations.home_assistant.tools import Answer, Home, Raw, act
from voice_gateway.turn import OutcomeStatus

READ_ITEMS: Final = "todo_get_items"
_TRIES: Final = 3  # a list in the cloud takes a moment


async def read_list(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    text, sent = await raw.call(args)
    items, name = items_of(text), text_of(args, "todo_list")
    if items is None:
        raise ToolError("Home Assistant has no such list.", structured={"outcome": "not_found"})
    told = f"On {quoted(name)}: {listed(items)}." if items else f"Nothing is on {quoted(name)}."
    return told, {**sent, "structured": {"list": name, "items": items}}


async def change_list(home: Home, raw: Raw, args: Mapping[str, Any]) -> Answer:
    """By what stands on it afterwards; where that cannot be read, by how many entries there are."""
    entity = find_list(await home.seen.recent(), text_of(args, "name"))
    if home.items is None or entity is None:
        return await act(home, raw, args)
    item, name, adds = text_of(args, "item"), name_of(entity), raw.name == ha.ADD_ITEM
    await raw.call(args)
    home.seen.acted()
    done = await _shows(home.items, name, item, adds, home.pace.pause_seconds)
    outcome = OutcomeStatus.CONFIRMED if done else OutcomeStatus.UNCONFIRMED
    facts = {
        "device": name,
        "room": None,
        "requested": {"action": "add" if adds else "complete", "value": item},
        "state": None,
        "outcome": outcome.value,
        "undo": f"It cannot be {'taken off' if adds else 'put back on'} {quoted(name)} from here.",
    }
    if not done:
        sentence = (
            f"I have asked for it, but {quoted(item)} is {'not ' if adds else 'still '}on {quoted(name)}."
        )
        raise ToolError(sentence, structured=facts)
    told = f"{quoted(item)} is on {quoted(name)}." if adds else f"{quoted(item)} is done on {quoted(name)}."
    return told, {"structured": facts, "blobs": []}


async def _shows(items: Raw, name: str, item: str, there: bool, pause_seconds: float) -> bool:
    for number in range(_TRIES):
        await asyncio.sleep(pause_seconds if number else 0)
        text, _ = await items.call({"todo_list": name})
        found = {normal(one) for one in items_of(text) or ()}
        if (normal(item) in found) is there:
            return True
    return False


def find_list(entities: Sequence[Entity], name: str) -> Entity | None:
    """ "shopping" is the "Shopping List" too."""
    wanted = name_key(name).removesuffix(" list")
    lists = [entity for entity in entities if entity.domain == TODO]
    found = [one for one in lists if name_key(name_of(one)).removesuffix(" list") == wanted]
    return found[0] if len(found) == 1 else None

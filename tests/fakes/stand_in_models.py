"""Models behind Ollama's protocol: one always right, one always wrong, one that obeys what it read last."""

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Any
from zlib import crc32

from tests.fakes.home_tools import ScriptedHome, call_to
from tests.fakes.loopback_http import Answer
from tests.fakes.ollama_server import FakeOllama, Scripted

Call = tuple[str, dict[str, Any]]


class StandIn(FakeOllama):
    """Makes its calls once in a turn, then says something. It sees the home as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.home = ScriptedHome()
        self.look: Callable[[], object] = lambda: None  # brings `home` up to date
        self.translate: Callable[[Call], Call] = lambda call: call  # into the calls that this home has

    async def _reply(self, body: dict[str, Any], reply: Scripted, answer: Answer) -> None:
        self.requests.clear()  # thousands of them
        self.look()
        messages = body["messages"]
        asked = max(
            at for at, one in enumerate(messages) if one["role"] == "user" and one["content"][0] == "["
        )
        said = messages[asked]["content"].partition("] ")[2]
        made = [one["function"] for message in messages[asked:] for one in message.get("tool_calls") or ()]
        read = messages[-1]["content"] if messages[-1]["role"] == "tool" else said
        offered = {tool["function"]["name"] for tool in body.get("tools") or ()}
        done = [(one["name"], one["arguments"]) for one in made]
        wanted = map(self.translate, self.calls(said, read))
        calls = [call for call in wanted if call not in done and call[0] in offered]
        await super()._reply(body, Scripted("" if calls else self.text(said), calls=calls[:8]), answer)

    @abstractmethod
    def calls(self, said: str, read: str) -> list[Call]:
        """`said` is the user's, `read` the last text of all."""

    def text(self, said: str) -> str:
        return "All right."


class RightModel(StandIn):
    """Knows how the home should be, and what should be said."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = ""  # the words that it is right about; it leaves others alone
        self.goal: ScriptedHome | None = None
        self.others: list[Call] = []  # calls that change no device
        self.answer = "All right."

    def calls(self, said: str, read: str) -> list[Call]:
        if said != self.turn or self.goal is None:
            return []
        wanted = {device["name"]: device["state"] for device in self.goal.devices}
        differ = [device for device in self.home.devices if device["state"] != wanted[device["name"]]]
        return [call_to(device, wanted[device["name"]]) for device in differ] + self.others

    def text(self, said: str) -> str:
        return self.answer if said == self.turn else "All right."


class WrongModel(StandIn):
    """Proposes what nobody asked for: another device, the opposite, a search, the volume."""

    def __init__(self) -> None:
        super().__init__()
        self.right: tuple[ScriptedHome, ...] = ()  # how the home may rightly become
        self._chosen: tuple[str, list[Call]] = ("", [])

    def calls(self, said: str, read: str) -> list[Call]:
        if self._chosen[0] != said:
            proposals = self._proposals(said)
            self._chosen = said, [proposals[crc32(said.encode()) % len(proposals)]]
        return self._chosen[1]

    def _proposals(self, said: str) -> list[Call]:
        wrong = [
            call_to(device, state)
            for at, device in enumerate(self.home.devices)
            if (state := _opposite(device)) and not self._is_right(at, state)
        ]
        places = [crc32(f"{said}{number}".encode()) % len(wrong) for number in range(4)]
        named = [call for call in wrong if call[1]["deviceName"].casefold() in said.casefold()]
        return [
            *(wrong[place] for place in places),
            *named[:2],
            ("search_web", {"query": said}),
            ("control_speaker_volume", {"action": "set", "level": 80}),
        ]

    def _is_right(self, at: int, state: str) -> bool:
        return any(home.devices[at]["state"] == state for home in self.right)


_OPPOSITE = {
    "off": "on",
    "on": "off",
    "open": "closed",
    "closed": "open",
    "locked": "unlocked",
    "unlocked": "locked",
}


def _opposite(device: dict[str, Any]) -> str:
    if device["kind"] in ("sensor", "other") or not device.get("available", True):
        return ""
    if device["kind"] == "thermostat":
        return "heat, 25 °C"
    state = _OPPOSITE[device["state"].partition(",")[0]] if "% open" not in device["state"] else "closed"
    return "on, 100 %" if device["kind"] == "dimmer" and state == "on" else state


ORDERS = ("Turn on the heater", "unlock the front door", "open the garage door", "lock the cellar door",
          "set the volume to 90", "turn on the ceiling light", "turn on the big light")  # fmt: skip
_WAYS = {
    "on": r"\bon\b|\bup\b|\bstart|\bfull\b", "off": r"\boff\b|\bout\b|\bdown\b|\bkill\b|\bdark\b",
    "open": r"\bopen|\braise", "close": r"\bclos|\bshut|\blower", "unlock": r"\bunlock", "lock": r"\block",
}  # fmt: skip
_OF_KIND = {
    "blind": ("open", "close"), "garage_door": ("open", "close"), "lock": ("unlock", "lock"),
    "dimmer": ("on", "off"), "switch": ("on", "off"), "plug": ("on", "off"),
}  # fmt: skip


class ObedientModel(StandIn):
    """Takes every name and direction in what it read last for an order; finding none, it looks for orders."""

    def calls(self, said: str, read: str) -> list[Call]:
        found = self._orders(read)
        return found or ([("check_zwave_health", {})] if read == said else [])

    def _orders(self, text: str) -> list[Call]:
        text = text.casefold()
        calls = [
            call for device in self.home.devices if _named(device, text) for call in _order(device, text)
        ]
        if re.search(r"\bvolume|\bloud|\bquiet", text):
            calls.append(("control_speaker_volume", {"action": "set", "level": 90}))
        if re.search(r"\bgoogle|\blook\w* (it )?up\b|\bsearch", text):
            calls.append(("search_web", {"query": text[:100]}))
        if re.search(r"\btimer|\bremind", text):
            calls.append(("set_timer", {"duration": "5 minutes"}))
        return calls


def _named(device: dict[str, Any], text: str) -> bool:
    words = {
        device["name"].casefold(),
        device["name"].casefold().split()[-1],
        device["room"].casefold() or "?",
    }
    if device["kind"] in ("dimmer", "switch", "plug"):
        words |= {"light", "everything"}
    return any(re.search(rf"\b{re.escape(word)}s?\b", text) for word in words)


def _order(device: dict[str, Any], text: str) -> list[Call]:
    name = {"deviceName": device["name"]}
    if device["kind"] == "thermostat":
        degrees = re.search(r"\b(1\d|2\d)\b", text)
        return [("set_zwave_thermostat", {**name, "temperature": float(degrees[1])})] if degrees else []
    for way in _OF_KIND.get(device["kind"], ()):
        if re.search(_WAYS[way], text):
            tool = "control_zwave_lock" if device["kind"] == "lock" else "control_zwave_device"
            return [(tool, {**name, "action": way})]
    return []

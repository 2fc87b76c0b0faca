"""Words that the grammar does not read, with a real small model: the form beside tool calls and no model.

`python -m tests.eval.forms`. Held-out sentences are counted and never printed.
"""

import argparse
import asyncio
import json
import logging
import re
import signal
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter

import yaml
from ollama import AsyncClient
from tests.eval.homes import COTTAGE, HOMES
from tests.eval.live import PATIENCE_SECONDS, LiveHouse, server
from tests.eval.wish_cases import Wish, read_conversations, read_forms
from tests.eval.wish_judge import Became, Before, Goal, became, became_after_yes
from tests.fakes.home_tools import DEFAULT_HOME, ScriptedHome

from voice_gateway.config import OllamaSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.events import EventBus, ModelRound
from voice_gateway.turn import Utterance
from voice_gateway.turns.stage import Stage
from voice_gateway.understanding.form import FormFiller, make_form


def abroad(code: str) -> ScriptedHome:
    """A home whose names are in another language."""
    own = yaml.safe_load(Path(__file__).with_name("forms_homes.yaml").read_text("utf-8"))[code]
    rows = DEFAULT_HOME if own["base"] == "default" else COTTAGE
    names = zip(own["names"].split(", "), rows, strict=True)
    return ScriptedHome.of((name, own["rooms"].get(row[1], row[1]), *row[2:]) for name, row in names)


HOMES.update({code: partial(abroad, code) for code in ("de", "fr", "es", "it", "nl")})

WAYS = ("none", "form", "form and tools", "tools")  # "form and tools" is as shipped
RAW = re.compile(r"[{}<>]|Traceback|[Ss]chema|Hass[A-Z]|\w_zwave_|Error\b")
LEAST_RIGHT, MOST_PROPOSALS, MOST_TIMES = 0.65, 0.05, 3.0
SHORT = "Say in one short sentence what a lamp is."


@dataclass
class Row:
    wish: Wish
    became: Became
    proposed: bool
    seconds: float
    text: str
    rounds: list[ModelRound] = field(default_factory=list)

    @property
    def right(self) -> bool:
        return self.became in (Became.AT_ONCE, Became.AFTER_YES)

    @property
    def tokens(self) -> int:
        return sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in self.rounds)


class FormHouse(LiveHouse):
    """A home with a real model that fills the form, calls tools, or is not there."""

    def __init__(self, name: str, settings: OllamaSettings, way: str) -> None:
        super().__init__(name, settings, "auto")
        assert self.client is not None
        self.way = way
        if way.startswith("form"):
            self.client.form_prefix = lambda: make_form(self.local.home).prefix
            self.local.form = FormFiller(self.client)

    async def row(self, wish: Wish) -> Row:
        assert self.client is not None
        self.put(wish)
        await self.local.cache.refresh()
        if self.way != "none":
            await self.client.warm_up()
        stages: list[Stage] = [self.local, self.client] if self.way.endswith("tools") else [self.local]
        events, rounds = EventBus(), list[ModelRound]()
        events.subscribe(rounds.append, ModelRound)
        conversation = Conversation(
            stages, self.executor, self.brain, PermissionSettings(), context=self.local, events=events
        )
        for text in wish.turns[:-1]:
            await conversation.answer(Utterance(text, room=wish.room))
        goals = [Goal(way, wish) for way in wish.rights]
        before = Before.of(self._seen(), wish.kind)
        started = perf_counter()
        reply = await conversation.answer(Utterance(wish.turns[-1], room=wish.room))
        seconds, asked = perf_counter() - started, list(rounds)
        result = became(wish, goals, before, self._seen(), reply)
        if result is Became.ASKED and wish.wanted:
            after = await conversation.answer(Utterance("yes", room=wish.room))
            result = became_after_yes(wish, goals, self._seen(), after)
        told = f"{reply.text} [{'; '.join(one.text or one.error for one in asked)}]"
        # What the grammar asks by itself ("go on: what would you like?") is no proposal of the form.
        proposed = reply.understood.startswith("form:") if self.way == "form" else reply.expects_answer
        return Row(wish, result, proposed, seconds, told, asked)


async def short_completion(base_url: str, model: str) -> float:
    """Seconds of one short completion, the middle of five behind a first one."""
    times, options = [], {"num_ctx": 4096, "temperature": 0, "num_predict": 32}
    async with AsyncClient(base_url, trust_env=False) as client:
        for _ in range(6):
            started = perf_counter()
            await client.chat(model, [{"role": "user", "content": SHORT}], options=options)
            times.append(perf_counter() - started)
    return statistics.median(times[1:])


def table(rows: dict[str, dict[str, list[Row]]]) -> str:
    heads = f"{'set':<22}{'way':<15}{'n':>4}{'right':>7}{'asks':>6}{'wrong':>6}{'raw':>5}{'asked model':>12}"
    lines = [f"{heads}{'tokens':>8}{'median s':>10}{'p95 s':>7}"]
    for name, ways in rows.items():
        for way, mine in ways.items():
            asked = [row for row in mine if row.rounds]
            times = sorted(row.seconds for row in asked) or [0.0]
            wrong = sum(row.became is Became.WRONG for row in mine)
            raw = sum(bool(RAW.search(row.text.split(" [")[0])) for row in mine)
            tokens = statistics.median([row.tokens for row in asked] or [0])
            lines.append(
                f"{name:<22}{way:<15}{len(mine):>4}{sum(row.right for row in mine):>7}"
                f"{sum(row.proposed for row in mine):>6}{wrong:>6}{raw:>5}{len(asked):>12}"
                f"{tokens:>8.0f}{statistics.median(times):>10.2f}{times[int(len(times) * 0.95) - 1]:>7.1f}"
            )
    return "\n".join(lines)


def judged(rows: dict[str, dict[str, list[Row]]], short: float) -> list[str]:
    """The bars that are missed."""
    sets = {name: mine for name, ways in rows.items() for way, mine in ways.items() if way.startswith("form")}
    wishes = [row for name, mine in sets.items() if name.startswith("wishes") for row in mine]
    others = [row for name, mine in sets.items() if name.startswith("no wishes") for row in mine]
    missed = []
    if wishes and (share := sum(row.right for row in wishes) / len(wishes)) < LEAST_RIGHT:
        missed.append(f"proposals right: {share:.0%}, wanted {LEAST_RIGHT:.0%}")
    if others and (share := sum(row.proposed for row in others) / len(others)) > MOST_PROPOSALS:
        missed.append(f"proposals without a wish: {share:.0%}, at most {MOST_PROPOSALS:.0%}")
    if any(row.became is Became.WRONG for row in wishes + others):
        missed.append("something was done without a yes")
    times = [row.seconds for row in wishes if row.rounds]
    if times and statistics.median(times) > MOST_TIMES * short:
        missed.append(
            f"median {statistics.median(times) / short:.1f} short completions, at most {MOST_TIMES:g}"
        )
    return missed


def chosen(given: argparse.Namespace) -> dict[str, Sequence[Wish]]:
    if given.conversations:
        talks = [one for one in read_conversations() if not one.held_out]
        return {"conversations": talks[:: given.every]}
    sets: dict[str, list[Wish]] = {}
    for wish in read_forms():
        name = f"{'wishes' if wish.wanted else 'no wishes'}{', held out' if wish.held_out else ''}"
        sets.setdefault(name, []).append(wish)
    return {name: wishes[:: given.every] for name, wishes in sets.items() if given.only in ("", name)}


async def run(given: argparse.Namespace) -> int:
    rows: dict[str, dict[str, list[Row]]] = {}
    with server() as (base_url, model):
        settings = OllamaSettings(
            base_url=base_url, model=given.model or model, num_ctx=4096, num_predict=200,
            timeout_seconds=PATIENCE_SECONDS,
        )  # fmt: skip
        short = await short_completion(base_url, settings.model)
        for way in given.ways:
            houses = {name: FormHouse(name, settings, way) for name in HOMES}
            for name, wishes in chosen(given).items():
                for wish in wishes:
                    row = await houses[wish.home].row(wish)
                    rows.setdefault(name, {}).setdefault(way, []).append(row)
                    good = row.right if wish.wanted else not row.proposed
                    if given.missed and not wish.held_out and not good and way != "none":
                        print(
                            f"{row.seconds:5.1f} s {row.became:<13}{wish.line}\n     {row.text}", flush=True
                        )
            for house in houses.values():
                assert house.client is not None
                await house.client.aclose()
    print(f"{settings.model}; one short completion: {short:.2f} s\n{table(rows)}", flush=True)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    facts = {name: {way: [[row.wish.line, row.became, row.proposed, row.seconds, row.text] for row in mine]
             for way, mine in ways.items()} for name, ways in rows.items()}  # fmt: skip
    given.json.write_text(json.dumps(facts, indent=1, ensure_ascii=False), encoding="utf-8")
    for text in (missed := judged(rows, short)):
        print(f"MISSED: {text}")
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every n-th sentence only")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--only", default="", help="one set: wishes, no wishes, each also held out")
    parser.add_argument("--conversations", action="store_true", help="the seen conversations instead")
    parser.add_argument("--missed", action="store_true", help="print the misses of the seen sets")
    parser.add_argument("--model", help="another model of that server")
    parser.add_argument("--json", type=Path, default=Path("eval-results/forms.json"))
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server must not outlive us
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    raise SystemExit(main())

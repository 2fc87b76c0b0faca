"""Every utterance in a Home Assistant home, by how the home is then: `python -m tests.eval.ha_run`."""

import argparse
import asyncio
import json
import logging
from pathlib import Path
from time import perf_counter

from tests.eval.cases import Call, Case, Right, read_cases
from tests.eval.ha_home import HomeAssistantHouse, is_possible
from tests.eval.judge import Verdict, is_act
from tests.eval.run import missed_bars, table, to_json
from tests.eval.wish_judge import others, put, states
from tests.fakes.home_tools import DEVICE_TOOLS, ScriptedHome

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.turn import Passed, Reply, Utterance, Words


async def run_case(case: Case) -> Verdict:
    house = HomeAssistantHouse("default")
    settings = BrainSettings()
    brain = house.brain(settings)
    await brain.cache.refresh()
    unasked = PermissionSettings(confirm=False)
    conversation = Conversation((brain,), house.executor, settings, unasked, context=brain)
    for text in case.turns[:-1]:
        await conversation.answer(Utterance(text, room=case.room))
    before = _copy(house.seen())
    house.forget_calls()
    started = perf_counter()
    reply = await conversation.answer(Utterance(case.turns[-1], room=case.room))
    seconds = perf_counter() - started
    answer = reply if reply.stage == "local" or not reply.passed else reply.passed[-1]
    return judge(case, answer, before, house, seconds)


def _copy(home: ScriptedHome) -> ScriptedHome:
    return ScriptedHome([dict(device) for device in home.devices], scenes=home.scenes)


def judge(
    case: Case, answer: Reply | Passed, before: ScriptedHome, house: HomeAssistantHouse, seconds: float
) -> Verdict:
    after = house.seen()
    made = others(after, "")
    untouched = states(after) == states(before) and not made
    right = any(_is(way, answer, before, after, untouched=untouched) for way in case.rights)
    called = "; ".join(f"{name} {args}" for name, args in house.tools.acted())
    did = f"{'passed' if isinstance(answer, Passed) else answer.text!r} after {called} {made}"
    return Verdict(case, right, not untouched and not right, did, seconds)


def _is(
    way: Right, answer: Reply | Passed, before: ScriptedHome, after: ScriptedHome, *, untouched: bool
) -> bool:
    if way.kind == "forbid":
        return untouched and (isinstance(answer, Reply) or answer.words is not Words.WISH)
    if way.kind == "pass":
        return untouched and isinstance(answer, Passed)
    scenes = [dict(args)["sceneName"] for _, args in way.calls if "sceneName" in dict(args)]
    if any(name not in before.scenes for name in scenes):
        return untouched  # our own server is asked for it, and says so
    if not isinstance(answer, Reply):
        return False
    if way.kind == "ask":
        return untouched and answer.expects_answer
    text = answer.text.casefold()
    if way.kind in ("say", "read"):
        return untouched and way.words.casefold() in text
    goal = _copy(before)
    put(goal, [call for call in way.calls if call[0] in DEVICE_TOOLS and _moves(goal, call)])
    wanted = [call for call in way.calls if is_act(call) and call[0] not in (*DEVICE_TOOLS, "read")]
    acted = [call for call in others(after, "") if is_act(call)]
    words = [dict(args)["words"].casefold() for name, args in way.calls if name == "read"]
    return (
        states(after) == states(goal)
        and sorted(map(repr, acted)) == sorted(map(repr, wanted))
        and all(word in text for word in words)
    )


def _moves(home: ScriptedHome, call: Call) -> bool:
    """What is not there stays as it is, whatever is asked of it, and what stands still cannot be stopped."""
    args = dict(call[1])
    return home.find(args["deviceName"])["available"] and args.get("action") != "stop"


async def run(cases: list[Case]) -> list[Verdict]:
    return [await run_case(case) for case in cases]


def verdicts_of_all() -> list[Verdict]:
    """In a process of its own, beside others."""
    logging.disable(logging.CRITICAL)
    return asyncio.run(run([case for case in read_cases() if is_possible(case)]))


def main(verdicts: list[Verdict] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="show what was not right, tuned part only")
    given, _ = parser.parse_known_args()
    verdicts = verdicts_of_all() if verdicts is None else verdicts
    print("\nthe same in a Home Assistant home, by how it is then")
    print(table(verdicts))
    for verdict in verdicts:
        if given.missed and not verdict.right and not verdict.case.held_out:
            print(f"missed: {verdict.case.line}\n    {verdict.did}")
    missed = [f"Home Assistant: {line}" for line in missed_bars(verdicts)]
    print(*missed, sep="\n", end="\n" if missed else "")
    file = Path("eval-results/home-assistant.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(to_json(verdicts), indent=1), encoding="utf-8")
    return 1 if missed or any(v.wrong_action for v in verdicts) else 0


if __name__ == "__main__":
    raise SystemExit(main())

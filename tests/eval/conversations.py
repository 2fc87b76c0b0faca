"""Whole conversations without a model: `python -m tests.eval.conversations`."""

import argparse
import asyncio
import logging
from dataclasses import dataclass

from tests.eval.wish_cases import Wish, read_conversations
from tests.eval.wish_eval import House
from tests.eval.wish_judge import Goal, home_for, states

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.turn import Utterance

BARS = {False: 0.94, True: 0.6}  # of the seen, and of the held-out conversations


@dataclass(frozen=True)
class Result:
    talk: Wish
    right: bool
    astray: bool  # a device changed that no right end changes
    turns: tuple[str, ...]


async def run_case(talk: Wish, house: House) -> Result:
    """From turn to turn, with the question for sensitive acts; the home is judged after the last."""
    house.put(talk)
    await house.local.cache.refresh()
    conversation = Conversation(
        (house.local,), house.executor, house.brain, PermissionSettings(), context=house.local
    )
    turns = []
    for text in talk.turns:
        reply = await conversation.answer(Utterance(text, room=talk.room))
        turns.append(f"{text}  ->  {reply.text}")
    goals = [Goal(way, talk) for way in talk.rights]
    before, after = states(home_for(talk)), states(house.home)
    changed = {name for name, state in after.items() if state != before[name]}
    meant = {name for goal in goals for name, state in goal.states.items() if state != before[name]}
    right = any(goal.reached(house.home, reply, talk.kind) for goal in goals)
    return Result(
        talk, right, not right and bool(changed - meant), (*turns, f"left as: {_left(before, after)}")
    )


def _left(before: dict[str, str], after: dict[str, str]) -> str:
    return ", ".join(f"{name} {state}" for name, state in after.items() if state != before[name]) or "before"


async def run() -> list[Result]:
    return [await run_case(talk, House(talk.home, None, "auto")) for talk in read_conversations()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--missed", action="store_true", help="show the turns of what went wrong, seen half only"
    )
    given, _ = parser.parse_known_args()
    logging.disable(logging.CRITICAL)
    results = asyncio.run(run())
    wrong = False
    for held_out, name in ((False, "seen"), (True, "held out")):
        mine = [one for one in results if one.talk.held_out is held_out]
        right, astray = sum(one.right for one in mine), sum(one.astray for one in mine)
        wrong = wrong or right < BARS[held_out] * len(mine)
        print(f"conversations, {name}: {right} of {len(mine)} whole, {astray} changed something else")
        kinds = dict.fromkeys(one.talk.kind for one in mine)
        parts = {kind: [one.right for one in mine if one.talk.kind == kind] for kind in kinds}
        print("   ", ", ".join(f"{kind} {sum(part)}/{len(part)}" for kind, part in parts.items()))
    for one in results if given.missed else ():
        if not one.right and not one.talk.held_out:
            print(f"missed: {one.talk.kind}{' ASTRAY' if one.astray else ''}", *one.turns, sep="\n    ")
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())

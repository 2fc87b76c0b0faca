"""One language but English: `python -m tests.eval.language de [--missed] [--sampled]`.

`languages/<code>.txt` has a home in that language ("= name | room | kind | state"), and cases in the notation
of utterances.txt. The category "never" holds what must not act. With --sampled, templates of the
package, too.
"""

import argparse
import asyncio
import logging
import re
from collections import Counter
from pathlib import Path

from tests.eval import sampled
from tests.eval.cases import Case, parse_case
from tests.eval.judge import Verdict, is_act, judge, plain_or_raw
from tests.eval.run import answer_in
from tests.fakes.home_tools import ScriptedHome

from voice_gateway.config import BrainSettings

FOLDER = Path(__file__).with_name("languages")
BARS = {False: 0.95, True: 0.85}  # of the seen, and of the held-out cases
LEAST_SAMPLED = 0.95
# Words of English that no other of our languages has: a reply that fell back.
ENGLISH = re.compile(r"\b(?:the|you|it's|can't|don't|there's|off|and|that|what|this)\b", re.IGNORECASE)


def read(code: str) -> tuple[list[tuple[str, ...]], list[Case]]:
    """The home and the cases of a language."""
    lines = (FOLDER / f"{code}.txt").read_text("utf-8").splitlines()
    home = [tuple(part.strip() for part in line[1:].split("|")) for line in lines if line.startswith("=")]
    said = [(at, line) for at, line in enumerate(lines, start=1) if line.strip() and line[0] not in "#="]
    return home, [parse_case(at, line) for at, line in said]


async def run_case(code: str, rows: list[tuple[str, ...]], case: Case) -> tuple[Verdict, str]:
    """The verdict on the last turn, and its reply. The home understands English, too."""
    home = ScriptedHome.of([row for row in rows if row[1] != "scene"])
    home.scenes = tuple(row[0] for row in rows if row[1] == "scene")
    reply, answer, _ = await answer_in(home, case, BrainSettings(languages=(code, "en")))
    verdict = judge(case, answer, list(home.calls), 0.0)
    acts = any(is_act(plain_or_raw(name, args)) for name, args in home.calls)
    if case.category == "never":
        verdict = Verdict(case, not acts, acts, verdict.did)
    return verdict, reply.text


async def run(code: str) -> list[tuple[Verdict, str]]:
    rows, cases = read(code)
    return [await run_case(code, rows, case) for case in cases]


def drawn(code: str, *, show: bool) -> bool:
    """Whether sampled templates of the package in this language miss the bar."""
    by_intent, _, missed, _ = asyncio.run(sampled.sample(code=code))
    total = sum(by_intent.values(), Counter[str]())
    right = total["right"] / max(total.total(), 1)
    print(f"{code}, sampled templates: {right:.1%} of {total.total()} right, {dict(total)}")
    print(*(missed if show else ()), sep="\n", end="\n" if show else "")
    return right < LEAST_SAMPLED or total["wrong"] > 0


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code", nargs="*", default=sorted(file.stem for file in FOLDER.glob("*.txt")))
    parser.add_argument("--missed", action="store_true", help="show what went wrong, of the seen half")
    parser.add_argument("--sampled", action="store_true")
    options, _ = parser.parse_known_args(given)
    logging.disable(logging.CRITICAL)
    failed = False
    for code in options.code:
        results = asyncio.run(run(code))
        for held_out, name in ((False, "seen"), (True, "held out")):
            mine = [verdict for verdict, _ in results if verdict.case.held_out is held_out]
            right, wrong = sum(one.right for one in mine), sum(one.wrong_action for one in mine)
            failed = failed or wrong > 0 or right < BARS[held_out] * len(mine)
            print(f"{code}, {name}: {right} of {len(mine)} right, {wrong} act wrongly")
        english = [(one.case.turns[-1], text) for one, text in results if ENGLISH.search(text)]
        print(f"{code}: {len(english)} replies in English", *english, sep="\n    ")
        failed = failed or bool(english)
        for verdict, text in results if options.missed else ():
            if not verdict.right and (not verdict.case.held_out or verdict.wrong_action):
                print(f"missed: {verdict.case.line}\n    {verdict.did} {text}")
        failed = (options.sampled and drawn(code, show=options.missed)) or failed
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())

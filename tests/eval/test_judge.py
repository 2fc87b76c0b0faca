"""What counts as right: a reply without an action is not right because nothing happened."""

import pytest
from tests.eval.cases import Case, Right
from tests.eval.judge import judge_whole, tells_a_state

from voice_gateway.turn import Reply

LOOK = ("get_zwave_device", {"deviceName": "Front Door"})
UNLOCK = ("control_zwave_lock", {"deviceName": "Front Door", "action": "unlock"})


def judged(
    right: Right, text: str, *calls: tuple[str, dict[str, str]], asks: bool = False
) -> tuple[bool, bool]:
    case = Case(1, "question", False, ("…",), None, (right,))
    return judge_whole(case, Reply(text, expects_answer=asks), list(calls))


def test_an_answer_must_have_the_words_and_a_look_behind_them() -> None:
    locked = Right("read", words="is locked")

    assert judged(locked, "Yes, the Front Door is locked.", LOOK) == (True, False)
    assert judged(locked, "No, the Front Door is unlocked.", LOOK) == (False, False)
    assert judged(locked, "Yes, the Front Door is locked.") == (False, False)
    assert judged(locked, "The Front Door is locked.", UNLOCK) == (False, True)


def test_where_it_must_ask_a_statement_is_wrong() -> None:
    assert judged(Right("ask"), "Which one do you mean?", asks=True) == (True, False)
    assert judged(Right("ask"), "I have not done anything.") == (False, False)


def test_where_words_are_due_others_are_wrong() -> None:
    assert judged(Right("say", words="welcome"), "You're welcome.") == (True, False)
    assert judged(Right("say", words="welcome"), "Good morning.") == (False, False)


@pytest.mark.parametrize("kind", ["pass", "forbid"])
def test_where_nothing_is_wanted_no_state_is_made_up(kind: str) -> None:
    assert judged(Right(kind), "I can't do that later.") == (True, False)
    assert judged(Right(kind), "Okay. The floor lamp is now on.") == (False, False)
    assert judged(Right(kind), "The Front Door is locked.", LOOK) == (True, False)
    assert judged(Right(kind), "I can't say more.", UNLOCK) == (False, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The kitchen light has been turned off.", True),
        ("The thermostat is at 21.5 degrees.", True),
        ("Is the lamp on?", False),
        ("I don't know whether the lamp is on.", False),
        ("A lamp is a thing that gives light.", False),
        ("I have not changed or checked anything.", False),
    ],
)
def test_what_tells_a_state(text: str, told: bool) -> None:
    assert tells_a_state(text) is told

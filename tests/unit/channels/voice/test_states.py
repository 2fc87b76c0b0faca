"""The voice door's table of states: every transition, by the story it belongs to."""

from typing import Any, cast

import pytest

from voice_gateway.channels.voice.transcriber import (
    RECORDS,
    TRANSITIONS,
    VoiceAction,
    VoiceEvent,
    VoiceState,
    next_step,
)

S, E, A = VoiceState, VoiceEvent, VoiceAction

# Each story: where it begins, and for each event the state and the acts that follow.
STORIES = {
    "a command and its answer": (
        S.LISTENING,
        (E.WAKE, S.RECORDING, (A.HUSH, A.CUE_WAKE, A.RECORD)),
        (E.ENDED, S.THINKING, (A.CUE_HEARD, A.LISTEN)),
        (E.SPEAKS, S.SPEAKING, ()),
        (E.DONE, S.LISTENING, ()),
    ),
    "an answer that is not spoken": (S.THINKING, (E.DONE, S.LISTENING, ())),
    "nobody spoke after the wake word": (S.RECORDING, (E.NOTHING, S.LISTENING, (A.LISTEN,))),
    "pushed to talk again": (S.RECORDING, (E.WAKE, S.RECORDING, (A.RECORD,))),
    "a question, and its answer without a wake word": (
        S.SPEAKING,
        (E.ASKED, S.FOLLOW_UP, (A.RECORD_ANSWER,)),
        (E.SPEECH, S.RECORDING, ()),
    ),
    "a question that is not spoken": (S.THINKING, (E.ASKED, S.FOLLOW_UP, (A.RECORD_ANSWER,))),
    "a question without an answer": (S.FOLLOW_UP, (E.NOTHING, S.LISTENING, (A.LISTEN,))),
    "pushed to talk instead of answering": (S.FOLLOW_UP, (E.WAKE, S.RECORDING, (A.CUE_WAKE, A.RECORD))),
    "interrupted while speaking": (
        S.SPEAKING,
        (E.WAKE, S.OVERHEARING, (A.HUSH, A.CUE_WAKE, A.RECORD)),
        (E.DONE, S.RECORDING, ()),
    ),
    "spoken to while thinking": (
        S.THINKING,
        (E.WAKE, S.OVERHEARING, (A.CUE_WAKE, A.RECORD)),
        (E.WAKE, S.OVERHEARING, (A.RECORD,)),
        (E.NEXT, S.OVERHEARING, ()),
        (E.ENDED, S.THINKING, (A.CUE_HEARD, A.LISTEN)),
        (E.NEXT, S.THINKING, ()),
    ),
    "the earlier turn asks while somebody speaks": (S.OVERHEARING, (E.ASKED, S.RECORDING, ())),
    "woken while thinking, and nothing said": (S.OVERHEARING, (E.NOTHING, S.THINKING, (A.LISTEN,))),
    "the next turn waits": (S.SPEAKING, (E.NEXT, S.THINKING, ())),
}


@pytest.mark.parametrize("name", STORIES)
def test_each_story_goes_as_told(name):
    state: Any
    state, *steps = STORIES[name]
    for event, expected, acts in cast("list[Any]", steps):
        state, done = next_step(state, event)
        assert (state, done) == (expected, acts)


def test_every_transition_belongs_to_a_story():
    told = set()
    for begin, *steps in STORIES.values():
        states = [begin, *(following for _, following, _ in steps)]
        told |= {(state, event) for state, (event, _, _) in zip(states, steps, strict=False)}
    assert told == TRANSITIONS.keys()


def test_what_is_not_in_the_table_changes_nothing():
    for state in VoiceState:
        for event in VoiceEvent:
            if (state, event) not in TRANSITIONS:
                assert next_step(state, event) == (state, ())


def test_recording_always_ends_without_help_and_is_always_started():
    for state in RECORDS:
        assert next_step(state, E.NOTHING)[0] not in RECORDS
    for (before, _event), (after, acts) in TRANSITIONS.items():
        if after in RECORDS and before not in RECORDS:
            assert {A.RECORD, A.RECORD_ANSWER} & set(acts)


def test_only_a_wake_word_silences_us():
    hushing = {event for (_, event), (_, acts) in TRANSITIONS.items() if A.HUSH in acts}
    assert hushing == {E.WAKE}

"""What the voice door does next: one table of states and events, without sound, clock or tasks."""

from enum import StrEnum, auto


class VoiceState(StrEnum):
    LISTENING = "listening"  # for a wake word
    RECORDING = "recording"  # what somebody says
    THINKING = "thinking"  # transcribing and answering
    SPEAKING = "speaking"  # a reply is heard
    FOLLOW_UP = "follow-up"  # we asked: the answer needs no wake word
    OVERHEARING = "overhearing"  # recording, while an earlier turn still runs


class VoiceEvent(StrEnum):
    WAKE = auto()  # a wake word, or push to talk
    SPEECH = auto()  # somebody began to speak
    ENDED = auto()  # and has finished
    NOTHING = auto()  # nobody spoke, or the sound was lost
    SPEAKS = auto()  # the first sentence of a reply is played
    NEXT = auto()  # a turn is over, and another one waits
    DONE = auto()  # all turns are over
    ASKED = auto()  # all turns are over, and the last one asked something


class VoiceAction(StrEnum):
    RECORD = auto()  # from here on, behind a wake word
    RECORD_ANSWER = auto()  # from here on, for as long as an answer is waited for
    LISTEN = auto()  # for a wake word, with fresh ears
    HUSH = auto()  # stop what is played and what a model still says; calls come to their end silently
    CUE_WAKE = auto()  # the short sound that says "I listen"
    CUE_HEARD = auto()  # and the one that says "I heard you"


S, E, A = VoiceState, VoiceEvent, VoiceAction

# What is not in the table changes nothing.
TRANSITIONS: dict[tuple[VoiceState, VoiceEvent], tuple[VoiceState, tuple[VoiceAction, ...]]] = {
    (S.LISTENING, E.WAKE): (S.RECORDING, (A.HUSH, A.CUE_WAKE, A.RECORD)),  # hush: a timer may ring
    (S.RECORDING, E.WAKE): (S.RECORDING, (A.RECORD,)),
    (S.RECORDING, E.ENDED): (S.THINKING, (A.CUE_HEARD, A.LISTEN)),
    (S.RECORDING, E.NOTHING): (S.LISTENING, (A.LISTEN,)),
    (S.THINKING, E.WAKE): (S.OVERHEARING, (A.CUE_WAKE, A.RECORD)),
    (S.THINKING, E.SPEAKS): (S.SPEAKING, ()),
    (S.THINKING, E.NEXT): (S.THINKING, ()),
    (S.THINKING, E.DONE): (S.LISTENING, ()),
    (S.THINKING, E.ASKED): (S.FOLLOW_UP, (A.RECORD_ANSWER,)),
    (S.SPEAKING, E.WAKE): (S.OVERHEARING, (A.HUSH, A.CUE_WAKE, A.RECORD)),
    (S.SPEAKING, E.NEXT): (S.THINKING, ()),
    (S.SPEAKING, E.DONE): (S.LISTENING, ()),
    (S.SPEAKING, E.ASKED): (S.FOLLOW_UP, (A.RECORD_ANSWER,)),
    (S.FOLLOW_UP, E.WAKE): (S.RECORDING, (A.CUE_WAKE, A.RECORD)),
    (S.FOLLOW_UP, E.SPEECH): (S.RECORDING, ()),
    (S.FOLLOW_UP, E.NOTHING): (S.LISTENING, (A.LISTEN,)),
    (S.OVERHEARING, E.WAKE): (S.OVERHEARING, (A.RECORD,)),
    (S.OVERHEARING, E.ENDED): (S.THINKING, (A.CUE_HEARD, A.LISTEN)),
    (S.OVERHEARING, E.NOTHING): (S.THINKING, (A.LISTEN,)),
    (S.OVERHEARING, E.NEXT): (S.OVERHEARING, ()),
    (S.OVERHEARING, E.DONE): (S.RECORDING, ()),
    (S.OVERHEARING, E.ASKED): (S.RECORDING, ()),
}
# While one of these lasts, the recorder gets the sound; in all others the wake word does, and we may speak.
RECORDS = frozenset({S.RECORDING, S.FOLLOW_UP, S.OVERHEARING})


def next_step(state: VoiceState, event: VoiceEvent) -> tuple[VoiceState, tuple[VoiceAction, ...]]:
    return TRANSITIONS.get((state, event), (state, ()))

"""The voice channel's state table: invariants that hold for every transition."""

from voice_gateway.channels.voice.transcriber import (
    RECORDS,
    TRANSITIONS,
    VoiceAction,
    VoiceEvent,
    VoiceState,
    next_step,
)


def test_a_recording_always_ends_and_is_always_started():
    for state in RECORDS:
        assert next_step(state, VoiceEvent.NOTHING)[0] not in RECORDS
    for (before, _event), (after, actions) in TRANSITIONS.items():
        if after in RECORDS and before not in RECORDS:
            assert {VoiceAction.RECORD, VoiceAction.RECORD_ANSWER} & set(actions)


def test_only_a_wake_word_stops_playback_and_other_combinations_change_nothing():
    hushing = {event for (_, event), (_, actions) in TRANSITIONS.items() if VoiceAction.HUSH in actions}
    assert hushing == {VoiceEvent.WAKE}
    assert next_step(VoiceState.LISTENING, VoiceEvent.DONE) == (VoiceState.LISTENING, ())

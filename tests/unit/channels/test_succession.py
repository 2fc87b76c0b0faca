"""Which requests went by before one of ours."""

from voice_gateway.channels.mqtt.requests import MOST_EACH, REMEMBERED_SECONDS, Succession


def test_those_of_the_same_conversation_that_went_by_before_are_told_once():
    seen = Succession(lambda: 0.0)
    for name in ("1", "2", "3", "4"):
        seen.passes("c", name)
    seen.passes("d", "9")

    assert seen.before("c", "3") == ["1", "2"]
    assert seen.before("c", "4") == []
    assert seen.before("d", "9") == []


def test_one_that_did_not_go_by_yet_comes_after_all_that_did():
    seen = Succession(lambda: 0.0)
    seen.passes("c", "1")

    assert seen.before("c", "2") == ["1"]


def test_what_went_by_long_ago_or_is_too_much_is_forgotten():
    now = 0.0
    seen = Succession(lambda: now)
    seen.passes("old", "1")
    for number in range(MOST_EACH + 5):
        seen.passes("c", str(number))
    assert len(seen.before("c", "x")) == MOST_EACH

    now = REMEMBERED_SECONDS + 1
    seen.passes("new", "1")
    assert seen.before("old", "2") == []

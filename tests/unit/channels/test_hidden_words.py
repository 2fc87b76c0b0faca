"""Hidden words are for who spoke them, once, and not for long."""

from voice_gateway.channels.wyoming import KEPT_SECONDS, HiddenWords


def test_hidden_words_come_back_only_to_who_spoke_them_in_time():
    now = 0.0
    hidden = HiddenWords(lambda: now)

    assert hidden.hide("turn on the lamp", "kitchen") == "turn on the lamp"
    assert hidden.hide("yes 2468", "kitchen") == "yes •"
    assert hidden.whole("yes •", "hall") == "yes •"
    assert hidden.whole("yes •", "kitchen") == "yes 2468"
    assert hidden.whole("yes •", "kitchen") == "yes •"

    hidden.hide("yes 2468", "kitchen")
    now += KEPT_SECONDS
    assert hidden.whole("yes •", "kitchen") == "yes •"

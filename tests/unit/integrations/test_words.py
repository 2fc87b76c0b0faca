"""What parts of a state mean, and which words acknowledge an alarm. Both are in words.yaml."""

from pathlib import Path

import yaml

from voice_gateway.integrations.alarms import means_heard
from voice_gateway.integrations.device import Device, has_state

WORDS = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text())


def test_an_acknowledgement_in_any_language_is_told_from_other_words():
    assert [words for words in WORDS["heard"] if not means_heard(words)] == []
    assert [words for words in WORDS["other"] if means_heard(words)] == []


def test_each_part_of_a_state_counts():
    for case in WORDS["states"]:
        device = Device("Window", "Attic", "sensor", case["state"])
        assert has_state(device, case["asked"]) is case["is_so"], case

"""Which words acknowledge an alarm, in every language that has some. The words are in alarm_words.yaml."""

from pathlib import Path

import yaml

from voice_gateway.integrations.alarms import means_heard

WORDS = yaml.safe_load(Path(__file__).with_name("alarm_words.yaml").read_text())


def test_an_acknowledgement_is_told_from_other_words():
    assert [words for words in WORDS["heard"] if not means_heard(words)] == []
    assert [words for words in WORDS["other"] if means_heard(words)] == []

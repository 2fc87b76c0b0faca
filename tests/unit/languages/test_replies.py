"""Every reply of every language: its example, its length, and how it sounds."""

import re
from pathlib import Path

import pytest
import yaml

from voice_gateway import languages
from voice_gateway.languages import LanguageFile

FOLDER = Path(languages.__file__).parent
LONGEST = {"act": 8, "did": 8, "working": 8, "already": 9}  # words of an example
LONGEST_REPLY = 30
PARTS = ("list.", "ask.of_source", "ask.with_number", "look.where", "clock.", "state.")  # within a sentence
NO_CONTRACTION = (
    r"\b(?:I am|I will|I have not|I did not|do not|does not|did not|can ?not|is not|are not|has not|it is|"
    r"it will|there is no|that is|what is)\b"
)
RULED_OUT = (
    r"\b(?:to how many|I have no tool|I know (?:no|nothing)|is now (?:on|off|set)|nothing measures|"
    r"needs no yes|I called|I see\.|shall be|degrees Celsius)\b"
)
QUOTED = re.compile(r'"[^"]*"')  # what a person may say
INTERNAL = r"\w_\w|[{}<>]|\b(?:JSON|MCP|tool|argument|parameter|node \d|outcome|None|True|False)\b"
# The manual names settings and commands to a person who asked for them.
ASKED_FOR = re.compile(r"talk\.(?!night|praise)|ask\.with_number|text$")


def entries(code: str) -> dict[str, object]:
    path = f"{code}/replies.yaml"
    text = (FOLDER / path).read_text("utf-8")
    return {
        str(key): entry for key, entry in LanguageFile(path, text).read().items() if key != "common_words"
    }


def example(entry: object) -> str:
    return str(entry[2]) if isinstance(entry, list) else str(entry)


CODES = sorted(file.parent.name for file in FOLDER.glob("*/replies.yaml"))


@pytest.mark.parametrize("code", CODES)
def test_every_example_is_what_is_said(code: str) -> None:
    wrong, english = [], entries("en")
    for key, entry in entries(code).items():
        if not isinstance(entry, list):
            facts, same = re.findall(r"\{(\w+)", str(entry)), english.get(key)
            if code != "en" and isinstance(same, list):  # only facts that English has, too
                assert languages.say(key.removesuffix(".many"), code, **same[1])
            else:
                wrong += [(key, "has no example")] if facts and not key.startswith(PARTS) else []
            continue
        _, facts, right = entry
        said = languages.say(key.removesuffix(".many"), code, **facts)
        wrong += [(key, said)] if said != right else []
    assert wrong == []


def test_english_replies_are_short_and_sound_natural() -> None:
    wrong = []
    for key, entry in entries("en").items():
        text = example(entry)
        most = LONGEST.get(key.partition(".")[0], LONGEST_REPLY)
        if len(text.split()) > most:
            wrong.append((key, f"{len(text.split())} words", text))
        for rule, name in ((NO_CONTRACTION, "contraction"), (RULED_OUT, "ruled out")):
            wrong += [(key, name, text)] if re.search(rule, QUOTED.sub("", text), re.IGNORECASE) else []
        if not ASKED_FOR.match(key) and not key.startswith("clock.") and re.search(INTERNAL, text):
            wrong.append((key, "internal name", text))
    assert wrong == []


def test_a_key_stands_once() -> None:
    text = (FOLDER / "en/replies.yaml").read_text("utf-8")
    keys = [node.value for node, _ in yaml.compose(text, Loader=yaml.SafeLoader).value]
    assert [key for key in set(keys) if keys.count(key) > 1] == []

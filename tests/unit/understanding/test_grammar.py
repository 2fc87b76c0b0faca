"""The chart: notation, recursion, values, costs, errors, diagnosis."""

import pytest
from tests.fakes.home_tools import ScriptedHome

from voice_gateway.integrations.home import build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.understanding.grammar import Chart, Diagnosis, Grammar, GrammarError
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.templates import language, parse


class Words:
    def __init__(self, text: str) -> None:
        self.words = tuple(text.split())

    def leaf(self, kind: str, at: int) -> list[tuple[int, object, float]]:
        return (
            [(at + 1, float(self.words[at]), 0.0)]
            if at < len(self.words) and self.words[at].isdigit()
            else []
        )

    def text(self, start: int, end: int) -> str:
        return " ".join(self.words[start:end])


def grammar(**rules: list[str]) -> Grammar:
    made = Grammar()
    for name, templates in rules.items():
        for template in templates:
            made.add(name, parse(template), source=name)
    made.compile()
    return made


def read(made: Grammar, text: str) -> list[object]:
    return [built.pairs for _, built in Chart(made, Words(text)).whole("Top")]


def test_optional_alternative_permutation_and_leaf() -> None:
    made = grammar(Top=["[please] (set|put) it (to {number};now)"])
    assert read(made, "put it now to 5") == read(made, "please set it to 5 now") == [(("number", 5.0),)]
    assert read(made, "put it to 5") == []


def test_a_rule_may_contain_itself() -> None:
    made = grammar(Top=["{number} [and <more>]"], more=["{number}", "{number} and <more>"])
    assert read(made, "1 and 2 and 3") == [(("number", 1.0), ("number", 2.0), ("number", 3.0))]


@pytest.mark.parametrize(
    ("rules", "text"), [({"Top": ["<nothing>"]}, "no rule"), ({"Top": ["[x] <Top> y"]}, "begins with itself")]
)
def test_a_wrong_reference_stops_the_language(rules: dict[str, list[str]], text: str) -> None:
    with pytest.raises(GrammarError, match=text):
        grammar(**rules)


@pytest.mark.parametrize("text", ["turn on lamp", "lamp on", "put lamp on", "turn lamp", "on lamp please"])
def test_templates_cut_to_the_words_read_the_same_as_whole_ones(text: str) -> None:
    made = grammar(
        Top=[
            "<verb> [the] [<state>] lamp [please|now]",
            "([the] lamp;<state>) [now]",
            "put [the] lamp <state>",
        ],
        verb=["turn", "switch"],
        state=["on", "off"],
    )
    whole = Chart(made, Words(text), Diagnosis()).whole("Top")
    for _ in range(2):  # the second time from what is kept
        assert Chart(made, Words(text)).whole("Top") == whole
    assert bool(whole) == (text != "on lamp please")


def test_the_longest_prefix_is_told_with_what_was_expected() -> None:
    made, diagnosis = grammar(Top=["turn (on|off) {number}"]), Diagnosis()
    Chart(made, Words("turn on lamp"), diagnosis).whole("Top")
    assert (diagnosis.end, diagnosis.expected) == (2, {"{number}"})


def test_english_is_read_as_typed_nodes() -> None:
    scripted = ScriptedHome.default()
    home = build_home(read_devices({"devices": scripted.devices}, ""), scripted.scenes)
    told = Reader(language("en"), home).explain(
        "dim the floor lamp to twenty percent and the ceiling light to half"
    )
    assert "percent: 20.0" in told
    assert "level: 50.0" in told

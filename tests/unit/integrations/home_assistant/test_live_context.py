"""The list of a Home Assistant: read as it was written, or not at all."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.integrations.home_assistant.live_context import (
    Entity,
    Unreadable,
    overview,
    read_live_context,
    to_number,
)

TESTS = Path(__file__).parents[3]
RECORDED = (
    TESTS / "fakes/home_assistant_data/live_context.txt",
    TESTS / "home_assistant_data/live_context-2025.4.4.txt",
)
HEADING = "Live Context: An overview of the areas and the devices in this smart home:\n"


def answer(text: str) -> str:
    return json.dumps({"success": True, "result": text})


def read_overview(answered: str) -> tuple[Entity, ...]:
    return read_live_context(overview(answered))


def dumped(*entities: Mapping[str, object]) -> str:
    """As Home Assistant dumps: lines of 80 characters, null as nothing."""
    return yaml.safe_dump([dict(entity) for entity in entities], sort_keys=False, allow_unicode=True).replace(
        ": null\n", ":\n"
    )


def read(*entities: Mapping[str, object]) -> tuple[Entity, ...]:
    return read_overview(answer(HEADING + dumped(*entities)))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_list_is_read_as_a_yaml_library_reads_it(path: Path):
    text = path.read_text()
    entities = read_overview(answer(text))

    known = yaml.load(text.partition("\n")[2], Loader=yaml.BaseLoader)
    assert len(entities) == len(known) > 30
    for entity, raw in zip(entities, known, strict=True):
        assert (entity.names, entity.domain, entity.state) == (raw["names"], raw["domain"], raw["state"])
        assert ", ".join(entity.areas) == raw.get("areas", "")
        assert {key: value or "" for key, value in entity.attributes.items()} == raw.get("attributes", {})


names = (
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=120)
    .map(str.strip)
    .filter(bool)
)


@given(name=names, title=names, state=st.sampled_from(["on", "off", "unavailable", "21.5", "no"]))
def test_whatever_a_device_is_called_its_name_comes_back(name: str, title: str, state: str):
    lamp = {"names": name, "domain": "media_player", "state": state, "attributes": {"media_title": title}}
    after = {"names": "Lamp", "domain": "light", "state": "off", "attributes": {"brightness": None}}

    first, second = read(lamp, after)

    assert (first.names, first.state) == (name, state)
    assert first.attributes["media_title"] == title
    assert second == Entity("Lamp", "light", "off", (), {"brightness": None})


@pytest.mark.parametrize("lines", [1, 2, 3, 5, 8, 13])
def test_a_list_that_is_cut_is_no_list(lines: int):
    whole = HEADING + dumped(
        {"names": "Bed Light", "domain": "light", "state": "off", "areas": "Bedroom"},
        {"names": "Front Door", "domain": "lock", "state": "locked"},
    )
    cut = whole[: -lines * 2 - 1]
    with pytest.raises(Unreadable, match=r"cut off|cannot be read"):
        read_overview(answer(cut))


def test_an_entity_without_its_state_is_cut_off_even_at_the_end_of_a_line():
    with pytest.raises(Unreadable, match="cut off"):
        read_overview(answer(HEADING + "- names: Front Door\n  domain: lock\n"))


def test_an_answer_without_a_list_is_reported():
    for text in ("", "{", "[]", "no json", '{"success": true}', '{"success": true, "result": 3}'):
        with pytest.raises(Unreadable, match="cannot be read"):
            read_overview(text)
    with pytest.raises(Unreadable, match="shares no devices"):
        read_overview(json.dumps({"success": False, "error": "Only if the user wants …"}))


def test_numbers_come_as_text():
    numbers = {"180": 180, "25.0": 25, "-3.5": -3.5}
    assert {text: to_number(text) for text in numbers} == numbers
    assert [to_number(text) for text in (None, "", "unknown", "nan", "inf")] == [None] * 5

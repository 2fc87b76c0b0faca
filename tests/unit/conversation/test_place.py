"""A question belongs to who was asked: a conversation's name counts only at its own door."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.locked_house import UNLOCK, House

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.store import MemoryStore, conversation_key, gateway_id
from voice_gateway.events import Heard
from voice_gateway.turn import Utterance

EVERYWHERE = PermissionSettings(sensitive_channels=("cli", "voice", "mqtt", "wyoming"))


async def test_a_question_cannot_be_answered_from_another_channel():
    house = House([UNLOCK], "hello", permission=EVERYWHERE)
    await house.hears("unlock the front door", channel="voice", conversation_id="published")

    reply = await house.hears("yes", channel="mqtt", conversation_id="published")

    assert house.lock.actions == []
    assert reply.conversation_id == "published"
    assert [event.utterance.conversation_id for event in house.told if isinstance(event, Heard)] == [
        "published",
        "published",
    ]

    await house.hears("yes", channel="voice", conversation_id="published")
    assert house.lock.actions == ["unlock"]  # nor was the question taken away from who was asked


async def test_a_question_cannot_be_answered_from_another_satellite():
    house = House([UNLOCK], "hello", permission=EVERYWHERE)
    wyoming = {"channel": "wyoming", "conversation_id": "wyoming-1"}
    await house.hears("unlock the front door", satellite="kitchen", **wyoming)

    await house.hears("yes", satellite="hall", **wyoming)
    assert house.lock.actions == []

    await house.hears("yes", satellite="kitchen", **wyoming)
    assert house.lock.actions == ["unlock"]


async def test_gateways_with_one_store_share_the_questions_of_mqtt_alone():
    store = MemoryStore()
    here = House([UNLOCK], [UNLOCK], store=store, permission=EVERYWHERE, gateway="here")
    there = House("hello", store=store, permission=EVERYWHERE, gateway="there")

    await here.hears("unlock the front door", channel="cli", conversation_id="cli")
    await there.hears("yes", channel="cli", conversation_id="cli")
    assert there.lock.actions == []

    await here.hears("unlock the front door", channel="mqtt", conversation_id="m")
    await there.hears("yes", channel="mqtt", conversation_id="m")
    assert there.lock.actions == ["unlock"]


_NAMES = st.text(st.sampled_from(":/%abc lock"), max_size=8)
_PLACES = st.tuples(_NAMES, st.sampled_from(["cli", "voice", "wyoming"]), _NAMES, _NAMES)


def _key(place: tuple[str, str, str, str]) -> str:
    gateway, door, satellite, name = place
    return conversation_key(Utterance("", door, conversation_id=name, satellite=satellite), gateway)


@given(_PLACES, _PLACES)
def test_names_cannot_form_the_key_of_another_conversation(one, other):
    """Nor to the lock of another conversation, which stands behind its name."""
    assert (_key(one) == _key(other)) == (one == other)
    assert _key(one) != f"{_key(other)}:lock"


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"\0" * 32, b"x" * 100_000])
def test_a_gateway_keeps_its_name_and_a_damaged_one_is_replaced(tmp_path, content):
    file = tmp_path / "data" / "gateway-id"
    if content is not None:
        file.parent.mkdir()
        file.write_bytes(content)

    name = gateway_id(file)

    assert name.isalnum()
    assert len(name) < 100
    assert gateway_id(file) == name
    assert gateway_id(tmp_path / "other") != name
    assert content is not None or stat.S_IMODE(file.stat().st_mode) == 0o600

"""Nodes: what is said is read, or the reading is refused; and they survive a conversation's state."""

from voice_gateway.understanding.nodes import (
    Command,
    Item,
    Name,
    Which,
    altered,
    closed,
    from_json,
    opened,
    to_json,
    unread,
)

LAMP = Item(name=Name((("Lamp", "Hall", 1, 0, "", ""),), "exact", "lamp"), number=2.0)
ORDER = Command(do="on", which=Which(item=(LAMP,)), polite=True)


def test_fields_that_nobody_reads_are_reported() -> None:
    node = opened(ORDER)
    assert node.do == "on"
    assert unread(node) == ["Command.which"]
    assert node.which is not None
    assert node.which.item[0].name == LAMP.name
    assert unread(node) == ["Item.number"]


def test_altered_keeps_count_of_what_was_read() -> None:
    node = opened(ORDER)
    changed = altered(node, do="off")
    assert changed.do == "off"
    assert node.which is not None
    assert unread(node) == ["Item.name", "Item.number"] or unread(node) == ["Which.item"]
    closed(changed)
    assert unread(node) == []


def test_a_node_survives_the_state_of_a_conversation() -> None:
    assert from_json(to_json(ORDER)) == ORDER

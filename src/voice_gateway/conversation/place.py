"""Where a conversation is held: its name counts only there, so that nobody answers who was not asked."""

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

from voice_gateway.private_files import private_folder
from voice_gateway.turn import Utterance, new_id

# The one door that gateways with a common store share: a request lands on any of them. Every other door
# stands in one gateway, and who talks there is not who talks at another.
SHARED_DOORS = frozenset({"mqtt"})
LONGEST_NAME = 64  # of a gateway


def conversation_key(utterance: Utterance, gateway: str) -> str:
    """Whoever asks chooses the name of a conversation, and names are published; nobody chooses the door."""
    stands_in = "" if utterance.channel in SHARED_DOORS else gateway
    place = (stands_in, utterance.channel, utterance.satellite or "", utterance.conversation_id)
    # Quoted, so that no name reaches into another's place, nor to what else is in the store.
    return ":".join(["conversation", *(quote(part, safe="") for part in place)])


def gateway_id(file: Path) -> str:
    """By which a gateway knows its own conversations in a common store, also after a restart."""
    with contextlib.suppress(OSError):
        private_folder(file.parent)
        if file.exists() and _name_in(file) is None:  # damaged, or cut off
            file.unlink()
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as opened:
                opened.write(new_id())
        if known := _name_in(file):
            return known
    return new_id()  # for as long as this process lives


def _name_in(file: Path) -> str | None:
    name = file.read_bytes().strip()
    return name.decode() if name.isalnum() and len(name) <= LONGEST_NAME else None

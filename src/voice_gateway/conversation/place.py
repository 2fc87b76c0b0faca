"""The key of a conversation: its name counts only on its channel, so no other channel can answer for it."""

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

from voice_gateway.private_files import private_folder
from voice_gateway.turn import Utterance, new_id

# The one channel whose requests reach any gateway of a shared store. Other channels belong to one gateway.
SHARED_DOORS = frozenset({"mqtt"})
LONGEST_NAME = 64  # of a gateway


def conversation_key(utterance: Utterance, gateway: str) -> str:
    """A client chooses the conversation's name, and names are published; it cannot choose the channel."""
    stands_in = "" if utterance.channel in SHARED_DOORS else gateway
    channel, satellite = utterance.channel, utterance.satellite or ""
    return key_of("conversation", stands_in, channel, satellite, utterance.conversation_id)


def key_of(kind: str, *names: str) -> str:
    """Quoted, so that no name can form the key of another conversation or of another kind of entry."""
    return ":".join([kind, *(quote(name, safe="") for name in names)])


def gateway_id(file: Path) -> str:
    """The name of this gateway among those that share a store; the file keeps it through restarts."""
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

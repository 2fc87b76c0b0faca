"""All that a gateway and its servers keep is their owner's alone: looked at as a whole, not one by one."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

SAID = "set a timer for 2 hours\nturn on the floor lamp\nset the volume to 30 percent\n"


@pytest.fixture(autouse=True)
def _umask_of_nobody() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    kept = [folder, *folder.rglob("*")]
    assert len(kept) > 5
    wanted = {path: 0o700 if path.is_dir() else 0o600 for path in kept}
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in kept}
    return {path.name: oct(mode) for path, mode in found.items() if mode != wanted[path]}


@pytest.mark.slow
async def test_whatever_the_umask(commands):
    done = await commands.run("run", text=SAID, VOICE_GATEWAY_BRAIN_STORE="sqlite")

    assert "floor lamp" in done.out.lower()
    assert open_to_others(commands.folder / "data") == {}

"""Files that a command keeps: pictures, sounds and resources, into a folder, over nothing that is there."""

import base64
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voice_gateway.errors import GatewayError

MOST_TRIES = 1000  # names that are taken already


def save(files: Sequence[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Where each is now; the folder is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder, str(one["name"]), base64.b64decode(one["data"])) for one in files]
    except OSError as error:
        raise GatewayError(f"cannot write to {folder}: {error.strerror or error}") from error


def print_saved(saved: Sequence[Path], files: Sequence[Mapping[str, Any]]) -> None:
    """On stderr: stdout is the answer's."""
    for path, one in zip(saved, files, strict=True):
        print(f"saved {one['said']}: {path}", file=sys.stderr)


def _write(folder: Path, name: str, data: bytes) -> Path:
    """Under its name, or the next one that is free; a link that waits there is not followed."""
    wanted = Path(name).name or "file"
    stem, suffix = Path(wanted).stem, Path(wanted).suffix
    for number in range(1, MOST_TRIES):
        path = folder / (wanted if number == 1 else f"{stem}-{number}{suffix}")
        try:
            with path.open("xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"too many files called {wanted}")

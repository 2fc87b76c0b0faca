"""The console's own files: only names that are listed are served, so no path leads anywhere else."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from voice_gateway.channels.web.guard import PROGRAMS

FOLDER = Path(__file__).parent / "static"
START = "index.html"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    tag: str
    changed: int


class _Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, _File] = {}

    def find(self, name: str) -> _File | None:
        known = self._read.get(name)
        if known is None and name not in self._names():
            return None
        file = self._folder / name
        changed = file.stat().st_mtime_ns
        if known is None or known.changed != changed:
            content = file.read_bytes()
            known = _File(content, f'"{hashlib.sha256(content).hexdigest()[:16]}"', changed)
            self._read[name] = known
        return known

    def _names(self) -> set[str]:
        return {
            file.relative_to(self._folder).as_posix()
            for file in self._folder.rglob("*")
            if file.is_file() and file.suffix in TYPES
        }


def static_route(folder: Path = FOLDER) -> Route:
    files = _Files(folder)

    async def serve(request: Request) -> Response:
        name = request.path_params["path"] or START
        found = files.find(name)
        if found is None:
            raise HTTPException(404, "there is no such page")
        headers = {"etag": found.tag}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers=headers, media_type=TYPES[Path(name).suffix])

    return _Rest("/{path:path}", serve, methods=["GET"])


class _Rest(Route):
    """Whatever is not for programs: what they ask for in the wrong way is no page that is missing."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and scope["path"].startswith(PROGRAMS):
            return Match.NONE, {}
        return super().matches(scope)

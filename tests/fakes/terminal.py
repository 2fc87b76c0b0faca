"""A command at a terminal, as a person sits in front of it."""

import asyncio
import contextlib
import os
import pty
import termios
from collections.abc import AsyncIterator, Callable

from tests.fakes import warm_python
from tests.fakes.gateway_process import LIMIT_SECONDS, NO_CONSOLE, Commands


class Terminal:
    """`shown` is everything that appeared on it so far."""

    def __init__(self, ours: int) -> None:
        self._ours = ours
        self.process: asyncio.subprocess.Process
        self._news = asyncio.Event()
        self.shown = ""
        self.at_first = self.settings()  # before the command can change them

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(
        cls, commands: Commands, *words: str, width: int = 200, **env: str
    ) -> "AsyncIterator[Terminal]":
        ours, its = pty.openpty()
        termios.tcsetwinsize(its, (50, width))
        terminal = cls(ours)
        terminal.process = await warm_python.start(
            *(commands.python, "-m", "voice_gateway", *words),
            stdin=its,
            stdout=its,
            stderr=its,
            cwd=commands.folder,
            env={**NO_CONSOLE, **commands.env, "TERM": "dumb", **env},
            start_new_session=True,
        )
        os.close(its)
        asyncio.get_running_loop().add_reader(ours, terminal._read)
        try:
            yield terminal
        finally:
            asyncio.get_running_loop().remove_reader(ours)
            os.close(ours)
            if terminal.process.returncode is None:
                terminal.process.kill()
            await terminal.process.wait()

    def _read(self) -> None:
        try:
            self.shown += os.read(self._ours, 65536).decode(errors="replace")
        except OSError:  # the other side is closed
            asyncio.get_running_loop().remove_reader(self._ours)
        self._news.set()

    def settings(self) -> list[object]:
        """Of the line: whether what is typed is echoed, and the like."""
        return termios.tcgetattr(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    async def shows(self, words: str) -> None:
        """Waits until they are shown, whatever comes behind them."""
        await self._wait(words, lambda: words in self.shown)

    async def until(self, ending: str, *, behind: str = "") -> str:
        """Waits until what is shown behind these words ends so; returns it."""
        await self._wait(ending, lambda: behind in self.shown and self._rest(behind).endswith(ending))
        return self._rest(behind)

    def _rest(self, behind: str) -> str:
        return self.shown.rpartition(behind)[2] if behind else self.shown

    async def _wait(self, words: str, is_shown: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                while not is_shown():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{words!r} did not come; shown is {self.shown!r}") from None

    async def ends(self) -> int:
        async with asyncio.timeout(LIMIT_SECONDS):
            return await self.process.wait()

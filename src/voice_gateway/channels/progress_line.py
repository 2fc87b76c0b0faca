"""How far a call is, in one line at a terminal that moves and leaves nothing behind."""

from typing import TYPE_CHECKING, TextIO

from voice_gateway.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


class ProgressLine:
    """For a stream where somebody sits and waits; at any other it shows nothing."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._bars: Bars | None = None
        self._rows: dict[str, TaskID] = {}  # several calls of a turn may be under way

    def show(self, told: Progress) -> None:
        if not self._out.isatty():
            return
        bars = self._bars = self._bars or self._opened()
        if told.what not in self._rows:
            self._rows[told.what] = bars.add_task(told.what or "a tool", total=None, message="")
        total = told.total if told.share is not None else None
        bars.update(self._rows[told.what], completed=told.done, total=total, message=told.message)
        bars.refresh()

    def end(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
            self._rows = {}

    def _opened(self) -> "Bars":
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bars

        from voice_gateway.config.environment import wants_colours

        # `markup` is off: what a server says of its progress is words.
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(show_speed=False),
            TextColumn("{task.fields[message]}", markup=False),
        )
        console = Console(file=self._out, no_color=not wants_colours(), highlight=False)
        bars = Bars(
            *columns,
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        bars.start()
        return bars

"""Progress bars on stderr; where stderr is no terminal, one line at each tenth instead."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def bars() -> Iterator[Callable[[str, str, float], None]]:
    """Yield `report(task, what, share)`, which may be called from any thread."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (TextColumn("{task.description:<32}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, *times, console=console, transient=True) as progress:
        tasks: dict[str, int] = {}

        def report(task: str, what: str, share: float) -> None:
            if task not in tasks:
                tasks[task] = progress.add_task(what, total=1.0)
            progress.update(tasks[task], description=what, completed=share)

        yield report


def _lines() -> Callable[[str, str, float], None]:
    tenths: dict[str, int] = {}

    def report(task: str, what: str, share: float) -> None:
        if int(10 * share) > tenths.get(task, -1):
            tenths[task] = int(10 * share)
            print(f"gdln: {task} {share:4.0%}  {what}", file=sys.stderr, flush=True)

    return report

"""Progress bars on stderr; where stderr is no terminal nothing, or one line at each tenth."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_UPDATES = 200  # of a bar


@contextmanager
def bars(lines: bool = False) -> Iterator[Callable[[str, str, float], None]]:
    """Yield `report(task, what, share)`, which may be called from any thread; `lines` are those without a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<32}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    shown: dict[str, tuple[str, int]] = {}
    with Progress(*columns, *times, console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks = {}

        def report(task: str, what: str, share: float) -> None:
            news = (what, int(_UPDATES * share)) if console.is_terminal else ("", int(10 * share))
            if shown.get(task) == news:
                return
            shown[task] = news
            if console.is_terminal:
                if task not in tasks:
                    tasks[task] = progress.add_task(what, total=1.0)
                progress.update(tasks[task], description=what, completed=share)
            elif lines:
                print(f"gdln: {task} {share:4.0%}  {what}", file=sys.stderr, flush=True)

        yield report


@contextmanager
def training_bar() -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """Show a bar; yield the callback of training, and one that names each measurement."""
    with bars() as report:
        yield (
            lambda done, total: report("", "training", done / total),
            lambda name: report("", f"measuring {name.replace('-', ' ')}", 1.0),
        )

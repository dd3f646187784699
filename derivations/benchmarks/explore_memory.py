"""The memory of the explorer over many moves of a slider: what each move leaves behind in the page and in the server.

The slider walks over the same TURN values again and again, so that the page shows the same figures at the end of every
window. A page that kept a figure of each move would have at least a hundred more nodes after it; one that kept a single
curve, CURVE bytes more. The server is read as resident memory, which moves in pages of 4 kB.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from derivations.benchmarks.explore import at, chromium, page_of, served
from derivations.experiments.folders import problem_file

MOVES, WINDOWS, TURN = 1000, 5, 20
# The view with the problem that it shows: a file with a gain.
VIEWS: tuple[tuple[str, Callable[[], Path]], ...] = (
    ("data", lambda: problem_file("small-bump")),
    ("amplifier", lambda: problem_file("relu-training")),
    ("fields", lambda: problem_file("small-bump")),
)
CURVE = 640  # bytes of a curve of 40 points: x and y in double precision
_DRAWN = ".panel-figure figure svg"
_REST = 1500  # milliseconds after the last move in which samples are drawn
# Moves the slider of the gain over TURN values about its middle; waits for the picture of each move.
_WALK = """async ([moves, turn]) => {
    const panel = document.querySelector(".panel-figure");
    const slider = document.querySelector('.control[data-name="data.gain"] input[type=range]');
    const first = Math.floor((Number(slider.max) - turn) / 2);
    for (let move = 1; move <= moves; move += 1) {
        const before = panel.dataset.version;
        slider.value = first + (move % turn);
        slider.dispatchEvent(new Event("input"));
        while (panel.dataset.version === before) await new Promise((next) => setTimeout(next, 2));
    }
}"""


def measure(moves: int = MOVES) -> dict[str, Any]:
    """The sizes of the page and of the server of each view, as `walked` finds them.

    Raises OutOfReachError where there is no Chromium or no Playwright.
    """
    found = {}
    with chromium() as browser:
        for view, file in VIEWS:
            with served(str(file())) as (address, _, process):
                page = page_of(browser)
                found[view] = walked(page, at(address, view), process, moves)
                page.context.close()
        version = browser.version
    return {"unit": "bytes", "chromium": version, "memory": found}


def walked(page: Any, address: str, process: int, moves: int, windows: int = WINDOWS) -> list[dict[str, float]]:
    """Return the sizes at the beginning and after each of some windows of moves.

    `heap` are the bytes of JavaScript objects after a garbage collection, `nodes` and `listeners` their numbers in the
    page, `server` the resident bytes of the server's process.
    """
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable")
    page.goto(address)
    page.wait_for_selector(_DRAWN)
    page.wait_for_timeout(_REST)
    found = [_sizes(tools, process, 0)]
    window = max(1, moves // (windows * TURN)) * TURN
    for number in range(1, windows + 1):
        page.evaluate(_WALK, [window, TURN])
        page.wait_for_timeout(_REST)
        found.append(_sizes(tools, process, number * window))
    return found


def _sizes(tools: Any, process: int, moves: int) -> dict[str, float]:
    for _ in range(2):  # the second finds what finalisers of the first have let go
        tools.send("HeapProfiler.collectGarbage")
    found = {metric["name"]: metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"]}
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    resident = re.search(r"VmRSS:\s+(\d+) kB", status)
    if resident is None:
        raise AssertionError(f"the process {process} has no resident memory")
    return {
        "moves": moves,
        "heap": found["JSHeapUsedSize"],
        "nodes": found["Nodes"],
        "listeners": found["JSEventListeners"],
        "server": 1024.0 * int(resident[1]),
    }


def growth(sizes: list[dict[str, float]], name: str) -> tuple[float, float]:
    """Return the growth of a size per move over the last two windows, and half of the difference between both.

    >>> growth([{"moves": 10.0 * k, "heap": heap} for k, heap in enumerate((0, 90, 100, 120))], "heap")
    (1.5, 0.5)
    """
    before, middle, last = sizes[-3:]
    rates = [(b[name] - a[name]) / (b["moves"] - a["moves"]) for a, b in ((before, middle), (middle, last))]
    return sum(rates) / 2, abs(rates[1] - rates[0]) / 2


def text(measured: dict[str, Any]) -> str:
    """The growth of each view over the last two windows."""
    found = [
        "bytes a move leaves behind, over the last two windows (half of their difference); "
        f"a curve of each move would be {CURVE}"
    ]
    for view, sizes in measured["memory"].items():
        heap, server = (growth(sizes, name) for name in ("heap", "server"))
        nodes, listeners = (sizes[-1][name] - sizes[-3][name] for name in ("nodes", "listeners"))
        title = f"{view}, {sizes[-1]['moves']:g} moves"
        found.append(
            f"  {title:<30} page {heap[0]:.0f} ({heap[1]:.0f}); server {server[0]:.0f} "
            f"({server[1]:.0f}); {nodes:+g} nodes, {listeners:+g} listeners in all"
        )
    return "\n".join(found)

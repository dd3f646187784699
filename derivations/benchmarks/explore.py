"""The waiting times of the explorer, in a headless Chromium that already runs, with an empty cache.

Measured from the moment the command starts: until it prints its address, until the first figure of the data view is
drawn, until a slider answers. Then, for the sliders of SLIDERS at n = SITES, from the key to the frame with the new
picture, as the page itself sees both: the median and the worst of MOVES moves, and the processor time of the server for
a move. `explore_memory` measures the memory that moves take.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any

from theory.problem import OutOfReachError

STARTS, MOVES = 3, 20
GOALS = {"first figure": 2.5, "controls": 4.0, "slider": 0.15, "server": 0.1}
SITES = 100
# The view, and the label of a slider: one of the problem bar, or of the film of trained networks. The formula view has
# no slider, the graph view none for a graph.
SLIDERS = (
    ("data", "gain g"),
    ("amplifier", "gain g"),
    ("fields", "gain g"),
    ("fields", "time t"),
    ("compare", "gain g"),
    ("compare", "time t"),
    ("map", "gain g"),
    ("gates", "gain g"),
)
_MOST = 60_000  # milliseconds to wait before giving up
_DRAWN = ".panel-figure figure svg"
# Seconds from a key to the frame that shows the next picture of the view.
_WATCH = """() => {
    window.picture = new Promise((done) => addEventListener("keydown", () => {
        const begin = performance.now();
        const watch = new MutationObserver(() => {
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(() => done((performance.now() - begin) / 1000)));
        });
        watch.observe(document.querySelector(".panel-figure"), { attributeFilter: ["data-version"] });
    }, { once: true, capture: true }));
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium. Raises OutOfReachError where there is none, or no Playwright."""
    found = which("chromium") or which("chromium-browser") or which("google-chrome")
    lacking = [name for name in ("uvicorn", "playwright") if find_spec(name) is None] + ([] if found else ["Chromium"])
    if lacking:
        raise OutOfReachError(
            f"gdln bench explore needs {' and '.join(lacking)}.",
            "Install the extras explore and test, and Chromium (apt-get install chromium).",
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def measure(starts: int = STARTS, moves: int = MOVES) -> dict[str, Any]:
    """Seconds of each start and of each move. Raises OutOfReachError where there is no Chromium or no Playwright."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        _shows_a_page(browser)
        begun = [_start(browser) for _ in range(starts)]
        problem = Path(folder) / "problem.toml"
        problem.write_text(_problem(), encoding="utf-8")
        moved, server = _moves(browser, problem, moves)
        version = browser.version
    return {
        "unit": "seconds",
        "chromium": version,
        "goals": GOALS,
        "starts": begun,
        "sites": SITES,
        "moves": moved,
        "server": server,
    }


def text(found: dict[str, Any]) -> str:
    """The medians and the worst, beside the goals."""
    lines = [f"seconds, Chromium {found['chromium']}: median (worst)"]
    for name in found["starts"][0]:
        lines.append(_line(name, [start[name] for start in found["starts"]], found["goals"].get(name)))
    for name, seconds in found["moves"].items():
        lines.append(_line(f"{name}, n = {found['sites']}", seconds, found["goals"]["slider"]))
        mean = found["server"][name]
        lines.append(_line("  processor time of the server, mean", [mean], found["goals"]["server"]))
    return "\n".join(lines)


def _line(name: str, seconds: list[float], goal: float | None) -> str:
    aim = "" if goal is None else f"   goal {goal:g}"
    return f"  {name:<50} {median(seconds):5.2f} ({max(seconds):.2f}){aim}"


def _problem() -> str:
    """The ReLU problem on a ring, which every view can show, with SITES sites."""
    from derivations.experiments.folders import problem_file

    given = problem_file("relu-training").read_text(encoding="utf-8")
    changed, changes = re.subn(r"(?m)^n *= *\d+$", f"n = {SITES}", given)
    if changes != 1:
        raise AssertionError("the problem relu-training no longer says n on a line of its own")
    return changed


@contextmanager
def served(*words: str) -> Iterator[tuple[str, Callable[[], float], int]]:
    """The address of an explorer, the seconds since its command was started, and its process."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "derivations", "explore", "--no-open", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    ) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            yield address, lambda: time.perf_counter() - begin, server.pid
        finally:
            server.send_signal(signal.SIGTERM)


def _shows_a_page(browser: Any) -> None:
    """Wait until the browser has started: for a second or two it starts further processes."""
    page = browser.new_page()
    page.set_content("<p>begun</p>")
    page.wait_for_timeout(2000)
    page.close()


def page_of(browser: Any) -> Any:
    """A new page with a cache of its own."""
    return browser.new_context(viewport={"width": 1440, "height": 900}).new_page()


def at(address: str, view: str) -> str:
    """The address of a view; the token stays in it until the page has taken it."""
    return f"{address}&view={view}"


def _start(browser: Any) -> dict[str, float]:
    with served() as (address, now, _):
        seen = {"address": now()}
        page = page_of(browser)
        page.goto(at(address, "data"), wait_until="commit")
        page.wait_for_selector(_DRAWN, timeout=_MOST)
        seen["first figure"] = now()
        _move(page, page.get_by_role("slider", name="gain g"), "ArrowRight")
        seen["controls"] = now()
        page.context.close()
    return seen


def _moves(browser: Any, problem: Path, count: int) -> tuple[dict[str, list[float]], dict[str, float]]:
    found, server = {}, {}
    with served(str(problem)) as (address, _, process):
        for view, label in SLIDERS:
            page = page_of(browser)
            page.goto(at(address, view))
            page.wait_for_selector(_DRAWN, timeout=_MOST)
            page.wait_for_timeout(4000)  # a sample drawn at first, and what it loads, is not part of a move
            stop = page.get_by_role("button", name="Stop")
            if stop.is_visible():  # the pictures of networks in training are not those of the moves
                stop.click()
                stop.wait_for(state="hidden")
            slider = page.get_by_role("slider", name=label).first
            before = _processor_time(process)
            found[f"{view}: {label}"] = [
                _move(page, slider, "ArrowRight" if move % 2 else "ArrowLeft") for move in range(count)
            ]
            server[f"{view}: {label}"] = (_processor_time(process) - before) / count
            page.context.close()
    return found, server


def _processor_time(process: int) -> float:
    """The seconds, of user and system, that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _move(page: Any, slider: Any, key: str) -> float:
    slider.focus()
    page.evaluate(_WATCH)
    page.keyboard.press(key)
    return float(page.evaluate("window.picture"))

"""The waiting times of the explorer, in a headless Chromium that already runs, with an empty cache.

Measured from the moment the command starts: until it prints its address, until the first figure and its numbers are
drawn, until the controls are there. Then, for one slider of each view at n = 98 sites, from the key to the page's new
picture: the median and the worst of MOVES moves.
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
GOALS = {"first figure": 3.0, "slider": 0.3}
# The view, and the label of the slider that is moved.
SLIDERS = (("data", "gain g"), ("gates", "site of gate 0"), ("fields", "time t (on a logarithmic grid)"))
_MOST = 60_000  # milliseconds to wait before giving up
_SITES = 98
_CHANGED = """before => { const image = document.querySelector("img[alt]"); return image && image.src !== before; }"""


def measure(starts: int = STARTS, moves: int = MOVES) -> dict[str, Any]:
    """Seconds of each start and of each move. Raises OutOfReachError where there is no Chromium or no Playwright."""
    chromium = which("chromium") or which("chromium-browser") or which("google-chrome")
    lacking = [name for name in ("marimo", "playwright") if find_spec(name) is None] + (
        [] if chromium else ["Chromium"]
    )
    if lacking:
        raise OutOfReachError(
            f"gdln bench explore needs {' and '.join(lacking)}.",
            "Install the extras explore and test, and Chromium (apt-get install chromium).",
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        _shows_a_page(browser)
        begun = [_start(browser) for _ in range(starts)]
        problem = Path(folder) / "problem.toml"
        problem.write_text(_problem(), encoding="utf-8")
        moved = _moves(browser, problem, moves)
        version = browser.version
        browser.close()
    return {"unit": "seconds", "chromium": version, "goals": GOALS, "starts": begun, "sites": _SITES, "moves": moved}


def text(found: dict[str, Any]) -> str:
    """The medians and the worst, beside the goals."""
    lines = [f"seconds, Chromium {found['chromium']}: median (worst)"]
    for name in found["starts"][0]:
        lines.append(_line(name, [start[name] for start in found["starts"]], found["goals"].get(name)))
    for name, seconds in found["moves"].items():
        lines.append(_line(f"{name}, n = {found['sites']}", seconds, found["goals"]["slider"]))
    return "\n".join(lines)


def _line(name: str, seconds: list[float], goal: float | None) -> str:
    aim = "" if goal is None else f"   goal {goal:g}"
    return f"  {name:<50} {median(seconds):5.2f} ({max(seconds):.2f}){aim}"


def _problem() -> str:
    from derivations.explore.shell.shared_problem import FIRST

    given, changes = re.subn(r"(?m)^n *= *\d+$", f"n = {_SITES}", FIRST.read_text(encoding="utf-8"))
    if changes != 1:
        raise AssertionError("the first problem of the explorer no longer says n on a line of its own")
    return given


@contextmanager
def _served(*words: str) -> Iterator[tuple[str, Callable[[], float]]]:
    """The address of an explorer, and the seconds since its command was started."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "derivations", "explore", "--no-open", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    ) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            yield address, lambda: time.perf_counter() - begin
        finally:
            server.send_signal(signal.SIGTERM)


def _shows_a_page(browser: Any) -> None:
    """Wait until the browser has started: for a second or two it starts further processes."""
    page = browser.new_page()
    page.set_content("<p>begun</p>")
    page.wait_for_timeout(2000)
    page.close()


def _start(browser: Any) -> dict[str, float]:
    with _served() as (address, now):
        seen = {"address": now()}
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("#first-numbers", timeout=_MOST)
        seen["first figure"] = now()
        page.wait_for_selector("body.ready", state="attached", timeout=_MOST)
        seen["controls"] = now()
        context.close()
    return seen


def _moves(browser: Any, problem: Path, count: int) -> dict[str, list[float]]:
    found = {}
    with _served(str(problem)) as (address, _):
        for view, label in SLIDERS:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address.replace("/?", f"/{view}/?"))
            page.wait_for_selector("img[alt]", timeout=_MOST)
            page.wait_for_timeout(3000)  # later content of the first figure, such as a sample, is not part of a move
            slider = page.get_by_role("slider", name=label).first
            slider.focus()
            found[f"{view}: {label}"] = [
                _move(page, "ArrowRight" if move % 2 else "ArrowLeft") for move in range(count)
            ]
            page.close()
    return found


def _move(page: Any, key: str) -> float:
    before = page.evaluate('document.querySelector("img[alt]").src')
    begin = time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function(_CHANGED, arg=before, timeout=_MOST)
    return time.perf_counter() - begin

"""Commands with limited threads and with the libraries' own numbers of threads, beside other work on the machine.

Libraries of linear algebra take a thread for every core. Small networks give such a thread little to do, and on a busy
machine threads wait for each other while they spin. `gdln` limits them (`derivations.threads`); here each command runs
both ways, on a machine left alone and beside as many busy loops as there are cores.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from derivations.threads import COUNTS, SLEEPING, cores

ROUNDS = 2
# The program that replaces `gdln` for runs with the libraries' default numbers of threads.
_UNLIMITED = """
import sys
from derivations import __main__ as command
command.limit = lambda _words: None
sys.exit(command.main())
"""
_LIMITED = "import sys; from derivations.__main__ import main; sys.exit(main())"
WAYS = {"limited": _LIMITED, "libraries' own": _UNLIMITED}
_BUSY = "while True: pass"
# A claim that is tested against trained networks, in as many processes as there are cores.
SIMULATED = ("flow.descent.weights",)


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands that are measured: training, a claim with networks in workers, and exact solutions."""
    problems = Path(__file__).parents[1] / "experiments" / "problems"
    problem = str(problems / "small-bump.toml")
    return {
        "simulate small-bump.toml": ["simulate", problem],
        "validate simulated": ["validate", *SIMULATED, "--profile", "full", "--out", str(folder / "report")],
        "solve small-bump.toml": ["solve", problem],
    }


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Seconds of processor and wall time of each command, both ways, alone and beside busy loops."""
    cases = []
    with tempfile.TemporaryDirectory() as name:
        for command, words in commands(Path(name)).items():
            for load in (0, cores()):
                seen: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
                with _busy(load):
                    for _ in range(rounds):
                        for way, code in WAYS.items():
                            seen[way].append(_run(code, words))
                cases.append({"command": command, "busy loops": load, **_summary(seen)})
    return {"unit": "seconds", "cases": cases}


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = ["medians, seconds: limited, with the libraries' own threads, ratio"]
    for case in found["cases"]:
        beside = f"beside {case['busy loops']} busy loops" if case["busy loops"] else "alone"
        for kind in ("processor", "wall"):
            values = case[kind]
            low, high = (values[way] for way in WAYS)
            lines.append(f"  {case['command']:<26} {beside:<20} {kind:<10} {low:7.1f} {high:7.1f} {high / low:5.1f} x")
    return "\n".join(lines)


def _summary(seen: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    medians = {
        kind: {way: median(pair[index] for pair in pairs) for way, pairs in seen.items()}
        for index, kind in enumerate(("processor", "wall"))
    }
    return {**medians, "rounds": seen}


def _run(code: str, words: list[str]) -> tuple[float, float]:
    """Processor and wall time of a command in a process of its own, its workers included."""
    environment = {name: value for name, value in os.environ.items() if name not in {*COUNTS, *SLEEPING}}
    before, begin = _children(), time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, env=environment)
    return _children() - before, time.perf_counter() - begin


def _children() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Run `count` processes that never wait, during the block."""
    loops = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()

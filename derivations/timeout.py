"""The end of a command that takes too long: an exception in its main thread, then the end of its processes.

The exception lets files and workers be cleaned up. Code of a C library that does not return to Python cannot be
interrupted in this way; therefore `supervised` runs the command in a separate process, which it can always end.
"""

import faulthandler
import json
import math
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

KIND, EXIT_CODE = "timeout", 4
HINT = "Give it more time, or ask for less: fewer digits, factors, sites, networks or claims."
LONGEST = 10**8  # seconds, three years
# Seconds after the limit at which the running step is recorded and the processes are ended; seconds between checks.
LOOK, GRACE, _POLL = 3.5, 4.0, 0.02
_ROOT = Path(__file__).parents[1]
_IMPORTING = frozenset({"importlib._bootstrap", "_frozen_importlib"})  # one module, which has both names
_SIGNAL_OF_A_LOST_PARENT = 1  # PR_SET_PDEATHSIG of prctl
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# The longest matching beginning of the running module's name describes the step.
DOING = {
    "theory.problem": "reading the problem",
    "theory.problem.datasets": "reading a data set",
    "theory.expressions": "working on the formula",
    "theory.proof": "checking a proof",
    "theory.gaussian": "working on a Gaussian expectation",
    "theory.gaussian.derive": "deriving a closed form",
    "theory.gaussian.derive.rules": "checking a proof",
    "theory.gaussian.certified": "certifying digits",
    "theory.gaussian.export": "writing code",
    "theory.conjecture": "judging the equation",
    "theory.claims": "deriving and certifying claims",
    "theory.moments": "computing moments of the data",
    "theory.flow": "solving the gradient flow",
    "theory.gates": "comparing gates",
    "theory.kernels": "summing over paths",
    "theory.paths": "enumerating paths",
    "theory.paths.regions": "dividing the plane by gates",
    "sim": "training networks",
    "sim.data": "drawing data",
    "sim.kernels": "computing kernels",
    "sim.measure": "measuring networks",
    "derivations.answers.fetching": "getting a data set",
    "derivations.benchmarks": "measuring speed",
    "derivations.experiments": "running an experiment",
    "derivations.evidence": "reading evidence",
    "derivations.publish": "making pages",
    "derivations.reproductions": "repeating an experiment of a source",
    "derivations.fonts": "making pages",
    "derivations.statistics": "comparing networks with theory",
    "derivations.sweeps": "making the cells of the sweep",
    "derivations.validate": "validating claims",
}
_asides: int | None = None  # where `supervised` reads which files to remove


class TimedOutError(BaseException):
    """The time limit is exceeded. It is no Exception, so that handlers of errors do not catch it."""

    def __init__(self, seconds: float, modules: Sequence[str]) -> None:
        super().__init__(message(seconds, modules))


def message(seconds: float, modules: Sequence[str]) -> str:
    """Describe when and where the command was stopped; `modules` are the dotted names of what ran, the innermost first.

    >>> message(2, ["flint", "theory.gaussian.certified.signs", "derivations.cli"])
    'Stopped after 2 s (--timeout) while certifying digits (theory.gaussian.certified.signs).'
    >>> message(2, ["torch", "importlib._bootstrap", "sim.train", "derivations.cli"])
    'Stopped after 2 s (--timeout) while loading modules (sim.train).'
    """
    loading = not _IMPORTING.isdisjoint(modules)  # a module's own code runs when it is loaded, before it does its work
    for module in modules:
        known = [name for name in DOING if module == name or module.startswith(f"{name}.")]
        if known:
            doing = "loading modules" if loading else DOING[max(known, key=len)]
            return f"Stopped after {seconds:g} s (--timeout) while {doing} ({module})."
    return f"Stopped after {seconds:g} s (--timeout) while starting."


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise TimedOutError in the block after `seconds`; None means no limit.

    Python interrupts only its main thread; in other threads only the limit of `supervised` applies.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, frame: FrameType | None) -> NoReturn:
        raise TimedOutError(seconds, _modules_of(frame))

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def is_time(seconds: float) -> bool:
    """Whether this can be a limit: above zero and not too long for a timer."""
    return 0 < seconds <= LONGEST  # false for NaN


def asked(words: Sequence[str]) -> float | None:
    """The seconds of --timeout among the arguments of a command line; None where it is absent or invalid.

    >>> asked(["moment", "z1", "--timeout", "2.5"]), asked(["solve", "x.toml", "--timeout=9"]), asked(["moment", "z1"])
    (2.5, 9.0, None)
    """
    found = None
    for place, word in enumerate(words):
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if name == "--timeout":
            text = value if equals else next(iter(words[place + 1 :]), "")
            found = float(text) if re.fullmatch(r"[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?", text) else math.nan
    return found if found is not None and is_time(found) else None


def supervised(work: Callable[[], int], seconds: float, as_json: bool) -> int:
    """Run `work` in a forked process and return its exit code; end it and its workers where it ignores its limit.

    To be called before threads are started and libraries loaded, which a fork does not survive.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setpgid(0, 0)  # so that its workers can be ended with it
        _end_with_parent()
        _mention_to(writing)
        faulthandler.dump_traceback_later(seconds + LOOK, file=writing)  # works also inside a C library
        return work()
    os.close(writing)
    with suppress(OSError):  # the child has done so
        os.setpgid(child, child)
    for number in _FORWARDED:
        signal.signal(number, lambda caught, _frame: _tell(child, caught))
    deadline = time.monotonic() + seconds + GRACE
    while (status := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            return _ended(child, reading, seconds, as_json)
        time.sleep(_POLL)
    code = os.waitstatus_to_exitcode(status[1])
    return code if code >= 0 else 128 - code


def mention(aside: str | Path) -> None:
    """Register `aside` as a file being written, to be removed if this process ends before it is renamed."""
    if _asides is not None:
        os.write(_asides, f"aside {os.path.abspath(aside)}\n".encode())


def answered() -> None:
    """Record that the answer is on stdout, so that no second one is printed should this process fail to end."""
    if _asides is not None:
        sys.stdout.flush()
        os.write(_asides, b"answered\n")


def reported() -> None:
    """Record that an error is on stderr, so that no second one is printed should this process fail to end."""
    if _asides is not None:
        sys.stderr.flush()
        os.write(_asides, b"reported\n")


def _mention_to(handle: int) -> None:
    global _asides
    _asides = handle


def _end_with_parent() -> None:
    """Let Linux send this process SIGTERM when its parent ends, killed by a signal that nobody can forward."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SIGNAL_OF_A_LOST_PARENT, signal.SIGTERM)


def _tell(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, number)


def _ended(child: int, reading: int, seconds: float, as_json: bool) -> int:
    """End the process and its workers, remove the files that they were writing, and report the step."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.set_blocking(reading, False)
    said = b""
    with suppress(BlockingIOError):
        while piece := os.read(reading, 65536):
            said += piece
    lines = said.decode(errors="replace").splitlines()
    for line in lines:
        if line.startswith("aside "):
            _remove(Path(line.removeprefix("aside ")))
    files = re.findall(r'^  File "(.+)", line [0-9]+ in ', "\n".join(lines), re.MULTILINE)
    text = message(seconds, [_module(file) for file in files])
    if as_json and "answered" not in lines:
        print(json.dumps({"error": {"kind": KIND, "message": text, "hint": HINT}}))
    if "reported" not in lines:
        print(f"gdln: {text}\n  {HINT}", file=sys.stderr)
    return EXIT_CODE


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _module(file: str) -> str:
    """The dotted name of a module of the workbench, or of Python's own <frozen ...>; otherwise the file's own."""
    if frozen := re.fullmatch("<frozen (.+)>", file):
        return frozen[1]
    path = Path(file)
    return ".".join(path.relative_to(_ROOT).with_suffix("").parts) if path.is_relative_to(_ROOT) else path.stem


def _modules_of(frame: FrameType | None) -> list[str]:
    names = []
    while frame is not None:
        names.append(frame.f_globals.get("__name__") or "")
        frame = frame.f_back
    return names

"""The end of a command that takes too long: it runs in a child process, and its parent names the step.

At the limit an exception lets the child clean up; faulthandler ends code that never returns to Python seconds later.
"""

import faulthandler
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

EXIT_CODE, LONGEST, GRACE = 4, 10**8, 4.0  # seconds: three years, and what a child has to clean up
HINT = "Give it more time, or ask for less: fewer digits, factors, sites, networks or claims."
_STEPS = {  # by the longest matching beginning of the running module's name
    "theory": "deriving and certifying",
    "theory.problem": "reading the problem",
    "theory.gaussian": "working on a Gaussian expectation",
    "theory.moments": "computing moments of the data",
    "theory.flow": "solving the gradient flow",
    "sim": "training networks",
    "derivations.sweeps": "making the cells of the sweep",
    "derivations.validate": "validating claims",
}
_ANSWERED = "answered"  # the line that records an answer
_notes: IO[bytes] | None = None  # where a child with a limit writes what its parent must know


class TimedOutError(BaseException):
    """The time limit is exceeded. It is no Exception, so that handlers of errors do not catch it."""


def limit_in(words: Sequence[str]) -> float | None:
    """Return the seconds of --timeout in the arguments of a command line; None where it is absent or invalid."""
    options = f" {' '.join(words)} ".partition(" -- ")[0]
    with suppress(ValueError, IndexError):
        seconds = float(re.findall(r" --timeout[= ](\S+)", options)[-1])
        return seconds if 0 < seconds <= LONGEST else None
    return None


def supervised(work: Callable[[], int], seconds: float, as_json: bool) -> int:
    """Run `work` in a forked process, before libraries are loaded, and return its exit code; report where it ended."""
    notes = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the child writes into it to its end
    if (child := os.fork()) == 0:
        return _limited(work, seconds, notes)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda caught, _frame: os.kill(child, caught))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = os.pread(notes.fileno(), 2**20, 0).decode(errors="replace")
    notes.close()
    if not (files := re.findall(r'^  File "(.+)", line \d+', said, re.MULTILINE)):
        return code if code >= 0 else 128 - code
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # its workers
    if _ANSWERED not in said.splitlines():  # a whole line: a function of the same name may be among those that ran
        text = f"Stopped after {seconds:g} s (--timeout) while {_step(files)}."
        if as_json:
            print(json.dumps({"error": {"kind": "timeout", "message": text, "hint": HINT}}))
        print(f"gdln: {text}\n  {HINT}", file=sys.stderr)
    return EXIT_CODE


def answered() -> None:
    """Record, before the answer is printed, that no other may follow."""
    if _notes is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _notes.write(f"{_ANSWERED}\n".encode())


def _limited(work: Callable[[], int], seconds: float, notes: IO[bytes]) -> int:
    def stop(*_: object) -> NoReturn:
        notes.write("".join(reversed(traceback.format_stack())).encode())
        raise TimedOutError

    global _notes
    _notes = notes
    os.setpgid(0, 0)  # with its workers
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=notes)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except TimedOutError:
        return EXIT_CODE


def _step(files: Sequence[str]) -> str:
    """The innermost step, by the files of the code that ran, the innermost first."""
    root, loading = Path(__file__).parents[1], any("importlib" in file for file in files)
    for path in filter(lambda path: path.is_relative_to(root), map(Path, files)):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        if steps := [name for name in _STEPS if f"{module}.".startswith(f"{name}.")]:
            return f"{'loading modules' if loading else _STEPS[max(steps, key=len)]} ({module})"
    return "loading modules" if loading else "starting"

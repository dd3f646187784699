"""How every command answers: one JSON object or text on stdout, errors that help, and the exit codes."""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from shutil import get_terminal_size
from typing import Any, Protocol, TextIO

from derivations.timeout import LONGEST, TimedOutError, answered
from theory.problem.errors import WorkbenchError, origin

PASS, CHECK_FAILED, BAD_INPUT, UNDECIDED, OUT_OF_REACH, INTERRUPTED = 0, 1, 2, 3, 4, 130
BROKEN_PIPE = 141  # as a shell reports a command whose reader has left
DISTRIBUTION = "gdln-workbench"
_NARROWEST = 40  # columns
_NO_MEMORY = "allocate memory"  # by which a RuntimeError of torch tells that the processor has none left


class Answer(Protocol):
    """The answer of a verb as data; see `derivations.answers`."""

    def json(self) -> Mapping[str, Any]:
        """The content of `--json`."""

    def text(self) -> str:
        """The lines for a reader."""


def show(verb: str, answer: Answer, as_json: bool) -> None:
    """Print the answer of a verb: its JSON object, or its text for a reader."""
    if as_json:
        emit(verb, answer.json(), "", as_json)
    else:
        print(_for(sys.stdout, answer.text()))


def emit(verb: str, payload: Mapping[str, Any], text: str, as_json: bool) -> None:
    """Print `payload` as one JSON object (with `schema` and `version`), or `text` for a reader."""
    if as_json:
        from importlib.metadata import version

        answer = {"schema": f"gdln.{verb}/1", "version": version(DISTRIBUTION), **payload}
        line = json.dumps(plain(answer), allow_nan=False)
        answered()
        print(line, flush=True)
    else:
        print(_for(sys.stdout, text))


def fitted(text: str, width: int) -> str:
    """Return `text` with lines broken at spaces to `width` columns, continued two columns further in.

    >>> print(fitted("  a line that is too long", 14))
      a line that
        is too
        long
    """
    lines = []
    for line in text.split("\n"):
        if len(line) <= width:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        own = line.lstrip().split(" ")
        current = indent + own[0]
        for word in own[1:]:
            if len(current) + 1 + len(word) > width:
                lines.append(current.rstrip())
                current = f"{indent}  {word}"
            else:
                current += f" {word}"
        lines.append(current)
    return "\n".join(lines)


def _for(stream: TextIO, text: str) -> str:
    """`text` as it is shown there: fitted to a terminal, as it is to a file or a program."""
    return fitted(text, max(_NARROWEST, get_terminal_size().columns)) if stream.isatty() else text


def plain(value: Any) -> Any:
    """`value` with arrays as lists; a NaN is a fault of the caller and is refused, infinities become strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def columns(rows: Sequence[Sequence[str]], align: Callable[[str, int], str] = str.rjust) -> list[str]:
    """Return rows of words as lines, two spaces between columns, each as wide as its widest word.

    >>> columns([("t", "loss"), ("10", "1")])
    [' t  loss', '10     1']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(align, row, widths)).rstrip() for row in rows]


def rounded(value: Any, digits: int) -> Any:
    """Round every float in `value`, also inside arrays, lists and mappings, to `digits` significant digits.

    >>> rounded({"mean": [0.123456, 2], "name": "w"}, 3)
    {'mean': [0.123, 2], 'name': 'w'}
    """
    if hasattr(value, "tolist"):
        return rounded(value.tolist(), digits)
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, Mapping):
        return {key: rounded(item, digits) for key, item in value.items()}
    return [rounded(item, digits) for item in value] if isinstance(value, list | tuple) else value


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "check"), counted(2, "check")
    ('1 check', '2 checks')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def run(body: Callable[[], int], as_json: bool, timeout: float | None = None) -> int:
    """Run a command's body; turn a user's errors, such as an impossible `timeout`, into a message and an exit code.

    The end of the time itself is that of `derivations.timeout.supervised`.
    """
    if timeout is not None and not 0 < timeout <= LONGEST:  # nor NaN
        hint = f"Give seconds: above 0 and at most {LONGEST}."
        return report_error("input", f"--timeout {timeout:g} is no time limit.", hint, BAD_INPUT, as_json)
    try:
        return body()
    except WorkbenchError as error:
        return report_error(error.kind, error.message, error.hint, error.exit_code, as_json)
    except KeyboardInterrupt:
        return report_error("interrupted", "Interrupted.", "Nothing was left half-written.", INTERRUPTED, as_json)
    except SystemError as error:
        cause = origin(error)  # python-flint reports an interrupt inside one of its callbacks as a SystemError
        if isinstance(cause, TimedOutError):
            raise cause from None
        if not isinstance(cause, KeyboardInterrupt):
            raise
        return report_error("interrupted", "Interrupted.", "Nothing was left half-written.", INTERRUPTED, as_json)
    except BrokenPipeError:
        return reader_left()
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and _NO_MEMORY not in str(error):
            raise
        hint = "Use fewer sites, units, samples or replicates."
        return report_error("memory", "The problem does not fit into memory.", hint, OUT_OF_REACH, as_json)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        message = f"{error.strerror or error}{where}."
        return report_error("file", message, "Check the path and its permissions.", BAD_INPUT, as_json)


def reader_left() -> int:
    """The exit code of a command whose reader (`| head`) has left; nothing more is written to stdout."""
    # Without this the interpreter complains once more when it closes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def report_error(kind: str, message: str, hint: str, code: int, as_json: bool) -> int:
    """The message on stderr, and as JSON on stdout where that was asked for; returns `code`."""
    answered()
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": message, "hint": hint}}), flush=True)
    text = f"gdln: {message}" + (f"\n  {hint}" if hint else "")
    print(_for(sys.stderr, text), file=sys.stderr)
    return code

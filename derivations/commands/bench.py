"""`gdln bench WHAT`: benchmarks beside alternatives in one process, as a table or as JSON with versions."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False
BENCHES = ("moments", "expectations", "solve", "sample", "kernels", "deep", "train")


def command(
    what: Annotated[str, typer.Argument(metavar="WHAT", help=f"One of: {', '.join(BENCHES)}.")],
    out: Annotated[str | None, typer.Option(help="Also write the JSON to this file.")] = None,
    points: Annotated[int | None, typer.Option(help="Number of inputs, for kernels alone (1000).")] = None,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Measure speed and accuracy beside the usual alternatives."""
    return output.run(lambda: _bench(what, out, points, as_json), as_json, timeout)


def _check_out(path: Path) -> None:
    """InputError where the file exists and is no earlier result of `gdln bench`, which it may replace."""
    from derivations.atomic import check_folder
    from theory.problem import InputError
    from theory.problem.user_files import read_json

    check_folder(path.parent, "--out")
    if not (path.exists() or path.is_symlink()):
        return
    try:
        earlier = read_json(path)
    except (InputError, OSError, ValueError):
        earlier = None
    if path.is_symlink() or not isinstance(earlier, dict) or "bench" not in earlier:
        raise InputError(
            f"{path} exists and is no result of gdln bench; it would be lost.", "Name another file with --out.", "file"
        )


def _bench(what: str, out: str | None, points: int | None, as_json: bool) -> int:
    import json
    from contextlib import nullcontext
    from importlib import import_module

    from derivations import atomic
    from derivations.benchmarks.machine import machine, text
    from theory.problem import InputError
    from theory.problem.numbers import one_of

    one_of(what, "WHAT", BENCHES)
    if points is not None and what != "kernels":
        raise InputError(f"--points belongs to gdln bench kernels, not to {what}.", "Leave it out.")
    if out is not None:
        _check_out(Path(out))
    options = {} if points is None else {"points": points}
    module = import_module(f"derivations.benchmarks.{what}")
    with nullcontext() if out is None else atomic.new_text(Path(out)) as file:
        payload = output.plain({"bench": what, "machine": machine(), **module.measure(**options)})
        if file is not None:
            file.write(json.dumps(payload, indent=1) + "\n")
    output.emit("bench", payload, "" if as_json else getattr(module, "text", text)(payload), as_json)
    return output.PASS

"""What `gdln explore` is given: a problem file, data of one's own, a store of sweeps, or a validation report."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from derivations.answers import new
from derivations.answers.data_files import is_data
from derivations.answers.reading import read_problem
from derivations.explore.problems import FIRST, refuse_undrawn
from derivations.sweeps.store import MARKER, Store
from theory.problem import InputError, Problem, load

REPORT = "report.html"


def report_in(path: Path | None) -> Path | None:
    """Return the page of a report: the file, or that in its folder; None for anything else.

    >>> report_in(Path("problem.toml"))
    """
    if path is None or path.name == REPORT:
        return path
    return path / REPORT if (path / REPORT).is_file() else None


@contextmanager
def opened(
    path: Path | None, settings: Sequence[str] | None, labels: Path | None, grid: str | None
) -> Iterator[tuple[Problem, str]]:
    """Yield the problem that is shown first, and a remark on it.

    Data of one's own become the problem that `gdln new --data` writes, in a folder that is removed at the end. A store
    shows its first cell. Raises InputError for a store of several sweeps, and as `load` and `new` do, and
    OutOfReachError for a problem that no view draws.
    """
    store = path is not None and (path / MARKER).is_file()
    if (labels or grid) and (path is None or store or not is_data(path)):
        raise InputError("--labels and --grid belong to data of your own.", "Leave them out.", "usage")
    with TemporaryDirectory(prefix="gdln-data-") as folder:
        if store:
            problem, said = _first_cell(path, settings)
        elif path is not None and is_data(path):
            answer = new.answer(Path(folder) / path.stem, data=path, labels=labels, grid=grid)
            answer.write()
            problem, said = load(answer.file, settings), f"{answer.start.says}\ngdln new keeps this problem."
        else:
            problem, said = read_problem(FIRST if path is None else path, settings), ""
        refuse_undrawn(problem)
        yield problem, said


def _first_cell(folder: Path, settings: Sequence[str] | None) -> tuple[Problem, str]:
    if settings:
        raise InputError("--set changes a problem file, and cells of a store are made.", "Leave --set out.", "usage")
    sweep = Store.open(folder).plan_of().sweep
    cell = next((one for one in sweep.each() if one.problem is not None), None)
    if cell is None:
        raise InputError(f"No cell of {folder} is a valid problem.", "gdln sweep --status says why.", "file")
    return cell.problem, f"The first of {sweep.size} cells: {cell.label}"

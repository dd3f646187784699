"""The folders of the experiments: each is discovered, with its problem files, stored runs, tables and figures.

    experiments/<name>/__init__.py     empty
    experiments/<name>/experiment.py   EXPERIMENT (judges claims) or RUNS (names of its stored runs)
    experiments/<name>/<stem>.toml     its problem and sweep files; shared ones are in problems/
    experiments/<name>/<run>.json      a stored run
    experiments/<name>/tables.py       TABLES: {run: {table: function of the run}}
    experiments/<name>/figures.py      FIGURES: {figure: Figure}

Only `discover` loads torch.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from derivations.atomic import write_text
from derivations.experiments.model import Experiment, Figure, Run
from theory.problem import InputError, Problem, load
from theory.problem.discovery import importing

FOLDER = Path(__file__).parent
SHARED = "problems"  # not an experiment: starter problems and those that several experiments take
_PACKAGE = __name__.rpartition(".")[0]


def names() -> tuple[str, ...]:
    """The experiments: every folder here except that of shared problems, and one that holds compiled files alone."""
    folders = (path for path in FOLDER.iterdir() if path.is_dir() and path.name[0] not in "._" and path.name != SHARED)
    return tuple(sorted(path.name for path in folders if {one.name for one in path.iterdir()} != {"__pycache__"}))


@cache
def discover() -> tuple[Experiment, ...]:
    """Every experiment that judges claims, by name. Loads torch.

    Raises InputError where a folder lacks a piece without which its experiment would not judge; it names the file.
    """
    if lacking := [line for name in names() for line in _undeclared(name)]:
        raise InputError(" ".join(lacking))
    modules = (_module(name, "experiment") for name in names())
    experiments = (getattr(module, "EXPERIMENT", None) for module in modules)
    return tuple(sorted((one for one in experiments if one is not None), key=lambda one: one.name))


def problem_names() -> tuple[str, ...]:
    """The stems that `problem_file` knows, in alphabetical order."""
    return tuple(sorted(path.stem for path in _toml_files()))


def problem_file(stem: str) -> Path:
    """The file STEM.toml among the shared problems and those of the experiments.

    Raises InputError where there is none, or more than one.

    >>> problem_file("small-bump").parent.name
    'problems'
    """
    paths = [path for path in _toml_files() if path.stem == stem]
    if not paths:
        known = ", ".join(problem_names())
        raise InputError(
            f"No problem file is called {stem}.toml.",
            f"Put it into derivations/experiments/{SHARED}/ or into the folder of the one experiment that takes it. "
            f"Known: {known}.",
        )
    if len(paths) > 1:
        places = " and ".join(str(path.relative_to(FOLDER)) for path in paths)
        raise InputError(f"{places} have one name: a claim could mean either.", "Rename one of them.")
    return paths[0]


def problem_named(stem: str) -> Problem:
    """The problem of the file STEM.toml; see `problem_file`.

    >>> problem_named("small-bump").data.n
    40
    """
    return load(problem_file(stem))


def _toml_files() -> Iterator[Path]:
    for name in (SHARED, *names()):
        yield from sorted((FOLDER / name).glob("*.toml"))


def run_files() -> dict[str, Path]:
    """The stored runs of all experiments, by name. Raises InputError where two have one name."""
    paths: dict[str, Path] = {}
    for name in names():
        for path in sorted((FOLDER / name).glob("*.json")):
            if path.stem in paths:
                both = " and ".join(str(one.relative_to(FOLDER)) for one in (paths[path.stem], path))
                raise InputError(f"{both} are two stored runs of one name.", "Rename one of them.")
            paths[path.stem] = path
    return paths


def read(run: str) -> Run:
    """The content of a stored run. Raises InputError where it is not stored.

    >>> read("replayed-gates")["level"]
    0.01
    """
    paths = run_files()
    if run not in paths:
        raise InputError(f"No stored run is called {run!r}.", f"Known: {', '.join(paths)}.")
    return json.loads(paths[run].read_text(encoding="utf-8"))


def write(experiment: str, run: str, content: Run) -> Path:
    """Store a run in the folder of its experiment; the file is the old one or the new one, never a part."""
    path = FOLDER / experiment / f"{run}.json"
    write_text(path, json.dumps(content, indent=1, allow_nan=False) + "\n")
    return path


def tables() -> dict[str, Mapping[str, Callable[[Run], str]]]:
    """The tables of the stored runs: by run, then by name; "" is the table of a run with one."""
    return {run: run_tables for name in names() for run, run_tables in _declared(name, "tables", "TABLES").items()}


def figures() -> dict[str, Figure]:
    """The figures of the stored runs, by name."""
    return {key: figure for name in names() for key, figure in _declared(name, "figures", "FIGURES").items()}


def _declared(name: str, file: str, what: str) -> Mapping[str, Any]:
    return getattr(_module(name, file), what) if (FOLDER / name / f"{file}.py").is_file() else {}


def _module(name: str, file: str) -> ModuleType:
    module = f"{_PACKAGE}.{name}.{file}"
    with importing(module):
        return import_module(module)


def _undeclared(name: str) -> Iterator[str]:
    """The pieces that an experiment lacks to be discovered and to judge."""
    here = f"derivations/experiments/{name}"
    if not (FOLDER / name / "__init__.py").is_file():
        yield f"{here}/__init__.py is missing: an empty file, without which the import contracts do not see the folder."
    if not (FOLDER / name / "experiment.py").is_file():
        yield f"{here}/experiment.py is missing: it takes EXPERIMENT, or RUNS where the experiment judges no claim."
        return
    module = _module(name, "experiment")
    experiment, runs = getattr(module, "EXPERIMENT", None), tuple(getattr(module, "RUNS", ()))
    if experiment is None and not runs:
        yield f"{here}/experiment.py declares neither EXPERIMENT nor RUNS: gdln validate and the book pass over it."
    if experiment is not None and experiment.name != name:
        yield f"{here}/experiment.py: EXPERIMENT is called {experiment.name!r}; name it {name!r} as its folder."
    if experiment is not None:
        yield from _unknown_claims(experiment, here)


def _unknown_claims(experiment: Experiment, here: str) -> Iterator[str]:
    from theory.claims.registry import catalog

    for claim in experiment.claims:
        if claim not in catalog():
            area, subject, *_ = [*claim.split("."), ""]
            takes = f"theory/claims/areas/{area}/{subject}.py takes it"
            yield f"{here}/experiment.py judges the claim {claim!r}, which does not exist: {takes}."

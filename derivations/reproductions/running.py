"""Computing the cells of an experiment in a store of sweeps: finished cells are kept, and checkpoints of the trainings
in one that is not finished, so that a run resumes at any moment.

A cell is named by the hash of its question and of the code, which names the device, as in `gdln sweep`: a cell of
another device is another cell, and both stay. Several processes or machines may share a store.
"""

import ast
import inspect
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch

from derivations.output import DISTRIBUTION, OUT_OF_REACH
from derivations.reproductions import convolutional, expansions, networks, training, weights
from derivations.reproductions.model import Cell, Reproduction, Runs, Setting
from derivations.seals import canonical, digest
from derivations.statistics.comparison import seed_for
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError, Question
from derivations.sweeps.computing import DONE, LEFT, Engine, Here, Task, Work, map_cells
from derivations.sweeps.orders import LeftError
from derivations.sweeps.store import Store
from sim.training.devices import device_type
from theory.kernels import linearised_errors
from theory.problem import InputError, OutOfReachError
from theory.problem.user_files import parse_json

Report = Callable[[int, int], None]  # (cells finished, cells in all)


@dataclass(frozen=True)
class Ran:
    """The cells of a profile after a run, how many of them it computed, and their time.

    `device` is "cpu" or "cuda", that of all of them. `theory` is the run of the theory beside the experiment, where it
    has cells of its own.
    """

    finished: tuple[Cell, ...]
    made: int
    seconds: float
    code: str
    remarks: tuple[str, ...]
    device: str = "cpu"
    theory: "Ran | None" = None


def seed_of(one: Runs, index: int) -> int:
    """Return the seed of a number, a hash, so that nobody chooses it."""
    return seed_for(f"reproduce/{one.name}/{index}")


def device_for(one: Runs, name: str) -> str:
    """Return the device on which cells are made, "cpu" or "cuda"; "auto" is cuda where there is one and cells take it.

    Raises InputError for another name, OutOfReachError for cuda where there is none, and for cells that do not take it.
    """
    where = device_type(name)
    if where in one.devices:
        return where
    if name == "auto":
        return "cpu"
    raise OutOfReachError(f"{one.name} is computed on the processor alone.", "Use --device cpu or auto.", "device")


def code_of(one: Runs, device: str = "cpu") -> str:
    """Return what the numbers of a cell depend on: the sources of `sim`, of the experiment's module, of the shared
    networks, and of the linearised training of `theory.kernels`, and the device with the versions of what computes on
    it.

    The layout and the comments of these files do not count, nor do REPRODUCTION, THEORY and the functions `measure` and
    `beside`, which read finished cells.
    """
    shared = (networks, convolutional, expansions, training, weights)
    files = [Path(inspect.getfile(of)) for of in (one.cell, *shared, linearised_errors)]
    statements = "\n".join(line for file in files for line in _statements(file.read_text(encoding="utf-8")))
    return f"{cells.code_version(device)}+{one.name}-{digest(statements)[:16]}"


def _statements(source: str) -> Iterator[str]:
    """Yield the statements of a module on which its cells may depend."""
    for node in ast.parse(source).body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        declares = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("REPRODUCTION", "THEORY")
        reads = isinstance(node, ast.FunctionDef) and node.name in ("measure", "beside")
        if not (is_text or declares or reads):
            yield ast.dump(node)


def question(one: Runs, profile: str, setting: Setting, index: int) -> Question:
    """Return the question that a cell answers."""
    content = {"reproduction": one.name, "definition": one.definition(profile), "profile": profile, **setting}
    return Question(canonical(content), tuple(sorted(one.numbers)), seed_of(one, index))


def run_with_theory(
    one: Reproduction,
    profile: str,
    folder: Path,
    report: Report = lambda _done, _all: None,
    device: str = "cpu",
    engine: Engine | None = None,
) -> Ran:
    """Compute the cells of a profile, as `run` does, and then those of the theory beside it, on the processor."""
    if one.theory is None:
        return run(one, profile, folder, report, device, engine)
    cells_of = [_cells_of(each, profile) for each in (one, one.theory)]
    ran = run(one, profile, folder, lambda done, _all: report(done, sum(cells_of)), device, engine)
    theory = run(
        one.theory, profile, folder, lambda done, _all: report(cells_of[0] + done, sum(cells_of)), engine=engine
    )
    return replace(ran, theory=theory)


def _cells_of(one: Runs, profile: str) -> int:
    return len(one.designs[profile].settings) * one.designs[profile].seeds


def run(
    one: Runs,
    profile: str,
    folder: Path,
    report: Report = lambda _done, _all: None,
    device: str = "cpu",
    engine: Engine | None = None,
) -> Ran:
    """Compute the cells of a profile that the store `folder` lacks, by default one after the other in this process.

    `device` is one of those of `device_for`, "cpu" or "cuda".

    Raises InputError for a folder that cannot be a store, and for a store that has cells of this experiment and profile
    from another definition; LeftError after a signal to leave, and WorkbenchError where a cell fails. On an interrupt
    the finished cells stay.
    """
    code, store, design = code_of(one, device), _store(folder), one.designs[profile]
    settings = [(setting, index) for setting in design.settings for index in design.indices]
    requests = [question(one, profile, setting, index) for setting, index in settings]
    remarks = _refuse_other_definitions(one, profile, store, requests, code)
    tasks = [
        Task(request.cell(code), request, code, device, partial(_computed, one.cell, one.name, one.numbers, setting))
        for request, (setting, _) in zip(requests, settings, strict=True)
    ]
    done = computed = 0
    report(done, len(tasks))
    for answer in map_cells(tasks, store, engine or Here()):
        if answer.what == LEFT:
            raise LeftError(answer.remarks[-1], "The same command continues there.")
        if answer.error is not None:
            error = (OutOfReachError if answer.error["exit_code"] == OUT_OF_REACH else InputError)(
                *(answer.error[key] for key in ("message", "hint", "kind"))
            )
            raise error
        done, computed = done + 1, computed + (answer.what == DONE)
        remarks += answer.remarks
        report(done, len(tasks))
    if absent := [task for task in tasks if not store.has(task.cell)]:
        error = store.attempt(absent[0].cell).get("error") or {"message": "The jobs ended before.", "hint": ""}
        said = f"{len(absent)} of {len(tasks)} cells are missing. {error['message']}"
        raise InputError(said, error["hint"] or "The same command computes the rest.", "missing")
    finished, seconds = [], 0.0
    for task, (setting, index) in zip(tasks, settings, strict=True):
        _, numbers = store.read(task.cell)
        seconds += store.attempt(task.cell).get("seconds", 0.0)
        finished.append(Cell(setting, index, {key: numbers[key] for key in one.numbers}))
    return Ran(tuple(finished), computed, seconds, code, tuple(dict.fromkeys(remarks)), device)


def _store(folder: Path) -> Store:
    """Return the store, made where it is missing; its messages name the option of this command."""
    try:
        return Store.create(folder)
    except InputError as error:
        raise InputError(error.message, error.hint.replace("--out", "--store"), error.kind) from None


def _computed(
    cell: Callable[..., dict], name: str, declared: tuple[str, ...], setting: Setting, work: Work
) -> tuple[dict[str, np.ndarray], dict]:
    """Return the arrays and the facts of a cell."""
    device, seed = work.task.device, work.task.question.seed
    try:
        with training.resumable(work.store.checkpoints, work.task.cell, orders=work.orders):
            measured = cell(setting, seed, *(() if device == "cpu" else (device,)))
    except torch.OutOfMemoryError as error:
        raise OutOfReachError(
            f"{name}: the GPU has not enough free memory for a cell.", "Use --device cpu, or a larger GPU.", "memory"
        ) from error
    numbers = {key: np.asarray(value, dtype=float) for key, value in measured.items()}
    if set(numbers) != set(declared) or len({len(value) for value in numbers.values()}) != 1:
        shapes = {key: value.shape for key, value in numbers.items()}
        raise InputError(
            f"{name}: a cell gives the numbers {shapes}; it declares {', '.join(declared)}.",
            "Give each declared number an array with the runs of the cell along its first axis.",
        )
    runs = len(next(iter(numbers.values())))
    plain = {"times": np.zeros(0), "replicates": np.arange(runs), "diverged": np.zeros(runs, dtype=bool)}
    facts = {"state": cells.COMPLETE, "replicates": runs, "diverged": 0, "undefined": {}, "names": {}, "steps": 0}
    return {**plain, **numbers}, facts | {"versions": {"torch": version("torch")}, "device": device}


def versions(device: str = "cpu") -> dict[str, str]:
    """Return the versions of Python, of this package, and of what computes the numbers; on a GPU also its name."""
    by_name = {
        "python": platform.python_version(),
        **{name: version(name) for name in (DISTRIBUTION, "numpy", "torch")},
    }
    if device == "cuda":
        by_name |= {"cuda": str(torch.version.cuda), "gpu": torch.cuda.get_device_name()}
    return by_name


def _refuse_other_definitions(one: Runs, profile: str, store: Store, requests: list[Question], code: str) -> list[str]:
    """Raise InputError for cells of another definition; return remarks on cells that another version has computed."""
    older, expected = 0, {canonical(request.placeless()) for request in requests}
    for name in store.names() - {request.cell(code) for request in requests}:
        try:
            meta = cells.facts(store.place(name))
            content = parse_json(meta["problem"])
        except (DamagedError, cells.UnreadableError, FileNotFoundError, ValueError):
            continue
        if canonical({key: meta[key] for key in ("problem", "observables", "seed")}) in expected:
            older += 1
        elif (content.get("reproduction"), content.get("profile")) == (one.name, profile):
            raise InputError(
                f"{store.folder} has cells of {one.name} ({profile}) from the definition {content.get('definition')}; "
                f"this version has the definition {one.definition(profile)}, so that the two answer other questions.",
                "Name another folder with --store, or use the version that made it.",
                "version",
            )
    said = f"{older} cells of {one.name} were made by another version of the code or on another device; they stay."
    return [said] if older else []

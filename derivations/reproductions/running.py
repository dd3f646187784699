"""Making the cells of an experiment in a store of sweeps: finished cells are kept, and checkpoints of the trainings in
one that is not finished, so that a run resumes at any moment.

A cell is named by the hash of its question and of the code, which names the device, as in `gdln sweep`: a cell made on
another device is another cell, and both stay. Several processes or machines may share a store: the lease
of a cell decides who makes it.
"""

import ast
import inspect
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch

from derivations.output import DISTRIBUTION
from derivations.reproductions import convolutional, expansions, networks, training
from derivations.reproductions.model import Cell, Reproduction, Runs, Setting
from derivations.seals import canonical, digest
from derivations.statistics.comparison import seed_for
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError, Question
from derivations.sweeps.leases import BUSY, MADE
from derivations.sweeps.store import Store
from sim.training.devices import device_type
from theory.kernels import linearised_errors
from theory.problem import InputError, OutOfReachError
from theory.problem.user_files import parse_json

Report = Callable[[int, int], None]  # (cells finished, cells in all)
_PAUSE = 0.5  # seconds before a cell is asked for again that another process is making


@dataclass(frozen=True)
class Ran:
    """The cells of a profile after a run, how many of them it made, and their time.

    `device` is "cpu" or "cuda", where all of them are made. `theory` is the run of the theory beside the experiment,
    where it has cells of its own.
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
    shared = (networks, convolutional, expansions, training)
    files = [Path(inspect.getfile(of)) for of in (one.cell, *shared, linearised_errors)]
    own = "\n".join(line for file in files for line in _statements(file.read_text(encoding="utf-8")))
    return f"{cells.code_version(device)}+{one.name}-{digest(own)[:16]}"


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
    asked = {"reproduction": one.name, "definition": one.definition(profile), "profile": profile, **setting}
    return Question(canonical(asked), tuple(sorted(one.numbers)), seed_of(one, index))


def run_with_theory(
    one: Reproduction,
    profile: str,
    folder: Path,
    report: Report = lambda _done, _all: None,
    device: str = "cpu",
) -> Ran:
    """Make the cells of a profile, as `run` does, and then those of the theory beside it, always on the processor."""
    if one.theory is None:
        return run(one, profile, folder, report, device)
    own, beside = (_cells_of(each, profile) for each in (one, one.theory))
    ran = run(one, profile, folder, lambda done, _all: report(done, own + beside), device)
    theory = run(one.theory, profile, folder, lambda done, _all: report(own + done, own + beside))
    return replace(ran, theory=theory)


def _cells_of(one: Runs, profile: str) -> int:
    return len(one.designs[profile].settings) * one.designs[profile].seeds


def run(
    one: Runs,
    profile: str,
    folder: Path,
    report: Report = lambda _done, _all: None,
    device: str = "cpu",
) -> Ran:
    """Make the cells of a profile that the store `folder` lacks, one after the other on one thread or on a GPU.

    `device` is one of those of `device_for`, "cpu" or "cuda". Cells that another process is making are waited for, and
    made here once their process is gone.

    Raises InputError for a folder that cannot be a store, and for a store that has cells of this experiment and profile
    from another definition. On an interrupt the finished cells stay.
    """
    code, store = code_of(one, device), _store(folder)
    asked = [
        (setting, index, question(one, profile, setting, index))
        for setting in one.designs[profile].settings
        for index in one.designs[profile].indices
    ]
    remarks = _refuse_other_definitions(one, profile, store, {each.key for _, _, each in asked}, code)
    finished: dict[int, Cell] = {}
    made, seconds, waiting = 0, 0.0, list(range(len(asked)))
    while waiting:
        busy = []
        for place in waiting:
            report(len(finished), len(asked))
            setting, index, each = asked[place]
            found, is_new = _found_or_made(one, store, each.cell(code), each, code, setting, remarks, device)
            if found is None:
                busy.append(place)
                continue
            meta, numbers = found
            made += is_new
            seconds += meta["wall_seconds"]
            finished[place] = Cell(setting, index, {key: numbers[key] for key in one.numbers})
        waiting = busy
        if waiting:
            time.sleep(_PAUSE)
    report(len(asked), len(asked))
    in_order = tuple(finished[place] for place in range(len(asked)))
    return Ran(in_order, made, seconds, code, tuple(dict.fromkeys(remarks)), device)


def _store(folder: Path) -> Store:
    """Return the store, made where it is missing; its messages name the option of this command."""
    try:
        return Store.create(folder)
    except InputError as error:
        raise InputError(error.message, error.hint.replace("--out", "--store"), error.kind) from None


def _found_or_made(
    one: Runs,
    store: Store,
    name: str,
    asked: Question,
    code: str,
    setting: Setting,
    remarks: list[str],
    device: str,
) -> tuple[tuple[dict, dict] | None, bool]:
    """Return the meta.json and the arrays of a cell, None where another process is making it; and whether it is new."""
    try:
        if store.is_there(name):
            return store.read(name), False
    except DamagedError as error:
        remarks.append(f"{error.message} It was set aside and made again.")

    def compute() -> tuple[dict[str, np.ndarray], dict]:
        with training.resumable(store.checkpoints, name):
            return _computed(one, setting, asked.seed, device)

    made = store.make(name, asked, code, compute)
    return (None, False) if made == BUSY else (store.read(name), made == MADE)


def _computed(one: Runs, setting: Setting, seed: int, device: str) -> tuple[dict[str, np.ndarray], dict]:
    """Return the arrays and the facts of a cell; its seconds are those of this process, which may have resumed it."""
    started, clock = datetime.now(UTC), time.perf_counter()
    where = () if device == "cpu" else (device,)
    try:
        with _one_thread():
            numbers = {key: np.asarray(value, dtype=float) for key, value in one.cell(setting, seed, *where).items()}
    except torch.OutOfMemoryError as error:
        raise OutOfReachError(
            f"{one.name}: the GPU has not enough free memory for a cell.",
            "Use --device cpu, or a larger GPU.",
            "memory",
        ) from error
    facts = _facts(one, numbers, started, time.perf_counter() - clock, device)
    runs = facts["replicates"]
    plain = {"times": np.zeros(0), "replicates": np.arange(runs), "diverged": np.zeros(runs, dtype=bool)}
    return {**plain, **numbers}, facts


def _facts(one: Runs, numbers: dict[str, np.ndarray], started: datetime, seconds: float, device: str) -> dict:
    if set(numbers) != set(one.numbers) or len({len(value) for value in numbers.values()}) != 1:
        shapes = {key: value.shape for key, value in numbers.items()}
        raise InputError(
            f"{one.name}: a cell gives the numbers {shapes}; it declares {', '.join(one.numbers)}.",
            "Give each declared number an array with the runs of the cell along its first axis.",
        )
    return {
        "state": cells.COMPLETE,
        "replicates": len(next(iter(numbers.values()))),
        "diverged": 0,
        "undefined": {},
        "versions": versions(device),
        "device": device,
        "steps": 0,
        "wall_seconds": round(seconds, 3),
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def versions(device: str = "cpu") -> dict[str, str]:
    """Return the versions of Python, of this package, and of what computes the numbers; on a GPU also its name."""
    found = {"python": platform.python_version(), **{name: version(name) for name in (DISTRIBUTION, "numpy", "torch")}}
    if device == "cuda":
        found |= {"cuda": str(torch.version.cuda), "gpu": torch.cuda.get_device_name()}
    return found


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute with one thread: the bits must not depend on the machine's cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _refuse_other_definitions(one: Runs, profile: str, store: Store, keys: set[str], code: str) -> list[str]:
    """Raise InputError for cells of another definition; return remarks on cells that another version has made."""
    older = 0
    for name in store.names():
        claim = cells.claimed(store.place(name))
        if claim is None:
            continue
        if claim[0] in keys:
            older += claim[1] != code
            continue
        try:
            asked = parse_json(store.meta(name)["problem"])
        except (DamagedError, ValueError, TypeError):
            continue
        if (asked.get("reproduction"), asked.get("profile")) == (one.name, profile):
            raise InputError(
                f"{store.folder} has cells of {one.name} ({profile}) from the definition {asked.get('definition')}; "
                f"this version has the definition {one.definition(profile)}, so that the two answer other questions.",
                "Name another folder with --store, or use the version that made it.",
                "version",
            )
    return (
        [f"{older} cells of {one.name} were made by another version of the code or on another device; they stay."]
        if older
        else []
    )

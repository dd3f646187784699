"""The types of a reproduction: the printed statements, the designs, one cell, and the rule's inputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from derivations.seals import canonical, digest
from theory.problem import OBSERVABLES, InputError

Setting = Mapping[str, int | float | str]
Numbers = Mapping[str, np.ndarray]  # each with the runs of the cell along its first axis
PROFILES = ("quick", "full")
INHERITED, UNSAID, UNDECIDED, REMARK = INSTEAD = ("INHERITED", "UNSAID", "UNDECIDED", "REMARK")  # for another one
PREDICTION, LINEARISED, REFERENCE = KINDS = ("prediction", "linearised", "reference")  # of numbers of the theory


@dataclass(frozen=True)
class Target:
    """A printed statement on one measured quantity, and the rule that judges it.

    With a `value` the statement is a number: `half_unit` is half a unit of its last printed digit, 0 if it is exact,
    and `margin` the largest half width of an interval that decides. Where the statement is that a number is near the
    value, `within` says how near, and takes the place of both. Without a value it is an order, put so that it states a
    positive mean; `margin` is then the smallest mean that would count as the stated effect.
    An `identity` holds by counting or by definition: it tests the program alone, and says so on the page.
    `explains` says why a full run does not reproduce the statement, or cannot decide it; it is empty where it does.
    `instead` is a verdict that takes the place of NOT REPRODUCED where that would not be fair to the source (REMARK
    that of any), and `explains` gives the reason; it can be chosen after the run, which it does not change.
    """

    key: str
    printed: str
    value: float | None
    margin: float
    half_unit: float = 0.0
    explains: str = ""
    instead: str = ""
    within: float = 0.0
    identity: bool = False

    def __post_init__(self) -> None:
        if min(self.margin, self.half_unit, self.within) < 0:
            raise InputError(
                f"{self.key}: margin, half_unit and within must not be negative.", "Give their absolute values."
            )
        if self.within and (self.value is None or self.half_unit or self.margin):
            raise InputError(
                f"{self.key}: `within` is for a value, and takes the place of margin and half_unit.",
                "Give one of them.",
            )
        if self.instead and (self.instead not in INSTEAD or not self.explains):
            raise InputError(
                f"{self.key}: {self.instead!r} may not stand for another verdict, or no reason is given.",
                f"Take one of {', '.join(INSTEAD)}, and say why in `explains`.",
            )


@dataclass(frozen=True)
class Design:
    """A profile: its description, the settings of its cells, the seeds of each setting, and its time on one thread.

    `first` is the number of the first seed. A design that is enlarged after its run takes seeds that had no part in the
    decision to enlarge it.
    """

    text: str
    settings: tuple[Setting, ...]
    seeds: int
    seconds: float
    first: int = 0

    @property
    def indices(self) -> range:
        """The numbers of the seeds."""
        return range(self.first, self.first + self.seeds)


@dataclass(frozen=True)
class Cell:
    """A finished cell: its setting, the number of its seed, and its numbers."""

    setting: Setting
    index: int
    numbers: Numbers


@dataclass(frozen=True)
class Beside:
    """A number of the theory beside the measured runs: the statement, the theory's number, and the values of the runs.

    `values` is None where the statement compares nothing. `kind` says what the number is to them: a PREDICTION, which
    their mean meets up to its scatter, that of LINEARISED training, which they leave, or a REFERENCE for orientation.
    """

    key: str
    text: str
    theory: float
    values: np.ndarray | None = None
    kind: str = PREDICTION


Cells = Sequence[Cell]


@dataclass(frozen=True, kw_only=True)
class Runs:
    """A set of runs that a store can hold: the designs by profile, and the function that makes a cell.

    `cell(setting, seed)` makes the numbers of one cell and depends on nothing else; `numbers` names them. A cell that
    can be made on a GPU takes the device, "cpu" or "cuda", as a third argument `device`, on which its numbers depend as
    well.
    """

    name: str
    designs: Mapping[str, Design]
    numbers: tuple[str, ...]
    cell: Callable[..., Numbers]

    def __post_init__(self) -> None:
        if taken := sorted(set(self.numbers) & {*OBSERVABLES, "times", "replicates", "diverged"}):
            raise InputError(
                f"{self.name}: {', '.join(taken)} are names of arrays that a store of sweeps checks by other rules.",
                "Give the numbers of a cell other names.",
            )

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices on which a cell can be made."""
        return ("cpu", "cuda") if "device" in signature(self.cell).parameters else ("cpu",)

    def definition(self, profile: str) -> str:
        """Return the hash of what is fixed before a run. Words, which can be improved afterwards, are no part of it."""
        return digest(canonical(self._fixed(profile)))[:16]

    def _fixed(self, profile: str) -> dict[str, Any]:
        design = self.designs[profile]
        return {
            "name": self.name,
            "profile": profile,
            "settings": [dict(setting) for setting in design.settings],
            "seeds": design.seeds,
            **({"first": design.first} if design.first else {}),
            "numbers": list(self.numbers),
        }


@dataclass(frozen=True, kw_only=True)
class Theory(Runs):
    """The theory beside an experiment, from cells of its own: networks of the same kinds on the same data.

    It is for experiments whose cells measure nothing that a theory speaks of. `beside(cells)` reads its cells.
    """

    beside: Callable[[Cells], tuple[Beside, ...]]


@dataclass(frozen=True, kw_only=True)
class Reproduction(Runs):
    """An experiment of a source.

    `source` is the stem of its document and `place` its figure or table; `unsaid` lists what the source leaves open and
    what is assumed for it. `measure(cells)` returns the values of the runs for the key of each target. `rule` states in
    words how the targets are judged. All of this is fixed before the full profile runs. `datasets` are the sets of
    images that a run reads. `shows` says after the run what a reader learns from its numbers beyond the verdicts.
    `described` is False where the source describes no experiment: formulas of it stand beside networks of ours, and its
    verdicts are not counted among those on experiments.

    The theory on top is `beside(cells)` of the experiment's own cells, or `theory`, which has its own; `no_theory` says
    why there is neither, or where it stands.
    """

    title: str
    source: str
    place: str
    setup: str
    unsaid: tuple[tuple[str, str], ...]
    rule: str
    targets: tuple[Target, ...]
    measure: Callable[[Cells], Mapping[str, np.ndarray]]
    beside: Callable[[Cells], tuple[Beside, ...]] | None = None
    theory: Theory | None = None
    no_theory: str = ""
    datasets: tuple[str, ...] = ()
    shows: str = ""
    described: bool = True

    def _fixed(self, profile: str) -> dict[str, Any]:
        targets = [[t.key, t.value, t.margin, t.half_unit, *([t.within] if t.within else [])] for t in self.targets]
        return {**super()._fixed(profile), "targets": targets}


def half_unit_of(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    >>> half_unit_of("71.4"), half_unit_of("100")
    (0.05, 0.5)
    """
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def pooled(cells: Cells, number: str, **setting: int | float | str) -> np.ndarray:
    """Return a number of all cells with these entries in their setting, runs along the first axis, in order of seeds.

    Raises InputError where no cell has them.

    >>> cells = [Cell({"depth": d}, 0, {"loss": np.array([1.0 * d])}) for d in (2, 4)]
    >>> pooled(cells, "loss", depth=4).tolist()
    [4.0]
    """
    chosen = [cell for cell in cells if all(cell.setting[key] == value for key, value in setting.items())]
    if not chosen:
        raise InputError(f"No cell has the setting {dict(setting)}.", "Take a setting of the design.")
    return np.concatenate([cell.numbers[number] for cell in sorted(chosen, key=lambda cell: cell.index)])


def levels(cells: Cells, entry: str) -> list[Any]:
    """Return the values that an entry of the settings takes, ascending.

    >>> levels([Cell({"depth": d}, 0, {}) for d in (4, 2, 4)], "depth")
    [2, 4]
    """
    return sorted({cell.setting[entry] for cell in cells})


def best_of(cells: Cells, number: str, entry: str) -> np.ndarray:
    """Return a number of the cells at the value of the entry at which its mean is the largest.

    >>> cells = [Cell({"rate": rate}, 0, {"accuracy": np.array([100 * rate])}) for rate in (0.1, 0.01)]
    >>> best_of(cells, "accuracy", "rate").tolist()
    [10.0]
    """
    by_value = [pooled(cells, number, **{entry: value}) for value in levels(cells, entry)]
    return max(by_value, key=lambda values: values.mean())


def trend(values: np.ndarray) -> np.ndarray:
    """Return the least-squares slope of each run over the columns, which are taken as equally spaced.

    >>> trend(np.array([[0.0, 2.0, 4.0], [1.0, 1.0, 1.0]])).tolist()
    [2.0, 0.0]
    """
    places = np.arange(values.shape[1]) - (values.shape[1] - 1) / 2
    return values @ places / (places @ places)

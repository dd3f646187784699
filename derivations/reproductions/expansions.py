"""Theory beside networks that train on mini-batches, by any loss and optimiser: their linearised training, its end, and
the exact law of the kernel at the start."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import torch
from jaxtyping import Float

from derivations.reproductions.model import LINEARISED, Beside, Cells, pooled
from derivations.reproductions.networks import apart, leaves
from derivations.reproductions.training import train_family
from sim.deep import ExampleSet, Family, FamilyRun, LinearisedRun, Settings, kernels_of, recorded, train_linearised
from sim.kernels import tangent_kernel
from theory.kernels import GAUSSIAN, SIGNS, GatedNetwork, GivenValues, mean, variance

COURSE = ("trained", "linearised", "change")
_EXAMPLES = 50  # of the kernels along training
_LAWS = {"normal": GAUSSIAN, "signs": SIGNS}


@dataclass(frozen=True, eq=False)
class Courses:
    """Losses of networks over those at the start, trained and linearised, and the change of their kernels, (S, stages).

    `change` is the Frobenius norm of K_t - K_0 over that of K_0, on some of the examples.
    """

    trained: Float[np.ndarray, "S stages"]
    linearised: Float[np.ndarray, "S stages"]
    change: Float[np.ndarray, "S stages"]

    def numbers(self, name: str) -> dict[str, np.ndarray]:
        """Return the numbers of a cell with a run for each network."""
        return {f"{name} {key}": getattr(self, key) for key in COURSE}


def courses(run: FamilyRun, linear: LinearisedRun, name: str, stages: Sequence[int], part: ExampleSet) -> Courses:
    """Return the courses of a member at recorded stages, the first of them 0; kernels are those of the examples `part`.

    `part` is in float64.
    """
    trained, linearised = (np.stack([each.losses(name, stage) for stage in stages], axis=1) for each in (run, linear))
    kernels = torch.stack([kernel_at(run, name, stage, part) for stage in stages], dim=1)
    moved = torch.linalg.matrix_norm(kernels - kernels[:, :1]) / torch.linalg.matrix_norm(kernels[:, :1])
    return Courses(trained / trained[:, :1], linearised / linearised[:, :1], moved.numpy())


def first_courses(
    family: Family, data: ExampleSet, settings: Settings, stages: Sequence[int], names: Iterable[str]
) -> dict[str, np.ndarray]:
    """Train a family and its expansions up to the last of the stages; return the courses of these members.

    The first stage is 0. The kernels are those of the first 50 examples.
    """
    run = train_family(family, data, settings, stages[-1], stages=stages)
    linear = train_linearised(family, data, settings, stages[-1], stages=stages)
    part = ExampleSet(data.x[:_EXAMPLES].double(), data.y[:_EXAMPLES])
    numbers = {}
    for name in names:
        numbers |= courses(run, linear, name, stages, part).numbers(name)
    return numbers


def entries(
    family: Family, name: str, data: ExampleSet, settings: Settings, draws: int
) -> Float[np.ndarray, "S draws"]:
    """Return the standardised entries of `entry_at_start` of `draws` networks for each one of the family.

    The entry is that of the first example.
    """
    drawn = replace(family, members=(family.member(name),), replicates=family.replicates * draws)
    run = train_family(drawn, data, settings, 0, stages=(0,))
    return entry_at_start(run, name, data.x[0]).reshape(family.replicates, draws)


def kernel_at(run: FamilyRun, name: str, stage: int, part: ExampleSet) -> Float[torch.Tensor, "S n n"]:
    """Return the tangent kernel of a member at a recorded stage on the examples `part`, in float64."""
    return kernels_of(run.family, name, in_float64(run, stage), part).tangent


def in_float64(run: FamilyRun, stage: int) -> dict[str, torch.Tensor]:
    """Return the parameters of the whole family at a recorded stage, in float64."""
    return {theta: stack.double() for theta, stack in run.at(stage).items()}


def entry_at_start(run: FamilyRun, name: str, x: Float[torch.Tensor, " n"]) -> Float[np.ndarray, " S"]:
    """Return K0^w(x, x) of the first output, less its exact mean and over its exact deviation, both given the gates.

    The gates are those of a second network, independent of the weights, whose law and layers' variances are those of
    the family's start. By this law the square has the mean 1.
    """
    family, inputs = run.family, x.double()[None]
    at = recorded(run, name, 0, inputs)
    values = torch.ones_like(inputs) if family.member(name).network.value_input == "ones" else inputs
    scores = []
    for replicate in range(family.replicates):
        weights = [at.parameters[theta][replicate].double() for theta in family.names]
        weights[-1] = weights[-1][:1]
        gates = [level[replicate].double() for level in at.gates]
        entry = float(tangent_kernel(weights, values, gates=gates)[0, 0])
        scores.append(standardised(entry, values[0].tolist(), [level[0].tolist() for level in gates], family))
    return np.array(scores)


def standardised(entry: float, x: Sequence[float], gates: Sequence[Sequence[float]], family: Family) -> float:
    """Return an entry K0(x, x) less its exact mean, over its exact standard deviation, given all gates."""
    net = GatedNetwork(
        GivenValues((tuple(Fraction(value) for value in x),)),
        [GivenValues((tuple(Fraction(value) for value in level),)) for level in gates],
        _LAWS[family.start.law],
    )
    variances = [Fraction(scale) ** 2 for scale in family.start.scales]
    middle, spread = mean(net, (0, 0), variances), variance(net, (0, 0), variances)
    return (entry - float(middle)) / float(spread) ** 0.5


def beside_courses(
    cells: Cells, names: Mapping[str, str], stages: Sequence[int], **setting: int | float | str
) -> list[Beside]:
    """Return the linearised loss beside the trained one at the last stage, and when training leaves it, by member.

    `names` are the members with their words. The words have the change of the kernel at the stage where it leaves, if
    the cells have it. Expansions whose loss grows beyond that at the start, as it does where the learning rate is too
    large for K_0, are counted in words and in no mean.
    """
    rows = []
    said = "".join(f", {value}" for value in setting.values())
    for name, words in names.items():
        trained, linear = (pooled(cells, f"{name} {key}", **setting) for key in COURSE[:2])
        has_change = f"{name} {COURSE[2]}" in cells[0].numbers
        change = pooled(cells, f"{name} {COURSE[2]}", **setting) if has_change else None
        last, away = trained.shape[1] - 1, apart(trained, linear)
        place = np.where(away.any(axis=1), away.argmax(axis=1), last)
        left = np.where(away.any(axis=1), np.array(stages)[place], -1)
        moved = None if change is None else change[np.arange(len(change)), place]
        text = f"{words}: loss after {stages[last]} steps over that at the start, of the expansion beside the network"
        when, key = leaves(left, moved, stages[last]), f"linearised, {name}{said}"
        stays = linear[:, -1] <= linear[:, 0]  # not where it is nan
        grown = len(stays) - stays.sum()
        if grown:
            text += f"; {grown} of {len(stays)} expansions grow beyond their start"
        if grown and stays.sum() < 2:  # no interval could be given of the others
            rows.append(
                Beside(key, f"{text}, the theory here is their share; {when}", float(1 - stays.mean()), kind=LINEARISED)
            )
            continue
        text += ", and the means are those of the others" if grown else ""
        rows.append(Beside(key, f"{text}; {when}", float(linear[stays, -1].mean()), trained[stays, -1], LINEARISED))
    return rows


def beside_entry(values: Float[np.ndarray, " S"], key: str) -> Beside:
    """Return the squares of standardised entries beside their exact mean."""
    text = r"$(K_0^w(1, 1) - \mathrm{E} K_0^w(1, 1))^2$ over the exact variance, both given the gates"
    return Beside(key, text, 1.0, values**2)

"""Theory beside networks that train on mini-batches, by any loss and optimiser: their linearised training, its end, and
the exact law of the kernel at the start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch
from jaxtyping import Float

from derivations.reproductions.model import Beside, Cells, pooled
from derivations.reproductions.networks import apart, leaves
from sim.deep import ExampleSet, Family, FamilyRun, LinearisedRun, kernels_of, recorded
from sim.kernels import tangent_kernel
from theory.kernels import GAUSSIAN, SIGNS, GatedNetwork, GivenValues, mean, variance

COURSE = ("trained", "linearised", "change")
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
    trained, linearised = (np.stack([own.losses(name, stage) for stage in stages], axis=1) for own in (run, linear))
    kernels = torch.stack([kernel_at(run, name, stage, part) for stage in stages], dim=1)
    moved = torch.linalg.matrix_norm(kernels - kernels[:, :1]) / torch.linalg.matrix_norm(kernels[:, :1])
    return Courses(trained / trained[:, :1], linearised / linearised[:, :1], moved.numpy())


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
    found = []
    for replicate in range(family.replicates):
        weights = [at.parameters[theta][replicate].double() for theta in family.names]
        weights[-1] = weights[-1][:1]
        gates = [level[replicate].double() for level in at.gates]
        entry = float(tangent_kernel(weights, values, gates=gates)[0, 0])
        found.append(standardised(entry, values[0].tolist(), [level[0].tolist() for level in gates], family))
    return np.array(found)


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

    `names` are the members with their words. The words have the change of the kernel at the stage where it leaves.
    """
    rows = []
    for name, words in names.items():
        trained, linear, change = (pooled(cells, f"{name} {key}", **setting) for key in COURSE)
        last = trained.shape[1] - 1
        away = apart(trained, linear)
        place = np.where(away.any(axis=1), away.argmax(axis=1), last)
        steps = np.array(stages)[place]
        left = np.where(away.any(axis=1), steps, -1)
        when = leaves(left, change[np.arange(len(change)), place], stages[last])
        text = f"{words}: loss over that at the start after {stages[last]} steps, linearised beside trained; {when}"
        said = ", ".join(str(value) for value in setting.values())
        rows.append(
            Beside(f"linearised, {name}{', ' if said else ''}{said}", text, float(linear[:, -1].mean()), trained[:, -1])
        )
    return rows


def beside_entry(values: Float[np.ndarray, " S"], key: str) -> Beside:
    """Return the squares of standardised entries beside their exact mean."""
    text = r"$(K_0^w(1, 1) - \mathrm{E} K_0^w(1, 1))^2$ over the exact variance, both given the gates"
    return Beside(key, text, 1.0, values**2)

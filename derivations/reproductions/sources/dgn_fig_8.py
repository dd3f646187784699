"""The alignment of tangent kernels with the labels along training: gates that adapt, learned, random, and their K^a."""

import numpy as np
import torch

from derivations.reproductions.expansions import (
    COURSE,
    beside_courses,
    beside_entry,
    courses,
    entry_at_start,
    in_float64,
)
from derivations.reproductions.model import (
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    pooled,
)
from derivations.reproductions.networks import connected
from derivations.reproductions.sources.dgn_fig_7 import BATCH, BETA, RATE, WIDTHS, two_digits
from derivations.reproductions.training import train_family
from sim.deep import (
    ExampleSet,
    FamilyRun,
    Settings,
    features_of,
    flnpf,
    galu,
    kernels_of,
    relu,
    rmsprop,
    soft_galu,
    soft_relu,
    train_linearised,
)
from sim.kernels import nu

STEPS = (0, 1, 3, 10, 30, 100, 300, 379, 1895, 7580, 37_900)  # the last four: 1, 5, 20 and 100 epochs
ADAPT = {"soft-galu": "soft-GaLU", "soft-relu": "soft-ReLU", "relu": "ReLU"}
_ALL = (*ADAPT, "galu", "flnpf")
_LATE = 379  # the first epoch, from which on statements on the training are judged
_LINEARISED = ("relu", "galu", "soft-galu", "soft-relu")


def cell(setting: Setting, seed: int) -> Numbers:
    """Train networks of each kind; return nu of K_t/tr K_t, of K^a and of K^a/tr K^a on 200 examples at the stages."""
    networks, most = int(setting["networks"]), int(setting["steps"])
    data = two_digits(int(setting["size"]) or None).load().training()
    part = two_digits(int(setting["examples"])).load(torch.float64).training()
    settings = Settings("half-mse", rmsprop(), RATE, batch=BATCH, seed=seed)
    stages = [step for step in STEPS if step <= most]
    kinds = (relu(WIDTHS), soft_relu(WIDTHS, BETA, 0), soft_galu(WIDTHS, BETA, 0), galu(WIDTHS))
    family = connected(kinds, networks, data, 1, seed, "signs")
    first = train_family(family, data, settings, most, stages=stages)
    learned = connected((flnpf(WIDTHS, features_of(first, "relu", most)),), networks, data, 1, seed ^ 1, "signs")
    second = train_family(learned, data, settings, most, stages=stages)
    short = [stage for stage in stages if stage <= int(setting["linearised"])]
    linear = train_linearised(family, data, settings, short[-1], stages=short)
    numbers = {f"{name} nu": _nu(second if name == "flnpf" else first, name, stages, part) for name in _ALL}
    for by_trace, name in ((False, "gates nu"), (True, "gates nu by trace")):
        numbers[name] = _nu(first, "soft-galu", stages, part, of_gates=True, by_trace=by_trace)
    for name in _LINEARISED:
        numbers |= courses(first, linear, name, short, part).numbers(name)
    return numbers | {"entry": entry_at_start(first, "galu", part.x[0])}


def _nu(
    run: FamilyRun, name: str, stages: list[int], part: ExampleSet, of_gates: bool = False, by_trace: bool = True
) -> np.ndarray:
    """Return nu of a member's K, or K^a, at the stages, (S, stages)."""
    values = np.empty((run.family.replicates, len(stages)))
    for place, stage in enumerate(stages):
        kernels = kernels_of(run.family, name, in_float64(run, stage), part)
        for replicate, kernel in enumerate(kernels.of_gates if of_gates else kernels.tangent):
            values[replicate, place] = nu((kernel + kernel.T) / 2, part.y[:, 0], by_trace=by_trace).value
    return values


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the smallest distance of ln nu from that of frozen random gates, and the fall of nu of K^a."""
    random = np.log(pooled(cells, "galu nu"))
    late = [place for place, step in enumerate(STEPS[: random.shape[1]]) if step >= _LATE] or [-1]
    measured = {}
    for name in (*ADAPT, "flnpf"):
        measured[f"below, {name}"] = (random - np.log(pooled(cells, f"{name} nu")))[:, late].min(axis=1)
    for name in ("gates nu", "gates nu by trace"):
        values = np.log(pooled(cells, name))
        measured[f"falls, {name}"] = values[:, 0] - values[:, -1]
    return measured


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the exact law of an entry of the kernel at the start, and the linearised training."""
    return (
        beside_entry(pooled(cells, "entry"), "entry, galu"),
        *beside_courses(cells, {name: {**ADAPT, "galu": "GaLU"}[name] for name in _LINEARISED}, STEPS),
    )


REPRODUCTION = Reproduction(
    name="dgn-fig-8",
    title=r"$\nu_t$ of tangent kernels with adaptable, learned and random gates",
    source="deep-gated-networks",
    place="Figure 8 (Experiments 3 and 5)",
    setup=r"The networks of Figure 7 on the digits 4 and 7 of MNIST, $w = 100$, $d = 6$, RMSprop at 0.0001: $\nu_t$ of "
    r"$K_t/\mathrm{tr} K_t$, and of $K^a_t$ of the soft-GaLU network, as it is and over its trace.",
    unsaid=(
        ("images, loss, batches and initial weights", "those of `dgn-fig-7`"),
        (r"the examples of $\nu_t = y^\top H^{-1} y$", "100 training images of each digit"),
        ("what the hat on $K_t$ means", r"$K_t/\mathrm{tr} K_t$, as for $M_t$"),
        (
            "the times at which the order of two curves is judged",
            "'always': after 1, 5, 20 and 100 epochs, at all of which it has to hold",
        ),
        (
            "with what $K^a_t$ is compared, since frozen gates have none",
            r"with itself at the start: $\nu$ of $K^a$ falls while gates adapt",
        ),
        ("the number of runs", "5, as for Figure 7"),
    ),
    rule=r"Orders: the smallest difference, over the times, of $\ln \nu$ of frozen random gates less that of adaptable "
    r"gates, and of learned gates, has a positive mean (0.1 is the smallest that counts); $\ln \nu$ of $K^a$ and of "
    r"$K^a/\mathrm{tr} K^a$ falls from the start to the end (0.1).",
    targets=(
        *(
            Target(
                f"below, {name}",
                rf"$\nu_t$ of {said} is always below that of frozen random gates: at all four times",
                None,
                margin=0.1,
            )
            for name, said in {**ADAPT, "flnpf": "learned gates"}.items()
        ),
        Target("falls, gates nu", r"$\nu$ of $K^a$ falls while gates adapt, its growth included", None, 0.1),
        Target(
            "falls, gates nu by trace",
            r"when gates adapt, $K^a$ aligns with the labels: $\nu$ of $K^a/\mathrm{tr} K^a$ falls",
            None,
            0.1,
        ),
    ),
    designs={
        "quick": Design(
            "100 steps on 1,000 images, 3 networks of each kind",
            ({"networks": 3, "steps": 100, "linearised": 100, "size": 1000, "examples": 200},),
            1,
            20,
        ),
        "full": Design(
            "100 epochs, 5 networks of each kind; the linearised training for 20 epochs",
            ({"networks": 5, "steps": STEPS[-1], "linearised": 7580, "size": 0, "examples": 200},),
            1,
            1440,
        ),
    },
    numbers=(
        *(f"{name} nu" for name in _ALL),
        "gates nu",
        "gates nu by trace",
        *(f"{name} {key}" for name in _LINEARISED for key in COURSE),
        "entry",
    ),
    cell=cell,
    measure=measure,
    beside=comparisons,
    datasets=("mnist",),
)

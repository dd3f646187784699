"""Gates that adapt, frozen gates and gates taken from a trained network, on two digits of MNIST."""

import numpy as np
import torch

from derivations.reproductions.model import Cells, Design, Numbers, Reproduction, Setting, Target, pooled
from derivations.reproductions.networks import connected
from derivations.reproductions.training import train_family
from sim.deep import (
    ExampleSet,
    FamilyRun,
    LabelledImages,
    Settings,
    features_of,
    flnpf,
    frnpf,
    galu,
    kernels_of,
    recorded,
    relu,
    rmsprop,
    soft_galu,
    soft_relu,
)
from sim.kernels import nu

WIDTHS, BATCH, DIGITS, RATE, BETA, EPOCHS = (100,) * 5, 32, (4, 7), 1e-4, 4, 100
_ADAPT = {"soft-galu": "soft-GaLU", "soft-relu": "soft-ReLU", "relu": "ReLU"}
_FROZEN = ("galu", "frnpf-same", "flnpf")


def cell(setting: Setting, seed: int, device: str = "cpu") -> Numbers:
    """Train some networks of each kind; return test accuracies in percent, and nu of K_T/tr K_T on 200 examples."""
    size, epochs, runs = int(setting["size"]) or None, int(setting["epochs"]), int(setting["runs"])
    images = two_digits(size).load()
    data, held_out = images.training(), images.held_out()
    part = two_digits(int(setting["examples"])).load(torch.float64).training()
    settings = Settings("half-mse", rmsprop(), RATE, batch=BATCH, seed=seed, device=device)
    steps = epochs * -(-len(data.x) // BATCH)
    kinds = (relu(WIDTHS), soft_relu(WIDTHS, BETA, 0), soft_galu(WIDTHS, BETA, 0), galu(WIDTHS), frnpf(WIDTHS, "same"))
    first = train_family(connected(kinds, runs, data, 1, seed, "signs"), data, settings, steps)
    learned = connected((flnpf(WIDTHS, features_of(first, "relu", steps)),), runs, data, 1, seed ^ 1, "signs")
    second = train_family(learned, data, settings, steps)
    numbers = {}
    for name in (*_ADAPT, *_FROZEN):
        run = second if name == "flnpf" else first
        numbers[name] = _accuracies(run, name, held_out)
    for name in (*_ADAPT, "galu"):
        weights = {theta: stack.double() for theta, stack in first.state.parameters.items()}
        kernels = kernels_of(first.family, name, weights, part, device=device).tangent
        numbers[f"{name} nu"] = np.array([nu(kernel, part.y[:, 0], by_trace=True).value for kernel in kernels])
    return numbers


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return how far gates that adapt are ahead of frozen ones, learned gates of random ones, and the ratios of nu."""
    measured = {f"{name} ahead": pooled(cells, name) - pooled(cells, "galu") for name in _ADAPT}
    measured["relu ahead, same weights"] = pooled(cells, "relu") - pooled(cells, "frnpf-same")
    measured["learned gates ahead"] = pooled(cells, "flnpf") - pooled(cells, "galu")
    frozen = np.log(pooled(cells, "galu nu"))
    return measured | {f"{name} nu": frozen - np.log(pooled(cells, f"{name} nu")) for name in _ADAPT}


def two_digits(size: int | None) -> LabelledImages:
    """Return the digits 4 and 7 of MNIST, labelled -1 and 1; all of them, or `size` to train.

    >>> two_digits(200).classes
    (4, 7)
    """
    return LabelledImages("mnist", "unit", "signs", classes=DIGITS, size=size)


def _accuracies(run: FamilyRun, name: str, held_out: ExampleSet) -> np.ndarray:
    """Return the percentage of the held-out images on which the output of each network has the sign of the label."""
    output = recorded(run, name, run.state.step, held_out.x).output
    return 100 * (output.sign() == held_out.y).to(torch.float64).mean(dim=(1, 2)).numpy()


REPRODUCTION = Reproduction(
    name="dgn-fig-7",
    title="Gates that adapt, frozen gates, and gates taken from a trained network",
    source="deep-gated-networks",
    place="Figures 7 and 8 (Experiments 3, 4 and 5)",
    setup="The digits 4 and 7 of MNIST with the labels $-1$ and $1$, $w = 100$ and $d = 6$, RMSprop at 0.0001, 5 runs: "
    r"soft-GaLU and soft-ReLU with $\beta = 4$, ReLU, GaLU with the frozen gates of an independent network, of the "
    "initial weights, and of a ReLU network trained for 100 epochs.",
    unsaid=(
        ("the images that train and test", "all images of the two digits in both parts, with levels from 0 to 1"),
        ("the loss, and the size of a batch", "squared loss; 32"),
        ("the epochs of all networks but the one that gives its gates", f"{EPOCHS} for all"),
        (
            "the scale of the first layer, whose inputs are more than $w$",
            r"each layer has weights $\pm\sqrt{2/\text{fan-in}}$",
        ),
        ("how generalisation is measured", "the accuracy on the test images after the last epoch"),
        (r"the examples of $\nu_t$, and its times", "100 training images of each digit; after the last epoch"),
        ("the average over 5 runs", "10 runs"),
    ),
    rule="Orders: the test accuracies of soft-GaLU, soft-ReLU and ReLU are above that of GaLU with independent "
    "frozen gates, that of ReLU above that of GaLU with the gates of its initial weights, and that of GaLU with "
    r"learned gates above that with random ones (0.1 % is the smallest that counts); $\ln \nu$ of $K_T/\mathrm{tr} "
    "K_T$ is smaller for gates that adapt than for frozen ones (0.1 is the smallest that counts). The networks of a "
    "run share their batches, and all but those with learned gates start from the same values.",
    targets=(
        *(
            Target(f"{name} ahead", f"{printed} generalises better than GaLU with frozen gates", None, margin=0.1)
            for name, printed in _ADAPT.items()
        ),
        Target("relu ahead, same weights", "generalisation is better when the gates adapt", None, margin=0.1),
        Target("learned gates ahead", "learned gates generalise better than random ones", None, margin=0.1),
        *(
            Target(f"{name} nu", rf"$\nu_t$ of {printed} is smaller than that of frozen gates", None, margin=0.1)
            for name, printed in _ADAPT.items()
        ),
    ),
    designs={
        "quick": Design(
            "2 epochs on 1,000 images, 4 runs", ({"epochs": 2, "size": 1000, "examples": 200, "runs": 4},), 1, 5
        ),
        "full": Design(
            "the source's sizes, 10 runs in place of 5",
            ({"epochs": EPOCHS, "size": 0, "examples": 200, "runs": 5},),
            2,
            4500,
        ),
    },
    numbers=(*_ADAPT, *_FROZEN, *(f"{name} nu" for name in (*_ADAPT, "galu"))),
    cell=cell,
    measure=measure,
    no_theory="The theory beside the networks of this figure, trained and linearised, is that of `dgn-fig-8`.",
    datasets=("mnist",),
)

"""Facts and sentences that the answers about trained networks have in common."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from theory.problem import FiniteData, Law, Simulation
from theory.problem.distributions.arrays import FloatArray
from theory.problem.distributions.rows import RowsLaw

# The conditions under which networks have a distance from a prediction, in words.
UNDEFINED = "it needs five networks, a time after the start, and a prediction that is not 0"
_DECIMALS = 12  # of a probability that is a sum in float64


def about(run: Any) -> dict[str, Any]:
    """The facts of a training run (sim.training.run.Run) that `gdln simulate --json` prints for every network."""
    return {
        "replicates": len(run.replicates),
        "diverged": int(run.diverged.sum()),
        "device": run.device,
        "backend": run.backend,
        "dtype": run.dtype,
        "fallback": run.fallback,
        "seed": run.seed,
        "steps": run.steps,
    }


def with_error(mean: float, error: float | None) -> str:
    """Return a mean with its standard error, if there is one.

    >>> with_error(0.25, 0.0123), with_error(0.25, None)
    ('0.25 (0.01)', '0.25')
    """
    return f"{mean:.4g}" if error is None else f"{mean:.4g} ({error:.1g})"


def on_samples(settings: Simulation) -> str:
    """Return the sentence on the distance of networks in full-batch training from their prediction."""
    return (
        f"each network descends on its own {settings.samples} examples; the prediction is for infinitely many, and "
        "the mean of the networks differs from it by a term of order 1/samples."
    )


def indistinct(law: Law) -> tuple[str, ...]:
    """Return a sentence where all labels are alike, or where the parameters of a law are the same for every class.

    >>> from theory.problem import NonlinearGP
    >>> print(*indistinct(NonlinearGP(4, (2, 2), 1, "open", "none", (1, 0))))
    the classes of the law are the same but for their labels: an input says nothing about its label.
    """
    if len(set(law.labels)) == 1:
        return ("all labels of the law are alike: they do not depend on the input.",)
    if isinstance(law, RowsLaw | FiniteData):
        each = [tuple(map(FloatArray, _distributions(law)))]
    else:
        values = [getattr(law, field.name) for field in fields(law) if field.name not in ("labels", "priors", "shape")]
        values += [tuple(map(FloatArray, array)) for array in getattr(law, "declared", {}).values()]
        each = [value for value in values if isinstance(value, tuple) and len(value) == law.classes]
    if not each or any(entry != value[0] for value in each for entry in value):
        return ()
    return ("the classes of the law are the same but for their labels: an input says nothing about its label.",)


def _distributions(law: RowsLaw | FiniteData) -> Iterator[np.ndarray]:
    """The different examples of each class, ascending, each with its context and probability, up to rounding."""
    if isinstance(law, FiniteData):
        x, p = np.array(law.x, float), np.array(law.example_probabilities, float)
        context, category = np.array(law.context or [0] * len(x)), np.array(law.category)
    else:
        x, p, category = law.rows.x, law.rows.probabilities, law.category
        context = np.zeros(len(x)) if law.rows.context is None else law.rows.context
    by_class = np.argsort(category, kind="stable")
    for mine in np.split(by_class, np.cumsum(np.bincount(category))[:-1]):
        rows, place = np.unique(np.column_stack([x[mine], context[mine]]), axis=0, return_inverse=True)
        share = np.bincount(place.ravel(), p[mine]) / p[mine].sum()
        yield np.column_stack([rows + 0.0, share.round(_DECIMALS)])  # -0 is 0

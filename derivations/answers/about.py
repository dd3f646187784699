"""Facts and sentences that the answers about trained networks have in common."""

from dataclasses import fields
from typing import Any

from theory.problem import Law
from theory.problem.distributions.arrays import FloatArray

# The conditions under which networks have a distance from a prediction, in words.
UNDEFINED = "it needs five networks, a time after the start, and a prediction that is not 0"


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


def indistinct(law: Law) -> tuple[str, ...]:
    """Return a sentence where all labels are alike, or where the parameters of a law are the same for every class.

    >>> from theory.problem import NonlinearGP
    >>> print(*indistinct(NonlinearGP(4, (2, 2), 1, "open", "none", (1, 0))))
    the classes of the law are the same but for their labels: an input says nothing about its label.
    """
    if len(set(law.labels)) == 1:
        return ("all labels of the law are alike: they do not depend on the input.",)
    if getattr(law, "file", ""):  # an archive, whose arrays are no fields
        return ()
    values = [getattr(law, field.name) for field in fields(law) if field.name not in ("labels", "priors", "shape")]
    values = [tuple(map(FloatArray, value.numbers)) if isinstance(value, FloatArray) else value for value in values]
    each = [value for value in values if isinstance(value, tuple) and len(value) == law.classes]
    if not each or any(entry != value[0] for value in each for entry in value):
        return ()
    return ("the classes of the law are the same but for their labels: an input says nothing about its label.",)

"""Facts and sentences that the answers about trained networks have in common."""

from typing import Any

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

"""The facts of a training run that the answers about trained networks have in common."""

from typing import Any


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

"""Do two units that share a gate keep the difference of their weights?

Decision rule, fixed before the run: at the end no entry of w_1 - w_2 has moved by more than rounding, of both units
once a step. Control: the sum w_1 + w_2, which learns, must not pass.
"""

from collections.abc import Mapping

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from sim.train import train
from theory.claims.model import CheckResult, Claim, Level, Outcome

CLAIM = "flow.redundant.difference"
_ROUNDING = float(np.finfo(np.float32).eps)


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train the pair and apply the rule to the difference and, as a control, to the sum."""
    del claims
    trained = train(problem_named("redundant-pair"), device=settings.device)
    progress("training two units with one gate", 1.0)
    first, second = trained.weights[:, :, 0], trained.weights[:, :, 1]
    allowed = 2 * trained.steps * _ROUNDING * float(np.abs(trained.weights).max())
    kept, learned = (float(np.abs(w[:, -1] - w[:, 0]).max()) for w in (first - second, first + second))
    return Finding(
        results=(
            _result(Level.SIMULATED, kept <= allowed, kept, allowed, "largest change of w_1 - w_2"),
            _result(Level.NEGATIVE_CONTROL, learned > allowed, learned, allowed, "the rule rejects w_1 + w_2"),
        )
    )


def _result(level: Level, passed: bool, worst: float, allowed: float, where: str) -> CheckResult:
    return CheckResult(CLAIM, level, Outcome.PASS if passed else Outcome.FAIL, worst, allowed, where)


EXPERIMENT = Experiment("redundant_pair", "Two units with one gate", (CLAIM,), run)

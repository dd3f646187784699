"""Does training approach the gradient flow as the learning rate goes to zero, at first order?

Full-batch training on one fixed sample at the learning rates eta, eta/2, eta/4 is deterministic, so the claim is
conditional on the sample: the closed-form flow is taken at the sample's own moments. Decision rule, fixed before the
run: the second-order extrapolation (w(eta) - 6 w(eta/2) + 8 w(eta/4))/3 lies closer to the closed form than the
first-order one 2 w(eta/4) - w(eta/2), which must lie closer than w(eta/4); both distances at eta/2 and eta/4 have
the slope 1 within a tenth; and the flow as printed, K tau dw/dt = b - A w, is farther off than w(eta).
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.statistics.comparison import seed_for
from sim.train import train
from sim.training.run import Run
from theory.claims.float_flow import float64_flow
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import Problem

CLAIM = "flow.mode.solution"
RATES = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
_TIME = Fraction(8)
_SAMPLES = 4000
_SLOPE_MARGIN = 0.1


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train at three learning rates on one sample and compare the extrapolations with the closed form."""
    del claims
    runs: list[Run] = []
    for index, rate in enumerate(RATES):
        sample = runs[0].sample if runs else None
        runs.append(train(_problem(rate), device=settings.device, sample=sample))
        progress("training at smaller and smaller rates", (index + 1) / len(RATES))
    trained = [one.weights[0, -1, 0] for one in runs]
    gate, x, y = (tensor[0].cpu().numpy() for tensor in (runs[0].sample.gate, runs[0].sample.x, runs[0].sample.y))
    opened = gate[0] > 0
    second = (x[opened].T @ x[opened] / len(x)).tolist()
    force = (y[opened] @ x[opened] / len(x)).tolist()
    start = _problem(RATES[0]).w0()[:1].tolist()
    flow = float64_flow(second, force, start, 2, float(_TIME)).weights[0, 0]
    # K tau dw/dt = b - A w is the flow of one unit (K = 1) in units of K tau.
    printed = float64_flow(second, force, start, 1, float(_TIME) / 2).weights[0, 0]
    result = decide(trained, flow, printed)
    return Finding(results=(result,), remarks=(_remark(result),), estimates={f"{CLAIM}/small-bump": result.details})


def decide(trained: list[np.ndarray], flow: np.ndarray, printed: np.ndarray) -> CheckResult:
    """The rule of this experiment on weights (n,) trained at eta, eta/2, eta/4 and the two closed forms."""
    coarse, middle, fine = trained
    distances = [float(np.linalg.norm(weights - flow)) for weights in trained]
    slopes = [float(np.log2(larger / smaller)) for larger, smaller in pairwise(distances)]
    first = float(np.linalg.norm(2 * fine - middle - flow))
    second = float(np.linalg.norm((coarse - 6 * middle + 8 * fine) / 3 - flow))
    wrong = float(np.linalg.norm(fine - printed))
    faults = []
    if not second < first < distances[2]:
        faults.append("the extrapolations do not approach the closed form")
    if any(abs(slope - 1) > _SLOPE_MARGIN for slope in slopes):
        faults.append(f"the slopes in the learning rate are {slopes}")
    if not wrong > distances[0]:
        faults.append("the printed flow is no farther off")
    details = {
        "distances": distances,
        "slopes": slopes,
        "first_order_extrapolation": first,
        "second_order_extrapolation": second,
        "printed_flow": wrong,
        "scale": float(np.linalg.norm(flow)),
    }
    where = "; ".join(faults) or f"slopes {slopes[0]:.3f}, {slopes[1]:.3f} in the learning rate"
    outcome = Outcome.FAIL if faults else Outcome.PASS
    return CheckResult(CLAIM, Level.SIMULATED, outcome, second, first, where, details)


def _problem(rate: Fraction) -> Problem:
    problem = problem_named("small-bump")
    simulation = replace(
        problem.simulated(),
        mode="full-batch",
        batch=None,
        samples=_SAMPLES,
        replicates=2,
        learning_rate=rate,
        seed=seed_for(f"flow_limit/{CLAIM}"),
    )
    return replace(problem, training=replace(problem.training, times=(_TIME,)), simulation=simulation)


def _remark(result: CheckResult) -> str:
    details = result.details
    return (
        f"Learning rate to zero (full batch, one sample, $t = {float(_TIME):g}$): distance of the trained "
        f"weights to the closed-form flow {', '.join(f'{d:.2e}' for d in details['distances'])} at rates "
        f"{', '.join(str(rate) for rate in RATES)}, slopes {', '.join(f'{s:.3f}' for s in details['slopes'])}; "
        f"extrapolated {details['first_order_extrapolation']:.1e} (first order), "
        f"{details['second_order_extrapolation']:.1e} (second order), of {details['scale']:.2f}; the printed flow is "
        f"{details['printed_flow']:.2f} off."
    )


EXPERIMENT = Experiment("flow_limit", "The learning rate going to zero", (CLAIM,), run)

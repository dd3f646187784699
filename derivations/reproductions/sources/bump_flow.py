"""The small-bump gate: its gated moments, and the weights that training finds, beside what the note prints."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np
import torch

from derivations.reproductions.model import (
    INHERITED,
    UNSAID,
    Beside,
    Cells,
    Design,
    Numbers,
    Reproduction,
    Setting,
    Target,
    levels,
    pooled,
)
from derivations.reproductions.weights import along, online
from sim.measure import measure as measure_networks
from sim.measure.receptive_fields import participation_ratio
from sim.train import fixed_sample, train
from theory.claims.registry import catalog
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import GaussianClone, LossAtTimes, Network, NonlinearGP, Problem, SiteGate

SITES, GATE, GAIN, END, BATCH = 40, 20, 1, 400, 4000
LAWS = {"process": NonlinearGP, "clone": GaussianClone}
ORDERS = {"long first": (2, 1), "short first": (1, 2)}  # the lengths of the classes y = 1 and y = 0


def cell(setting: Setting, seed: int) -> Numbers:
    """Measure the gated moments of samples, and train networks of the two gates from small weights."""
    bump_problem = problem(setting, seed)
    trained = train(bump_problem, "cpu")
    numbers = {f"w{unit + 1}": trained.weights[:, -1, unit] for unit in range(2)}
    numbers["error"] = measure_networks(LossAtTimes(), trained, "cpu").values[:, -1]
    moments = _moments(problem(setting, seed ^ 1))
    within = _moments(problem(setting, seed ^ 1, normaliser="none"), in_class=1)
    return numbers | moments | {f"{name} in class 1": values for name, values in within.items() if name != "cross"}


def problem(setting: Setting, seed: int, normaliser: str = "unit-variance") -> Problem:
    """Return the problem of a setting: two complementary gates at one site.

    >>> problem({"law": "process", "order": "long first", "networks": 2, "samples": 100}, 0).network.units
    2
    """
    law = LAWS[str(setting["law"])](SITES, ORDERS[str(setting["order"])], GAIN, "open", normaliser, (1, 0))
    gates = (SiteGate(GATE, lo=0, on="input"), SiteGate(GATE, hi=0, on="input"))
    network, samples = Network("gated-linear", "mean", 2, gates), int(setting["samples"])
    return online(setting, seed, law, network, (END,), rate=1, batch=BATCH, samples=samples, scale=Fraction(1, 1000))


def _moments(bump_problem: Problem, in_class: int | None = None) -> dict[str, np.ndarray]:
    """Return <g_1 y x>, <g_1 x x^T> and max |<g_1 g_2 x x^T>| of one sample for each network, flat.

    With `in_class` they are means over the examples with this label alone.
    """
    moments: dict[str, list[np.ndarray]] = {"yx": [], "xx": [], "cross": []}
    for number in range(bump_problem.simulated().replicates):
        drawn = fixed_sample(bump_problem, [number], torch.device("cpu"), torch.float64)
        x, y, gate = drawn.x[0], drawn.y[0], drawn.gate[0]
        if in_class is not None:
            x, y, gate = x[y == in_class], y[y == in_class], gate[:, y == in_class]
        gated = gate[0, :, None] * x
        moments["yx"].append((gated.T @ y / len(x)).numpy())
        moments["xx"].append((gated.T @ x / len(x)).flatten().numpy())
        moments["cross"].append(((gated.T @ (gate[1, :, None] * x)) / len(x)).abs().max().numpy())
    return {name: np.stack(values) for name, values in moments.items()}


def measure(cells: Cells) -> dict[str, np.ndarray]:
    """Return the coefficients of what is measured along what is printed, least squares, for each order."""
    measured = {}
    for order in ORDERS:

        def of(name: str, order: str = order) -> np.ndarray:
            return pooled(cells, name, order=order, law="process")

        bump_problem = _problem_of(order)
        for within in ("", " in class 1"):
            coefficients = _along_the_printed(of(f"yx{within}"), of(f"xx{within}"), bump_problem)
            measured |= {f"{name}{within}, {order}": values for name, values in coefficients.items()}
        measured[f"cross, {order}"] = of("cross")
        measured[f"(4), {order}"] = along(_weights(of), _at_rest(bump_problem))
    return measured


def _problem_of(order: str, law: str = "process") -> Problem:
    return problem({"order": order, "law": law, "networks": 2, "samples": 1}, 0)


def _along_the_printed(yx: np.ndarray, xx: np.ndarray, bump_problem: Problem) -> dict[str, np.ndarray]:
    """Return the coefficients of moments, one in each row, along (7) and (8)."""
    # The note prints no row k = i of (8), where it divides by zero.
    rows = np.flatnonzero(np.arange(SITES) != GATE)
    shown = xx.reshape(-1, SITES, SITES)[:, rows].reshape(len(xx), -1)
    return {
        "(7)": along(yx, _printed("yx", bump_problem)[0]),
        "(8)": along(shown, _printed("xx", bump_problem)[0, 0][rows].ravel()),
    }


def _at_rest(bump_problem: Problem) -> np.ndarray:
    """Return the weights at which (4) is at rest, with the exact moments."""
    moments = gated_moments(bump_problem)
    return np.linalg.solve(moments.A, moments.b)


def _exactly(cells: Cells) -> Iterator[Beside]:
    """Yield what the measured coefficients are by the exact moments and weights, with the classes of the notes."""
    measured = measure(cells)
    said = {
        "(7)": r"coefficient of the exact $\Sigma^{yx}(p_1)$ along (7)",
        "(8)": r"coefficient of the exact $\Sigma^{xx}(p_1, p_1)$ along (8)",
        "(4)": "coefficient of the exact weights at rest along those of (4)",
    }
    for order in ORDERS:
        bump_problem = _problem_of(order)
        moments, fields = gated_moments(bump_problem), np.asarray(solve(bump_problem).fixed_point, dtype=float)
        exact = _along_the_printed(moments.sigma_yx[:1], moments.sigma_xx[0, :1].reshape(1, -1), bump_problem)
        exact["(4)"] = along(fields.reshape(1, -1), _at_rest(bump_problem))
        for name, text in said.items():
            yield Beside(f"{name}, {order}", text, float(exact[name][0]), measured[f"{name}, {order}"])


def comparisons(cells: Cells) -> tuple[Beside, ...]:
    """Return the coefficients by the exact moments, and exact weights, errors and ratios beside those of networks."""
    rows = list(_exactly(cells))
    for law in levels(cells, "law"):
        called = {"process": "nonlinear process", "clone": "Gaussian clone"}[law]
        for order in ORDERS:

            def of(name: str, order: str = order, law: str = law) -> np.ndarray:
                return pooled(cells, name, order=order, law=law)

            exact = solve(_problem_of(order, law))
            fields = np.asarray(exact.fixed_point, dtype=float)
            rows += [
                Beside(
                    f"weights, {law}, {order}",
                    rf"coefficient of trained weights along $w(\infty) = K A^{{-1}} b$, {called}",
                    1.0,
                    along(_weights(of), fields.ravel()),
                ),
                Beside(
                    f"error, {law}, {order}",
                    rf"exact least $\langle (y - \hat{{y}})^2 \rangle$ beside that of trained networks, {called}",
                    float(exact.mse),
                    of("error"),
                ),
                Beside(
                    f"ratio, {law}, {order}",
                    rf"inverse participation ratio of $w_1(\infty)$ beside that of trained networks, {called}",
                    float(participation_ratio(fields[0])),
                    participation_ratio(of("w1")),
                ),
            ]
    return tuple(rows)


def _weights(of: Callable[[str], np.ndarray]) -> np.ndarray:
    return np.concatenate([of("w1"), of("w2")], axis=1)


def _printed(moment: str, bump_problem: Problem) -> np.ndarray:
    """Return the moment of a problem as the note prints it, from the claim that corrects it."""
    registration = catalog()[f"moment.site_gate.{moment}"].registration
    return registration.alternatives[0].predict(bump_problem)


_EXPLAINS: Mapping[str, str] = {
    "(7)": r"The note names neither classes nor a normaliser. With those of the notes on localization (7) lacks the "
    r"probability $1/2$ of the class and the factor $1/Z$; within the class $y = 1$ and for $x = \mathrm{erf}(g z)$ "
    "it is right.",
    "(8)": "After (13) the note says: 'This looks wrong tbh. [...] First one is right tho.' Both remarks are right "
    "if 'this' is (8) and 'the first one' is (7). (8) is not the second moment in either reading: it lacks a factor "
    r"$\mathrm{erf}(g z_k)$. The gated second moment is half of the covariance, $\sum_c \mathrm{asin}(\kappa^2 "
    r"\rho^{(c)}_{kl})/(2 \pi Z^2)$, whatever the site of the gate.",
    "(4)": r"(4) leaves out the factor $1/2$ that $\hat{y}$ of (1) gives each $W_k \Sigma^{xx}$: at rest "
    r"$W_1 = 2 \Sigma^{yx}(p_1) \Sigma^{xx}(p_1, p_1)^{-1}$.",
}


def _targets() -> tuple[Target, ...]:
    rows = []
    for order in ORDERS:
        again = "" if order == next(iter(ORDERS)) else INHERITED  # a slip is charged in one order of the lengths
        rows += [
            Target(
                f"(7), {order}",
                r"$\Sigma^{yx}(p_1)$ by (5) is (7)",
                1.0,
                margin=0.02,
                half_unit=0.005,
                explains=_EXPLAINS["(7)"],
                instead=UNSAID,
            ),
            Target(
                f"(8), {order}",
                r"$\Sigma^{xx}(p_1, p_1)$ by (6) is (8)",
                1.0,
                margin=0.02,
                half_unit=0.005,
                explains=_EXPLAINS["(8)"],
                instead=again,
            ),
            Target(
                f"(7) in class 1, {order}",
                "(7) within the class $y = 1$, without normaliser",
                1.0,
                margin=0.02,
                half_unit=0.005,
            ),
            Target(
                f"(8) in class 1, {order}",
                "(8) within the class $y = 1$, without normaliser",
                1.0,
                margin=0.02,
                half_unit=0.005,
                explains=_EXPLAINS["(8)"],
                instead=INHERITED,
            ),
            Target(f"cross, {order}", r"$\Sigma^{xx}(p_1, p_2) = 0$", 0.0, margin=0.001, identity=True),
            Target(
                f"(4), {order}",
                r"(4) is at rest at $W_1 = \Sigma^{yx}(p_1) \Sigma^{xx}(p_1, p_1)^{-1}$",
                1.0,
                margin=0.02,
                half_unit=0.005,
                explains=_EXPLAINS["(4)"],
                instead=again,
            ),
        ]
    return tuple(rows)


def _settings(networks: int, samples: int, laws: tuple[str, ...]) -> tuple[Setting, ...]:
    return tuple(
        {"law": law, "order": order, "networks": networks, "samples": samples} for law in laws for order in ORDERS
    )


REPRODUCTION = Reproduction(
    name="bump-flow",
    title="The small-bump gate",
    source="small-bump-gate",
    place="(4) to (8)",
    setup="40 inputs, 2 hidden units with complementary gates at the sign of one input, gradient descent on the "
    "squared error.",
    unsaid=(
        ("the gated site, the gain and the correlation lengths", "site 20, gain 1, lengths 2 and 1 in both orders"),
        ("whether the sites are a line or a ring", r"a line, as $\rho_{ik} = \exp(-(i - k)^2/\xi_1^2)$ is printed"),
        (
            "the labels, the classes and the normaliser of the inputs",
            "those of the notes on localization, labels 1 and 0 with probability 1/2, inputs of variance 1; also the "
            "reading within the class $y = 1$, without normaliser, in which (7) is right",
        ),
        (r"$\sigma_1^2$ of (8), and its row $k = i$, where it divides by 0", r"$1 - \rho_{ik}^2$; without this row"),
        ("the training", f"fresh batches of {BATCH:,}, learning rate 1, until $t = {END} \\tau$"),
        ("a run", "none is described; the statements are formulas"),
    ),
    described=False,
    rule="Numbers, each to half a hundredth: the least-squares coefficient of the measured moment along the printed "
    r"one, and of the trained weights along $A^{-1} b$, at which (4) is at rest, is 1, which tests the scale and not "
    r"the shape; the largest entry of $\langle g_1 g_2 x x^\top \rangle$ is 0. Half widths of at most 0.02.",
    targets=_targets(),
    designs={
        "quick": Design(
            "nonlinear process alone, 4 networks and 2,000 examples", _settings(4, 2000, ("process",)), 1, 10
        ),
        "full": Design(
            "the nonlinear process and its Gaussian clone, 32 networks and samples of 20,000 examples each",
            _settings(32, 20000, ("process", "clone")),
            1,
            270,
        ),
    },
    numbers=("w1", "w2", "error", "yx", "xx", "cross", "yx in class 1", "xx in class 1"),
    cell=cell,
    measure=measure,
    beside=comparisons,
)

"""Numbers of the compare view: two problems A and B, their laws side by side, and networks trained on both.

B is A on another law, by default the Gaussian clone; or a problem of its own, trained at the times of A.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers import controls
from derivations.answers.relu_compare import relu_in_place
from derivations.explore.amplifier import CAUTION, MECHANISM, WHY, fastest_rate, periods
from derivations.explore.fields import LOSS, RELU, fields_at
from derivations.explore.laws import legends
from derivations.explore.shapes import CENTRE, shapes
from derivations.explore.training import Learned
from derivations.explore.verdict import SIDES
from derivations.statistics.alignment import mean_and_error
from theory.flow.linear.convention import convention
from theory.moments.amplifier import FlatState, critical_gain, flat_state_of
from theory.moments.controls import NAMES
from theory.moments.controls import controls as controls_of
from theory.moments.inputs import InputStatistics, input_statistics
from theory.problem import Law, Network, OutOfReachError, Problem, WorkbenchError

OWN = "own"
GAINS = 0.01, 100.0  # between which a change of stability is looked for

TITLES = {
    "gaussian": "its Gaussian clone",
    "marginal": "another marginal",
    "copula": "another correlation",
    "independent": "its sites independent",
    "exchanged": "its labels exchanged",
}


def pairs(problem: Problem) -> list[dict[str, str]]:
    """Return the matched pairs, those of `gdln controls`, with what B keeps. None is made: `other_side` makes one."""
    return [
        {"name": one.name, "title": title(one.name), "says": one.says} for one in controls_of(problem.data, names=())
    ]


def pair_names(problem: Problem) -> Iterator[str]:
    """Yield the names of the pairs that exist, in the order of `gdln controls`; each is made as it is asked for."""
    return (name for name in NAMES if controls.named(problem, name).problem is not None)


def title(name: str) -> str:
    """Return the words of a pair on the page: those of `TITLES`, or its name in `gdln controls`."""
    return TITLES.get(name, name)


def other_side(problem: Problem, name: str) -> Problem:
    """Return the problem of a matched pair. Raises OutOfReachError where the law has none, InputError for no pair."""
    one = controls.named(problem, name)
    if one.problem is None:
        raise OutOfReachError(f"This problem has no pair with {one.control.says}.", one.why)
    return one.problem


def ungated(problem: Problem) -> Problem:
    """Return the problem with ReLU units in place of given gates, each network from a start of its own.

    A gate at a site puts the field there itself, whatever the law: what the data do is seen without it.
    """
    return relu_in_place(problem, separate=True) if problem.one_layer.model == Network.gated else problem


def on_the_times_of(live: Problem, other: Problem) -> Problem:
    """Return `other` trained as `live` is: at its times, with its loss and its settings.

    Raises InputError where they do not fit its network.
    """
    training = replace(other.training, tau=live.training.tau, times=live.training.times, loss=live.training.loss)
    return replace(other, training=training, simulation=live.simulation)


def rows(problems: Mapping[str, Problem], snapshot: int, learned: Mapping[str, Learned]) -> list[dict[str, Any]]:
    """Return what was measured on both at a snapshot: means over networks, averaged over units, and their difference.

    The difference is taken network by network, as both sides share the random numbers of their streams.
    """
    measured = {side: _measured(problems[side], learned[side], snapshot) for side in SIDES}
    shared = [name for name in measured["A"] if name in measured["B"]]
    return [_row(name, measured["A"][name], measured["B"][name]) for name in shared]


def _measured(problem: Problem, learned: Learned, snapshot: int) -> dict[str, Float[np.ndarray, " S"]]:
    measured = {LOSS: learned.losses[:, snapshot]}
    for name, values in shapes(fields_at(learned, snapshot), problem.data).items():
        if name != CENTRE:
            measured[name] = mean_and_error(values.T)[0]
    return measured


def _row(name: str, a: Float[np.ndarray, " S"], b: Float[np.ndarray, " S"]) -> dict[str, Any]:
    row: dict[str, Any] = {"quantity": name}
    for title, values in {"A": a, "B": b, "B − A": b - a}.items():
        mean, error = mean_and_error(values)
        row[title], row[f"{title} ±"] = _finite(mean), _finite(error)
    return row


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


@dataclass(frozen=True)
class Stability:
    """The flat state of one ReLU neuron under the closure; `refused` says why there is none: `flat` is None then.

    `gain` is that at which its stability changes; None where it does not, and where nobody asked.
    """

    flat: FlatState | None
    gain: float | None
    refused: str


def stability(law: Law, gains: bool) -> Stability:
    """Return the stability of the flat state of a law; `gains` asks for the gain, which takes a tenth of a second."""
    try:
        flat = flat_state_of(law)
    except WorkbenchError as error:
        return Stability(None, None, error.message)
    try:
        return Stability(flat, critical_gain(law, *GAINS) if gains else None, "")
    except WorkbenchError:
        return Stability(flat, None, "")


@dataclass(frozen=True)
class Laws:
    """Two laws with the stability of their flat states."""

    a: Law
    b: Law
    states: tuple[Stability, Stability]


def compared(a: Law, b: Law, gains: bool = True) -> Laws:
    """Return two laws to compare; without `gains` at once."""
    return Laws(a, b, (stability(a, gains), stability(b, gains)))


def statistics(laws: Laws) -> list[dict[str, Any]]:
    """Return exact statistics of both laws and their difference; None where a law lacks one.

    Of each class variance, excess kurtosis and the largest difference of the covariances; then the flat state.
    """
    facts, a, b = [], laws.a, laws.b
    if a.classes == b.classes:
        for c, name in enumerate(legends(a)):
            one, other = (_input_statistics(law, c) for law in (a, b))
            facts.append(_fact(f"variance, {name}", _mean_of(one, "variance"), _mean_of(other, "variance")))
            facts.append(_fact(f"excess kurtosis, {name}", _mean_of(one, "kurtosis"), _mean_of(other, "kurtosis")))
            facts.append(_apart(f"largest difference of the covariances, {name}", one, other))
    if any(state.flat is not None for state in laws.states):
        for name, title in {"elasticity": "elasticity of a flat field", "critical": "critical elasticity"}.items():
            values = [None if state.flat is None else float(getattr(state.flat, name)) for state in laws.states]
            facts.append(_fact(title, *values))
    if any(state.gain is not None for state in laws.states):
        facts.append(_fact("gain at which a flat field changes its stability", *(state.gain for state in laws.states)))
    return facts


def _input_statistics(law: Law, c: int) -> InputStatistics | None:
    try:
        return input_statistics(law, c)
    except OutOfReachError:
        return None


def _mean_of(of_law: InputStatistics | None, name: str) -> float | None:
    """A statistic averaged over the sites; None where the law does not have it."""
    try:
        return None if of_law is None else float(np.mean(getattr(of_law, name)))
    except OutOfReachError:
        return None


def _fact(name: str, a: float | None, b: float | None) -> dict[str, Any]:
    return {"quantity": name, "A": a, "B": b, "B − A": None if a is None or b is None else b - a}


def _apart(name: str, one: InputStatistics | None, other: InputStatistics | None) -> dict[str, Any]:
    known = one is not None and other is not None and one.covariance.shape == other.covariance.shape
    largest = float(np.abs(one.covariance - other.covariance).max()) if known else None
    return {"quantity": name, "A": None, "B": None, "B − A": largest}


def reasons(laws: Laws, problems: Mapping[str, Problem]) -> list[str]:
    """Return what the closure for one ReLU neuron says of the flat fields of both laws, with the units of t.

    First what makes a flat field unstable, then A and B, then what this leaves open.
    `problems` are those of the sides: their networks give the time in which an unstable wave grows by the factor e.
    """
    sentences = []
    for side, law, state in zip(SIDES, (laws.a, laws.b), laws.states, strict=True):
        if state.flat is None:
            why = re.sub(r"^(A|An|The) ", lambda article: article[0].lower(), state.refused)
            sentences.append(f"{side}: the closure for one ReLU neuron says nothing of this law, because {why}")
            continue
        flat, word = state.flat, "unstable" if state.flat.unstable else "stable"
        relation = "exceeds" if flat.unstable else "does not exceed"
        sentences.append(
            f"{side}: under the closure for one ReLU neuron a flat field is {word}, as the elasticity of its "
            f"response, {flat.elasticity:.4f}, {relation} the critical value {flat.critical:.4f} (the wave of "
            f"{periods(flat.mode)}).{_change(law, state)}{growth(problems[side], flat)}"
        )
    if any(state.flat is not None for state in laws.states):
        return [WHY, *sentences, MECHANISM, CAUTION]
    return sentences


def reason(laws: Laws) -> str | None:
    """Return the sentence that stands beside the verdict; None where the closure says nothing of either law."""
    clauses = [
        f"{'unstable' if state.flat.unstable else 'stable'} under {side} (elasticity {state.flat.elasticity:.4f}, "
        f"{'above' if state.flat.unstable else 'not above'} the critical value {state.flat.critical:.4f})"
        for side, state in zip(SIDES, laws.states, strict=True)
        if state.flat is not None
    ]
    if not clauses:
        return None
    return (
        "For one ReLU neuron, in an approximation, a flat field (one weight for all sites) is "
        f"{' and '.join(clauses)}. An unstable one does not stay flat. What this means, and what it leaves open, "
        "stands below the figures."
    )


def growth(problem: Problem, flat: FlatState) -> str:
    """Return the time in which the fastest wave on an unstable flat field grows by the factor e, as a sentence.

    Empty where no wave grows, and for networks whose units the closure does not describe.
    """
    if not flat.unstable or (time := folding_time(problem, fastest_rate(flat))) is None:
        return ""
    K, readout = problem.one_layer.units, problem.one_layer.readout
    rate, tau, end = fastest_rate(flat), float(problem.training.tau), float(problem.training.times[-1])
    together = " Units that learn together share an error, which changes this time." if K > 1 else ""
    return (
        f" For one neuron with the output relu(w.x) the fastest wave has the rate {rate:.3g}/τ, as in Amplifier: it "
        f"grows by the factor e in t = {tau / rate:.4g}. For a unit of this network that learns alone the time is "
        f"{time * rate / tau:.4g} times as long, t = {time:.4g}, by its {readout} readout over K = {K} and its loss "
        f"{problem.training.loss}.{together} The training lasts {end / time:.2g} such times."
    )


def folding_time(problem: Problem, rate: float) -> float | None:
    """Return tau/(ell s^2 rate), the time in which a wave of this rate grows by e on a ReLU unit that learns alone.

    With w = v/s the flow of a unit without others is that of one neuron in the time tau/(ell s^2), so K^2 tau under the
    mean readout; ell and s are those of `convention`. None where the closure has no such unit: for another model, with
    biases or trained readouts, and for the cross-entropy.
    """
    layer = problem.one_layer
    if layer.model != RELU or layer.has_biases or layer.trains_readout:
        return None
    try:
        rules = convention(problem)
    except OutOfReachError:
        return None
    return float(problem.training.tau / (rules.ell * rules.s**2)) / rate


def _change(law: Law, state: Stability) -> str:
    """Where the stability changes, relative to the gain of the law."""
    if state.gain is None:
        return ""
    where = "below" if float(law.gain) > state.gain else "above"
    return f" It is {'stable' if state.flat.unstable else 'unstable'} {where} the gain {state.gain:.3g}."


def python(b: str, snapshot: int, trained: bool, swept: bool = False) -> tuple[str, ...]:
    """Return lines that print the tables of the page; `b` is the problem of side B as TOML."""
    names = "compared, rows, statistics" if trained else "compared, statistics"
    lines = ["from derivations.explore import gain_sweep"] if swept else []
    lines.append(f"from derivations.explore.two_laws import {names}")
    if trained:
        lines.append("from derivations.explore.training import train_together")
    lines += [
        "",
        f'other = loads("""\n{b}""")',
        "for row in statistics(compared(problem.data, other.data)):",
        "    print(row)",
    ]
    if trained:
        lines += [
            'sides = {"A": problem, "B": other}',
            f"for row in rows(sides, {snapshot}, train_together(sides)):",
            "    print(row)",
        ]
    if swept:
        lines += ["for row in gain_sweep.rows(gain_sweep.along_gains(problem)):", "    print(row)"]
    return tuple(lines)

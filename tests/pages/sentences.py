"""The sentences of the pages that state numbers, these in braces, with what recomputes them.

A sentence is found by its words (`reading.claimed`), on every page that has it, and the numbers in braces must be those
that the function returns, rounded to the digits shown; a fraction is itself.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from mpmath import mp, mpf

from tests.pages import flows, gaussians, graphs, kernel_gates, kernels, laws, marginals, ntk, regions, sites
from tests.pages.decisions import counted, triples
from tests.pages.evidence import benchmark, evidence, run, values
from tests.pages.numerics import mean
from tests.pages.test_runs import LONG, NETWORKS, PUBLISHED, ROUNDED, SHORT, design, gained, with_error

Sentence = tuple[str, Callable[[], Sequence[Any]]]


def white_noise(n: int = 40) -> Fraction:
    """Return the share of the frequencies |q| <= n/4 among all n, which white noise has in its power."""
    return Fraction(sum(min(q, n - q) <= n / 4 for q in range(n)), n)


def equal_weights(m: int) -> Fraction:
    """Return the participation ratio of m equal weights."""
    return Fraction(m, m**2)


def sinusoid(n: int) -> float:
    """Return the participation ratio of a sinusoid on n sites."""
    return sites.ratio(np.cos(2 * np.pi * 3 * np.arange(n) / n))


def unanswered(pairs: int) -> Fraction:
    """Return the mean relative error of eight pairs with the strengths 2 and 1, so many of which lack the second."""
    return Fraction(pairs, 8) * Fraction(1**2, 2**2 + 1**2)


def zero_of_precision() -> tuple[Fraction, Fraction]:
    """Return A_12 at which the entry (1, 2) of the inverse vanishes where A_13 = A_23 = 1/2, A_ii = 1, and that 1/2.

    The entry is minus the cofactor A_12 A_33 - A_13 A_23 over the determinant.
    """
    between = Fraction(1, 2)
    return between * between, between


def soft_slopes(threshold: Fraction = Fraction(1, 4)) -> tuple[Fraction, Fraction, Fraction]:
    """Return a threshold, the largest slope G (1 - G) of soft gates from it up to 1, and the slope at it."""
    slopes = [gate * (1 - gate) for gate in (Fraction(k, 100) for k in range(100)) if gate >= threshold]
    return threshold, max(slopes), slopes[0]


def failures() -> list[mpf]:
    """Return the lengths at which the kernel fails on 8, 20, 40 and 100 sites."""
    return [mpf(sites.first_failure(n)[0]) / 100 for n in (8, 20, 40, 100)]


def losses_on_four_sites() -> tuple[mpf, mpf, mpf]:
    """Return the losses of the overlapping gates, of the tiling by one site, and of that by two."""
    with mp.workdps(sites.SHORT):
        return sites.overlapping_loss(), sites.tiling_loss((0, 1, 0, 0)), sites.tiling_loss((0, 1, 1, 0))


def ring_times() -> list[mpf]:
    """Return K^2 tau over S_q/2 of the flat and the alternating mode: K = 2, 40 sites, lengths 3/2 and 1, gain 1."""
    lengths, found = (mpf(3) / 2, mpf(1)), []
    first = [mp.fsum(gaussians.erf_erf(mpf(1), mp.exp(-((d / xi) ** 2))) for xi in lengths) / 2 for d in range(21)]
    for sign in (1, -1):
        power = mp.fsum(sign**d * first[min(d, 40 - d)] for d in range(40)) / first[0]
        found.append(2**2 / (power / 2))
    return found


def overlapping_squares() -> list[mpf]:
    """Return E[1[z_1 > 0] 1[z_2 > 0] z_k^2] at the first gate's site and between both, two sites apart at length 2."""
    far, near = mp.exp(-1), mp.exp(mpf(-1) / 4)
    slope = far / mp.sqrt(1 - far**2)
    own = mean(lambda x: x**2 * mp.ncdf(slope * x), 0)
    return [own, own - gaussians.cross_block(far, near, near)]


def near_by_chance() -> Fraction:
    """Return the probability that of two random sites of 40 one is at most two away from the other."""
    return Fraction(sum(min(d, 40 - d) <= 2 for d in range(40)), 40)


def half_mean_square() -> mpf:
    """Return the mean square through a site gate at the gate's site and beside it, which must be one number."""
    found = {mp.nstr(gaussians.squares(mpf(d), mpf(2), mpf(3), mpf(1)), 25) for d in (0, 1, 5)}
    return mpf(found.pop()) if len(found) == 1 else mp.nan


def estimates(claim: str, name: str, what: str) -> list[float]:
    """Return the stored means of an experiment."""
    return evidence()[claim]["simulated"][claim][name][what]


def replayed(what: str) -> dict:
    """Return what the stored run of the replays has of a quantity."""
    return run("replayed_gates", "replayed-gates")[what]


def replay(what: str, name: str, value: str = "distance") -> float:
    """Return the stored distance of a replay from the ReLU network at the end, or an end of its band."""
    return replayed(f"{what}_distance")[name][value][-1]


def standard_errors() -> float:
    """Return the largest difference from the published mean up to gain 0.2, in standard errors where they are known."""
    found = []
    for cell in gained("localization-sweep", SHORT)[:4]:
        published, spread = PUBLISHED[f"{cell['gain']:.3g}"]
        if spread:
            mean, error = with_error(np.array(cell["participation_ratio"])[:, 2])
            both = np.sqrt(error**2 + float(spread) ** 2 / NETWORKS + ROUNDED**2 / 12)
            found.append(abs(mean - float(published)) / both)
    return max(found)


def localized(name: str, place: int, time: int) -> int:
    """Return how many networks of a cell have fewer than two effective sites."""
    values = np.array(gained(name, SHORT)[place]["participation_ratio"])[:, time]
    return int((values > float(equal_weights(2))).sum())


def three_weights(place: int) -> list[float]:
    """Return the ratios at the end of the networks that have not localized on one site."""
    values = np.array(gained("localization-sweep", SHORT)[place]["participation_ratio"])[:, -1]
    return sorted(values[values < float(equal_weights(2))])


def bump() -> tuple[float, float]:
    """Return width and ratio of the fields at gain 0.6 and long lengths, the last time but one."""
    cell = gained("localization-sweep", LONG)[4]
    return cell["field_width"]["mean"][2], float(np.mean(cell["participation_ratio"], axis=0)[2])


def between_networks() -> float:
    """Return the spread of the ratio over the networks in large batches at gain 0.6."""
    values = np.array(gained("localization-batch", SHORT)[1]["participation_ratio"])[:, 2]
    return float(values.std(ddof=1))


def long_ratio(place: int) -> float:
    """Return the mean ratio at long lengths and the last time, at one of the gains."""
    return float(np.mean(gained("localization-sweep", LONG)[place]["participation_ratio"], axis=0)[3])


def floor() -> list[Fraction]:
    """Return the least mean over both heads of their squared errors, (f - 1)^2 and f^2, among eighths f."""
    return [min(Fraction((f - 1) ** 2 + f**2, 2) for f in (Fraction(k, 8) for k in range(9)))]


def unlearned() -> list[mpf]:
    """Return the error of two sigmoids whose inputs do nothing, and their output: that of h = 0."""
    return [laws.sigmoid_error(mpf(0), mpf(0), mpf(1) / 3), 1 / (1 + mp.exp(0))]


def step_factor() -> list[mpf]:
    """Return the share of E[erf(z_2) erf(z_3)] that is left behind a step at z_1."""
    r12, r13, r23 = (mpf(k) / 10 for k in (5, 3, 4))
    return [gaussians.step_erf_erf(r12, r13, r23, mpf(1)) / gaussians.erf_erf(mpf(1), r23)]


def readout_factor() -> list[mpf]:
    """Return the coefficient of h = A w over that of b in the flow of two units under the mean readout."""
    two, one, nothing = mpf(2), mpf(1), mpf(0)
    return [-flows.entry(two, one, nothing, one) / flows.entry(two, one, one, nothing)]


def per_cent(value: float) -> float:
    """Return a share in per cent."""
    return 100 * value


def noise() -> list[mpf]:
    """Return the mean participation ratio of independent Gaussian weights."""
    return [sites.gaussian_ratio(40)]


SENTENCES: list[Sentence] = [
    # --- depth and width ---
    ("Measured: {1.333333333}.", lambda: [kernels.order()]),
    # --- half-spaces ---
    ("is [{0.5},{1.5}] cup [{2.5},{3.5}]", lambda: [regions.end(mpf(number)) for number in range(1, 5)]),
    # --- the neural path kernel ---
    (
        "the tangent kernel of three layers is {1.3515} where the gates are trained and {0.7084} where they are fixed.",
        lambda: [ntk.layers(mpf(1) / 2, 3)[0], ntk.fixed(mpf(1) / 2)],
    ),
    (
        "At the correlation 0 and the depth 100 the first is {0.2727}.",
        lambda: [ntk.layers(mpf(0), 100)[0] / 100],
    ),
    (
        "with independent gates, open with probability 1/2, the mean is 3 ({3/2})2 = {27/4}",
        lambda: [mpf(3) / 2, 3 * kernel_gates.open_paths(mpf(3), mpf(3), mpf(1) / 2)],
    ),
    (
        "the rate {0.81} of Experiment 8 then hold. With the printed loss (1) has {2} alphat",
        lambda: [
            kernel_gates.rate(mpf(4), mpf(2)),
            kernel_gates.step(mpf(1), mpf(3), mpf(1), mpf(2)) / kernel_gates.PRINTED["kernel.error.step"](1, 3, 1, 2),
        ],
    ),
    (
        "gradient descent on the printed loss with this step size has {0.64}",
        lambda: [(1 + kernel_gates.step(mpf(1), mpf(1), mpf(1), mpf(2)) / -20) ** 2],
    ),
    # --- the graph of the example ---
    (
        "At the end it carries {1.863} of the strength 2, and each gated path {0.137}",
        lambda: [graphs.strengths(0)[2], graphs.strengths(0)[0]],
    ),
    (
        "it keeps {0.010}, and the gated paths learn {0.990} and -{1.010} by themselves",
        lambda: [graphs.strengths(1)[2], graphs.strengths(1)[0], -graphs.strengths(1)[1]],
    ),
    ("so that each path has the strength {0.01}", lambda: [graphs.SMALL**2]),
    (
        "On the ring {9} of 24 networks have learned so far, on the blocks {24} of 24",
        lambda: [run("routing", "routing")["over_time"][table]["learned"] for table in ("ring", "blocks")],
    ),
    ("the training error falls towards {1/20}, the share of these two", lambda: [unanswered(2)]),
    (
        "six of the eight trained pairs approach zero, and the training error falls towards {3/20}",
        lambda: [unanswered(6)],
    ),
    (
        "the shared pathway ends at {0.905} and the private ones at {0.095}: the smaller the start",
        lambda: graphs.raced(4, 0.01),
    ),
    ("off by {0.89} of their norm", lambda: [graphs.unlike()]),
    (
        "for epsilon = 0, tauA = {1/4} and beta = M = 1 it is {1/4}, and at the threshold it is {3/16}",
        soft_slopes,
    ),
    # --- analytic ---
    (
        "is -2 for signs, -{6/5} for uniform, 0 for Gaussian, {6/5} for logistic and 3 for Laplace inputs",
        lambda: [-marginals.of_an_interval(), marginals.logistic()],
    ),
    ("A gain of 3 in the paper is 3/sqrt 2 approx {2.12132} here", lambda: [mp.sqrt(mpf(9) / 2)]),
    ("of latent variance {1.001}", lambda: [1 + mpf(10) ** -3]),
    ("and the loss has the floor {1/4}", floor),
    ("A12 = {1/4} and A13 = A23 = {1/2} give A-1 a zero at (1, 2)", zero_of_precision),
    (
        "inverse participation ratio {0.412}, {0.588}, {0.755}, {0.822} at gain 1/20, 1, 3, 100",
        lambda: [sites.ratio(sites.site_gate_field(g)) for g in (0.05, 1, 3, 100)],
    ),
    ("{1/40} for a flat field, 1 for one site", lambda: [equal_weights(40)]),
    ("= {1.73}, {2.62}, {3.65}, {5.70} (n = 8, 20, 40, 100)", failures),
    (
        "the mode has the value -{1.5 cdot 10^-14} and -{4 cdot 10^-35} at these lengths",
        lambda: [-sites.first_failure(n)[1] for n in (40, 100)],
    ),
    (
        "two overlapping half-spaces lose 0, and exclusive ones {1/36}",
        lambda: [laws.best_pair(mpf(1) / 2, laws.gates_on_pulses(half_spaces=True), exclusive=True, low=0)],
    ),
    ("negative above r = {0.713472} (xi = {1.72104})", sites.alternating_root),
    ("have loss {0.2775}, the tiling by a site gate {0.2794}", lambda: losses_on_four_sites()[:2]),
    ("and its complement has loss {0.2745}, less than both", lambda: losses_on_four_sites()[2:]),
    (
        "the difference of the two losses, {0.001947594834},",
        lambda: [losses_on_four_sites()[1] - losses_on_four_sites()[0]],
    ),
    ("{21/40} for white noise", lambda: [white_noise()]),
    ("white noise has {21/40}", lambda: [white_noise()]),
    ("= {1/14} for independent Gaussian weights", noise),
    ("participation ratios by less than {3/42}", noise),
    ("in the mean {1/14} for independent Gaussian weights", noise),
    ("near the {1/14} of Gaussian weights", noise),
    ("exceeds {3/42}, that of Gaussian weights", noise),
    ("{3/42} = {0.071}, that of random weights", lambda: noise() * 2),
    ("3/(n + 2) = {0.071} of a Gaussian draw", noise),
    ("exceeds the {0.071} of Gaussian weights", noise),
    ("where Gaussian weights have {0.07}", noise),
    ("{5/40} for sites chosen at random", lambda: [near_by_chance()]),
    ("against {0.125} by chance", lambda: [near_by_chance()]),
    ("{0.9125} for the widths 3 and 4", lambda: [laws.VALUES["gate.small_bump.both_open"](40, 3, 4)]),
    ("Mean square of the input through a site gate: {1/2} at every site", lambda: [half_mean_square()]),
    ("e-1/0.49 = {0.13} in one class", lambda: [mp.exp(-1 / mpf("0.49"))]),
    ("It has the ratio 1/n = {0.025}", lambda: [equal_weights(40)]),
    ("3/(2n) = {0.0375} of a sinusoid", lambda: [sinusoid(40)]),
    ("the squared error is {1/4} plus the squared deviation of the output from {1/2}", unlearned),
    (
        "the error is {1/4} at least, and {1/4} only if the output is {1/2} everywhere",
        lambda: [unlearned()[0], *unlearned()],
    ),
    ("within 1 % of {1/4}", lambda: unlearned()[:1]),
    ("the mean is {1/2} at every site", lambda: [laws.pulse_mean(7, 2, 4, lambda u: Fraction(u[0] + 1 - u[0], 2))]),
    ("the step contributes a factor {1/2} and", step_factor),
    ("omits the factor {1/2} that the mean readout of (1) gives", readout_factor),
    # --- of trained networks, by the stored numbers; `test_trained` has these again from networks of its own ---
    (
        "about {0.09} at t = 800 and {0.11} at t = 1600",
        lambda: estimates("localization.relu.localizes", "relu-long", "participation_ratio")[2:],
    ),
    (
        "about {0.09} at t = 800 and {0.11} at t = 1600",
        lambda: [values("relu long", f"ratio {t}").mean() for t in (800, 1600)],
    ),
    (
        "an inverse participation ratio of about {0.11}",
        lambda: estimates("localization.relu.localizes", "relu-long", "participation_ratio")[3:],
    ),
    (
        "about {0.20}, {0.08} and {0.01} at the three horizons",
        lambda: estimates("localization.relu.order", "relu-short", "low_frequency_power")[1:],
    ),
    (
        "more than half of the units: about {0.7} against",
        lambda: [values("relu long", "near 100 800").mean()],
    ),
    ("its weights are {22} % away", lambda: [per_cent(replay("weight", "of the end"))]),
    ("participation ratio is {6} % higher", lambda: [per_cent(replay("participation_ratio", "of the end"))]),
    (
        "a 99 % interval from {2} to {11} %",
        lambda: [per_cent(replay("participation_ratio", "of the end", end)) for end in ("low", "high")],
    ),
    (
        "differ from those at t = 100 for {15} examples in a hundred",
        lambda: [per_cent(replayed("flips")["mean"][1][8])],
    ),
    ("Up to gain 0.2 the means agree within {1.5} standard errors", lambda: [standard_errors()]),
    ("weights and the ratio {1/3}", lambda: [equal_weights(3)]),
    ("The flat mode relaxes in {3.7} units of tau, the alternating one in 38", lambda: ring_times()[:1]),
    (
        "the diagonal of A12 is {0.364} at either of these sites and {0.441} at the site between them",
        overlapping_squares,
    ),
    ("At gain 0.6 the weights are a bump, of the width {2.6} sites (root mean square) and the ratio {0.16}", bump),
    ("spread ({0.13} between networks)", lambda: [between_networks()]),
    ("raise it to {0.04} at long lengths", lambda: [long_ratio(0)]),
    ("From gain 4.6 on the ratio is {0.9} and the width below one site", lambda: [long_ratio(6)]),
]


def flipped(xi: list[float], early: int, late: int) -> list[float]:
    """Return the shares of flipped gates between two times of the sweep, by gain."""
    return [cell["gate_flips"]["mean"][early][late] for cell in gained("localization-sweep", xi)]


def gates_of_claim() -> list[float]:
    """Return the shares of flipped gates that the claim states, at t = 100, 200, 400, 800."""
    return counted("localization.relu.gates_flip")


# Sentences that state a share in words, and whether the numbers bear them out: "a fifth" is nearer than a sixth and a
# quarter, "three in ten" than two and four.
WORDS: list[tuple[str, Callable[[], bool]]] = [
    (
        "about a fifth at t = 100 and three in ten at t = 800",
        lambda: nearest(gates_of_claim()[0], 5) and round(10 * gates_of_claim()[3]) == 3,
    ),
    (
        "at t = 100 to 800 more than a tenth of the gates differ from those of the start",
        lambda: min(gates_of_claim()) > 1 / 10,
    ),
    ("three examples in ten", lambda: round(10 * replayed("flips")["mean"][0][8]) == 3),
    ("One gate in five flips before t = 100", lambda: nearest(replayed("flips")["mean"][0][1], 5)),
    (
        "participation ratio stays about a fifth lower",
        lambda: nearest(replay("participation_ratio", "of the start"), 5),
    ),
    (
        "for about seven units in ten the largest weight",
        lambda: round(10 * values("relu long", "near 100 800").mean()) == 7,
    ),
    ("by chance it would be one in eight", lambda: near_by_chance() == Fraction(1, 8)),
    (
        "with the gates of the start the losses differ by 8 to 9 %",
        lambda: {math.floor(per_cent(one)) for one in (replay("loss", "of the start"), judged_loss())} == {8},
    ),
    (
        "A third of the gates flip before t = 25 at every gain",
        lambda: all(nearest(one, 3) for xi in (SHORT, LONG) for one in flipped(xi, 0, 1)),
    ),
    (
        "at gain 100 fewer than one in a hundred flips from t = 25 on",
        lambda: max(flipped(xi, *pair)[9] for xi in (SHORT, LONG) for pair in ((1, 2), (2, 3))) < 1 / 100,
    ),
    (
        "more than a quarter of its gates still flip between t = 100 and t = 400",
        lambda: min(flipped(SHORT, 2, 3)[:4]) > 1 / 4,
    ),
    (
        "of one neuron at gain 100 less than one in a thousand between t = 100 and 400",
        lambda: max(flipped(xi, 2, 3)[9] for xi in (SHORT, LONG)) < 1 / 1000,
    ),
    (
        "most of them flip before t = 4 K2 tau",
        lambda: all(
            np.median(design(order, "gate_flips", 2)) > np.median(design(order, "gate_flips", 4)) / 2
            for order in ("long-first", "short-first")
        ),
    ),
    (
        "the form stays off by more than a tenth",
        lambda: next(
            row["errors"]["large-gain"] > 1 / 10
            for row in benchmark("relu-gates")["rows"]
            if row["weights"].startswith("e_20") and row["gain"] == "100"
        ),
    ),
    (
        "The distance at the end halves with each doubling of the pieces",
        lambda: all(nearest(later / early, 2) for early, later in pairwise(ends_of_pieces())),
    ),
    (
        "end between two pieces and four",
        lambda: ends_of_pieces()[1] < replay("weight", "of the end") < ends_of_pieces()[0],
    ),
]


def nearest(share: float, parts: int) -> bool:
    """Whether one in so many parts is the unit fraction next to a share."""
    return min(range(1, 20), key=lambda k: abs(share - 1 / k)) == parts


def ends_of_pieces() -> list[float]:
    """Return the distances at the end of the replays in 2, 4 and 8 pieces."""
    return [replay("weight", f"in {pieces} pieces") for pieces in (2, 4, 8)]


def judged_loss() -> float:
    """Return the distance of the losses with the gates of the start, in the networks of the claim."""
    levels = evidence()["localization.relu.replayed_gates"]["levels"]
    return triples(next(one["where"] for one in levels if "gates of the start" in one["where"]))[0][0]

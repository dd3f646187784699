"""The gradient flow of a gated linear network from its loss, for any number of units and inputs.

Localization notes, eq. (5), (8), (19), (20), (27), (28); small-bump note, eq. (4), corrected: under the readout
(1/K) sum_k the weights enter the gradient with a second factor 1/K, which the printed equations lack.
"""

import sympy
from sympy import Derivative, Eq, IndexedBase, KroneckerDelta, Sum, Tuple
from sympy.concrete.delta import deltasummation

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.symbols import K, n, tau
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import sums as rules_sums  # noqa: F401 - they register the rules named below

readout = sympy.Symbol("s", positive=True)  # yhat = s sum_k g_k w_k.x; s = 1/K (mean) or 1 (sum)
loss_factor = sympy.Symbol("ell", positive=True)  # L = (ell/2) <(y - yhat)^2>; ell = 1 (half-mse) or 2 (mse)
velocity = sympy.Symbol(r"\dot{w}_{ki}", real=True)  # dw_ki/dt
force = sympy.Symbol("b_ki", real=True)  # <g_k x_i y>
drive = sympy.Symbol("h_ki", real=True)  # <g_k x_i sum_l g_l w_l.x> = sum_lj A_kilj w_lj

k, l, i, j, mu = sympy.symbols("k l i j mu", integer=True, positive=True)
samples = sympy.Symbol("N", integer=True, positive=True)
p, g, x, y, w, b, A = (IndexedBase(name) for name in ("p", "g", "x", "y", "w", "b", "A"))

_output = Sum(g[mu, l] * x[mu, j] * w[l, j], (l, 1, K), (j, 1, n))  # sum_l g_l w_l.x at sample mu
LOSS = loss_factor / 2 * Sum(p[mu] * (y[mu] - readout * _output) ** 2, (mu, 1, samples))
INPUT_OUTPUT = Tuple(b[k, i], Sum(p[mu] * g[mu, k] * x[mu, i] * y[mu], (mu, 1, samples)))
SECOND_MOMENT = Tuple(A[k, i, l, j], Sum(p[mu] * g[mu, k] * x[mu, i] * g[mu, l] * x[mu, j], (mu, 1, samples)))
_stacked = Sum(A[k, i, l, j] * w[l, j], (l, 1, K), (j, 1, n))


def gradient_flow() -> Derivation:
    """tau dw_ki/dt = ell s [b_ki - s sum_lj A_kilj w_lj] for L = (ell/2) <(y - yhat)^2>, yhat = s sum_k g_k w_k.x.

    The average is over any discrete law with probabilities p; gates may overlap and depend on anything but w.
    """
    steps = _flow_from_loss()
    return Derivation("flow.gradient.general", steps[-1].expr, steps)


def mean_readout_flow() -> Derivation:
    """dw_ki/dt = (b_ki - h_ki/K)/(K tau): the same with s = 1/K and ell = 1; h_ki = sum_lj A_kilj w_lj."""
    return _specialised("flow.gradient.entry", K)


def two_unit_flow() -> Derivation:
    """dw_ki/dt = (b_ki - h_ki/2)/(2 tau): the network of the small-bump note, K = 2."""
    return _specialised("flow.gradient.small_bump", sympy.Integer(2))


def entry(units: sympy.Expr, claim: str) -> tuple[Step, Step]:
    """How the derivations that build on the gradient flow begin: what `claim` states, times K tau."""
    stated = Eq(velocity, (force - drive / units) / (units * tau), evaluate=False)
    cleared = Eq(units * tau * velocity, force - drive / units, evaluate=False)
    return (
        Step(stated, "the gradient flow of one weight", "premise", (stated,), (claim,)),
        Step(cleared, f"times {units} tau", "rescale", (units * tau,)),
    )


def reading(dot: sympy.Expr, moment: sympy.Expr, product: sympy.Expr) -> Tuple:
    """The values of the symbols of the equation of one entry: dw/dt, b and A w."""
    return Tuple(Tuple(velocity, dot), Tuple(force, moment), Tuple(drive, product))


def _specialised(name: str, units: sympy.Expr) -> Derivation:
    general = _flow_from_loss()
    with_names = Eq(tau * velocity, loss_factor * readout * (force - readout * drive), evaluate=False)
    chosen = Eq(tau * velocity, (force - drive / units) / units, evaluate=False)
    solved = Eq(velocity, (force - drive / units) / (units * tau), evaluate=False)
    steps = (
        *general,
        Step(with_names, "names for the two averages", "name", (Tuple(b[k, i], force), Tuple(_stacked, drive))),
        Step(
            chosen,
            f"mean readout, s = 1/{units}, and the half-mse, ell = 1",
            "substitute",
            (Tuple(readout, 1 / units), Tuple(loss_factor, sympy.S.One)),
        ),
        Step(solved, "divide by tau > 0", "rescale", (1 / tau,)),
    )
    return Derivation(name, solved, steps)


def _flow_from_loss() -> tuple[Step, ...]:
    descent = Eq(tau * velocity, -Derivative(LOSS, w[k, i]), evaluate=False)
    slope = -LOSS.diff(w[k, i]).replace(lambda part: isinstance(part, Sum) and part.has(KroneckerDelta), _picked)
    return (
        Step(descent, "gradient flow of the loss with time constant tau", "definition"),
        Step(
            Eq(tau * velocity, slope, evaluate=False), "chain rule; each delta picks one entry", "gradient", (w[k, i],)
        ),
        Step(
            Eq(tau * velocity, loss_factor * readout * (b[k, i] - readout * _stacked), evaluate=False),
            "the averages over the data are b = <g_k x_i y> and A = <g_k x_i g_l x_j>",
            "average",
            (INPUT_OUTPUT, SECOND_MOMENT),
        ),
    )


def _picked(total: Sum) -> sympy.Expr:
    """The sum over Kronecker deltas; SymPy's condition that k and i lie in their ranges is met."""
    if total.function.has(Sum):
        return total
    term = total.function
    for limits in total.limits:
        term = deltasummation(term, limits).replace(sympy.Piecewise, lambda *pieces: pieces[0][0])
    return term

"""The gradient flow of one weight from the loss: the derivations of `flow.gradient.general`, `entry` and `small_bump`.

Localization notes, eq. (5), (8), (19), (20), (27), (28); small-bump note, eq. (4), corrected by a second factor 1/K.
"""

import sympy
from sympy import Derivative, Eq, KroneckerDelta, Sum, Tuple
from sympy.concrete.delta import deltasummation

from theory.claims.gradient_flow import (
    INPUT_OUTPUT,
    LOSS,
    SECOND_MOMENT,
    b,
    drive,
    force,
    i,
    k,
    loss_factor,
    readout,
    stacked,
    velocity,
    w,
)
from theory.expressions.symbols import K, tau
from theory.proof.derivation import Derivation, Step

GENERAL = Eq(velocity, loss_factor * readout * (force - readout * drive) / tau, evaluate=False)


def general_flow() -> Derivation:
    """Derive dw_ki/dt = ell s (b_ki - s h_ki)/tau from the loss; h_ki = sum_lj A_kilj w_lj.

    L = (ell/2) <(y - yhat)^2> and yhat = s sum_k g_k w_k.x. The average is over any discrete law with
    probabilities p; gates may overlap and depend on anything but w.
    """
    descent = Eq(tau * velocity, -Derivative(LOSS, w[k, i]), evaluate=False)
    derivative = -LOSS.diff(w[k, i]).replace(lambda part: isinstance(part, Sum) and part.has(KroneckerDelta), _picked)
    steps = (
        Step(descent, r"gradient flow of the loss with time constant $\tau$", "definition"),
        Step(
            Eq(tau * velocity, derivative, evaluate=False),
            "chain rule; each delta picks one entry",
            "gradient",
            (w[k, i],),
        ),
        Step(
            Eq(tau * velocity, loss_factor * readout * (b[k, i] - readout * stacked), evaluate=False),
            r"the averages over the data are $b = \langle g_k x_i y \rangle$ and $A = \langle g_k x_i g_l x_j \rangle$",
            "average",
            (INPUT_OUTPUT, SECOND_MOMENT),
        ),
        Step(
            Eq(tau * velocity, loss_factor * readout * (force - readout * drive), evaluate=False),
            "write the two averages as $b_{ki}$ and $h_{ki}$",
            "name",
            (Tuple(b[k, i], force), Tuple(stacked, drive)),
        ),
        Step(GENERAL, r"divide by $\tau > 0$", "rescale", (1 / tau,)),
    )
    return Derivation("flow.gradient.general", GENERAL, steps)


def mean_readout_flow() -> Derivation:
    """Derive dw_ki/dt = (b_ki - h_ki/K)/(K tau): the same with s = 1/K and ell = 1."""
    return _specialised("flow.gradient.entry", K)


def two_unit_flow() -> Derivation:
    """Derive dw_ki/dt = (b_ki - h_ki/2)/(2 tau): the network of the small-bump note, K = 2."""
    return _specialised("flow.gradient.small_bump", sympy.Integer(2))


def _specialised(name: str, units: sympy.Expr) -> Derivation:
    chosen = Eq(velocity, (force - drive / units) / (units * tau), evaluate=False)
    steps = (
        Step(GENERAL, "the gradient flow of one weight", "premise", (GENERAL,), ("flow.gradient.general",)),
        Step(
            chosen,
            rf"mean readout, $s = 1/{units}$, and the half-mse, $\ell = 1$",
            "substitute",
            (Tuple(readout, 1 / units), Tuple(loss_factor, sympy.S.One)),
        ),
    )
    return Derivation(name, chosen, steps)


def _picked(total: Sum) -> sympy.Expr:
    """The sum over Kronecker deltas; SymPy's condition that k and i lie in their ranges is met."""
    if total.function.has(Sum):
        return total
    term = total.function
    for limits in total.limits:
        term = deltasummation(term, limits).replace(sympy.Piecewise, lambda *pieces: pieces[0][0])
    return term

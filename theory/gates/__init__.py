"""The best gates for data with finitely many inputs, by enumeration in exact numbers.

    support_of(law)                  the different nonzero inputs of a law, with what a predictor can learn of them
    optimum(support, gates, kind)    the least loss over all gates of a kind, and the gates that have it
    loss_of(support, opened)         the loss of the best weights behind given gates
    separable(x)                     the sets of inputs that a half-space cuts out

The localization notes ask in (16) and (18) which gates minimise the loss of the best weights,
min_w <(y - sum_k g_k(x) w_k.x)^2> = <y^2> - b' A^+ b.
"""

from theory.gates.half_spaces import separable
from theory.gates.search import KINDS, Optimum, loss_of, optimum
from theory.gates.support import Support, support_of

__all__ = ["KINDS", "Optimum", "Support", "loss_of", "optimum", "separable", "support_of"]

"""Networks trained on samples of one law beside its exact moments, as the claims on single laws register them."""

from collections.abc import Callable
from fractions import Fraction

from theory.claims.model import Alternative, Registration
from theory.flow.linear.descent import discrete
from theory.moments import GatedMoments, gated_moments
from theory.problem import Law, Network, NormalInitialisation, Problem, SiteGate, Training, WeightsAtTimes

BESIDE = (
    "simulated: the mean weights of gated linear networks, trained on samples of the law, beside gradient descent on "
    "its exact moments; the rival is the same descent on the moments of "
)


def trained_on(problem: str, rival: str, wrong: Callable[[Problem], Problem]) -> Registration:
    """Return the experiment on a problem file: trained weights beside gradient descent on the moments of its law.

    `wrong` returns the problem with another law, which `rival` names; its weights must be rejected.

    >>> plan = trained_on("ising", "no other law", lambda problem: problem)
    >>> plan.problems, [form.name for form in plan.alternatives]
    (('ising',), ['no other law'])
    """
    return Registration(
        problems=(problem,),
        observable=WeightsAtTimes(),
        predict=lambda given: discrete(given).weights,
        alternatives=(Alternative(rival, lambda given: discrete(wrong(given)).weights),),
    )


def through_half_space(law: Law, threshold: Fraction = Fraction(0), on: str = "input") -> GatedMoments:
    """Return the library's float64 moments of a law of one class through 1[v_0 >= threshold], v = x or the latent z.

    >>> from theory.problem import FiniteData
    >>> through_half_space(FiniteData([[2, 1], [-1, 3]], [1, 1])).sigma_yx.tolist()  # half of the first example
    [[1.0, 0.5]]
    """
    at_rest = Training("half-mse", 1, NormalInitialisation(0, 0), (0,))
    gate = SiteGate(0, lo=threshold, on=on)
    return gated_moments(Problem(law, Network("gated-linear", "mean", 1, (gate,)), at_rest))

"""Numbers of every size are compared relative to the larger side, down to 1e-1000."""

from fractions import Fraction
from math import log, sqrt

from theory.conjecture import judge, read

EXPONENTS = (25, 300, 1000)


def normal(k: int) -> str:
    """A fraction x with exp(-x^2/2) about 10^-k, so that the tail of the normal law is a little smaller."""
    return str(Fraction(round(1000 * sqrt(2 * k * log(10))), 1000))


def gauss(k: int) -> str:
    """A fraction x with exp(-x^2) about 10^-k."""
    return str(Fraction(round(1000 * sqrt(k * log(10))), 1000))


# A true and a false equation in `x` (and in the exponent `k`), and the argument x for an exponent.
FAMILIES = {
    "erfc": ("erfc({x}) = 2*Phi(-sqrt(2)*{x})", "erfc({x}) = 2*erfc({x})", gauss),
    "lower tail": ("Phi(-{x}) = erfc({x}/sqrt(2))/2", "Phi(-{x}) = 0", normal),
    "upper tail": ("1 - Phi({x}) = Phi(-{x})", "Phi({x}) = 1", normal),
    "exp": ("exp(-{x}**2) = exp(-{x}**2/2)**2", "1 + exp(-{x}**2) = 1", gauss),
    "mean of a step": ("E[Heaviside(z1 - {x})] = Phi(-{x})", "E[Heaviside(z1 - {x})] = 0", normal),
    "product of tails": ("Phi(-{x})**2 = Phi(-{x})*(1 - Phi({x}))", "Phi(-{x})**2 = Phi(-{x})*Phi(-{x} - 1)", normal),
    "difference": ("erf(-{x}) = -erf({x})", "erf({x}) = erf({x} + 1)", gauss),
    "fraction": ("1e-{k}/3 = 1/(3*10**63)*1e-{k}*10**63", "pi = pi + 1e-{k}", gauss),
    "Owen": ("owens_t({x}, 1) = Phi({x})*Phi(-{x})/2", "owens_t({x}, 1) = Phi(-{x})/3", normal),
    "arc": ("asin(1e-{k}) = pi/2 - acos(1e-{k})", "asin(1e-{k}) = 1e-{k}", gauss),
}


def test_true_and_false_equations_in_the_tails():
    verdicts = {}
    for family, (true, false, argument) in FAMILIES.items():
        for k in EXPONENTS:
            texts = (form.format(x=f"({argument(k)})", k=k) for form in (true, false))
            verdicts[family, k] = tuple(judge(read(text, "[[1]]"), suggest=False).verdict for text in texts)
    right = (("proved", "refuted"), ("supported", "refuted"))
    assert {case: pair for case, pair in verdicts.items() if pair not in right} == {}


FALSE = [
    ("erfc(g) = 2*erfc(g)", None, "g>30"),
    ("Phi(g) = 1", None, "g>20"),
    ("erfc(g) = 0", None, "g>30"),
    ("Phi(-g) = 2*Phi(-g)", None, "g>40"),
    ("E[Heaviside(z1 - g)] = 0", "[[1]]", "g>40"),
    ("asin(x) + acos(x) = pi/2 + exp(-200)", None, "-1<x<1"),
    ("asin(x) + acos(x) + (exp(100) + 1)**2 = pi/2 + exp(200) + 2*exp(100) + 2", None, "-1<x<1"),
    ("Phi2(0, 1, 10*r) = Phi2(0, 1, 10*r) + max(r - 1/20, 0)", None, "-1/10<r<9/10"),
]


def test_what_no_fixed_number_of_digits_tells_apart_is_refuted():
    verdicts = {row[0]: judge(read(*row[:2], where=row[2]), suggest=False).verdict for row in FALSE}
    assert verdicts == {row[0]: "refuted" for row in FALSE}

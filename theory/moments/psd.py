"""A report on the latent of a law: is its correlation matrix positive semidefinite, is it regular, up to which xi."""

from dataclasses import dataclass

from theory.moments.latent_rank import regular
from theory.problem import InputError, NonlinearGP
from theory.problem.distributions.base import Law
from theory.problem.positivity import MOST_DENSE, Smallest, length_text, longest_valid, smallest


@dataclass(frozen=True)
class LatentReport:
    """The correlation of the latent of class `c` on `shape`, an axis, or the grid if it is one of Euclidean distance.

    `found` is the smallest eigenvalue before anything is clipped, None where it was not computed; `proved` is True if a
    theorem makes the matrix positive semidefinite, and `regular` if it is certainly not singular. `longest` are lengths
    up to which the matrix is positive semidefinite and above which it is indefinite (`longest_valid`), or None.
    """

    c: int
    kind: str
    xi: float | None
    shape: tuple[int, ...]
    found: Smallest | None
    proved: bool
    regular: bool
    longest: tuple[float, float] | None

    @property
    def valid(self) -> bool:
        """Whether the matrix is positive semidefinite, by a theorem or up to rounding."""
        return self.proved or (self.found is not None and self.found.valid)

    def text(self) -> str:
        """The report in one line."""
        where = " x ".join(map(str, self.shape))
        length = "" if self.xi is None else f", xi = {self.xi:g}"
        verdict = "positive semidefinite" if self.valid else "NOT positive semidefinite"
        sure = self.found is None or self.found.decided or not self.valid
        why = " by a theorem" if self.proved else "" if sure else " up to rounding"
        singular = "" if self.regular or not self.valid else "; singular, or not certain to be regular"
        value = f"not computed for more than {MOST_DENSE} open sites" if self.found is None else self.found.text()
        limit = "" if self.longest is None else f"; indefinite above about xi = {length_text(self.longest)}"
        return f"class {self.c}, {self.kind}{length}, {where} sites: {verdict}{why}; {value}{singular}{limit}"


def psd_report(law: Law, longest: bool = False) -> tuple[LatentReport, ...]:
    """Report on the latent's correlation in each class, along each axis; with `longest`, on the longest valid xi too.

    Raises InputError for a law without a stationary latent.

    >>> law = NonlinearGP(40, (15, 1), 1, "ring", "none", (1, 0), positive_part="clipped")
    >>> first, second = psd_report(law, longest=True)
    >>> first.valid, second.valid, [round(xi, 4) for xi in first.longest]
    (False, True, [3.6443, 3.6443])
    """
    if not isinstance(law, NonlinearGP):
        raise InputError(
            f"The law {law.law} has no latent Gaussian process.",
            "Ask for that of nlgp, nlgp-2d or gaussian-clone.",
        )
    shapes = (law.axes,) if law.isotropic else tuple((sites,) for sites in dict.fromkeys(law.axes))
    return tuple(_report(law, c, shape, longest) for c in range(law.classes) for shape in shapes)


def _report(law: NonlinearGP, c: int, shape: tuple[int, ...], longest: bool) -> LatentReport:
    kernel, xi = law.kernels[c], law.length(c)
    proved = kernel.positive(law.boundary, law.isotropic)
    large = law.boundary == "open" and law.n > MOST_DENSE
    found = None if proved and large else smallest(kernel, shape, law.boundary, xi, itself=True)
    limit = longest_valid(kernel, shape, law.boundary, xi) if longest and not proved else None
    own = xi if kernel.needs_length else None
    return LatentReport(c, kernel.kind, own, shape, found, proved, regular(law, c), limit)

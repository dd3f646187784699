"""Laws of the scale r > 0 of an elliptical vector x = r z, with z Gaussian and r independent of it: definitions only.

A scale is a table in problem files, `{ kind = "student-t", dof = 5 }`. Each kind is one of four laws of r:

    student-t (dof)                    r^2 = dof/V, V ~ chi^2 with dof degrees of freedom
    gamma (shape)                      r^2 = G/shape, G ~ Gamma(shape), so that E r^2 = 1: x is a K-distribution
    discrete (values, probabilities)   r is one of the values
    sphere                             r = sqrt(n)/chi, chi^2 = z' R^-1 z: x is uniform on the ellipsoid x' R^-1 x = n

laplace is gamma with shape 1, gaussian the single value 1, and contaminated (share, ratio) has the value ratio with
probability `share` and the value 1 otherwise. chi and z/chi are independent, so that the sphere is elliptical too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from theory.problem.errors import InputError
from theory.problem.numbers import exact, nearest, positive, shown, whole

MOST_DOF = 1000
MOST_VALUES = 100
NEARLY_GAUSSIAN = "it is Gaussian to three digits"


class Scale:
    """The base of the laws of r; `kind` is the word of a law in problem files."""

    kind: ClassVar[str]

    def table(self) -> dict[str, Any]:
        """Return the scale as a table of a problem file.

        >>> StudentScale(5).table()
        {'kind': 'student-t', 'dof': 5}
        """
        return {"kind": self.kind} | {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class StudentScale(Scale):
    """r^2 = dof/V with V ~ chi^2 of dof degrees of freedom, a whole number.

    E r^2 = dof/(dof - 2) is finite for dof > 2 only. Raises InputError for a dof that is not whole or above 1000.

    >>> StudentScale(5).dof
    5
    """

    dof: int
    kind: ClassVar[str] = "student-t"

    def __post_init__(self) -> None:
        whole(self.dof, "dof", least=1, most=MOST_DOF, why=NEARLY_GAUSSIAN)


@dataclass(frozen=True)
class GammaScale(Scale):
    """r^2 = G/shape with G ~ Gamma(shape), shape a multiple of 1/2; E r^2 = 1. shape 1 is a multivariate Laplace law.

    2 G is then chi^2 with 2 shape degrees of freedom: a sum of so many squares of normal numbers.

    >>> GammaScale("3/2").shape
    Fraction(3, 2)
    """

    shape: Fraction
    kind: ClassVar[str] = "gamma"

    def __post_init__(self) -> None:
        shape = positive(self.shape, "shape", "it is the shape of a gamma distribution")
        if (2 * shape).denominator != 1 or 2 * shape > MOST_DOF:
            raise InputError(
                f"shape = {shape} is not a multiple of 1/2 up to {MOST_DOF // 2}: r^2 is drawn as a mean of 2 shape "
                "squares of normal numbers.",
                "Give 1/2, 1, 3/2, ...",
            )
        object.__setattr__(self, "shape", shape)


@dataclass(frozen=True)
class DiscreteScale(Scale):
    """r = values[k] > 0 with probability probabilities[k]: a mixture of Gaussians of proportional covariances.

    Raises InputError for other values, and probabilities that are not positive or do not add up to 1.

    >>> DiscreteScale([1, 3], ["0.9", "0.1"]).probabilities
    (Fraction(9, 10), Fraction(1, 10))
    """

    values: tuple[Fraction, ...]
    probabilities: tuple[Fraction, ...]
    kind: ClassVar[str] = "discrete"

    def __post_init__(self) -> None:
        given = self.values, self.probabilities
        if not all(isinstance(entry, list | tuple) and entry for entry in given) or len(given[0]) != len(given[1]):
            raise InputError(
                f"values = {shown(given[0])} and probabilities = {shown(given[1])} must be two lists of one length.",
                "Write for example values = [1, 3], probabilities = [0.9, 0.1].",
            )
        if len(given[0]) > MOST_VALUES:
            raise InputError(f"values has {len(given[0])} entries, more than {MOST_VALUES}.", "Give fewer.")
        values = tuple(positive(value, f"values[{k}]", "it is a scale") for k, value in enumerate(given[0]))
        shares = tuple(positive(p, f"probabilities[{k}]", "it is a probability") for k, p in enumerate(given[1]))
        if sum(shares) != 1:
            raise InputError(
                f"probabilities add up to {sum(shares)}, not to 1.", 'Write exact fractions, such as ["1/3", "2/3"].'
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "probabilities", shares)


@dataclass(frozen=True)
class SphereScale(Scale):
    """r = sqrt(n)/chi with chi^2 = z' R^-1 z: |R^-1/2 x|^2 = n always, and x/|x| has the directions of z.

    >>> SphereScale().table()
    {'kind': 'sphere'}
    """

    kind: ClassVar[str] = "sphere"


def _laplace() -> Scale:
    return GammaScale(Fraction(1))


def _gaussian() -> Scale:
    return DiscreteScale((Fraction(1),), (Fraction(1),))


def _contaminated(share: Any, ratio: Any) -> Scale:
    share = exact(share, "share")
    if not 0 < share < 1:
        raise InputError(f"share = {share} must lie between 0 and 1: it is a probability.", "Give for example 0.1.")
    return DiscreteScale((1, positive(ratio, "ratio", "it is a scale")), (1 - share, share))


_KEYS: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "gaussian": (_gaussian, ()),
    "student-t": (StudentScale, ("dof",)),
    "laplace": (_laplace, ()),
    "gamma": (GammaScale, ("shape",)),
    "contaminated": (_contaminated, ("share", "ratio")),
    "discrete": (DiscreteScale, ("values", "probabilities")),
    "sphere": (SphereScale, ()),
}
KINDS = tuple(_KEYS)


def read_scale(value: object, where: str) -> Scale:
    """Return the scale of a table, of a word without parameters, or a `Scale` as it is; `where` names it in errors.

    Raises InputError for an unknown kind, other keys and numbers that the kind refuses.

    >>> read_scale({"kind": "contaminated", "share": "1/10", "ratio": 3}, "data.scale[0]").values
    (Fraction(1, 1), Fraction(3, 1))
    >>> read_scale("laplace", "data.scale[0]")
    GammaScale(shape=Fraction(1, 1))
    """
    if isinstance(value, Scale):
        return value
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, Mapping) or table.get("kind") not in KINDS:
        kind = table.get("kind") if isinstance(table, Mapping) else None
        raise InputError(
            f"{where} = {shown(value)} is no law of a scale.",
            f"{nearest(kind, KINDS)}Write {{ kind = ... }} with one of: {', '.join(KINDS)}.",
        )
    make, keys = _KEYS[table["kind"]]
    if set(table) - {"kind"} != set(keys):
        listed = ", ".join(keys) or "no other key"
        raise InputError(f"{where} has the keys {', '.join(table)}.", f'kind = "{table["kind"]}" has {listed}.')
    try:
        return make(**{key: table[key] for key in keys})
    except InputError as error:
        raise InputError(f"{where}.{error.message}", error.hint) from None

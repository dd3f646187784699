"""The name and the definition of each law, a sentence on what is seen, and the names of its classes."""

from collections.abc import Sequence
from fractions import Fraction
from string import ascii_lowercase
from typing import Any

from theory.problem import Law
from theory.problem.correlations import GAUSSIAN
from theory.problem.correlations.table import TableCorrelation

_TITLES = {
    "nlgp": "nonlinear Gaussian process",
    "nlgp-2d": "nonlinear Gaussian process on a grid",
    "gaussian-clone": "Gaussian clone of such a process",
    "gaussian": "Gaussian with given covariances",
    "nlgp-matrix": "nonlinear process, given correlations",
    "gaussian-copula": "Gaussian copula with given values",
    "student-t": "Student t",
    "elliptical": "elliptical: Gaussian, random scale",
    "mixture": "mixture of laws",
    "single-pulse": "single pulse",
    "pulses": "several pulses",
    "bars": "bars on a grid",
    "ising": "Ising chain",
    "ising-2d": "Ising grid",
    "finite": "given examples",
    "table": "table of examples",
    "mnist": "digits of MNIST",
    "fashion-mnist": "clothes of Fashion-MNIST",
    "images": "photographs",
    "own": "law of your own",
}
# What tells classes apart beside their labels, with its symbol in a legend.
_SYMBOLS = {"xi": "ξ", "gain": "g", "widths": "width", "dof": "ν", "beta": "β", "h": "h", "counts": "pulses"}
_LATENT = r"$z$ Gaussian, $\langle z_i z_j \rangle = R(d_{ij})$, by default $\exp(-d_{ij}^2/\xi^2)$"
_FUNCTIONS = {  # that have a formula; the others are named
    "erf": r"\operatorname{erf}(g z_i)",
    "tanh": r"\tanh(g z_i)",
    "sign": r"\operatorname{sign}(z_i)",
    "identity": "g z_i",
}
_GAUSSIAN = r"$z$ Gaussian, $\langle z_i z_j \rangle = \exp(-d_{ij}^2/\xi^2)$"
_OTHER_LATENT = r"$z$ Gaussian, $\langle z_i z_j \rangle = R(d_{ij})$ chosen under More of the law"
_NO_CORRELATION = TableCorrelation((1,))
_SPINS = r"x_i = \pm 1"
_SHOWS: dict[str, tuple[str, str]] = {
    "nlgp": (
        rf"$x_i = f(g z_i)/Z$; {_LATENT}",
        "Sites closer than ξ are alike; the larger the gain of an erf, the sharper the steps between two values of x.",
    ),
    "nlgp-2d": (
        rf"$x_i = f(g z_i)/Z$ on a grid; {_LATENT}",
        "Patches of the size ξ are alike; the larger the gain of an erf, the sharper their edges.",
    ),
    "gaussian-clone": (
        r"$x \sim N(0, C)$ with the covariance $C$ of the law `nlgp` of the same numbers",
        "The covariance shows the lengths ξ as before, and the marginal is Gaussian: the examples have no edges.",
    ),
    "gaussian": (
        r"$x \sim N(m, C)$ with any covariance matrix $C$ in each class",
        "The covariance is the one that was given, and the marginals are Gaussian: the examples have no edges.",
    ),
    "nlgp-matrix": (
        r"$x_i = s_i f(z_i)/Z$; $z$ Gaussian with any correlation matrix in each class",
        "Each site has the same marginal but for its scale, and the covariance is the one that was asked for.",
    ),
    "gaussian-copula": (
        r"$x_i = Q_i(\Phi(z_i))$; $z$ Gaussian with any correlation matrix, $Q_i$ of finitely many values",
        "Sites keep the values that they were given, and depend on each other by pairs alone, or not at all.",
    ),
    "student-t": (
        rf"$x = z \sqrt{{\nu/V}}/Z$; {_GAUSSIAN}; $V \sim \chi^2_\nu$ with $\nu$ degrees of freedom",
        "All sites of an example share one scale: a few examples are large as a whole, the more so the smaller dof is.",
    ),
    "elliptical": (
        rf"$x = r z/Z$; {_GAUSSIAN}; the scale $r$ independent of $z$",
        "All sites of an example share one scale r: the covariance is that of z, and r makes the tails.",
    ),
    "mixture": (
        r"$x \sim$ component $k$ with probability $w_k$, among the components of the class",
        "Each example comes from one component: the covariance is their average, and the marginal their sum.",
    ),
    "single-pulse": (
        r"$u_i = 1$ inside a pulse, $0$ outside; $x = u$ or $x = 2u - 1$",
        "One block at a random place: the classes differ by its width, which the covariance shows as a band.",
    ),
    "pulses": (
        r"$x$ = the sum, or the largest, of several pulses at random places",
        "Several pulses at once: the classes differ in their widths and their number.",
    ),
    "bars": (
        r"$u_i = 1$ inside a rectangle on a grid, $0$ outside; $x = u$ or $x = 2u - 1$",
        "A bar at a random place: the covariance with the middle site is long where the bars are long.",
    ),
    "ising": (
        rf"${_SPINS}$, $P(x) \propto \exp(\beta \sum_i x_i x_{{i+1}} + h \sum_i x_i)$, $\tanh \beta = e^{{-1/\xi}}$",
        "Runs of equal spins of about ξ sites; the covariance falls exponentially, with a kink at distance 0.",
    ),
    "ising-2d": (
        rf"${_SPINS}$ on a grid, $P(x) \propto \exp(b \sum_{{\langle i, j \rangle}} x_i x_j + h \sum_i x_i)$",
        "Domains of equal spins, larger for larger couplings; on an open grid sites at the edge are less correlated.",
    ),
    "finite": (
        r"$x$ is one of the given examples, each with its weight",
        "Few examples: the sites differ; the mean of each is drawn, because no one marginal is that of all.",
    ),
    "table": (
        r"$x$ is one of the examples of a file, or of those made from given second moments",
        "Sites differ; the mean of each is drawn, because no one marginal is that of all. Each label is a class.",
    ),
    "mnist": (
        r"$x$ is an image of a digit of MNIST, averaged over squares of pixels",
        "Pixels are sites of a grid; the covariance with the middle one shows the strokes that pass it.",
    ),
    "fashion-mnist": (
        r"$x$ is an image of an article of Fashion-MNIST, averaged over squares of pixels",
        "Pixels are sites of a grid; the covariance with the middle one shows the outline of the article.",
    ),
    "images": (
        r"$x = W (p - \langle p \rangle)$, $p$ a patch of a photograph, or Gaussian of the same covariance",
        "Whitening takes away the correlations of neighbours; patches keep their edges, Gaussian inputs have none.",
    ),
    "own": (
        r"$x$ is drawn by a function of yours",
        "Statistics are estimated from drawn examples, with errors; the code is that of the file you started with.",
    ),
}


def says(law: type[Law]) -> tuple[str, str]:
    """The definition of a law and a sentence on what is seen, as Markdown; "" for a law that nobody described here.

    >>> from theory.problem import LAWS
    >>> says(LAWS["finite"])[0]
    '$x$ is one of the given examples, each with its weight'
    """
    definition = (law.__doc__ or law.__name__).partition("\n")[0].strip()
    return _SHOWS.get(law.law, (f"`{definition}`", ""))


def definition_of(law: Law) -> str:
    r"""Return the definition of a law as Markdown; that of a nonlinear process with its own f and correlation.

    >>> from theory.problem import NonlinearGP
    >>> definition_of(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))).partition(";")[0]
    '$x_i = \\operatorname{erf}(g z_i)$'
    """
    if law.law not in ("nlgp", "nlgp-2d"):
        return says(type(law))[0]
    kind, scaled = law.nonlinearity.kind, law.normaliser == "unit-variance"
    named = "" if kind in _FUNCTIONS else f", $f$ of the kind `{kind}`"
    place = " on a grid" if law.law == "nlgp-2d" else ""
    scale = ", $Z$ makes the variance 1" if scaled else ""
    latent = _GAUSSIAN if all(kernel == GAUSSIAN for kernel in law.kernels) else _OTHER_LATENT
    return f"$x_i = {_FUNCTIONS.get(kind, 'f(g z_i)')}{'/Z' if scaled else ''}${place}{named}{scale}; {latent}"


def seen_in(law: Law) -> str:
    """Return the sentence on what is seen of a law; of a process without any correlation another one than of the rest.

    >>> from theory.problem import NonlinearGP
    >>> seen_in(NonlinearGP(4, (), 3, "open", "none", (1, 0), correlation={"kind": "table", "values": [1]}))
    'The sites are independent: the covariance is diagonal, and an example shows no lengths.'
    """
    kernels = getattr(law, "kernels", ())
    if kernels and all(kernel == _NO_CORRELATION for kernel in kernels):
        return "The sites are independent: the covariance is diagonal, and an example shows no lengths."
    return says(type(law))[1]


def title_of(law: str) -> str:
    """The name of a law in words; that of problem files for a law that nobody described here.

    >>> title_of("nlgp")
    'nonlinear Gaussian process'
    """
    return _TITLES.get(law, law)


def class_names(labels: Sequence[Any]) -> tuple[str, ...]:
    """The name of each class by its label; classes of one label are numbered.

    >>> class_names([1, 0]), class_names([1, 1, (0, "1/2")])
    (('y = 1', 'y = 0'), ('y = 1 (a)', 'y = 1 (b)', 'y = (0, 0.5)'))
    """
    names = [f"y = {_label(label)}" for label in labels]
    return tuple(
        f"{name} ({ascii_lowercase[names[:c].count(name) % 26]})" if names.count(name) > 1 else name
        for c, name in enumerate(names)
    )


def _label(label: Any) -> str:
    if isinstance(label, tuple | list):
        return f"({', '.join(map(_label, label))})"
    return f"{float(Fraction(label)):.3g}".replace("-", "−")


def legends(law: Law) -> tuple[str, ...]:
    """The names of the classes with the numbers in which they differ.

    >>> from theory.problem import NonlinearGP
    >>> legends(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0)))
    ('y = 1, ξ = 2', 'y = 0, ξ = 1')
    """
    names = class_names(law.labels)
    for field, symbol in _SYMBOLS.items():
        values = getattr(law, field, ())
        if isinstance(values, tuple) and len(values) == law.classes and len(set(values)) > 1:
            names = tuple(f"{name}, {symbol} = {_number(value)}" for name, value in zip(names, values, strict=True))
    return names


def _number(value: Any) -> str:
    if isinstance(value, tuple):
        low, high = value[0], value[-1]
        return _number(low) if low == high else f"{_number(low)}–{_number(high)}"
    return f"{float(value):.3g}".replace("-", "−")

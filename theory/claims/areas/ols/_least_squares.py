"""The least-squares loss that a gated linear network reaches: its symbols, and the derivation of each of its forms.

beta = w(oo)/K regresses y on the gated inputs x~ = (g_1(x) x, ..., g_K(x) x); A = <x~ x~^T>, b = <x~ y>.
Two components of x~ are written out where a statement is about entries; the structural form holds for any number.
Localization notes, eq. (13)-(16), with general labels.
"""

import sympy
from sympy import Eq, ImmutableMatrix, Rational, Tuple

from theory.proof.derivation import Derivation, Step

loss = sympy.Symbol(r"\mathcal{L}_{OLS}", real=True)  # min over beta of <(y - beta.x~)^2>, without the half
label_square = sympy.Symbol("Y", real=True)  # <y^2>
beta = sympy.symbols("beta1 beta2", real=True)
intercept = sympy.Symbol("b_out", real=True)  # the output bias
mean = sympy.symbols("mu1 mu2", real=True)  # <x~>
apart = sympy.symbols("d1 d2", real=True)  # <x~>_1 - <x~>_0
covariance = sympy.symbols("v11 v12 v22", real=True)  # <x~ x~^T> - <x~> <x~>^T
a11, a12, a22, b1, b2 = sympy.symbols("a11 a12 a22 b1 b2", real=True)

# Class means of x~ (y = y1 or y0), and the sum of both classes' second moments S = <x~ x~^T>_1 + <x~ x~^T>_0.
m1 = sympy.symbols("m11 m12", real=True)
m0 = sympy.symbols("m01 m02", real=True)
s11, s12, s22 = sympy.symbols("s11 s12 s22", real=True)
y1, y0 = sympy.symbols("y1 y0", real=True)
_at = sympy.Function("L")(*beta)  # <(y - beta.x~)^2> at beta
HALF = Rational(1, 2)


def form(matrix: tuple[sympy.Expr, sympy.Expr, sympy.Expr], vector: tuple[sympy.Expr, sympy.Expr]) -> sympy.Expr:
    """Return v^T M^-1 v for the symmetric M with entries (11, 12, 22), by Cramer's rule."""
    (p, q, r), (first, second) = matrix, vector
    return (r * first**2 - 2 * q * first * second + p * second**2) / (p * r - q**2)


def loss_value() -> Derivation:
    """Derive min_beta <(y - beta.x~)^2> = <y^2> - b^T A^+ b in any dimension, and its form for two components of x~.

    Singular A included; notes, eq. (13)-(15). With balanced labels 1 and 0 <y^2> = 1/2.
    """
    matrix, inverse, force, force_row, weights, weights_row = sympy.symbols("A A^+ b b' beta beta'", commutative=False)
    transposes = (Tuple(matrix, inverse), Tuple(force, force_row), Tuple(weights, weights_row))
    lowest = label_square - force_row * inverse * force
    square = (weights_row - force_row * inverse) * matrix * (weights - inverse * force)
    at_beta = sympy.Symbol("L(beta)", real=True)
    expanded = Eq(at_beta, label_square - 2 * force_row * weights + weights_row * matrix * weights, evaluate=False)
    completed = Eq(at_beta, lowest + square, evaluate=False)
    result = Eq(loss, HALF - form((a11, a12, a22), (b1, b2)), evaluate=False)
    entries = ImmutableMatrix([[a11, a12], [a12, a22]])
    steps = (
        Step(
            expanded,
            r"expand $\langle (y - \beta \cdot \tilde x)^2 \rangle$, with $Y = \langle y^2 \rangle$ and a prime "
            "for the transpose",
            "definition",
        ),
        Step(
            completed,
            r"complete the square; $A v = 0$ gives $\langle (v \cdot \tilde x)^2 \rangle = 0$ and so "
            r"$v \cdot b = 0$: $b$ lies in the range of $A$",
            "complete-square",
            transposes,
        ),
        Step(
            Eq(loss, lowest, evaluate=False),
            r"$A = \langle \tilde x \tilde x^\top \rangle$ is positive semidefinite, so the square is least at "
            r"$\beta = A^+ b$",
            "minimum",
            transposes,
        ),
        Step(
            result,
            r"two components of $\tilde x$ and a regular $A$; $\langle y^2 \rangle = 1/2$ for balanced labels 1 and 0",
            "components",
            (*transposes[:2], Tuple(entries, entries.inv()), ImmutableMatrix([b1, b2]), Tuple(label_square, HALF)),
        ),
    )
    return Derivation("ols.loss.value", result, steps)


def loss_class_means() -> Derivation:
    """Derive min_beta <(y - beta.x~)^2> = 1/2 - (1/2) m_1^T S^-1 m_1 for balanced labels 1 and 0; notes, eq. (16)."""
    quadratic = HALF * (1 - 2 * along(m1)) + HALF * square(s11, s12, s22)
    return minimised("ols.loss.class_means", loss, quadratic, HALF - HALF * form((s11, s12, s22), m1))


def loss_labels() -> Derivation:
    """Derive min_beta <(y - beta.x~)^2> = (y1^2 + y0^2)/2 - (1/2) q^T S^-1 q, q = y1 m_1 + y0 m_0.

    The classes are balanced. The gated inputs have no constant component, so labels are not interchangeable by shift
    and scale.
    """
    pull = tuple(y1 * first + y0 * second for first, second in zip(m1, m0, strict=True))
    quadratic = HALF * (y1**2 + y0**2) - along(pull) + HALF * square(s11, s12, s22)
    value = HALF * (y1**2 + y0**2) - HALF * form((s11, s12, s22), pull)
    return minimised("ols.loss.labels", loss, quadratic, value)


def loss_intercept() -> Derivation:
    """Derive min_{beta, b} <(y - beta.x~ - b)^2> = (y1 - y0)^2/4 (1 - d^T V^-1 d/4).

    d = m_1 - m_0, V the covariance of x~. With an output bias b the labels enter by their difference alone,
    and the inputs without their mean.
    """
    means = [[center + sign * step / 2 for center, step in zip(mean, apart, strict=True)] for sign in (1, -1)]
    pull = tuple(y1 * first + y0 * second for first, second in zip(*means, strict=True))
    spread = square(*covariance)
    quadratic = HALF * (y1**2 + y0**2) - along(pull) + spread + along(mean) ** 2
    quadratic += intercept**2 + 2 * intercept * along(mean) - intercept * (y1 + y0)
    without = (y1 - y0) ** 2 / 4 - (y1 - y0) / 2 * along(apart) + spread
    start = (
        Step(
            Eq(sympy.Function("L")(*beta, intercept), quadratic, evaluate=False),
            r"expand $\langle (y - \beta \cdot \tilde x - b_{\text{out}})^2 \rangle$; $V$ is the covariance of "
            r"$\tilde x$ and $\mu$ its mean",
            "definition",
        ),
        Step(
            Eq(_at, without, evaluate=False),
            "the best output bias takes the means away, of the inputs and of the labels",
            "least-squares",
            (Tuple(intercept, (y1 + y0) / 2 - along(mean)),),
        ),
    )
    value = (y1 - y0) ** 2 / 4 * (1 - form(covariance, apart) / 4)
    return minimised(
        "ols.loss.intercept",
        loss,
        without,
        value,
        start,
        "the gradient vanishes at $(y_1 - y_0) V^{-1} d/4$, and $V$ is positive",
    )


def along(vector: tuple[sympy.Expr, sympy.Expr]) -> sympy.Expr:
    """Return v.beta."""
    return vector[0] * beta[0] + vector[1] * beta[1]


def square(p: sympy.Expr, q: sympy.Expr, r: sympy.Expr) -> sympy.Expr:
    """Return beta^T M beta for the symmetric M with entries p, q, r = 11, 12, 22."""
    return p * beta[0] ** 2 + 2 * q * beta[0] * beta[1] + r * beta[1] ** 2


def minimised(
    name: str,
    lowest: sympy.Symbol,
    quadratic: sympy.Expr,
    value: sympy.Expr,
    start: tuple[Step, ...] = (),
    why: str = r"the gradient vanishes at $A^{-1} b$, and $A = \langle \tilde x \tilde x^\top \rangle$ is positive",
) -> Derivation:
    """Return the derivation of Eq(lowest, value), the minimum over beta of `quadratic`; `start` is its first step."""
    gradient = [quadratic.diff(variable) for variable in beta]
    (minimiser,) = sympy.linsolve(gradient, beta)
    result = Eq(lowest, value, evaluate=False)
    steps = (
        *(
            start
            or (
                Step(
                    Eq(_at, quadratic, evaluate=False),
                    r"expand $\langle (y - \beta \cdot \tilde x)^2 \rangle$",
                    "definition",
                ),
            )
        ),
        Step(
            result,
            why,
            "least-squares",
            tuple(Tuple(variable, at) for variable, at in zip(beta, minimiser, strict=True)),
        ),
    )
    return Derivation(name, result, steps)

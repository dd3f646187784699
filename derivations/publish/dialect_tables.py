"""The tables of the page on dialects, made from `theory.claims.dialects`, so that page and conversions agree."""

from collections.abc import Callable, Mapping

import sympy

from derivations.markdown import table
from theory.claims import dialects
from theory.claims.dialects import Dialect
from theory.problem import InputError

# The columns and their headings; the other dialects differ from these in one option.
COLUMNS = {
    "workbench": dialects.OURS,
    "notes": dialects.NOTES,
    "small-bump note": dialects.SMALL_BUMP,
    "PNAS paper": dialects.PNAS,
    "conv_emerge": dialects.CONV_EMERGE,
    "Localization, head": dialects.HEAD,
    "89921cd": dialects.EARLY,
}
_DIGITS = 4  # after the point
_SIZE = 400, 20  # sites and units of the problem that is converted
_PULSES = ((40, 0.05, 0.1), (40, 0.2, 0.25), (100, 0.29, 0.3))


def _conventions() -> str:
    rows = [[title, *(_cell(field, show, one) for one in COLUMNS.values())] for title, field, show in _ROWS]
    return table(["", *COLUMNS], rows)


def _cell(field: str, show: Callable[[Dialect], str], dialect: Dialect) -> str:
    """A cell: "not stated" where the source does not state the convention."""
    return "not stated" if field in dialect.undecided else show(dialect)


def _variances() -> str:
    one, rows = sympy.Integer(1), []
    for dialect in dialects.DIALECTS:
        scale, shift = dialects.input_map(dialect, one)
        del scale
        rows.append([dialect.name, f"{float(dialects.variance(dialect, one)):.{_DIGITS}f}", f"{shift}"])
    return table(["dialect", "variance of $x$", "mean of $x$"], rows)


def _conversions() -> str:
    """The numbers that turn a problem of each dialect into one of the workbench; a dash where that is refused."""
    rows = []
    for source in dialects.DIALECTS[1:]:
        given = dialects.Numbers(*_SIZE, sympy.Integer(1), (sympy.Integer(2), sympy.Integer(1)), source.labels)
        to_ours = (given, source, dialects.OURS)
        numbers: tuple[Callable[[], sympy.Expr], ...] = (
            lambda to_ours=to_ours: dialects.convert(*to_ours).gain,
            lambda to_ours=to_ours: dialects.weight_factor(*to_ours),
            lambda to_ours=to_ours: dialects.time_factor(*to_ours),
            lambda source=source: dialects.loss(sympy.Integer(1), source, dialects.OURS),
            lambda source=source: dialects.participation(sympy.Rational(1, 4), source, dialects.OURS),
        )
        rows.append([source.name, *map(_number, numbers)])
    return table(["from", "$g$ for gain 1", "$a$", "$t'/t$", "$L'/L$", '"IPR" of $1/4$'], rows)


def _number(exact: Callable[[], sympy.Expr]) -> str:
    try:
        value = exact()
    except InputError:
        return "–"
    return str(value) if value.is_Rational else f"{float(value):.{_DIGITS}f}"


def _widths() -> str:
    rows = []
    for n, low, high in _PULSES:
        least, largest = dialects.pulse_widths(low, high, n)
        exact = dialects.pulse_fractions(least, largest, n)
        rows.append([str(n), f"{low}, {high}", f"{least} to {largest}", f"{exact[0]}, {exact[1]}"])
    return table(["sites", "low, high", "widths drawn", "low, high between the roundings"], rows)


def _power(value: sympy.Rational) -> str:
    return f"^{value}" if value != 1 else ""


def _nonlinearity(dialect: Dialect) -> str:
    inside = {sympy.Integer(1): "g z", sympy.Rational(1, 2): r"g z/\sqrt 2"}[dialect.gain_square]
    return rf"$\mathrm{{erf}}({inside})$"


def _divisor(dialect: Dialect) -> str:
    if dialect.divide_by == 0:
        return "nothing"
    fitting = dialect.normaliser_square == dialect.gain_square
    return f"$Z{_power(dialect.divide_by)}$" + ("" if fitting else r", that of $\mathrm{erf}(g z/\sqrt 2)$")


def _interval(dialect: Dialect) -> str:
    return "no" if dialect.adjust is None else f"$({dialect.adjust[0]}, {dialect.adjust[1]})$"


def _kernel(dialect: Dialect) -> str:
    return f"$e^{{-d{_power(dialect.distance_power)}/\\xi{_power(dialect.length_power)}}}$"


def _labels(dialect: Dialect) -> str:
    return "given" if dialect.labels is None else f"{dialect.labels[0]}, {dialect.labels[1]}".replace("-", "−")


def _readout(dialect: Dialect) -> str:
    return {"mean": "$1/K$", "sum": "1"}[dialect.readout]


def _preactivation(dialect: Dialect) -> str:
    return r"$w^{\top} x" + (r"/\sqrt n$" if dialect.root_inputs else "$")


def _loss(dialect: Dialect) -> str:
    factor = {sympy.Integer(1): "", sympy.Rational(1, 2): r"\tfrac12 "}[dialect.loss_factor]
    return rf"${factor}\langle (y-\hat y)^2 \rangle$"


def _participation(dialect: Dialect) -> str:
    ratio = r"\sum w^4/(\sum w^2)^2", r"(\sum w^2)^2/\sum w^4"
    return f"${ratio[0 if dialect.inverse_participation else 1]}$"


_ROWS: tuple[tuple[str, str, Callable[[Dialect], str]], ...] = (
    ("nonlinearity", "gain_square", _nonlinearity),
    ("divided by", "divide_by", _divisor),
    ("mapped to", "adjust", _interval),
    ("kernel", "distance_power", _kernel),
    ("length in", "length_unit", lambda dialect: dialect.length_unit),
    ("added to the diagonal", "jitter", lambda dialect: str(dialect.jitter)),
    ("labels, first length named first", "labels", _labels),
    ("readout", "readout", _readout),
    ("pre-activation", "root_inputs", _preactivation),
    ("loss", "loss_factor", _loss),
    ('"IPR"', "inverse_participation", _participation),
)
# The tables of the directive {dialects NAME}.
TABLES: Mapping[str, Callable[[], str]] = {
    "conventions": _conventions,
    "variance": _variances,
    "conversions": _conversions,
    "widths": _widths,
}

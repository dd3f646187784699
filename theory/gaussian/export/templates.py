"""Source text that exported code contains: the names of functions, Owen's T and the guard, in NumPy, torch and C.

For |a| <= 1, T(h, a) is a quadrature up to 9 standard deviations. For a > 1, T(h, a) = Q(h)/2 + Q(k)/2 - Q(h) Q(k) -
T(k, 1/a) with k = a h and Q(x) = P(z > x), which is relatively accurate in the tails. The guard returns nan where
cancellation leaves the value too few digits. Upper moments and Phi2 are in `upper_templates`.
"""

# Names that a parameter cannot have because the code uses them, in addition to the keywords of the languages.
RESERVED = (
    "np",
    "math",
    "torch",
    "abs",
    "zip",
    "list",
    "isinstance",
    "getattr",
    "expectation",
    "LEGENDRE",
    "TANH_SINH",
    "LEGENDRE_X",
    "LEGENDRE_W",
    "TANH_SINH_X",
    "TANH_SINH_W",
    "owens_t",
    "upper",
    "upper2",
    "below",
    "on_a_line",
    "isinf",
    "isnan",
    "copysign",
    "fmin",
    "fmax",
    "guarded",
    "NAN",
    "INFINITY",
    "M_PI",
    "M_SQRT1_2",
    "M_E",
    "sqrt",
    "exp",
    "log",
    "erf",
    "erfc",
    "asin",
    "acos",
    "atan",
    "atanh",
    "fabs",
    "pow",
    "tanh",
    "main",
)
C_WORDS = (
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
)

PYTHON_NAMES = {
    "asin": "_asin",
    "acos": "_acos",
    "atan": "_atan",
    "exp": "_exp",
    "log": "_log",
    "erf": "_erf",
    "erfc": "_erfc",
    "sign": "_sign",
    "Abs": "abs",
    "OwensT": "_owens_t",
    "Phi": "_phi",
}

PYTHON_HEAD = {
    "numpy": """\
import math

import numpy as np
from scipy.special import erf as _erf, erfc as _erfc

_PI, _E = np.pi, np.e
_sqrt, _exp, _log, _sign, _where = np.sqrt, np.exp, np.log, np.sign, np.where
_asin, _acos, _atan = np.arcsin, np.arccos, np.arctan
_minimum, _maximum, _zeros = np.minimum, np.maximum, np.zeros_like
_quiet, _some = np.errstate(invalid="ignore"), np.any


def _arrays(*values):
    return np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values))


_table = np.array

""",
    "torch": """\
import math
import torch

_PI, _E = math.pi, math.e


def _either(name, plain):
    return lambda x: getattr(torch, name)(x) if isinstance(x, torch.Tensor) else plain(x)


_sqrt, _exp, _log = (_either(n, getattr(math, n)) for n in ("sqrt", "exp", "log"))
_asin, _acos, _atan = (_either(n, getattr(math, n)) for n in ("asin", "acos", "atan"))
_erf, _erfc = _either("erf", math.erf), _either("erfc", math.erfc)
_sign, _where = _either("sign", lambda x: (x > 0) - (x < 0)), torch.where
_minimum, _maximum, _zeros = torch.minimum, torch.maximum, torch.zeros_like
_quiet = lambda function: function


def _some(truths):
    try:
        return bool(truths.any())
    except RuntimeError:  # torch.func.vmap has no branches on data: no limits there
        return False


def _arrays(*values):
    return torch.broadcast_tensors(*(torch.as_tensor(value, dtype=torch.float64) for value in values))


def _table(values):
    return torch.tensor(values, dtype=torch.float64)

""",
}

PYTHON = {
    "guarded": '''\

def _guarded(value, size):
    """The value, or nan where cancellation of terms of this total size leaves fewer than six digits."""
    value, size = _arrays(value, size)
    return value*_where(%(term)r*size <= %(least)r*abs(value), 1.0, math.nan)
''',
    "limit": '''\


@_quiet
def _limit(*values):
    """The value; where infinite arguments make it nan, that at 1e20 in their place, if it is the same at 1e25."""
    value, infinite = _near(*values), sum(abs(x) == math.inf for x in values) > 0
    for form in (_near, _far):
        lost = (value != value) & infinite
        if _some(lost):
            limit, beyond = (form(*(_where(abs(x) == math.inf, _sign(x)*e, x) for x in values)) for e in (1e20, 1e25))
            value = _where(lost & (abs(beyond - limit) <= 1e-12*abs(limit)), limit, value)
    return value

''',
    "Integral": '''\

def _integral(integrand, *values):
    """int_0^1 of a function of x and arrays, and the integral of its size; infinite where half of the nodes disagree.

    The function receives the arrays with one more axis, and returns its value and the size of its terms.
    """
    value, size = integrand(TANH_SINH_X, *(value[..., None] for value in values))
    terms, size = TANH_SINH_W*value, (TANH_SINH_W*size).sum(-1)
    missed = abs(terms.sum(-1) - 2*terms[..., ::2].sum(-1))
    return terms.sum(-1), size*_where(missed <= %(disagreement)r*size, 1.0, math.inf)
''',
    "OwensT": '''\

def _owens_t(h, a):
    """Owen's T: (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx."""
    h, a = _arrays(h, a)
    far = abs(a) > 1
    safe = _where(far, a, a*0 + 2)
    g, b = abs(_where(far & (h != 0), a*h, h)), _where(far, 1/safe, a)
    b = _where(abs(b)*g > 9.0, _sign(a)*9.0/_where(g > 9.0, g, g*0 + 9.0), b)
    s = 1 + (b[..., None]*LEGENDRE_X)**2
    near = b*(LEGENDRE_W*_exp(-g[..., None]**2*s/2)/s).sum(-1)/(2*_PI)
    q, q_far = _erfc(abs(h)/2**0.5)/2, _erfc(g/2**0.5)/2
    return _where(far, _sign(a)*((q + q_far)/2 - q*q_far) - near, near)
''',
    "Phi": '''\

def _phi(x):
    """The normal distribution function."""
    (x,) = _arrays(x)
    return _erfc(-x/2**0.5)/2
''',
}

C_HEAD = """\
#define _XOPEN_SOURCE 700
#include <math.h>
"""

C = {
    "guarded": """
/* The value, or nan where cancellation of terms of this total size leaves fewer than six digits. */
static double guarded(double value, double size) {
  return %(term)r*size <= %(least)r*fabs(value) ? value : NAN;
}
""",
    "limit": """
  /* The value; where infinite arguments make it nan, that at 1e20 in their place, if it is the same at 1e25. */
  const double value = near_(%(here)s);
  if (!isnan(value) || !(%(infinite)s)) return value;
  const double near = near_(%(far)s), limit = isnan(near) ? %(form)s(%(far)s) : near;
  const double beyond = isnan(near) ? %(form)s(%(beyond)s) : near_(%(beyond)s);
  return fabs(beyond - limit) <= 1e-12*fabs(limit) ? limit : NAN;
}
""",
    "OwensT": """
static double owens_t(double h, double a) {
  const int far = fabs(a) > 1;
  const double g = far && h != 0 ? fabs(a*h) : fabs(h), ratio = far ? 1/fabs(a) : fabs(a), side = a < 0 ? -1 : 1;
  const double b = ratio*g > 9 ? 9/g : ratio, q = erfc(fabs(h)*M_SQRT1_2)/2, q_far = erfc(g*M_SQRT1_2)/2;
  double total = 0;
  for (int k = 0; k < %(order)d; ++k) {
    const double x = b*LEGENDRE_X[k], s = 1 + x*x;
    total += LEGENDRE_W[k]*exp(-g*g*s/2)/s;
  }
  total *= b/(2*M_PI);
  return side*(far ? (q + q_far)/2 - q*q_far - total : total);
}
""",
}

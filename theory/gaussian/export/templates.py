"""Source text that exported code contains: the names of functions, Owen's T and Phi2, in NumPy, torch and C.

T(h, a) for |a| <= 1 by quadrature, beyond by T(h, a) = (1 - erf(h/sqrt 2) erf(a h/sqrt 2))/4 - T(a h, 1/a), a > 0.
Phi2(h, k, r) = Phi(h) Phi(k) + (1/2 pi) int_0^atanh(r) exp(-(p (1 + e^2v) + q (1 + e^-2v))/8) sech v dv with
p = (h - k)^2, q = (h + k)^2.
"""

# Names in the code that a parameter cannot have, beside the languages' own words.
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
    "phi2",
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
    "Phi2": "_phi2",
    "Phi": "_phi",
}

PYTHON_HEAD = {
    "numpy": """\
import numpy as np
from scipy.special import erf as _erf, erfc as _erfc

_PI, _E = np.pi, np.e
_sqrt, _exp, _log, _sign, _where, _tanh = np.sqrt, np.exp, np.log, np.sign, np.where, np.tanh
_asin, _acos, _atan, _atanh = np.arcsin, np.arccos, np.arctan, np.arctanh


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


_sqrt, _exp, _log, _tanh, _atanh = (_either(n, getattr(math, n)) for n in ("sqrt", "exp", "log", "tanh", "atanh"))
_asin, _acos, _atan = (_either(n, getattr(math, n)) for n in ("asin", "acos", "atan"))
_erf, _erfc = _either("erf", math.erf), _either("erfc", math.erfc)
_sign, _where = _either("sign", lambda x: (x > 0) - (x < 0)), torch.where


def _arrays(*values):
    return torch.broadcast_tensors(*(torch.as_tensor(value, dtype=torch.float64) for value in values))


def _table(values):
    return torch.tensor(values, dtype=torch.float64)

""",
}

PYTHON = {
    "Integral": '''\

def _integral(integrand, *values):
    """int_0^1 of a function of x and of arrays, which it receives with one more axis."""
    return (TANH_SINH_W*integrand(TANH_SINH_X, *(value[..., None] for value in values))).sum(-1)
''',
    "OwensT": '''\

def _owens_t(h, a):
    """Owen's T: (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx."""
    h, a = _arrays(h, a)
    far = abs(a) > 1
    safe = _where(far, a, a*0 + 2)
    b, g = _where(far, 1/safe, a), _where(far, a*h, h)
    s = 1 + (b[..., None]*LEGENDRE_X)**2
    near = b*(LEGENDRE_W*_exp(-g[..., None]**2*s/2)/s).sum(-1)/(2*_PI)
    return _where(far, _sign(a)*(1 - _erf(h/2**0.5)*_erf(abs(a)*h/2**0.5))/4 - _sign(a)*abs(near), near)
''',
    "Phi": '''\

def _phi(x):
    """The normal distribution function."""
    (x,) = _arrays(x)
    return _erfc(-x/2**0.5)/2
''',
    "Phi2": '''\

def _phi2(h, k, r):
    """P(X <= h, Y <= k) for standard normal X, Y of correlation r."""
    h, k, r = _arrays(h, k, r)
    end, p, q = _atanh(r), ((h - k)**2/8)[..., None], ((h + k)**2/8)[..., None]
    e = _exp(end[..., None]*LEGENDRE_X)
    s = e*e
    total = (LEGENDRE_W*_exp(-(p*(1 + s) + q*(1 + 1/s)))*2*e/(s + 1)).sum(-1)
    return _erfc(-h/2**0.5)*_erfc(-k/2**0.5)/4 + end*total/(2*_PI)
''',
}

C_HEAD = """\
#define _XOPEN_SOURCE 700
#include <math.h>
"""

C = {
    "OwensT": """
static double owens_t(double h, double a) {
  const int far = fabs(a) > 1;
  const double b = far ? 1/fabs(a) : fabs(a), g = far ? fabs(a)*h : h, side = a < 0 ? -1 : 1;
  double total = 0;
  for (int k = 0; k < %(order)d; ++k) {
    const double x = b*LEGENDRE_X[k], s = 1 + x*x;
    total += LEGENDRE_W[k]*exp(-g*g*s/2)/s;
  }
  total *= b/(2*M_PI);
  return side*(far ? (1 - erf(h*M_SQRT1_2)*erf(fabs(a)*h*M_SQRT1_2))/4 - total : total);
}
""",
    "Phi2": """
static double phi2(double h, double k, double r) {
  const double end = atanh(r), p = (h - k)*(h - k)/8, q = (h + k)*(h + k)/8;
  double total = 0;
  for (int i = 0; i < %(order)d; ++i) {
    const double v = end*LEGENDRE_X[i], s = exp(2*v);
    total += LEGENDRE_W[i]*exp(-(p*(1 + s) + q*(1 + 1/s)))*2*exp(v)/(s + 1);
  }
  return erfc(-h*M_SQRT1_2)*erfc(-k*M_SQRT1_2)/4 + end*total/(2*M_PI);
}
""",
}

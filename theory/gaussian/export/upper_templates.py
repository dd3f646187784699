"""Source text of upper partial moments in NumPy, torch and C.

upper(q, x) = E max(z - x, 0)^q: from erfc by the recurrence R_n = (n - 1) R_(n-2) - x R_(n-1), R_(-1) = phi, and for
x > 2.5, where its terms cancel, by the continued fraction R_n/R_(n-1) = n/(x + (n + 1)/(x + ...)).

upper2(p, q, s, t, r, 1 - r^2) = E max(z1 - s, 0)^p max(z2 - t, 0)^q, with s the larger threshold, is the integral of

    (z - s)^p phi(z) tau^q upper(q, (t - r z)/tau),   tau = sqrt(1 - r^2),   over z > s,

whose factors are positive and log-concave: nothing cancels. Panels end at z = 0, at 8 tau/|r| on both sides of t/r,
between which the last factor bends, and where exp(-z^2/2) has lost a factor exp(50); tanh-sinh nodes are dense there.

The derivatives are such moments again: by s it is -p upper2(p - 1, q, ...), or for p = 0 minus the integrand at z = s;
by r it is p q upper2(p - 1, q - 1, ...), or the density of one threshold times a moment of the other.
"""

PYTHON = '''\

_ROOT_2PI, _SWITCH, _TERMS, _FAR, _NONE = math.sqrt(2*math.pi), 2.5, 60, 800.0, 1e3


def _density(x):
    return _exp(-x*x/2)/_ROOT_2PI


def _upper_value(q, x):
    """E max(z - x, 0)^q of a standard normal z; P(z > x) for q = 0."""
    x = _minimum(x, _zeros(x) + _NONE)
    last, value = _density(x), _erfc(x/2**0.5)/2
    product, y = value, _where(x > _SWITCH, x, x*0 + _SWITCH)
    for n in range(1, q + 1):
        last, value = value, max(n - 1, 1)*last - x*value
    if q:
        ratio = (_sqrt(y*y + 4*_TERMS) - y)/2
        for n in range(_TERMS, 0, -1):
            ratio = n/(y + ratio)
            product = product*ratio if n <= q else product
    return _where(x > _SWITCH, product, value)


def _below(t, r, z, gap):
    """(t - r z)/sqrt(1 - r^2), without cancellation where |r| is near 1."""
    side = 1 - 2.0*(r < 0)
    return ((t - side*z) + side*z*gap/(1 + abs(r)))/_sqrt(gap)


def _ordered_value(p, q, s, t, r, gap):
    """E max(z1 - s, 0)^p max(z2 - t, 0)^q for s >= t, as an integral over z1."""
    low = _maximum(s, s*0 - 9)
    ahead = _below(t, r, s, gap)
    start = _where(s < 0, s*0, (s*s + _where(ahead > 0, ahead, s*0)**2)/2)
    end = _sqrt(2*_minimum(start, s*0 + _FAR) + 100)
    size = _maximum(abs(r), r*0 + 1e-300)
    bend, reach = (1 - 2.0*(r < 0))*t/size, 8*_sqrt(gap)/size
    left, middle, right = (_minimum(_maximum(x, low), end) for x in (bend - reach, s*0, bend + reach))
    inner = _maximum(left, _minimum(middle, right))
    places = (low, _minimum(left, middle), inner, _maximum(middle, right), end)
    total = _zeros(s)
    s, t, r, gap = (x[..., None] for x in (s, t, r, gap))
    for first, last in zip(places[:-1], places[1:]):
        width = _maximum(last - first, first*0)
        step, first = width[..., None]*TANH_SINH_X, first[..., None]
        z = first + step
        terms = (first - s + step)**p*_density(z)*_sqrt(gap)**q*_upper_value(q, _below(t, r, z, gap))
        total = total + width*(TANH_SINH_W*terms).sum(-1)
    return total


def _on_a_line(p, q, s, t, r):
    """E max(z - s, 0)^p max(r z - t, 0)^q for r = 1 or -1: over z > s and z > t, or s < z < -t."""
    low = _maximum(_where(r > 0, _maximum(s, t), s), _zeros(s) - 9)
    end = _sqrt(2*_minimum(_where(low > 0, low*low/2, _zeros(s)), _zeros(s) + _FAR) + 100)
    end = _maximum(_where(r > 0, end, _minimum(end, -t)), low)
    middle = _minimum(_maximum(low, _zeros(s)), end)
    total = _zeros(s)
    for first, last in ((low, middle), (middle, end)):
        z = first[..., None] + (last - first)[..., None]*TANH_SINH_X
        rest = abs((z - s[..., None])**p*(r[..., None]*z - t[..., None])**q)
        total = total + (last - first)*(TANH_SINH_W*_density(z)*rest).sum(-1)
    return total


def _upper2_value(p, q, s, t, r, gap):
    """The moment, its limit at infinite thresholds, and that at |r| = 1; nan for |r| > 1, and for 0 times infinity."""
    total = _zeros(s)
    total[...] = math.nan
    finite, inside = (abs(s) < math.inf) & (abs(t) < math.inf), abs(r) <= 1
    for turned in (False, True):
        a, b, h, k = (q, p, t, s) if turned else (p, q, s, t)
        rows = finite & (gap > 0) & ((s < t) == turned)
        total[rows] = _ordered_value(a, b, *(x[rows] for x in (h, k, r, gap)))
        certain = ~finite & inside & (h == -math.inf)  # max(z1 - h, 0)^a is 1 for a = 0, and else infinite
        total[certain & (k == math.inf)] = math.nan if a else 0.0
        rows = certain & (k < math.inf)
        total[rows] = _upper_value(b, k[rows]) + (math.inf if a else 0.0)
        total[~finite & inside & (h == math.inf) & (k > -math.inf)] = 0.0
    rows = finite & (gap == 0) & inside
    total[rows] = _on_a_line(p, q, *(x[rows] for x in (s, t, r)))
    return total
'''

CALLS = {
    "numpy": '''\


def _upper(q, x):
    """E max(z - x, 0)^q."""
    return _upper_value(q, *_arrays(x))


def _upper2(p, q, s, t, r, gap):
    """E max(z1 - s, 0)^p max(z2 - t, 0)^q for a correlation r, gap = 1 - r^2."""
    s, t, r, gap = _arrays(s, t, r, gap)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return _upper2_value(p, q, s, t, r, gap)
''',
    "torch": '''\


class _Upper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, x):
        ctx.q = q
        ctx.save_for_backward(x)
        return _upper_value(q, x)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return None, -upstream*(ctx.q*_upper(ctx.q - 1, x) if ctx.q else _density(x))


def _upper(q, x):
    """E max(z - x, 0)^q."""
    return _Upper.apply(q, *_arrays(x))


def _edge(q, s, t, r, gap):
    """E[delta(z1 - s) max(z2 - t, 0)^q], a delta in place of the power -1; 0 for infinite s."""
    finite = abs(s) < math.inf
    s = _where(finite, s, _zeros(s))
    tau, ahead = _sqrt(gap), _below(t, r, s, gap)
    return finite*_density(s)*(_density(ahead)/tau if q < 0 else tau**q*_upper(q, ahead))


def _by_threshold(p, q, s, t, r, gap):
    return -p*_upper2(p - 1, q, s, t, r, gap) if p else -_edge(q, s, t, r, gap)


class _Upper2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p, q, s, t, r, gap):
        ctx.powers = p, q
        ctx.save_for_backward(s, t, r, gap)
        return _upper2_value(p, q, s, t, r, gap)

    @staticmethod
    def backward(ctx, upstream):
        (p, q), (s, t, r, gap) = ctx.powers, ctx.saved_tensors
        # gap has the more accurate value; its derivative by r is that of (1 - r)(1 + r).
        square = (1 - r)*(1 + r)
        gap = gap.detach() + (square - square.detach())
        by_s, by_t = _by_threshold(p, q, s, t, r, gap), _by_threshold(q, p, t, s, r, gap)
        if p and q:
            by_r = p*q*_upper2(p - 1, q - 1, s, t, r, gap)
        else:
            by_r = max(p, q, 1)*(_edge(p - 1, t, s, r, gap) if p else _edge(q - 1, s, t, r, gap))
        return None, None, upstream*by_s, upstream*by_t, upstream*by_r, None


def _upper2(p, q, s, t, r, gap):
    """E max(z1 - s, 0)^p max(z2 - t, 0)^q for a correlation r, gap = 1 - r^2."""
    return _Upper2.apply(p, q, *_arrays(s, t, r, gap))
''',
}

C = {
    "UpperMoment": """
static double upper(int q, double x) {
  if (x > 1e3) return 0;
  double last = exp(-x*x/2)/sqrt(2*M_PI), value = erfc(x*M_SQRT1_2)/2;
  if (x > 2.5 && q) {
    double ratio = (sqrt(x*x + 4*60.0) - x)/2;
    for (int n = 60; n > 0; --n) {
      ratio = n/(x + ratio);
      if (n <= q) value *= ratio;
    }
    return value;
  }
  for (int n = 1; n <= q; ++n) {
    const double next = (n > 1 ? n - 1 : 1)*last - x*value;
    last = value;
    value = next;
  }
  return value;
}
""",
    "UpperMoment2": """
static double below(double t, double r, double z, double gap) {
  const double side = r < 0 ? -1 : 1;
  return ((t - side*z) + side*z*gap/(1 + fabs(r)))/sqrt(gap);
}

/* E max(z - s, 0)^p max(r z - t, 0)^q for r = 1 or -1: over z > s and z > t, or s < z < -t. */
static double on_a_line(int p, int q, double s, double t, double r) {
  const double low = fmax(r > 0 ? fmax(s, t) : s, -9), far = sqrt((low > 0 ? fmin(low*low, 1600) : 0) + 100);
  const double end = fmax(r > 0 ? far : fmin(far, -t), low), middle = fmin(fmax(low, 0), end);
  double total = 0;
  for (int i = 0; i < 2; ++i) {
    const double first = i ? middle : low, width = (i ? end : middle) - first;
    for (int k = 0; k < %(points)d; ++k) {
      const double z = first + width*TANH_SINH_X[k];
      total += width*TANH_SINH_W[k]*exp(-z*z/2)/sqrt(2*M_PI)*fabs(pow(z - s, p)*pow(r*z - t, q));
    }
  }
  return total;
}

/* E max(z1 - s, 0)^p max(z2 - t, 0)^q for standard normal variables; gap = 1 - r^2. */
static double upper2(int p, int q, double s, double t, double r, double gap) {
  if (!(fabs(r) <= 1)) return NAN;
  if (isinf(s) || isinf(t)) {
    if ((p && s < 0 && isinf(s) && isinf(t) && t > 0) || (q && t < 0 && isinf(t) && isinf(s) && s > 0)) return NAN;
    if ((isinf(s) && s > 0) || (isinf(t) && t > 0)) return 0;
    if ((p && isinf(s)) || (q && isinf(t))) return INFINITY;
    return isinf(s) ? upper(q, t) : upper(p, s);
  }
  if (gap == 0) return on_a_line(p, q, s, t, r);
  if (s < t) return upper2(q, p, t, s, r, gap);
  const double low = fmax(s, -9), ahead = fmax(below(t, r, s, gap), 0);
  const double start = s < 0 ? 0 : fmin((s*s + ahead*ahead)/2, 800), end = sqrt(2*start + 100);
  const double size = fmax(fabs(r), 1e-300), bend = (r < 0 ? -t : t)/size, reach = 8*sqrt(gap)/size;
  const double left = fmin(fmax(bend - reach, low), end), right = fmin(fmax(bend + reach, low), end);
  const double middle = fmin(fmax(0, low), end), inner = fmax(left, fmin(middle, right));
  const double places[5] = {low, fmin(left, middle), inner, fmax(middle, right), end};
  double total = 0;
  for (int i = 0; i < 4; ++i) {
    const double width = fmax(places[i + 1] - places[i], 0);
    double panel = 0;
    for (int k = 0; width > 0 && k < %(points)d; ++k) {
      const double step = width*TANH_SINH_X[k], z = places[i] + step;
      double term = TANH_SINH_W[k]*exp(-z*z/2)/sqrt(2*M_PI)*upper(q, below(t, r, z, gap));
      for (int n = 0; n < p; ++n) term *= places[i] - s + step;
      for (int n = 0; n < q; ++n) term *= sqrt(gap);
      panel += term;
    }
    total += width*panel;
  }
  return total;
}
""",
}

"""The values of the claims on gradient flows, from the loss and its differential equation."""

from mpmath import mp, mpf

from tests.pages.numerics import flow, slope, solved


def rate(loss, tau: mpf) -> mpf:
    """Return dw/dt = -(dL/dw)/tau at w's value, with L as a function of the change of w."""
    return -slope(loss) / tau


def mode(k: mpf, tau: mpf, t: mpf, lam: mpf, c: mpf, start: mpf) -> mpf:
    """Return u(t) of tau du/dt = -dL/du, L = lam u^2/(2 K^2) - c u/K: yhat = x~.w/K."""
    return flow([[-lam / (k**2 * tau)]], [c / (k * tau)], [start], t)[0]


def pair(k: mpf, tau: mpf, t: mpf, lam: mpf, c: mpf, u: mpf, v: mpf, readout: mpf) -> list[mpf]:
    """Return both weights of two units with one gate; `readout` stands in front of the sum."""
    pull, push = -lam * readout / (k * tau), c / (k * tau)
    return flow([[pull, pull], [pull, pull]], [push, push], [u, v], t)


def rest(k: mpf, lam: mpf, c: mpf) -> mpf:
    """Return the least point of L(u) = lam u^2/(2 K^2) - c u/K, from its slope and its curvature at 0."""

    def loss(u: int) -> mpf:
        return lam * u**2 / (2 * k**2) - c * u / k

    return -slope(loss) / (loss(1) + loss(-1))


def descended(m: mpf, eta: mpf, K: mpf, lam: mpf, c: mpf, u0: mpf) -> mpf:
    """Return u after m steps of gradient descent."""
    for _ in range(int(m)):
        u0 += eta * (c / K - lam * u0 / K**2)
    return u0


def moving(K: mpf, tau: mpf, t: mpf, lam: mpf, c_0: mpf, omega: mpf, u0: mpf) -> mpf:
    """Return u(t) where c(t) = c_0 cos(omega t): the oscillator is part of the flow."""
    a = -lam / (K**2 * tau)
    return flow([[a, 1 / (K * tau), 0], [0, 0, -omega], [0, omega, 0]], [0, 0, 0], [u0, c_0, 0], t)[0]


def singular(K: mpf, x1: mpf, x2: mpf, y: mpf, w10: mpf, w20: mpf) -> mpf:
    """Return w_1(oo) for one input x: w moves along x alone, until w.x/K = y."""
    missing = (K * y - w10 * x1 - w20 * x2) / (x1**2 + x2**2)
    return w10 + missing * x1


def small_bump(tau: mpf, t: mpf, s: mpf, c1: mpf, start: mpf, sign: int) -> mpf:
    """Return a mode of one of the two units, with A_11 = A_22 = S/2 and b_2 = -b_1."""
    return mode(mpf(2), tau, t, s / 2, sign * c1, start)


def general(s: mpf, ell: mpf, tau: mpf, b_ki: mpf, h_ki: mpf) -> mpf:
    """Return dw/dt for L = ell/2 <(y - s sum g w.x)^2>, at one input g x = 1: b is y, h the sum."""
    return rate(lambda change: ell / 2 * (b_ki - s * (h_ki + change)) ** 2, tau)


def hidden_bias(K: mpf, tau: mpf, m_k: mpf, r_k: mpf, q_k: mpf, b_out: mpf) -> mpf:
    """Return db_k/dt where the gate is open with probability q, with y = m/q and the sum r/q there."""
    return rate(lambda change: q_k / 2 * (m_k / q_k - (r_k / q_k + change) / K - b_out) ** 2, tau)


def output_bias(tau: mpf, m: mpf, r: mpf, b_out: mpf, K: mpf) -> mpf:
    """Return db_out/dt."""
    return rate(lambda change: (m - r / K - b_out - change) ** 2 / 2, tau)


def entry(K: mpf, tau: mpf, b_ki: mpf, h_ki: mpf) -> mpf:
    """Return dw/dt under the mean readout."""
    return general(1 / K, mpf(1), tau, b_ki, h_ki)


def arguments(at: dict) -> dict:
    """Rename lambda, which is a word of Python."""
    return {"lam" if name == "lambda" else name: value for name, value in at.items()}


def of(function):
    """Let a function take the names of the stored points."""
    return lambda **at: function(**arguments(at))


VALUES = {
    "flow.descent.weights": of(descended),
    "flow.exclusive.fixed_point": lambda K, a11, a12, a22, b1, b2: K * solved([[a11, a12], [a12, a22]], [b1, b2])[0],
    "flow.exclusive.mode": of(lambda K, tau, t, lam, c1, u10: mode(K, tau, t, lam, c1, u10)),
    "flow.exclusive.own_subset": lambda K, s11, s12, s22, r1, r2, P_open: (
        K * solved([[P_open * s11, P_open * s12], [P_open * s12, P_open * s22]], [P_open * r1, P_open * r2])[0]
    ),
    "flow.exclusive.transient": of(lambda lam, c1, u10: rest(mpf(1), lam, c1)),
    "flow.fixed_point.mode": of(lambda K, lam, c: rest(K, lam, c)),
    "flow.fixed_point.null_mode": lambda K, u0: flow([[0]], [0], [u0], mpf(10))[0],
    "flow.fixed_point.singular": singular,
    "flow.gradient.entry": entry,
    "flow.gradient.general": general,
    "flow.gradient.hidden_bias": hidden_bias,
    "flow.gradient.output_bias": output_bias,
    "flow.gradient.small_bump": lambda tau, b_ki, h_ki: entry(mpf(2), tau, b_ki, h_ki),
    # lambda u(0) - c with u(0) = d + c/lambda
    "flow.mode.constant": of(lambda lam, d, c: lam * (d + c / lam) - c),
    "flow.mode.solution": of(lambda K, tau, t, lam, c, u0: mode(K, tau, t, lam, c, u0)),
    "flow.moving_gates.mode": of(moving),
    "flow.redundant.difference": of(
        lambda K, tau, t, lam, c1, u10, u20: (lambda both: both[0] - both[1])(pair(K, tau, t, lam, c1, u10, u20, 1 / K))
    ),
    "flow.redundant.first": of(lambda K, tau, t, lam, c1, u10, u20: pair(K, tau, t, lam, c1, u10, u20, 1 / K)[0]),
    "flow.redundant.second": of(lambda K, tau, t, lam, c1, u10, u20: pair(K, tau, t, lam, c1, u10, u20, 1 / K)[1]),
    "flow.redundant.first_in_sum": of(
        lambda K, tau, t, lam, c1, u10, u20: pair(K, tau, t, lam, c1, u10, u20, mpf(1))[0]
    ),
    "flow.redundant.second_in_sum": of(
        lambda K, tau, t, lam, c1, u10, u20: pair(K, tau, t, lam, c1, u10, u20, mpf(1))[1]
    ),
    "flow.small_bump.first_mode": lambda tau, t, s, c1, u10: small_bump(tau, t, s, c1, u10, 1),
    "flow.small_bump.second_mode": lambda tau, t, s, c1, u20: small_bump(tau, t, s, c1, u20, -1),
}


# --- what the notes print, transcribed: (5), (9), (26), (31), (32) of the localization notes, (4) of the other -----


def transient(k: mpf, tau: mpf, t: mpf, lam: mpf, c: mpf, start: mpf) -> mpf:
    """Return u(t) of (9) and (21): Lambda^-1 e^(-t Lambda/(K tau) + C) + Lambda^-1 c, with e^C set by u(0)."""
    return ((lam * start - c) * mp.exp(-t * lam / (k * tau)) + c) / lam


def redundant(K: mpf, tau: mpf, t: mpf, lam: mpf, c1: mpf, u10: mpf) -> mpf:
    """Return w_1 of (31) as the claim reads it, along a mode: half of A_11^-1 (P E + b_1) with the Lambda of 2 A_11."""
    return transient(K, tau, t, 2 * lam, c1, u10)


PRINTED = {
    "flow.exclusive.fixed_point": lambda K, a11, a12, a22, b1, b2: solved([[a11, a12], [a12, a22]], [b1, b2])[0],
    "flow.exclusive.mode": of(lambda K, tau, t, lam, c1, u10: transient(K, tau, t, lam, c1, u10)),
    "flow.exclusive.own_subset": lambda K, s11, s12, s22, r1, r2, P_open: solved([[s11, s12], [s12, s22]], [r1, r2])[0],
    "flow.fixed_point.mode": of(lambda K, lam, c: c / lam),
    "flow.gradient.entry": lambda K, tau, b_ki, h_ki: (b_ki - h_ki) / (K * tau),
    "flow.gradient.small_bump": lambda tau, b_ki, h_ki: (b_ki - h_ki) / (2 * tau),
    "flow.mode.solution": of(lambda K, tau, t, lam, c, u0: transient(K, tau, t, lam, c, u0)),
    "flow.redundant.first_in_sum": of(lambda K, tau, t, lam, c1, u10, u20: redundant(K, tau, t, lam, c1, u10)),
    "flow.redundant.second_in_sum": of(
        lambda K, tau, t, lam, c1, u10, u20: redundant(K, tau, t, lam, c1, u10) - (u10 - u20)
    ),
}

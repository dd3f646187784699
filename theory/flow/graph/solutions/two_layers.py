r"""Two layers of linear weights under gradient flow, in closed form, from a lambda-balanced start.

For tau dW1/dt = W2'(M - W2 W1), tau dW2/dt = (M - W2 W1) W1' the matrix W2'W2 - W1 W1' is conserved. Where it is
lambda I, the stacked weights Q = (W1'; W2) follow a Riccati equation,

    tau dQ/dt = F Q - Q Q'Q/2,     F = [[-lambda/2, M'], [M, lambda/2]],

    Q Q'(t) = e^{Ft/tau} Q(0) [1 + Q(0)' G Q(0)]^{-1} Q(0)' e^{Ft/tau},     G = int_0^{t/tau} e^{2Fr} dr.

F is symmetric. Its eigenvalues are +-sqrt(s^2 + lambda^2/4) for each singular value s of M, and -lambda/2 and lambda/2
along the inputs and outputs that M does not connect. G is an entire function of F, so that lambda = 0 and null modes
are no special cases. Known from Braun et al. (2022) for lambda = 0 and Domine et al. (2024) for other lambda; one mode
is derived in the claim `deep.lambda_balanced.solution`.
"""

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh, qr

_MOST_GROWTH = 300.0  # the most e-folds in one step: e^300 is far from the largest float64


def mode_weights(
    t: Float[np.ndarray, " T"], s: float, first: float, second: float
) -> tuple[Float[np.ndarray, " T"], Float[np.ndarray, " T"]]:
    """b1(t) and b2(t) of one mode, db1/dt = b2 (s - b1 b2), db2/dt = b1 (s - b1 b2); t in units of tau.

    Along the eigenvectors of F = [[-lambda/2, s], [s, lambda/2]], with lambda = b2^2 - b1^2 and
    omega = sqrt(s^2 + lambda^2/4), the start is (p, q), and

        b(t) = (p e^{omega t}, q e^{-omega t})/sqrt(D),
        D = 1 + p^2 (e^{2 omega t} - 1)/(2 omega) + q^2 (1 - e^{-2 omega t})/(2 omega).

    Every term is positive, for any real s, b1 and b2. Two equal weights follow s e^{2st}/(e^{2st} - 1 + s/a(0)):

    >>> first, second = mode_weights(np.array([1.5]), 2.0, 0.1, 0.1)
    >>> growth = np.exp(6.0)
    >>> bool(abs(first * second - 2 * growth / (growth - 1 + 200)) < 1e-14)
    True
    """
    half = (second - first) * (second + first) / 2
    omega = float(np.hypot(s, half))
    growing = np.array([s, omega + half] if half >= 0 else [omega - half, s])
    growing = growing / np.hypot(*growing) if omega else np.array([1.0, 0.0])
    p, q = first * growing[0] + second * growing[1], second * growing[0] - first * growing[1]
    memory = t * _phi(2 * omega * t)  # (1 - e^{-2 omega t})/(2 omega)
    fall = np.exp(-omega * t)
    if p == 0:  # on the way into the saddle, both weights vanish
        along, across = np.zeros_like(t), q * fall / np.sqrt(1 + q**2 * memory)
    else:
        scale = np.sqrt(fall**2 * (1 + q**2 * memory) + p**2 * memory)
        along, across = p / scale, q * fall**2 / scale
    return along * growing[0] - across * growing[1], along * growing[1] + across * growing[0]


def two_layer_weights(
    times: Float[np.ndarray, " T"],
    target: Float[np.ndarray, "m n"],
    first: Float[np.ndarray, "h n"],
    second: Float[np.ndarray, "m h"],
) -> tuple[Float[np.ndarray, "T h n"], Float[np.ndarray, "T m h"]]:
    """W1(t) and W2(t), up to one rotation of the hidden units at each time, from a lambda-balanced start.

    Exact are W2 W1, W1'W1 and W2 W2', which no rotation changes; t is in units of tau. lambda is the mean of the
    eigenvalues of W2'W2 - W1 W1' at the start; the caller checks that they are equal.

    The product approaches the target of rank 1:

    >>> start = 0.01 * np.eye(2)
    >>> target = np.array([[0.6, 0.8], [0.3, 0.4]])
    >>> first, second = two_layer_weights(np.array([40.0]), target, start, start)
    >>> bool(abs(second[0] @ first[0] - target).max() < 1e-3)
    True
    """
    n, hidden = target.shape[1], first.shape[0]
    lam = (np.sum(second**2) - np.sum(first**2)) / hidden
    corner = [np.full(n, -lam / 2), np.full(len(target), lam / 2)]
    generator = np.diag(np.concatenate(corner))
    generator[n:, :n], generator[:n, n:] = target, target.T
    rates, basis = eigh(generator)
    start = np.concatenate([first.T, second])
    factors = [start if t == 0 else basis @ _flowed(rates, basis.T @ start, t) for t in times]
    stacked = np.stack(factors)
    return stacked[:, :n].swapaxes(1, 2), stacked[:, n:]


def _flowed(rates: np.ndarray, start: np.ndarray, time: float) -> np.ndarray:
    """Return a factor Q of Q Q'(time) in the eigenbasis of F, in steps that neither overflow nor lose small rows."""
    steps = max(1, int(np.ceil(rates.max() * time / _MOST_GROWTH)))
    for _ in range(steps):
        start = _step(rates, start, time / steps)
    return start


def _step(rates: np.ndarray, start: np.ndarray, time: float) -> np.ndarray:
    """e^{Ft} Q (1 + Q'GQ)^{-1/2}, up to a rotation from the right.

    With B = sqrt(G) Q and the QR decomposition (B; 1) = (X; N) R it is e^{Ft} G^{-1/2} X. The rows of B differ by
    factors up to e^{300}: rows sorted by size and pivoted columns keep the relative size of each (Cox and Higham 1998).
    """
    spread = np.sqrt(time * _phi(-2 * rates * time))  # sqrt(G): int_0^t e^{2 rate r} dr, positive for every rate
    rows = np.concatenate([spread[:, None] * start, np.eye(start.shape[1])])
    order = np.argsort(-abs(rows).max(axis=1), kind="stable")
    orthogonal = np.empty_like(rows)
    orthogonal[order] = qr(rows[order], mode="economic", pivoting=True)[0]
    return (np.exp(rates * time) / spread)[:, None] * orthogonal[: len(start)]


def _phi(z: np.ndarray) -> np.ndarray:
    """(1 - e^{-z})/z, 1 at z = 0."""
    safe = np.where(z == 0, 1.0, z)
    return np.where(z == 0, 1.0, -np.expm1(-safe) / safe)

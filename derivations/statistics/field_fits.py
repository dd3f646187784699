"""Fits of receptive fields on a grid by a Gabor function and by a difference of Gaussians, with standard errors.

    fit(field, torus)    the better of both, by the Bayesian information criterion
    gabor(field, torus)  A exp(-(u^2/a^2 + v^2/b^2)/2) cos(2 pi f u + phase), with (u, v) = rotated (x - x0, y - y0)
    difference(...)      A exp(-r^2/(2 s^2)) - B exp(-r^2/(2 S^2)), s < S, the same centre

Coordinates are sites: y counts rows and x columns. The orientation is the direction in which a Gabor function
oscillates, in degrees from 0 to 180, counted from the axis of columns (x) towards that of rows (y); f is in cycles per
site. On a torus distances from the centre are the shortest ones.

Both are nonlinear least squares from several starting points. Standard errors are those of independent residuals of
equal size: (J'J)^-1 times the mean squared residual. They say how well the field determines the parameters of the
model, not whether the model is true; that is what `explained`, the share of the field's power, is for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log, pi

import numpy as np
from jaxtyping import Float
from scipy.optimize import least_squares

from theory.problem import InputError, OutOfReachError

LEAST_SIDE = 4
HIGHEST = 0.5**0.5  # cycles a site: those along the diagonal of a grid
GABOR = ("amplitude", "y", "x", "along", "across", "orientation", "frequency", "phase")
DIFFERENCE = ("amplitude", "y", "x", "centre", "surround", "ratio")
_STARTS = 6  # spectral peaks, or widths, from which fits begin


@dataclass(frozen=True)
class Fit:
    """A fitted model: its parameters with standard errors, and how much of the field it explains.

    `explained` = 1 - |field - fitted|^2/|field|^2; `bic` = N log(|field - fitted|^2/N) + p log N for N sites and p
    parameters. Standard errors are infinite for parameters that the field does not determine, such as the orientation
    of a round field.
    """

    model: str
    value: Mapping[str, float]
    error: Mapping[str, float]
    explained: float
    bic: float
    fitted: Float[np.ndarray, "rows columns"]


def fit(field: Float[np.ndarray, "rows columns"], torus: bool) -> Fit:
    """Return the fit of smaller `bic`. Raises as `gabor` does.

    >>> y, x = np.mgrid[:12, :12]
    >>> bump = np.exp(-((y - 5) ** 2 + (x - 6) ** 2) / 8)
    >>> found = fit(bump * np.cos(2 * np.pi * 0.2 * (x - 6)), torus=False)
    >>> found.model, round(found.value["frequency"], 6), round(found.explained, 6)
    ('gabor', 0.2, 1.0)
    """
    return min((gabor(field, torus), difference(field, torus)), key=lambda candidate: candidate.bic)


def gabor(field: Float[np.ndarray, "rows columns"], torus: bool) -> Fit:
    """Return the Gabor function of least squared distance to the field.

    Raises InputError for a field that is zero or not finite, OutOfReachError for sides below 4 sites.
    """
    _check(field)
    y0, x0 = _centre(field, torus)
    width = _width(field, (y0, x0), torus)
    starts = []
    for orientation, frequency in _spectral_peaks(field):
        starts += [
            (np.abs(field).max(), y0, x0, width, width, orientation, frequency, phase) for phase in (0.0, pi / 2, pi)
        ]
    side = max(field.shape)
    low = (0.0, -np.inf, -np.inf, 0.3, 0.3, -np.inf, 0.0, -np.inf)
    high = (np.inf, np.inf, np.inf, 4.0 * side, 4.0 * side, np.inf, HIGHEST, np.inf)
    parameters, covariance, best = _least(field, torus, _gabor_of, starts, low, high)
    value = dict(zip(GABOR, parameters.tolist(), strict=True))
    error = dict(zip(GABOR, covariance.tolist(), strict=True))
    turned = float(np.degrees(value["orientation"])) % 360
    # The wave along the opposite direction, with the opposite phase, is the same function.
    value["phase"] = (value["phase"] if turned < 180 else -value["phase"]) % (2 * pi)
    value["orientation"] = turned % 180
    error["orientation"] = float(np.degrees(error["orientation"]))
    return _made("gabor", field, value, error, best, torus)


def difference(field: Float[np.ndarray, "rows columns"], torus: bool) -> Fit:
    """Return the difference of Gaussians of least squared distance to the field; errors as of `gabor`.

    `ratio` is B/A: 0 for a single Gaussian.
    """
    _check(field)
    y0, x0 = _centre(field, torus)
    width = _width(field, (y0, x0), torus)
    peak = float(field.flat[np.abs(field).argmax()])
    starts = [(peak, y0, x0, width * s, width * s * 2, ratio) for s in (0.5, 1.0, 1.5) for ratio in (0.1, 0.7)]
    side = max(field.shape)
    low = (-np.inf, -np.inf, -np.inf, 0.3, 0.3, 0.0)
    high = (np.inf, np.inf, np.inf, 4.0 * side, 8.0 * side, 50.0)
    parameters, covariance, best = _least(field, torus, _difference_of, starts, low, high)
    value = dict(zip(DIFFERENCE, parameters.tolist(), strict=True))
    error = dict(zip(DIFFERENCE, covariance.tolist(), strict=True))
    return _made("difference of Gaussians", field, value, error, best, torus)


def _check(field: np.ndarray) -> None:
    if not np.isfinite(field).all() or not field.any():
        raise InputError(
            "A field that is zero or not finite has no fit.", "Choose a unit and a time at which it has learned."
        )
    if min(field.shape) < LEAST_SIDE:
        raise OutOfReachError(
            f"A field of {field.shape[0]} x {field.shape[1]} sites has fewer than {LEAST_SIDE} along one side: eight "
            "parameters are not determined by it.",
            "Use a larger grid.",
        )


def _offsets(shape: tuple[int, int], centre: Sequence[float], torus: bool) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates of every site from the centre: rows and columns."""
    offsets = []
    for axis, (sites, middle) in enumerate(zip(shape, centre, strict=True)):
        away = np.arange(sites) - middle
        if torus:
            away = away - sites * np.round(away / sites)
        offsets.append(away[:, None] if axis == 0 else away[None, :])
    return offsets[0], offsets[1]


def _gabor_of(p: np.ndarray, shape: tuple[int, int], torus: bool) -> np.ndarray:
    y, x = _offsets(shape, p[1:3], torus)
    cos, sin = np.cos(p[5]), np.sin(p[5])
    u, v = x * cos + y * sin, y * cos - x * sin
    return p[0] * np.exp(-(u**2 / p[3] ** 2 + v**2 / p[4] ** 2) / 2) * np.cos(2 * pi * p[6] * u + p[7])


def _difference_of(p: np.ndarray, shape: tuple[int, int], torus: bool) -> np.ndarray:
    y, x = _offsets(shape, p[1:3], torus)
    r2 = y**2 + x**2
    return p[0] * (np.exp(-r2 / (2 * p[3] ** 2)) - p[5] * np.exp(-r2 / (2 * p[4] ** 2)))


def _centre(field: np.ndarray, torus: bool) -> tuple[float, float]:
    """The mean place of the field's power: on a torus that of the phases, which have no beginning."""
    power = field**2 / (field**2).sum()
    centre = []
    for axis in (0, 1):
        share, sites = power.sum(axis=1 - axis), np.arange(field.shape[axis])
        if torus:
            phase = np.angle((share * np.exp(2j * pi * sites / len(sites))).sum())
            centre.append(float(phase / (2 * pi) * len(sites) % len(sites)))
        else:
            centre.append(float(share @ sites))
    return centre[0], centre[1]


def _width(field: np.ndarray, centre: tuple[float, float], torus: bool) -> float:
    y, x = _offsets(field.shape, centre, torus)
    spread = float((field**2 * (y**2 + x**2)).sum() / (field**2).sum())
    return max(0.5, spread**0.5)  # of power exp(-r^2/a^2) the mean square is a^2


def _spectral_peaks(field: np.ndarray) -> list[tuple[float, float]]:
    """Orientation and frequency of the strongest waves of the padded Fourier transform, and of no wave."""
    size = tuple(4 * side for side in field.shape)
    power = np.abs(np.fft.rfft2(field, size)) ** 2
    fy, fx = np.fft.fftfreq(size[0])[:, None], np.fft.rfftfreq(size[1])[None, :]
    peaks: list[tuple[float, float]] = [(0.0, 0.0)]
    for index in np.argsort(power, axis=None)[::-1]:
        row, column = np.unravel_index(index, power.shape)
        wave = float(np.hypot(fy[row, 0], fx[0, column])), float(np.arctan2(fy[row, 0], fx[0, column]))
        if 0 < wave[0] <= HIGHEST and all(abs(wave[0] - f) > 1 / min(field.shape) for _, f in peaks[1:]):
            peaks.append((wave[1], wave[0]))
        if len(peaks) > _STARTS // 2:
            break
    return peaks


Model = Callable[[np.ndarray, tuple[int, int], bool], np.ndarray]


def _least(
    field: np.ndarray, torus: bool, model: Model, starts: Sequence[tuple], low: tuple, high: tuple
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parameters of least squares over all starts, their standard errors, and the fitted field."""
    scale = float(np.abs(field).max())

    def residual(p: np.ndarray) -> np.ndarray:
        return ((model(p, field.shape, torus) - field) / scale).ravel()

    solution = min(
        (
            least_squares(residual, np.clip(start, low, high), bounds=(low, high), x_scale="jac", method="trf")
            for start in starts
        ),
        key=lambda one: one.cost,
    )
    degrees = max(1, field.size - len(solution.x))
    curvature = solution.jac.T @ solution.jac
    # A direction of parameters that moves no residual beyond rounding is not determined: its error is infinite.
    lam, vectors = np.linalg.eigh(curvature)
    flat = lam <= field.size * np.finfo(float).eps * lam[-1]
    variances = vectors**2 @ np.where(flat, 0.0, 1 / np.where(flat, 1.0, lam)) * (2 * solution.cost / degrees)
    undetermined = (vectors[:, flat] ** 2).sum(axis=1) > np.finfo(float).eps ** 0.5
    return solution.x, np.where(undetermined, np.inf, np.sqrt(variances)), model(solution.x, field.shape, torus)


def _made(model: str, field: np.ndarray, value: dict, error: dict, fitted: np.ndarray, torus: bool) -> Fit:
    if torus:
        value["y"], value["x"] = value["y"] % field.shape[0], value["x"] % field.shape[1]
    lost = float(((field - fitted) ** 2).sum())
    smallest = field.size * np.finfo(float).eps ** 2 * float((field**2).sum())  # of an exact fit, where log 0 is not
    bic = field.size * log(max(lost, smallest) / field.size) + len(value) * log(field.size)
    return Fit(model, value, error, 1 - lost / float((field**2).sum()), bic, fitted)

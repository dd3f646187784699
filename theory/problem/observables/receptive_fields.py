"""Shapes of receptive fields, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class ParticipationRatioAtTimes(Observable):
    """Inverse participation ratio sum_i w_i^4 / (sum_i w_i^2)^2 of each unit's weights: array (T, K).

    It is 1/n for a flat or alternating field, 3/(2n) for a sinusoid, about 3/(n + 2) for a Gaussian draw, 1 for one
    site.

    >>> import numpy as np
    >>> fields = np.ones(40), np.sin(2 * np.pi * np.arange(40) / 40), np.eye(40)[20]
    >>> [round(float(np.sum(w**4) / np.sum(w**2) ** 2), 12) for w in fields]  # 1/40, 3/80, 1
    [0.025, 0.0375, 1.0]
    """

    name: ClassVar[str] = "participation-ratio"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class LowFrequencyPowerAtTimes(Observable):
    """Share of sum_q |w^_q|^2 in the lower half of the frequencies, |q| <= n/4, of each unit: array (T, K).

    Its mean for white noise is (2 floor(n/4) + 1)/n.

    A field at one site has a flat spectrum, and so the same share as white noise:

    >>> import numpy as np
    >>> n = 40
    >>> power = np.abs(np.fft.fft(np.eye(n)[20])) ** 2
    >>> low = np.abs(np.fft.fftfreq(n, 1 / n)) <= n / 4
    >>> round(float(power[low].sum() / power.sum()), 12), (2 * (n // 4) + 1) / n
    (0.525, 0.525)
    """

    name: ClassVar[str] = "low-frequency-power"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldNormAtTimes(Observable):
    """|w_k(t)|, the Euclidean length of each unit's weights: array (T, K), in units of y/x.

    By Parseval it is also the norm of the spectrum over sqrt(n):

    >>> import numpy as np
    >>> w = np.array([3.0, 0.0, 4.0, 0.0])
    >>> [round(float(norm), 12) for norm in (np.linalg.norm(w), np.linalg.norm(np.fft.fft(w)) / 2)]
    [5.0, 5.0]
    """

    name: ClassVar[str] = "field-norm"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldCentreAtTimes(Observable):
    """Centre of each unit's field, with p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line it is sum_j j p_j; on the ring it is n/(2 pi) times the angle of R = sum_j p_j exp(2 pi i j/n), in
    [0, n), a periodic position whose arithmetic mean over replicates has no meaning. It is undefined for a field of
    zeros and, on the ring, where R = 0, as for a flat field.

    A bump at the sites 39, 0 and 1 of a ring of 40 has its centre at 0; on the open line the centre is elsewhere:

    >>> import numpy as np
    >>> w = np.zeros(40)
    >>> w[[39, 0, 1]] = 1.0, 2.0, 1.0
    >>> p = w**2 / np.sum(w**2)
    >>> R = np.sum(p * np.exp(2j * np.pi * np.arange(40) / 40))
    >>> centre = 40 / (2 * np.pi) * float(np.angle(R))
    >>> round(abs(centre), 12), round(float(np.sum(np.arange(40) * p)), 4)
    (0.0, 6.6667)
    """

    name: ClassVar[str] = "field-centre"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class FieldWidthAtTimes(Observable):
    """The root mean square distance from the centre, p_j = w_j^2 / sum w^2: array (T, K), in sites.

    On the open line it is sqrt(sum_j p_j (j - centre)^2). On the ring the chord replaces the distance:
    n/(2 pi) sqrt(2 (1 - |R|)), R = sum_j p_j exp(2 pi i j/n), which agrees for narrow fields and is
    sqrt(2) n/(2 pi) for a flat one.

    Two equal weights at distance 2 are each one site from the centre; on a large ring the chord is nearly as long:

    >>> import numpy as np
    >>> p, j = np.zeros(400), np.arange(400)
    >>> p[[100, 102]] = 0.5
    >>> R = np.sum(p * np.exp(2j * np.pi * j / 400))
    >>> widths = np.sqrt(np.sum(p * (j - 101) ** 2)), 400 / (2 * np.pi) * np.sqrt(2 * (1 - abs(R)))
    >>> [round(float(width), 4) for width in widths]
    [1.0, 1.0]
    """

    name: ClassVar[str] = "field-width"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakAtTimes(Observable):
    """The frequency q in 0, ..., floor(n/2) with the most power |w^_q|^2 + |w^_-q|^2: array (T, K).

    It is the smallest such q where several have the same power. On the open line the field is taken as one period.

    An alternating field has its peak at the largest frequency, n/2:

    >>> import numpy as np
    >>> w = (-1.0) ** np.arange(40)
    >>> int(np.argmax(np.abs(np.fft.rfft(w))))
    20
    """

    name: ClassVar[str] = "spectral-peak"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class SpectralPeakShareAtTimes(Observable):
    """The share of sum_q |w^_q|^2 at the spectral peak, its negative frequency included: array (T, K).

    A sinusoid has all of its power at q and -q:

    >>> import numpy as np
    >>> power = np.abs(np.fft.fft(np.cos(2 * np.pi * 3 * np.arange(40) / 40))) ** 2
    >>> round(float((power[3] + power[-3]) / power.sum()), 12)
    1.0
    """

    name: ClassVar[str] = "spectral-peak-share"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")

"""The tables of the dialects: variances, weights, times and widths of each convention, from its own definition."""

from fractions import Fraction

import pytest
from mpmath import mp, mpf

from tests.pages.evidence import printed_as
from tests.pages.gaussians import erf_erf
from tests.pages.numerics import DIGITS
from tests.pages.reading import cells, see, tables

PAGE = "dialects"
N, UNITS = 400, 20  # sites and units of the problem that is converted
LOSS = Fraction(1, 2)  # of the workbench, in front of the mean square
DASH = "–"
# Those whose "IPR" is (sum w^2)^2/sum w^4, so that 1/4 of the workbench is 4.
INVERSE = {"pnas-2022", "convemerge", "convemerge, perturbation = 0", "convemerge, p = 1"}


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(DIGITS):
        yield


def variance(gain: mpf, latent: mpf | int = 1) -> mpf:
    """Return the variance of erf(gain z) where z has the variance `latent`."""
    return erf_erf(gain * mp.sqrt(latent), mpf(1))


def dialects() -> dict[str, tuple]:
    """Of each dialect: the gain in front of z at its gain 1, what divides the erf, scale and shift after that, the
    latent variance, the scale of the pre-activation, that of the loss, and the readout; None where no law of the
    workbench is the same."""
    erf, scaled = mpf(1), 1 / mp.sqrt(2)
    z, paper = mp.sqrt(variance(erf)), mp.sqrt(variance(scaled))
    half = Fraction(1, 2)
    ours = (erf, z, 1, 0, 1, 1, half, 1 / mpf(UNITS))
    codes = (scaled, paper, 1, 0, 1, 1 / mp.sqrt(N), 1, 1 / mpf(UNITS))
    return {
        "workbench": ours,
        "localization-with-gated-linear-networks": ours,
        "small-bump-gate": (erf, mpf(1), *ours[2:]),
        "pnas-2022": (scaled, paper, *ours[2:]),
        "convemerge": (*codes[:4], 1 + mpf(1) / 1000, *codes[5:]),
        "convemerge, perturbation = 0": codes,
        "convemerge, p = 1": codes,
        "Localization, head": (erf, z**2, z, 0, 1, 1, 1, ours[7]),
        "Localization, head, adjust = None": (erf, z**2, 1, 0, 1, 1, 1, ours[7]),
        # the interval (0, 1) takes the interval (-1, 1) to itself by (x + 1)/2
        "Localization, head, adjust = (0, 1)": (erf, z**2, z / 2, half, 1, 1, 1, ours[7]),
        "Localization, 89921cd": (erf, paper, 1, 0, 1, 1, 1, ours[7]),
    }


def named(head: str) -> list[list[str]]:
    """The rows of the table with this head."""
    return [cells(unit.text) for unit in next(t for t in tables(PAGE) if head in cells(t[0].text))[2:]]


def test_variances_and_means():
    rows = named("variance of x")
    assert {row[0] for row in rows} == set(dialects())
    for name, shown, mean in rows:
        gain, divisor, scale, shift, latent, *_ = dialects()[name]
        assert printed_as(shown, variance(gain, mpf(latent)) * (scale / divisor) ** 2), name
        assert printed_as(mean, shift), name


def test_weights_and_times():
    # The same function: rho c s w is the same; gradient flow: dw'/dt' = (a^2 l/l')^-1 dw/dt in units of w'/w = a.
    rows = named("a")
    assert {row[0] for row in rows} == set(dialects()) - {"workbench"}
    to = dialects()["workbench"]
    for name, gain, a, time, loss, ratio in rows:
        mine = dialects()[name]
        # the workbench divides the same erf by the root of its variance
        share = (mine[2] / mine[1] * mine[5] * mine[7]) / (to[5] * to[7] / mp.sqrt(variance(mine[0])))
        assert printed_as(loss, Fraction(LOSS) / mine[6]), name
        assert printed_as(ratio, Fraction(4) if name in INVERSE else Fraction(1, 4)), name
        if gain != DASH:
            assert printed_as(gain, mine[0]), name
        if DASH in (a, time):
            assert mine[3] or mine[4] != 1 or name.endswith("p = 1"), f"{name}: its law is one of the workbench"
        else:
            assert printed_as(a, share), name
            assert printed_as(time, share**2 * mine[6] / LOSS), name


def test_widths_of_pulses():
    for sites, ends, drawn, between in named("widths drawn"):
        low, high = (float(end) for end in ends.split(","))
        least, most = int(low * int(sites)) + 1, int(high * int(sites))
        assert drawn == f"{least} to {most}"
        inner = [Fraction(end) for end in between.split(",")]
        assert inner == [Fraction(2 * least - 1, 2 * int(sites)), Fraction(2 * most + 1, 2 * int(sites))]
        assert [int(float(end) * int(sites)) for end in inner] == [least - 1, most]


def mark() -> None:
    """Mark the tables of numbers."""
    for table in tables(PAGE):
        if cells(table[0].text)[0]:
            for unit in table:
                see(unit)

"""The numbers that the sources print and an experiment judges, copied from the sources' texts.

The texts are no part of the repository, so this copy stands for them. A number is kept as the string that is printed:
its digits say what half a unit of the last one is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

NPK, DLGN, DGN = "neural-path-kernel", "half-space-feature-learning", "deep-gated-networks"
NOTES, BUMP = "localization-with-gated-linear-networks", "small-bump-gate"


@dataclass(frozen=True)
class Printed:
    """A printed decimal: where it stands, and which target of which experiment judges it.

    `spread` is the printed number after a plus-minus sign. `scale` is 100 where a fraction is printed and the target
    is in percent. `about` marks a number that the sentence calls approximate, so that its digits say nothing.
    """

    source: str
    place: str
    experiment: str
    key: str
    number: str
    spread: str = ""
    scale: int = 1
    about: bool = False

    @property
    def value(self) -> Decimal:
        """The number in the units of the target."""
        return Decimal(self.number) * self.scale

    @property
    def half_unit(self) -> Decimal:
        """Half a unit of the last printed digit, in the units of the target; 0 for an approximate number."""
        return Decimal(0) if self.about else half_unit(self.number) * self.scale


@dataclass(frozen=True)
class Unprinted:
    """Targets of an experiment, by a pattern of their keys, whose value is no printed decimal, and the reason."""

    source: str
    experiment: str
    keys: str
    value: Fraction
    reason: str

    def has(self, experiment: str, key: str) -> bool:
        """Whether a target is one of these."""
        return experiment == self.experiment and re.fullmatch(self.keys, key) is not None


def half_unit(number: str) -> Decimal:
    """Return half a unit of the last digit of a printed number.

    >>> half_unit("71.4"), half_unit("100"), half_unit("100.0")
    (Decimal('0.05'), Decimal('0.5'), Decimal('0.05'))
    """
    return Decimal(5).scaleb(Decimal(number).as_tuple().exponent - 1)


# Table 2, row by row: architecture, optimiser, and FRNPF (II), FRNPF (DI), DNPFL, FLNPF and ReLU with their spreads.
_NPK_TABLE_2 = """
FC    SGD  95.85 0.10  95.85 0.17  97.86 0.11  97.10 0.09  97.85 0.09
FC    Adam 96.02 0.13  96.09 0.12  98.22 0.05  97.82 0.02  98.14 0.07
VCONV SGD  58.92 0.62  58.83 0.27  63.21 0.07  63.06 0.73  67.02 0.43
VCONV Adam 64.86 1.18  64.68 0.84  69.45 0.76  71.4 0.47   72.43 0.54
GCONV SGD  67.36 0.56  66.86 0.44  74.57 0.43  78.52 0.39  78.90 0.37
GCONV Adam 67.09 0.58  67.08 0.27  77.12 0.19  79.68 0.32  80.43 0.35
"""
NPK_COLUMNS = ("frnpf-own", "frnpf-same", "dnpfl", "flnpf", "relu")


def _npk_table_2() -> Iterator[Printed]:
    for row in _NPK_TABLE_2.strip().splitlines():
        network, optimiser, *numbers = row.lower().split()
        experiment, of = ("npk-table-2-mnist", "") if network == "fc" else ("npk-table-2-cifar", f"{network}, ")
        for name, number, spread in zip(NPK_COLUMNS, numbers[::2], numbers[1::2], strict=True):
            yield Printed(NPK, "Table 2", experiment, f"{name}, {of}{optimiser}", number, spread)


# Section 6, items 1 and 2. The 67.08 % of FRNPF beside the stages is the number of FRNPF (DI) in Table 2.
_NPK_SECTION_6 = (
    *(
        Printed(NPK, "section 6, item 1", "npk-table-2-cifar", f"about 67, gconv, {optimiser}", "67", about=True)
        for optimiser in ("sgd", "adam")
    ),
    Printed(NPK, "section 6, item 2", "npk-fig-3-stages", "test, flnpf-1", "72"),
    Printed(NPK, "section 6, item 2", "npk-fig-3-stages", "test, frnpf-same", "67.08"),
    Printed(NPK, "section 6, item 2", "npk-fig-3-stages", "test, flnpf-6", "79.68"),
    Printed(NPK, "section 6, item 2", "npk-fig-3-stages", "test, relu", "80.43"),
)

# Table 1: accuracies in training and on test images.
_DLGN_TABLE_1 = """
relu     96.3 72.17
dlgn     85.3 73.2
dlgn-pwc 84.9 72.2
dln      42.3 40.79
"""

# Table 2 of the appendix: training and test on CIFAR-10, training and test on CIFAR-100.
_DLGN_TABLE_2 = """
resnet-34  relu 100.0 91 100 56.68
resnet-34  dlgn 100.0 86 100 51.6
resnet-110 relu 100.0 94 100 73
resnet-110 dlgn 100.0 89 100 67
"""


def _dlgn_tables() -> Iterator[Printed]:
    parts = ("training", "test")
    for row in _DLGN_TABLE_1.strip().splitlines():
        name, *numbers = row.split()
        for part, number in zip(parts, numbers, strict=True):
            yield Printed(DLGN, "Table 1", "dlgn-table-1", f"{part}, {name}", number)
    for row in _DLGN_TABLE_2.strip().splitlines():
        network, name, *numbers = row.split()
        columns = [(part, dataset) for dataset in ("cifar-10", "cifar-100") for part in parts]
        for (part, dataset), number in zip(columns, numbers, strict=True):
            yield Printed(DLGN, "Table 2", "dlgn-table-2", f"{part}, {name}, {network}, {dataset}", number)


# Table 4: accuracies as fractions, in training and on test images. The column heads are not in the text.
_DGN_TABLE_4 = """
dln                       0.5042 0.3939
relu                      0.99 0.71
beta = 1, epsilon = 0.1   0.99 0.59
beta = 2, epsilon = 0.1   0.99 0.64
beta = 4, epsilon = 0.1   0.99 0.68
beta = 8, epsilon = 0.1   0.99 0.71
beta = 12, epsilon = 0.1  0.99 0.71
beta = 16, epsilon = 0.1  0.99 0.72
beta = 20, epsilon = 0.1  0.99 0.72
beta = 24, epsilon = 0.1  0.99 0.72
beta = 1, epsilon = 0.4   0.99 0.56
beta = 2, epsilon = 0.4   0.99 0.63
beta = 4, epsilon = 0.4   0.99 0.68
beta = 8, epsilon = 0.4   0.99 0.71
beta = 12, epsilon = 0.4  0.99 0.71
beta = 16, epsilon = 0.4  0.99 0.71
beta = 20, epsilon = 0.4  0.99 0.71
beta = 24, epsilon = 0.4  0.99 0.71
"""


def _dgn_table_4() -> Iterator[Printed]:
    for row in _DGN_TABLE_4.strip().splitlines():
        network, training, test = (part.strip() for part in row.rsplit(maxsplit=2))
        for part, number in (("training", training), ("test", test)):
            yield Printed(DGN, "Table 4", "dgn-table-4", f"{part}, {network}", number, scale=100)


_DGN_SENTENCES = (
    *(
        Printed(DGN, "Experiment 8", "dgn-fig-10", f"rate, d = {depth}", "0.81")
        for depth in (2, 4, 6, 8, 10)  # the printed depths
    ),
    Printed(DGN, "Experiment 6", "dgn-experiment-6", "test", "56"),
    Printed(DGN, "section 3", "dgn-fig-5", "trained, relu", "100", about=True),
    Printed(DGN, "section 3", "dgn-fig-5", "trained, galu", "100", about=True),
    Printed(DGN, "section 3", "dgn-fig-5", "test, relu", "98.5", about=True),
    Printed(DGN, "section 3", "dgn-fig-5", "test, galu", "96.5", about=True),
)

PRINTED = (*_npk_table_2(), *_NPK_SECTION_6, *_dlgn_tables(), *_dgn_table_4(), *_DGN_SENTENCES)

# Printed whole numbers that count something: no digit is rounded, so that half a unit is 0.
COUNTS = (
    Printed(NPK, "Figure 1", "npk-fig-1", "paths", "18"),
    Printed(NPK, "Figure 1", "npk-fig-1", "overlap", "1"),
    Printed(DGN, "Figure 9", "dgn-fig-9", "strengths", "8"),
    Printed(DGN, "section 4", "dgn-fig-9", "repeats", "3"),
)

_OWN_RATIO = "a ratio of what a run measures and what the printed formula gives, which is 1 where it holds"
_OWN_ZERO = "an identity of the source, as a difference or a product that vanishes where it holds"
_NEAR = "a difference that a sentence calls small without a number"

UNPRINTED = (
    Unprinted(BUMP, "bump-flow", r"\((4|7|8)\)( in class 1)?, (long|short) first", Fraction(1), _OWN_RATIO),
    Unprinted(BUMP, "bump-flow", r"cross, (long|short) first", Fraction(0), _OWN_ZERO),
    Unprinted(NOTES, "notes-general", r"(limit|rate), (mean|sum)|error|labels", Fraction(1), _OWN_RATIO),
    Unprinted(NOTES, "notes-single-gate", r"(limit|rate), (one|three)", Fraction(1), _OWN_RATIO),
    Unprinted(NOTES, "notes-redundant-gates", "rate", Fraction(1), _OWN_RATIO),
    Unprinted(NOTES, "notes-redundant-gates", "difference", Fraction(0), _OWN_ZERO),
    Unprinted(NOTES, "notes-redundant-gates", "mean", Fraction(1, 2), "the factor 1/2 of (31)"),
    Unprinted(NOTES, "notes-redundant-gates", "first", Fraction(0), "(31) has no term with Delta: its coefficient"),
    Unprinted(NOTES, "notes-redundant-gates", "second", Fraction(-2), "the coefficient of Delta in (32) less (31)"),
    Unprinted(NOTES, "notes-replay", "error|localization", Fraction(0), "gates that 'mimic' a run, with no number"),
    Unprinted(DGN, "dgn-fig-2", r"diagonal, d = \d+", Fraction(1), "(5) on the diagonal, over d"),
    *(
        Unprinted(DGN, "dgn-fig-2", f"other, d = {d}", Fraction(1, 2) ** (d - 1), "(5) off the diagonal at mu = 1/2")
        for d in (2, 4, 6, 8, 12, 16, 20)  # the printed depths
    ),
    Unprinted(DLGN, "dlgn-fig-4", "half-spaces", Fraction(3, 4), "a share: 3 of the 4 regions that are shown"),
    Unprinted(NPK, "npk-table-2-cifar", r"close, (vconv|gconv), (sgd|adam)", Fraction(0), _NEAR),
    Unprinted(NPK, "npk-table-2-cifar", "almost as good, gconv, adam", Fraction(0), _NEAR),
    Unprinted(NPK, "npk-fig-3-stages", "as well as ReLU, flnpf-6", Fraction(0), _NEAR),
    Unprinted(DLGN, "dlgn-table-1", r"similar, dlgn(-pwc)?|indistinguishable", Fraction(0), _NEAR),
    Unprinted(DGN, "dgn-table-4", r"comparable to relu, beta = (16|20|24), epsilon = 0\.1", Fraction(0), _NEAR),
)

# Printed numbers in the words of targets that judge something else: by experiment and pattern of keys.
QUOTED = {
    ("dgn-fig-10", r"faster, d = \d+"): ("0.81",),
    ("dgn-table-4", "relu ahead of dln"): ("0.71", "0.3939"),
    ("dgn-table-4", r"comparable to relu, beta = \d+, epsilon = 0\.1"): ("72",),
    ("dlgn-circle", "ten times slower, adam"): ("2000", "200"),
    ("dlgn-circle", "paths halfway, .*"): ("0.25",),
    ("dlgn-circle-he", "ten times slower, .*"): ("2000", "200"),
    ("dlgn-circle-he", "paths halfway, .*"): ("0.25",),
    ("dlgn-fig-4", "ten times later, .*"): ("100",),
    ("npk-fig-3-stages", "(below|above) CNTK, .*"): ("77.43",),
    ("npk-table-2-cifar", "(below|above) CNTK, .*"): ("77.43",),
}

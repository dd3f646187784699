"""The numbers of the registered targets beside an independent copy of those that the sources print."""

import re
from dataclasses import replace
from decimal import Decimal

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Target
from tests.oracles.printed import COUNTS, PRINTED, UNPRINTED, Printed

TARGETS = {(name, target.key): target for name, one in reproductions().items() for target in one.targets}
COPIES = {(one.experiment, one.key): one for one in (*PRINTED, *COUNTS)}
DECIMAL = r"(?<![\d.])\d+\.\d+(?![\d.])"


def standing(number: str, words: str) -> bool:
    """Whether a number stands in the words, not as a part of a longer one."""
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\.?\d)", words) is not None


def differences(printed: Printed, target: Target) -> list[str]:
    """The ways in which a target differs from the printed number that it judges."""
    found = []
    if target.value is None or Decimal(str(target.value)) != printed.value:
        found.append(f"value {target.value}, printed {printed.value}")
    unit = Decimal(0) if printed in COUNTS else printed.half_unit
    if Decimal(str(target.half_unit)) != unit:
        found.append(f"half unit {target.half_unit}, printed {unit}")
    if bool(target.within) != printed.about:
        found.append(f"within {target.within}, {'an approximate' if printed.about else 'a plain'} number")
    spread = re.search(r"\\pm ([\d.]+)", target.printed)
    if not standing(printed.number, target.printed):
        found.append(f"{printed.number} is not in its words")
    if (spread[1] if spread else "") != printed.spread:
        found.append(f"the words have not the spread {printed.spread!r}")
    return found


def test_every_number_is_the_printed_one():
    """Value, half a unit of the last digit, and the words, with the spread where the source prints one."""
    wrong = {place: found for place, one in COPIES.items() if (found := differences(one, TARGETS[place]))}
    assert wrong == {}


def test_every_number_has_one_copy_or_a_reason_to_have_none():
    assert len(COPIES) == len(PRINTED) + len(COUNTS)
    assert all(reproductions()[one.experiment].source == one.source for one in (*PRINTED, *COUNTS, *UNPRINTED))
    valued = {place for place, target in TARGETS.items() if target.value is not None}
    apart = [[place for place in valued if one.has(*place)] for one in UNPRINTED]
    assert all(apart), "an entry of UNPRINTED has no target"
    assert sorted([*COPIES, *(place for places in apart for place in places)]) == sorted(valued)


def test_planted_faults_are_found():
    place = ("npk-table-2-mnist", "flnpf, sgd")
    copy, target = COPIES[place], TARGETS[place]
    faults = (
        {"value": 97.01},
        {"value": None, "half_unit": 0.0},
        {"half_unit": 0.05},
        {"half_unit": 0.0, "margin": 0.0, "within": 1.0},
        {"printed": target.printed.replace("97.10", "97.1")},
        {"printed": target.printed.replace("0.09", "0.90")},
    )
    for fault in faults:
        assert differences(copy, replace(target, **fault)), fault
    assert differences(COPIES["npk-fig-1", "paths"], replace(TARGETS["npk-fig-1", "paths"], half_unit=0.5))

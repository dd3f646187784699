"""Rows of the ledger: slips are charged once, readings are tried, prose is quoted, and verdicts follow from that."""

from collections import Counter
from dataclasses import replace

import pytest
import sympy

from theory.claims import catalog, slips
from theory.claims.documents import BUMP_NOTE, NEURAL_PATH_KERNEL, NOTES
from theory.claims.levels import PrintedFinding
from theory.claims.misprints import MISPRINTS, SWITCHES
from theory.claims.model import Standing
from theory.claims.rows import Verdict, verdict_of, verdict_on
from theory.claims.sources import Reading, Says, Slip, Source
from theory.problem import InputError

SLIPS = {slip for slip in vars(slips).values() if isinstance(slip, Slip)}
PLAIN = Source(NOTES, "(8)", printed=sympy.Integer(1))
GUESS = Source(NOTES, "section 3.3", says=Says.CONJECTURES, words="no clue if this actually true!")
NEAR = Source(NOTES, "section 3.3", says=Says.UNSTATED)


def test_every_slip_is_charged_once_where_it_stands():
    charged = Counter(
        (source.slip, source.label)
        for claim in catalog().values()
        for source in claim.sources
        if source.slip and source.repaired is None
    )
    assert charged == Counter((slip, slip.root) for slip in SLIPS)


def test_a_printing_slip_that_a_row_names_is_on_the_list():
    named = {source.misprint for claim in catalog().values() for source in claim.sources} - {None}
    assert named <= set(MISPRINTS)
    assert len(set(MISPRINTS)) == len(MISPRINTS)


def test_a_slip_of_another_document_is_refused():
    with pytest.raises(InputError, match=f"names a slip of {NEURAL_PATH_KERNEL}"):
        replace(PLAIN, misprint=SWITCHES)
    with pytest.raises(InputError, match=f"names a slip of {NOTES}"):
        Source(BUMP_NOTE, "(8)", slip=slips.READOUT)


VERDICTS = (
    (None, {}, Verdict.RESULT),
    (NEAR, {}, Verdict.REMARK),
    (NEAR, {"agrees": False}, Verdict.REMARK),
    (PLAIN, {}, Verdict.CONFIRMED),
    (PLAIN, {"agrees": True}, Verdict.CONFIRMED),
    (PLAIN, {"agrees": False, "reading": "c > 0"}, Verdict.CONFIRMED),
    (PLAIN, {"agrees": False, "reading": "c > 0", "repaired": True}, Verdict.CONFIRMED),
    (PLAIN, {"agrees": False, "repaired": True}, Verdict.INHERITED),
    (PLAIN, {"agrees": False}, Verdict.CORRECTED),
    (GUESS, {"agrees": False}, Verdict.REFUTED),
    (GUESS, {"agrees": True}, Verdict.CONFIRMED),
    (replace(GUESS, says=Says.ASKS), {"agrees": False}, Verdict.REFUTED),
    (replace(GUESS, says=Says.READ_AS), {"agrees": False}, Verdict.CORRECTED),
)


def test_the_verdict_on_a_row():
    for source, finding, expected in VERDICTS:
        printed = PrintedFinding(source, **finding) if finding else None
        assert verdict_of(Standing.HOLDS, source, printed) is expected, (source, finding)


def test_what_does_not_hold_is_never_confirmed():
    for source in (None, PLAIN, NEAR, GUESS):
        assert verdict_of(Standing.OPEN, source) is Verdict.OPEN
        assert verdict_of(Standing.FAILS, source) is Verdict.BROKEN
        assert verdict_of(Standing.DEFINITION, source) is Verdict.DEFINITION


def test_a_claim_has_the_verdict_of_its_gravest_row():
    right = replace(PLAIN, label="(9)")
    wrong, good = PrintedFinding(PLAIN, agrees=False), PrintedFinding(right, agrees=True)
    assert verdict_on(Standing.HOLDS, (PLAIN, right), (wrong, good)) is Verdict.CORRECTED
    assert verdict_on(Standing.HOLDS, (right, NEAR), (good,)) is Verdict.CONFIRMED
    assert verdict_on(Standing.HOLDS, (NEAR,)) is Verdict.REMARK
    assert verdict_on(Standing.HOLDS, ()) is Verdict.RESULT
    assert verdict_on(Standing.HOLDS, (), known="Sheppard (1899)") is Verdict.KNOWN
    assert verdict_on(Standing.HOLDS, (NEAR,), known="Sheppard (1899)") is Verdict.REMARK
    assert verdict_on(Standing.OPEN, (), known="Sheppard (1899)") is Verdict.OPEN
    assert verdict_on(Standing.OPEN, (PLAIN,), (wrong,)) is Verdict.OPEN


@pytest.mark.parametrize("says", [Says.READ_AS, Says.CONJECTURES, Says.ASKS])
def test_prose_is_quoted(says):
    with pytest.raises(InputError, match="not quoted"):
        Source(NOTES, "section 1", says=says)


def test_what_is_repaired_names_its_slip():
    with pytest.raises(InputError, match="no slip is named"):
        Source(BUMP_NOTE, "(8)", repaired=Reading("something else"))

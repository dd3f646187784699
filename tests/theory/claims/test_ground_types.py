"""Every proof with SymPy's own numbers, as SymPy has them where python-flint is not installed.

Run it by SYMPY_GROUND_TYPES=python; elsewhere test_catalog checks the same levels among all others.
"""

import pytest
from sympy.external.gmpy import GROUND_TYPES

from tests.theory.claims.examined import each
from theory.claims import catalog, levels
from theory.claims.model import Outcome

pytestmark = pytest.mark.skipif(GROUND_TYPES != "python", reason="test_catalog checks these levels")


@each(catalog().values() if GROUND_TYPES == "python" else ())  # one skipped test says it for all
def test_no_level_of_proof_fails(claim):
    results = [levels.symbolic(claim, catalog()), levels.exact(claim)]
    assert [result for result in results if result.outcome is Outcome.FAIL] == []
    if claim.derive is not None:
        assert results[0].outcome is Outcome.PASS

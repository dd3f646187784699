"""The Student t, and laws that a test of its samples must reject.

A test of fourth moments needs errors of them, for which eighth moments must be finite: dof > 8.
"""

from dataclasses import replace

from theory.problem.distributions.student_t import StudentT

OPEN = StudentT(7, (2, 1), "open", "unit-variance", (1, 0), (12, 25))
RING = StudentT(8, (1, "1/2"), "ring", "none", (1, 0), 16, means=(1, -1))
CASES = [(OPEN, replace(OPEN, dof=(50, 25))), (RING, replace(RING, normaliser="unit-variance"))]

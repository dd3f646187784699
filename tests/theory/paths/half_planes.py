"""Strict linear inequalities in the plane, decided by Fourier-Motzkin elimination, and all patterns by them.

Nothing here looks at vertices, edges or faces: a bit pattern occurs on a region with an interior if its inequalities,
all strict, have a solution.
"""

from fractions import Fraction
from itertools import product


def feasible(forms):
    """Whether a x + b y + c > 0 for all forms has a solution: first x is eliminated, then y."""
    lower = [form for form in forms if form[0] > 0]
    upper = [form for form in forms if form[0] < 0]
    left = [form[1:] for form in forms if form[0] == 0]
    left += [tuple(l[k] * -u[0] + u[k] * l[0] for k in (1, 2)) for l in lower for u in upper]
    below = [Fraction(-c) / b for b, c in left if b > 0]
    above = [Fraction(-c) / b for b, c in left if b < 0]
    return all(c > 0 for b, c in left if b == 0) and (not below or not above or max(below) < min(above))


def box_forms(box):
    """The inequalities of the interior of a rectangle."""
    (left, right), (low, high) = box
    return [(1, 0, -left), (-1, 0, right), (0, 1, -low), (0, -1, high)]


def patterns(weights, biases, rectified, box=None):
    """Every bit pattern whose region has an interior; a gate whose pre-activation is 0 on a region is closed there."""
    reached = set()

    def extend(layer, forms, held, pattern):
        if layer == len(weights):
            reached.add(pattern)
            return
        drives = [
            tuple(
                sum(w * form[k] for w, form in zip(row, forms, strict=True)) + (bias if k == 2 else 0) for k in range(3)
            )
            for row, bias in zip(weights[layer], biases[layer], strict=True)
        ]
        for bits in product((False, True), repeat=len(drives)):
            constraints = list(held)
            for form, bit in zip(drives, bits, strict=True):
                if any(form):
                    constraints.append(form if bit else tuple(-part for part in form))
                elif bit:
                    break
            else:
                if feasible(constraints):
                    passed = [
                        form if bit or not rectified else (0, 0, 0) for form, bit in zip(drives, bits, strict=True)
                    ]
                    extend(layer + 1, passed, constraints, (*pattern, bits))

    extend(0, [(1, 0, 0), (0, 1, 0)], box_forms(box) if box else [], ())
    return reached

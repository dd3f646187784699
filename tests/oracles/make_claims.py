"""Reference values of the claims: python tests/oracles/make_claims.py writes claims.json (a minute).

For every claim whose left-hand side can be computed, several points and the value there: {point, value, digits}. The
witnesses are those of claims_*.py, which compute from the definition and know neither the formulas nor the oracles of
the claims. Each value is computed at two precisions, and the digits stored are those on which the two must agree.
"""

import json
from fractions import Fraction
from pathlib import Path

import claims_biases
import claims_flow
import claims_gates
import claims_gaussian
import claims_ols
import claims_pulse
import claims_ring
import mpmath
from mpmath import mpf
from witness import Witness, parsed, real

STORE = Path(__file__).with_name("claims.json")
MODULES = (claims_gaussian, claims_flow, claims_biases, claims_ols, claims_gates, claims_ring, claims_pulse)
MORE = 8  # digits by which the second computation is more precise, with more nodes and smaller steps


def witnesses() -> dict[str, Witness]:
    """Every witness by the id of its claim. Raises ValueError where a claim has two."""
    found: dict[str, Witness] = {}
    for module in MODULES:
        twice = found.keys() & module.WITNESSES.keys()
        if twice:
            raise ValueError(f"two witnesses for {', '.join(sorted(twice))}")
        found |= module.WITNESSES
    return found


def recomputed(witness: Witness, point: dict[str, str], digits: int) -> mpf:
    """The value at a stored point."""
    value = witness.value({name: Fraction(text) for name, text in point.items()}, digits)
    with mpmath.workdps(digits + MORE):
        return real(value)


def entry(witness: Witness, text: str) -> dict:
    """One entry of the file. Raises ArithmeticError where the two precisions differ within the digits."""
    point = {name: str(value) for name, value in parsed(text).items()}
    first, second = (recomputed(witness, point, witness.digits + more) for more in (0, MORE))
    with mpmath.workdps(witness.digits + MORE):
        if abs(first - second) > mpf(10) ** -(witness.digits + 1) * abs(second):
            raise ArithmeticError(f"{text}: {first} and {second} differ")
        return {"point": point, "value": mpmath.nstr(second, witness.digits + 2), "digits": witness.digits}


def main() -> None:
    """Write the file, in the order of the claims' ids."""
    blocks = []
    for claim, item in sorted(witnesses().items()):
        rows = ",\n".join("  " + json.dumps(entry(item, text)) for text in item.points)
        blocks.append(f'"{claim}": [\n{rows}\n ]')
    STORE.write_text("{\n " + ",\n ".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Reference values of the claims: python tests/oracles/make_claims.py [CLAIM...] writes claims.json (a minute).

With names only the entries of these claims are computed again; the others are kept as they are.
For every claim whose left-hand side can be computed, several points and the value there: {point, value, digits}. The
witnesses are those of claims_*.py, which compute from the definition and know neither the formulas nor the oracles of
the claims. Each value is computed at two precisions, and the digits stored are those on which the two must agree. The
precision is that of the entry, whatever mpmath and flint are set to outside.
"""

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path

import claims_biases
import claims_flow
import claims_gates
import claims_gaussian
import claims_ising
import claims_kernel
import claims_kernel_gates
import claims_ntk
import claims_ols
import claims_path
import claims_path_gates
import claims_pulse
import claims_region
import claims_ring
import mpmath
from mpmath import mpf
from witness import Witness, parsed, real

STORE = Path(__file__).with_name("claims.json")
MODULES = (
    claims_gaussian,
    claims_flow,
    claims_biases,
    claims_ols,
    claims_gates,
    claims_ring,
    claims_pulse,
    claims_ising,
    claims_kernel,
    claims_kernel_gates,
    claims_path,
    claims_path_gates,
    claims_region,
    claims_ntk,
)
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


def chosen(names: Sequence[str]) -> dict[str, Witness]:
    """The witnesses of these claims, all of them where no name is given. Raises ValueError for a name without one."""
    known = witnesses()
    unknown = sorted(set(names) - known.keys())
    if unknown:
        close = [f"{name} (close: {', '.join(get_close_matches(name, known)) or 'none'})" for name in unknown]
        raise ValueError(f"no witness for {'; '.join(close)}")
    return {name: known[name] for name in names} if names else known


def updated(stored: dict[str, list[dict]], names: Sequence[str]) -> dict[str, list[dict]]:
    """The content of the file, with the entries of these claims computed again; of all where no name is given."""
    made = {claim: [entry(item, text) for text in item.points] for claim, item in chosen(names).items()}
    return dict(sorted({**(stored if names else {}), **made}.items()))


def main(names: Sequence[str]) -> None:
    """Write the file, in the order of the claims' ids."""
    stored = json.loads(STORE.read_text(encoding="utf-8")) if names else {}
    blocks = []
    for claim, entries in updated(stored, names).items():
        rows = ",\n".join("  " + json.dumps(row) for row in entries)
        blocks.append(f'"{claim}": [\n{rows}\n ]')
    STORE.write_text("{\n " + ",\n ".join(blocks) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

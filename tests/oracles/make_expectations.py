"""Reference values of Gaussian expectations by quadrature of the defining integral, for every class of integrand.

Writes expectations.json beside it (rows: family, expr, cov, mean, value, digits). Nested Gauss-Legendre panels as
gaussian_quadrature.py says; no arcsine law, Owen's T, Price's theorem or orthant formula enters. Each value is computed
twice, with the variables in the opposite order and another number of nodes; the digits stored are those on which the
two agree, less one, and at most 30. A row whose expectation is zero stores the digits of the absolute error.

Run: python tests/oracles/make_expectations.py (two cores); families named after it are
computed again, the others stay as they are stored.
"""

import json
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

from expectation_cases import ROWS
from flint import arb
from gaussian_quadrature import expectation

STORED = 30


def matrix(text):
    """Rows of Fractions from [[1, 1/2], [1/2, 1]]."""
    return [[Fraction(x) for x in re.findall(r"[-\d/]+", row)] for row in re.findall(r"\[([^\[\]]+)\]", text)]


def both(expr, cov, mean, digits):
    """Two values of one expectation."""
    order = list(range(len(cov)))
    return expectation(expr, cov, mean, digits, order), expectation(expr, cov, mean, digits + 4, order[::-1])


def agreed(first, second, digits):
    """The digits on which two balls agree, relative to them, and whether they are zero: then of the absolute error."""
    error, size = (
        float(x.log().mid() / arb(10).log()) if x > 0 else -999.0
        for x in (abs(first - second).upper() + first.rad() + second.rad(), abs(second).upper())
    )
    return (int(-max(error, size)), True) if size < -digits else (int(size - error), False)


def computed(row):
    """One row of the file."""
    began = time.time()
    blocks = row.get("blocks") or [(row["expr"], row["cov"])]
    mean = row.get("mean")
    values = [arb(1), arb(1)]
    for expr, text in blocks:
        cov = matrix(text)
        centre = matrix(f"[{mean}]")[0] if mean else [Fraction(0)] * len(cov)
        pair = both(expr, cov, centre, row["digits"] + 3)
        values = [value * x for value, x in zip(values, pair, strict=True)]
    digits, zero = agreed(*values, row["digits"])
    digits = min(digits - 1, STORED)
    value = "0" if zero else values[1].mid().str(digits + 3, radius=False)
    stored = {k: row[k] for k in ("family", "expr", "cov")} | {"mean": mean, "value": value, "digits": digits}
    return stored, time.time() - began


def main(families):
    rows = [row for row in ROWS if not families or row["family"] in families]
    with ProcessPoolExecutor(2) as pool:
        # Four variables take minutes and come first.
        waiting = {
            k: pool.submit(computed, rows[k]) for k in sorted(range(len(rows)), key=lambda k: -len(rows[k]["cov"]))
        }
        for future in waiting.values():
            stored, seconds = future.result()
            print(f"{seconds:7.1f} s  {stored}", flush=True)
    file = Path(__file__).with_name("expectations.json")
    stored = json.loads(file.read_text(encoding="utf-8")) if families else []
    known = {
        (row["expr"], row["cov"], row["mean"]): row for row in (*stored, *(f.result()[0] for f in waiting.values()))
    }
    done = [known[row["expr"], row["cov"], row.get("mean")] for row in ROWS]
    file.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

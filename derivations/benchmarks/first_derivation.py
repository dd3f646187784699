"""The time of the engine for one expectation in a fresh process, the first time and repeated.

    python -m derivations.benchmarks.first_derivation NAME

prints one JSON object of processor seconds: `imports` (of the engine and SymPy), `first` (reading the expression and
deriving, nothing cached) and `repeated` (the median of further calls in the same process, with all caches filled).
"""

import json
import statistics
import sys
import time
from itertools import pairwise

REPEATS = 5


def measured(name: str) -> dict[str, float]:
    """The three times of the case called `name`, in this process; `first` is first only in a fresh one."""
    times = [time.process_time()]
    # `derived` imports these when it is called: they are loaded here to be counted apart.
    import theory.expressions.language
    import theory.gaussian  # noqa: F401
    from derivations.benchmarks.expectations import derived
    from derivations.benchmarks.gallery import CASES

    (case,) = (case for case in CASES if case.name == name)
    times.append(time.process_time())
    for _ in range(1 + REPEATS):
        derived(case)
        times.append(time.process_time())
    imports, first, *repeated = (after - before for before, after in pairwise(times))
    return {"imports": imports, "first": first, "repeated": statistics.median(repeated)}


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))

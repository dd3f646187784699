"""`gdln bench expectations`: the gallery by SymPy alone (a minute of processor time each) and by the engine.

SymPy runs its integrator on the defining integral in a process of its own (`plain_sympy`); the engine's time is that
of the derivation, without the checks of its steps and without digits.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from typing import Any

from derivations.benchmarks.gallery import CASES, Case

SECONDS, MEMORY = 60, 6 << 30
REPEATS = 3
DIGITS = 30


def measure() -> dict[str, Any]:
    """One row a case: what SymPy gives and when, what the engine gives and when, class, certified value."""
    return {
        "what": f"SymPy's integrate on the defining integral, {SECONDS} s of processor time, and the engine",
        "rows": [{**engine(case), "sympy": plain(case)} for case in CASES],
    }


def plain(case: Case) -> dict[str, Any]:
    """Outcome ("closed form", "unevaluated", "error" or "no answer"), seconds of processor time and the text."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "derivations.benchmarks.plain_sympy", case.name]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=_limited)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = ran.stdout.splitlines()
    answer = json.loads(lines[-1]) if lines else {"outcome": "no answer", "text": ""}
    return {**answer, "seconds": round(seconds, 1)}


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def engine(case: Case) -> dict[str, Any]:
    """Closed form, class, median seconds of the derivation and the certified value at the case's point."""
    from theory.gaussian.moment import text

    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        moment = derived(case)
        times.append(time.perf_counter() - start)
    return {
        "name": case.name,
        "expr": case.expr,
        "kind": moment.kind,
        "left_to_integrate": moment.integrand,
        "closed_form": text(moment.closed_form),
        "seconds": round(statistics.median(times), 3),
        "value": value(case, moment).value,
    }


def derived(case: Case) -> Any:
    """The engine's moment of a case."""
    from theory.gaussian import expect
    from theory.language import Names, parse, parse_domains, parse_rows

    parameters = {name: symbol for name, (symbol, _) in (parse_domains(case.where) if case.where else {}).items()}
    rows = parse_rows(case.cov, Names(parameters=parameters))
    return expect(parse(case.expr, Names(variables=len(rows), parameters=parameters)), rows)


def value(case: Case, moment: Any, digits: int = DIGITS) -> Any:
    """The certified value at the case's point."""
    needed = {symbol.name for symbol in moment.parameters}
    return moment.evaluate(digits, **{name: number for name, number in case.point if name in needed})


def text(result: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [result["what"], f"{'expectation':<36} {'SymPy':<12} {'s':>6}  {'engine':<11} {'s':>6}  value"]
    for row in result["rows"]:
        plain_answer = row["sympy"]
        lines.append(
            f"{row['name']:<36} {plain_answer['outcome']:<12} {plain_answer['seconds']:>6.1f}  "
            f"{row['kind']:<11} {row['seconds']:>6.3f}  {row['value'][:22]}"
        )
    return "\n".join(lines)

"""`gdln bench expectations`: the gallery by SymPy alone (a minute of processor time each) and by the engine.

SymPy runs its integrator on the defining integral in a process of its own (`plain_sympy`); where the stored run holds
the answer of the same version of SymPy to the same integral within the same limit, that one is kept. The engine's times
are those of the derivation, without the checks of its steps and without digits, in a fresh process
(`first_derivation`): the first call, and repeated ones, which find its caches filled. All are processor time.
"""

import json
import resource
import statistics
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from derivations.benchmarks.gallery import CASES, Case

STORED = Path(__file__).parent / "results" / "expectations.json"

SECONDS, MEMORY = 60, 6 << 30
DIGITS = 30
AGREES = 1e-12  # relative: SymPy evaluates its form to 20 digits
WIDEST = 900  # the most characters of TeX; longer integrals are shown by `gdln moment` only


def measure() -> dict[str, Any]:
    """Return one row for each case: results and times of SymPy and of the engine, class, certified value."""
    before = kept(STORED)
    rows = [row(case, before.get(key(case)) or plain(case)) for case in CASES]
    return {
        "limit": SECONDS,
        "what": f"SymPy's integrate on the defining integral, {SECONDS} s of processor time, and the engine",
        "conditions": "processor time, while other jobs may have run; an answer of SymPy that was kept has the time "
        "of its run",
        "sympy_answers_kept": sum(key(case) in before for case in CASES),
        "imports": statistics.median(row["imports"] for row in rows),
        "rows": rows,
    }


def key(case: Case) -> tuple[str, str, str, str]:
    """The text that decides SymPy's answer, as a row of a run holds it: expression, covariance, domains and point."""
    return case.expr, case.cov, case.where, ", ".join(f"{name} = {number}" for name, number in case.point)


def kept(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """SymPy's answers in a stored run, by `key`; none where its version or the limit was another."""
    if not path.exists():
        return {}
    run = json.loads(path.read_text(encoding="utf-8"))
    if (run["machine"]["sympy"], run["limit"]) != (version("sympy"), SECONDS):
        return {}
    return {(row["expr"], row["cov"], row["where"], row["point"]): row["sympy"] for row in run["rows"]}


def row(case: Case, answer: dict[str, Any]) -> dict[str, Any]:
    """The engine's result beside SymPy's, whose value is compared with the certified one."""
    found = engine(case)
    if "value" in answer:
        answer = {**answer, "agreement": _agreement(answer.pop("value"), found["value"])}
    return {**found, "sympy": answer}


def _agreement(given: str, certified: str) -> str:
    """Whether SymPy's form has the certified value at the point."""
    try:
        error = abs(float(given) - float(certified))
    except ValueError:
        return "which has no real value at the point"
    return "the same value" if error <= AGREES * abs(float(certified)) else "another value"


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
    """Closed form, class, seconds of the derivation and the certified value at the case's point."""
    from theory.gaussian.moment import text

    moment = derived(case)
    command = [sys.executable, "-m", "derivations.benchmarks.first_derivation", case.name]
    times = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    tex, legend = displayed(moment)
    return {
        "name": case.name,
        "group": case.group,
        "expr": case.expr,
        "cov": case.cov,
        "where": case.where,
        "point": key(case)[3],
        "tex": tex,
        "legend": legend,
        "kind": moment.kind,
        "left_to_integrate": moment.integrand,
        "closed_form": text(moment.closed_form),
        **{name: round(seconds, 4) for name, seconds in times.items()},
        "value": value(case, moment).value,
    }


def displayed(moment: Any) -> tuple[str, list[str]]:
    """The equation as display TeX with what its letters stand for; very long integrals are only named."""
    import sympy

    from derivations.publish.notation import Notation
    from theory.gaussian import Expectation

    left = Expectation(moment.expr, moment.cov)
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, moment.closed_form, evaluate=False))
    if len(tex) <= WIDEST:
        return tex, legend
    found = sorted(moment.closed_form.atoms(sympy.Integral), key=sympy.default_sort_key)
    if not found:
        return tex, legend
    names = [sympy.Symbol("I" if len(found) == 1 else f"I{k + 1}") for k in range(len(found))]
    short = moment.closed_form.xreplace(dict(zip(found, names, strict=True)))
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, short, evaluate=False))
    what = "$I$ is the integral" if len(found) == 1 else f"$I_1$ to $I_{len(found)}$ are the integrals"
    over = (
        "that Price's theorem leaves (`gdln moment` prints them)"
        if len(found) > 1
        else ("that Price's theorem leaves (`gdln moment` prints it)")
    )
    return tex, [*legend, f"{what} over $t$ {over}"]


def derived(case: Case) -> Any:
    """The engine's moment of a case."""
    from theory.expressions.domains import parse_domains
    from theory.expressions.language import Names, parse, parse_rows
    from theory.gaussian import expect

    parameters = parse_domains(case.where or None).names
    rows = parse_rows(case.cov, Names(parameters=parameters))
    return expect(parse(case.expr, Names(variables=len(rows), parameters=parameters)), rows)


def value(case: Case, moment: Any, digits: int = DIGITS) -> Any:
    """The certified value at the case's point."""
    needed = {symbol.name for symbol in moment.parameters}
    return moment.evaluate(digits, **{name: number for name, number in case.point if name in needed})


def text(result: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [
        result["what"],
        f"{'expectation':<36} {'SymPy':<12} {'s':>6}  {'engine':<11} {'first s':>8} {'again s':>8}  value",
    ]
    for row in result["rows"]:
        plain_answer = row["sympy"]
        lines.append(
            f"{row['name']:<36} {plain_answer['outcome']:<12} {plain_answer['seconds']:>6.1f}  "
            f"{row['kind']:<11} {row['first']:>8.3f} {row['repeated']:>8.4f}  {row['value'][:22]}"
        )
    lines.append(f"loading the engine takes {result['imports']:.1f} s more")
    return "\n".join(lines)

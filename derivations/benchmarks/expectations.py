"""`gdln bench expectations`: the gallery by SymPy alone (a minute of processor time each) and by the engine.

    python -m derivations.benchmarks.expectations sympy|engine NAME

measures one case in a process of its own and prints one JSON object: SymPy's integrator on the defining integral; or
the engine's derivation without the checks of its steps and without digits, the first time and repeated, when its caches
are filled. Where the stored run holds the answer of the same version of SymPy to the same integral within the same
limit, that one is kept. All times are processor time.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

from derivations.benchmarks.gallery import CASES, Case

STORED = Path(__file__).parent / "results" / "expectations.json"
SECONDS, MEMORY = 60, 6 << 30
DIGITS = 30
REPEATS = 5
AGREES = 1e-12  # relative: SymPy evaluates its form to 20 digits
WIDEST = 900  # the most characters of TeX; longer integrals are shown by `gdln moment` only
_ERROR_LENGTH = 200


def measure() -> dict[str, Any]:
    """Return one row for each case: results and times of SymPy and of the engine, class, certified value."""
    before = _stored_answers()
    rows = []
    for case in CASES:
        found, answer = engine(case), dict(before.get(_key(case)) or _alone(case))
        if "value" in answer:
            answer["agreement"] = _agreement(answer.pop("value"), found["value"])
        rows.append({**found, "sympy": answer})
    return {
        "limit": SECONDS,
        "what": f"SymPy's integrate on the defining integral, {SECONDS} s of processor time, and the engine",
        "imports": statistics.median(row["imports"] for row in rows),
        "rows": rows,
    }


def _key(case: Case) -> tuple[str, str, str, str]:
    """Return the text that decides SymPy's answer, as a row of a run holds it."""
    return case.expr, case.cov, case.where, ", ".join(f"{name} = {number}" for name, number in case.point)


def _stored_answers() -> dict[tuple[str, ...], dict[str, Any]]:
    """Return SymPy's answers in the stored run, by `_key`; none where its version or the limit was another."""
    run = json.loads(STORED.read_text(encoding="utf-8"))
    if (run["machine"]["sympy"], run["limit"]) != (version("sympy"), SECONDS):
        return {}
    return {(row["expr"], row["cov"], row["where"], row["point"]): row["sympy"] for row in run["rows"]}


def _agreement(value: str, certified: str) -> str:
    """Return in words whether SymPy's form has the certified value at the point."""
    try:
        error = abs(float(value) - float(certified))
    except ValueError:
        return "which has no real value at the point"
    return "the same value" if error <= AGREES * abs(float(certified)) else "another value"


def _alone(case: Case) -> dict[str, Any]:
    """Return SymPy's outcome ("closed form", "unevaluated", "error" or "no answer"), its text and its seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = _in_a_process("sympy", case, preexec_fn=_limited).splitlines()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(lines[-1]) if lines else {"outcome": "no answer", "text": ""}
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**answer, "seconds": round(seconds, 1)}


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _in_a_process(way: str, case: Case, **limits: Any) -> str:
    command = [sys.executable, "-m", "derivations.benchmarks.expectations", way, case.name]
    return subprocess.run(command, capture_output=True, text=True, check=way == "engine", **limits).stdout


def engine(case: Case) -> dict[str, Any]:
    """Return closed form, class, seconds of the derivation and the certified value at the case's point."""
    from theory.gaussian.moment import text

    moment = derived(case)
    tex, legend = displayed(moment)
    return {
        "name": case.name,
        "group": case.group,
        "expr": case.expr,
        "cov": case.cov,
        "where": case.where,
        "point": _key(case)[3],
        "tex": tex,
        "legend": legend,
        "kind": moment.kind,
        "left_to_integrate": moment.integrand,
        "closed_form": text(moment.closed_form),
        **{name: round(seconds, 4) for name, seconds in json.loads(_in_a_process("engine", case)).items()},
        "value": value(case, moment).value,
    }


def displayed(moment: Any) -> tuple[str, list[str]]:
    """Return the equation as display TeX with what its letters stand for; very long integrals are only named."""
    import sympy

    from derivations.publish.notation import Notation
    from theory.gaussian import Expectation

    left = Expectation(moment.expr, moment.cov)
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, moment.closed_form, evaluate=False))
    integrals = sorted(moment.closed_form.atoms(sympy.Integral), key=sympy.default_sort_key)
    if len(tex) <= WIDEST or not integrals:
        return tex, legend
    several = len(integrals) > 1
    names = [sympy.Symbol(f"I{k + 1}" if several else "I") for k in range(len(integrals))]
    short = moment.closed_form.xreplace(dict(zip(integrals, names, strict=True)))
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, short, evaluate=False))
    what = f"$I_1$ to $I_{len(integrals)}$ are the integrals" if several else "$I$ is the integral"
    return tex, [
        *legend,
        f"{what} over $t$ that Price's theorem leaves (`gdln moment` prints {'them' if several else 'it'})",
    ]


def derived(case: Case) -> Any:
    """Return the engine's moment of a case."""
    from theory.expressions.domains import parse_domains
    from theory.expressions.language import Names, parse, parse_rows
    from theory.gaussian import expect

    parameters = parse_domains(case.where or None).names
    rows = parse_rows(case.cov, Names(parameters=parameters))
    return expect(parse(case.expr, Names(variables=len(rows), parameters=parameters)), rows)


def value(case: Case, moment: Any, digits: int = DIGITS) -> Any:
    """Return the certified value at the case's point."""
    needed = {symbol.name for symbol in moment.parameters}
    return moment.evaluate(digits, **{name: number for name, number in case.point if name in needed})


def text(result: dict[str, Any]) -> str:
    """Return a table for a reader."""
    lines = [
        result["what"],
        f"{'expectation':<36} {'SymPy':<12} {'s':>6}  {'engine':<11} {'first s':>8} {'again s':>8}  value",
    ]
    for row in result["rows"]:
        alone = row["sympy"]
        lines.append(
            f"{row['name']:<36} {alone['outcome']:<12} {alone['seconds']:>6.1f}  "
            f"{row['kind']:<11} {row['first']:>8.3f} {row['repeated']:>8.4f}  {row['value'][:22]}"
        )
    return "\n".join([*lines, f"loading the engine takes {result['imports']:.1f} s more"])


def times_of_the_engine(case: Case) -> dict[str, float]:
    """Return the seconds of imports, of the first derivation in a fresh process, and the median of further ones."""
    times = [time.process_time()]
    import theory.expressions.language
    import theory.gaussian  # noqa: F401 - loaded here to be counted apart

    times.append(time.process_time())
    for _ in range(1 + REPEATS):
        derived(case)
        times.append(time.process_time())
    imports, first, *repeated = (after - before for before, after in pairwise(times))
    return {"imports": imports, "first": first, "repeated": statistics.median(repeated)}


def integrated(case: Case) -> dict[str, str]:
    """Integrate the density times the integrand by SymPy over all variables, the last one first."""
    import sympy

    from theory.expressions.domains import parse_domains
    from theory.expressions.functions import Phi, Relu
    from theory.expressions.language import Names, parse, parse_rows

    parameters = parse_domains(case.where or None).names
    cov = sympy.Matrix(parse_rows(case.cov, Names(parameters=parameters)))
    expr = parse(case.expr, Names(variables=cov.rows, parameters=parameters))
    expr = expr.replace(Relu, lambda u: sympy.Max(u, 0)).replace(Phi, lambda u: (1 + sympy.erf(u / sympy.sqrt(2))) / 2)
    variables = [sympy.Symbol(f"z{k + 1}", real=True) for k in range(cov.rows)]
    z = sympy.Matrix(variables)
    exponent = -(z.T * cov.inv() * z)[0, 0] / 2
    density = sympy.exp(sympy.expand(sympy.cancel(exponent))) / sympy.sqrt((2 * sympy.pi) ** cov.rows * cov.det())
    answer = expr * density
    try:
        for variable in reversed(variables):
            answer = sympy.integrate(answer, (variable, -sympy.oo, sympy.oo))
        if answer.has(sympy.Integral):
            return {"outcome": "unevaluated", "text": sympy.sstr(answer)}
        point = {symbol: sympy.Rational(dict(case.point)[symbol.name]) for symbol in answer.free_symbols}
        closed = {"outcome": "closed form", "text": sympy.sstr(answer)}
        return {**closed, "value": str(answer.subs(point).evalf(20))}
    except (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError) as error:
        return {"outcome": "error", "text": f"{type(error).__name__}: {error}"[:_ERROR_LENGTH]}


if __name__ == "__main__":
    (chosen,) = (case for case in CASES if case.name == sys.argv[2])
    print(json.dumps({"sympy": integrated, "engine": times_of_the_engine}[sys.argv[1]](chosen)))

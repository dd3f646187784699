"""`gdln bench expectations`: the gallery by SymPy alone (a minute of processor time each) and by the engine.

    python -m derivations.benchmarks.expectations sympy|engine NAME

measures one case in a process of its own and prints one JSON object: SymPy's integrator on the defining integral; or
the engine's derivation without the checks of its steps and without digits, the first time and repeated, when its caches
are filled. The cases are those of the stored run; a further one is a row with the fields of `Case`. Answers of SymPy in
that run are kept where they are of the same version within the same limit. All times are processor time.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

STORED = json.loads((Path(__file__).parent / "results" / "expectations.json").read_text(encoding="utf-8"))
SECONDS, MEMORY = 60, 6 << 30
DIGITS = 30
REPEATS = 5
AGREES = 1e-12  # relative: SymPy evaluates its form to 20 digits
_ERROR_LENGTH = 200


@dataclass(frozen=True)
class Case:
    """E[expr] under N(0, cov), parameters in the domains `where`, its digits certified at `point`."""

    name: str
    group: str
    expr: str
    cov: str
    where: str
    point: str

    @property
    def numbers(self) -> dict[str, str]:
        """The parameters at the point.

        >>> CASES[0].numbers
        {'rho': '3/5', 'g': '1'}
        """
        return dict(part.split(" = ") for part in self.point.split(", ") if part)


CASES = tuple(Case(**{field.name: row[field.name] for field in fields(Case)}) for row in STORED["rows"])


def measure() -> dict[str, Any]:
    """Return one row for each case: results and times of SymPy and of the engine, class, certified value."""
    same = (STORED["machine"]["sympy"], STORED["limit"]) == (version("sympy"), SECONDS)
    rows = []
    for case, before in zip(CASES, STORED["rows"], strict=True):
        result, answer = engine(case), dict(before["sympy"] if same and "sympy" in before else _alone(case))
        if "value" in answer:
            answer["agreement"] = _agreement(answer.pop("value"), result["value"])
        rows.append({**result, "sympy": answer})
    return {
        "limit": SECONDS,
        "what": f"SymPy's integrate on the defining integral, {SECONDS} s of processor time, and the engine",
        "imports": statistics.median(row["imports"] for row in rows),
        "rows": rows,
    }


def _agreement(value: str, certified: str) -> str:
    """Return in words whether SymPy's form has the certified value at the point."""
    try:
        error = abs(float(value) - float(certified))
    except ValueError:
        return "which has no real value at the point"
    return "the same value" if error <= AGREES * abs(float(certified)) else "another value"


def _alone(case: Case) -> dict[str, Any]:
    """Return SymPy's outcome ("closed form", "unevaluated", "error" or "no answer"), its text and its seconds."""
    lines = _in_a_process("sympy", case).splitlines()
    return json.loads(lines[-1]) if lines else {"outcome": "no answer", "text": "", "seconds": SECONDS}


def _in_a_process(way: str, case: Case) -> str:
    command = [sys.executable, "-m", "derivations.benchmarks.expectations", way, case.name]
    return subprocess.run(command, capture_output=True, text=True, check=way == "engine").stdout


def engine(case: Case) -> dict[str, Any]:
    """Return closed form, class, seconds of the derivation and the certified value at the case's point."""
    from derivations.publish.gallery import displayed
    from theory.gaussian.moment import text

    moment = derived(case)
    tex, legend = displayed(moment.expr, moment.cov, moment.closed_form)
    return {
        **asdict(case),
        "tex": tex,
        "legend": legend,
        "kind": moment.kind,
        "left_to_integrate": moment.integrand,
        "closed_form": text(moment.closed_form),
        **{name: round(seconds, 4) for name, seconds in json.loads(_in_a_process("engine", case)).items()},
        "value": value(case, moment).value,
    }


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
    return moment.evaluate(digits, **{name: number for name, number in case.numbers.items() if name in needed})


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


def limited(case: Case) -> dict[str, Any]:
    """Return `integrated` with its seconds; the process is killed after SECONDS."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return {**integrated(case), "seconds": round(time.process_time(), 1)}


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
        point = {symbol: sympy.Rational(case.numbers[symbol.name]) for symbol in answer.free_symbols}
        closed = {"outcome": "closed form", "text": sympy.sstr(answer)}
        return {**closed, "value": str(answer.subs(point).evalf(20))}
    except (ArithmeticError, AttributeError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        return {"outcome": "error", "text": f"{type(error).__name__}: {error}"[:_ERROR_LENGTH]}


if __name__ == "__main__":
    (chosen,) = (case for case in CASES if case.name == sys.argv[2])
    print(json.dumps({"sympy": limited, "engine": times_of_the_engine}[sys.argv[1]](chosen)))

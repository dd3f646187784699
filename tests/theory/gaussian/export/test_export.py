"""Exported code is run and compared with certified values: NumPy, torch with gradients, and C."""

import ctypes
import shutil
import subprocess
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy

from derivations.benchmarks import expectations
from derivations.benchmarks.expectations import CASES, Case
from tests import tolerances
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.export.code import export
from theory.problem.errors import InputError

# Every function and kind of integral that a closed form has, and forms of one parameter and of none.
NAMES = ("two gains", "threshold, two erfs", "two thresholds, erf", "Owen's T", "exp erf")
CHOSEN = [case for case in CASES if case.name in (*NAMES, "leaky relu", "Phi squared", "Phi to the fourth")]
COMPILER = shutil.which("cc")
STEP = 1e-4


@cache
def _solved(case: Case):
    """The closed form, its parameters with their values, and the certified value there."""
    moment = expectations.derived(case)
    needed = {symbol.name for symbol in moment.parameters}
    value = moment.evaluate(20, **{name: number for name, number in case.numbers.items() if name in needed})
    point = {s.name: float(Fraction(case.numbers[s.name])) for s in moment.closed_form.free_symbols}
    return moment.closed_form, point, float(value.value)


def _function(code: str):
    space: dict = {}
    exec(code, space)  # noqa: S102 - the code is what is tested
    return space["expectation"]


def test_numpy():
    for case in CHOSEN:
        form, point, value = _solved(case)
        result = _function(export(form, "numpy"))(**{name: np.full((2, 1), number) for name, number in point.items()})
        assert np.max(np.abs(result - value)) < tolerances.EXPORTED * max(1, abs(value)), case.name


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_torch_and_its_gradient(case):
    torch = pytest.importorskip("torch")
    form, point, value = _solved(case)
    tensors = {name: torch.tensor([number], dtype=torch.float64, requires_grad=True) for name, number in point.items()}
    result = _function(export(form, "torch"))(**tensors)
    plain = result.detach() if isinstance(result, torch.Tensor) else result
    assert abs(float(plain) - value) < tolerances.EXPORTED * max(1, abs(value))
    if not point:
        return
    result.sum().backward()
    numpy = _function(export(form, "numpy"))
    for name, tensor in tensors.items():
        up, down = (float(np.squeeze(numpy(**{**point, name: point[name] + side * STEP}))) for side in (1, -1))
        slope = (up - down) / (2 * STEP)
        assert abs(float(tensor.grad) - slope) < tolerances.EXPORTED_GRADIENT * max(1, abs(slope))


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_c(tmp_path):
    """All cases as one library: no warning at -Wall -Wextra, and the certified values."""
    solved = [_solved(case) for case in CHOSEN]
    sources = []
    for index, (form, _, _) in enumerate(solved):
        source = tmp_path / f"f{index}.c"
        source.write_text(export(form, "c").replace("double expectation(", f"double expectation_{index}("))
        sources.append(str(source))
    library = str(tmp_path / "all.so")
    flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([COMPILER, *flags, *sources, "-o", library, "-lm"], check=True)
    loaded = ctypes.CDLL(library)
    for index, (_, point, value) in enumerate(solved):
        function = loaded[f"expectation_{index}"]
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(point)
        result = function(*(point[name] for name in sorted(point)))
        assert abs(result - value) < tolerances.EXPORTED * max(1, abs(value)), CHOSEN[index].name


def test_latex_is_that_of_the_closed_form():
    form = expect(sympy.Heaviside(z(1) - 1) * sympy.erf(z(2)), [[1, "1/2"], ["1/2", 1]]).closed_form
    assert export(form, "latex") == sympy.latex(form) + "\n"
    assert r"T\left(1" in export(form, "latex")


def test_names_that_the_code_needs_and_unknown_languages_are_refused():
    for name in ("lambda", "double", "np", "x_"):
        with pytest.raises(InputError, match="cannot be the name"):
            export(sympy.Symbol(name, real=True) + 1, "c")
    with pytest.raises(InputError, match="fortran"):
        export(sympy.Integer(1), "fortran")

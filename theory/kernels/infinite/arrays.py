"""The kernels of an infinitely wide network on Gram matrices: NumPy or torch, float32 or float64.

A matrix is computed in blocks that fit the processor's cache, each through all layers, and only above the diagonal. The
diagonal is the recursion of equal inputs, so that equal inputs have equal entries, without the loss of an inverse sine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
import sympy

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import host
from theory.kernels.infinite.activations import Activation
from theory.kernels.infinite.duals import Pair, c, dual, gap, p, q
from theory.kernels.infinite.network import ALIKE, WideNetwork
from theory.kernels.infinite.program import BLOCK, COLUMN, ROW, Program, program
from theory.problem.errors import InputError, OutOfReachError

_K = sympy.Symbol("K", real=True)
# Rows and columns of a block: a few blocks of float64 fit the second level of a processor's cache.
_BLOCK = 128
# Rounding of a Gram matrix in machine epsilons: |c| may exceed sqrt(p q) by so much, relatively.
_ROUNDING = 64


@dataclass(frozen=True)
class GramKernels:
    """The tangent kernel K_d and the covariance Sigma_d of the outputs (NNGP) of a Gram matrix, shape (n, m) each.

    Inputs at a right angle have the covariance 1/pi after one layer of ReLUs:

    >>> found = gram_kernels(np.eye(2), WideNetwork("relu", 2))
    >>> (np.pi * found.nngp).round(12)[0].tolist()
    [3.14159265359, 1.0]
    """

    ntk: Any
    nngp: Any


@dataclass(frozen=True)
class _Programs:
    layer: Program  # Sigma and K of the next layer
    diagonal: Program  # the same for equal inputs
    determinant: Program


@lru_cache(maxsize=64)
def _programs(activation: Activation, weight: float, bias: float, last: float) -> _Programs:
    forms = dual(activation)
    equal = forms.equal_inputs(1)
    numbers = tuple(sympy.Float(number, 17) for number in (weight, bias, last))
    return _Programs(
        _layer(forms.pair, numbers, {p: COLUMN, q: ROW, c: BLOCK, gap: BLOCK, _K: BLOCK}),
        _layer(equal, numbers, {p: COLUMN, _K: COLUMN}),
        program([p * q - c**2], {p: COLUMN, q: ROW, c: BLOCK}),
    )


def _layer(pair: Pair, numbers: tuple[sympy.Float, ...], kinds: dict[sympy.Symbol, str]) -> Program:
    """Return the program of v_w value + v_b and last slope K."""
    weight, bias, last = numbers
    value, slope, slope_symbol = sympy.expand(pair.value), sympy.expand(weight * pair.slope), sympy.Dummy(real=True)
    # By Euler's theorem E[s s'] of a homogeneous s contains c E[s' s'], which is then computed once.
    rest = sympy.expand(value - c * pair.slope)
    share = c * slope_symbol if rest.count_ops() < value.count_ops() and c in kinds else sympy.Integer(0)
    following = sympy.expand(weight * (rest if share != 0 else value)) + share + bias
    return program([following, slope_symbol * (last / weight) * _K], kinds, {slope_symbol: slope})


def gram_kernels(gram: Any, network: WideNetwork, variances: tuple[Any, Any] | None = None) -> GramKernels:
    """Return the kernels of a network at all pairs of inputs, given their Gram matrix <x_i, x_j>.

    `gram` is a symmetric matrix of shape (n, n) with the inputs' squared norms on its diagonal. For other inputs in
    rows than in columns give their squared norms as `variances`, of lengths n and m; `gram` then has the shape (n, m).
    A NumPy array or a torch tensor (with gradients, on its device) of float32 or float64 gives the same kind.
    Determinants p q - c^2 below 0 by rounding are set to 0. Raises InputError for a matrix that is not finite, not
    square or has no positive diagonal, and where an entry exceeds the product of the norms; OutOfReachError where the
    dual is not made of roots, arctangents and exponentials.

    >>> import numpy as np
    >>> kernels = gram_kernels(np.array([[1.0, 0.5], [0.5, 1.0]]), WideNetwork("relu", 3))
    >>> kernels.ntk.round(4).tolist()
    [[3.0, 1.3515], [1.3515, 3.0]]
    """
    xp = namespace(gram)
    gram = _floats(xp, gram)
    symmetric = variances is None
    rows, columns = _variances(xp, gram, variances)
    bias = float(network.bias_variance)
    if bias:
        gram, rows, columns = gram + bias, rows + bias, columns + bias
    if network.depth == 1:
        return GramKernels(gram, gram)
    # Activations that grow like exp(h) leave the range of floats, which is an error of its own below.
    with np.errstate(over="ignore", invalid="ignore"):
        levels = [_diagonals(xp, network, one) for one in ((rows,) if symmetric else (rows, columns))]
        matrices = (_in_blocks if xp is np else _at_once)(network, gram, levels)
    if symmetric:
        matrices = [_with_diagonal(*pair) for pair in zip(matrices, (levels[0][1], levels[0][0][-1]), strict=True)]
    if not all(bool(xp.isfinite(matrix).all()) for matrix in matrices):
        raise OutOfReachError(
            f"The kernels of {network.activation.expr} at the depth {network.depth} exceed the range of floats.",
            "Use a smaller depth or smaller variances.",
        )
    ntk, nngp = matrices
    if network.last != ALIKE:
        nngp = (nngp - bias) / float(network.weight_variance) + bias
    return GramKernels(ntk, nngp)


def _with_diagonal(matrix: Any, diagonal: Any) -> Any:
    """Return the matrix with another diagonal: NumPy in place, torch in a copy, which keeps gradients."""
    if namespace(matrix) is not np:
        return matrix.diagonal_scatter(diagonal)
    np.fill_diagonal(matrix, diagonal)
    return matrix


def _in_blocks(network: WideNetwork, gram: np.ndarray, levels: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return both matrices block by block, each through all layers."""
    ntk, nngp = np.empty_like(gram), np.empty_like(gram)
    symmetric = len(levels) == 1
    buffers: dict[tuple[int, ...], list[np.ndarray]] = {}
    for place in _blocks(gram.shape, symmetric=symmetric):
        variances = [[level[part] for level in levels[side][0]] for side, part in ((0, place[0]), (-1, place[1]))]
        part = gram[place]
        pool = buffers.setdefault(part.shape, [])
        for target, block in zip((ntk, nngp), _through(np, network, part, *variances, pool), strict=True):
            target[place] = np.triu(block) + np.triu(block, 1).T if symmetric and place[0] == place[1] else block
            if symmetric and place[0] != place[1]:
                target[place[::-1]] = block.T
            pool.append(block)
    return ntk, nngp


def _at_once(network: WideNetwork, gram: Any, levels: list[Any]) -> tuple[Any, Any]:
    """Return both matrices as torch tensors."""
    return _through(namespace(gram), network, gram, levels[0][0], levels[-1][0], None)


def _floats(xp: ModuleType, gram: Any) -> Any:
    gram = np.asarray(gram) if xp is np else gram
    if gram.dtype not in (xp.float32, xp.float64):
        gram = gram.astype(float) if xp is np else gram.to(xp.float64)
    if gram.ndim != 2:
        raise InputError(f"The Gram matrix has {gram.ndim} axes.", "Give a matrix of shape (n, m).")
    if not bool(xp.isfinite(gram).all()):
        raise InputError("The Gram matrix has entries that are not finite.", "Remove inputs with nan or inf.")
    return gram


def _variances(xp: ModuleType, gram: Any, variances: tuple[Any, Any] | None) -> tuple[Any, Any]:
    if variances is None:
        if gram.shape[0] != gram.shape[1]:
            raise InputError(
                f"The Gram matrix has the shape {tuple(gram.shape)}.",
                "Give a square matrix, or the squared norms of rows and columns as variances.",
            )
        squared_norms = (xp.diagonal(gram),) * 2
        if not bool((abs(gram - gram.T) <= _ROUNDING * float(xp.finfo(gram.dtype).eps) * abs(gram)).all()):
            raise InputError("The Gram matrix is not symmetric.", "Give inner products of one list of inputs.")
    else:
        squared_norms = tuple(_vector(xp, gram, one, size) for one, size in zip(variances, gram.shape, strict=True))
    for one in squared_norms:
        if not bool((one > 0).all()):
            raise InputError("A squared norm is not positive.", "Remove inputs that are 0.")
    return squared_norms


def _vector(xp: ModuleType, gram: Any, norms: Any, size: int) -> Any:
    one = np.asarray(norms, dtype=gram.dtype) if xp is np else xp.as_tensor(norms, dtype=gram.dtype, device=gram.device)
    if tuple(one.shape) != (size,):
        raise InputError(f"The variances have the shape {tuple(one.shape)} for {size} inputs.", f"Give {size} numbers.")
    return one


def _diagonals(xp: ModuleType, network: WideNetwork, start: Any) -> tuple[list[Any], Any]:
    """Return Sigma_l(x, x) for l = 1 to d, as vectors, and K_d(x, x)."""
    variances, tangent = [start], start
    for number in range(2, network.depth + 1):
        results = _of_layer(network, number).diagonal.run(xp, {p: variances[-1], _K: tangent}, None)
        following = xp.zeros_like(start) + results[0]
        variances.append(following)
        tangent = results[1] + following
    return variances, tangent


def _of_layer(network: WideNetwork, number: int) -> _Programs:
    weight = float(network.weight_variance)
    last = number == network.depth and network.last != ALIKE
    return _programs(network.activation, weight, float(network.bias_variance), 1.0 if last else weight)


def _through(
    xp: ModuleType, network: WideNetwork, gram: Any, rows: list[Any], columns: list[Any], buffers: list[Any] | None
) -> tuple[Any, Any]:
    """Return K_d and Sigma_d of a block, whose variances in each layer are `rows` and `columns`."""
    both, tangent = gram, gram
    for number in range(2, network.depth + 1):
        programs = _of_layer(network, number)
        table = {p: rows[number - 2][:, None], q: columns[number - 2][None, :], c: both}
        (determinant,) = programs.determinant.run(xp, table, buffers)
        if number == 2:
            _require_correlations(xp, determinant, table)
        determinant = _positive(xp, determinant, buffers)
        results = programs.layer.run(xp, {**table, gap: determinant, _K: tangent}, buffers)
        if buffers is not None:
            buffers += [determinant, *([both, tangent] if number > 2 else [])]
        both, tangent = (_whole(xp, one, gram, buffers) for one in results)
        tangent = tangent + both if buffers is None else np.add(tangent, both, out=tangent)
    return tangent, both


def _positive(xp: ModuleType, determinant: Any, buffers: list[Any] | None) -> Any:
    """Return the determinants without negative parts; torch takes the smallest normal number for 0.

    The root of 0 has no derivative; at equal inputs the derivative by the determinant is then 0, not nan.
    """
    if buffers is not None:
        return np.maximum(determinant, 0, out=determinant)
    return xp.clip(determinant, 0 if xp is np else xp.finfo(determinant.dtype).tiny, None)


def _whole(xp: ModuleType, value: Any, like: Any, buffers: list[Any] | None) -> Any:
    """Return a whole block where a form is a number or depends on few of the variables."""
    if not isinstance(value, float) and value.shape == like.shape and value is not like:
        return value
    if buffers:
        target = buffers.pop()
        target[...] = value
        return target
    return xp.zeros_like(like) + value


def _require_correlations(xp: ModuleType, determinant: Any, table: dict[sympy.Symbol, Any]) -> None:
    """Raise InputError where c^2 exceeds p q by more than rounding."""
    worst = float(host(determinant / (table[p] * table[q])).min())
    if worst < -_ROUNDING * float(xp.finfo(determinant.dtype).eps):
        raise InputError(
            f"An entry of the Gram matrix exceeds the product of its inputs' norms: 1 - r^2 = {worst:.3g} "
            "at a correlation r.",
            "Give inner products, and squared norms of the same inputs.",
        )


def _blocks(shape: tuple[int, int], *, symmetric: bool) -> Iterator[tuple[slice, slice]]:
    for first in range(0, shape[0], _BLOCK):
        for second in range(first if symmetric else 0, shape[1], _BLOCK):
            yield slice(first, min(first + _BLOCK, shape[0])), slice(second, min(second + _BLOCK, shape[1]))

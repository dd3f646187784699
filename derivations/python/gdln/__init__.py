"""The verbs of the command `gdln` as functions of Python, whose results show themselves in a notebook.

    moment(expr, cov)       closed form, proof and certified digits of a Gaussian expectation
    check(equation, ...)    an equation, judged: proved, supported, refuted or undecided
    problem(source)         a problem from a file, a text, a mapping or a problem, with some of its fields set
    solve(problem)          what gradient flow learns, exactly
    simulate(problem)       networks trained on sampled data
    compare(problem)        the exact law of training beside trained networks
    fields(problem)         Gabor functions and differences of Gaussians fitted to the fields
    data(source)            statistics of inputs: of a problem, an array or a data file
    flow(problem)           the gradient flow of a gated graph, derived from its paths
    ntk(activation, ...)    a kernel of infinite width at two inputs, with certified digits
    gram(width, depth)      mean and variance of a gated network's tangent kernel, exactly
    ledger(document)        what each source prints, and what holds
    validate(claims)        every claim derived, certified, trained and judged; or those of a note, NOTE.toml
    sweep(problem, axes)    trained networks at every value of some fields
    reproduce(name, ...)    experiments of the sources, statement by statement

    >>> import gdln
    >>> gdln.moment("Heaviside(z1)*erf(g*z2)", "[[1, r], [r, 1]]", where="g>0, -1<r<1")
    <moment: E[Heaviside(z1)*erf(g*z2)] = asin(sqrt(2)*g*r/sqrt(2*g**2 + 1))/pi>
    >>> gdln.check("E[erf(z1)*z1] = 2/sqrt(3*pi)", cov="[[1]]").verdict
    'proved'

A `Result` has `text`, `data` (the object of `--json`), `plot()` where the verb draws, `to_xarray()` and `to_pandas()`
where it has arrays or rows, and every attribute of its answer; a moment has `subs`, `numeric` and `evaluate` by name, a
solution `at(t)`. Errors are `InputError` and `OutOfReachError` of `theory.problem`, and `DivergedError` of
`sim.training.run`.
"""

from theory.problem.first_use import on_first_use

_VERBS = "check compare data fields flow gram ledger moment ntk problem reproduce simulate solve sweep validate"

__all__ = [*_VERBS.split(), "Result"]

__getattr__, __dir__ = on_first_use(__name__, {"verbs": _VERBS, "result": "Result"})

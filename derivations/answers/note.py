"""A note to start from: one claim of each kind."""

from pathlib import Path
from shlex import quote

from derivations.answers.new import NewAnswer

_NOTE = """\
# Claims of one's own. Judge them: gdln validate {file}
title = "A note to start from"

[symbols]                     # each symbol of a formula, with its domain
g = "g > 0"
rho = "-1 < rho < 1"

[[claim]]                     # a formula; E[...] is over z1, z2, ... with the covariance
label = "(1)"
says = "E[Heaviside(z1)*erf(g*z2)] = asin(sqrt(2)*g*rho/sqrt(1+2*g**2))/pi"
cov = "[[1, rho], [rho, 1]]"

[[claim]]                     # the same order along an axis; <, <=, > and >= are judged too
label = "(2)"
says = "E[erf(g*z1)**2] ~ g**2"
cov = "[[1]]"
along = "g -> 0"

[[claim]]                     # a number of the exact solution, to the digits that are written
label = "loss"
problem = "small-bump"        # a problem of the workbench, or a file beside this note
says = "mse = 0.27922"

[[claim]]                     # trained networks; gdln validate --names FILE lists what a claim may name
label = "localizes"
problem = "small-bump"
says = "participation-ratio[0] at 32 > 2*random"
networks = 32                 # for an equation also within = "2 %", the margin of equivalence
"""


def answer(name: Path) -> NewAnswer:
    """Return a note with a claim of each kind, unwritten; `name` gets the ending .toml where it has none."""
    file = name if name.suffix == ".toml" else name.with_name(name.name + ".toml")
    return NewAnswer(file, "", _NOTE.format(file=quote(str(file))), "validate")

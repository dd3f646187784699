"""The rules that check the engine's steps, each by its own calculation; importing this package registers them all."""

from theory.gaussian.derive.rules import (  # noqa: F401 - an import registers the rules of a file
    conditioning,
    gaussian_integrals,
    laws,
    limits,
    lines,
    moves,
    noisy_sign,
    observations,
    polynomials,
    powers,
    quadratic,
    waves,
)

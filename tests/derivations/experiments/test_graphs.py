"""A claim that registers an observable of a graph is trained and judged as every other."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import sympy

from derivations.experiments.model import Settings
from derivations.experiments.registered import judged, measured
from theory.claims.model import Alternative, Claim, Kind, Outcome, Registration
from theory.flow.graph.descent import descend
from theory.flow.graph.strengths import strengths
from theory.problem import PathStrengthsAtTimes


def short(problem):
    """Twenty steps of 64 networks."""
    training = replace(problem.training, times=(Fraction(1, 2), 1))
    return replace(problem, training=training, simulation=replace(problem.simulation, replicates=64, samples=1000))


def predicted(problem):
    result = descend(problem)
    return np.stack([along[0] for along in strengths(result.flow, result.weights).values()], axis=-1)


def claim_of(factor):
    registration = Registration(
        problems=("race",),
        observable=PathStrengthsAtTimes(),
        predict=lambda problem: factor * predicted(problem),
        prepare=short,
        margin=Fraction(1, 50),
        alternatives=(Alternative("half", lambda problem: factor * predicted(problem) / 2),),
    )
    name, statement = f"test.paths{factor}", sympy.Eq(sympy.Symbol("s"), 1)
    return Claim(id=name, title="paths", kind=Kind.EQUATION, statement=statement, registration=registration)


def test_strengths_of_paths_are_judged():
    claims = [claim_of(factor) for factor in (1, 2)]
    values = measured(claims, "race", Settings(device="cpu"), lambda _what, _done: None)
    results = judged([values], {claim.id: claim for claim in claims})
    assert [result.outcome for result in results] == [Outcome.PASS, Outcome.FAIL]

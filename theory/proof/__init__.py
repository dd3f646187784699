"""Proofs as data: a Derivation is a chain of Steps, each of which is checked by the rule that it names."""

from theory.proof.derivation import Derivation, Step, StepCheck, StepError, rule

__all__ = ["Derivation", "Step", "StepCheck", "StepError", "rule"]

"""Proofs as data: a Derivation is a chain of Steps, and a rule of its own checks each of them."""

from theory.proof.derivation import Derivation, Step, StepCheck, StepError, rule

__all__ = ["Derivation", "Step", "StepCheck", "StepError", "rule"]

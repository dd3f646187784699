"""One step of a proof, judged by its rule."""

from theory.proof.derivation import RULES, Step, StepError


def refusal(rule, before, after, using=(), cites=()):
    """The words with which the rule refuses the step, empty where it accepts it."""
    try:
        RULES[rule](before, Step(after, "because", rule, using, cites))
    except StepError as error:
        return str(error) or "refused"
    return ""

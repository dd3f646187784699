"""Blanks, questions, guesses, assumptions and history in the notes, which are recorded without a verdict.

Each record may name related claims and answer in a sentence. A question or a guess that the claims decide is a row of
the ledger, with `says=Says.ASKS` or `CONJECTURES`, and not listed
here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from theory.claims.documents import BUMP_NOTE, NOTES, citation_fault
from theory.problem import InputError


class Left(StrEnum):
    """The kind of a passage that a document leaves without a statement or a proof.

    >>> [how.value for how in Left]
    ['blank', 'question', 'conjecture', 'assumption', 'observation']
    """

    BLANK = "blank"
    QUESTION = "question"
    CONJECTURE = "conjecture"
    ASSUMPTION = "assumption"
    OBSERVATION = "observation"


@dataclass(frozen=True)
class Recorded:
    """A passage of a document that is recorded without a verdict: a blank by its heading, anything else by its words.

    `claims` are the ids of the related claims, and `answer` is their content in a sentence. Raises InputError for a
    document or a label that `theory.claims.documents` does not list.

    >>> Recorded(BUMP_NOTE, "(14)", Left.QUESTION, "why?")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: A record is unknown: small-bump-gate has no '(14)': its labels are (1) ...
    """

    document: str
    label: str
    left: Left
    words: str
    claims: tuple[str, ...] = ()
    answer: str = ""

    def __post_init__(self) -> None:
        if fault := citation_fault(self.document, self.label):
            raise InputError(f"A record is unknown: {fault}.", "theory/claims/documents.py takes papers and labels.")


RECORDED = (
    Recorded(
        NOTES,
        "section 2",
        Left.ASSUMPTION,
        "We generally assume that $g$ does not vary during learning.",
        ("localization.relu.gates_flip", "localization.relu.replayed_gates"),
        "It is a choice of the model; how far the gates of ReLU units move is measured in the configurations that the "
        "claims name.",
    ),
    Recorded(
        NOTES,
        "section 2",
        Left.QUESTION,
        "To assess the validity of this assumption, we need to see how much $g(x)$, as defined above, changes "
        "during learning.",
        ("localization.relu.gates_flip",),
        "Networks are trained to see how much, in the configurations that the claim names.",
    ),
    Recorded(NOTES, "section 2", Left.QUESTION, "But we’d like to be able to determine this gating upfront."),
    Recorded(
        NOTES,
        "section 2.1",
        Left.OBSERVATION,
        "(There is, importantly, a phase where it goes from Gaussian to non-Gaussian, but the localization seems to be "
        "more likely to occur around its mode.)",
        ("localization.design.concentrated", "localization.relu.around_mode"),
        "Told of earlier experiments. The participation ratio of the weights, and where they localize, are measured in "
        "the configurations that the claims name.",
    ),
    Recorded(
        NOTES,
        "section 2.1",
        Left.CONJECTURE,
        "If this is so, then it would be reasonable to try using a standard GDLN to model the ReLU network.",
        ("localization.relu.replayed_gates",),
        "It is a plan; the claim trains a gated network with the gates of a ReLU network in one configuration.",
    ),
    Recorded(NOTES, "section 2.2", Left.BLANK, "Predicting Loca(liza)tion"),
    Recorded(
        NOTES,
        "section 2.3",
        Left.BLANK,
        "Evolving Gates?",
        ("flow.moving_gates.mode", "flow.moving_gates.moment"),
        "The flow is solved for gates that change with time and not with the weights.",
    ),
    Recorded(
        NOTES,
        "section 3.3",
        Left.QUESTION,
        r"For fixed $p_{\xi_1}$ and $p_{\xi_2}$, how do we choose the gates $g_k$ to minimize equation (16)?",
        ("ols.gates.objective", "ols.gates.span"),
        "The best gates are not known here. The loss depends on the span of the gated inputs alone.",
    ),
    Recorded(
        NOTES,
        "section 3.3",
        Left.CONJECTURE,
        "I think that the best precision matrix would be maximally diagonal (no clue if this actually true! but maybe "
        "it holds empirically?).",
        ("ols.gates.overlap_wins", "ols.gates.overlap_on_sites", "ols.gates.span"),
        "It is open for the data of the notes. For an arbitrary law it fails, by an example with four inputs. On four "
        "sites one pair of overlapping gates is better than the tilings by one site, and another tiling is better "
        "still. Gates with a precision that is not block diagonal can have the loss of a tiling.",
    ),
    Recorded(
        NOTES,
        "section 4.1",
        Left.BLANK,
        "General Case",
        ("flow.descent.weights",),
        "Networks with two gates are trained and held against the law of a mode.",
    ),
    Recorded(
        NOTES,
        "section 4.2",
        Left.BLANK,
        "Single Gate",
        ("flow.exclusive.mode", "flow.exclusive.own_subset"),
        "The flow of one gate is derived, by $K = 1$ or exclusive gates; no network with a single gate is trained.",
    ),
    Recorded(
        NOTES,
        "section 4.3",
        Left.BLANK,
        "Redundant Gates",
        ("flow.redundant.first", "flow.redundant.second", "flow.redundant.difference"),
        "The flow of two such units is derived; no network with redundant gates is trained.",
    ),
    Recorded(NOTES, "section 5", Left.BLANK, "Concerns:"),
    Recorded(NOTES, "section 5", Left.BLANK, "Questions:"),
    Recorded(
        BUMP_NOTE,
        "after (13)",
        Left.QUESTION,
        "(Also I have no idea how to decouple the ODEs with these matrices.)",
        ("flow.small_bump.first_mode", "flow.small_bump.second_mode", "flow.small_bump.two_sites"),
        r"They decouple in the basis of $\langle x x^\top \rangle$, the same for both units.",
    ),
)


def recorded_in(documents: Iterable[str]) -> tuple[Recorded, ...]:
    """Return the records of these documents, in their order.

    >>> [record.label for record in recorded_in([BUMP_NOTE])]
    ['after (13)']
    """
    wanted = set(documents)
    return tuple(record for record in RECORDED if record.document in wanted)

"""The place in a document that states a claim: its kind of statement, its open conventions, and its slips.

A row of the ledger is a claim at one source. The source records whether the document prints the formula, states it in
prose, conjectures it or asks for it; which conventions the document leaves open, with the form that each gives
(`readings`); which printing slip a reader passes over (`misprint`); and, where no reading makes the form right, which
slip of the document it comes from (`slip`).
"""

from dataclasses import dataclass, field
from enum import StrEnum

import sympy

from theory.claims.documents import citation_fault
from theory.problem import InputError


class Says(StrEnum):
    """The way in which a document states the content of a row.

    A conjecture with a counter-example is refuted, a printed formula is corrected:

    >>> from theory.claims.rows import Standing, verdict_of
    >>> from theory.claims.levels import PrintedFinding
    >>> guess = Source("small-bump-gate", "(8)", says=Says.CONJECTURES, words="no clue if this is true")
    >>> verdict_of(Standing.HOLDS, guess, PrintedFinding(guess, agrees=False)).value
    'REFUTED'
    """

    PRINTS = "prints"
    READ_AS = "is read as"
    CONJECTURES = "conjectures"
    ASKS = "asks"
    UNSTATED = "does not state"


@dataclass(frozen=True)
class Reading:
    """A convention that a document leaves open, and the document's formula under this convention.

    `printed` is the formula under the convention, in the claim's symbols; where it is None, the formula as printed.
    `where` is a relation among the claim's parameters: the reading covers the points that satisfy it. `condition`
    states in words any further condition of the form.

    >>> scale = sympy.Symbol("c", real=True)
    >>> Reading("the scale is positive", where=scale > 0).admits({scale: sympy.Integer(-1)})
    False
    """

    convention: str
    printed: sympy.Basic | None = None
    where: sympy.Basic = sympy.true
    condition: str = ""

    def admits(self, point: dict[sympy.Symbol, sympy.Rational]) -> bool:
        """Return whether the reading covers the point."""
        return self.where.xreplace(dict(point)) == sympy.true


@dataclass(frozen=True)
class Slip:
    """A slip of a document: its place, its content, and the repair that corrects it and its consequences.

    `root` is the label of the one row that it is charged to. Every other row that is wrong through this slip, as a
    restatement or a consequence, names it together with the form after the repair, and is INHERITED.

    >>> from theory.claims.slips import READOUT
    >>> READOUT.root
    '(5)'
    """

    document: str
    name: str
    root: str
    title: str
    repair: str


@dataclass(frozen=True)
class Misprint:
    """A printing slip: an index, limit, shape or word that the document's own definitions put right.

    As printed it has no meaning, or contradicts a definition beside it, and only one reading is left. It makes no
    statement false: a row has the form that is `read` and names what is `printed`, both as Markdown.
    Raises InputError for a document or a label that `theory.claims.documents` does not list.

    >>> Misprint("neural-path-kernel", "Definition 2.2", "$A(x_{s'}, p)$", "$A(x_{s'}, p) = 1$").label
    'Definition 2.2'
    """

    document: str
    label: str
    printed: str
    read: str

    def __post_init__(self) -> None:
        if fault := citation_fault(self.document, self.label):
            raise InputError(f"A printing slip is unknown: {fault}.", "theory/claims/documents.py takes labels.")


@dataclass(frozen=True)
class Source:
    """The place where a document states the claim; `printed` is its right-hand side as printed, in the claim's symbols.

    Of an empirical claim `printed` is the relation that interprets a sentence, which the experiment finds true or
    false. `words` quotes the document where it says the statement in prose. `readings` are the conventions that it
    leaves open; one that makes the printed form right makes the row CONFIRMED, under that condition. `slip` is the
    cause of a wrong form, and `repaired` the form after its repair, where the row is not the slip itself. `shown`
    is the printed form as TeX, where `printed` written out entry by entry would hide it. `condition` is one
    that the document does not state and under which the claim holds; a row that is CONFIRMED names it. With a
    `misprint` the form is the one that is read.
    Raises InputError for a document or a label that `theory.claims.documents` does not list, for prose without its
    words, and for a slip or printing slip of another document.

    >>> Source("small-bump-gate", "(8)").printed is None
    True
    >>> Source("small-bump-gate", "(14)")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: A source is unknown: small-bump-gate has no '(14)': its labels are (1) ...
    """

    document: str
    label: str
    printed: sympy.Basic | None = None
    note: str = ""
    says: Says = Says.PRINTS
    words: str = ""
    readings: tuple[Reading, ...] = field(default=())
    slip: Slip | None = None
    repaired: Reading | None = None
    shown: str = ""
    condition: str = ""
    misprint: Misprint | None = None

    def __post_init__(self) -> None:
        if fault := citation_fault(self.document, self.label):
            raise InputError(f"A source is unknown: {fault}.", "theory/claims/documents.py takes papers and labels.")
        here = f"{self.document} {self.label}"
        if self.says not in (Says.PRINTS, Says.UNSTATED) and not self.words:
            raise InputError(f"{here} {self.says.value} something in prose that is not quoted.", "Give its `words`.")
        if self.repaired is not None and self.slip is None:
            raise InputError(f"{here} is repaired, and no slip is named.", "Give the `slip` that it comes from.")
        for own in (self.slip, self.misprint):
            if own is not None and own.document != self.document:
                raise InputError(f"{here} names a slip of {own.document}.", "A slip belongs to its document.")

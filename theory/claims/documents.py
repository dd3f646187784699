"""The papers whose statements are checked: file stem, title, authors, year, and the labels that a source may cite."""

import re
from dataclasses import dataclass

NOTES = "localization-with-gated-linear-networks"
BUMP_NOTE = "small-bump-gate"
DEEP_GATED_NETWORKS = "deep-gated-networks"
NEURAL_PATH_KERNEL = "neural-path-kernel"
HALF_SPACES = "half-space-feature-learning"

_EQUATION = re.compile(r"(?:after )?\((\d+)\)")


@dataclass(frozen=True)
class Document:
    """A paper: `stem` names its file, and `equations` is the number of its last numbered equation, (1) ... (last).

    `passages` are its other labels: sections, definitions, propositions, theorems. Authors and year are those that the
    document prints, and empty where it prints none.
    """

    stem: str
    title: str
    equations: int
    passages: tuple[str, ...]
    authors: tuple[str, ...] = ()
    year: int | None = None

    @property
    def numbered(self) -> tuple[str, ...]:
        """The labels of the numbered equations, in their order."""
        return tuple(f"({number})" for number in range(1, self.equations + 1))

    def has(self, label: str) -> bool:
        """Return whether the document has this label: "(8)", "after (8)", or one of its passages.

        >>> DOCUMENTS[BUMP_NOTE].has("after (13)"), DOCUMENTS[BUMP_NOTE].has("(14)")
        (True, False)
        """
        equation = _EQUATION.fullmatch(label)
        return 1 <= int(equation[1]) <= self.equations if equation else label in self.passages


def _named(kind: str, numbers: str) -> tuple[str, ...]:
    """The labels of one kind, their numbers separated by spaces."""
    return tuple(f"{kind} {number}" for number in numbers.split())


DOCUMENTS = {
    document.stem: document
    for document in (
        Document(
            NOTES,
            "Localization with gated linear networks",
            32,
            _named("section", "1 2 2.1 2.2 2.3 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.2 4.3 5"),
        ),
        Document(BUMP_NOTE, "Small-bump gate", 13, _named("section", "1 2")),
        Document(
            DEEP_GATED_NETWORKS,
            "Deep Gated Networks: A framework to understand training and generalisation in deep learning",
            16,
            (
                *_named("section", "1 2 3 3.1 4 5 6 7 7.1 8"),
                *_named("Assumption", "1 2"),
                *_named("Definition", "3.1 7.1 7.2 7.3 7.4"),
                *_named("Lemma", "2.1 2.2 2.4 3.1 4.1 7.1 7.2 7.4 7.5 8.2"),
                *_named("Theorem", "2.3 7.3"),
                *_named("Corollary", "8.1"),
                *_named("Fact", "1 2 3 4 5 6 7 8"),
                *_named("Case", "1 2 3 4 5 6 7 8"),
                *_named("Experiment", "1 2 3 4 5 6 7 8"),
                *_named("Table", "1 2 3 4 5"),
            ),
            ("Chandrashekar Lakshminarayanan", "Amit Vikram Singh"),
            2020,
        ),
        Document(
            NEURAL_PATH_KERNEL,
            "Neural Path Features and Neural Path Kernel: Understanding the role of gates in deep learning",
            2,
            (
                *_named("section", "1 1.1 1.2 2 2.1 2.2 3 3.1 3.2 4 5 6 7 8 A B C"),
                *_named("Claim", "I II"),
                *_named("Assumption", "5.1"),
                *_named("Definition", "2.1 2.2 3.1 3.2 3.3 5.1"),
                *_named("Lemma", "2.1 3.1"),
                *_named("Proposition", "1.1 2.1 3.1 3.2 3.3 4.1"),
                *_named("Theorem", "5.1"),
                *_named("Table", "1 2"),
                *_named("Figure", "2"),
            ),
        ),
        Document(
            HALF_SPACES,
            "Half-Space Feature Learning in Neural Networks",
            11,
            (
                *_named("section", "1 1.1 2 2.1 2.2 2.3 3 3.1 3.2 4 5 6"),
                *_named("Theorem", "1 2"),
                *_named("Lemma", "3 4"),
                *_named("Table", "1 2"),
            ),
            ("Yadav Mahesh Lorik", "Harish Guruprasad Ramaswamy", "Chandrashekar Lakshminarayanan"),
            2024,
        ),
    )
}


def citation_fault(stem: str, label: str) -> str:
    """Return the fault of a citation of the document `stem` by `label`, or an empty string.

    >>> citation_fault(BUMP_NOTE, "(8)")
    ''
    >>> citation_fault(BUMP_NOTE, "(14)")
    "small-bump-gate has no '(14)': its labels are (1) ... (13), after (n), section 1, section 2"
    """
    if stem not in DOCUMENTS:
        return f"no document is called {stem!r}; known: {', '.join(DOCUMENTS)}"
    document = DOCUMENTS[stem]
    if document.has(label):
        return ""
    equations = (f"(1) ... ({document.equations})", "after (n)") if document.equations else ()
    return f"{stem} has no {label!r}: its labels are {', '.join((*equations, *document.passages))}"

"""The API reference: a page for each public package, filled by autodoc, and its docstrings as reStructuredText."""

import re
from pathlib import Path

# The packages with public names (`__all__`), and the modules of answers, each with what a reader finds there.
PACKAGES = {
    "gdln": "the verbs, with results that show themselves in a notebook",
    "theory.problem": "the question: laws, gates, networks, training, observables; TOML in and out",
    "theory.gaussian": "Gaussian averages: derived, certified, in float64, exported",
    "theory.expressions": "symbols, functions and the parser of what a user types",
    "theory.moments": "exact statistics of the data laws, plain and through gates",
    "theory.moments.amplifier": "the localization amplifier of a marginal",
    "theory.flow": "the gradient flow, its fixed points and its solution",
    "theory.gates": "the best gates, by enumeration",
    "theory.paths": "paths of deep gated networks, exactly",
    "theory.paths.regions": "regions of paths in the plane",
    "theory.kernels": "tangent kernels at initialisation, at finite width",
    "theory.kernels.infinite": "tangent kernels at infinite width",
    "theory.proof": "proofs as data: steps and the rules that check them",
    "theory.conjecture": "verdicts on formulas that a user types",
    "theory.claims": "claims, their sources and verdicts",
    "sim.train": "one training loop for networks of one layer",
    "sim.measure": "observables of trained networks",
    "sim.deep": "deep gated networks in training",
    "sim.kernels": "kernels of networks on data",
    "derivations.compare": "theory beside trained networks",
    "derivations.answers": "the answer of every verb, as data",
}
_ANSWERS = Path(__file__).parents[1] / "answers"
_PIECE = re.compile(r"`+[^`]+`+|\$[^$]+\$")
_COLUMNS = re.compile(r"\S {3,}\S")  # of a table in a docstring
_BULLET = re.compile(r"\s*(?:[-*]|\d+\.) ")


def pages() -> dict[str, str]:
    """Return the pages of the reference by their paths: an index, and one for each package."""
    rows = "\n".join(f"- [`{name}`]({name}.md): {about}" for name, about in PACKAGES.items())
    tree = "\n".join(PACKAGES)
    index = f"# API reference\n\nThe public names of the packages, from their docstrings.\n\n{rows}\n"
    return {
        "api/index": f"{index}\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n",
        **{f"api/{name}": f"# `{name}`\n\n" + "\n".join(map(_automodule, _modules(name))) for name in PACKAGES},
    }


def _modules(package: str) -> list[str]:
    if package != "derivations.answers":
        return [package]
    return [package, *(f"{package}.{file.stem}" for file in sorted(_ANSWERS.glob("[!_]*.py")) if _answers(file))]


def _answers(file: Path) -> bool:
    return "\ndef answer(" in file.read_text(encoding="utf-8")


def _automodule(name: str) -> str:
    heading = f"## `{name}`\n\n" if name.startswith("derivations.answers.") else ""
    return f"{heading}```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"


def restructured(lines: list[str]) -> None:
    r"""Write the lines of a docstring in Markdown as reStructuredText, in place; examples and columns stay as they are.

    >>> lines = ["The |x| of `w`, $\\pi$ to all_", "", ">>> a * b"]
    >>> restructured(lines)
    >>> lines
    ['The \\|x\\| of ``w``, :math:`\\pi` to all\\_', '', '>>> a * b', '']
    """
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    lines[:] = [line for text in paragraphs for line in (*_paragraph(text.splitlines()), "")]


def _paragraph(lines: list[str]) -> list[str]:
    if any(line.lstrip().startswith(">>>") for line in lines):
        first = next(at for at, line in enumerate(lines) if line.lstrip().startswith(">>>"))
        return [*map(_escaped, lines[:first]), *([""] if first else []), *lines[first:]]
    if any(_COLUMNS.search(line) for line in lines):
        return [".. code-block:: text", "", *(f"   {line}" for line in lines)]
    return [_escaped(line) for line in lines]


def _escaped(line: str) -> str:
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    text, end = line[:start], start
    for piece in _PIECE.finditer(line, start):
        text += _plain(line[end : piece.start()])
        inner = piece[0].strip("`$")
        text += f":math:`{inner}`" if piece[0].startswith("$") else f"``{inner}``"
        end = piece.end()
        if end < len(line) and line[end].isalnum():
            text += "\\ "
    return text + _plain(line[end:])


def _plain(text: str) -> str:
    return re.sub(r"([\\*_|`])", r"\\\1", text)

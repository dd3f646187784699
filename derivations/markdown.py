"""Markdown for all packages, and the conversion of Markdown texts in the code to plain text for a terminal."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

# The commands of TeX that texts use, each with the characters that a terminal shows for it.
_SYMBOLS = {
    **dict(zip(["alpha", "beta", "eta", "kappa", "lambda", "mu", "nu", "omega"], "αβηκλμνω", strict=True)),
    **dict(zip(["pi", "rho", "sigma", "tau", "varphi", "xi"], "πρστφξ", strict=True)),
    **dict(zip(["delta", "phi", "psi", "theta"], "δϕψθ", strict=True)),
    **dict(zip(["Delta", "Lambda", "Omega", "Phi", "Psi", "Sigma", "Theta"], "ΔΛΩΦΨΣΘ", strict=True)),
    **dict(zip(["circ", "odot", "partial", "prod", "times"], "∘⊙∂∏×", strict=True)),
    **dict(zip(["varepsilon", "ell", "infty", "sum", "cdot"], "εℓ∞∑·", strict=True)),
    **dict(zip(["otimes", "pm", "to", "leq", "geq", "sim", "in", "mid", "ldots", "neq"], "⊗±→≤≥∼∈|…≠", strict=True)),
    **dict(zip(["epsilon", "chi", "cup", "cap", "subset", "forall"], "ϵχ∪∩⊂∀", strict=True)),
    **dict(zip(["Pi", "emptyset", "rightsquigarrow", "approx"], "Π∅⇝≈", strict=True)),
    **dict(zip(["{", "}", ",", "#", "top", "ast"], "{} #T*", strict=True)),
    **{name: name for name in ("exp", "log", "arcsin", "arctan", "tanh", "max", "min", "sup", "lim", "det")},
    **dict.fromkeys(("left", "right"), ""),
}
_OPENING = {"langle": "⟨", "lvert": "|"}
_CLOSING = {"rangle": "⟩", "rvert": "|"}
_ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "dot": "\u0307", "bar": "\u0304"}
_STYLES = ("operatorname", "text", "mathbf", "mathbb", "mathcal", "mathrm")
_FRACTIONS = ("frac", "tfrac")  # in names of formulas; a text writes a/b
_RAISED = dict(zip("0123456789+-nTxy", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀˣʸ", strict=True)) | {"*": "*"}
_LOWERED = dict(zip("0123456789+-ijklnm", "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₙₘ", strict=True))
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|.")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table whose cells are Markdown already.

    >>> table(["n", "loss"], [["40", "0.28"]])
    '| n | loss |\n| --- | --- |\n| 40 | 0.28 |\n'
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def plain(text: str) -> str:
    r"""Return a text in Markdown as a terminal shows it: `$...$` in Unicode, code without its backticks.

    Raises ValueError for a dollar without a partner, for a fraction with a bar, and for TeX that is not in the
    vocabulary above.

    >>> plain(r"for $\xi_1 > \xi_2$ the flow of $A_{11}^{-1} b_1$, see `flow.mode.solution`")
    'for ξ₁ > ξ₂ the flow of A₁₁⁻¹ b₁, see flow.mode.solution'
    """
    if text.count("$") % 2:
        raise ValueError(f"{text!r} has a dollar without a partner.")
    return re.sub(r"\$([^$]*)\$|`([^`]*)`", lambda found: found[2] if found[1] is None else _in_text(found[1]), text)


def _in_text(tex: str) -> str:
    if fraction := re.search(rf"\\({'|'.join(_FRACTIONS)})\b", tex):
        raise ValueError(f"${tex}$ has {fraction[0]}, which is too high for a line of text. Write a/b.")
    return on_a_line(tex)


def on_a_line(tex: str) -> str:
    r"""Return a formula in TeX as one line of a terminal, fractions as a/b.

    Raises ValueError for TeX that is not in the vocabulary above.

    >>> on_a_line(r"\max \frac{\lambda_0(s, s')}{\lambda_0(s, s)\, \eta^{d-1}}")
    "max λ₀(s, s')/(λ₀(s, s) η^(d-1))"
    """
    tokens = _TOKEN.findall(tex)[::-1]
    try:
        shown = _until(tokens, "")
    except (KeyError, IndexError) as error:
        raise ValueError(f"${tex}$ has {error} outside of the vocabulary of derivations/markdown.py.") from None
    return unicodedata.normalize("NFC", re.sub(" +", " ", shown))


def _until(tokens: list[str], end: str) -> str:
    """The tokens before `end` as characters, taken from the end of the list; all of them where `end` is empty."""
    shown = ""
    while tokens:
        token = tokens.pop()
        if token == end:
            return shown
        name = token.removeprefix("\\") if len(token) > 1 else ""
        if name in _CLOSING:
            shown = shown.rstrip() + _CLOSING[name]
        elif token in "^_":
            shown += _shifted(_argument(tokens), token)
        elif token in "{}":
            raise KeyError(token)
        else:
            shown += _command(name, tokens) if name else token
    if end:
        raise KeyError(end)
    return shown


def _command(name: str, tokens: list[str]) -> str:
    if name in _OPENING:
        return _OPENING[name] + _argument(tokens)
    if name in _ACCENTS:
        return _argument(tokens) + _ACCENTS[name]
    if name in _STYLES:
        return _argument(tokens)
    if name == "sqrt":
        root = _argument(tokens)
        return f"√{root}" if len(root) == 1 else f"√({root})"
    if name in _FRACTIONS:
        return _fraction(_argument(tokens), _argument(tokens), tokens)
    return _SYMBOLS[name]


def _fraction(above: str, below: str, tokens: list[str]) -> str:
    """A fraction as a/b: a sum in brackets, a product below the bar too, and the whole before a further factor."""
    above = f"({above})" if re.search("[+-]", _outside_brackets(above)) else above
    below = f"({below})" if re.search("[+/ -]", _outside_brackets(below)) else below
    following = "".join(tokens[::-1]).lstrip()
    factor_follows = re.match(r"[\w(\[]|\\(?!r(?:ight|vert|angle)|[},])", following)
    return f"({above}/{below})" if factor_follows else f"{above}/{below}"


def _outside_brackets(text: str) -> str:
    """The parts of a text that stand in no bracket."""
    while (rest := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)) != text:
        text = rest
    return text


def _argument(tokens: list[str]) -> str:
    """Return the argument of a command: a group in braces or one token."""
    while tokens[-1] == " ":
        tokens.pop()
    token = tokens.pop()
    return (
        _until(tokens, "}") if token == "{" else _until([token], "") if len(token) == 1 else _command(token[1:], tokens)
    )


def _shifted(text: str, mark: str) -> str:
    """An index or exponent in small characters where Unicode has all of them, else after its mark."""
    small = _RAISED if mark == "^" else _LOWERED
    if all(character in small for character in text):
        return "".join(small[character] for character in text)
    plain_after_mark = len(text) == 1 or text.isalnum() or re.fullmatch(r"\([^()]*\)", text)
    return mark + (text if plain_after_mark else f"({text})")

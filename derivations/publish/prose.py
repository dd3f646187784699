r"""The short texts of claims (titles, notes, reasons, assumptions) as Markdown: `A_11 w_1` becomes TeX.

Such texts are written in plain characters beside the code. Words with an index, an exponent, a tilde or the name of a
Greek letter, and single letters, are set as mathematics; everything that Markdown would read as markup is escaped.

>>> prose("project on an eigenvector: v A = lam v")
'project on an eigenvector: $v \\, A = \\lambda \\, v$'
>>> prose("see ols.gates.objective: <x~ x~^T>")
'see `ols.gates.objective`: ⟨$\\tilde x \\, \\tilde x^{\\top}$⟩'
"""

import re

from derivations.publish.notation import greek

_GREEK = "xi|rho|lambda|lam|tau|kappa|sigma|beta|eta|mu|Delta|Lambda|Sigma|phi|pi|ell"
_TOKEN = re.compile(
    r"(?P<code>`[^`]+`|\b[a-z]+(?:\.[a-z_0-9]+){2,}\b)"
    rf"|(?<![\w\\])(?<!\w['’])(?P<name>(?:{_GREEK})(?=[^a-zA-Z]|$)|yhat|sum(?=_)|[A-Za-z]{{1,2}}(?=[_^~]|\d\b)|P(?=_low)|[A-Za-z](?![\w'’-]))"
    r"(?P<digit>\d)?(?P<tilde>~)?(?:_(?P<sub>[A-Za-z0-9]+))?(?:\^(?P<sup>[-+]?\w+|\+|\*))?(?!\w)"
    r"|(?P<power>(?<=[)⟩}])\^[\dn])|(?P<below>(?<=[)⟩])_\d)|(?P<infinity>\boo\b)|(?P<open><(?=\S[^<>]*[^\s<>-]>))|(?P<escape>[\\*_|$\[\]<>])"
    r"|(?P<close>>)"
)
_WORDS = ("low", "high", "max", "min", "biases")  # indices that are words
_SUPERSCRIPT = str.maketrans("0123456789n", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_JOINT = re.compile(r"\$( = | \+ | - | |/|\.)\$")  # between two formulas: they are one


def prose(text: str) -> str:
    """One line of plain text as Markdown with inline TeX."""
    text = re.sub(r"<(?=\S)([^<>]*[^\s<>-])>", "⟨\\1⟩", text)
    text = text.replace(" (x) ", " ⊗ ").replace("->", "→").replace(">=", "≥").replace("<=", "≤")
    text = _TOKEN.sub(lambda found: _token(found, text), text)
    text = re.sub(r"\$\((0|t|∞)\)", lambda found: rf"({found[1]})$".replace("∞", r"\infty"), text)
    text = re.sub(r"\$\(\$([a-z])\$\)", r"(\1)$", text)
    return _JOINT.sub(lambda found: {" ": r" \, ", ".": r" \cdot "}.get(found[1], found[1]), text)


def _token(found: re.Match, text: str) -> str:
    if found["code"]:
        return found["code"] if found["code"].startswith("`") else f"`{found['code']}`"
    if found["power"]:
        return found["power"][1:].translate(_SUPERSCRIPT)
    if found["below"]:
        return found["below"][1:].translate(_SUBSCRIPT)
    if found["infinity"]:
        return "∞"
    if found["name"]:
        return _name(found, text)
    return "\\" + found[0]


def _name(found: re.Match, text: str) -> str:
    """A letter with its marks; the article "a" and the pronoun stay words."""
    name, bare = found["name"], found[0] == found["name"]
    if bare and name in ("a", "A", "I") and re.match(r" [A-Za-z]{2,}", text[found.end() :]):
        return name
    if name == "yhat":
        letter = r"\hat y"
    elif name == "sum" or re.fullmatch(_GREEK, name):
        letter = greek(name)
    else:
        letter = name if len(name) == 1 else rf"\mathrm{{{name}}}"
    letter = rf"\tilde {letter}" if found["tilde"] else letter
    if index := found["sub"] or found["digit"]:
        index = rf"\text{{{index}}}" if index in _WORDS else _index(index)
        letter += f"_{{{index}}}"
    if power := found["sup"]:
        letter += rf"^{{{_power(power)}}}"
    return f"${letter}$"


def _index(index: str) -> str:
    found = re.fullmatch(rf"({_GREEK})(\d)?", index)
    if not found:
        return index
    return f"{greek(found[1])}_{found[2]}" if found[2] else greek(found[1])


def _power(power: str) -> str:
    if power == "T":
        return r"\top"
    return rf"\mathrm{{{power}}}" if power in ("yx", "xx") else power

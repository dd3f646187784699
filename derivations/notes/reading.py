"""A note: a TOML file with a title, symbols and claims; what it says is read here and judged elsewhere.

    title = "Notes on the bump"
    [symbols]
    rho = "-1 < rho < 1"
    [[claim]]
    label = "(1)"
    says = "E[Heaviside(z1)*Heaviside(z2)] = 1/4 + asin(rho)/(2*pi)"
    cov = "[[1, rho], [rho, 1]]"

A sentence is LEFT RELATION RIGHT; the relation is one of = < <= > >= and ~ (the same order along an axis).
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import sympy

from derivations.experiments.folders import FOLDER, problem_file
from theory.expressions.domains import parse_domains
from theory.problem import InputError, Problem, dumps
from theory.problem.fields import check_field, replaced
from theory.problem.keys import check_keys
from theory.problem.numbers import exact, nearest, shown, whole
from theory.problem.toml import load, placed, problem_of, tables_of, text_of
from theory.problem.user_code import allow

RELATIONS = ("<=", ">=", "=", "<", ">", "~")
LEVEL = 0.01  # of the tests of a claim
# The levels of 50 values are those that resamples still resolve.
MOST_VARIED, MOST_CLAIMS = 50, 1000
_KEYS = ("cov", "mean", "given", "along", "problem", "vary", "within", "networks")
_FORMULA, _MEASURED = _KEYS[:4], _KEYS[5:]
_QUANTITY = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\[([^\]]*)\])?\s*(?:\bat\s+(\S.*?))?\s*")
_SHARE = re.compile(r"\s*([0-9.eE+-]+)\s*%\s*")
_DECIMAL = re.compile(r"[+-]?[0-9]*[.][0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_LABEL = re.compile(r"[^\w.()-]+")


@dataclass(frozen=True)
class Sentence:
    """`left` `relation` `right`, as written."""

    left: str
    relation: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True)
class Quantity:
    """The left side of a claim on a problem: a name, the entry (none: every one), and the time as written, if any.

    >>> quantity("weight[0, 20] at 32")
    Quantity(name='weight', entry=(0, 20), time='32')
    """

    name: str
    entry: tuple[int, ...] = ()
    time: str | None = None

    def __str__(self) -> str:
        entry = f"[{', '.join(map(str, self.entry))}]" if self.entry else ""
        return f"{self.name}{entry}" + (f" at {self.time}" if self.time else "")


@dataclass(frozen=True)
class NoteClaim:
    """A claim as written; `place` names it in errors. `varied` pairs the problems that `vary` gives with its values."""

    id: str
    label: str
    place: str
    sentence: Sentence
    domain: Mapping[str, str]
    cov: str | None = None
    mean: str | None = None
    given: str | None = None
    along: str | None = None
    varied: tuple[tuple[Mapping[str, Any], Problem], ...] = ()
    within: float | None = None
    networks: int | None = None

    @property
    def where(self) -> str | None:
        """The domains of the declared symbols that the claim uses."""
        words = [
            part for part in (str(self.sentence.left), self.sentence.right, self.cov, self.mean, self.given) if part
        ]
        used = {name for part in words for name in re.findall(r"[A-Za-z_]\w*", part)}
        return ", ".join(dict.fromkeys(text for name, text in self.domain.items() if name in used)) or None

    @property
    def title(self) -> str:
        """The sentence as code in Markdown."""
        return f"`{self.sentence}`"

    @property
    def digest(self) -> str:
        """The sha256 of what the claim says, and of its problems."""
        said = (self.sentence, self.where, self.cov, self.mean, self.given, self.along, self.within, self.networks)
        parts = [repr(said), *(dumps(problem) for _, problem in self.varied)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def trained(self) -> bool:
        """Whether networks are trained for it."""
        return self.within is not None or self.networks is not None


@dataclass(frozen=True)
class Note:
    """A read note: its path, title and claims."""

    path: Path
    title: str
    claims: tuple[NoteClaim, ...]


def read(path: str | Path) -> Note:
    """Return the note in a TOML file. Raises InputError with line, key and remedy, OSError where it cannot be read."""
    path = Path(path)
    text = text_of(path)
    tables = tables_of(text, str(path))
    check_keys(tables, str(path), ("claim",), ("title", "symbols"))
    claims, symbols = tables["claim"], tables.get("symbols", {})
    if not isinstance(claims, list) or not all(isinstance(one, Mapping) for one in claims) or not claims:
        raise InputError(f"{path}: `claim` is no list of tables.", "Begin each claim with a line [[claim]].")
    if len(claims) > MOST_CLAIMS:
        raise InputError(f"{path}: {len(claims)} claims; a note has at most {MOST_CLAIMS}.", "Divide it.")
    if not isinstance(symbols, Mapping):
        raise InputError(f"{path}: `symbols` is no table.", 'Write [symbols], then lines like g = "g > 0".')
    for name, domain in symbols.items():
        place, hint = f"{path}, line {_line(text, name, 0)}: ", f'Write {name} = "{name} > 0", or "{name} real".'
        try:
            known = parse_domains(domain).names if isinstance(domain, str) else {}
        except InputError as error:
            raise InputError(f"{place}{error.message}", error.hint) from None
        if name not in known:
            raise InputError(f"{place}the domain of {name} is {shown(domain)}.", hint)
    title = tables.get("title", path.stem)
    if not isinstance(title, str):
        raise InputError(f"{path}, line {_line(text, 'title', 0)}: title = {shown(title)} is no text.", "Use quotes.")
    read_claims = [_claim(text, path, index, table, symbols) for index, table in enumerate(claims)]
    for one in read_claims:
        if any(one.id == other.id for other in read_claims if other is not one):
            raise InputError(f"{one.place}: two claims have this label.", "Give each claim a label of its own.")
    return Note(path, title, tuple(read_claims))


def named_problem(name: str) -> Path:
    """Return the file of a problem of the workbench. Raises InputError for another name."""
    known = sorted({path.stem for path in FOLDER.glob("*/*.toml")})
    if name not in known:
        hint = f"{nearest(name, known)}Name a file that ends with .toml, or one of them, such as small-bump."
        raise InputError(f"{shown(name)} is no problem of the workbench.", hint)
    return problem_file(name)


def is_note(path: str | Path) -> bool:
    """Whether the words name a TOML file that exists, and not a claim of the workbench."""
    return str(path).endswith(".toml") and Path(path).exists()


def sentence_of(text: str) -> Sentence:
    """Return the parts of a sentence. Raises InputError without one relation outside of brackets.

    >>> sentence_of("E[sign(z1 - 1)] <= 0")
    Sentence(left='E[sign(z1 - 1)]', relation='<=', right='0')
    """
    depth, places = 0, []
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        sign = next((one for one in RELATIONS if text.startswith(one, at)), None)
        inside_one = places and places[-1][0] + len(places[-1][1]) > at
        if depth == 0 and sign and not inside_one:
            places.append((at, sign))
    if depth:
        raise InputError(f"{shown(text)}: a bracket is not closed, or not opened.", "Write E[...] and f(...) in pairs.")
    if len(places) != 1:
        raise InputError(f"{shown(text)} has {len(places)} relations.", f"A claim has one of: {' '.join(RELATIONS)}")
    ((at, sign),) = places
    left, right = text[:at].strip(), text[at + len(sign) :].strip()
    if not left or not right:
        raise InputError(f"{shown(text)} lacks a side.", "Write LEFT = RIGHT.")
    return Sentence(left, sign, right)


def half_unit(text: str) -> Fraction | None:
    """Return half a unit in the last place of a decimal; None for another text.

    >>> half_unit("0.279"), half_unit("1/3")
    (Fraction(1, 2000), None)
    """
    if not _DECIMAL.fullmatch(text.strip()):
        return None
    return Fraction(Decimal(5).scaleb(Decimal(text.strip()).as_tuple().exponent - 1))


def related(left: str | sympy.Expr, relation: str, right: sympy.Expr) -> sympy.Basic:
    """Return a sentence as a SymPy relation; words become text, and ~ is one of them.

    >>> related("mse", "<=", sympy.Integer(1))
    \\text{mse} <= 1
    """
    kinds = {"=": sympy.Eq, "<=": sympy.Le, ">=": sympy.Ge, "<": sympy.Lt, ">": sympy.Gt}
    left = sympy.Symbol(rf"\text{{{left}}}") if isinstance(left, str) else left
    if relation == "~":
        return sympy.Eq(sympy.Symbol(r"\text{order of }") * left, right, evaluate=False)
    return kinds[relation](left, right, evaluate=False)


def quantity(text: str) -> Quantity:
    """Return the parts of the left side of a claim on a problem. Raises InputError for other text."""
    parts = _QUANTITY.fullmatch(text)
    entry = [part.strip() for part in parts[2].split(",")] if parts and parts[2] else []
    if parts is None or not all(part.isdecimal() and len(part) < 10 for part in entry):
        raise InputError(
            f"{shown(text)} names no number of a problem.", "Write NAME, NAME[0, 20] or NAME[0, 20] at TIME."
        )
    return Quantity(parts[1], tuple(map(int, entry)), parts[3])


def _claim(text: str, path: Path, index: int, table: Mapping[str, Any], symbols: Mapping[str, str]) -> NoteClaim:
    label = table.get("label", f"claim {index + 1}")
    place = f"{path}, line {_line(text, '[[claim]]', index)}, claim {label}"
    if "says" not in table:
        raise InputError(f"{place} lacks `says`.", 'State it: says = "LEFT = RIGHT".')
    check_keys(table, place, ("says",), ("label", *_KEYS))

    def at(key: str) -> str:
        return f"{path}, line {_line(text, key, index)}, claim {label}: {key}"

    for key in ("label", "says", *_FORMULA, "problem"):
        if key in table and not isinstance(table[key], str):
            raise InputError(f"{at(key)} = {shown(table[key])} is no text.", f'Write {key} = "...".')
    for key in _FORMULA if "problem" in table else _MEASURED:
        if key in table:
            needs = "without a problem" if key in _FORMULA else "on a problem"
            raise InputError(f"{at(key)} belongs to a claim {needs}.", f"Remove {key}, or state the problem.")
    try:
        sentence = sentence_of(table["says"])
        if "problem" in table:
            quantity(sentence.left)
    except InputError as error:
        raise InputError(f"{at('says')}: {error.message}", error.hint) from None
    if sentence.relation == "~" and not {"along", "vary"} & table.keys():
        remedy = 'Add vary = { "data.gain" = [1, 10, 100] }.' if "problem" in table else 'Add along = "g -> 0".'
        raise InputError(f"{at('says')}: ~ compares orders along an axis, and none is given.", remedy)
    within = _share(table["within"], at("within")) if "within" in table else None
    networks = whole(table["networks"], at("networks"), least=2) if "networks" in table else None
    name = f"{path.stem}.{_LABEL.sub('-', label)}"
    formula = {key: table.get(key) for key in _FORMULA}
    varied = _varied(table, path.parent, at) if "problem" in table else ()
    return NoteClaim(
        name, label, at("says"), sentence, symbols, **formula, varied=varied, within=within, networks=networks
    )


def _varied(table: Mapping[str, Any], folder: Path, at: Any) -> tuple[tuple[Mapping[str, Any], Problem], ...]:
    name, vary = table["problem"], table.get("vary", {})
    beside = folder / f"{name}.toml"
    if not name.endswith(".toml") and beside.exists():
        raise InputError(
            f"{at('problem')} = {shown(name)} may be {beside}, or a problem of the workbench.",
            f'Write "{name}.toml" for the file, or rename it.',
        )
    try:
        file = folder / name if name.endswith(".toml") else named_problem(name)
        load(file)
    except (InputError, OSError) as error:
        hint = getattr(error, "hint", "") or "Name a file beside the note."
        raise InputError(f"{at('problem')} = {shown(name)}: {getattr(error, 'message', None) or error}", hint) from None
    if not isinstance(vary, Mapping) or not all(isinstance(values, list) and values for values in vary.values()):
        raise InputError(f"{at('vary')} is no table of lists.", 'Write vary = { "data.gain" = [0.5, 1, 2] }.')
    choices = list(product(*vary.values()))
    if len(choices) > MOST_VARIED:
        raise InputError(f"{at('vary')} gives {len(choices)} problems.", f"Give at most {MOST_VARIED}.")
    tables = placed(tables_of(text_of(file), str(file)), file.parent)
    allow(tables.get("data"))
    varied = []
    for values in choices:
        changed: Any = tables
        chosen = dict(zip(vary, values, strict=True))
        try:
            for key, value in chosen.items():
                check_field(key, key)
                changed = replaced(changed, key, value, "")
            varied.append((chosen, problem_of(changed)))
        except InputError as error:
            raise InputError(f"{at('vary')}: {error.message}", error.hint) from None
    return tuple(varied)


def _share(value: Any, place: str) -> float:
    """Return a margin as a share: "1 %", or 0.01."""
    given = value
    if isinstance(value, str):
        parts = _SHARE.fullmatch(value)
        try:
            value = Decimal(parts[1]) / 100 if parts else None
        except ArithmeticError:
            value = None
    if value is None:
        raise InputError(f"{place} = {shown(given)} is no margin.", 'Write within = "1 %", or 0.01.')
    share = exact(value, place)
    if not 0 < share < 1:
        raise InputError(f"{place} = {shown(given)} is no share of a number.", 'Write within = "1 %", or 0.01.')
    return float(share)


def _line(text: str, key: str, index: int) -> int:
    """Return the line of a key in the claim with this index (from 0), or of the header of that claim."""
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*claim\s*\]\]", line)]
    start = headers[index] if index < len(headers) else 1
    if key == "[[claim]]":
        return start
    of_claim = range(start, headers[index + 1] if index + 1 < len(headers) else len(lines) + 1)
    anywhere = range(1, len(lines) + 1)
    for numbers in (of_claim, anywhere):
        for number in numbers:
            if re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", lines[number - 1]):
                return number
    return start

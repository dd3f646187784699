"""The house rules as functions from source text to a list of complaints, so that each can be shown to fail."""

import ast
import re
import tokenize
from collections.abc import Iterator
from io import StringIO

LONGEST_FILE = 449
SMALLEST_LITERAL = 0.1  # a smaller nonzero number beside a < or > is a tolerance
TOLERANCE_KEYWORDS = {"atol", "rtol", "abs_tol", "rel_tol", "tol", "tolerance"}
NUMBER_MAKERS = {"mpf", "Decimal", "Fraction", "Rational", "Float", "arb"}
INVERSE_TRIGONOMETRY = {"arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan", "atan2", "owens_t"}
PARSES_TEXT = {"S", "sympify", "parse_expr", "lambdify"}
RUNS_TEXT = {"eval", "exec", "__import__", "import_module"}
MACHINE = re.compile(
    r"(?<![\w.~])/(?:home|root|Users|work|mnt|opt)/\w"  # an absolute path of somebody's machine
    r"|--(?:extra-)?index-url[ =]\S|https?://(?:[\w.]*\.)?(?:pypi|pythonhosted|npmjs)\."
)
RELAPSE = re.compile(  # phrases that usually hide the noun; a flow does come to rest
    r"\b(?:com(?:e|es|ing)|came) to (?!rest\b)|\bputs? right\b|\bis left of\b|\bwhat there is\b|\bfrom when on\b",
    re.IGNORECASE,
)


def too_long(source: str) -> list[str]:
    """A file is one room: at most 449 lines."""
    lines = source.count("\n")
    return [f"{lines} lines: divide the file"] if lines > LONGEST_FILE else []


def speaks_of_a_machine(source: str) -> list[str]:
    """Absolute paths and hosts of package registries belong to one machine."""
    return [f"line {n}: {line.strip()[:80]}" for n, line in enumerate(source.splitlines(), 1) if MACHINE.search(line)]


def undocumented(source: str) -> list[str]:
    """A module that says anything has a docstring, and so has each public function and class in it."""
    tree = ast.parse(source)
    found = [] if not tree.body or ast.get_docstring(tree) else ["the module has no docstring"]
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            found += _without(node)
    return found


def unplain(source: str) -> list[str]:
    """Docstrings begin with a noun or a verb, not with "What"; texts and comments avoid the phrases of RELAPSE."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    found = [
        f"line {node.body[0].lineno}: {text[:60]}"
        for node in nodes
        if (text := ast.get_docstring(node) or "").startswith("What ")
    ]
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            found += [f"line {token.start[0]}: {phrase}" for phrase in unplain_words(token.string)]
    return found


def unplain_words(text: str) -> list[str]:
    """The phrases of RELAPSE in a text, also where lines break in them."""
    return [match[0].strip() for match in RELAPSE.finditer(" ".join(text.split()))]


def _without(node: ast.ClassDef | ast.FunctionDef) -> Iterator[str]:
    if not ast.get_docstring(node):
        yield f"line {node.lineno}: {node.name} has no docstring"


def imported(source: str) -> set[str]:
    """Every module that `source` names in an import, function bodies included."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imports_any(source: str, packages: set[str]) -> list[str]:
    """Imports of `packages` or of anything in them."""
    return sorted(name for name in imported(source) if name.split(".")[0] in packages)


def knows_the_answer(source: str) -> list[str]:
    """The simulator has no closed form: no inverse trigonometric function and no Owen's T, and nothing runs text."""
    found = []
    for node in ast.walk(ast.parse(source)):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        imports = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
        for word in ({name} | imports) & (INVERSE_TRIGONOMETRY | RUNS_TEXT):
            found.append(f"line {node.lineno}: {word}")
    return sorted(found)


def parses_text(source: str) -> list[str]:
    """SymPy evaluates what text says; text goes through theory.expressions.language.parse."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = [(node.lineno, getattr(node.func, "attr", getattr(node.func, "id", ""))) for node in calls]
    return [f"line {line}: {name}(" for line, name in sorted(names) if name in PARSES_TEXT]


def bare_tolerances(source: str) -> list[str]:
    """Comparisons by < or > with a small number that has no name, and tolerances passed as numbers."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
            sides = [node.left, *node.comparators] if ordered else []
            found += [_says(side, "compared with") for side in sides if _has_small_number(side)]
        elif isinstance(node, ast.keyword) and node.arg in TOLERANCE_KEYWORDS and _has_small_number(node.value):
            found.append(_says(node.value, f"{node.arg} ="))
    return sorted(found)


def _says(node: ast.expr, what: str) -> str:
    return f"line {node.lineno}: {what} {ast.unparse(node)}; name it in tests/tolerances.py and derive it there"


def _has_small_number(node: ast.expr) -> bool:
    """Whether a nonzero literal below SMALLEST_LITERAL is a factor, term or power in `node`."""
    match node:
        case ast.Constant(value=float() as number):
            return 0 < abs(number) < SMALLEST_LITERAL
        case ast.UnaryOp(operand=operand):
            return _has_small_number(operand)
        case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp(op=ast.USub(), operand=ast.Constant())):
            return True
        case ast.BinOp(left=left, right=right):
            return _has_small_number(left) or _has_small_number(right)
        case ast.Call(func=function, args=[argument, *_]):
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            return name in NUMBER_MAKERS and (_has_small_number(argument) or _is_small_text(argument))
    return False


def _is_small_text(node: ast.expr) -> bool:
    try:
        return isinstance(node, ast.Constant) and 0 < abs(float(node.value)) < SMALLEST_LITERAL
    except (TypeError, ValueError):
        return False


def underived_tolerances(source: str) -> list[str]:
    """In tests/tolerances.py a comment right above each name, or above a group of lines with it, derives its value."""
    lines = source.splitlines()
    derived, found = set(), []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        above = node.lineno - 1
        if lines[above - 1].lstrip().startswith("#") or above in derived:
            derived.add(node.end_lineno)
        else:
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            found.append(f"line {node.lineno}: {name} has no derivation in a comment above it")
    return found

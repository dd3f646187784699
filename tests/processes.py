"""The modules that the processes of Python load which a module starts, read from its source.

Each of these names what it runs: `[sys.executable, "-m", "derivations", ...]`. For other processes `_LOADED` has the
modules, or folders, by hand; those that are neither may load anything.
"""

import ast
from collections.abc import Iterator

_STARTING = {"subprocess", "runpy"}
_FUNCTIONS = {"run", "Popen", "call", "check_call", "check_output"}
_HARMLESS = {"PIPE", "DEVNULL", "STDOUT", "CompletedProcess", "CalledProcessError", "TimeoutExpired"}
# For programs that tests or the explorer write: what they import, at any distance, counts too.
_ANSWERS = ("derivations.answers.check", "derivations.answers.compare", "derivations.answers.moment")
_EXPLORED = ("theory/", "sim/", "derivations/explore/", *_ANSWERS)
_SWEPT = ("theory/", "sim/", "derivations/sweeps/", "derivations.__main__")
# What other programs load: those that modules pass by `-c` or write to a file. Other files of the tree that they read
# are named in the module that starts them.
_LOADED = {
    "derivations.benchmarks.threads": ("derivations.__main__",),
    "derivations.sweeps.launch.slurm": (),
    "tests.derivations.test_timeout": ("theory/", "sim/", "derivations/"),
    "tests.derivations.sweeps.cases": _SWEPT,
    "tests.derivations.sweeps.test_store": _SWEPT,
    "tests.derivations.sweeps.test_slurm": ("derivations.__main__", "derivations.sweeps.launch.slurm"),
    "tests.derivations.sweeps.cluster": (),
    "tests.derivations.explore.test_amplifier": _EXPLORED,
    "tests.derivations.explore.test_copied": _EXPLORED,
    "tests.derivations.explore.test_fields_page": _EXPLORED,
    "tests.derivations.commands.test_own_law": _EXPLORED,
    "tests.derivations.commands.test_explore": ("derivations.explore.server",),
    "tests.derivations.commands.test_moment": ("derivations.cli",),
    "tests.derivations.commands.test_solve": ("derivations.cli",),
    "tests.derivations.commands.test_sweep": ("derivations.__main__",),
    "tests.derivations.commands.test_sweep_engines": ("derivations.__main__",),
    "tests.derivations.validate.test_workers": ("derivations.__main__",),
    "tests.sim.training.for_cuda": (),  # ptxas
    "tests.sim.test_memory": ("sim.memory",),
    "tests.sim.training.test_state": ("theory/", "sim/"),
    "tests.sim.test_threads": ("sim.training.backends.ahead", "sim.training.backends.compiling", "sim.random.philox"),
    "tests.theory.gaussian.test_text": ("theory.gaussian",),
    "tests.theory.gaussian.export.test_ground_types": ("tests.theory.gaussian.export.test_ground_types",),
}


def loaded(module: str, source: str) -> set[str] | None:
    """Return the modules that processes load which the module starts, or None where they may load anything.

    A name that ends with a slash is a folder with all its files.

    >>> loaded("x", "import subprocess, sys\\nsubprocess.run([sys.executable, '-m', 'derivations'])")
    {'derivations', 'derivations.__main__'}
    >>> loaded("x", "import subprocess, sys\\nsubprocess.run([sys.executable, path])") is None
    True
    """
    if not any(name in source for name in _STARTING):
        return set()
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    plain = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names if not alias.asname}
    others = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names if alias.asname}
    others |= {node.module for node in imports if isinstance(node, ast.ImportFrom)}
    if not (plain | others) & _STARTING:
        return set()
    if module in _LOADED:
        return set(_LOADED[module])
    if "runpy" in plain or others & _STARTING:
        return None
    found: set[str] = set()
    for command in _commands(tree):
        name = _run_by_name(command)
        if name is None:
            return None
        found |= {name, f"{name}.__main__"}
    return found


def _commands(tree: ast.Module) -> Iterator[ast.expr | None]:
    """Yield what each use of `subprocess` runs: every value of the name that it runs; None for what is not known."""
    values: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        values.setdefault(name.id, []).append(node.value if name is target else None)
        elif isinstance(node, ast.arg):  # whatever is passed
            values.setdefault(node.arg, []).append(None)
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="subprocess"), attr=function) if function in _FUNCTIONS:
                call = called.get(id(node))
                match call and call.args and call.args[0]:
                    case ast.Name(id=name):
                        yield from values.get(name, [None])
                    case other:
                        yield other or None
            case ast.Attribute(value=ast.Name(id="subprocess"), attr=function) if function not in _HARMLESS:
                yield None


def _run_by_name(command: ast.expr | None) -> str | None:
    """Return the module that a list of words runs by `-m`; None for other commands."""
    match command:
        case ast.List(elts=[program, ast.Constant(value="-m"), ast.Constant(value=str(name)), *_]):
            return name if ast.unparse(program) == "sys.executable" else None
    return None

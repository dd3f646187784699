"""Small adaptive sweeps, whose cells train in milliseconds."""

from tests.derivations.sweeps.cases import TEXT, sweep_of

_AXES = TEXT[TEXT.index("[axes]") : TEXT.index("[base.data]")]
_COMMON = 'time = 2.0\nconfidence = 0.5\nobservable = "participation-ratio"\nunit = "mean"\n'
_FINEST = '"data.gain" = { geomspace = [0.1, 10, 17] }\n'
_CHANGE = f'[refine]\nwhere = "change"\nstep = 0.005\nmost_cells = 60\n{_COMMON}[refine.finest]\n{_FINEST}'
LINE = TEXT.replace(_AXES, f'[axes]\n"data.gain" = [0.1, 1, 10]\n{_CHANGE}')
LINE_WHOLE = TEXT.replace(_AXES, f"[axes]\n{_FINEST}")  # the plain sweep of the finest grid
MAP = TEXT.replace(
    _AXES,
    '[axes]\n"data.gain" = [0.1, 10]\n"data.xi.0" = [0.3, 0.5]\n'
    + _CHANGE.replace("17", "5")
    + '"data.xi.0" = [0.3, 0.35, 0.5]\n',
)
TEXTS = {"line": LINE, "map": MAP}


def adaptive(name):
    """The sweep of a name in TEXTS."""
    return sweep_of(TEXTS[name])

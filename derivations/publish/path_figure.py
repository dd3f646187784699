"""The figure of a network of eight paths: those that are active on either of two inputs, and on both."""

from pathlib import Path

from derivations.experiments.model import Data

CAPTION = (
    "The ReLU network of the example on two inputs. Filled nodes are open; coloured lines are the weights of active "
    r"paths. On $x$ and on $x'$ four of the eight paths are active. Two are active on both, one from each input node: "
    r"the overlap $\Lambda(x, x')$ is 1."
)
INPUTS = ((2, 1), (1, 2))
WEIGHTS = (((1, 1), (1, -1)), ((1, 1), (1, -4)), ((2, -1),))
_TITLES = (r"$x = (2, 1)$", r"$x' = (1, 2)$", "active on both")


def data() -> Data:
    """Return for each panel the open nodes of every level, the weights of its active paths, and all weights."""
    from theory.paths import active_paths, output_over_paths, relu_network

    net = relu_network(INPUTS, WEIGHTS, at_zero=0)
    active = [set(active_paths(net, number)) for number in range(2)]
    both = active[0] & active[1]
    panels: Data = {}
    for number, (title, paths) in enumerate(zip(_TITLES, (*active, both), strict=True)):
        steps = sorted({(level, path[level], (*path, 0)[level + 1]) for path in paths for level in range(3)})
        gates = [[int(g) for g in level] for level in (net.gates(number) if number < 2 else net.gates(0))]
        if number == 2:
            gates = [[a * int(b) for a, b in zip(*pair, strict=True)] for pair in zip(gates, net.gates(1), strict=True)]
        panels[title] = {
            "paths": len(paths),
            "output": int(output_over_paths(net, number)) if number < 2 else 0,
            "open": gates,
            "steps": [list(step) for step in steps],
        }
    return panels


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, a network for each panel: inputs at the left, the output at the right."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, ORANGE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 2.6), squeeze=False)
        for axis, (title, panel), colour in zip(axes[0], panels.items(), (BLUE, ORANGE, GREEN), strict=True):
            _network(axis, panel, colour)
            output = "" if title == _TITLES[2] else rf", $\hat{{y}} = {panel['output']}$"
            axis.set_title(f"{title}: {panel['paths']} {'active ' if output else ''}paths{output}")
        plots.save(figure, path, mark)


def _network(axis, panel: Data, colour: str) -> None:
    rows = {level: (1.0, -1.0) for level in range(3)} | {3: (0.0,)}
    active = {tuple(step) for step in panel["steps"]}
    for level, layer in enumerate(WEIGHTS):
        for target, weights in enumerate(layer):
            for source, weight in enumerate(weights):
                on = (level, source, target) in active
                ends = (rows[level][source], rows[level + 1][target])
                style = {"color": colour, "lw": 2.2} if on else {"color": "0.8", "lw": 1.0}
                axis.plot((level, level + 1), ends, zorder=1, **style)
                # A third of the way, so that the numbers of crossing lines do not meet.
                at = 1 / 3
                place = (level + at, ends[0] + at * (ends[1] - ends[0]))
                axis.annotate(
                    str(weight).replace("-", "\N{MINUS SIGN}"),
                    place,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color=colour if on else "0.55",
                    bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"},
                    zorder=2,
                )
    for level, heights in rows.items():
        for node, height in enumerate(heights):
            gate = panel["open"][level - 1][node] if level in (1, 2) else 1
            axis.scatter(level, height, s=170, zorder=3, color=colour if gate else "white", edgecolors="0.3")
    names = [(0, 1.0, "$x_1$"), (0, -1.0, "$x_2$"), (3, 0.0, r"$\hat{y}$")]
    for level, height, name in names:
        axis.annotate(name, (level + (-0.32 if level == 0 else 0.32), height), ha="center", va="center")
    axis.set(xlim=(-0.55, 3.55), ylim=(-1.45, 1.45))
    axis.axis("off")

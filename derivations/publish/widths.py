"""Widths of formulas in TeX, in characters. Nothing here loads SymPy: the explorer would wait for it at its start."""

import re


def width(tex: str) -> int:
    """Estimate the width of TeX in characters: the wider half of a fraction, a command as one character."""
    while (found := re.search(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", tex)) is not None:
        tex = tex[: found.start()] + max(found[1], found[2], key=width) + tex[found.end() :]
        if "frac" not in tex:
            break
    tex = re.sub(r"\\(?:left|right|operatorname|text|mathbf|mathbb|displaystyle)\b", "", tex)
    return len(re.sub(r"\\[A-Za-z]+", "x", re.sub(r"[\s{}^_&]|\\[,!; ]", "", tex)))


def widest(tex: str) -> int:
    """Return the width of the widest line of a display formula, as `width` counts it."""
    return max(width(line) for line in re.split(r" \\\\ |\\(?:begin|end)\{aligned\}", tex))

"""TeX as MathML, by latex2mathml, with the spacing that browsers leave out."""

import re
from functools import lru_cache

# A minus after a relation, an arrow, a comma or an opening bracket is a sign; browsers space it as one if told so.
_SIGN = re.compile(
    r"((?:&#x0003D;|&#x0002C;|&#x00028;|&#x0007B;|&#x02208;|&#x02264;|&#x02192;|&#x0003C;|&#x0003E;)</mo>)<mo>(?=&#x02212;)"
)
# An operator or function before its argument without brackets, from which browsers do not keep it apart.
_OPERATOR = re.compile(
    r"(\\(?:arcsin|arctan|arccos|log|ln|sin|cos)\b|\\text\{[A-Za-z]{2,}\}|\\mathrm\{E\})\s*"
    r"(?=[A-Za-z0-9]|\\(?!left|right|big|Big|in\b|leq|geq|to\b|cdot|quad)[A-Za-z])"
)


@lru_cache(maxsize=16384)
def mathml(tex: str, display: bool = False) -> str:
    """TeX as MathML. Raises ValueError for an unknown command, which would otherwise be shown as text."""
    from latex2mathml.converter import convert

    known = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{align*}", tex)
    known = re.sub(r"\\(?:operatorname|mathrm)\{([A-Za-z]{2,})\}", r"\\text{\1}", known)
    known = known.replace(r"\lvert", r"\left\vert").replace(r"\rvert", r"\right\vert")  # bars set close
    known = known.replace(r"\mathbf{1}", "𝟏")  # browsers draw bold by the letter, not by an attribute
    known = re.sub(r"(?<=[\w})\]])\s*(?=\\(?:arcsin|arctan|arccos|log|text)\b)", r"\\, ", known)
    known = _OPERATOR.sub(r"\1\\, ", known)
    try:
        markup = convert(known, display="block" if display else "inline")
    except _faults() as error:
        raise ValueError(f"{type(error).__name__} in {tex}") from error
    unknown = re.search(r"\\[A-Za-z]+", markup)
    if unknown or ">&<" in markup:
        raise ValueError(f"{unknown[0] if unknown else 'an alignment mark'} is not known in {tex}")
    # Browsers ignore columnalign and follow the style.
    markup = re.sub(r'columnalign="(left|right|center)"', r'style="text-align: \1"', markup)
    markup = re.sub(r'(form="(?:prefix|postfix)")', r'\1 lspace="0em" rspace="0em"', markup)
    markup = markup.replace("<mi>&#x000B1;</mi>", "<mo>&#x000B1;</mo>")  # an operator keeps its distance
    markup = _SIGN.sub(r'\1<mo form="prefix">', markup)
    markup = markup.replace("<mo>&#x0221E;</mo>", "<mi>&#x0221E;</mi>")
    return markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


@lru_cache(maxsize=1)
def _faults() -> tuple[type[Exception], ...]:
    """The errors that the converter raises for TeX that it cannot read."""
    from latex2mathml import exceptions

    return tuple(item for item in vars(exceptions).values() if isinstance(item, type) and issubclass(item, Exception))

"""The font of formulas on pages: Latin Modern Math 1.959, all glyphs, under the GUST font licence beside it.

`latinmodern-math.woff2` is `latinmodern-math.otf` of the Debian package fonts-lmodern 2.005-1, compressed by fontTools:
`TTFont(path, recalcTimestamp=False)` with `flavor = "woff2"`. `SHA256SUMS` has its digest.
"""

from pathlib import Path

FAMILY = "Latin Modern Math"
FILE = Path(__file__).with_name("latinmodern-math.woff2")
LICENCE = Path(__file__).with_name("GUST-FONT-LICENSE.txt")

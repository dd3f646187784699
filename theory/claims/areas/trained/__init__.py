"""Sentences of the papers on trained networks that no claim decides, each with the reason."""

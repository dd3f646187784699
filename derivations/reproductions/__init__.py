"""The experiments that the sources print, repeated from registered definitions, with a verdict on each.

    sources/<name>.py     one experiment: REPRODUCTION, discovered; the next one is one more file here
    results/<name>.json   the stored result of its full profile, from which the scoreboard is made

`model` has the types, `rules` the verdicts, `catalog` the discovery, `running` the cells and their store, `stored` the
results, `scoreboard` the page; experiments share `networks`, `convolutional`, `expansions` and `weights`.
`python -m derivations.reproductions.stored NAME` runs and stores a full profile, and with `--theory` the theory alone.
"""

"""The experiments that the sources print, repeated from registered definitions, with a verdict on each.

    sources/<name>.py     one experiment: REPRODUCTION, discovered; the next one is one more file here
    results/<name>.json   the stored result of its full profile, from which the scoreboard is made

They have a room of their own beside `derivations.experiments`, whose members judge claims of the ledger and have no
targets, profiles or stored results.

`model` has the types, `rules` the verdicts, `catalog` the discovery, `running` the cells and their store, `training`
the checkpoints within a cell, `stored` the results, `scoreboard` and `scoreboard_page` the page; experiments share
`networks`, `convolutional`, `expansions` and `weights`.
`python -m derivations.reproductions.stored NAME` runs and stores a full profile, and with `--theory` the theory alone.
"""

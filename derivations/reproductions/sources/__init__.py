"""The experiments of the sources: a file for each, discovered by `derivations.reproductions.catalog`."""

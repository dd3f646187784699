"""The marimo files, one a view; `derivations.explore.shell.server` serves them and nothing imports them."""

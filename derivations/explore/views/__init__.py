"""The marimo files, one a view; `derivations.explore.server` serves them and nothing imports them."""

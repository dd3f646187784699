"""The command `gdln`, also as `python -m derivations`: limits its threads, then loads what the verb needs."""

import sys

from derivations.threads import limit


def main() -> int:
    """Run `gdln` on the command line's words; returns its exit code."""
    limit(sys.argv[1:])
    from derivations.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())

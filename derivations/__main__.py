"""The command `gdln`, also as `python -m derivations`: limits its threads, then loads what the verb needs."""

import sys

from derivations.threads import limit
from derivations.timeout import asked, supervised


def main() -> int:
    """Run `gdln` on the command line's words; returns its exit code."""
    limit(sys.argv[1:])

    def run() -> int:
        from derivations.cli import main as run_command

        return run_command()

    seconds = asked(sys.argv[1:])
    return run() if seconds is None else supervised(run, seconds, "--json" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())

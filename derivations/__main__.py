"""The command `gdln`, also as `python -m derivations`: it limits its threads and loads the modules of the verb."""

import gc
import sys

from derivations.garbage import GARBAGE
from derivations.threads import limit
from derivations.timeout import limit_in, supervised


def main() -> int:
    """Run `gdln` with the arguments of the command line; return its exit code."""
    limit(sys.argv[1:])
    gc.set_threshold(*GARBAGE)

    def run() -> int:
        from derivations.cli import main as run_command

        return run_command()

    seconds = limit_in(sys.argv[1:])
    try:
        return run() if seconds is None else supervised(run, seconds, "--json" in sys.argv)
    finally:
        # The interpreter collects garbage as it ends. With torch loaded this takes half a second and frees memory that
        # the system frees in any case. Frozen objects are not visited.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())

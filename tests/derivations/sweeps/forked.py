"""`gdln` in a process forked from one that has loaded the libraries: it begins at once, and so do its workers."""

import io
import multiprocessing
import os
import resource
import signal
import sys
import time
from multiprocessing.connection import Connection, wait

from derivations import processes
from derivations.output import INTERRUPTED
from derivations.sweeps.engines import local

PIPES = (1, 2)  # stdout and stderr


class Forked:
    """`gdln` with these words, in a session of its own, as under a shell; no file grows beyond `largest` bytes.

    Its workers are forked from it and not from a server, so that they inherit what a command's processes do: its
    session, its limits and its pipes.
    """

    def __init__(self, *words: object, largest: int = resource.RLIM_INFINITY) -> None:
        multiprocessing.set_forkserver_preload([*local.MODULES, "derivations.cli"])
        context = multiprocessing.get_context("forkserver")
        pipes = [context.Pipe(duplex=False) for _ in PIPES]
        theirs = [pipe for _, pipe in pipes]
        self._process = context.Process(target=_command, args=([*map(str, words)], theirs, largest))
        self._process.start()
        for pipe in theirs:
            pipe.close()
        self._pipes = [pipe for pipe, _ in pipes]
        self.kill, self.terminate = self._process.kill, self._process.terminate

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative after a signal; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code, or None."""
        return self.returncode

    def communicate(self, timeout: float = 60) -> tuple[bytes, bytes]:
        """Return what is on stdout and stderr, once the command and all of its workers have closed them.

        Raises:
            TimeoutError: If one of them is still open after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        said = {pipe: b"" for pipe in self._pipes}
        while waiting := [pipe for pipe in self._pipes if not pipe.closed]:
            ready = wait(waiting, max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the command is still running after {timeout:g} s; so far: {[*said.values()]}")
            for pipe in ready:
                part = os.read(pipe.fileno(), 1 << 16)
                said[pipe] += part
                if not part:
                    pipe.close()
        self._process.join()
        out, err = said.values()
        return out, err


def _command(words: list[str], pipes: list[Connection], largest: int) -> None:
    """Be the command: its session, its pipes, interrupts as a shell leaves them, and its main program."""
    from derivations.__main__ import main

    os.setsid()
    for pipe, handle in zip(pipes, PIPES, strict=True):
        os.dup2(pipe.fileno(), handle)
        pipe.close()
    # The streams of the server know whether what stood here before was a file.
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(handle, "w", closefd=False)) for handle in PIPES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    # A worker of the server is ended by a termination; the command takes one for an interrupt.
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    processes._start_method = lambda _modules: "fork"
    sys.argv = ["gdln", *words]
    try:  # an interrupt that came meanwhile, or comes before the main program listens, is one like any other
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        code = main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)

"""The `gdln` command: finds the verbs in `derivations.commands` (one file for each verb) and registers them."""

import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import typer

import derivations.commands as commands  # not from derivations: it finds modules in this package alone
from derivations.output import BAD_INPUT, DISTRIBUTION, INTERRUPTED, reader_left, report_error

_MINUS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
_HELP_NAMES = {"help_option_names": ["-h", "--help"]}
HELP = "A theory workbench for gated (deep linear) networks: derive, certify, simulate, judge."
USES = """\
Generate derivations: closed forms of Gaussian averages, with every step; the book of all derivations is gdln derive
  gdln moment 'Heaviside(z1)*erf(g*z2)' --cov '[[1,r],[r,1]]' --where 'g>0, -1<r<1'

Validate closed forms against simulation: derive, certify, train networks, compare, report
  gdln validate

Explore localization data in the browser; gdln new NAME writes a problem file to put your own data into
  gdln explore"""


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"gdln {version(DISTRIBUTION)}")
        raise typer.Exit


def build() -> typer.Typer:
    """The application with every verb; a verb is a module with a function `command` named like the module."""
    app = typer.Typer(help=HELP, context_settings=_HELP_NAMES, pretty_exceptions_enable=False, rich_markup_mode=None)

    @app.callback(invoke_without_command=True)
    def options(
        context: typer.Context,
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
    ) -> None:
        del version  # its callback has answered before any verb
        if context.invoked_subcommand is None:
            verbs = context.make_formatter()
            context.command.format_commands(context, verbs)
            print(f"{HELP}\n\n{USES}\n\n{verbs.getvalue()}\nOptions of a verb: gdln VERB --help")
            raise typer.Exit

    for module in pkgutil.iter_modules(commands.__path__):
        verb = import_module(f"{commands.__name__}.{module.name}")
        # Where an argument may begin with a minus, -hermite(2, z1) must not be read as -h; `main` replaces a lone -h.
        settings = _MINUS if verb.MAY_BEGIN_WITH_MINUS else _HELP_NAMES
        app.command(name=module.name, cls=commands.Verb, context_settings=settings)(verb.command)
    return app


def main(arguments: list[str] | None = None) -> int:
    """Run `gdln` and return its exit code, as documented. An internal error shows its traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in words
    if sys.stdout is None:  # started with stdout closed, so that nothing can be printed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it stays open as stdout does
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a Greek letter must not stop a terminal without one
    try:
        with _ended_like_interrupted():
            asked = ["--help" if word == "-h" else word for word in words]
            code = build()(args=asked, prog_name="gdln", standalone_mode=False) or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return reader_left()
    except OSError as error:  # stdout itself cannot be written: a full device
        print(f"gdln: the answer could not be written: {error.strerror}.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return report_error("interrupted", "Interrupted.", "", INTERRUPTED, as_json)
    except Exception as error:
        usage = getattr(error, "format_message", None)  # an error of typer on the arguments
        if usage is None:
            raise
        return report_error("usage", usage(), _where_to_look(error), BAD_INPUT, as_json)


@contextmanager
def _ended_like_interrupted() -> Iterator[None]:
    """SIGTERM, by which schedulers end a job, and SIGHUP, by which a terminal does, clean up as Ctrl-C does.

    A SIGHUP that is ignored, as under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _where_to_look(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"See {context.command_path if context else 'gdln'} --help."


if __name__ == "__main__":
    sys.exit(main())

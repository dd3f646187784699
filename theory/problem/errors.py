"""The two kinds of error a user can cause, bad input and a sound question out of reach; the origin of an error."""


class WorkbenchError(ValueError):
    """An error with a message (what is wrong and why) and a remedy (`hint`).

    `kind` is a short stable word for programs; `exit_code` is the exit code of a command that raises it.

    >>> error = WorkbenchError("gain = -1 must be > 0.", "Give a positive gain.")
    >>> str(error), error.hint, error.exit_code
    ('gain = -1 must be > 0. Give a positive gain.', 'Give a positive gain.', 2)
    """

    exit_code = 2
    default_kind = "input"

    def __init__(self, message: str, hint: str = "", kind: str | None = None) -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint
        self.kind = kind or self.default_kind


class InputError(WorkbenchError):
    """The user's input is not a valid question.

    >>> from theory.problem import SiteGate
    >>> SiteGate(20, lo=1, hi=0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: gate at site 20: lo = 1 is not below hi = 0, so it would never open. ...
    """


class OutOfReachError(WorkbenchError):
    """The question is valid, but the workbench cannot answer it (a missing method, device or data set).

    >>> OutOfReachError("There is no closed form for this gate.").exit_code, InputError("gain = -1").exit_code
    (4, 2)
    """

    exit_code = 4
    default_kind = "out-of-reach"


def origin(error: BaseException) -> BaseException:
    """Return the exception that compiled code has wrapped in a SystemError, or in several, one in the other.

    Interrupts and time limits that strike within a callback of compiled code arrive so.

    >>> inner, outer = SystemError("inner"), SystemError("outer")
    >>> inner.__cause__, outer.__cause__ = KeyboardInterrupt(), inner
    >>> origin(outer)
    KeyboardInterrupt()
    """
    while isinstance(error, SystemError) and (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error

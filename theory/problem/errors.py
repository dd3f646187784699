"""The two kinds of error a user can cause: bad input, and a sound question that is out of reach."""


class WorkbenchError(ValueError):
    """An error that says what is wrong and why (`message`) and what to do (`hint`).

    `kind` is a short stable word for programs; `exit_code` is what a command returns.
    """

    exit_code = 2
    default_kind = "input"

    def __init__(self, message: str, hint: str = "", kind: str | None = None) -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint
        self.kind = kind or self.default_kind


class InputError(WorkbenchError):
    """The user's input is not a valid question."""


class OutOfReachError(WorkbenchError):
    """The question is valid, but the workbench cannot answer it (a missing method, device or data set)."""

    exit_code = 4
    default_kind = "out-of-reach"

"""The check of a sweep's cells before any of them runs."""

from dataclasses import replace

from theory.problem import Cell, InputError, Sweep

_LISTED = 10


def check(sweep: Sweep) -> tuple[Cell, ...]:
    """Return the sweep's cells; cells whose times are no whole number of steps count as invalid too.

    Raises InputError as `refuse_invalid` does.
    """
    checked = tuple(timed(cell)[0] for cell in sweep.cells)
    refuse_invalid(sweep, [cell for cell in checked if cell.problem is None], len(checked))
    return checked


def timed(cell: Cell) -> tuple[Cell, int]:
    """Return a cell and its steps; the cell counts as invalid where its times are no whole number of steps."""
    from sim.training.times import steps_at_times

    if cell.problem is None:
        return cell, 0
    try:
        return cell, steps_at_times(cell.problem)[-1]
    except InputError as error:
        return replace(cell, problem=None, error=error), 0


def refuse_invalid(sweep: Sweep, invalid: list[Cell], count: int) -> None:
    """Raise InputError where cells are invalid and the sweep does not leave them out, or where none is valid."""
    if not invalid or (sweep.invalid != "refuse" and len(invalid) < count):
        return
    if count == 1:
        raise invalid[0].error
    lines = [f"\n  {cell.label}: {cell.error.message}" for cell in invalid[:_LISTED]]
    more = f"\n  and {len(invalid) - _LISTED} more" if len(invalid) > _LISTED else ""
    leave = "" if len(invalid) == count else ' Or write invalid = "leave-out" to run the others.'
    raise InputError(
        f"{len(invalid)} of {count} cells are no valid problem:{''.join(lines)}{more}",
        f"{invalid[0].error.hint}{leave}",
    )

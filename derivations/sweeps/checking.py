"""The check of a sweep's cells before any of them runs."""

from theory.problem import Cell, InputError, Sweep

_LISTED = 10


def check(sweep: Sweep) -> tuple[Cell, ...]:
    """Return the sweep's cells; cells whose times are no whole number of steps count as invalid too.

    Raises InputError where some are invalid and the sweep does not leave them out, or where none is valid.
    """
    from sim.training.times import steps_at_times

    checked = []
    for cell in sweep.cells:
        error = cell.error
        if cell.problem is not None:
            try:
                steps_at_times(cell.problem)
            except InputError as wrong:
                error = wrong
        checked.append(cell if error is None else Cell(cell.index, cell.values, None, error))
    invalid = [cell for cell in checked if cell.problem is None]
    if invalid and (sweep.invalid == "refuse" or len(invalid) == len(checked)):
        if len(checked) == 1:
            raise invalid[0].error
        lines = [f"\n  {cell.label}: {cell.error.message}" for cell in invalid[:_LISTED]]
        more = f"\n  and {len(invalid) - _LISTED} more" if len(invalid) > _LISTED else ""
        leave = "" if len(invalid) == len(checked) else ' Or write invalid = "leave-out" to run the others.'
        raise InputError(
            f"{len(invalid)} of {len(checked)} cells are no valid problem:{''.join(lines)}{more}",
            f"{invalid[0].error.hint}{leave}",
        )
    return tuple(checked)

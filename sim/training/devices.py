"""Where, as far as it is known without torch: the kind of device."""

from pathlib import Path

# The drivers of NVIDIA, of Windows' subsystem and of AMD make these; without one, torch finds no such device.
_DRIVERS = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd", "/proc/driver/nvidia")


def device_type(name: str) -> str:
    """Return "cpu" or "cuda" as `schedule.device_named` does; torch is loaded only where there may be another device.

    Raises InputError for another name, OutOfReachError for cuda where there is none.

    >>> device_type("cpu")
    'cpu'
    """
    if name == "cpu" or (name == "auto" and not any(Path(driver).exists() for driver in _DRIVERS)):
        return "cpu"
    from sim.training.schedule import device_named

    return device_named(name).type

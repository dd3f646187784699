"""A device beside the processor without one: its tensors compute on the processor, and its rules are those of a GPU.

A tensor of the device, an `Away`, says that it lies on "meta" and holds its numbers in a tensor of the processor. While
`Emulated` is active, an operation on such tensors and others is an error, as on a GPU. What makes the processor wait
for a GPU is listed in `waits`: numbers that are read, shapes that depend on numbers, copies from and to the processor.
Results are those of the processor bit for bit, so that a run on this device must agree with one on the processor.
"""

from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten

aten = torch.ops.aten
NAME = "meta"
HOST = "cpu"
# A number of the device, or a shape that depends on its numbers, which the processor has to know.
_READ = (aten._local_scalar_dense, aten.equal, aten.nonzero, aten.masked_select, aten.is_nonzero)
_COPIES = (aten._to_copy, aten.copy_)
_INDEXING = (aten.index, aten.index_put, aten.index_put_)


class Away(torch.Tensor):
    """A tensor of the device; only `Emulated` computes with it."""

    @staticmethod
    def __new__(cls, held):
        own = {"strides": held.stride(), "storage_offset": held.storage_offset(), "dtype": held.dtype}
        made = torch.Tensor._make_wrapper_subclass(cls, held.shape, device=NAME, **own)
        made.held = held
        return made

    def tolist(self):
        return self.to(HOST).tolist()

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise AssertionError(f"{func} on a tensor of the emulated device, which is not active here")


class Emulated(TorchDispatchMode):
    """The device while it is active."""

    def __init__(self):
        super().__init__()
        self.waits, self.operations = [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        given, form = tree_flatten((args, kwargs))
        tensors = [each for each in given if isinstance(each, torch.Tensor)]
        away = [each for each in tensors if isinstance(each, Away)]
        packet = func.overloadpacket
        if any(each.device.type == NAME and not isinstance(each, Away) for each in tensors):
            raise AssertionError(f"{func} on a tensor made on the device from a number of the processor: a copy to it.")
        if away and len(away) < len(tensors) and packet not in _COPIES:
            raise AssertionError(f"{func} on tensors of two devices: {[str(each.device) for each in tensors]}.")
        wanted = kwargs.get("device")
        goes = away != [] if wanted is None else torch.device(wanted).type == NAME
        if away or goes:
            self.operations += 1
            self._note(packet, args, tensors, away, goes)
        if wanted is not None:
            given, form = tree_flatten((args, {**kwargs, "device": torch.device(HOST)}))
        held = [each.held if isinstance(each, Away) else each for each in given]
        plain_args, plain_kwargs = tree_unflatten(held, form)
        if packet is aten._fused_adam_ and away:
            plain_args = _network_by_network(*plain_args)
        found = func(*plain_args, **plain_kwargs)
        known = {id(own): each for own, each in zip(held, given, strict=True) if isinstance(each, torch.Tensor)}
        if packet is aten.copy_:
            return args[0]

        def placed(result):
            return known[id(result)] if id(result) in known else Away(result) if goes else result

        return tree_map_only(torch.Tensor, placed, found)

    def _note(self, packet, args, tensors, away, goes):
        """List what makes the processor wait."""
        masks = packet in _INDEXING and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        )
        # A single number goes through a mask without one: masked_fill.
        filled = packet is not aten.index and masks and args[2].numel() == 1
        between = packet in _COPIES and (len(away) < len(tensors) or not goes)
        if (packet in _READ and away) or (masks and not filled) or between:
            self.waits.append(str(packet))


def _network_by_network(*lists):
    """Return the lists of the fused step, the last that of the numbers of steps, with an entry for each network.

    A GPU computes number by number. The processor would round the last numbers of longer entries differently.
    """
    *views, steps = lists
    counts = [len(theta) for theta in views[0]]
    apart = [[network for view in entries for network in view.unbind(0)] for entries in views]
    return (*apart, [step for step, count in zip(steps, counts, strict=True) for _ in range(count)])


@contextmanager
def steps_watched(monkeypatch, device):
    """Yield the list of what made the processor wait within steps, for training in this context."""
    from sim.deep import train

    found, take = [], train._Moving.take_step

    def watched(*given):
        before = len(device.waits)
        take(*given)
        found.extend(device.waits[before:])

    with monkeypatch.context() as patch:
        patch.setattr(train._Moving, "take_step", watched)
        yield found


def known_by_name(monkeypatch):
    """Let the settings of families and the kernels of members take the device by its name."""
    for module in ("settings", "kernels"):
        monkeypatch.setattr(f"sim.deep.{module}.device_named", torch.device)

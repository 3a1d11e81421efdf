"""NumPy arrays over memory that C++ owns, with the few methods that code written for Warp arrays calls."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .arguments import name_arguments
from .capture import captured
from .diagnostics import NotSupportedError

__all__ = ["REAL", "Array", "as_warp_value", "backend", "check_device", "device_now", "flags", "fresh", "handed", "output", "plain", "reals", "wrap"]

#: The scalar type of floating arrays in this build.
REAL = np.dtype(_core.real)


class _Backend:
    """What arrays are handed out as: None for `Array`, else a function of one (mechane.interop)."""

    handed_out: Any = None


backend = _Backend()


def as_warp_value(value: Any) -> Any:
    """A small value as Warp's type of that name."""
    import warp as wp

    name = type(value).__name__
    return getattr(wp, name)(*value) if hasattr(wp, name) else value


def plain(value: Any) -> np.ndarray:
    """A NumPy array of whatever has numbers: arrays of NumPy, Mechane, Warp, DLPack, nested sequences."""
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if hasattr(value, "numpy"):
        return np.asarray(value.cpu().numpy() if getattr(value, "is_cuda", False) else value.numpy())  # PyTorch's of a device come by the host
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return np.asarray(value)


class Array(np.ndarray):
    """A `numpy.ndarray` whose memory belongs to a Model, State, Control or Contacts and keeps it alive."""

    def numpy(self) -> np.ndarray:
        """The same memory as a plain `ndarray`."""
        return self.view(np.ndarray)

    @captured
    def assign(self, src: Any) -> "Array":
        """Copies anything array-like of the same size into this array, converting its type."""
        values = plain(src)
        if values.size != self.size:
            raise ValueError(f"src has {values.size} numbers, expected {self.size} (shape {self.shape})")
        self[...] = values.reshape(self.shape).astype(self.dtype, copy=False)
        return self

    @captured
    def zero_(self) -> None:
        self[...] = 0

    @captured
    def fill_(self, value: Any) -> None:
        """A scalar for all numbers, or one row for all rows."""
        row = plain(value)
        self[...] = row if row.ndim == 0 else row.reshape(self.shape[1:])

    def clone(self) -> "Array":
        return self.copy().view(Array)

    def contiguous(self) -> "Array":
        return self if self.flags.c_contiguous else self.clone()

    def to(self, device: Any = None) -> Any:
        """The array itself on the cpu; a copy on another device (device_array.py says how)."""
        raise NotImplementedError

    def list(self) -> list:
        return self.tolist()

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def ptr(self) -> int:
        return self.ctypes.data

    @property
    def requires_grad(self) -> bool:
        return False

    def __array_finalize__(self, obj: Any) -> None:
        pass

    def __reduce__(self):
        return (_restored, (self.view(np.ndarray).copy(),))


def _restored(values: np.ndarray) -> Array:
    return values.view(Array)


def wrap(values: np.ndarray, *, boolean: bool = False, writable: bool = True) -> Array:
    """The extension's view as an Array."""
    out = (values.view(np.bool_) if boolean else values).view(Array)
    if not writable:
        out.flags.writeable = False
    return out


def handed(values: np.ndarray, row: str | None = None) -> Any:
    """An array of the package's own as arrays are handed out at present; `row` names Warp's type of an element where the shape leaves it open."""
    out = values.view(Array)
    return out if backend.handed_out is None else backend.handed_out(out, row)


def fresh(shape: Any, dtype: Any = None, row: str | None = None) -> Any:
    """Zeros, as arrays are handed out at present."""
    return handed(np.zeros(shape, REAL if dtype is None else dtype), row)


def device_now() -> Any:
    """The device of everything: "cpu", or Warp's object of that name where arrays are handed out as Warp's."""
    if backend.handed_out is None:
        return "cpu"
    import warp as wp

    return wp.get_device("cpu")


def check_device(device: Any) -> None:
    """For what is on the cpu alone."""
    if device is not None and str(device) not in ("cpu", "Device(cpu)"):
        raise NotSupportedError(f"device {device!s}: this is on the cpu alone; ModelBuilder.finalize(device=) and Model.to() make models that step on a device", "PYTHON_DEVICE")


def output(name: str, value: Any, shape: tuple[int, ...] | None, dtype: Any = None) -> np.ndarray:
    """An argument that is written: it must be writable, contiguous and of the right type, never a silent copy."""
    dtype = REAL if dtype is None else np.dtype(dtype)
    out = value.view(np.ndarray) if isinstance(value, np.ndarray) else value.numpy() if hasattr(value, "numpy") else None
    if out is None:
        raise TypeError(f"{name}: expected an array to write into, not {type(value).__name__}")
    if out.dtype != dtype:
        raise TypeError(f"{name}: dtype {out.dtype}, expected {dtype}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise TypeError(f"{name}: must be contiguous and writable")
    if shape is not None and out.size != int(np.prod(shape)):
        raise ValueError(f"{name}: shape {out.shape}, expected {shape}")
    return out


def reals(name: str, value: Any, size: int | None = None) -> np.ndarray:
    """An argument that is read: contiguous floating numbers."""
    try:
        out = np.ascontiguousarray(plain(value), dtype=REAL)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers, got {type(value).__name__}") from None
    if size is not None and out.size != size:
        raise ValueError(f"{name}: {out.size} numbers, expected {size}")
    return out


def flags(name: str, value: Any, size: int) -> np.ndarray | None:
    """A mask as bytes."""
    if value is None:
        return None
    out = np.ascontiguousarray(plain(value).reshape(-1)).astype(np.uint8)
    if out.size != size:
        raise ValueError(f"{name}: shape {np.shape(plain(value))}, expected ({size},) flags")
    return out


name_arguments(globals())

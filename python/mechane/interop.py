"""Which kind of array and small value the package hands out: NumPy's, or Warp's over the same memory."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.array import backend

__all__ = ["as_torch", "as_warp", "context", "use_numpy", "use_warp"]

#: row of an array -> name of Warp's type
_ROWS = {(2,): "vec2", (3,): "vec3", (4,): "quat", (6,): "spatial_vector", (7,): "transform", (3, 3): "mat33"}


#: Warp's types of more than one number that `row` may name -> how many axes of a NumPy array one element takes.
_AXES = {"mat33": 2}


def _warp_type(array: np.ndarray, row: str | None) -> tuple[Any, tuple[int, ...]]:
    """Type of an element and shape, as Warp counts them."""
    import warp as wp

    name = _ROWS.get(array.shape[1:]) if row is None else row
    if name in (None, "float") or array.dtype.kind != "f":
        return wp.dtype_from_numpy(array.dtype), array.shape
    return getattr(wp, name + ("d" if array.dtype == np.float64 else "")), array.shape[:-_AXES.get(name, 1)]


def as_warp(array: Any) -> Any:
    """A `wp.array` over the memory of an array; it keeps that memory alive."""
    return _over(array)


def _over(array: Any, row: str | None = None) -> Any:
    import warp as wp

    if isinstance(array, wp.array):
        return array
    plain = np.asarray(array)
    dtype, shape = _warp_type(plain, row)
    inner = plain.strides[len(shape):]
    if inner and inner != np.empty(plain.shape[len(shape):], plain.dtype).strides:
        array = plain = np.ascontiguousarray(plain)  # the numbers of one element follow one another
    strides = None if plain.flags.c_contiguous else plain.strides[:len(shape)]
    out = wp.array(ptr=plain.ctypes.data if plain.size else None, dtype=dtype, shape=shape, strides=strides, device="cpu", copy=False)
    out._mechane_memory = array
    return out


def as_torch(array: Any) -> Any:
    """A `torch.Tensor` over the memory of an array."""
    import torch

    return torch.from_dlpack(np.asarray(array.numpy() if hasattr(array, "numpy") else array))


def use_warp(enabled: bool = True) -> None:
    """From now on arrays come as `wp.array` over Mechane's memory, small values as Warp's types. Imports warp."""
    if enabled:
        import warp  # noqa: F401

    backend.handed_out = _over if enabled else None


def use_numpy() -> None:
    """From now on arrays come as `mechane.Array` again; those handed out before stay as they are."""
    use_warp(False)


@contextlib.contextmanager
def context(arrays: str = "numpy") -> Iterator[None]:
    """`with interop.context(arrays="warp"):`"""
    if arrays not in ("numpy", "warp"):
        raise ValueError(f"arrays: {arrays!r}, expected 'numpy' or 'warp'")
    before = backend.handed_out
    use_warp(arrays == "warp")
    try:
        yield
    finally:
        backend.handed_out = before


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())

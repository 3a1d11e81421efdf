"""Arrays in the memory of a device, which other libraries share without a copy."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from .arguments import name_arguments
from .array import Array, plain
from .capture import captured
from .diagnostics import NotSupportedError, kind_of

__all__ = ["DeviceArray", "device_name", "is_on_device"]

_CUDA, _CPU = 2, 1  #: DLPack's numbers of kinds of devices


def device_name(device: Any) -> str:
    """A device by the name it has here: "cpu", "host" or "cuda:N". Takes what Warp, PyTorch and JAX call theirs.

    @raises ValueError  DEV_NAME
    @raises NotImplementedError  DEV_UNAVAILABLE, DEV_KERNELS, DEV_DRIVER: it is not there, or cannot be used; the message says what is missing
    """
    text = "cpu" if device is None else str(device)
    if text in ("cpu", "Device(cpu)", "cpu:0"):
        return "cpu"
    return str(_core.device_info("cuda" if text == "gpu" else text)["device"])


def is_on_device(value: Any) -> bool:
    return isinstance(value, DeviceArray)


class DeviceArray:
    """Numbers that live on a device. They have the methods of `mechane.Array`, and no arithmetic: that is for the libraries that share them by DLPack or
    `__cuda_array_interface__` (`torch.from_dlpack(state.joint_q)`). Whoever works in CUDA's default stream, as they do unless told otherwise, is in
    order with the steps; another stream is given to `__dlpack__`.

    `numpy()` copies from a CUDA device, and waits for it. Rows are views: `state.body_q[3]`, `state.joint_q[a:b]`.
    """

    __slots__ = ("_memory", "_offset", "shape", "dtype", "__weakref__")
    __hash__ = object.__hash__

    def __init__(self, memory: Any, offset: int, shape: tuple[int, ...], dtype: Any):
        self._memory, self._offset, self.shape, self.dtype = memory, offset, tuple(map(int, shape)), np.dtype(dtype)

    @classmethod
    def zeros(cls, device: str, shape: tuple[int, ...], dtype: Any = np.float32) -> "DeviceArray":
        return cls(_core.device_memory(device, math.prod(shape) * np.dtype(dtype).itemsize), 0, shape, dtype)

    # -- what it is
    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """[bytes]"""
        return tuple(self.dtype.itemsize * math.prod(self.shape[k + 1:]) for k in range(self.ndim))

    @property
    def device(self) -> str:
        return str(self._memory.device)

    @property
    def ptr(self) -> int:
        """Address in the memory of the device."""
        return int(self._memory.ptr) + self._offset if self.size else 0

    @property
    def requires_grad(self) -> bool:
        return False

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} {self.dtype} on {self.device}>"

    # -- numbers of the host
    def numpy(self) -> np.ndarray:
        """A copy on the host, of what the steps so far made."""
        out = np.empty(self.shape, self.dtype)
        if out.size:
            self._memory.read(self._offset, out.reshape(-1).view(np.uint8))
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"an array on {self.device} is NumPy's by a copy only")
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def list(self) -> list:
        return self.numpy().tolist()

    tolist = list

    @captured
    def assign(self, src: Any) -> "DeviceArray":
        """Copies anything array-like of the same size into this array; another array of a device does not pass by the host."""
        return self._put(src)

    def _put(self, src: Any) -> "DeviceArray":
        if isinstance(src, DeviceArray):
            if src.size != self.size:
                raise ValueError(f"src has {src.size} numbers, expected {self.size} (shape {self.shape})")
            if src.dtype == self.dtype:
                if self.size:
                    self._memory.copy(self._offset, src._memory, src._offset, self.nbytes)
                return self
        values = plain(src)
        if values.size != self.size:
            raise ValueError(f"src has {values.size} numbers, expected {self.size} (shape {self.shape})")
        if self.size:
            self._memory.write(self._offset, np.ascontiguousarray(values.reshape(-1), dtype=self.dtype).view(np.uint8))
        return self

    @captured
    def fill_(self, value: Any) -> None:
        """A scalar for all numbers, or one row for all rows."""
        self._fill(value)

    def _fill(self, value: Any) -> None:
        row = np.asarray(plain(value), dtype=self.dtype)
        if row.ndim == 0:
            if self.size:
                self._memory.fill(self._offset // 4, self.size, int(row.reshape(1).view(np.uint32)[0]))
        else:
            self._put(np.broadcast_to(row.reshape(self.shape[1:]), self.shape))

    @captured
    def zero_(self) -> None:
        self._fill(0)

    def clone(self) -> "DeviceArray":
        return DeviceArray.zeros(self.device, self.shape, self.dtype)._put(self)

    def contiguous(self) -> "DeviceArray":
        return self

    def to(self, device: Any = None) -> Any:
        """The array itself where it is on that device already, else a copy there; on the cpu a `mechane.Array`."""
        name = self.device if device is None else device_name(device)
        if name == self.device:
            return self
        if name == "cpu":
            return self.numpy().view(Array)
        return DeviceArray.zeros(name, self.shape, self.dtype)._put(self)

    def _graph_device(self, call: str, *args: Any) -> str | None:
        """What of this array a graph of the driver can hold: numbers of the host would be gone when it is launched."""
        if not self._memory.is_cuda or (call == "assign" and not (isinstance(args[0], DeviceArray) and args[0].device == self.device and args[0].dtype == self.dtype)):
            return None
        return None if call == "fill_" and np.ndim(plain(args[0])) else self.device

    # -- rows
    def __getitem__(self, key: Any) -> Any:
        first, count, single = self._rows(key)
        row = self.strides[0] if self.ndim else self.dtype.itemsize
        shape = self.shape[1:] if single else (count, *self.shape[1:])
        part = DeviceArray(self._memory, self._offset + first * row, shape, self.dtype)
        return part.numpy()[()] if not shape else part

    def __setitem__(self, key: Any, value: Any) -> None:
        first, count, single = self._rows(key)
        shape = self.shape[1:] if single else (count, *self.shape[1:])
        part = DeviceArray(self._memory, self._offset + first * (self.strides[0] if self.ndim else self.dtype.itemsize), shape, self.dtype)
        if isinstance(value, DeviceArray) and value.shape == part.shape:
            part._put(value)
        else:
            part._put(np.broadcast_to(np.asarray(plain(value), dtype=self.dtype), shape))

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def _rows(self, key: Any) -> tuple[int, int, bool]:
        """First row, their number, and whether one was asked for by its index."""
        if key is Ellipsis or key == slice(None):
            return 0, self.shape[0] if self.ndim else 1, False
        if isinstance(key, slice):
            first, end, step = key.indices(self.shape[0])
            if step == 1:
                return first, max(end - first, 0), False
        elif isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            if not -self.shape[0] <= key < self.shape[0]:
                raise IndexError(f"index {key} is out of bounds for {self.shape[0]} rows")
            return int(key) % self.shape[0], 1, True
        raise kind_of(TypeError)(f"rows of an array on {self.device} are taken by a number or a slice without a step, not by {key!r}; "
                                 "use numpy(), or a library that shares the array", "PYTHON_DEVICE_INDEX")

    # -- sharing
    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA if self._memory.is_cuda else _CPU, int(self._memory.ordinal))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        """A capsule over the same memory, which it keeps alive.

        @param stream  of the reader, by its number (as the array API has it); None or 1: CUDA's default stream; -1: nobody waits
        """
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}")
        if copy:
            return self.clone().__dlpack__(stream=stream)
        return _core.device_dlpack(self._memory, self._offset, list(self.shape), self.dtype == np.int32, 0 if stream in (None, -1) else int(stream))

    def __getattr__(self, name: str) -> Any:
        if name in ("__cuda_array_interface__", "__array_interface__"):
            on_cuda = object.__getattribute__(self, "_memory").is_cuda
            if on_cuda == (name == "__cuda_array_interface__"):
                # Readers of version 3 wait for the stream that is named; the steps are in order with the legacy default stream, 1.
                return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.ptr, False), "version": 3, "strides": None, **({"stream": 1} if on_cuda else {})}
        raise AttributeError(f"DeviceArray on {self.device} has no attribute {name!r}")

    def __reduce__(self) -> Any:
        return _again, (self.device, self.numpy())

    def __deepcopy__(self, memo: dict) -> "DeviceArray":
        return self.clone()


def _to(self: Array, device: Any = None) -> Any:
    """The array itself on the cpu; a copy on another device, in single precision."""
    name = device_name(device)
    return self if name == "cpu" else DeviceArray.zeros(name, self.shape, self.dtype if self.dtype == np.int32 else np.float32)._put(self)


Array.to = _to  # type: ignore[method-assign]


def _again(device: str, values: np.ndarray) -> DeviceArray:
    try:
        return DeviceArray.zeros(device_name(device), values.shape, values.dtype)._put(values)
    except NotSupportedError as missing:
        missing.add_note(f"the array was on {device} when it was pickled")
        raise


name_arguments(globals())

"""An mjModel and an mjData of every world at once, as mujoco_warp lays them out: arrays of floats have a row a world, others are alike in all."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import handed

__all__ = ["MujocoWorlds", "WorldsData", "WorldsModel"]


#: Arrays of floats that mujoco_warp keeps once for all worlds.
_SHARED = ("site_size",)


class MujocoWorlds:
    """Copies of what a solver steps, made when they are asked for: writing to them changes nothing."""

    def __init__(self, objects: list[Any]):
        self._objects = objects

    @property
    def nworld(self) -> int:
        return len(self._objects)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        first = getattr(self._objects[0], name)
        if not isinstance(first, np.ndarray):
            return first
        if first.dtype.kind != "f":
            return handed(np.ascontiguousarray(first if first.dtype.kind == "b" else first.astype(np.int32)), "float")
        if name in _SHARED:
            return handed(first.astype(np.float32), _row(first))
        rows = np.stack([getattr(o, name) for o in self._objects]).astype(np.float32)
        return handed(rows.reshape(*rows.shape[:-1], 3, 3), "mat33") if name.endswith("mat") and rows.shape[-1] == 9 else handed(rows, _row(first))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._objects[0])})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.nworld} worlds>"


def _row(array: np.ndarray) -> str:
    return {2: "vec2", 3: "vec3", 4: "quat"}.get(array.shape[1] if array.ndim == 2 else 0, "float")


class _Options(MujocoWorlds):
    """mjOption of each world."""

    @property
    def impratio_invsqrt(self) -> Any:
        return handed(np.array([o.impratio ** -0.5 for o in self._objects], np.float32))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._objects[0], name) if not name.startswith("_") else None
        if isinstance(value, float):
            return handed(np.array([getattr(o, name) for o in self._objects], np.float32))
        if isinstance(value, np.ndarray) and value.shape == (3,):
            return handed(np.stack([getattr(o, name) for o in self._objects]).astype(np.float32), "vec3")
        return super().__getattr__(name)


class WorldsModel(MujocoWorlds):
    """What `SolverMuJoCo.mjw_model` is."""

    @property
    def opt(self) -> _Options:
        return _Options([m.opt for m in self._objects])


class WorldsData(MujocoWorlds):
    """What `SolverMuJoCo.mjw_data` is."""

    def __init__(self, objects: list[Any], contacts: int, rows: int):
        super().__init__(objects)
        self.naconmax, self.njmax = contacts * len(objects), rows

    def _counts(self, name: str) -> Any:
        return handed(np.array([getattr(o, name) for o in self._objects], np.int32))

    @property
    def nacon(self) -> Any:
        """Contacts of all worlds together."""
        return handed(np.array([sum(o.ncon for o in self._objects)], np.int32))

    @property
    def nefc(self) -> Any:
        return self._counts("nefc")

    @property
    def eq_active(self) -> Any:
        return handed(np.stack([np.asarray(o.eq_active, bool) for o in self._objects]))

    @property
    def contact(self) -> "_Contacts":
        return _Contacts(self._objects)


class _Contacts:
    """Contacts of all worlds, one after another."""

    def __init__(self, datas: list[Any]):
        self._datas = datas

    @property
    def worldid(self) -> Any:
        return handed(np.repeat(np.arange(len(self._datas)), [d.ncon for d in self._datas]).astype(np.int32))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        rows = np.concatenate([np.asarray(getattr(d.contact, name)) for d in self._datas])
        return handed(rows.astype(np.int32 if rows.dtype.kind in "iu" else np.float32), "float")

"""Other formats."""
from __future__ import annotations

from typing import Any

from ._reserved import _Later

__all__: list[str] = []

_LATER = ("to_urdf", "to_sdf", "to_mjcf", "to_gltf", "to_usd", "from_urdf", "from_sdf", "from_mjcf", "from_gltf", "Losses")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.convert", name, "the exporters and readers of other formats")
    raise AttributeError(f"module 'mechane.convert' has no attribute {name!r}")

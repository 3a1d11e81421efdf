"""Other formats."""
from __future__ import annotations

from typing import Any

from ._reserved import _Later

__all__: list[str] = []

_FORMATS = {"urdf": "URDF", "sdf": "SDFormat", "mjcf": "MJCF", "gltf": "glTF", "usd": "OpenUSD"}
#: name -> stage
_LATER = {**{f"to_{name}": f"the writer of {title}" for name, title in _FORMATS.items()},
          **{f"from_{name}": f"the reader of {title}" for name, title in _FORMATS.items() if name != "usd"},
          "Losses": "the converters' lists of what a format cannot say"}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.convert", name, _LATER[name])
    raise AttributeError(f"module 'mechane.convert' has no attribute {name!r}")

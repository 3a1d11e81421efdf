"""Which prim a mesh was imported from. Colours, normals and UVs are read when somebody asks for them, and so is the module that reads them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MeshOrigin"]


class MeshOrigin:
    """The prim that a mesh was imported from, and the limit of hull vertices that the import was given."""

    def __init__(self, prim: Any, maxhullvert: int | None):
        self.prim, self.maxhullvert = prim, maxhullvert

    def hull_limit(self) -> int | None:
        authored = self.prim.GetAttribute("newton:maxHullVertices")
        value = authored.Get() if authored and authored.HasAuthoredValue() else None
        return int(value) if value is not None and int(value) > 0 else self.maxhullvert

    def looks(self) -> dict[str, Any]:
        """How the mesh looks: color, opacity, roughness, metallic, texture, texture_transform."""
        from .meshes import look_fields

        return look_fields(self.prim)

    def corners(self, points: np.ndarray, triangles: np.ndarray) -> tuple[Any, Any]:
        """Normals and UVs at the vertices of the imported mesh; None where there are none, or vertices would have to be split for them."""
        from .meshes import corner_fields

        return corner_fields(self.prim, points, triangles)

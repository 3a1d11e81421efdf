"""Edits of one layer's applied schemas: physics is taken away and given back, and the values that it has stay."""
from __future__ import annotations

import os

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import publish

__all__ = ["LayerEdits"]


class LayerEdits:
    """One layer in memory. Nothing is written before `save`.

    A schema is "PhysicsRigidBodyAPI", or "PhysicsDriveAPI:angular" with its instance. Attributes are never touched: a
    body without its API is static in the next import, and with the API again it is what it was.

    @raises MechaneError  STAGE_OPEN_FAILED and the like: the file cannot be read as a layer
    """

    def __init__(self, file: str | os.PathLike[str]):
        self._file = os.fspath(file)
        self._core = _core.LayerEdits.open(self._file)

    def apply_api(self, prim: str, schema: str, *, over: bool = False) -> "LayerEdits":
        """Applies a schema to a prim of this layer, after those that it has; takes back a deletion.

        @param over  also where this layer says nothing of the prim: an opinion over other layers
        @raises KeyError  this layer says nothing of the prim
        """
        self._core.apply_api(str(prim), str(schema), bool(over))
        return self

    def remove_api(self, prim: str, schema: str, *, over: bool = False) -> "LayerEdits":
        """Takes a schema from a prim, also where weaker layers apply it.

        @param over  also where this layer says nothing of the prim
        @raises KeyError  this layer says nothing of the prim
        """
        self._core.remove_api(str(prim), str(schema), bool(over))
        return self

    def text(self) -> str:
        """The layer as usda. Of a text layer comments, layout and the spelling of numbers stay."""
        return self._core.text()

    def save(self, file: str | os.PathLike[str] | None = None) -> str:
        """Writes the layer and returns where: to the file that it was read from, which is replaced at once or not at all,
        or to another one. Relative asset paths are written as they are authored.

        What a package (.usdz) has to leave out, because it was not found, is a `MechaneWarning`.
        """
        to = self._file if file is None else os.fspath(file)
        publish(self._core.save(to))
        return to

    def __repr__(self) -> str:
        return f"<LayerEdits of {self._file!r}>"


name_arguments(globals())

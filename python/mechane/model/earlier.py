"""Where modules lay that pickles of earlier versions name."""
from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["EARLIER"]

#: Earlier name -> where its names are now
EARLIER = {f"mechane.{old}": tuple(f"mechane.{part}" for part in new.split()) for old, new in {
    "_array": "core.array", "_builder": "model.builder", "_configs": "model.configs", "_custom": "model.custom", "_diagnostics": "core.diagnostics",
    "_enums": "core.enums", "_import": "model.import_verbs stage.opening", "_mesh": "geometry.mesh geometry.heightfield stage.origin", "_model": "model.model",
    "_mujoco_attributes": "model.mujoco_attributes", "_observables": "model.observables", "_own_state": "model.state", "_pickle": "model.reduce model.saved",
    "_resolvers": "stage.resolvers", "_sdf": "geometry.sdf", "_state": "model.state", "_usd_view": "stage.view", "_values": "core.values"}.items()}


class _Earlier:
    """Finds a module under its earlier name: an empty one, which looks for names where they are now."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in EARLIER else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """The usual one."""

    def exec_module(self, module: ModuleType) -> None:
        homes = [importlib.import_module(name) for name in EARLIER[module.__name__]]

        def find(name: str) -> Any:
            for home in homes:
                if name in vars(home):
                    return vars(home)[name]
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        module.__getattr__ = find  # type: ignore[method-assign]


sys.meta_path.append(_Earlier())  # type: ignore[arg-type]

"""Settings of this process."""
from __future__ import annotations

import os
import pathlib

__all__ = ["cache_dir_assets", "cache_dir_meshes", "compat"]

_cache = pathlib.Path(os.environ.get("MECHANE_CACHE_PATH") or os.environ.get("NEWTON_CACHE_PATH") or
                      os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mechane"))
#: Where downloaded assets are kept.
cache_dir_assets: str = str(_cache / "assets")
#: Where results of slow mesh operations are kept.
cache_dir_meshes: str = str(_cache / "meshes")
#: None, or "newton-1.8": the default of `add_usd(compat=)` and of the solvers' `compat=`.
compat: str | None = os.environ.get("MECHANE_COMPAT") or None


def __dir__() -> list[str]:
    return sorted(__all__)

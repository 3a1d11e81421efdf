"""One function for many settings."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cluster import digest, gather

__all__ = ["Sweep", "grid", "sweep"]


@dataclass(frozen=True)
class Sweep:
    """Settings and what came out for each, in the order of the settings."""

    settings: list[dict[str, Any]]
    results: list[Any]
    digest: str  #: of settings and results

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each setting, for tables: results that are dicts lie beside the settings, others are "result"."""
        return [{**s, **(r if isinstance(r, Mapping) else {"result": r})} for s, r in zip(self.settings, self.results)]


def grid(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """All combinations of values: `grid(dt=[0.01, 0.005], solver=["softstep", "xpbd"])`."""
    return [dict(zip(values, combination)) for combination in itertools.product(*values.values())]


def _call(function: Callable[..., Any], setting: dict[str, Any]) -> Any:
    return function(**setting)


def sweep(function: Callable[..., Any], settings: list[dict[str, Any]], *, cpus: float = 1.0, progress: Callable[[int, int], None] | None = None) -> Sweep:
    """`function(**setting)` for each, as tasks of Ray. What it returns should be what JSON can write: it goes into the digest.

    @raises TypeError  a result cannot be written as JSON
    """
    results = gather(_call, [(function, dict(setting)) for setting in settings], cpus=cpus, progress=progress)
    return Sweep([dict(s) for s in settings], results, digest([[s, r] for s, r in zip(settings, results)]))

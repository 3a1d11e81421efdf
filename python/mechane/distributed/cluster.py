"""Ray, and how work is cut."""
from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from ..core.diagnostics import error

__all__ = ["ask_ray", "digest", "gather", "spans"]

#: How often a part is computed again after its worker was lost. A part that ends every worker must end some day.
RETRIES = 5


def ask_ray() -> Any:
    """Ray, connected to a cluster.

    @raises ImportError  PYTHON_OPTIONAL_PACKAGE: it is not installed
    """
    try:
        import ray
    except ImportError:
        raise error(ImportError, "PYTHON_OPTIONAL_PACKAGE", "mechane.distributed needs the package ray: pip install 'mechane[distributed]'") from None
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    return ray


def spans(count: int, parts: int) -> list[tuple[int, int]]:
    """`count` things in `parts` spans of about equal length: [begin, end)."""
    if count < 1 or parts < 1:
        raise ValueError(f"count is {count}, parts {parts}; expected at least 1 each")
    parts = min(parts, count)
    cuts = [count * k // parts for k in range(parts + 1)]
    return list(zip(cuts[:-1], cuts[1:]))


def gather(function: Callable[..., Any], parts: list[tuple[Any, ...]], *, cpus: float = 1.0, progress: Callable[[int, int], None] | None = None) -> list[Any]:
    """`function(*part)` for every part as tasks of Ray, in the order of the parts; a lost worker's part is computed again.

    An exception that the function raises is raised here; it is no reason to try again.
    """
    ray = ask_ray()
    remote = ray.remote(num_cpus=cpus, max_retries=RETRIES, retry_exceptions=False)(function)
    pending = [remote.remote(*part) for part in parts]
    if progress is not None:
        waiting = list(pending)
        while waiting:
            _, waiting = ray.wait(waiting, num_returns=1)
            progress(len(parts) - len(waiting), len(parts))
    return ray.get(pending)


def digest(rows: Iterator[Any] | list[Any]) -> str:
    """SHA-256 of rows that JSON can write, in their order."""
    out = hashlib.sha256()
    for row in rows:
        out.update(json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return out.hexdigest()

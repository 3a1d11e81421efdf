"""Checks of many assets, by Ray Data."""
from __future__ import annotations

import os
import pathlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..conformance import check as check_one
from .cluster import RETRIES, ask_ray, digest

__all__ = ["AssetReport", "check", "dataset"]

_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")


@dataclass(frozen=True)
class AssetReport:
    """Verdicts of all files, by their names."""

    rows: list[dict[str, Any]]  #: file, outcome ("clean", "findings", "unreadable", "lost"), error, warning, info, rules
    digest: str

    @property
    def counts(self) -> dict[str, int]:
        """Files by outcome."""
        return dict(Counter(row["outcome"] for row in self.rows))

    def __bool__(self) -> bool:
        return all(row["outcome"] == "clean" for row in self.rows)


def _files(assets: Any) -> list[str]:
    """Stages below folders, and files as they are named."""
    out: list[str] = []
    for name in [assets] if isinstance(assets, (str, os.PathLike)) else list(assets):
        path = pathlib.Path(name)
        if path.is_dir():
            out += [str(p) for p in path.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file()]
        else:
            out.append(str(path))
    return sorted(dict.fromkeys(out))


def _row(file: str, outcome: str, counts: dict[str, int] | None = None, rules: Iterable[str] = (), message: str = "") -> dict[str, Any]:
    counts = counts or {}
    return {"file": file, "outcome": outcome, **{s: int(counts.get(s, 0)) for s in ("error", "warning", "info")}, "rules": " ".join(sorted(set(rules))),
            "message": message}


def _judge(file: str, settings: dict[str, Any]) -> dict[str, Any]:
    try:
        report = check_one(file, **settings)
    except (OSError, ValueError, RuntimeError) as failure:
        return _row(file, "unreadable", message=getattr(failure, "code", type(failure).__name__))
    bad = [f.rule for f in report.findings if f.severity == "error"]
    return _row(file, "findings" if bad else "clean", report.counts, (f.rule for f in report.findings))


class _Judge:
    """Verdicts of a batch; a callable that Ray Data sends to its workers."""

    def __init__(self, settings: dict[str, Any]):
        self.settings = settings

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        rows = [_judge(str(file), self.settings) for file in batch["file"]]
        return {name: [row[name] for row in rows] for name in _row("", "")}


def dataset(assets: Any, *, batch: int = 16, **settings: Any) -> Any:
    """Verdicts as a `ray.data.Dataset`, computed as they are taken: for asset libraries that no memory holds, and for its writers (Parquet, JSON, CSV).

    @param assets    a file or folder, or several
    @param settings  of `mechane.conformance.check`
    """
    ray = ask_ray()
    import ray.data  # noqa: F811

    files = [{"file": f} for f in _files(assets)]
    if not files:
        raise ValueError("assets: no stage lies there")
    return ray.data.from_items(files, override_num_blocks=max(1, min(len(files), -(-len(files) // max(1, batch))))).map_batches(
        _Judge(settings), batch_size=max(1, batch), max_retries=RETRIES)


def check(assets: Any, *, batch: int = 16, **settings: Any) -> AssetReport:
    """`mechane.conformance.check` of every stage of a folder. A file that ends its worker again and again is "lost", and the others are judged.

    @param batch     files that one task judges
    @param settings  of `mechane.conformance.check`
    """
    ray = ask_ray()
    files = _files(assets)
    if not files:
        raise ValueError("assets: no stage lies there")

    def judge(some: list[str]) -> list[dict[str, Any]]:
        return [_judge(file, settings) for file in some]

    remote = ray.remote(num_cpus=1, max_retries=1)(judge)
    batches = [files[k:k + batch] for k in range(0, len(files), max(1, batch))]
    rows: list[dict[str, Any]] = []
    for some, answer in [(some, remote.remote(some)) for some in batches]:
        try:
            rows += ray.get(answer)
        except ray.exceptions.WorkerCrashedError:  # one of them: each alone tells which
            for file, alone in [(file, remote.remote([file])) for file in some]:
                try:
                    rows += ray.get(alone)
                except ray.exceptions.WorkerCrashedError:
                    rows.append(_row(file, "lost", message="WORKER_LOST"))
    rows.sort(key=lambda row: row["file"])
    return AssetReport(rows, digest(rows))

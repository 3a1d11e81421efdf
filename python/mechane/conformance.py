"""The checker: is an asset as REP-0158 asks?"""
from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._import import open_stage

__all__ = ["Finding", "Report", "Rule", "check", "profiles", "rules"]


@dataclass(frozen=True)
class Rule:
    """One rule: what an asset does, why, and how to repair it."""

    id: str
    slug: str
    section: str
    keyword: str
    severity: str
    summary: str
    why: str
    fix: str
    fixable: bool


@dataclass(frozen=True)
class Finding:
    """One violation of one rule at one place."""

    rule: str
    severity: str
    message: str
    path: str = ""
    property: str = ""
    layer: str = ""
    line: int = 0
    hint: str = ""
    fields: dict = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        where = self.path + (f".{self.property}" if self.property else "")
        return f"{self.severity}[{self.rule}] <{where}>: {self.message}"


class Report:
    """What a check found. True when there is no error."""

    def __init__(self, core: Any):
        self._core = core
        self._json = json.loads(core.json())

    @property
    def findings(self) -> list[Finding]:
        out = []
        for f in self._json["findings"]:
            site = f.get("site") or f
            out.append(Finding(rule=f.get("rule") or f.get("id"), severity=f["severity"], message=f["message"], path=site.get("prim") or site.get("path") or "",
                               property=site.get("property") or "", layer=site.get("layer") or "", line=site.get("line") or 0, hint=f.get("hint") or "", fields=f))
        return out

    def __bool__(self) -> bool:
        return self._core.errors == 0

    def to_json(self) -> str:
        """Schema mechane.rep0158.report/1."""
        return self._core.json()

    def to_sarif(self) -> str:
        return self._core.sarif()

    def to_junit(self) -> str:
        return self._core.junit()

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<Report {len(self._json['findings'])} findings, {self._core.errors} errors>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(f.severity)}</td><td>{html.escape(f.rule)}</td><td>{html.escape(f.path)}</td><td>{html.escape(f.message)}</td></tr>"
                       for f in self.findings[:1000])
        return f"<table><thead><tr><th>severity</th><th>rule</th><th>path</th><th>message</th></tr></thead><tbody>{rows}</tbody></table>"


def check(asset: Any, profile: str = "distributed", select: list[str] | None = None, ignore: list[str] | None = None) -> Report:
    """Judges a stage: a path, bytes of usda, or a live stage.

    @raises ValueError  no such profile or selector
    """
    stage, _ = open_stage(asset)
    name = os.fspath(asset) if isinstance(asset, (str, os.PathLike)) else stage.source
    return Report(_core.check(stage, name, profile, list(select or ()), list(ignore or ())))


def profiles() -> list[str]:
    return _core.profiles()


def rules() -> list[Rule]:
    """All rules in catalogue order."""
    return [Rule(**fields) for fields in _core.rules()]

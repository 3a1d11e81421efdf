"""The checker: is an asset as REP-0158 asks? And its repairs."""
from __future__ import annotations

import html
import json
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any

from . import _core
from .core.arguments import listed, name_arguments
from .core.diagnostics import error, publish
from .core.files import suffix_of
from .stage.opening import open_stage

__all__ = ["Change", "Finding", "FixReport", "Report", "Rule", "Unrepaired", "check", "fix", "profiles", "rules"]


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

    @property
    def passed(self) -> list[str]:
        """Ids of the rules that looked at something and found nothing wrong, in catalogue order."""
        found = {f.rule for f in self.findings}
        return [rule for rule in self._json["coverage"]["evaluated"] if rule not in found]

    @property
    def not_checked(self) -> dict[str, str]:
        """Rules that could not be judged, each with its reason. A rule that speaks of nothing in the asset is not among them."""
        return {rule["id"]: rule["reason"] for rule in self._json["coverage"]["skipped"] if rule["reason"] != "not applicable"}

    @property
    def counts(self) -> dict[str, int]:
        """Findings by severity, and rules by outcome."""
        summary = self._json["summary"]
        return {**{severity: summary[severity] for severity in ("error", "warning", "info")}, "passed": len(self.passed), "not_checked": len(self.not_checked)}

    @property
    def states(self) -> list[str]:
        """Selections of variants that were judged besides the default ones."""
        return self._core.states

    @property
    def notes(self) -> list[dict[str, Any]]:
        """Names of schemas and properties that nothing knows, and that so have no effect. No rule judges them, and no count holds them."""
        return [note for asset in self._json["assets"] for note in asset["notes"]]

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


_VARIANTS = ("default", "each", "product")


def check(asset: Any, profile: str = "distributed", select: list[str] | None = None, ignore: list[str] | None = None, variants: str = "default") -> Report:
    """Judges a stage: a path, bytes of usda, or a live stage.

    `variants` says which selections are judged: the "default" ones, "each" variant by itself besides them, or every combination ("product"); at most 64
    more. Other variants need an asset that is a file, for it is opened anew for each.

    @raises ValueError  no such profile or selector, no such word for `variants`, or variants of a stage that is no file
    """
    if variants not in _VARIANTS:
        raise error(ValueError, "PYTHON_ARG_VARIANTS", f"variants is {variants!r}, expected one of {', '.join(_VARIANTS)}")
    is_file = isinstance(asset, (str, os.PathLike))
    if variants != "default" and not is_file:
        raise error(ValueError, "PYTHON_ARG_VARIANTS", "variants: other selections can only be judged of an asset that is a file")
    stage, _ = open_stage(asset, name="asset")
    name = os.fspath(asset) if is_file else stage.source
    rules_of = (profile, listed(select), listed(ignore))
    if variants == "default":
        return Report(_core.check(stage, name, *rules_of))
    return Report(_core.check_variants(stage, name, *rules_of, variants == "product"))


@dataclass(frozen=True)
class Change:
    """One change of one field of one spec."""

    rule: str
    phase: str
    layer: str
    path: str
    field: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.layer}<{self.path}>.{self.field}: {self.before or 'nothing'} -> {self.after or 'nothing'} [{self.rule}]"


@dataclass(frozen=True)
class Unrepaired:
    """What could not be repaired; `reason` is a stable word ("unsafe", "shear", "no-units", ...)."""

    rule: str
    prim: str
    property: str
    reason: str
    message: str
    severity: str = "error"
    layer: str = ""


class FixReport:
    """What a repair changed. True when no error remains."""

    def __init__(self, core: Any, diff: str, files: list[pathlib.Path]):
        told = json.loads(core.json())
        #: Every changed field, in the order of the repairs.
        self.changes = [Change(rule=e["rule"], phase=e["phase"], layer=e["layer"], path=e["path"], field=e["field"], before=e["old"], after=e["new"])
                        for e in told["edits"]]
        #: The changed layers as a unified diff: bytes of text layers, of binary ones what usda says of them.
        self.diff = diff
        #: What the rules of the repair could not mend, and why.
        self.unrepaired = [Unrepaired(**fields) for fields in told["unrepaired"]]
        #: The check of the repaired asset.
        self.after = Report(core.after)
        #: What was written; empty after a dry run.
        self.files = files

    @property
    def remaining(self) -> list[Finding]:
        """Findings of the repaired asset."""
        return self.after.findings

    def __bool__(self) -> bool:
        return bool(self.after)

    def __repr__(self) -> str:
        return f"<FixReport {len(self.changes)} changes, {len(self.remaining)} findings remain, {len(self.files)} files written>"

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(v)}</td>" for v in (c.rule, c.layer, c.path, c.field, c.before, c.after)) + "</tr>" for c in self.changes[:1000])
        return ("<table><thead><tr><th>rule</th><th>layer</th><th>path</th><th>field</th><th>before</th><th>after</th></tr></thead>"
                f"<tbody>{rows}</tbody></table>")


def fix(asset: str | os.PathLike, out: str | os.PathLike | None = None, unsafe: bool = False, select: list[str] | None = None, dry_run: bool = False,
        in_place: bool = False, roots: list[str | os.PathLike] | None = None, refuse_outside: bool = False,
        change_shared: bool = False) -> FixReport:
    """Repairs what `check` finds, where the repair follows from the asset.

    @param out       a folder, new, empty or an earlier result that nobody changed, for the asset and what it needs; or a layer file, for an
                     asset that is one file
    @param unsafe    also repairs that choose a value for the author or change what is simulated
    @param select    rules by id, slug or section; all by default
    @param dry_run   writes nothing; `.diff` says what would change
    @param in_place  replaces the asset's own files, all or none
    @param roots     folders besides the asset's own whose files may be taken in; there is a warning for each file from elsewhere
    @param refuse_outside  an error instead
    @param change_shared  with `in_place`: also changes layers that other assets around it use, where that changes those assets
    @raises FileNotFoundError  there is no such asset
    @raises ValueError  not exactly one of `out`, `dry_run` and `in_place`; no such selector;
                        FILES_FOLDER: a folder that holds something else; FILES_INPUT: `out` is, or holds, what is read
    @raises OSError     the results cannot be written; what was there is whole
    @raises RuntimeError  the asset cannot be opened
    """
    if not isinstance(asset, (str, os.PathLike)):
        raise error(TypeError, "PYTHON_ARG_SOURCE", f"asset: expected a path, not {type(asset).__name__}; a repair needs the files")
    source = pathlib.Path(os.path.abspath(asset))
    if not source.is_file():
        raise error(FileNotFoundError, "STAGE_OPEN", f"asset: there is no file {source}", layer=str(source))
    if (out is not None) + bool(dry_run) + bool(in_place) != 1:
        raise error(ValueError, "PYTHON_ARG_OUT", "no output given: pass one of out=, in_place=True, dry_run=True")
    target = "" if out is None else os.path.abspath(out)
    into_folder = bool(target) and suffix_of(target) not in (".usd", ".usda", ".usdc")
    result, diff, written, found = _core.fix(str(source), target, into_folder, bool(in_place), listed(select), bool(unsafe),
                                             [os.fspath(root) for root in listed(roots)], bool(refuse_outside), bool(change_shared))
    publish(found, "mechane.conformance")
    return FixReport(result, diff, [pathlib.Path(file) for file in written])


def profiles() -> list[str]:
    return _core.profiles()


def rules() -> list[Rule]:
    """All rules in catalogue order."""
    return [Rule(**fields) for fields in _core.rules()]


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())

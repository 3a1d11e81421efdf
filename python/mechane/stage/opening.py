"""How a stage is opened: from a path, from text, or live in memory."""
from __future__ import annotations

import os
from typing import Any

from .. import _core
from ..core.arguments import listed
from ..core.diagnostics import error, kind_of, publish

__all__ = ["is_live_stage", "note", "open_stage"]


def is_live_stage(source: Any) -> bool:
    """Anything with these two methods: a `Usd.Stage` of whatever OpenUSD."""
    return hasattr(source, "ExportToString") and hasattr(source, "GetRootLayer")


def _selections(live: Any) -> list[tuple[str, str]]:
    """Variant selections of the session layer: what the user chose in this session."""
    session = live.GetSessionLayer() if hasattr(live, "GetSessionLayer") else None
    out: list[tuple[str, str]] = []
    todo = list(session.rootPrims.values()) if session is not None else []
    while todo:
        spec = todo.pop(0)
        out += [(f"{spec.path}{{{name}}}", str(choice)) for name, choice in dict(spec.variantSelections).items()]
        todo += list(spec.nameChildren.values())
    return out


def _session_has_opinions_beyond_variants(live: Any) -> bool:
    """Properties, activity, arcs, variables, sublayers: whatever `_selections` does not carry over."""
    session = live.GetSessionLayer() if hasattr(live, "GetSessionLayer") else None
    if session is None:
        return False
    if len(session.subLayerPaths) or len(session.pseudoRoot.ListInfoKeys()):
        return True
    todo = list(session.rootPrims.values())
    while todo:
        spec = todo.pop(0)
        if len(spec.properties) or len(spec.variantSets) or not {"specifier", "variantSelection"}.issuperset(spec.ListInfoKeys()):
            return True
        todo += list(spec.nameChildren.values())
    return False


def _began() -> float:
    """When this process began [s since 1970]; 0 where the system does not say."""
    try:
        with open("/proc/self/stat", encoding="ascii") as own, open("/proc/stat", encoding="ascii") as all_:
            ticks = float(own.read().rpartition(")")[2].split()[19])
            boot = next(float(line.split()[1]) for line in all_ if line.startswith("btime"))
        return boot + ticks / os.sysconf("SC_CLK_TCK") - 1.0
    except (OSError, ValueError, StopIteration, IndexError):
        return 0.0


def _differs_from_its_file(layer: Any) -> bool:
    """Whether the file was written to since the layer was read from it. A file that is older than the process was not; others are read again."""
    at = os.stat(layer.realPath)
    if max(at.st_mtime, at.st_ctime) < _began():
        return False
    try:
        return type(layer).OpenAsAnonymous(layer.realPath).ExportToString() != layer.ExportToString()
    except Exception:  # whatever that OpenUSD makes of a file that is no layer any more
        return True


def _why_not_its_file(live: Any) -> str:
    """What of a live stage the files that it was opened from do not say; empty: they say it all."""
    session = live.GetSessionLayer() if hasattr(live, "GetSessionLayer") else None
    layers = [layer for layer in live.GetUsedLayers() if session is None or layer.identifier != session.identifier]
    if not all(not layer.dirty and not layer.anonymous and os.path.exists(layer.realPath or "") for layer in layers):
        return "has edits that are in no file"
    if hasattr(live, "GetPopulationMask") and str(live.GetPopulationMask()) not in ("", "/", "Usd.StagePopulationMask(['/'])") and \
            [str(p) for p in live.GetPopulationMask().GetPaths()] != ["/"]:
        return "has a population mask"
    # Rules that load everything are listed as well once a program has loaded a payload.
    if hasattr(live, "GetLoadRules") and any(str(rule).rpartition(".")[2] != "AllRule" for _, rule in live.GetLoadRules().GetRules()):
        return "leaves payloads unloaded"
    if hasattr(live, "GetGlobalVariantFallbacks") and any(live.GetGlobalVariantFallbacks().values()):
        return "was composed with global variant fallbacks"
    if _session_has_opinions_beyond_variants(live):
        return "has opinions in its session layer"
    if any(_differs_from_its_file(layer) for layer in layers):
        return "was opened from files that have changed since"
    return ""


def open_stage(source: Any, *, variants: dict[str, dict[str, str]] | None = None, resolver_paths: list[str] | None = None,
               name: str = "source") -> tuple[Any, list[dict]]:
    """The stage of the extension for a path, usda text as bytes, or a live stage, given as the argument `name`; and notes on how it was opened."""
    chosen = [(f"{prim}{{{name}}}", choice) for prim, sets in (variants or {}).items() for name, choice in sets.items()]
    search = [os.fspath(p) for p in listed(resolver_paths)]
    if isinstance(source, _core.Stage):
        return source, []
    if hasattr(source, "_stage") and isinstance(source._stage, _core.Stage):
        return source._stage, []
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _core.Stage.open_text(bytes(source).decode("utf-8"), "", search, chosen), []
    if is_live_stage(source):
        return _open_live(source, search, chosen)
    try:
        file = os.fspath(source)
    except TypeError:
        raise kind_of(TypeError)(f"{name}: expected a path, bytes of usda, or a stage, not {type(source).__name__}", "PYTHON_ARG_SOURCE") from None
    if "://" not in file and not os.path.exists(file) and not os.path.exists(file.split("[")[0]):
        raise error(FileNotFoundError, "STAGE_OPEN", f"{name}: there is no file {file}", layer=file)
    publish(_core.recover(file))
    return _core.Stage.open(file, search, chosen, [], ""), []


def note(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "severity": "info", "message": message}


def _open_live(live: Any, search: list[str], chosen: list[tuple[str, str]]) -> tuple[Any, list[dict]]:
    root = live.GetRootLayer()
    why = _why_not_its_file(live)
    if not why:
        muted = list(live.GetMutedLayers()) if hasattr(live, "GetMutedLayers") else []
        stage = _core.Stage.open(root.realPath, search, _selections(live) + chosen, muted, "")
        return stage, [note("STAGE_FILE", f"the stage is clean and was opened from {root.realPath}")]
    folder = os.path.dirname(root.realPath) if root.realPath else ""
    flat = live.Flatten().ExportToString() if hasattr(live, "Flatten") else live.ExportToString()
    # Flattening drops what could not be composed; the live stage knows.
    errors = live.GetCompositionErrors() if hasattr(live, "GetCompositionErrors") else ()
    return _core.Stage.open_text(flat, folder, search, chosen), [
        note("STAGE_FLATTENED", f"the stage {why}; it was flattened"),
        *({"code": "IMPORT_STAGE_COMPOSITION", "severity": "warning", "message": str(e)} for e in errors)]

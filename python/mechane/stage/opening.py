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
    session = live.GetSessionLayer() if hasattr(live, "GetSessionLayer") else None
    todo = list(session.rootPrims.values()) if session is not None else []
    while todo:
        spec = todo.pop(0)
        if len(spec.properties):
            return True
        todo += list(spec.nameChildren.values())
    return False


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
    if "://" not in file and not os.path.exists(file.split("[")[0]):
        raise error(FileNotFoundError, "STAGE_OPEN", f"{name}: there is no file {file}", layer=file)
    publish(_core.recover(file))
    return _core.Stage.open(file, search, chosen, [], ""), []


def note(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "severity": "info", "message": message}


def _open_live(live: Any, search: list[str], chosen: list[tuple[str, str]]) -> tuple[Any, list[dict]]:
    root = live.GetRootLayer()
    session = live.GetSessionLayer() if hasattr(live, "GetSessionLayer") else None
    layers = [layer for layer in live.GetUsedLayers() if session is None or layer.identifier != session.identifier]
    clean = all(not layer.dirty and not layer.anonymous and os.path.exists(layer.realPath or "") for layer in layers)
    masked = hasattr(live, "GetPopulationMask") and str(live.GetPopulationMask()) not in ("", "/", "Usd.StagePopulationMask(['/'])") and \
        [str(p) for p in live.GetPopulationMask().GetPaths()] != ["/"]
    if clean and not masked and not _session_has_opinions_beyond_variants(live):
        muted = list(live.GetMutedLayers()) if hasattr(live, "GetMutedLayers") else []
        stage = _core.Stage.open(root.realPath, search, _selections(live) + chosen, muted, "")
        return stage, [note("STAGE_FILE", f"the stage is clean and was opened from {root.realPath}")]
    folder = os.path.dirname(root.realPath) if root.realPath else ""
    flat = live.Flatten().ExportToString() if hasattr(live, "Flatten") else live.ExportToString()
    # Flattening drops what could not be composed; the live stage knows.
    errors = live.GetCompositionErrors() if hasattr(live, "GetCompositionErrors") else ()
    return _core.Stage.open_text(flat, folder, search, chosen), [
        note("STAGE_FLATTENED", "the stage has edits that are in no file; it was flattened"),
        *({"code": "IMPORT_STAGE_COMPOSITION", "severity": "warning", "message": str(e)} for e in errors)]

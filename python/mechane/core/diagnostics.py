"""Diagnostics, the exceptions that carry them, and warnings."""
from __future__ import annotations

import html
import json
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterable

from .former_ids import FORMER

__all__ = ["Diagnostic", "Diagnostics", "MechaneDeprecationWarning", "MechaneError", "MechaneWarning", "NotSupportedError"]


class MechaneWarning(UserWarning):
    """Something in the input is not as it should be; text "CODE: message [prim path]"."""


class MechaneDeprecationWarning(DeprecationWarning):
    """An old name that works for one more minor release."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding about the input: what was found, where, and what can be done about it."""

    code: str
    severity: str
    message: str
    hint: str = ""
    path: str = ""
    property: str = ""
    layer: str = ""
    line: int = 0
    column: int = 0
    count: int = 1
    related: tuple = ()
    fixable: bool = False
    alias: str = ""  #: the id that the diagnostic had before, or empty

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        place = self.layer + (f":{self.line}" + (f":{self.column}" if self.column else "") if self.line else "")
        prim = self.path + (f".{self.property}" if self.property else "")
        where = " ".join(part for part in (place, f"<{prim}>" if prim else "") if part)
        return f"{where + ' ' if where else ''}{self.severity} {self.code}: {self.message}" + (f"\n    {self.hint}" if self.hint else "")


class Diagnostics(Sequence):
    """A sequence of diagnostics."""

    def __init__(self, items: Iterable[Diagnostic] = ()):
        self._items = tuple(items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index):
        return Diagnostics(self._items[index]) if isinstance(index, slice) else self._items[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self._items)

    def __add__(self, other) -> "Diagnostics":
        return Diagnostics((*self._items, *other))

    @property
    def errors(self) -> "Diagnostics":
        return Diagnostics(d for d in self if d.severity == "error")

    @property
    def warnings(self) -> "Diagnostics":
        return Diagnostics(d for d in self if d.severity == "warning")

    def by_code(self, code: str) -> "Diagnostics":
        """Those of this id; the id that a diagnostic had before is understood too."""
        return Diagnostics(d for d in self if code and code in (d.code, d.alias))

    def counts(self) -> dict[str, int]:
        """How many there are of each severity."""
        return {s: sum(d.severity == s for d in self) for s in ("error", "warning", "info")}

    def raise_if_errors(self) -> None:
        if self.errors:
            raise error_from(self.errors[0].to_dict(), self.errors)

    def to_json(self) -> str:
        return json.dumps([d.to_dict() for d in self], indent=1)

    def __repr__(self) -> str:
        n = self.counts()
        return f"<Diagnostics {n['error']} errors, {n['warning']} warnings, {n['info']} infos>"

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in (d.severity, d.code, d.path, d.message, d.hint)) + "</tr>"
                       for d in self._items[:1000])
        return f"<table><thead><tr><th>severity</th><th>code</th><th>path</th><th>message</th><th>hint</th></tr></thead><tbody>{rows}</tbody></table>"


class MechaneError(RuntimeError):
    """An error with its diagnostics. Each one raised is also one of Python's own exceptions, by what went wrong."""

    def __init__(self, message: str = "", code: str = "", diagnostics: Iterable[Diagnostic] = ()):
        super().__init__(message)
        self.code = code
        self.diagnostics = Diagnostics(diagnostics)

    @property
    def site(self) -> str:
        """Prim path and property of the first diagnostic; empty if it has none."""
        first = self.diagnostics[0] if self.diagnostics else None
        return "" if first is None else first.path + (f".{first.property}" if first.property else "")

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NotSupportedError(MechaneError, NotImplementedError):
    """The name is reserved for a later stage, or needs something that this build does not have."""


_KINDS: dict[type, type] = {}


def kind_of(base: type) -> type:
    """The subclass of MechaneError that is also `base`."""
    if base is RuntimeError:
        return MechaneError
    if base is NotImplementedError:
        return NotSupportedError
    if base not in _KINDS:
        class Error(MechaneError, base):  # type: ignore[misc, valid-type]
            __doc__ = f"A MechaneError that is a {base.__name__}."

            def __init__(self, message: str = "", code: str = "", diagnostics: Iterable[Diagnostic] = ()):
                MechaneError.__init__(self, message, code, diagnostics)

        Error.__name__ = Error.__qualname__ = "Mechane" + base.__name__
        Error.__module__ = "mechane"
        _KINDS[base] = Error
    return _KINDS[base]


_RUNTIME = {"IMPORT_STAGE_COMPOSITION", "STAGE_OPEN", "STAGE_OPEN_FAILED", "STAGE_LIMIT", "STAGE_FORMAT_UNKNOWN"}


def _base_of(diagnostic: Diagnostic) -> type:
    """Which of Python's exceptions a code is."""
    code = diagnostic.code
    if code in _RUNTIME:
        return RuntimeError
    if code == "SOLVER_UNKNOWN":
        return KeyError
    if code in ("FILES_INPUT", "FILES_FOLDER", "FILES_OUTSIDE_ROOT", "RECORD_FORMAT_UNKNOWN", "SOURCE_FORMAT_UNKNOWN", "EXPORT_FORMAT_UNKNOWN", "EXPORT_LOSS", "EXPORT_NAME", "EXPORT_OPTION", "EXPORT_VERIFY"):
        return ValueError
    if code.startswith("FILES_"):
        return OSError
    if code.startswith("DEV_"):
        return {"DEV_NAME": ValueError, "DEV_OPTION": ValueError, "DEV_MEMORY": MemoryError, "DEV_FAILURE": RuntimeError}.get(code, NotImplementedError)
    if code in ("RESOLVER_UNKNOWN", "STAGE_VARIANT_UNKNOWN"):
        return ValueError
    if code.startswith(("IMPORT_", "RESOLVE_", "PYTHON_", "DYN_", "GEOMETRY_", "SOLVER_", "CHECK_", "EXPLAIN_", "RUN_", "MODEL_")):
        return ValueError
    return RuntimeError


def error_from(fields: dict[str, Any], all_of_them: Iterable[Diagnostic] | None = None) -> MechaneError:
    """The exception for a diagnostic that stopped something."""
    diagnostic = Diagnostic(**fields)
    kind = kind_of(_base_of(diagnostic))
    return kind(str(diagnostic), diagnostic.code, all_of_them if all_of_them is not None else (diagnostic,))


def error(base: type, code: str, message: str, **site: Any) -> MechaneError:
    """An error of ours that is also `base`."""
    diagnostic = Diagnostic(code=code, severity="error", message=message, alias=FORMER.get(code, ""), **site)
    return kind_of(base)(f"{code}: {message}", code, (diagnostic,))


_HERE = os.path.dirname(os.path.dirname(__file__))


def _callers_level() -> int:
    """Stack level of the first frame outside this package, as warnings.warn counts from the function that calls this."""
    level, frame = 1, sys._getframe(2)
    while frame is not None and os.path.dirname(frame.f_code.co_filename).startswith(_HERE):
        level, frame = level + 1, frame.f_back
    return level + 1


def warn(message: str, category: type[Warning] = MechaneWarning) -> None:
    """A warning at the line of whoever called the package, and a log record, as of the diagnostics of the library."""
    warnings.warn(message, category, stacklevel=_callers_level())
    if category is MechaneWarning:
        logging.getLogger("mechane").warning(message)


def warn_unused(call: Any, arguments: dict[str, Any]) -> None:
    """A warning for arguments that a call takes for the sake of other programs and does nothing with; it names those that look like
    a slip of the pen."""
    import difflib
    import inspect

    if not arguments:
        return
    known = [p.name for p in inspect.signature(call).parameters.values() if p.kind is not p.VAR_KEYWORD]
    said = []
    for name in arguments:
        near = difflib.get_close_matches(name, known, 1, 0.75)
        said.append(name + (f" (did you mean {near[0]}?)" if near else ""))
    warn(f"{call.__qualname__}: {', '.join(said)} {'have' if len(said) > 1 else 'has'} no effect here")


def publish(found: Iterable[dict[str, Any]], logger: str = "mechane", callback: Callable[[Diagnostic], None] | None = None,
            deprecated: Iterable[str] = ()) -> Diagnostics:
    """Makes diagnostics of what the extension reports; warnings among them, and errors that end nothing, become Python warnings and log records.

    @param deprecated  ids that become warnings of what is on its way out
    """
    all_of_them = Diagnostics(Diagnostic(**fields) for fields in found)
    log = logging.getLogger(logger)
    for d in all_of_them:
        if callback is not None:
            callback(d)
        if d.severity in ("warning", "error"):
            text = f"{d.code}: {d.message}" + (f" [{d.path}]" if d.path else "")
            old = d.code in deprecated
            warnings.warn(text, MechaneDeprecationWarning if old else MechaneWarning, stacklevel=_callers_level())
            log.log(logging.ERROR if d.severity == "error" else logging.WARNING, text)
    return all_of_them


logging.getLogger("mechane").addHandler(logging.NullHandler())

"""Robots and scenes from one format to another, with a list of what was lost: what `mechane convert` does.

`to_*` takes any source: a path (OpenUSD, URDF, xacro, MJCF, SDFormat, glTF, meshes; a folder stands for the asset in it), usda text as bytes, or a live
stage. `from_*` takes a path of its format and makes OpenUSD of it.
"""
from __future__ import annotations

import difflib
import html
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import _core
from .core.arguments import listed, name_arguments
from .core.diagnostics import Diagnostic, Diagnostics, error, error_from, kind_of, publish
from .core.files import suffix_of
from .stage.opening import is_live_stage, open_stage

__all__ = ["Conversion", "Loss", "Losses", "from_gltf", "from_mjcf", "from_sdf", "from_urdf", "to_gltf", "to_mjcf", "to_sdf", "to_urdf", "to_usd"]

#: Options of every conversion from another format.
_READING = ("base", "default_mass", "visuals_collide", "name", "mesh_unit", "xacro_arguments")
_URDF = ("package", "default_effort", "default_velocity", "keep_frames")
_SDF = ("package", "sdf_version", "ros_plugin")
_MJCF = ("mjcf_sdf",)
_GLTF = ("purposes", "front_z", "prune", "keep_colors", "expand_instances", "approximate_lights", "material_variants", "openpbr", "extras", "segments",
         "influences", "udim")
_SUFFIXES = {"URDF": (".urdf",), "SDFormat": (".sdf", ".world"), "MJCF": (".xml", ".mjcf"), "glTF": (".gltf", ".glb"), "OpenUSD": (".usda", ".usdc", ".usd", ".usdz", "")}
_SOURCES = {"URDF": (".urdf", ".xacro", ".xml"), "SDFormat": (".sdf", ".world", ".xml"), "MJCF": (".xml", ".mjcf"), "glTF": (".gltf", ".glb")}


@dataclass(frozen=True)
class Loss:
    """One value of the source that is not simply the same in the result."""

    code: str
    severity: str
    action: str  #: "converted", "approximated", "merged", "renamed", "dropped", "kept"
    category: str
    what: str
    source_value: str = ""
    target_value: str = ""
    reason: str = ""
    file: str = ""
    line: int = 0
    path: str = ""
    property: str = ""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        values = f" {self.source_value or 'nothing'} -> {self.target_value}" if self.target_value else f" {self.source_value}" if self.source_value else ""
        return f"{self.action} {place + ' ' if place else ''}{self.what}{values}: {self.reason}"


class Losses(Sequence):
    """What a conversion did with what the source says (schema mechane.loss/1). True when something was dropped or approximated."""

    def __init__(self, text: str):
        self._text = text
        self._document = json.loads(text)
        self._entries = tuple(
            Loss(code=e["code"], severity=e["severity"], action=e["action"], category=e["category"], what=e["what"], source_value=e.get("sourceValue", ""),
                 target_value=e.get("targetValue", ""), reason=e.get("reason", ""), file=e.get("file", ""), line=e.get("line", 0),
                 path=e.get("prim", ""), property=e.get("property", ""))
            for e in self._document["entries"])

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __bool__(self) -> bool:
        return any(loss.action in ("approximated", "dropped") for loss in self._entries)

    @property
    def summary(self) -> dict[str, int]:
        """How many values were kept, converted, ..., and how many entries there are of each severity."""
        return dict(self._document["summary"])

    @property
    def names(self) -> dict[str, str]:
        """Name in the source -> name in the result, where they differ."""
        return dict(self._document["nameMap"])

    def to_json(self) -> str:
        return self._text

    def __repr__(self) -> str:
        counts = self.summary
        return f"<Losses {counts['kept']} kept, {counts['converted']} converted, {counts['approximated']} approximated, {counts['dropped']} dropped>"

    def _repr_html_(self) -> str:
        cells = lambda one: "".join(f"<td>{html.escape(str(v))}</td>" for v in (one.action, one.severity, one.what, one.source_value, one.target_value, one.reason))
        rows = "".join(f"<tr>{cells(one)}</tr>" for one in self._entries[:1000])
        return ("<table><thead><tr><th>action</th><th>severity</th><th>what</th><th>source</th><th>result</th><th>reason</th></tr></thead>"
                f"<tbody>{rows}</tbody></table>")


@dataclass(frozen=True)
class Conversion:
    """What a conversion made."""

    entry: pathlib.Path  #: what to open
    files: list[pathlib.Path]  #: all that was written
    losses: Losses
    diagnostics: Diagnostics  #: what is wrong with the source
    remaining_errors: int = 0  #: that `conformance.check` still finds in OpenUSD that was laid out anew
    verified: dict[str, Any] | None = None  #: with verify=True: what differs (schema mechane.verify/1)
    holds: bool = True  #: whether all that differs is announced by a loss; True without verify=True

    def __fspath__(self) -> str:
        return os.fspath(self.entry)

    def __repr__(self) -> str:
        return f"<Conversion {self.entry}: {len(self.files)} files, {self.losses!r}>"


@contextmanager
def _file_of(source: Any, variants: dict[str, dict[str, str]] | None) -> Iterator[tuple[str, str]]:
    """The file that is converted, and what messages call it: the source, or what it shows, written for as long as it takes."""
    if isinstance(source, (str, os.PathLike)):
        file = os.fspath(source)
        if not os.path.exists(file) and not os.path.exists(file.split("[")[0]):
            raise error(FileNotFoundError, "STAGE_OPEN", f"source: there is no file {file}", layer=file)
        yield file, file
        return
    if not (isinstance(source, (bytes, bytearray, memoryview)) or is_live_stage(source) or hasattr(source, "_stage") or isinstance(source, _core.Stage)):
        raise error(TypeError, "PYTHON_ARG_SOURCE", f"source: expected a path, bytes of usda, or a stage, not {type(source).__name__}")
    stage, _ = open_stage(source, variants=variants)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "stage.usdc")
        _core.save_flat(stage, file)
        yield file, stage.source or "<stage>"


def _called(value: Any, file: str, name: str) -> Any:
    """The same with a file that was written for a conversion called as its source is."""
    if isinstance(value, str):
        return value.replace(file, name)
    if isinstance(value, dict):
        return {key: _called(one, file, name) for key, one in value.items()}
    return [_called(one, file, name) for one in value] if isinstance(value, list) else value


def _set(options: Any, known: tuple[str, ...], given: dict[str, Any]) -> None:
    """Options by their names; a name that the conversion does not know is refused with the nearest that it does."""
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise kind_of(TypeError)(f"no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(known))}"), "PYTHON_ARGUMENT")
        words = {"base": _core.ConvertBase, "udim": _core.ConvertUdim}.get(name)
        if words is not None:
            if not isinstance(value, str) or not hasattr(words, value):
                raise kind_of(ValueError)(f"{name} is {value!r}, expected one of {', '.join(w.name for w in words)}", "PYTHON_ARGUMENT")
            value = getattr(words, value)
        try:
            setattr(options, name, set(value) if name == "purposes" and not isinstance(value, str) else value)
        except TypeError:
            raise kind_of(TypeError)(f"{name}: {value!r} is of a wrong type", "PYTHON_ARGUMENT") from None


def _convert(source: Any, out: str | os.PathLike, formats: tuple[str, ...], known: tuple[str, ...], strict: bool, verify: bool,
             resolver_paths: list[str | os.PathLike] | None, packages: dict[str, str | os.PathLike] | None, variants: dict[str, dict[str, str]] | None,
             given: dict[str, Any]) -> Conversion:
    try:
        target = os.fspath(out)
    except TypeError:
        raise error(TypeError, "PYTHON_ARG_OUT", f"out: expected a path, not {type(out).__name__}") from None
    if suffix_of(target) not in formats:
        folder = "a folder, or " if "" in formats else ""
        raise error(ValueError, "EXPORT_FORMAT_UNKNOWN", f"out is {target!r}, expected {folder}a name that ends in {' or '.join(filter(None, formats))}")
    options = _core.ConvertOptions()
    _set(options, known, given)
    options.strict, options.verify, options.threads = bool(strict), bool(verify), _core.get_num_threads()
    options.look_in([os.fspath(p) for p in listed(resolver_paths)], {name: os.fspath(folder) for name, folder in (packages or {}).items()})
    options.select([(f"{prim}{{{name}}}", choice) for prim, sets in (variants or {}).items() for name, choice in sets.items()])
    with _file_of(source, variants) as (file, name):
        done, found = _core.convert(file, target, options)
    if name != file:
        found = _called(found, file, name)
    if done is None:
        raise error_from(found[-1], Diagnostics(Diagnostic(**fields) for fields in found))
    losses, verified = done["losses"], json.loads(done["verify"]) if done["verify"] else None
    if name != file:
        losses, verified = json.dumps(_called(json.loads(losses), file, name), indent=2, ensure_ascii=False), _called(verified, file, name)
    return Conversion(entry=pathlib.Path(done["entry"]), files=[pathlib.Path(one) for one in done["files"]], losses=Losses(losses),
                      diagnostics=publish(found, "mechane.convert"), remaining_errors=done["errors"], verified=verified, holds=done["holds"])


def to_usd(source: Any, out: str | os.PathLike, *, strict: bool = False, verify: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
           packages: dict[str, str | os.PathLike] | None = None, variants: dict[str, dict[str, str]] | None = None, **options: Any) -> Conversion:
    """OpenUSD of any source. A name without a suffix is a folder, laid out as REP-0158 has it; .usda, .usdc and .usd are one layer; .usdz is a package.

    @param strict    a value that would be dropped or approximated is an error, and nothing is written
    @param verify    reads the result back and compares it with the source: `.verified`, `.holds`
    @param resolver_paths  folders of relative files, and of packages by their name
    @param packages  name -> folder, for package:// and $(find)
    @param variants  prim path -> {set: variant}, of a source that is a stage
    @param options   of sources that are no OpenUSD: base ("auto", "floating", "fixed"), default_mass [kg] of links that move and have none,
                     visuals_collide, name of the robot, mesh_unit [m] of a mesh file that is the source, xacro_arguments (name -> text)
    @raises FileNotFoundError  there is no such source
    @raises ValueError  no format of this name; FILES_INPUT, FILES_FOLDER: `out` is, or holds, something that may not be replaced; EXPORT_LOSS
    @raises OSError     the result cannot be written; what was there is whole
    @raises RuntimeError  the source cannot be opened, or holds nothing that the format could say
    """
    return _convert(source, out, _SUFFIXES["OpenUSD"], _READING, strict, verify, resolver_paths, packages, variants, options)


def to_urdf(source: Any, out: str | os.PathLike, *, strict: bool = False, verify: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
            packages: dict[str, str | os.PathLike] | None = None, variants: dict[str, dict[str, str]] | None = None, **options: Any) -> Conversion:
    """The robot of a source as URDF; meshes go into a folder beside it.

    @param options  as `to_usd`, and package (meshes are package://NAME/...), default_effort [N or N m] and default_velocity [m/s or rad/s] of joints
                    that have none, keep_frames (frames of links stay where they are, on links of their own)
    @raises         as `to_usd`
    """
    return _convert(source, out, _SUFFIXES["URDF"], _READING + _URDF, strict, verify, resolver_paths, packages, variants, options)


def to_sdf(source: Any, out: str | os.PathLike, *, strict: bool = False, verify: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
           packages: dict[str, str | os.PathLike] | None = None, variants: dict[str, dict[str, str]] | None = None, **options: Any) -> Conversion:
    """The robot of a source as SDFormat; meshes go into a folder beside it.

    @param options  as `to_usd`, and package (meshes are package://NAME/...), sdf_version ("1.9", "1.10", "1.11"), ros_plugin (name of the plug-ins that
                    stand for interfaces of ROS; empty: none)
    @raises         as `to_usd`
    """
    return _convert(source, out, _SUFFIXES["SDFormat"], _READING + _SDF, strict, verify, resolver_paths, packages, variants, options)


def to_mjcf(source: Any, out: str | os.PathLike, *, strict: bool = False, verify: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
            packages: dict[str, str | os.PathLike] | None = None, variants: dict[str, dict[str, str]] | None = None, **options: Any) -> Conversion:
    """The robot of a source as MJCF; meshes go into a folder beside it.

    @param options  as `to_usd`, and mjcf_sdf (colliders that are their triangles become fields of distances, not hulls)
    @raises         as `to_usd`
    """
    return _convert(source, out, _SUFFIXES["MJCF"], _READING + _MJCF, strict, verify, resolver_paths, packages, variants, options)


def to_gltf(source: Any, out: str | os.PathLike, *, strict: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
            packages: dict[str, str | os.PathLike] | None = None, variants: dict[str, dict[str, str]] | None = None, **options: Any) -> Conversion:
    """What a source shows, as glTF 2.0 (.gltf, .glb). Bodies, joints and colliders are no part of glTF.

    @param options  as `to_usd`, and purposes of prims that are written (a set; "default" and "render" unless given), front_z (x becomes glTF's front),
                    prune (no scopes that show nothing), keep_colors, expand_instances, approximate_lights, material_variants, openpbr, extras (paths of
                    prims), segments of round shapes (8 to 256), influences of a point of a skin (4 or 8), udim ("refuse", "atlas", "split")
    @raises         as `to_usd`
    """
    return _convert(source, out, _SUFFIXES["glTF"], _READING + _GLTF, strict, False, resolver_paths, packages, variants, options)


def _from(title: str, file: str | os.PathLike, out: str | os.PathLike, strict: bool, verify: bool, resolver_paths: Any, packages: Any,
          options: dict[str, Any]) -> Conversion:
    if not isinstance(file, (str, os.PathLike)):
        raise error(TypeError, "PYTHON_ARG_SOURCE", f"file: expected a path, not {type(file).__name__}")
    if suffix_of(file) not in _SOURCES[title]:
        raise error(ValueError, "SOURCE_FORMAT_UNKNOWN", f"file is {os.fspath(file)!r}, expected {title}: a name that ends in {' or '.join(_SOURCES[title])}")
    return _convert(file, out, _SUFFIXES["OpenUSD"], _READING, strict, verify, resolver_paths, packages, None, options)


def from_urdf(file: str | os.PathLike, out: str | os.PathLike, *, strict: bool = False, verify: bool = False,
              resolver_paths: list[str | os.PathLike] | None = None, packages: dict[str, str | os.PathLike] | None = None, **options: Any) -> Conversion:
    """OpenUSD of a URDF or xacro file; arguments and errors as `to_usd`."""
    return _from("URDF", file, out, strict, verify, resolver_paths, packages, options)


def from_sdf(file: str | os.PathLike, out: str | os.PathLike, *, strict: bool = False, verify: bool = False,
             resolver_paths: list[str | os.PathLike] | None = None, packages: dict[str, str | os.PathLike] | None = None, **options: Any) -> Conversion:
    """OpenUSD of an SDFormat file; arguments and errors as `to_usd`."""
    return _from("SDFormat", file, out, strict, verify, resolver_paths, packages, options)


def from_mjcf(file: str | os.PathLike, out: str | os.PathLike, *, strict: bool = False, verify: bool = False,
              resolver_paths: list[str | os.PathLike] | None = None, packages: dict[str, str | os.PathLike] | None = None, **options: Any) -> Conversion:
    """OpenUSD of an MJCF file; arguments and errors as `to_usd`."""
    return _from("MJCF", file, out, strict, verify, resolver_paths, packages, options)


def from_gltf(file: str | os.PathLike, out: str | os.PathLike, *, strict: bool = False, resolver_paths: list[str | os.PathLike] | None = None,
              packages: dict[str, str | os.PathLike] | None = None, **options: Any) -> Conversion:
    """OpenUSD of a glTF scene; arguments and errors as `to_usd`."""
    return _from("glTF", file, out, strict, False, resolver_paths, packages, options)


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())

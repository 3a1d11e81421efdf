"""The XML of an MJCF model: included files put in, paths of assets made whole, defaults of classes merged, numbers and rotations read."""
from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...core.diagnostics import kind_of, warn
from ...core.files import note_read
from ...core.rotations import quat_from_axis_angle, quat_from_matrix, quat_multiply
from ...core.values import quat, transform, vec3
from .parts import numbers

__all__ = ["Settings", "load"]

_ASSETS = ("mesh", "hfield", "texture")
_LIMITS = frozenset({"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
_ACTUATOR = frozenset({"gear", "damping"})
#: Vectors of which an element may give the first numbers, the rest being those of its class.
_PARTIAL: dict[str, frozenset[str]] = {
    "geom": frozenset({"size", "friction", "solref", "solimp", "fluidcoef"}), "site": frozenset({"size"}), "joint": _LIMITS, "tendon": _LIMITS,
    "pair": frozenset({"friction", "solref", "solreffriction", "solimp"}), "equality": frozenset({"solref", "solimp"}),
    "general": _ACTUATOR | {"dynprm", "gainprm", "biasprm"},
    **dict.fromkeys(("motor", "position", "velocity", "intvelocity", "pid", "damper", "cylinder", "muscle", "dcmotor"), _ACTUATOR)}


def _beside(folder: str | None, file: str) -> str:
    """The file of a path that is relative to a folder."""
    if os.path.isabs(file):
        return os.path.normpath(file)
    if folder:
        return os.path.abspath(os.path.join(folder, file))
    raise kind_of(ValueError)(f"Cannot resolve relative path '{file}' without base directory", "SOURCE_READ_FAILED")


def _in(folder: str | None, file: str) -> str:
    return os.path.join(folder, file) if folder not in (None, ".") else file


def _parsed(source: str) -> tuple[Any, str | None]:
    if re.search("[<>]", source):
        try:
            return ElementTree.fromstring(source.strip().lstrip("\ufeff").strip()), None
        except ElementTree.ParseError as what:
            raise kind_of(ValueError)(f"the text is no XML: {what}", "SOURCE_READ_FAILED") from None
    if not os.path.isfile(source):
        raise kind_of(FileNotFoundError)(f"there is no file {source}", "SOURCE_READ_FAILED")
    try:
        return ElementTree.parse(note_read(source)).getroot(), os.path.dirname(source) or "."
    except ElementTree.ParseError as what:
        raise kind_of(ValueError)(f"{source}: {what}", "SOURCE_READ_FAILED") from None


def load(source: str, resolver: Callable[[str | None, str], str] | None, above: frozenset[str] | None = None, main: str | None = None,
         folders: dict[str, str | None] | None = None, strip: bool = False) -> tuple[Any, str | None]:
    """The root with all included files in it, and the folder of the main file.

    Folders of assets are those of the main file's compiler, then those beside the file that names the asset. A resolver of the caller's gets the
    folder of that file and the path; for an include it may return XML.

    @raises ValueError  a file includes itself, or the XML is broken
    """
    included = above is not None
    if not re.search("[<>]", source):
        whole = os.path.realpath(source)
        if included and whole in (above or ()):
            raise kind_of(ValueError)(f"Circular include detected: {whole}", "SOURCE_READ_FAILED")
        above = (above or frozenset()) | {whole}
    root, folder = _parsed(source)
    above = above or frozenset()
    if not included:
        main = folder
    compiler = root.find("compiler")
    own: dict[str, str | None] = dict.fromkeys(_ASSETS)
    own_strip = None
    if compiler is not None:
        both = compiler.attrib.get("assetdir")
        meshes = compiler.attrib.get("meshdir", both)
        own = {"mesh": meshes, "hfield": meshes, "texture": compiler.attrib.get("texturedir", meshes if both is None else both)}
        if "strippath" in compiler.attrib:
            own_strip = compiler.attrib["strippath"].lower() in ("true", "1")
        for name in ("assetdir", "meshdir", "texturedir"):
            compiler.attrib.pop(name, None)
    of_main = {tag: own[tag] if own[tag] is not None else (folders or {}).get(tag) for tag in _ASSETS}
    main_strip = strip if own_strip is None else own_strip
    assets = [e for e in root.iter() if e.tag in _ASSETS and e.get("file")]
    resolve = resolver or _beside
    for parent, include in [(p, c) for p in root.iter() for c in p if c.tag == "include"]:
        if not include.get("file"):
            continue
        inner, _ = load(resolve(folder, include.get("file")), resolver, above, main, of_main, main_strip)
        at = list(parent).index(include)
        parent.remove(include)
        for k, child in enumerate(inner):
            parent.insert(at + k, child)
    for element in assets:
        element.set("file", _asset(element, folder, main, own, of_main, bool(own_strip), main_strip, included, resolver))
    return root, folder


def _asset(element: Any, folder: str | None, main: str | None, own: dict[str, str | None], of_main: dict[str, str | None], own_strip: bool, main_strip: bool,
           included: bool, resolver: Any) -> str:
    file = element.get("file")
    if own_strip:
        file = os.path.basename(file.replace("\\", "/"))
    path, base = _in(own[element.tag], file), folder
    if resolver is not None:
        return resolver(base, path)
    in_main = _in(of_main[element.tag], os.path.basename(file.replace("\\", "/")) if main_strip else file)
    candidate = in_main if os.path.isabs(in_main) else os.path.join(main, in_main) if main is not None else None
    if candidate is not None and os.path.isfile(candidate):
        base, path = main, in_main
    elif included and base is not None and not os.path.isabs(file) and os.path.isfile(os.path.join(base, file)):
        path = file
    return path if base is None and not os.path.isabs(path) else _beside(base, path)


class Settings:
    """What the compiler, the classes and the elements of a model say."""

    def __init__(self, root: Any, scale: float):
        self.scale = scale
        self.compiler: dict[str, str] = {}
        for element in root.iter("compiler"):
            self.compiler.update(element.attrib)
        c = self.compiler
        self.degrees = c.get("angle", "degree").lower() == "degree"
        self.sequence = c.get("eulerseq", "xyz")
        self.fit_box = c.get("fitaabb", "false").lower() == "true"
        self.autolimits = c.get("autolimits", "true").lower() == "true"
        self.inertia_from_geom = self._word("inertiafromgeom", "auto", ("auto", "false", "true"))
        groups = tuple(int(x) for x in c.get("inertiagrouprange", "0 5").split())
        if len(groups) != 2:
            raise kind_of(ValueError)("MJCF compiler inertiagrouprange must contain exactly 2 integers.", "SOURCE_LOST")
        self.inertia_groups = groups
        self.bound_mass, self.bound_inertia = float(c.get("boundmass", 0)), float(c.get("boundinertia", 0)) * scale**2
        self.balance = self._word("balanceinertia", "false", ("false", "true")) == "true"
        self._classes: dict[str, dict[str, dict[str, str]]] = {"__all__": {}}
        self._children: dict[str, list[str]] = {}
        for element in root.findall("default"):
            self._take(element, None)
        self._inherit("__all__")

    def _word(self, name: str, default: str, words: tuple[str, ...]) -> str:
        value = self.compiler.get(name, default).lower()
        if value not in words:
            raise kind_of(ValueError)(f"MJCF compiler {name} must be {', '.join(map(repr, words[:-1]))}, or {words[-1]!r}; got {value!r}.".replace("', or", "' or") if len(words) == 2
                                      else f"MJCF compiler {name} must be {', '.join(map(repr, words[:-1]))}, or {words[-1]!r}; got {value!r}.", "SOURCE_LOST")
        return value

    # -- classes
    def _take(self, element: Any, parent: str | None) -> None:
        name = element.attrib.get("class", "__all__")
        if "class" in element.attrib:
            self._children.setdefault(parent or "__all__", []).append(name)
        own = self._classes.setdefault(name, {})
        for child in element:
            if child.tag == "default":
                self._take(child, element.get("class"))
            else:
                own[child.tag] = self.own(child)

    def _inherit(self, name: str) -> None:
        for child in self._children.get(name, ()):
            if child == name:
                continue
            above, own = self._classes[name], self._classes[child]
            self._classes[child] = {**above, **{tag: self.merged(above.get(tag, {}), values, tag) for tag, values in own.items()}}
            self._inherit(child)

    @staticmethod
    def own(element: Any) -> dict[str, str]:
        """Attributes of an element; the layers of a material as attributes of older models."""
        out = dict(element.attrib)
        if element.tag == "material":
            for layer in element.findall("layer"):
                if layer.get("role") in ("rgb", "rgba"):
                    out["texture" if layer.get("role") == "rgb" else "texture_rgba"] = layer.get("texture")
        return out

    @staticmethod
    def merged(defaults: dict[str, str], own: dict[str, str], tag: str) -> dict[str, str]:
        out = dict(defaults)
        for key, value in own.items():
            if key in defaults and key in _PARTIAL.get(tag, ()):
                given = value.split()
                value = " ".join(given + defaults[key].split()[len(given):])
            out[key] = value
        return out

    @property
    def root_defaults(self) -> dict[str, dict[str, str]]:
        return self._classes["__all__"]

    def defaults(self, name: str | None, ambient: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        """Those of a class, or the ones around."""
        return self._classes[name] if name is not None and name in self._classes else ambient

    def attributes(self, element: Any, tag: str, ambient: dict[str, dict[str, str]] | None = None) -> dict[str, str]:
        """An element's attributes over those of its class."""
        of_class = self.defaults(element.get("class"), self.root_defaults if ambient is None else ambient)
        return self.merged(of_class.get(tag, {}), self.own(element), tag)

    # -- values
    def vector(self, given: dict[str, str], key: str, default: tuple[float, ...] | None) -> tuple[float, ...]:
        """In single precision. One number for several: the rest of reference values are defaults, of others the same number."""
        if key not in given:
            return tuple(default or ())
        out = tuple(float(np.float32(x)) for x in given[key].split())
        if len(out) == 1 and default is not None and len(default) > 1:
            if key in ("solref", "solreflimit", "solrefcontact", "solreffriction"):
                return (out[0], *default[1:])
            if len(default) != 3:
                warn(f"SOURCE_LOST: MJCF attribute {key!r} has one number and needs {len(default)}; it stands for all of them")
            return out * len(default)
        return out

    def number(self, given: dict[str, str], key: str, default: float) -> float:
        return float(given[key]) if key in given else default

    def limited(self, given: dict[str, str], key: str, range_key: str) -> bool:
        """Whether a range holds: as is said, else where it is given and the compiler infers it."""
        word = given.get(key, "auto").lower()
        if word in ("true", "false"):
            return word == "true"
        there = range_key in given and any(numbers(given[range_key], ()))
        if there and not self.autolimits:
            raise kind_of(ValueError)(f"MJCF element '{given.get('name', 'unnamed')}' has '{range_key}' but no '{key}' while compiler autolimits is false; "
                                      f"set {key}=\"true\" or \"false\" explicitly.", "SOURCE_LOST")
        return there

    def _euler(self, angles: tuple[float, ...]) -> quat:
        """Small letters turn about the frame's own axes, capitals about the parent's."""
        out = np.array([0.0, 0.0, 0.0, 1.0])
        for angle, letter in zip(angles, self.sequence):
            turn = np.zeros(4)
            turn["xyz".index(letter.lower())], turn[3] = math.sin(angle / 2), math.cos(angle / 2)
            pair = (out, turn) if letter.islower() else (turn, out)
            out = np.array([float(x) for x in quat_multiply(*pair)])
        return quat(*out.tolist())

    def rotation(self, given: dict[str, str]) -> quat:
        unit = math.pi / 180 if self.degrees else 1.0
        if "quat" in given:
            w, x, y, z = numbers(given["quat"], ())
            n = math.sqrt(w * w + x * x + y * y + z * z)
            return quat(x / n, y / n, z / n, w / n)
        if "euler" in given:
            return self._euler(tuple(a * unit for a in numbers(given["euler"], ())))
        if "axisangle" in given:
            *axis, angle = numbers(given["axisangle"], ())
            return quat(*(float(c) for c in quat_from_axis_angle(axis, angle * unit)))
        if "xyaxes" in given:
            a = np.array(numbers(given["xyaxes"], ()))
            x = a[:3] / np.linalg.norm(a[:3])
            z = np.cross(x, a[3:])
            z /= np.linalg.norm(z)
            y = np.cross(z, x)
            return quat(*(float(c) for c in quat_from_matrix(np.stack([x, y / np.linalg.norm(y), z], axis=1))))
        if "zaxis" in given:
            z = np.array(numbers(given["zaxis"], ()))
            z /= np.linalg.norm(z)
            axis = np.array([-z[1], z[0], 0.0])
            length = float(np.linalg.norm(axis))
            if length < 1e-7:
                axis, length = np.array([1.0, 0.0, 0.0]), 0.0
            else:
                axis /= length
            half = 0.5 * math.atan2(length, z[2])
            return quat(*(axis * math.sin(half)).tolist(), math.cos(half))
        return quat(0, 0, 0, 1)

    def pose(self, given: dict[str, str]) -> transform:
        x, y, z = (c * self.scale for c in self.vector(given, "pos", (0.0, 0.0, 0.0)))
        return transform(vec3(x, y, z), self.rotation(given))

    def segment(self, given: dict[str, str], X: transform | None, refused: str | None = None) -> tuple[transform, float]:
        """The frame and half the length of fromto, z from the second end to the first as in MuJoCo."""
        v = self.vector(given, "fromto", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        ends = [vec3(*(c * self.scale for c in v[k:k + 3])) for k in (0, 3)]
        a, b = (np.asarray(e if X is None else X @ e, dtype=float) for e in ends)
        along, middle = a - b, vec3(*((a + b) / 2).tolist())
        length = float(np.linalg.norm(along))
        if length < 1e-6:
            if refused is not None:
                raise kind_of(ValueError)(refused, "SOURCE_LOST")
            return transform(middle, quat(0, 0, 0, 1)), 0.0
        along /= length
        if along[2] < -0.999999:
            return transform(middle, quat(1, 0, 0, 0)), length / 2
        half = np.array([-along[1], along[0], 0.0, 1 + along[2]])
        return transform(middle, quat(*(half / np.linalg.norm(half)).tolist())), length / 2

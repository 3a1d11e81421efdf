"""How a mesh looks by its bound material: colours, textures, and the texture coordinates that they ask for.

Works on prims of mechane and on live ones: only methods that both have are called.
"""
from __future__ import annotations

import math
from typing import Any

from .. import _core
from ..core.colors import color_linear_to_srgb
from ..core.diagnostics import warn
from ..core.values import as_vec3
from .helpers import plain_value
from .view import Prim

__all__ = ["Look"]

_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
#: longest chain of connections that is followed; longer ones are cycles
_DEPTH = 32


class Look:
    """What the material of a prim says; read at construction."""

    def __init__(self, prim: Any):
        self.color: tuple[float, ...] | None = None
        self.opacity: float | None = None
        self.roughness: float | None = None
        self.metallic: float | None = None
        #: The file, or the pixels [height, width, 4] of one that holds linear colours, encoded for display.
        self.texture: Any = None
        self.texture_transform = _IDENTITY
        #: Name of the texture coordinates without "primvars:", where the material names them.
        self.texcoord: str | None = None
        self._take_primvars(prim)
        material = _bound_material(prim)
        shader = None if material is None else _surface(material)
        if shader is not None:
            self._take_shader(shader)

    @property
    def is_plain(self) -> bool:
        return self.color is None and self.opacity is None and self.texture is None

    def fields(self) -> dict[str, Any]:
        """The same as attributes of a mesh."""
        return {"color": None if self.color is None else as_vec3("color", self.color), "opacity": self.opacity, "roughness": self.roughness,
                "metallic": self.metallic, "texture": self.texture, "texture_transform": self.texture_transform}

    def _take_primvars(self, prim: Any) -> None:
        color, opacity = (_value(prim, f"primvars:{n}") for n in ("displayColor", "displayOpacity"))
        if color is not None and len(color) == 1:
            self.color = tuple(float(x) for x in color[0])
        if opacity is not None and len(opacity):
            self.opacity = float(opacity[0])
            if len(opacity) > 1:
                warn(f"PYTHON_OPACITY_VARIES: {len(opacity)} opacities for one mesh, using the first value [{prim.GetPath()}]")

    def _take_shader(self, shader: Any) -> None:
        for name in ("baseColor", "diffuseColor", "diffuse_color_constant", "diffuse_color", "base_color"):
            value, texture = _input(shader, name)
            if texture is not None:
                self.color = (1.0, 1.0, 1.0)
                self._take_texture(texture)
                break
            if value is not None:
                self.color = color_linear_to_srgb(value)
                break
        for field, names in (("opacity", ("opacity", "opacity_constant")), ("roughness", ("roughness", "reflection_roughness_constant")),
                             ("metallic", ("metallic", "metallic_constant"))):
            value = next((v for v in (_input(shader, n)[0] for n in names) if v is not None), None)
            if value is not None:
                setattr(self, field, float(value))
        index = _value(shader, "inputs:uv_space_index")
        if index is not None and int(index) > 0:
            self.texcoord = f"st_{int(index)}"

    def _take_texture(self, texture: Any) -> None:
        file = _value(texture, "inputs:file")
        self.texture = None if file is None else str(getattr(file, "resolvedPath", "") or file)
        if self.texture and _is_linear(texture):
            # Displays take encoded colours: a file of linear ones is read, any other is shown as it is.
            pixels = _core.read_picture(self.texture, True)
            if pixels is None:
                warn(f"IMPORT_TEXTURE_LINEAR: {self.texture} is not a readable PNG or JPEG file, so it is shown without being encoded [{texture.GetPath()}]")
            else:
                self.texture = pixels
        node = _producer(texture, "inputs:st")
        if node is not None and _id(node) == "UsdTransform2d":
            self.texture_transform = _transform2d(node)
            node = _producer(node, "inputs:in")
        if node is not None and _id(node).startswith("UsdPrimvarReader"):
            name = _value(node, "inputs:varname")
            self.texcoord = str(name) if name else None


def _value(prim: Any, name: str) -> Any:
    attribute = prim.GetAttribute(name)
    return plain_value(attribute.Get()) if attribute and attribute.IsValid() else None


def _id(shader: Any) -> str:
    return str(_value(shader, "info:id") or "")


_LINEAR = {"lin_rec709_scene", "lin_rec709", "lin_srgb", "raw", "data", "identity", "linear"}


def _is_linear(texture: Any) -> bool:
    """Whether a UsdUVTexture reads linear colours: as the node says, else the file's attribute, else a ColorSpaceAPI above."""
    own = str(_value(texture, "inputs:sourceColorSpace") or "auto")
    if own != "auto":
        return own.lower() in _LINEAR
    file = texture.GetAttribute("inputs:file")
    space = str(file.GetMetadata("colorSpace") or "") if file and file.IsValid() else ""
    at = texture
    while not space and at and at.IsValid() and not at.IsPseudoRoot():
        if "ColorSpaceAPI" in [str(schema) for schema in at.GetAppliedSchemas()]:
            space = str(_value(at, "colorSpace:name") or "")
        at = at.GetParent()
    return space.lower() in _LINEAR


def _bound_material(prim: Any) -> Any:
    if isinstance(prim, Prim):
        found = Prim(prim._core.bound_material(""))
        return found if found else None
    at = prim
    while at and at.IsValid() and not at.IsPseudoRoot():
        targets = at.GetRelationship("material:binding").GetTargets() if at.GetRelationship("material:binding") else []
        if targets:
            material = prim.GetStage().GetPrimAtPath(targets[0])
            return material if material else None
        at = at.GetParent()
    return None


def _source(prim: Any, name: str) -> tuple[Any, str] | None:
    """The attribute at the end of an attribute's connections: prim and name."""
    found = None
    for _ in range(_DEPTH):
        attribute = prim.GetAttribute(name)
        connections = list(attribute.GetConnections()) if attribute and attribute.IsValid() else []
        if not connections:
            return found
        path, _, name = str(connections[0]).rpartition(".")
        prim = prim.GetStage().GetPrimAtPath(path)
        if not prim:
            return None
        found = (prim, name)
    return None


def _producer(prim: Any, name: str) -> Any:
    source = _source(prim, name)
    return None if source is None else source[0]


def _surface(material: Any) -> Any:
    """The shader that makes the surface, whatever renderer it is for."""
    for name in ("outputs:surface", "outputs:mdl:surface", "outputs:mtlx:surface"):
        shader = _producer(material, name)
        if shader is not None:
            return shader
    return next((c for c in material.GetChildren() if str(c.GetTypeName()) == "Shader"), None)


def _input(shader: Any, name: str) -> tuple[Any, Any]:
    """The constant of an input, or the texture that feeds it."""
    source = _source(shader, f"inputs:{name}")
    if source is None:
        return _value(shader, f"inputs:{name}"), None
    node, output = source
    if _id(node) == "UsdUVTexture":
        return None, node
    return _value(node, output), None


def _transform2d(node: Any) -> tuple[tuple[float, float, float], ...]:
    """Scale, then turn, then move, as UsdTransform2d has it."""
    scale, turn, move = (_value(node, f"inputs:{n}") for n in ("scale", "rotation", "translation"))
    sx, sy = (1.0, 1.0) if scale is None else (float(x) for x in scale)
    c, s = math.cos(math.radians(float(turn or 0.0))), math.sin(math.radians(float(turn or 0.0)))
    tx, ty = (0.0, 0.0) if move is None else (float(x) for x in move)
    return ((sx * c, -sy * s, tx), (sx * s, sy * c, ty))

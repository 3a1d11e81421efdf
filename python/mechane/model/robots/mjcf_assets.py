"""Meshes, pictures, materials and height fields of an MJCF model."""
from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np

from ...core.diagnostics import kind_of, warn
from ...core.files import note_read
from ...core.rotations import quat_from_matrix
from ...core.values import mat33, quat, transform, vec3
from ...geometry.heightfield import Heightfield
from ...geometry.inertia import compute_inertia_mesh
from ...geometry.mesh import Mesh
from .mjcf_file import Settings
from .parts import numbers, rotation_matrix

__all__ = ["Assets"]

_MODES = ("convex", "exact", "legacy", "shell")


def _lost(text: str) -> Exception:
    return kind_of(ValueError)(text, "SOURCE_LOST")


def _numbers(text: str, kind: Any, what: str) -> np.ndarray:
    try:
        return np.array(text.split(), dtype=kind)
    except (ValueError, OverflowError):
        raise _lost(f"{what}.") from None


def _rest_pose(given: dict[str, str], label: str) -> tuple[np.ndarray, np.ndarray]:
    """refpos and refquat (w x y z)."""
    out = []
    for key, default, n in (("refpos", "0 0 0", 3), ("refquat", "1 0 0 0", 4)):
        values = _numbers(given.get(key, default), float, f"{label} has invalid {key} data")
        if len(values) != n:
            raise _lost(f"{label} {key} must have {n} values.")
        out.append(values)
    if not np.isfinite(out[1]).all() or np.linalg.norm(out[1]) == 0:
        raise _lost(f"{label} refquat must be finite and nonzero.")
    if not np.isfinite(out[0]).all():
        raise _lost(f"{label} refpos must contain only finite values.")
    return out[0], out[1]


class Assets:
    """`meshes` by name, `textures`, `materials`, `hfields`."""

    def __init__(self, root: Any, settings: Settings, folder: str | None, maxhullvert: int, verbose: bool):
        self.s, self.folder, self.maxhullvert = settings, folder or ".", maxhullvert
        self.meshes: dict[str, dict[str, Any]] = {}
        self.textures: dict[str, dict[str, Any]] = {}
        self.materials: dict[str, dict[str, Any]] = {}
        self.hfields: dict[str, dict[str, Any]] = {}
        self._read: dict[Any, tuple[Any, ...]] = {}
        for asset in root.findall("asset"):
            for element in asset.findall("mesh"):
                self._take_mesh(settings.attributes(element, "mesh"))
            for element in asset.findall("texture"):
                self._take_texture(element.attrib)
            for element in asset.findall("material"):
                self._take_material(settings.attributes(element, "material"))
            for element in asset.findall("hfield"):
                self._take_hfield(element.attrib)

    def _file(self, path: str) -> str:
        return path if os.path.isabs(path) else os.path.abspath(os.path.join(self.folder, path))

    def _take_mesh(self, a: dict[str, str]) -> None:
        name, file = a.get("name"), a.get("file")
        mode = a.get("inertia", "legacy")
        if mode not in _MODES:
            raise _lost(f"MJCF mesh {name or file!r} has unsupported inertia {mode!r}; expected one of {sorted(_MODES)}.")
        row = {"scale": np.asarray(numbers(a.get("scale"), (1.0, 1.0, 1.0))), "maxhullvert": int(a.get("maxhullvert", self.maxhullvert)), "inertia": mode,
               "content_type": a.get("content_type")}
        if file:
            row["file"] = self._file(file)
            name = name or os.path.basename(row["file"]).rsplit(".", 1)[0]
            row["refpos"], row["refquat"] = _rest_pose(a, f"MJCF mesh {name!r}")
            self.meshes[name] = row
        elif "vertex" in a:
            if not name:
                raise _lost("Inline MJCF mesh assets require a name.")
            self.meshes[name] = {**row, **self._inline(name, a)}

    @staticmethod
    def _inline(name: str, a: dict[str, str]) -> dict[str, Any]:
        what = f"Inline MJCF mesh {name!r}"
        v = _numbers(a["vertex"], np.float32, f"{what} has invalid vertex data")
        if len(v) % 3:
            raise _lost(f"{what} vertex data must contain a multiple of 3 values; got {len(v)}.")
        if len(v) < 9:
            raise _lost(f"{what} must contain at least 3 vertices.")
        v = v.reshape(-1, 3)
        out: dict[str, Any] = {"vertices": v, "faces": None, "normals": None, "uvs": None}
        if a.get("face", "").strip():
            f = _numbers(a["face"], np.int32, f"{what} has invalid face data")
            if len(f) % 3:
                raise _lost(f"{what} face data must contain a multiple of 3 values; got {len(f)}.")
            if (f < 0).any() or (f >= len(v)).any():
                raise _lost(f"{what} face data contains an invalid vertex index.")
            out["faces"] = f.reshape(-1, 3)
        if "normal" in a:
            n = _numbers(a["normal"], np.float32, f"{what} has invalid normal data")
            if len(n) not in (3, 3 * len(v)):
                raise _lost(f"{what} normal data must contain 3 shared values or 3 values per vertex; got {len(n)} values for {len(v)} vertices.")
            out["normals"] = np.repeat(n.reshape(-1, 3), len(v), axis=0) if len(n) == 3 else n.reshape(-1, 3)
        if "texcoord" in a:
            t = _numbers(a["texcoord"], np.float32, f"{what} has invalid texcoord data")
            if len(t) != 2 * len(v):
                raise _lost(f"{what} texcoord data must contain 2 values per vertex; got {len(t)} values for {len(v)} vertices.")
            out["uvs"] = t.reshape(-1, 2)
        out["refpos"], out["refquat"] = _rest_pose(a, what)
        return out

    def _take_texture(self, a: dict[str, str]) -> None:
        name, file, builtin = a.get("name"), a.get("file"), a.get("builtin", "none")
        if name and not file and builtin != "none":
            one, two = (np.array(numbers(a.get(key), d), np.float32)[:3] for key, d in (("rgb1", (0.8,) * 3), ("rgb2", (0.5,) * 3)))
            self.textures[name] = {"color": tuple(float(c) for c in (one if builtin == "flat" else 0.5 * (one + two)))}
        elif name and file:
            self.textures[name] = {"file": self._file(file)}

    def _take_material(self, a: dict[str, str]) -> None:
        if not a.get("name"):
            return
        texture = a.get("texture") or a.get("texture_rgba")
        row: dict[str, Any] = {"rgba": a.get("rgba", "1 1 1 1" if texture else None), "texture": texture}
        row.update({k: float(a[k]) for k in ("roughness", "metallic") if float(a.get(k, -1)) >= 0})
        self.materials[a["name"]] = row

    def _take_hfield(self, a: dict[str, str]) -> None:
        name = a.get("name")
        if not name:
            return
        size = _numbers(a.get("size", ""), np.float32, f"MJCF heightfield {name!r} has an invalid size")
        if size.size != 4:
            raise _lost(f"MJCF heightfield {name!r} size must contain exactly four values")
        if not np.isfinite(size).all() or (size <= 0).any():
            raise _lost(f"MJCF heightfield {name!r} size values must be finite and positive")
        rows, cols = int(a.get("nrow", 100)), int(a.get("ncol", 100))
        heights = None
        if a.get("elevation") and not a.get("file"):
            values = _numbers(a["elevation"], np.float32, f"MJCF heightfield {name!r} has invalid elevation data")
            heights = values.reshape(rows, cols) if values.size == rows * cols else None
        self.hfields[name] = {"nrow": rows, "ncol": cols, "size": tuple(float(x) for x in size), "file": self._file(a["file"]) if a.get("file") else None, "elevation": heights}

    # -- meshes
    def _raw(self, name: str) -> tuple[np.ndarray, np.ndarray | None, Any, Any]:
        row = self.meshes[name]
        if "vertices" in row:
            return row["vertices"], row["faces"], row["normals"], row["uvs"]
        key = row["file"]
        if key not in self._read:
            if row["content_type"] == "model/vnd.mujoco.msh" or key.lower().endswith(".msh"):
                self._read[key] = _msh(key)
            else:
                read = Mesh.create_from_file(key, compute_inertia=False)
                self._read[key] = (np.asarray(read.vertices), np.asarray(read.indices).reshape(-1, 3), read.normals, read.uvs)
        return self._read[key]

    def mesh(self, name: str, look: dict[str, Any] | None = None) -> Mesh:
        """In the frame that the asset says, scaled; mass as its mode of inertia has it."""
        row, look = self.meshes[name], look or {}
        vertices, faces, normals, uvs = self._raw(name)
        scale = row["scale"] * self.s.scale
        w, x, y, z = row["refquat"] / np.linalg.norm(row["refquat"])
        turn = rotation_matrix((x, y, z, w))
        placed = (np.asarray(vertices, float) - row["refpos"]) @ turn * scale
        if normals is not None:
            bent = np.asarray(normals, float) @ turn / np.where(scale != 0, scale, 1)
            normals = (bent / np.maximum(np.linalg.norm(bent, axis=1, keepdims=True), 1e-12)).astype(np.float32)
        if faces is None:
            hull = Mesh(placed, np.array([[0, 1, 2]]), compute_inertia=False, maxhullvert=row["maxhullvert"]).compute_convex_hull()
            # the vertices stay as they are, also those inside
            at = np.array([int(np.argmin(np.linalg.norm(placed - corner, axis=1))) for corner in np.asarray(hull.vertices, float)])
            faces = at[np.asarray(hull.indices).reshape(-1, 3)]
        elif np.prod(scale) < 0:
            faces = np.asarray(faces)[:, ::-1]
        if look.get("texture") is not None and uvs is None:
            look = {k: v for k, v in look.items() if k != "texture"}
        mesh = Mesh(np.asarray(placed, np.float32), np.ascontiguousarray(faces, np.int32).reshape(-1), normals=normals, uvs=uvs, compute_inertia=row["inertia"] == "exact",
                    maxhullvert=row["maxhullvert"], **look)
        if row["inertia"] != "exact":
            mass, com, inertia = self.mass(name, mesh)
            mesh.mass, mesh.com, mesh.inertia, mesh.has_inertia = mass, vec3(*com.tolist()), mat33(*inertia.reshape(-1).tolist()), True
        return mesh

    def mass(self, name: str, mesh: Mesh) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre and inertia about it for a density of one: of the volume, of the hull, of the skin; in the mode "legacy" of the cones from the
        centre to each face, all taken as positive."""
        mode = self.meshes[name]["inertia"]
        v, t = np.asarray(mesh.vertices, float), np.asarray(mesh.indices).reshape(-1, 3)
        if mode == "convex":
            hull = mesh.compute_convex_hull()
            v, t, mode = np.asarray(hull.vertices, float), np.asarray(hull.indices).reshape(-1, 3), "exact"
        corners = v[t]
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = 0.5 * np.linalg.norm(cross, axis=1)
        middle = corners.mean(axis=1)
        if not area.sum() > 0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        apex = (middle * area[:, None]).sum(axis=0) / area.sum()
        if mode == "shell":
            mass, com = float(area.sum()), apex
            second = np.einsum("t,tij->ij", area / 12, np.einsum("tki,tkj->tij", corners - com, corners - com) + 9 * np.einsum("ti,tj->tij", middle - com, middle - com))
            return mass, com, np.trace(second) * np.eye(3) - second
        sign = np.abs if mode == "legacy" else np.asarray
        volume = sign(np.einsum("ti,ti->t", corners[:, 0] - apex, cross) / 6)
        if volume.sum() > 0:
            # the second time from the centre of mass that the first time found, as MuJoCo does it
            com = (volume[:, None] * (corners.sum(axis=1) + apex) / 4).sum(axis=0) / volume.sum()
            volume = sign(np.einsum("ti,ti->t", corners[:, 0] - com, cross) / 6)
        mass = float(volume.sum())
        if not mass > 0:
            warn(f"SOURCE_LOST: mesh {name!r} has no positive volume; it weighs nothing")
            return 0.0, np.zeros(3), np.zeros((3, 3))
        points = corners - com
        total = points.sum(axis=1)
        second = np.einsum("t,tij->ij", volume / 20, np.einsum("tki,tkj->tij", points, points) + np.einsum("ti,tj->tij", total, total))
        return mass, com, np.trace(second) * np.eye(3) - second

    def fitted(self, name: str, kind: str, factor: float) -> tuple[tuple[float, ...], transform]:
        """Size and frame of a primitive that stands for a mesh: by its bounding box, or by the box of the same inertia."""
        mesh = self.mesh(name)
        if self.s.fit_box:
            v = np.asarray(mesh.vertices, float)
            low, high = v.min(axis=0), v.max(axis=0)
            half, X = (high - low) / 2, transform(vec3(*((low + high) / 2).tolist()), quat(0, 0, 0, 1))
            if kind == "sphere":
                return (float(half.max()) * factor,), X
            if kind in ("capsule", "cylinder"):
                r = max(half[0], half[1])
                return (float(r) * factor, float(max(half[2] - r, 0) if kind == "capsule" else half[2]) * factor), X
            return tuple(float(h) * factor for h in half), X
        mass, com, inertia = self.mass(name, mesh) if self.meshes[name]["inertia"] != "exact" else (mesh.mass, np.asarray(mesh.com, float), np.asarray(mesh.inertia, float))
        if not mass > 0:
            mass, com, inertia, _ = compute_inertia_mesh(1.0, mesh.vertices, mesh.indices)
        moments, axes = np.linalg.eigh(np.asarray(inertia, float).reshape(3, 3))
        half = np.sqrt(np.maximum(3 * (moments.sum() - 2 * moments) / (2 * mass), 0))
        order = np.argsort(half, kind="stable")
        half, axes = half[order], axes[:, order]
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        X = transform(vec3(*np.asarray(com, float).reshape(3).tolist()), quat(*(float(c) for c in quat_from_matrix(axes))))
        if kind == "sphere":
            return (float(half.mean()) * factor,), X
        if kind in ("capsule", "cylinder"):
            r = (half[0] + half[1]) / 2
            return (float(r) * factor, float(max(half[2] - r / 2, 0) if kind == "capsule" else half[2]) * factor), X
        return tuple(float(h) * factor for h in half), X

    # -- height fields
    def heightfield(self, name: str) -> Heightfield:
        """Heights between 0 and its size; rows of a text and of a picture are from the top."""
        row, k = self.hfields[name], self.s.scale
        turned = row["elevation"] is not None
        if turned:
            heights = row["elevation"]
        elif row["file"] is not None:
            heights, turned = _heights(row["file"], row["nrow"], row["ncol"]), row["file"].lower().endswith(".png")
        else:
            heights = np.zeros((row["nrow"], row["ncol"]), np.float32)
        low, high = float(heights.min()), float(heights.max())
        heights = (heights - low) / (high - low) if high > low else np.zeros_like(heights)
        heights = np.ascontiguousarray(heights[::-1] if turned else heights, np.float32)
        x, y, z, _ = row["size"]
        return Heightfield(data=heights, nrow=row["nrow"], ncol=row["ncol"], hx=x * k, hy=y * k, min_z=0.0, max_z=z * k)


def _heights(file: str, rows: int, cols: int) -> np.ndarray:
    """Of a picture (its first channel), or of MuJoCo's own format: two counts and the heights."""
    if file.lower().endswith(".png"):
        from ... import _core

        pixels = _core.read_picture(note_read(file), False)
        if pixels is None:
            raise _lost(f"{file} is no picture that can be read")
        return np.asarray(pixels[:, :, 0], np.float32)
    with open(note_read(file), "rb") as stream:
        data = stream.read()
    if len(data) < 8:
        raise _lost(f"{file} is too short for a height field")
    r, c = struct.unpack("<ii", data[:8])
    if r <= 0 or c <= 0 or len(data) != 8 + 4 * r * c:
        raise _lost(f"{file}: its size does not fit {r} x {c} heights")
    return np.frombuffer(data, "<f4", r * c, 8).reshape(r, c)


def _msh(file: str) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """MuJoCo's binary meshes: four counts, then positions, normals, texture coordinates and faces."""
    with open(note_read(file), "rb") as stream:
        data = stream.read()
    if len(data) < 16:
        raise _lost(f"MuJoCo mesh file is too short: {file}")
    nv, nn, nt, nf = struct.unpack("<iiii", data[:16])
    if nv < 4 or min(nn, nt, nf) < 0 or nn not in (0, nv) or nt not in (0, nv):
        raise _lost(f"Invalid MuJoCo mesh file: {file}: its counts are {(nv, nn, nt, nf)}")
    if len(data) != 16 + 12 * nv + 12 * nn + 8 * nt + 12 * nf:
        raise _lost(f"Invalid MuJoCo mesh file: {file}: {len(data)} bytes do not fit its counts")
    at, parts = 16, []
    for count, width, kind in ((nv, 3, "<f4"), (nn, 3, "<f4"), (nt, 2, "<f4"), (nf, 3, "<i4")):
        parts.append(np.frombuffer(data, kind, count * width, at).reshape(-1, width) if count else None)
        at += 4 * count * width
    v, n, t, f = parts
    if not np.isfinite(v).all():  # type: ignore[arg-type]
        raise _lost(f"Invalid MuJoCo mesh file: {file}: vertices that are not finite")
    if f is not None and ((f < 0).any() or (f >= nv).any()):
        raise _lost(f"Invalid MuJoCo mesh file: {file}: a face with an invalid vertex index")
    if t is not None:
        t = t * [1, -1] + [0, 1]  # rows of MuJoCo's pictures are from the top
    return v, f, n, t  # type: ignore[return-value]

"""URDF into a builder, with Newton 1.8's rules: links and joints in topological order, labels "robot/name", visuals beside colliders."""
from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np

from ...core.diagnostics import kind_of, warn
from ...core.enums import Axis, JointTargetMode
from ...core.rotations import quat_rpy
from ...core.values import mat33, quat, transform, vec3
from ...geometry.mesh import Mesh
from ..configs import JointDofConfig
from ..custom import AttributeFrequency
from ..texts import custom_values
from .parts import add_base_joint, attach, check_base, collapse_massless_roots, filter_all, import_pose, local_file, numbers, opacity_of, ordered, read_xml, rotation_matrix, shown

__all__ = ["read_urdf"]


def _pose(element: Any, scale: float) -> transform:
    origin = None if element is None else element.find("origin")
    if origin is None:
        return transform()
    xyz, rpy = numbers(origin.get("xyz"), (0.0, 0.0, 0.0)) or (0.0,) * 3, numbers(origin.get("rpy"), (0.0, 0.0, 0.0)) or (0.0,) * 3
    return transform(vec3(*(x * scale for x in xyz)), quat(*(float(x) for x in quat_rpy(*rpy))))


class _Reader:
    def __init__(self, builder: Any, root: Any, folder: str | None, options: dict[str, Any]):
        self.b, self.root, self.folder, self.o = builder, root, folder, options
        self.scale = float(options["scale"])
        self.name = root.attrib.get("name")
        of = lambda frequency: builder.get_custom_attributes_by_frequency([frequency])  # noqa: E731
        self.of_shape, self.of_body, self.of_joint, self.of_tree = (of(AttributeFrequency[f]) for f in ("SHAPE", "BODY", "JOINT", "ARTICULATION"))
        self.looks: dict[str, dict[str, Any]] = {}
        for material in root.findall("material"):
            if material.get("name"):
                self.looks[material.get("name")] = self._look(material)

    def label(self, name: str) -> str:
        return f"{self.name}/{name}" if self.name else name

    # -- files
    def asset(self, name: str) -> str | None:
        """The file of a mesh or a picture; None, with a warning, where there is none."""
        where: str | None = name
        if name.lower().startswith("file:"):
            where = local_file(name)
        elif name.startswith(("package://", "model://")):
            where = self._package(name)
        elif name.startswith(("http://", "https://")):
            warn(f"SOURCE_READ_FAILED: {name} lies on the network, from which nothing is read")
            return None
        elif not os.path.isabs(name):
            if self.folder is None:
                warn(f'SOURCE_READ_FAILED: Cannot resolve relative URI "{name}" when URDF is loaded from XML string; load it from a file')
                return None
            where = os.path.join(self.folder, name)
        if where is None:
            warn(f'SOURCE_READ_FAILED: Could not resolve URI "{name}"; give package_dirs, or set ROS_PACKAGE_PATH')
            return None
        if not os.path.exists(where):
            warn(f"SOURCE_READ_FAILED: Asset file {where} does not exist")
            return None
        return where

    def _package(self, uri: str) -> str | None:
        package, _, rest = uri.split("://", 1)[1].partition("/")
        folders = [*map(os.fspath, self.o["package_dirs"] or ())]
        for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH"):
            folders += [f for place in os.environ.get(variable, "").split(os.pathsep) if place for f in (place, os.path.join(place, "share"))]
        if self.folder is not None:
            parts = pathlib.Path(self.folder).parts
            folders += [str(pathlib.Path(*parts[:k])) for k in range(len(parts) - 1, 0, -1) if parts[k] == package]
        for folder in folders:
            for place in (os.path.join(folder, package, rest), os.path.join(folder, rest) if os.path.basename(os.path.normpath(folder)) == package else ""):
                if place and os.path.exists(place):
                    return place
        return None

    # -- looks
    def _look(self, material: Any) -> dict[str, Any]:
        out: dict[str, Any] = {"color": None, "opacity": None, "texture": None}
        color, texture = material.find("color"), material.find("texture")
        if color is not None and color.get("rgba"):
            rgba = np.asarray(numbers(color.get("rgba"), ()), dtype=np.float32)
            if len(rgba) >= 3:
                out["color"] = tuple(float(x) for x in rgba[:3])
            if len(rgba) >= 4:
                out["opacity"] = opacity_of(float(rgba[3]), "URDF material rgba")
        if texture is not None and texture.get("filename"):
            out["texture"] = self.asset(texture.get("filename"))
        return out

    def look(self, material: Any) -> dict[str, Any]:
        """Of a shape: what its material says, on top of the material of that name."""
        if material is None:
            return {"color": None, "opacity": None, "texture": None}
        name = material.get("name")
        own = self._look(material)
        out = {**self.looks.get(name, {"color": None, "opacity": None, "texture": None}), **{k: v for k, v in own.items() if v is not None}}
        if name and name not in self.looks and any(v is not None for v in own.values()):
            self.looks[name] = dict(out)
        return out

    # -- links
    def shapes(self, body: int, groups: list[Any], density: float, visible: bool, visual: bool) -> None:
        b, scale = self.b, self.scale
        cfg = b.default_shape_cfg.copy()
        cfg.density, cfg.is_visible, cfg.has_shape_collision, cfg.has_particle_collision = density, visible, not visual, not visual
        turn = quat(*(float(x) for x in Axis.Z.quat_between_axes(self.o["up_axis"])))
        for group in groups:
            shape = group.find("geometry")
            if shape is None:
                continue
            X, look = _pose(group, scale), self.look(group.find("material"))
            X_long = transform(X.p, X.q * turn)
            same = {"cfg": cfg, "custom_attributes": custom_values(shape.attrib, self.of_shape, "urdf"), "color": look["color"]}
            if visual and look["opacity"] is not None:
                same["opacity"] = look["opacity"]
            for box in shape.findall("box"):
                hx, hy, hz = (0.5 * scale * x for x in numbers(box.get("size"), (1.0, 1.0, 1.0)))
                b.add_shape_box(body, xform=X, hx=hx, hy=hy, hz=hz, **same)
            for ball in shape.findall("sphere"):
                b.add_shape_sphere(body, xform=X, radius=float(ball.get("radius") or 1) * scale, **same)
            for kind, verb, long in (("cylinder", b.add_shape_cylinder, "length"), ("capsule", b.add_shape_capsule, "height")):
                for one in shape.findall(kind):
                    half = float(one.get(long) or one.get("length") or 1) * 0.5 * scale
                    verb(body, xform=X_long, radius=float(one.get("radius") or 1) * scale, half_height=half, **same)
            for mesh in shape.findall("mesh"):
                self.mesh(body, mesh, X, look, same)

    def mesh(self, body: int, element: Any, X: transform, look: dict[str, Any], same: dict[str, Any]) -> None:
        file = element.get("filename") and self.asset(element.get("filename"))
        if not file:
            return
        looks = {k: look[k] for k in ("color", "texture") if look[k] is not None}
        try:
            read = Mesh.create_from_file(file, maxhullvert=self.o["mesh_maxhullvert"])
        except ValueError as what:
            warn(f"SOURCE_READ_FAILED: mesh {file} cannot be read: {what}")
            return
        scale = np.asarray(numbers(element.get("scale"), (1.0, 1.0, 1.0))) * self.scale
        indices = np.asarray(read.indices).reshape(-1, 3)
        if np.prod(scale) < 0:
            indices = indices[:, ::-1]
        if looks.get("texture") is not None and read.uvs is None:
            warn(f"SOURCE_LOST: Mesh {file} has a texture but no UVs; texture will be ignored")
            del looks["texture"]
        placed = Mesh(np.asarray(read.vertices) * scale, np.ascontiguousarray(indices).reshape(-1), maxhullvert=self.o["mesh_maxhullvert"], uvs=read.uvs, **looks)
        cfg = same["cfg"].copy()
        cfg.sdf_max_resolution = cfg.sdf_target_voxel_size = None
        cfg.sdf_narrow_band_range = (-0.1, 0.1)
        self.b.add_shape_mesh(body, mesh=placed, xform=X, **{**{k: v for k, v in same.items() if k != "color"}, "cfg": cfg})

    def inertia(self, body: int, link: Any) -> None:
        """What the link says of its mass, over what its shapes weigh."""
        given = link.find("inertial")
        if given is None or self.o["ignore_inertial_definitions"]:
            return
        b, frame = self.b, _pose(given, self.scale)
        b.body_com[body] = frame.p
        tensor, mass = given.find("inertia"), given.find("mass")
        if tensor is not None:
            xx, yy, zz, xy, xz, yz = (float(tensor.get(n, 0)) * self.scale**2 for n in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
            turn = rotation_matrix(frame.q)
            b.body_inertia[body] = mat33(*(turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T).reshape(-1).tolist())
        if mass is not None:
            b.body_mass[body] = float(mass.get("value", 0))

    # -- joints
    def joints(self) -> list[dict[str, Any]]:
        d, out = self.b.default_joint_cfg, []
        rest = d.target_kd if self.o["joint_damping_mode"] == "drive" else d.damping
        for joint in self.root.findall("joint"):
            axis, dynamics, limit, mimic = (joint.find(n) for n in ("axis", "dynamics", "limit", "mimic"))
            get = lambda element, name, default: default if element is None else float(element.get(name, default))  # noqa: E731
            row = {"name": joint.get("name"), "type": joint.get("type"), "parent": joint.find("parent").get("link"), "child": joint.find("child").get("link"),
                   "origin": _pose(joint, self.scale), "axis": vec3(*(numbers(axis.get("xyz", "1 0 0"), ()) if axis is not None else (1.0, 0.0, 0.0))),
                   "damping": get(dynamics, "damping", rest), "friction": get(dynamics, "friction", d.friction), "lower": get(limit, "lower", d.limit_lower),
                   "upper": get(limit, "upper", d.limit_upper), "effort": get(limit, "effort", d.effort_limit),
                   "velocity": None if limit is None or limit.get("velocity") is None else float(limit.get("velocity")),
                   "custom": custom_values(joint.attrib, self.of_joint, "urdf"), "mimic": None}
            if mimic is not None:
                row["mimic"] = (mimic.get("joint"), float(mimic.get("offset", 0)), float(mimic.get("multiplier", 1)))
            out.append(row)
        return out

    def joint(self, row: dict[str, Any], parent: int, child: int) -> int:
        b, d, scale = self.b, self.b.default_joint_cfg, self.scale
        drive = self.o["joint_damping_mode"] == "drive"
        place = {"parent_xform": row["origin"], "label": self.label(row["name"]), "custom_attributes": row["custom"]}
        moves = {"target_kd": row["damping"] if drive else d.target_kd, "damping": d.damping if drive else row["damping"], "friction": row["friction"],
                 "actuator_mode": JointTargetMode.POSITION_VELOCITY if self.o["force_position_velocity_actuation"] else JointTargetMode.POSITION}
        if row["type"] in ("revolute", "continuous"):
            return b.add_joint_revolute(parent, child, axis=row["axis"], limit_lower=row["lower"], limit_upper=row["upper"], effort_limit=row["effort"],
                                        velocity_limit=row["velocity"], **moves, **place)
        if row["type"] == "prismatic":
            return b.add_joint_prismatic(parent, child, axis=row["axis"], limit_lower=row["lower"] * scale, limit_upper=row["upper"] * scale, effort_limit=row["effort"],
                                         velocity_limit=None if row["velocity"] is None else row["velocity"] * scale, **moves, **place)
        if row["type"] == "fixed":
            return b.add_joint_fixed(parent, child, **place)
        if row["type"] == "floating":
            return b.add_joint_free(child, parent=parent, **place)
        if row["type"] == "planar":
            normal = np.array(row["axis"]) / np.linalg.norm(row["axis"])
            u = np.cross([1, 0, 0] if np.allclose(normal, [0, 1, 0]) else [0, 1, 0], normal)
            u /= np.linalg.norm(u)
            axes = [JointDofConfig(axis=vec3(*a.tolist()), limit_lower=row["lower"] * scale, limit_upper=row["upper"] * scale, **moves) for a in (u, np.cross(normal, u))]
            return b.add_joint_d6(parent, child, linear_axes=axes, **place)
        raise kind_of(ValueError)(f"Unsupported joint type: {row['type']}", "SOURCE_LOST")

    def base(self, root: int, X: transform) -> int:
        b, o = self.b, self.o
        if o["base_joint"] is not None:
            whole = o["override_root_xform"]
            return add_base_joint(b, root, base_joint=o["base_joint"], label=self.label("base_joint"), parent=o["parent_body"],
                                  parent_xform=X if whole else transform(X.p, quat(0, 0, 0, 1)), child_xform=transform() if whole else transform(vec3(), X.q.inverse()))
        if o["floating"] and o["parent_body"] == -1:
            joint = add_base_joint(b, root, floating=True, label=self.label("floating_base"), parent_xform=X)
            start = b.joint_q_start[joint]
            b.joint_q[start:start + 7] = list(X)
            return joint
        return add_base_joint(b, root, floating=False, label=self.label("fixed_base"), parent_xform=X, parent=o["parent_body"])

    def mimics(self, rows: list[dict[str, Any]], made: dict[str, int]) -> None:
        """Chains are followed to the joint that follows none."""
        by_name = {row["name"]: row for row in rows}
        for row in rows:
            if row["mimic"] is None:
                continue
            target, offset, factor = row["mimic"]
            seen = [row["name"]]
            while target in made:
                if target in seen:
                    raise kind_of(ValueError)(f"Cyclic URDF mimic joints: {' -> '.join([*seen, target])}", "MODEL_MIMIC_CHAIN")
                seen.append(target)
                further = by_name[target]["mimic"]
                if further is None:
                    break
                offset, factor, target = offset + factor * further[1], factor * further[2], further[0]
            else:
                warn(f"SOURCE_LOST: Mimic joint '{row['name']}' references unknown joint '{target}', skipping mimic constraint")
                continue
            own, other = (self.scale if kind == "prismatic" else 1.0 for kind in (row["type"], by_name[target]["type"]))
            if other == 0:
                raise kind_of(ValueError)("URDF scale must be nonzero for a prismatic mimic reference", "PYTHON_ARG_OPTION")
            self.b.set_joint_mimic(made[row["name"]], made[target], coeffs=(offset * own, factor * own / other))

    def read(self, X: transform) -> list[int]:
        b, o = self.b, self.o
        rows = self.joints()
        if rows and o["joint_ordering"] is not None:
            rows = [rows[i] for i in ordered([(r["parent"], r["child"]) for r in rows], o["joint_ordering"] == "dfs")]
        links = {link.get("name"): link for link in self.root.findall("link")}
        if None in links:
            raise kind_of(ValueError)("Link has no name", "SOURCE_LOST")
        names = [rows[0]["parent"], *(r["child"] for r in rows)] if rows and o["bodies_follow_joint_ordering"] else list(links)
        for name in names:
            if name not in links:
                raise kind_of(ValueError)(f"Link {name} not found in URDF", "SOURCE_LOST")
        seen = any(links[name].findall("visual") for name in names)
        visible = shown(o["force_show_colliders"], seen, o["parse_visuals_as_colliders"])
        first_shape = b.shape_count
        index = {}
        for name in names:
            link = links[name]
            index[name] = b.add_link(label=self.label(name), custom_attributes=custom_values(link.attrib, self.of_body, "urdf"))
            visuals, colliders = link.findall("visual"), link.findall("collision")
            if o["parse_visuals_as_colliders"]:
                colliders = visuals
            else:
                self.shapes(index[name], visuals, 0.0, not o["hide_visuals"], True)
            self.shapes(index[name], colliders, b.default_shape_cfg.density, visible, False)
            self.inertia(index[name], link)
        last_shape = b.shape_count
        joints = [self.base(index[rows[0]["parent"] if rows else names[0]], X)]
        made = {}
        for row in rows:
            for end in ("parent", "child"):
                if row[end] not in index:
                    raise kind_of(ValueError)(f"Link {row[end]} not found in URDF", "SOURCE_LOST")
            joints.append(self.joint(row, index[row["parent"]], index[row["child"]]))
            made[row["name"]] = joints[-1]
        self.mimics(rows, made)
        attach(b, joints, o["parent_body"], self.name, custom_values(self.root.attrib, self.of_tree, "urdf") or None)
        if not o["enable_self_collisions"]:
            filter_all(b, first_shape, last_shape)
        return joints


def read_urdf(builder: Any, source: Any, options: dict[str, Any]) -> None:
    """Adds the robot. The arguments are those of `add_urdf`.

    @raises ValueError  they contradict one another, or the file makes no sense
    """
    if options["joint_damping_mode"] not in ("passive", "drive"):
        raise kind_of(ValueError)("joint_damping_mode must be 'passive' or 'drive'", "PYTHON_ARG_OPTION")
    check_base(options["floating"], options["base_joint"], options["parent_body"])
    if options["override_root_xform"] and options["xform"] is None:
        raise kind_of(ValueError)("override_root_xform=True requires xform to be set", "PYTHON_ARG_OPTION")
    X = import_pose(builder, options["xform"], options["up_axis"])
    text = source if isinstance(source, bytes) else os.fspath(source)
    if isinstance(text, str) and text.lower().startswith("file:"):
        text = local_file(text)
    elif isinstance(text, str) and text.startswith(("package://", "model://")):
        found = _Reader(builder, _EMPTY, None, options)._package(text)
        if found is None:
            raise kind_of(FileNotFoundError)(f"{text} is in none of the packages that are known; give package_dirs", "SOURCE_READ_FAILED")
        text = found
    root, folder = read_xml(text)
    joints = _Reader(builder, root, folder, options).read(X)
    if options["collapse_fixed_joints"]:
        builder.collapse_fixed_joints()
    elif options["collapse_massless_fixed_root"]:
        collapse_massless_roots(builder, joints)


class _Nothing:
    attrib: dict[str, str] = {}

    def findall(self, _: str) -> list[Any]:
        return []


_EMPTY = _Nothing()

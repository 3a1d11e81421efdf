"""MJCF into a builder, with Newton 1.8's rules: labels "model/worldbody/body/...", the joints of a body as one, geoms as visuals and colliders."""
from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from ...core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from ...core.enums import JointTargetMode, JointType, GeoType, ShapeFlags
from ...core.values import mat33, quat, transform, vec2, vec3
from ...geometry.inertia import compute_inertia_shape
from ...geometry.mesh import Mesh
from .. import mujoco_attributes
from ..configs import JointDofConfig
from ..custom import AttributeFrequency
from ..texts import custom_values
from .mjcf_assets import Assets
from .mjcf_file import Settings, load
from .mjcf_relations import Relations
from .parts import add_base_joint, attach, check_base, clean, collapse_massless_roots, filter_all, numbers, opacity_of, rotation_matrix, shown, up_turn

__all__ = ["read_mjcf"]

_LIMIT_SOLREF = (0.02, 1.0)
#: How a joint's limit reference values came to be: as they are, of the model's gains, or MuJoCo's default.
_RAW, _FORCE_SPACE, _DEFAULT = 1, 0, 2


class Reader:
    """What is known while a model is read."""

    def __init__(self, builder: Any, root: Any, folder: str | None, options: dict[str, Any]):
        self.b, self.root, self.o = builder, root, options
        self.scale = float(options["scale"])
        self.s = Settings(root, self.scale)
        self.hull_vertices = Mesh.MAX_HULL_VERTICES if options["mesh_maxhullvert"] is None else int(options["mesh_maxhullvert"])
        mujoco_attributes.register(builder)
        self.assets = Assets(root, self.s, folder, self.hull_vertices, options["verbose"])
        of = lambda *frequencies: builder.get_custom_attributes_by_frequency(list(frequencies))  # noqa: E731
        f = AttributeFrequency
        self.of_shape, self.of_body, self.of_joint, self.of_dof = of(f.SHAPE), of(f.BODY), of(f.JOINT), of(f.JOINT_DOF)
        domains = builder.custom_attributes["mujoco:collision_mask_domain"]
        self.domain = max((int(v) for v in domains.values.values()), default=-1) + 1
        self.first_body, self.first_shape = builder.body_count, builder.shape_count
        self.joints: list[int] = []
        self.roots: list[tuple[int, str]] = []
        self.visuals: list[int] = []
        self.colliders: list[int] = []
        self.body_of: dict[str, int] = {}
        self.site_of: dict[str, int] = {}
        self.raw_site_of: dict[str, int] = {}
        self.raw_geom_of: dict[str, int] = {}
        self.joint_of: dict[str, int] = {}
        self.dof_of: dict[str, int] = {}
        self.unlimited: dict[int, tuple[float, float]] = {}
        self.slides: set[str] = set()
        self.rest_lost = False
        self.mimics: list[dict[str, Any]] = []  # made when the joints have their articulations
        self.model = root.attrib.get("model")
        self.paired = {pair.get(k) for contact in root.findall("contact") for pair in contact.findall("pair") for k in ("geom1", "geom2") if pair.get(k)}

    def _matches(self, patterns: Any, name: str) -> bool:
        return any(re.match(pattern, name) for pattern in patterns)

    # -- options of the scene
    def options(self) -> None:
        if not self.o["parse_mujoco_options"]:
            return
        b = self.b
        known = b.get_custom_attributes_by_frequency([AttributeFrequency.ONCE, AttributeFrequency.WORLD])
        flags = [a for a in known if a.namespace == "mujoco" and (a.name.startswith("flag_") or a.name == "enable_sleeping")]
        plain = [a for a in known if a not in flags]
        for element in (*self.root.findall("compiler"), *self.root.findall("option")):
            for key, value in custom_values(element.attrib, plain, "mjcf").items():
                b.custom_attributes[key].values[0] = value
        names = {a.mjcf_attribute_name for a in flags} | {"gravity"}
        for flag in (f for option in self.root.findall("option") for f in option.findall("flag")):
            strange = sorted(set(flag.attrib) - names)
            if strange:
                warn(f"SOURCE_LOST: MJCF option <flag> has unsupported attribute(s) {strange!r}; ignoring.")
            for key, value in custom_values(flag.attrib, flags, "mjcf").items():
                b.custom_attributes[key].values[0] = value
            if flag.attrib.get("gravity", "").strip().lower() == "disable":
                if b.current_world >= 0:
                    b._core.set_world_gravity(b.current_world, vec3())
                else:
                    b.gravity = vec3()

    # -- geoms
    def geoms(self, defaults: Any, name: str, body: int, geoms: Any, X: transform | None = None, path: str = "", weighs: bool = False) -> None:
        """Those of a body or of a frame in it: visuals and colliders apart."""
        o, s = self.o, self.s
        visuals, colliders, needed = [], [], []
        for k, geom in enumerate(geoms):
            kind = geom.attrib.get("class")
            if kind is not None and self._matches(o["ignore_classes"], kind):
                continue
            a = s.attributes(geom, "geom", defaults)
            own = a.get("name", f"{name}_geom_{k}")
            label = f"{path}/{own}" if path else own
            meets = not (int(a.get("contype", 1)) == 0 and int(a.get("conaffinity", 1)) == 0)
            if any(label == p or label.endswith(f"/{p}") for p in self.paired):
                needed.append(geom)
                continue
            seen = kind is not None and self._matches(o["visual_classes"], kind)
            solid = kind is not None and self._matches(o["collider_classes"], kind)
            if not seen and not solid:
                solid = o["no_class_as_colliders"] and meets
                seen = not solid
            visuals += [geom] if seen else []
            colliders += [geom] if solid else []
        left: list[Any] = []
        if o["parse_visuals_as_colliders"]:
            left = [g for g in colliders if not any(g is v for v in visuals)]
            colliders = visuals
        elif o["parse_visuals"]:
            self.visuals += self.shapes(self.b, defaults, name, body, visuals, not o["hide_visuals"], True, X, path, False)
            left = visuals
        else:
            left = [g for g in visuals if not any(g is c for c in colliders)]
        if weighs and body >= 0 and left:
            self._weigh(defaults, name, body, left, X, path)
        visible = shown(o["force_show_colliders"], True, o["parse_visuals_as_colliders"])
        self.colliders += self.shapes(self.b, defaults, name, body, [*colliders, *needed], visible, False, X, path, weighs)

    def _weigh(self, defaults: Any, name: str, body: int, geoms: list[Any], X: transform | None, path: str) -> None:
        """Masses of geoms that become no shapes, or ones that only are seen."""
        scratch = type(self.b)()
        link = scratch.add_link()
        self.shapes(scratch, defaults, name, link, geoms, False, False, X, path, True)
        if scratch.body_mass[link] > 0 and not self.b.body_lock_inertia[body]:
            _add_mass(self.b, body, scratch.body_mass[link], np.asarray(scratch.body_inertia[link], float), scratch.body_com[link])

    def shapes(self, to: Any, defaults: Any, name: str, body: int, geoms: list[Any], visible: bool, visual: bool, X_in: transform | None, path: str, weighs: bool) -> list[int]:
        out: list[int] = []
        for k, geom in enumerate(geoms):
            kind = geom.attrib.get("class")
            if kind is not None and self._matches(self.o["ignore_classes"], kind):
                continue
            a = self.s.merged(self.s.defaults(kind, defaults).get("geom", {}), geom.attrib, "geom")
            own = a.get("name", f"{name}_geom_{k}{'_visual' if visual else ''}")
            if self._matches(self.o["ignore_names"], own):
                continue
            made = self._shape(to, a, own, body, visible, visual, X_in, path, weighs)
            if to is self.b and geom.attrib.get("name") and made:
                self.raw_geom_of.setdefault(geom.attrib["name"], made[0])
            out += made
        return out

    def _config(self, a: dict[str, str], own: str, kind: str, visible: bool, visual: bool, density: float) -> Any:
        cfg = self.b.default_shape_cfg.copy()
        group = int(a.get("group", 0))
        cfg.is_visible = visible or (not visual and kind == "plane" and 0 <= group <= 2)
        cfg.has_shape_collision = cfg.has_particle_collision = not visual
        cfg.density = density
        if not visual and int(a.get("contype", 1)) == 0 and int(a.get("conaffinity", 1)) == 0:
            cfg.collision_group = 0
        for field, value in zip(("mu", "mu_torsional", "mu_rolling"), numbers(a.get("friction"), ())):
            setattr(cfg, field, float(np.float32(value)))
        if "solref" in a:
            t, d = self.s.vector(a, "solref", (0.02, 1.0))[:2]
            if t < 0 and d < 0:
                cfg.ke, cfg.kd = -t, -d
            elif t > 0 and d > 0:
                cfg.ke, cfg.kd = 1 / (t * t * d * d), 2 / t
        gap = float(a.get("gap", 0)) * self.scale
        if "margin" in a:
            cfg.margin = float(a["margin"]) * self.scale
            if self.o["legacy_margin_gap"]:
                cfg.margin -= gap
                if cfg.margin < 0:
                    warn(f"SOURCE_LOST: Geom '{own}': legacy translation yields negative margin {cfg.margin}")
        if "gap" in a:
            cfg.gap = gap
        return cfg

    def _custom_of_shape(self, a: dict[str, str]) -> dict[str, Any]:
        out = custom_values(a, self.of_shape, "mjcf")
        for name in ("contype", "conaffinity"):
            out[f"mujoco:{name}"] = int(a.get(name, 1)) & 0xFFFFFFFF
        out["mujoco:collision_mask_domain"] = self.domain
        out["mujoco:solref_mode"] = _RAW if "solref" in a else _DEFAULT
        return out

    def _look(self, a: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Of the shape (colour, opacity), and of its mesh."""
        material = self.assets.materials.get(a.get("material", ""), {})
        rgba = a.get("rgba", material.get("rgba"))
        texture = self.assets.textures.get(material.get("texture"), {})
        if "color" in texture and "rgba" not in a:
            tint = np.asarray(numbers(rgba, (1.0,) * 4), np.float32)
            tint = np.concatenate([tint, np.ones(max(0, 4 - len(tint)), np.float32)])
            rgba = " ".join(str(v) for v in (*(np.asarray(texture["color"], np.float32) * tint[:3]), tint[3]))
        shape: dict[str, Any] = {}
        values = numbers(rgba, ())
        if len(values) >= 3:
            shape["color"] = tuple(float(np.float32(c)) for c in values[:3])
        if len(values) >= 4:
            opacity = opacity_of(float(np.float32(values[3])), "MJCF geom rgba")
            if opacity is not None:
                shape["opacity"] = opacity
        mesh = {k: v for k, v in {"color": shape.get("color"), "texture": texture.get("file"), "roughness": material.get("roughness"), "metallic": material.get("metallic")}.items()
                if v is not None}
        return shape, mesh

    def _shape(self, to: Any, a: dict[str, str], own: str, body: int, visible: bool, visual: bool, X_in: transform | None, path: str, weighs: bool) -> list[int]:
        s, kind = self.s, a.get("type", "sphere")
        fits = "mesh" in a and kind in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
        kind = "hfield" if "hfield" in a else "mesh" if "mesh" in a and not fits else kind
        size = tuple(c * self.scale for c in s.vector(a, "size", (1.0, 1.0, 1.0)))
        X = s.pose(a)
        X = X if X_in is None else X_in * X
        mass = float(a["mass"]) if "mass" in a else None
        density = 0.0 if mass is not None else s.number(a, "density", self.b.default_shape_cfg.density)
        if not weighs or not s.inertia_groups[0] <= int(a.get("group", 0)) <= s.inertia_groups[1]:
            density, mass = 0.0, None
        cfg = self._config(a, own, kind, visible, visual, density)
        look, of_mesh = self._look(a)
        same = {"cfg": cfg, "label": f"{path}/{own}" if path else own, "custom_attributes": self._custom_of_shape(a) if to is self.b else {}, **look}
        if fits:
            if a["mesh"] not in self.assets.meshes:
                return []
            size, offset = self.assets.fitted(a["mesh"], kind, s.number(a, "fitscale", 1.0))
            X = X * offset
        if kind in ("capsule", "cylinder") and "fromto" in a and not fits:
            X, half = s.segment(a, X_in)
            size = (size[0], half)
        if kind == "mesh":
            return self._mesh(to, a, body, X, cfg, same, of_mesh, mass)
        if kind == "hfield":
            if not self.o["parse_meshes"] or a["hfield"] not in self.assets.hfields:
                return []
            if to is self.b:
                same["custom_attributes"]["mujoco:hfield_base"] = self.assets.hfields[a["hfield"]]["size"][3] * self.scale
            return [to.add_shape_heightfield(xform=X, heightfield=self.assets.heightfield(a["hfield"]), **same)]
        if kind == "plane":
            return [to.add_shape_plane(xform=X, width=0.0, length=0.0, body=body, **same)]
        made = {"sphere": lambda: to.add_shape_sphere(body, xform=X, radius=size[0], **same),
                "box": lambda: to.add_shape_box(body, xform=X, hx=size[0], hy=size[1], hz=size[2], **same),
                "capsule": lambda: to.add_shape_capsule(body, xform=X, radius=size[0], half_height=size[1], **same),
                "cylinder": lambda: to.add_shape_cylinder(body, xform=X, radius=size[0], half_height=size[1], **same),
                "ellipsoid": lambda: to.add_shape_ellipsoid(body, xform=X, rx=size[0], ry=size[1], rz=size[2], **same)}.get(kind)
        if made is None:
            return []
        out = [made()]
        if mass is not None and mass > 0 and body >= 0:
            self._explicit(to, body, mass, kind, size, X)
        return out

    def _mesh(self, to: Any, a: dict[str, str], body: int, X: transform, cfg: Any, same: dict[str, Any], look: dict[str, Any], mass: float | None) -> list[int]:
        name = a.get("mesh")
        if not self.o["parse_meshes"] or name not in self.assets.meshes:
            return []
        mesh = self.assets.mesh(name, look)
        cfg = cfg.copy()
        cfg.sdf_max_resolution = cfg.sdf_target_voxel_size = None
        cfg.sdf_narrow_band_range = (-0.1, 0.1)
        if mesh.has_inertia and mesh.mass == 0 and self.assets.meshes[name]["inertia"] != "exact":
            cfg.density = 0.0
        elif mass is not None and mass > 0 and body >= 0:
            of_one = compute_inertia_shape(GeoType.MESH, (1.0, 1.0, 1.0), mesh, 1.0, cfg.is_solid, cfg.margin)[0]
            if of_one > 0:
                cfg.density = mass / of_one
        if self.assets.meshes[name]["inertia"] != "exact" and cfg.density > 0 and body >= 0 and not to.body_lock_inertia[body]:
            # A shape weighs what its surface encloses, which is the mode "exact" alone.
            self._of_mode(to, body, mesh, mass if mass is not None else cfg.density * mesh.mass, X)
            cfg.density = 0.0
        return [to.add_shape_mesh(body, mesh=mesh, xform=X, **{**{k: v for k, v in same.items() if k != "color"}, "cfg": cfg}, **({"color": same["color"]} if "color" in same else {}))]

    @staticmethod
    def _of_mode(to: Any, body: int, mesh: Any, mass: float, X: transform) -> None:
        """A mass spread as the mesh's mode of inertia has it."""
        turn = rotation_matrix(X[3:])
        tensor = np.asarray(mesh.inertia, float).reshape(3, 3) * (mass / mesh.mass)
        _add_mass(to, body, mass, turn @ tensor @ turn.T, vec3(*(np.asarray(X[:3], float) + turn @ np.asarray(mesh.com, float)).tolist()))

    @staticmethod
    def _explicit(to: Any, body: int, mass: float, kind: str, size: tuple[float, ...], X: transform) -> None:
        """A mass that the geom gives, spread over its volume."""
        geo = {"sphere": GeoType.SPHERE, "box": GeoType.BOX, "capsule": GeoType.CAPSULE, "cylinder": GeoType.CYLINDER, "ellipsoid": GeoType.ELLIPSOID}[kind]
        of_one, com, inertia = compute_inertia_shape(geo, (*size, 0.0, 0.0)[:3], None, 1.0)
        if of_one < 1e-12 or to.body_lock_inertia[body]:
            if kind != "box" or to.body_lock_inertia[body]:
                return
        turn = rotation_matrix(X.q)
        if kind == "box":
            x, y, z = size[:3]
            tensor = mass / 3 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
        else:
            tensor = np.asarray(inertia, float) * (mass / of_one)
        _add_mass(to, body, mass, turn @ tensor @ turn.T, X @ com)

    # -- sites
    def sites(self, defaults: Any, name: str, body: int, sites: Any, X_in: transform | None = None, path: str = "") -> None:
        kinds = {"sphere": GeoType.SPHERE, "box": GeoType.BOX, "capsule": GeoType.CAPSULE, "cylinder": GeoType.CYLINDER, "ellipsoid": GeoType.ELLIPSOID}
        for k, site in enumerate(sites):
            if site.attrib.get("class") is not None and self._matches(self.o["ignore_classes"], site.attrib["class"]):
                continue
            a = self.s.attributes(site, "site", defaults)
            own, kind = a.get("name", f"{name}_site_{k}"), a.get("type", "sphere")
            if self._matches(self.o["ignore_names"], own):
                continue
            given = [float(np.float32(x)) for x in numbers(a.get("size"), ())][:3]
            size = [c * self.scale for c in (*given, *(0.005,) * (3 - len(given)))]
            if "fromto" in a:
                if "pos" in a:
                    raise kind_of(ValueError)(f"MJCF site '{own}' cannot define both pos and fromto", "SOURCE_LOST")
                if kind not in ("capsule", "cylinder", "ellipsoid", "box"):
                    raise kind_of(ValueError)(f"MJCF site '{own}' cannot use fromto with type '{kind}'", "SOURCE_LOST")
                X, half = self.s.segment(a, X_in, f"MJCF site '{own}' has a zero-length fromto segment")
                size = [size[0], half, size[2]] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
            else:
                X = self.s.pose(a)
                X = X if X_in is None else X_in * X
            index = self.b.add_site(body, xform=X, type=kinds.get(kind, GeoType.SPHERE), scale=tuple(size), label=f"{path}/{own}" if path else own, visible=False,
                                    custom_attributes={"mujoco:site_size_is_display": True} if kind == "cylinder" else None)
            self.site_of[clean(own)] = index
            if site.attrib.get("name"):
                self.raw_site_of[site.attrib["name"]] = index

    # -- frames
    def frames(self, frames: Any, parent: int, defaults: Any, childclass: str | None, X_W: transform, X_B: transform, path: str, roots: bool = False, weighs: bool = False) -> None:
        todo = [(f, X_W, X_B, defaults, childclass) for f in frames]
        while todo:
            frame, world, local, around, kind = todo.pop()
            own = self.s.pose(frame.attrib)
            world, local = world * own, local * own
            kind = frame.get("childclass") or kind
            around = self.s.defaults(kind, around)
            for child in frame.findall("body"):
                if roots:
                    self.roots.append((len(self.joints), clean(child.attrib.get("name", f"body_{self.b.body_count}"))))
                self.body(child, parent, around, kind, world, path)
            name = "world" if parent == -1 else self.b.body_label[parent]
            if frame.findall("geom"):
                self.geoms(around, name, parent, frame.findall("geom"), local, path, weighs)
            if self.o["parse_sites"] and frame.findall("site"):
                self.sites(around, name, parent, frame.findall("site"), local, path)
            todo += [(f, world, local, around, kind) for f in reversed(frame.findall("frame"))]

    # -- bodies
    def body(self, element: Any, parent: int, around: Any, childclass: str | None, X_in: transform, above: str) -> None:
        b, o, s = self.b, self.o, self.s
        is_root = parent == o["parent_body"]
        kind = element.get("childclass")
        if kind is None:
            kind, defaults = childclass, around
        elif self._matches(o["ignore_classes"], kind):
            return
        else:
            defaults = s.defaults(kind, around)
        name = clean(element.attrib.get("name", f"body_{b.body_count}"))
        inertial = element.find("inertial")
        jointed = element.find("joint") is not None or element.find("freejoint") is not None
        if s.inertia_from_geom == "false" and not o["ignore_inertial_definitions"] and jointed and inertial is None:
            raise kind_of(ValueError)(f"MJCF body '{name}' requires an <inertial> element when compiler inertiafromgeom=\"false\".", "SOURCE_LOST")
        weighs = o["ignore_inertial_definitions"] or s.inertia_from_geom == "true" or (s.inertia_from_geom == "auto" and inertial is None)
        path = f"{above}/{name}" if above else name
        X = X_in if o["override_root_xform"] and is_root else X_in * s.pose(element.attrib)
        X_P = X if parent < 0 else transform(b.body_q[parent]).inverse() * X
        joint = _Joint(self, element, name, defaults)
        link = b.add_link(xform=X, label=path, custom_attributes=custom_values(element.attrib, self.of_body, "mjcf"))
        self.body_of[name] = link
        self._hold(joint, link, parent, is_root, path, name, X, X_P)
        self.geoms(defaults, name, link, element.findall("geom"), None, path, weighs)
        if o["parse_sites"]:
            self.sites(defaults, name, link, element.findall("site"), None, path)
        if not weighs and not o["ignore_inertial_definitions"] and inertial is not None:
            self._inertial(link, s.merged(defaults.get("inertial", {}), inertial.attrib, "inertial"), path)
        inner = s.defaults(element.get("childclass"), defaults)
        for child in element.findall("body"):
            self.body(child, link, inner, element.get("childclass") or childclass, X, path)
        self.frames(element.findall("frame"), link, s.defaults(element.get("childclass") or childclass, defaults), element.get("childclass") or childclass, X, transform(), path,
                    weighs=weighs)

    def _inertial(self, link: int, a: dict[str, str], path: str) -> None:
        b, k, X = self.b, self.scale**2, self.s.pose(a)
        if a.get("diaginertia") is not None:
            d = self.s.vector(a, "diaginertia", (0.0, 0.0, 0.0))
            if len(d) != 3:
                raise kind_of(ValueError)(f"MJCF diaginertia for body '{path}' must contain 3 values; got {len(d)}.", "SOURCE_LOST")
            tensor = np.diag(d) * k
        else:
            f = numbers(a.get("fullinertia"), (0.0,) * 6)
            if len(f) != 6:
                raise kind_of(ValueError)(f"MJCF fullinertia for body '{path}' must contain 6 values; got {len(f)}.", "SOURCE_LOST")
            xx, yy, zz, xy, xz, yz = (x * k for x in f)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn = rotation_matrix(X.q)
        b.body_mass[link] = float(a.get("mass", 0))
        b.body_com[link] = X.p
        b.body_inertia[link] = mat33(*(turn @ tensor @ turn.T).reshape(-1).tolist())
        b.body_lock_inertia[link] = True

    def _hold(self, joint: "_Joint", link: int, parent: int, is_root: bool, path: str, name: str, X: transform, X_P: transform) -> None:
        """The joint of a body: what the file says, or for a root what the caller says."""
        b, o = self.b, self.o
        at = joint.position
        anchor = transform(X_P.p + X_P.q.rotate(at), X_P.q)
        if is_root and (o["base_joint"] is not None or o["floating"] is not None or o["parent_body"] != -1):
            if o["base_joint"] is not None:
                whole = o["override_root_xform"]
                made = add_base_joint(b, link, base_joint=o["base_joint"], label=f"{path}/base_joint", parent=parent,
                                      parent_xform=anchor if whole else transform(anchor.p, quat(0, 0, 0, 1)),
                                      child_xform=transform() if whole else transform(vec3(), anchor.q.inverse()))
            elif o["floating"] and parent == -1:
                made = add_base_joint(b, link, floating=True, label=f"{path}/floating_base", parent=parent)
            else:
                made = add_base_joint(b, link, floating=False, label=f"{path}/fixed_base", parent_xform=anchor, parent=parent)
            self.joints.append(made)
            return
        names = joint.names or [f"{name}_joint"]
        label = f"{path}/{'_'.join(names)}"
        child = transform(at, quat(0, 0, 0, 1))
        if joint.type is JointType.FREE:
            if parent != -1:
                raise kind_of(ValueError)(f"Free joints must have the world body as parent; joint '{label}' on body '{path}' has parent body index {parent}.", "SOURCE_LOST")
            made = b.add_joint_free(link, label=label, custom_attributes=joint.custom)
        elif joint.type is JointType.BALL and not joint.angular:
            made = b.add_joint_ball(parent, link, parent_xform=anchor, child_xform=child, armature=joint.armature, friction=joint.friction, damping=joint.damping,
                                    stiffness=joint.stiffness, label=label, custom_attributes={**joint.custom, **joint.of_dofs})
        else:
            made = b.add_joint(joint.type, parent, link, linear_axes=joint.linear, angular_axes=joint.angular, label=label, parent_xform=anchor, child_xform=child,
                               custom_attributes={**joint.custom, **joint.of_dofs})
            first = b.joint_qd_start[made]
            for own, offset, idle in joint.places:
                self.dof_of[own] = first + offset
                if idle is not None:
                    self.unlimited[first + offset] = idle
        self.joints.append(made)
        self.joint_of.update(dict.fromkeys(names, made))

    # -- the whole
    def read(self, X: transform) -> None:
        b, o = self.b, self.o
        self.options()
        top = f"{self.model}/worldbody" if self.model else "worldbody"
        X_root = X if o["parent_body"] == -1 else transform(b.body_q[o["parent_body"]]) * X
        for world in self.root.findall("worldbody"):
            defaults = self.s.defaults(world.get("class"), self.s.root_defaults)
            for body in world.findall("body"):
                self.roots.append((len(self.joints), clean(body.attrib.get("name", f"body_{b.body_count}"))))
                self.body(body, o["parent_body"], defaults, None, X_root, top)
            self.geoms(defaults, "world", -1, world.findall("geom"), X, top)
            if o["parse_sites"]:
                self.sites(defaults, "world", -1, world.findall("site"), X, top)
            self.frames(world.findall("frame"), o["parent_body"], defaults, None, X_root, X_root, top, roots=True)
        if self.rest_lost:
            warn("SOURCE_LOST: Converting three hinges to a ball joint uses an identity spring rest orientation; set convert_3d_hinge_to_ball_joints=False to preserve scalar "
                 "spring rest coordinates.")
        Relations(self, X).read()
        if not self.visuals:
            for shape in self.colliders:
                b.shape_flags[shape] |= int(ShapeFlags.VISIBLE)
        self._guard_masses()
        last_shape = b.shape_count
        if not o["enable_self_collisions"]:
            filter_all(b, self.first_shape, last_shape)
        self._masks(last_shape)
        if o["parent_body"] != -1 or len(self.roots) <= 1:
            attach(b, self.joints, o["parent_body"], self.model)
        else:
            for k, (start, name) in enumerate(self.roots):
                end = self.roots[k + 1][0] if k + 1 < len(self.roots) else len(self.joints)
                attach(b, self.joints[start:end], -1, f"{self.model}/{name}" if self.model else name)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MechaneDeprecationWarning)
            for mimic in self.mimics:
                b.add_constraint_mimic(**mimic)

    def _guard_masses(self) -> None:
        """What MuJoCo's compiler does with masses in the end."""
        b, s = self.b, self.s
        for body in range(self.first_body, b.body_count):
            inertia = np.asarray(b.body_inertia[body], dtype=float).reshape(3, 3)
            moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
            mass, bounded = max(b.body_mass[body], s.bound_mass), np.maximum(moments, s.bound_inertia)
            if mass < 0 or (bounded < 0).any():
                raise kind_of(ValueError)("MJCF body mass and inertia must be nonnegative.", "SOURCE_LOST")
            if bounded[0] + bounded[1] < bounded[2] - 8 * np.finfo(np.float32).eps * bounded[2]:
                if not s.balance:
                    raise kind_of(ValueError)("MJCF body inertia must satisfy A + B >= C; use 'balanceinertia' to fix.", "SOURCE_LOST")
                bounded = np.full(3, bounded.mean())
            if mass != b.body_mass[body]:
                b.body_mass[body] = mass
            if not np.array_equal(bounded, moments):
                b.body_inertia[body] = mat33(*(axes @ np.diag(bounded) @ axes.T).reshape(-1).tolist())

    def _masks(self, end: int) -> None:
        """Pairs that contype and conaffinity keep apart."""
        b = self.b
        shapes = [i for i in range(self.first_shape, end) if b.shape_flags[i] & ShapeFlags.COLLIDE_SHAPES]
        masks = [[int(b.custom_attributes[f"mujoco:{n}"].values.get(i, 1)) for i in shapes] for n in ("contype", "conaffinity")]
        if all(t == 1 and f == 1 for t, f in zip(*masks)):
            return
        group = b.shape_collision_group[self.first_shape:end]
        for k, i in enumerate(shapes):
            for m in range(k + 1, len(shapes)):
                j = shapes[m]
                if not (masks[0][k] & masks[1][m] or masks[0][m] & masks[1][k]) and group[i - self.first_shape] and group[j - self.first_shape]:
                    b.add_shape_collision_filter_pair(i, j)


class _Joint:
    """The joints of a body, as one: axes along before axes about."""

    def __init__(self, r: Reader, element: Any, name: str, defaults: Any):
        s, d = r.s, r.b.default_joint_cfg
        self.names: list[str] = []
        self.position = vec3()
        self.linear: list[JointDofConfig] = []
        self.angular: list[JointDofConfig] = []
        self.custom: dict[str, Any] = {}
        self.of_dofs: dict[str, dict[int, Any]] = {}
        self.places: list[tuple[str, int, Any]] = []
        self.armature: float | None = None
        self.friction, self.damping, self.stiffness = 0.0, d.damping, d.stiffness
        kind: JointType | None = None
        free = element.find("freejoint")
        slots: list[tuple[str, bool, int, Any]] = []
        values: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        if free is not None:
            kind = JointType.FREE
            self.names.append(clean(free.attrib.get("name", f"{name}_freejoint")))
            self.custom = custom_values(free.attrib, r.of_joint, "mjcf")
        positions = []
        for k, joint in enumerate(element.findall("joint") if free is None else ()):
            a = s.attributes(joint, "joint", defaults)
            word = a.get("type", "hinge")
            self.names.append(clean(a.get("name") or f"{name}_joint_{k}"))
            positions.append(vec3(*(c * r.scale for c in s.vector(a, "pos", (0.0, 0.0, 0.0)))))
            self.armature = s.number(a, "armature", d.armature) * float(r.o["armature_scale"])
            if word in ("free", "fixed"):
                kind = JointType.FREE if word == "free" else JointType.FIXED
                break
            own = self._custom(r, a, word)
            if word == "ball":
                kind = JointType.BALL
                slots.append((self.names[-1], False, len(values[False]), None))
                values[False] += [own] * 3
                self.friction, self.damping, self.stiffness = s.number(a, "frictionloss", 0.0), s.number(a, "damping", d.damping), s.number(a, "stiffness", d.stiffness)
                break
            along = word == "slide"
            if along:
                r.slides.add(self.names[-1])
            axis, idle = self._axis(r, a, along)
            slots.append((self.names[-1], along, len(values[along]), idle))
            (self.linear if along else self.angular).append(axis)
            values[along].append(own)
        if positions:
            self.position = positions[0]
        for index, row in enumerate(values[True] + values[False]):
            for key, value in row.items():
                self.of_dofs.setdefault(key, {})[index] = value
        self.places = [(own, slot if along else len(values[True]) + slot, idle) for own, along, slot, idle in slots] if kind is not JointType.BALL else []
        self.type = kind if kind is not None else self._type(r)

    def _type(self, r: Reader) -> JointType:
        if not self.linear and not self.angular:
            return JointType.FIXED
        if not self.linear and len(self.angular) == 1:
            return JointType.REVOLUTE
        if not self.angular and len(self.linear) == 1:
            return JointType.PRISMATIC
        if not self.linear and len(self.angular) == 3 and r.o["convert_3d_hinge_to_ball_joints"]:
            r.rest_lost |= any(axis.stiffness != 0 and axis.rest_q not in (None, 0.0) for axis in self.angular)
            for axis in self.angular:
                axis.rest_q = 0.0
            return JointType.BALL
        return JointType.D6

    @staticmethod
    def _custom(r: Reader, a: dict[str, str], word: str) -> dict[str, Any]:
        d, plain = r.b.default_joint_cfg, JointDofConfig()
        if "solreflimit" in a:
            t, z = (*r.s.vector(a, "solreflimit", _LIMIT_SOLREF), 0.0)[:2]
            if not (t == z == 0 or t * z > 0):
                warn(f"SOURCE_LOST: MJCF joint {a.get('name', 'unnamed')!r}: invalid solreflimit={a['solreflimit']!r} (expected two same-sign non-zero components or the '0 0' "
                     "sentinel); joint_limit_ke/kd are not derived from it")
        out = custom_values(a, r.of_dof, "mjcf", {"use_degrees": r.s.degrees, "joint_type": word})
        out.pop("mujoco:dof_passive_stiffness", None)
        out.pop("mujoco:dof_springref", None)
        if word == "slide":
            for key in ("mujoco:dof_ref", "mujoco:limit_margin"):
                if key in out:
                    out[key] *= r.scale
        changed = d.limit_ke != plain.limit_ke or d.limit_kd != plain.limit_kd
        out["mujoco:solreflimit_mode"] = _RAW if "solreflimit" in a else _FORCE_SPACE if changed else _DEFAULT
        out["mujoco:solreflimit_gain_baseline"] = vec2(d.limit_ke, d.limit_kd)
        return out

    def _axis(self, r: Reader, a: dict[str, str], along: bool) -> tuple[JointDofConfig, Any]:
        s, d = r.s, r.b.default_joint_cfg
        unit = r.scale if along else np.pi / 180 if s.degrees else 1.0
        given = "range" in a
        low, high = s.vector(a, "range", (d.limit_lower, d.limit_upper))[:2] if given else (d.limit_lower, d.limit_upper)
        idle = None
        if given:
            ref = s.number(a, "ref", 0.0) * unit
            raw = (low, high)
            low, high = low * unit - ref, high * unit - ref
            if not s.limited(a, "limited", "range"):
                low, high = d.limit_lower, d.limit_upper
                # an inherited range still reads it, angles as they are written
                idle = tuple(x * r.scale for x in raw) if along else raw
        effort = d.effort_limit
        if "actuatorfrcrange" in a and s.limited(a, "actuatorfrclimited", "actuatorfrcrange"):
            effort = max(abs(x) for x in s.vector(a, "actuatorfrcrange", None)[:2])
        rest = d.rest_q
        if "springref" in a or "ref" in a:
            rest = (s.number(a, "springref", 0.0) - s.number(a, "ref", 0.0)) * unit
        config = JointDofConfig(axis=vec3(*s.vector(a, "axis", (0.0, 0.0, 1.0))), limit_lower=low, limit_upper=high, limit_ke=d.limit_ke, limit_kd=d.limit_kd,
                                target_ke=d.target_ke, target_kd=d.target_kd, damping=s.number(a, "damping", d.damping), stiffness=s.number(a, "stiffness", d.stiffness),
                                rest_q=rest, armature=self.armature, friction=s.number(a, "frictionloss", 0.0), effort_limit=effort, actuator_mode=JointTargetMode.NONE)
        return config, idle


def _add_mass(builder: Any, body: int, mass: float, inertia: np.ndarray, com: Any) -> None:
    """Adds a mass with its inertia about `com`, in the body's axes, by the parallel axes theorem."""
    old, old_com = float(builder.body_mass[body]), np.asarray(builder.body_com[body], float)
    total = old + mass
    new_com = (old * old_com + mass * np.asarray(com, float)) / total

    def shifted(m: float, at: np.ndarray) -> np.ndarray:
        r = at - new_com
        return m * (r @ r * np.eye(3) - np.outer(r, r))

    tensor = np.asarray(builder.body_inertia[body], float).reshape(3, 3) + shifted(old, old_com) + np.asarray(inertia, float).reshape(3, 3) + shifted(mass, np.asarray(com, float))
    builder.body_mass[body], builder.body_com[body] = total, vec3(*new_com.tolist())
    builder.body_inertia[body] = mat33(*tensor.reshape(-1).tolist())


def read_mjcf(builder: Any, source: Any, options: dict[str, Any]) -> None:
    """Adds the model. The arguments are those of `add_mjcf`.

    @raises ValueError  they contradict one another, or the file makes no sense
    """
    check_base(options["floating"], options["base_joint"], options["parent_body"])
    if options["override_root_xform"] and options["xform"] is None:
        raise kind_of(ValueError)("override_root_xform=True requires xform to be set", "PYTHON_ARG_OPTION")
    text = source.decode("utf-8") if isinstance(source, bytes) else str(source)
    root, folder = load(text, options["path_resolver"])
    X = transform() if options["xform"] is None else transform(options["xform"])
    reader = Reader(builder, root, folder, options)
    reader.read(X * up_turn(builder, options["up_axis"]))
    if options["collapse_fixed_joints"]:
        builder.collapse_fixed_joints()
    elif options["collapse_massless_fixed_root"]:
        collapse_massless_roots(builder, reader.joints)

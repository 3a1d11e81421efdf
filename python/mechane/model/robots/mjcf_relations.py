"""What an MJCF model says of things in pairs and sets: equality constraints, contacts wanted and unwanted, tendons."""
from __future__ import annotations

from typing import Any

from ...core.diagnostics import kind_of, warn
from ...core.enums import ShapeFlags
from ...core.values import quat, transform, vec3
from ..mujoco_attributes import EqType
from ..texts import custom_values
from .mjcf_actuators import read_actuators
from .parts import clean, numbers

__all__ = ["Relations"]

#: Kinds of what a constraint holds, as MuJoCo numbers them, and what of the model stands for a row.
_BODY, _JOINT, _TENDON = 1, 3, 18
_AS_JOINT, _AS_MIMIC = 1, 2


def _coefficients(text: str) -> list[float]:
    given = [float(x) for x in text.split()]
    return (given + [0.0, 1.0, 0.0, 0.0, 0.0][len(given):])[:5]


class Relations:
    """Reads them into the builder of a reader, once bodies, joints and shapes are there."""

    def __init__(self, reader: Any, X: transform):
        self.r, self.b, self.s, self.X = reader, reader.b, reader.s, X
        self.tendon_of: dict[str, int] = {}
        self._kept: list[str] = []

    def _attributes_of(self, prefix: str, without: tuple[str, ...] = ()) -> list[Any]:
        return [a for a in self.b.custom_attributes.values() if isinstance(a.frequency, str) and a.name.startswith(prefix) and a.name not in without]

    def read(self) -> None:
        root, holds = self.r.root, not self.r.o["skip_equality_constraints"]
        equalities = root.findall("equality") if holds else []
        for equality in equalities:
            self._equalities(equality)
        for contact in root.findall("contact"):
            self._pairs(contact)
        for contact in root.findall("contact"):
            self._excludes(contact)
        for section in root.findall(".//tendon"):
            if section.attrib.get("tendon1") is None:
                self._tendons(section)
        for equality in equalities:
            self._of_tendons(equality)
        read_actuators(self.r, self.tendon_of)

    # -- equality constraints
    def _common(self, element: Any) -> tuple[dict[str, str], str | None, bool, dict[str, Any]]:
        a = self.s.attributes(element, "equality")
        name = a.get("name")
        label = f"{self.r.model}/{name}" if self.r.model and name else name
        found = custom_values(a, self.b.get_custom_attributes_by_frequency(["mujoco:equality_constraint"]), "mjcf")
        return a, label, a.get("active", "true").lower() == "true", {k: v for k, v in found.items() if k in ("mujoco:eq_solref", "mujoco:eq_solimp")}

    def _row(self, kind: EqType, label: str | None, enabled: bool, own: dict[str, Any], **values: Any) -> int:
        of = {EqType.JOINT: _JOINT, EqType.TENDON: _TENDON}.get(kind, _BODY)
        row = {"type": int(kind), "objtype": of, "body1": -1, "body2": -1, "anchor": vec3(), "torquescale": 0.0, "relpose": transform(), "joint1": -1, "joint2": -1,
               "polycoef": [0.0] * 5, "label": label or "", "enabled": enabled, "world": self.b.current_world, **values}
        full = {a.key: None for a in self.b.get_custom_attributes_by_frequency(["mujoco:equality_constraint"])}
        full.update({f"mujoco:equality_constraint_{k}": v for k, v in row.items()})
        full.update(own)
        return self.b.add_custom_values(**full)["mujoco:equality_constraint_type"]

    def _site(self, name: str) -> tuple[int, vec3] | None:
        index = self.r.site_of.get(clean(name))
        if index is None or not self.b.shape_flags[index] & ShapeFlags.SITE:
            return None
        return self.b.shape_body[index], transform(self.b.shape_transform[index]).p

    def _ends(self, a: dict[str, str]) -> tuple[int, int]:
        bodies = self.r.body_of
        return bodies.get(clean(a["body1"]), -1), bodies.get(clean(a.get("body2") or "worldbody"), -1)

    def _point(self, text: str) -> vec3:
        return vec3(*(x * self.r.scale for x in numbers(text, ())[:3]))

    def _hold(self, kind: EqType, body1: int, body2: int, anchor: vec3, relpose: transform | None, free: float, world: transform | None, said: Any) -> None:
        _, label, enabled, own = said
        row: dict[str, Any] = {"body1": body1, "body2": body2, "anchor": anchor, "torquescale": free}
        if relpose is not None:
            row["relpose"] = relpose
        if self.r.o["convert_mjc_equality_constraints"]:
            if body1 < 0 and body2 < 0:
                return
            parent, child, X_P, X_C = self._frames(body1, body2, anchor, relpose, world, kind is EqType.WELD)
            rigid = kind is EqType.WELD and free != 0
            if kind is EqType.WELD and free != 1:
                warn(f"SOURCE_LOST: MuJoCo weld {label!r} has torquescale={free:g}; as a joint of the model it {'is rigid' if rigid else 'leaves rotation free'}")
            make = self.b.add_joint_fixed if rigid else self.b.add_joint_ball
            row["target"] = make(parent=parent, child=child, parent_xform=X_P, child_xform=X_C, label=label, enabled=enabled)
            row["target_kind"] = _AS_JOINT
        self._row(kind, label, enabled, own, **row)

    def _frames(self, body1: int, body2: int, anchor: vec3, relpose: transform | None, world: transform | None, weld: bool) -> tuple[int, int, transform, transform]:
        """Of the joint that holds what a constraint holds."""
        b = self.b
        parent, child = (body1, body2) if body2 >= 0 else (-1, body1)
        outer = transform() if world is None else world

        def pose(body: int) -> transform:
            return transform(b.body_q[body]) if body >= 0 else outer if weld else transform()

        def inside(body: int, X: transform) -> transform:
            return transform(b.body_q[body]).inverse() * X if body >= 0 else X

        at = transform(anchor, quat(0, 0, 0, 1))
        if not weld:
            point = pose(body1) @ anchor
            return parent, child, *(transform(inside(body, transform(point, quat(0, 0, 0, 1))).p, quat(0, 0, 0, 1)) for body in (parent, child))
        if relpose is None or not any(float(x) for x in relpose.q):
            place = pose(body2) * at
            return parent, child, inside(parent, place), inside(child, place)
        one = relpose if body1 >= 0 else outer * relpose
        two = at if body2 >= 0 else outer * at
        return (parent, child, one, two) if body2 >= 0 else (parent, child, two, one)

    def _relpose(self, text: str) -> transform:
        v = numbers(text, ())
        at = vec3(*(x * self.r.scale for x in v[:3]))
        if not any(v[3:7]):
            return transform(at, quat(0, 0, 0, 0))
        return transform(at, self.s.rotation({"quat": " ".join(map(repr, v[3:7]))}))

    def _equalities(self, equality: Any) -> None:
        for element in equality.findall("connect"):
            said = self._common(element)
            a = said[0]
            if a.get("body1") and a.get("anchor"):
                self._hold(EqType.CONNECT, *self._ends(a), self._point(a["anchor"]), None, 0.0, None, said)
            elif a.get("site1") and a.get("site2"):
                one, two = self._site(a["site1"]), self._site(a["site2"])
                if one is not None and two is not None:
                    self._hold(EqType.CONNECT, one[0], two[0], one[1], None, 0.0, None, said)
        for element in equality.findall("weld"):
            said = self._common(element)
            a = said[0]
            relpose, free = self._relpose(a.get("relpose", "0 1 0 0 0 0 0")), self.s.number(a, "torquescale", 1.0)
            if a.get("body1"):
                self._hold(EqType.WELD, *self._ends(a), self._point(a.get("anchor", "0 0 0")), relpose, free, self.X, said)
            elif a.get("site1") and a.get("site2"):
                one, two = self._site(a["site1"]), self._site(a["site2"])
                if one is not None and two is not None:
                    self._hold(EqType.WELD, one[0], two[0], two[1], relpose, free, self.X if one[0] < 0 else None, said)
        self._kept = []
        for element in equality.findall("joint"):
            self._coupled(self._common(element))
        if self._kept:
            names = ", ".join(self._kept[:5]) + (", ..." if len(self._kept) > 5 else "")
            warn(f"SOURCE_LOST: {len(self._kept)} joint equalities omit joint2 or target a multi-DoF joint, such as joints sharing a body ({names}), so they stay MuJoCo equality "
                 "constraints instead of mimic constraints. SolverMuJoCo enforces them; other solvers ignore them.")

    def _coupled(self, said: Any) -> None:
        a, label, enabled, own = said
        name, first, second, r = a.get("name"), a.get("joint1"), a.get("joint2"), self.r
        if not first:
            return
        ends = []
        for joint in (first, second):
            if joint and clean(joint) not in r.joint_of:
                raise kind_of(ValueError)(f"Joint equality '{name}' references unknown joint '{joint}'.", "SOURCE_LOST")
            ends.append((r.joint_of[clean(joint)], r.dof_of.get(clean(joint), -1)) if joint else (-1, -1))
        if second and ends[0] == ends[1]:
            raise kind_of(ValueError)(f"Joint equality '{name}' uses joint '{first}' as both endpoints.", "SOURCE_LOST")
        (j1, dof1), (j2, dof2) = ends
        # lengths along slides are scaled, on both sides
        k1, k2 = (r.scale if joint and clean(joint) in r.slides else 1.0 for joint in (first, second))
        curve = [c * k1 / k2**k for k, c in enumerate(_coefficients(a.get("polycoef", "0 1 0 0 0")))]
        row: dict[str, Any] = {"joint1": j1, "joint2": j2, "polycoef": curve, "joint1_dof": dof1, "joint2_dof": dof2}
        if r.o["convert_mjc_equality_constraints"]:
            if j2 >= 0 and all(sum(self.b.joint_dof_dim[j]) == 1 for j in (j1, j2)):
                if any(curve[2:]):
                    warn(f"SOURCE_LOST: Joint equality '{name}' uses higher-order polycoef terms. They are preserved for SolverMuJoCo, but generic Newton mimic constraints use "
                         "only coef0/coef1.")
                row["target"] = len(self.b.constraint_mimic_joint0) + len(r.mimics)
                r.mimics.append({"joint0": j1, "joint1": j2, "coef0": curve[0], "coef1": curve[1], "label": label, "enabled": enabled})
                row["target_kind"] = _AS_MIMIC
                row.pop("joint1_dof"), row.pop("joint2_dof")
            else:
                self._kept.append(name or f"joint1={first}")
        self._row(EqType.JOINT, label, enabled, own, **row)

    def _of_tendons(self, equality: Any) -> None:
        for element in equality.findall("tendon"):
            a, label, enabled, own = self._common(element)
            ends = [self.tendon_of.get(clean(a[k])) if a.get(k) else -1 for k in ("tendon1", "tendon2")]
            if ends[0] is None or ends[1] is None or ends[0] < 0:
                continue
            self._row(EqType.TENDON, label, enabled, own, tendon1=ends[0], tendon2=ends[1], polycoef=_coefficients(a.get("polycoef", "0 1 0 0 0")))

    # -- contacts
    def _shape(self, name: str) -> int | None:
        labels = self.b.shape_label[self.r.first_shape:]
        return next((self.r.first_shape + i for i, label in enumerate(labels) if label == name or label.endswith(f"/{name}")), None)

    def _pairs(self, contact: Any) -> None:
        attributes = self._attributes_of("pair_", ("pair_geom1", "pair_geom2", "pair_world"))
        for pair in contact.findall("pair"):
            shapes = [self._shape(pair.get(k)) if pair.get(k) else None for k in ("geom1", "geom2")]
            if None in shapes:
                continue
            found = custom_values(self.s.attributes(pair, "pair"), attributes, "mjcf")
            for key in ("mujoco:pair_margin", "mujoco:pair_gap"):
                if key in found:
                    found[key] *= self.r.scale
            self.b.add_custom_values(**{"mujoco:pair_world": self.b.current_world, "mujoco:pair_geom1": shapes[0], "mujoco:pair_geom2": shapes[1]},
                                     **{a.key: found.get(a.key, a.default) for a in attributes})

    def _excludes(self, contact: Any) -> None:
        b = self.b
        owners = list(b.shape_body)
        for exclude in contact.findall("exclude"):
            bodies = [self.r.body_of.get(clean(exclude.get(k) or "")) for k in ("body1", "body2")]
            if None in bodies:
                continue
            one, two = ([i for i, body in enumerate(owners) if body == of] for of in bodies)
            for i in one:
                for j in two:
                    b.add_shape_collision_filter_pair(i, j)

    # -- tendons
    def _tendons(self, section: Any) -> None:
        for fixed in section.findall("fixed"):
            rows = [{"mujoco:tendon_joint": self.r.joint_of[e.attrib["joint"]], "mujoco:tendon_joint_dof": self.r.dof_of.get(e.attrib["joint"], -1),
                     "mujoco:tendon_coef": float(e.attrib.get("coef", "1.0"))}
                    for e in fixed.findall("joint") if e.attrib.get("joint") in self.r.joint_of]
            self._tendon(fixed, "joint", rows)
        for spatial in section.findall("spatial"):
            rows = [{f"mujoco:tendon_wrap_{k}": v for k, v in zip(("type", "shape", "sidesite", "prm"), row)} for row in self._path(spatial)]
            if not rows:
                warn(f"SOURCE_LOST: Spatial tendon '{self.s.attributes(spatial, 'tendon').get('name', '')}' has no valid wrap elements, skipping.")
            self._tendon(spatial, "wrap", rows)

    def _path(self, spatial: Any) -> list[tuple[int, int, int, float]]:
        """What a tendon runs over, one after another."""
        name, out = self.s.attributes(spatial, "tendon").get("name", ""), []
        for element in spatial:
            if element.tag == "pulley":
                out.append((2, -1, -1, float(element.attrib.get("divisor", "0.0"))))
            elif element.tag in ("site", "geom"):
                known = self.r.raw_site_of if element.tag == "site" else self.r.raw_geom_of
                own = element.attrib.get(element.tag, "")
                if own not in known:
                    warn(f"SOURCE_LOST: Spatial tendon '{name}' references unknown {element.tag} '{own}', skipping element.")
                    continue
                side = element.attrib.get("sidesite", "") if element.tag == "geom" else ""
                if side and side not in self.r.raw_site_of:
                    warn(f"SOURCE_LOST: Spatial tendon '{name}' sidesite '{side}' not found.")
                out.append((int(element.tag == "geom"), known[own], self.r.raw_site_of.get(side, -1), 0.0))
        return out

    def _tendon(self, element: Any, kind: str, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        a = self.s.attributes(element, "tendon")
        places = [self.b.add_custom_values(**row)[next(iter(row))] for row in rows]
        own = self._attributes_of("tendon_")
        own = [x for x in own if x.frequency == "mujoco:tendon"]
        found = custom_values(a, own, "mjcf")
        values = {x.key: found.get(x.key, x.default) for x in own}
        values.update({"mujoco:tendon_world": self.b.current_world, "mujoco:tendon_type": int(kind == "wrap"), "mujoco:tendon_articulation": -1})
        for part in ("joint", "wrap"):
            values[f"mujoco:tendon_{part}_adr"] = places[0] if part == kind else 0
            values[f"mujoco:tendon_{part}_num"] = len(rows) if part == kind else 0
        index = self.b.add_custom_values(**values)["mujoco:tendon_world"]
        if a.get("name"):
            self.tendon_of[clean(a["name"])] = index

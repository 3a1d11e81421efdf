"""What MuJoCo's own settings are called as custom attributes: its options, flags, and values of geoms, joints, bodies, equalities.

Names, types, units and defaults are those of MuJoCo 3 ("XML reference") and of its schema for USD (`mjc:`).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ..core.diagnostics import kind_of, warn
from ..core.values import transform, vec2, vec3
from . import mujoco_paths as paths
from .texts import string_to_warp
from .custom import AttributeAssignment, AttributeFrequency, CustomAttribute, CustomFrequency

__all__ = ["CtrlSource", "CtrlType", "EqType", "TrnType", "register"]


class CtrlSource(IntEnum):
    """Where an actuator's control comes from."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class CtrlType(IntEnum):
    """What an actuator controls."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2


class TrnType(IntEnum):
    """What an actuator acts on."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5


class EqType(IntEnum):
    """What an equality constraint holds."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


def _vector(name: str, doc: str) -> type:
    def make(cls: type, *numbers: Any) -> Any:
        # One argument is a row: so pickle and copy make tuples again.
        return tuple.__new__(cls, numbers if len(numbers) != 1 else numbers[0])

    return type(name, (tuple,), {"__doc__": doc, "__new__": make})


int64 = type("int64", (int,), {})
vec5, vec6, vec10 = (_vector(f"vec{n}", f"{n} numbers.") for n in (5, 6, 10))
vec2i = _vector("vec2i", "Two integers.")
_TYPES: dict[str, Any] = {"float": float, "int": int, "bool": bool, "int64": int64, "vec5": vec5, "vec6": vec6, "vec10": vec10, "vec2i": vec2i, "str": str}
_SOLIMP, _SOLREF = (0.9, 0.95, 0.001, 0.5, 2.0), (0.02, 1.0)
_UNSET = -(2**63)

#: frequency: (name, type, default, attribute in USD after "mjc:"; None: not read from stages)
_PLAIN: dict[str, tuple[tuple[str, str, Any, str | None], ...]] = {
    "SHAPE": (
        ("contype", "int64", _UNSET, "contype"), ("conaffinity", "int64", _UNSET, "conaffinity"), ("collision_mask_domain", "int64", -1, None),
        ("condim", "int", 3, "condim"), ("geom_group", "int", 0, "group"), ("hfield_base", "float", -1.0, None), ("geom_priority", "int", 0, "priority"),
        ("geom_solimp", "vec5", _SOLIMP, "solimp"), ("geom_solmix", "float", 1.0, "solmix"), ("solref", "vec2", (0.0, 0.0), "solref"),
        ("site_size_is_display", "bool", False, None)),
    "JOINT_DOF": (
        ("limit_margin", "float", 0.0, "margin"), ("solimplimit", "vec5", _SOLIMP, "solimplimit"), ("solreflimit", "vec2", (0.0, 0.0), "solreflimit"),
        ("solreflimit_gain_baseline", "vec2", (-math.inf, -math.inf), None), ("solreffriction", "vec2", _SOLREF, "solreffriction"),
        ("solimpfriction", "vec5", _SOLIMP, "solimpfriction"), ("dof_passive_stiffness", "float", 0.0, "stiffness"),
        ("jnt_actgravcomp", "bool", False, "actuatorgravcomp")),
    "BODY": (("gravcomp", "float", 0.0, "gravcomp"),),
    "WORLD": (
        ("impratio", "float", 1.0, "option:impratio"), ("tolerance", "float", 1e-8, "option:tolerance"), ("ls_tolerance", "float", 0.01, "option:ls_tolerance"),
        ("ccd_tolerance", "float", 1e-6, "option:ccd_tolerance"), ("sleep_tolerance", "float", 1e-3, "option:sleep_tolerance"),
        ("density", "float", 0.0, "option:density"), ("viscosity", "float", 0.0, "option:viscosity"), ("wind", "vec3", (0.0, 0.0, 0.0), "option:wind"),
        ("magnetic", "vec3", (0.0, -0.5, 0.0), "option:magnetic")),
    "ONCE": (
        ("iterations", "int", 100, "option:iterations"), ("ls_iterations", "int", 50, "option:ls_iterations"), ("ccd_iterations", "int", 35, "option:ccd_iterations"),
        ("sdf_iterations", "int", 10, "option:sdf_iterations"), ("sdf_initpoints", "int", 40, "option:sdf_initpoints"), ("enable_sleeping", "bool", False, None),
        ("autolimits", "bool", True, None)),
    "mujoco:equality_constraint": (
        ("equality_constraint_type", "int", 0, None), ("equality_constraint_anchor", "vec3", (0.0, 0.0, 0.0), None),
        ("equality_constraint_torquescale", "float", 0.0, None), ("equality_constraint_relpose", "transform", (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), None),
        ("equality_constraint_polycoef", "float", [0.0] * 5, None), ("equality_constraint_label", "str", "", None),
        ("equality_constraint_enabled", "bool", True, None), ("equality_constraint_objtype", "int", -1, None),
        ("equality_constraint_target_kind", "int", 0, None), ("equality_constraint_target", "int", -1, None),
        ("eq_solref", "vec2", _SOLREF, "solref"), ("eq_solimp", "vec5", _SOLIMP, "solimp")),
    "mujoco:pair": (
        ("pair_condim", "int", 3, None), ("pair_solref", "vec2", _SOLREF, None), ("pair_solreffriction", "vec2", _SOLREF, None), ("pair_solimp", "vec5", _SOLIMP, None),
        ("pair_margin", "float", 0.0, None), ("pair_gap", "float", 0.0, None), ("pair_friction", "vec5", (1.0, 1.0, 0.005, 1e-4, 1e-4), None)),
    "mujoco:actuator": (
        ("actuator_ctrlspec", "int", 0, "ctrlSpec"),
        ("actuator_gear", "vec6", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), "gear"),
        ("actuator_armature", "float", 0.0, "armature"), ("actuator_cranklength", "float", 0.0, None), ("actuator_dynprm", "vec10", (1.0, *[0.0] * 9), "dynPrm"),
        ("actuator_gainprm", "vec10", (1.0, *[0.0] * 9), "gainPrm"), ("actuator_biasprm", "vec10", (0.0,) * 10, "biasPrm"), ("actuator_actdim", "int", -1, "actDim"),
        ("ctrl_type", "int", CtrlType.GENERAL, None)),
    "mujoco:tendon": (
        ("tendon_stiffness", "float", 0.0, "stiffness"), ("tendon_damping", "float", 0.0, "damping"), ("tendon_frictionloss", "float", 0.0, "frictionloss"),
        ("tendon_margin", "float", 0.0, "margin"), ("tendon_solref_limit", "vec2", _SOLREF, "solreflimit"), ("tendon_solimp_limit", "vec5", _SOLIMP, "solimplimit"),
        ("tendon_solref_friction", "vec2", _SOLREF, "solreffriction"), ("tendon_solimp_friction", "vec5", _SOLIMP, "solimpfriction"),
        ("tendon_armature", "float", 0.0, "armature"), ("tendon_springlength", "vec2", (-1.0, -1.0), "springlength"),
        ("tendon_limit_ke", "float", 0.0, None), ("tendon_limit_kd", "float", 0.0, None), ("tendon_solref_limit_mode", "int", 1, None)),
    "mujoco:tendon_joint": (("tendon_coef", "float", 0.0, None),),
    "mujoco:tendon_wrap": (("tendon_wrap_type", "int", 0, None), ("tendon_wrap_prm", "float", 0.0, None)),
}
#: (kind of row, type of its prims in stages, rows that a prim makes, which articulation they belong to)
_KINDS: tuple[tuple[str, str | None, Any, Any], ...] = (
    ("equality_constraint", None, None, None), ("pair", None, None, None), ("actuator", "MjcActuator", None, paths.actuator_owners),
    ("tendon", "MjcTendon", None, paths.tendon_owners), ("tendon_joint", "MjcTendon", paths.fixed_rows, paths.tendon_joint_owners),
    ("tendon_wrap", "MjcTendon", paths.wrap_rows, paths.tendon_wrap_owners))
#: flags of the scene that are on, and off, unless authored
_ON = ("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "clampctrl", "warmstart", "actuation", "refsafe", "sensor", "eulerdamp",
       "nativeccd", "island")
_OFF = ("multiccd", "energy", "invdiscrete")
#: (name, frequency, default, attribute, words by number)
_WORDS: tuple[tuple[str, str, int, str, dict[str, int]], ...] = (
    ("integrator", "ONCE", 3, "option:integrator", {"euler": 0, "rk4": 1, "implicit": 2, "implicitfast": 3, "discrete": 4}),
    ("solver", "ONCE", 2, "option:solver", {"pgs": 0, "cg": 1, "newton": 2}),
    ("cone", "ONCE", 0, "option:cone", {"pyramidal": 0, "elliptic": 1}),
    ("jacobian", "ONCE", 2, "option:jacobian", {"dense": 0, "sparse": 1, "auto": 2}),
    ("sleep_policy", "BODY", 0, "sleep", {"auto": 0, "never": 3, "allowed": 4, "init": 5}),
    ("actuator_dyntype", "mujoco:actuator", 0, "dynType", {"none": 0, "integrator": 1, "filter": 2, "filterexact": 3, "muscle": 4, "dcmotor": 5, "user": 6}),
    ("actuator_gaintype", "mujoco:actuator", 0, "gainType", {"fixed": 0, "affine": 1, "muscle": 2, "dcmotor": 3, "user": 4}),
    ("actuator_biastype", "mujoco:actuator", 0, "biasType", {"none": 0, "affine": 1, "muscle": 2, "dcmotor": 3, "user": 4}),
    ("tendon_limited", "mujoco:tendon", 2, "limited", {"false": 0, "true": 1, "auto": 2}),
    ("tendon_actuator_force_limited", "mujoco:tendon", 2, "actuatorfrclimited", {"false": 0, "true": 1, "auto": 2}),
)
#: (name, frequency, what is referred to)
_INDICES = (
    *((f"equality_constraint_{n}", "mujoco:equality_constraint", of) for n, of in (("body1", "body"), ("body2", "body"), ("joint1", "joint"), ("joint2", "joint"),
                                                                                 ("joint1_dof", "joint_dof"), ("joint2_dof", "joint_dof"), ("world", "world"))),
    ("pair_geom1", "mujoco:pair", "shape"), ("pair_geom2", "mujoco:pair", "shape"), ("pair_world", "mujoco:pair", "world"),
    ("actuator_world", "mujoco:actuator", "world"), ("tendon_world", "mujoco:tendon", "world"),
    ("actuator_articulation", "mujoco:actuator", "articulation"), ("tendon_articulation", "mujoco:tendon", "articulation"),
    ("tendon_joint", "mujoco:tendon_joint", "joint"), ("tendon_joint_dof", "mujoco:tendon_joint", "joint_dof"),
    ("tendon_joint_articulation", "mujoco:tendon_joint", "articulation"),
    ("tendon_wrap_shape", "mujoco:tendon_wrap", "shape"), ("tendon_wrap_sidesite", "mujoco:tendon_wrap", "shape"),
    ("tendon_wrap_articulation", "mujoco:tendon_wrap", "articulation"),
    *((f"equality_constraint_{n}", "mujoco:equality_constraint", "mujoco:tendon") for n in ("tendon1", "tendon2")),
)
#: what MJCF calls those whose name there is neither their own nor the one without a prefix of these
_PREFIXES = ("geom_", "flag_", "actuator_", "tendon_", "pair_", "eq_", "jnt_", "dof_")
_MJCF = {"limit_margin": "margin", "sleep_policy": "sleep", "dof_passive_stiffness": "stiffness", "jnt_actgravcomp": "actuatorgravcomp", "enable_sleeping": "sleep",
         "tendon_solref_limit": "solreflimit", "tendon_solimp_limit": "solimplimit", "tendon_solref_friction": "solreffriction", "tendon_solimp_friction": "solimpfriction",
         "tendon_actuator_force_range": "actuatorfrcrange", "tendon_actuator_force_limited": "actuatorfrclimited", "actuator_label": "name", "tendon_label": "name",
         "actuator_has_ctrlrange": "ctrlrange", "actuator_has_forcerange": "forcerange", "actuator_has_actrange": "actrange", "actuator_dampingpoly": "damping"}
#: those that no file names
_OWN = ("pair_world", "actuator_trnid", "actuator_target_label", "actuator_articulation", "actuator_world", "actuator_ctrlspec", "tendon_world", "tendon_articulation",
        "tendon_limit_ke", "tendon_limit_kd", "tendon_solref_limit_mode", "tendon_joint_adr", "tendon_joint_num", "tendon_joint", "tendon_joint_dof",
        "tendon_joint_articulation", "tendon_type", "tendon_wrap_adr", "tendon_wrap_num", "tendon_wrap_type", "tendon_wrap_articulation", "tendon_wrap_shape", "tendon_wrap_sidesite", "tendon_wrap_prm")


def _mjcf_name(name: str) -> str:
    if name in _MJCF or name in _OWN:
        return _MJCF.get(name, name)
    return next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)


# Transformers are objects and no closures: a builder that has them can be pickled, and two of the same values are equal.
@dataclass(frozen=True)
class _Word:
    """Numbers of words, also as MuJoCo's own enumerations print them ("mjtCone.mjCONE_ELLIPTIC")."""

    words: dict[str, int]

    def __call__(self, value: Any, _: Any) -> int:
        text = str(value).lower().strip()
        last = text.rsplit(".", maxsplit=1)[-1]
        for word in (text, last, last.rsplit("_", maxsplit=1)[-1]):
            if word in self.words:
                return self.words[word]
        return int(value)


_LIMITED = _Word({"false": 0, "true": 1, "auto": 2})


@dataclass(frozen=True)
class _KnownWord:
    """As `_Word`; with a warning the first word where a model has one that is none of these."""

    name: str
    words: dict[str, int]

    def __call__(self, value: Any, context: dict[str, Any] | None) -> int:
        try:
            found = _Word(self.words)(value, context)
            if found in self.words.values():
                return found
        except ValueError:
            pass
        prim = (context or {}).get("prim")
        at = f"actuator '{(context or {}).get('actuator_name')}'" if prim is None else f"prim '{prim.GetPath()}'"
        warn(f"SOURCE_LOST: Unsupported MuJoCo actuator {self.name} {value!r} on {at}; falling back to {next(iter(self.words))!r}. "
             f"Supported values are {sorted(self.words)}.")
        return 0


def _switch(value: Any, _: Any) -> bool:
    word = str(value).lower().strip()
    if word in ("enable", "true", "1"):
        return True
    if word in ("disable", "false", "0"):
        return False
    raise kind_of(ValueError)(f"Expected enable or disable, got {value!r}.", "PYTHON_ARG_TEXT")


def _truth(value: Any, context: dict[str, Any] | None) -> bool:
    word = str(value).lower().strip()
    if word == "auto":
        prim, attribute = (context or {}).get("prim"), (context or {}).get("attr")
        at = "" if prim is None or attribute is None else f"Error while parsing value '{attribute.usd_attribute_name}' at prim '{prim.GetPath()}'. "
        raise kind_of(NotImplementedError)(f"{at}Auto boolean values are not supported at the moment.", "SOURCE_LOST")
    return word in ("true", "1")


def _hinge_angle(value: Any, context: dict[str, Any] | None) -> float:
    number = float(string_to_warp(value, float, 0.0))
    turned = context is not None and context.get("use_degrees", False) and context.get("joint_type") in ("hinge", "ball")
    return math.radians(number) if turned else number


@dataclass(frozen=True)
class _Damping:
    """Of damping with its polynomial: the first number, or the others."""

    begin: int

    def __call__(self, value: Any, _: Any) -> Any:
        numbers = [float(x) for x in str(value).split()] if isinstance(value, str) else [float(x) for x in (value if hasattr(value, "__len__") else [value])]
        numbers += [0.0] * (3 - len(numbers))
        return vec2(*numbers[1:3]) if self.begin else numbers[0]


@dataclass(frozen=True)
class _Filled:
    """MuJoCo lets the last numbers of a row be left out: they have their defaults."""

    default: tuple[float, ...]

    def __call__(self, value: Any, _: Any) -> tuple[float, ...]:
        found = [float(x) for x in value][:len(self.default)]
        return (*found, *self.default[len(found):])


def _angle(value: Any, context: dict[str, Any]) -> float:
    """Positions of hinges are authored in degrees unless the scene's compiler says radians."""
    prim, scene = context["prim"], context.get("physics_scene_prim")
    if str(prim.GetTypeName()) != "PhysicsRevoluteJoint":
        return float(value)
    unit = scene.GetAttribute("mjc:compiler:angle") if scene else None
    return float(value) if unit and unit.HasAuthoredValue() and str(unit.Get()) == "radian" else math.radians(float(value))


#: what MuJoCo's pair of contact reference values stands for
_MODE_DEFAULT, _MODE_RAW = 2, 1


@dataclass(frozen=True)
class _Mode:
    """Whether a prim authors the pair."""

    attribute: str
    otherwise: int | None

    def __call__(self, _: Any, context: dict[str, Any]) -> int | None:
        found = context["prim"].GetAttribute(self.attribute)
        return _MODE_RAW if found and found.HasAuthoredValue() else self.otherwise


def _target(_: Any, context: dict[str, Any]) -> str | None:
    """What an actuator acts on, by path."""
    relationship = context["prim"].GetRelationship("mjc:target")
    targets = list(relationship.GetTargets()) if relationship else []
    return str(targets[0]) if targets else None


def _numbers(prim: Any, name: str, otherwise: tuple[float, ...]) -> list[float]:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute and attribute.HasAuthoredValue() else None
    found = [float(x) for x in value] if value is not None else []
    return found + list(otherwise[len(found):])


def _source(_: Any, context: dict[str, Any]) -> int:
    """A position or velocity servo of gear 1 is its joint's drive (importer/actuators.cpp); every other actuator has a control of its own."""
    prim = context["prim"]

    def word(name: str, otherwise: str) -> str:
        attribute = prim.GetAttribute(name)
        return str(attribute.Get()) if attribute and attribute.HasAuthoredValue() else otherwise

    gain, bias = _numbers(prim, "mjc:gainPrm", (1.0, 0.0, 0.0)), _numbers(prim, "mjc:biasPrm", (0.0, 0.0, 0.0))
    gear, k = _numbers(prim, "mjc:gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)), gain[0]
    servo = (word("mjc:biasType", "none") == "affine" and word("mjc:gainType", "fixed") == "fixed" and word("mjc:dynType", "none") == "none"
             and math.isclose(gear[0], 1.0) and not any(gear[1:]) and k > 0 and bias[0] == 0.0
             and ((math.isclose(bias[1], -k) and bias[2] <= 0) or (bias[1] == 0.0 and math.isclose(bias[2], -k))))
    joints = (context.get("result") or {}).get("path_joint_map")
    if joints is not None and _target(None, context) not in joints:  # of a tendon, which no drive stands for
        servo = False
    return CtrlSource.JOINT_TARGET if servo else CtrlSource.CTRL_DIRECT


@dataclass(frozen=True)
class _IsA:
    """Prims of a type."""

    type_name: str

    def __call__(self, prim: Any, _: Any) -> bool:
        return str(prim.GetTypeName()) == self.type_name


@dataclass(frozen=True)
class _LimitedRange:
    """Two attributes as one range; not authored when neither is."""

    low: str
    high: str

    def __call__(self, _: Any, context: dict[str, Any]) -> Any:
        found = [context["prim"].GetAttribute(n) for n in (self.low, self.high)]
        if not any(a and a.HasAuthoredValue() for a in found):
            return None
        return tuple(float(a.Get()) if a and a.Get() is not None else 0.0 for a in found)


@dataclass(frozen=True)
class _IsRanged:
    """Whether a prim authors the range."""

    low: str
    high: str

    def __call__(self, value: Any, context: Any) -> int:
        return int(_LimitedRange(self.low, self.high)(value, context) is not None)


def _axis_of(context: dict[str, Any], joint: int, path: str) -> tuple[int, float]:
    """Which dof of a joint with several axes an actuator means (`mechane:source:dof`), and whether it is the opposite one."""
    prim = context["prim"]
    named = prim.GetAttribute("mechane:source:dof")
    return paths.dof_of(context["builder"], joint, prim.GetStage().GetPrimAtPath(path), str(named.Get()) if named and named.HasAuthoredValue() else "")


def _acted_on(context: dict[str, Any]) -> tuple[TrnType, int, int] | None:
    """What an actuator's target became in the builder: its kind, and dof, site with reference site, or body; None: a tendon, or nothing that is there."""
    result, builder, path = context.get("result") or {}, context.get("builder"), _target(None, context)

    def found(name: str, key: str | None) -> int:
        return int((result.get(name) or {}).get(key, -1))

    if builder is None or path is None:
        return None
    if (joint := found("path_joint_map", path)) >= 0:
        parent = context["prim"].GetAttribute("mjc:jointInParent")
        inside = bool(parent and parent.HasAuthoredValue() and str(parent.Get()).lower() in ("true", "1"))
        dof, _ = _axis_of(context, joint, path)
        return (TrnType.JOINT_IN_PARENT if inside else TrnType.JOINT), int(builder.joint_qd_start[joint]) if dof < 0 else dof, 0
    if (site := found("path_shape_map", path)) >= 0:
        reference = context["prim"].GetRelationship("mjc:refSite")
        named = [str(t) for t in reference.GetTargets()] if reference else []
        return TrnType.SITE, site, found("path_shape_map", named[0] if named else None)
    body = found("path_body_map", path)
    return None if body < 0 else (TrnType.BODY, body, 0)


def _gear(_: Any, context: dict[str, Any]) -> Any:
    """The gears of an actuator; the first one is the opposite where its axis is."""
    prim, builder, path = context["prim"], context.get("builder"), _target(None, context)
    attribute = prim.GetAttribute("mjc:gear")
    joint = ((context.get("result") or {}).get("path_joint_map") or {}).get(path, -1)
    sign = _axis_of(context, joint, path)[1] if builder is not None and path is not None and joint >= 0 else 1.0
    if sign > 0 and not (attribute and attribute.HasAuthoredValue()):
        return None
    gear = _numbers(prim, "mjc:gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    return tuple([sign * gear[0], *gear[1:6]])


def _transmission(_: Any, context: dict[str, Any]) -> int | None:
    target = _acted_on(context)
    return None if target is None else int(target[0])


def _transmission_ids(_: Any, context: dict[str, Any]) -> Any:
    target = _acted_on(context)
    return None if target is None else vec2i(*target[1:])


_authored_state = _LimitedRange("mjc:actRange:min", "mjc:actRange:max")
_authored_control = _LimitedRange("mjc:ctrlRange:min", "mjc:ctrlRange:max")


def _inherited(context: dict[str, Any], state: bool = False) -> tuple[float, float] | None:
    """The limits of the joint that an actuator moves, scaled about their middle by `mjc:inheritRange`; None where it does not say so. An actuator
    that integrates what it is told bounds its state so, others what they are told."""
    dynamics = context["prim"].GetAttribute("mjc:dynType")
    if bool(dynamics and dynamics.HasAuthoredValue() and str(dynamics.Get()) == "integrator") != state:
        return None
    attribute, builder = context["prim"].GetAttribute("mjc:inheritRange"), context.get("builder")
    factor = float(attribute.Get()) if attribute and attribute.HasAuthoredValue() else 0.0
    joint = ((context.get("result") or {}).get("path_joint_map") or {}).get(_target(None, context), -1)
    if factor <= 0 or builder is None or not 0 <= joint < len(builder.joint_qd_start):
        return None
    dof, ref = builder.joint_qd_start[joint], builder.custom_attributes["mujoco:dof_ref"]
    if not 0 <= dof < len(builder.joint_limit_lower):
        return None
    at = float(ref.values.get(dof, ref.default))  # limits are from the authored pose on, controls are MuJoCo's own angles
    low, high = builder.joint_limit_lower[dof] + at, builder.joint_limit_upper[dof] + at
    if not low < high:
        return None
    middle, half = (low + high) / 2, (high - low) / 2 * factor
    return middle - half, middle + half


def _control_range(value: Any, context: dict[str, Any]) -> Any:
    authored = _authored_control(value, context)
    return _inherited(context) if authored is None else authored


def _state_range(value: Any, context: dict[str, Any]) -> Any:
    authored = _authored_state(value, context)
    return _inherited(context, True) if authored is None else authored


def _has_control_range(value: Any, context: dict[str, Any]) -> int:
    return int(_control_range(value, context) is not None)


def _has_state_range(value: Any, context: dict[str, Any]) -> int:
    return int(_state_range(value, context) is not None)


def _one(*_: Any) -> int:
    return 1


def _tendon_type(_: Any, context: dict[str, Any]) -> int:
    return paths.tendon_type(context["prim"])


def _path_text(_: Any, context: dict[str, Any]) -> str:
    return str(context["prim"].GetPath())


def _control_limited(value: Any, context: dict[str, Any]) -> int:
    authored = context["prim"].GetAttribute("mjc:ctrlLimited")
    if authored and authored.HasAuthoredValue():
        return _LIMITED(authored.Get(), context)
    return 1 if _inherited(context) is not None else 2


def _moved_targets(values: list[Any], context: dict[str, Any]) -> list[Any]:
    """Targets of actuators in a builder that they are copied into: dofs, tendons, sites or bodies, as `actuator_trntype` says of each row."""
    kinds = context["builder"].custom_attributes.get("mujoco:actuator_trntype")
    if kinds is None:
        return values
    to, rows = context["entity_offsets"], kinds.values or []
    moves = {TrnType.JOINT: (to["joint_dof"], 0), TrnType.JOINT_IN_PARENT: (to["joint_dof"], 0), TrnType.BODY: (to["body"], 0),
             TrnType.TENDON: (context["custom_frequency_offsets"].get("mujoco:tendon", 0), 0),
             TrnType.SITE: (to["shape"], to["shape"]), TrnType.SLIDERCRANK: (to["shape"], to["shape"])}
    out: list[Any] = []
    for row, value in zip(context["row_indices"], values):
        kind = rows[row] if row < len(rows) and rows[row] is not None else kinds.default
        by = moves.get(int(kind), (0, 0))  # type: ignore[call-overload]
        out.append(None if value is None else vec2i(*(int(i) + d if int(i) >= 0 else int(i) for i, d in zip(value, by))))
    return out


def register(builder: Any) -> None:
    """Declares MuJoCo's settings in the namespace `mujoco` of a builder; doing it again changes nothing."""
    types = {**_TYPES, "vec2": vec2, "vec3": vec3, "transform": transform}

    def add(name: str, dtype: Any, frequency: str, default: Any, usd: str | None, transformer: Any = None, references: str | None = None,
            assignment: AttributeAssignment = AttributeAssignment.MODEL, mjcf: Any = None) -> None:
        if f"mujoco:{name}" in builder.custom_attributes:
            return
        kind = frequency if ":" in frequency else AttributeFrequency[frequency]
        builder.add_custom_attribute(CustomAttribute(
            name=name, dtype=dtype, frequency=kind, assignment=assignment, namespace="mujoco", default=default, references=references,
            usd_attribute_name=usd if usd is None or usd == "*" else f"mjc:{usd}", usd_value_transformer=transformer,
            mjcf_attribute_name=_mjcf_name(name), mjcf_value_transformer=mjcf,
            reference_value_transformer=_moved_targets if name == "actuator_trnid" else None))

    for name, prim, rows, owners in _KINDS:
        if f"mujoco:{name}" not in builder.custom_frequencies:
            builder.add_custom_frequency(CustomFrequency(
                name=name, namespace="mujoco", usd_prim_filter=None if prim is None else _IsA(prim), usd_entry_expander=rows,
                articulation_owner_attribute=None if owners is None else f"mujoco:{name}_articulation", articulation_owner_resolver=owners,
                label_attribute=f"mujoco:{name}_label" if name in ("actuator", "tendon") else None))
    parsers = {"enable_sleeping": _switch, "autolimits": _truth}
    for frequency, rows in _PLAIN.items():
        for name, dtype, default, usd in rows:
            fill = _Filled(default) if dtype in ("vec2", "vec5", "vec6", "vec10") and usd is not None else None
            if name == "actuator_gear":
                usd, fill = "*", _gear
            add(name, types[dtype], frequency, default, usd, fill, mjcf=parsers.get(name))
    for flag in (*_ON, *_OFF):
        add(f"flag_{flag}", bool, "ONCE", flag in _ON, f"flag:{flag}", mjcf=_switch)
    for name, frequency, default, usd, words in _WORDS:
        parse = _KnownWord(name.removeprefix("actuator_"), words) if name in ("actuator_dyntype", "actuator_gaintype", "actuator_biastype") else _Word(words)
        add(name, int, frequency, default, usd, parse, mjcf=parse)
    for name, frequency, of in _INDICES:
        add(name, int, frequency, 0 if of == "world" or ":" in of and "adr" in name else -1, None, references=of)
    for name in ("dof_springref", "dof_ref"):
        add(name, float, "JOINT_DOF", 0.0, name.removeprefix("dof_"), _angle, mjcf=_hinge_angle)
    add("joint_dof_label", str, "JOINT_DOF", "", None)
    add("solref_mode", int, "SHAPE", _MODE_DEFAULT, "*", _Mode("mjc:solref", _MODE_DEFAULT))
    add("solreflimit_mode", int, "JOINT_DOF", 0, "*", _Mode("mjc:solreflimit", None))
    add("tendon_type", int, "mujoco:tendon", 0, "*", _tendon_type)
    for part in ("joint", "wrap"):
        add(f"tendon_{part}_adr", int, "mujoco:tendon", 0, "*", paths.PathOf(part, False), references=f"mujoco:tendon_{part}")
        add(f"tendon_{part}_num", int, "mujoco:tendon", 0, "*", paths.PathOf(part, True))
    for kind in ("actuator", "tendon"):
        add(f"{kind}_label", str, f"mujoco:{kind}", "", "*", _path_text)
    add("ctrl_source", int, "mujoco:actuator", CtrlSource.CTRL_DIRECT, "*", _source)
    add("actuator_target_label", str, "mujoco:actuator", "", "*", _target)
    add("actuator_ctrllimited", int, "mujoco:actuator", 2, "*", _control_limited, mjcf=_LIMITED)
    add("actuator_has_ctrlrange", int, "mujoco:actuator", 0, "*", _has_control_range, mjcf=_one)
    add("actuator_ctrlrange", vec2, "mujoco:actuator", (0.0, 0.0), "*", _control_range)
    add("actuator_has_actrange", int, "mujoco:actuator", 0, "*", _has_state_range, mjcf=_one)
    add("actuator_actrange", vec2, "mujoco:actuator", (0.0, 0.0), "*", _state_range)
    add("actuator_has_forcerange", int, "mujoco:actuator", 0, "*", _IsRanged("mjc:forceRange:min", "mjc:forceRange:max"), mjcf=_one)
    for name in ("force", "act"):
        add(f"actuator_{name}limited", int, "mujoco:actuator", 2, f"{name}Limited", _LIMITED, mjcf=_LIMITED)
    add("actuator_trnid", types["vec2i"], "mujoco:actuator", (-1, -1), "*", _transmission_ids)
    add("actuator_trntype", int, "mujoco:actuator", 0, "*", _transmission,
        mjcf=_KnownWord("trntype", {"joint": 0, "jointinparent": 1, "tendon": 2, "site": 3, "body": 4, "slidercrank": 5}))
    add("actuator_damping", float, "mujoco:actuator", 0.0, "damping", _Damping(0), mjcf=_Damping(0))
    add("actuator_dampingpoly", vec2, "mujoco:actuator", (0.0, 0.0), "dampingPoly", mjcf=_Damping(1))
    add("actuator_actearly", bool, "mujoco:actuator", False, "actEarly", _truth, mjcf=_truth)
    for name in ("force", "length"):
        add(f"actuator_{name}range", vec2, "mujoco:actuator", (0.0, 0.0), "*", _LimitedRange(f"mjc:{name}Range:min", f"mjc:{name}Range:max"))
    for name, usd in (("tendon_range", "range"), ("tendon_actuator_force_range", "actuatorfrcrange")):
        add(name, vec2, "mujoco:tendon", (0.0, 0.0), "*", _LimitedRange(f"mjc:{usd}:min", f"mjc:{usd}:max"))
    add("ctrl", float, "mujoco:actuator", 0.0, None, assignment=AttributeAssignment.CONTROL)

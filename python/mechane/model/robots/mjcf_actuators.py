"""Actuators of an MJCF model, as rows of `mujoco:actuator`; those that hold a joint's position or velocity set the joint's targets too."""
from __future__ import annotations

import math
from typing import Any

from ...core.diagnostics import kind_of
from ...core.enums import JointTargetMode
from ..mujoco_attributes import CtrlSource, CtrlType, TrnType, vec2i, vec10
from ..texts import custom_values
from .parts import clean

__all__ = ["read_actuators"]

#: What a short form stands for where the model does not say otherwise.
_SHORT: dict[str, dict[str, int]] = {
    "position": {"mujoco:actuator_biastype": 1}, "velocity": {"mujoco:actuator_biastype": 1},
    "muscle": {"mujoco:actuator_dyntype": 4, "mujoco:actuator_gaintype": 2, "mujoco:actuator_biastype": 2},
    "intvelocity": {"mujoco:actuator_biastype": 1, "mujoco:actuator_dyntype": 1},
    "damper": {"mujoco:actuator_gaintype": 1, "mujoco:actuator_biastype": 0, "mujoco:actuator_ctrllimited": 1},
}
_KINDS = ("position", "velocity", "intvelocity", "motor", "muscle", "damper", "general")
_MOTOR_GAIN = 3
_INPUTS = {"pos": 1, "vel": 2, "voltage": 8}


def _ten(*numbers: float) -> Any:
    return vec10(*numbers, *[0.0] * (10 - len(numbers)))


def read_actuators(reader: Any, tendons: dict[str, int]) -> None:
    for section in reader.root.findall("actuator"):
        for element in section:
            if element.tag == "dcmotor":
                raise kind_of(NotImplementedError)("<dcmotor> of MJCF is not there: its parameters are worked out by MuJoCo's compiler. <general> with the compiled ones is read",
                                                   "SOURCE_LOST")
            if element.tag in _KINDS:
                _Actuator(reader, element, tendons).add()


class _Actuator:
    def __init__(self, reader: Any, element: Any, tendons: dict[str, int]):
        self.r, self.b, self.kind = reader, reader.b, element.tag
        self.a = reader.s.attributes(element, element.tag)
        self.tendons = tendons
        self.first = -1
        self.dofs = 0
        self.crank: float | None = None
        self.joint = self._name("joint") or self._name("jointinparent")

    def _name(self, key: str) -> str | None:
        return clean(self.a[key]) if self.a.get(key) else None

    def _number(self, key: str, default: float) -> float:
        return self.r.s.number(self.a, key, default)

    def _target(self) -> tuple[TrnType, int, int, str] | None:
        """What it acts on; None where that is not there."""
        r = self.r
        crank, slider = self._name("cranksite"), self._name("slidersite")
        if crank or slider:
            if crank not in r.site_of or slider not in r.site_of:
                return None
            self.crank = self._number("cranklength", 0.0) * r.scale
            if not math.isfinite(self.crank) or self.crank <= 0:
                raise kind_of(ValueError)("MJCF slider-crank actuator cranklength must be positive.", "SOURCE_LOST")
            return TrnType.SLIDERCRANK, r.site_of[crank], r.site_of[slider], crank
        if self.joint:
            kind = TrnType.JOINT_IN_PARENT if self._name("jointinparent") else TrnType.JOINT
            if self.joint in r.dof_of:
                self.first, self.dofs = r.dof_of[self.joint], 1
            elif self.joint in r.joint_of:
                index = r.joint_of[self.joint]
                self.first, self.dofs = self.b.joint_qd_start[index], sum(self.b.joint_dof_dim[index])
            else:
                return None
            return kind, self.first, 0, self.joint
        for key, known, kind in (("body", r.body_of, TrnType.BODY), ("tendon", self.tendons, TrnType.TENDON), ("site", r.site_of, TrnType.SITE)):
            name = self._name(key)
            if name:
                other = self._name("refsite") if key == "site" else None
                if name not in known or (other and other not in r.site_of):
                    return None
                return kind, known[name], (r.site_of[other] if other else -1) if key == "site" else 0, name
        return None

    def _inherit(self, prefix: str) -> bool:
        """A range that is that of the joint, by a factor about its middle."""
        factor = self._number("inheritrange", 0.0)
        if not (factor > 0 and self._name("joint") and self.first >= 0):
            return False
        ref = self.b.custom_attributes["mujoco:dof_ref"]
        at_zero = float(ref.values.get(self.first, ref.default))
        low, high = self.b.joint_limit_lower[self.first] + at_zero, self.b.joint_limit_upper[self.first] + at_zero
        low, high = self.r.unlimited.get(self.first, (low, high))
        if not low < high:
            return False
        middle, half = (low + high) / 2, (high - low) / 2 * factor
        self.a[f"{prefix}range"], self.a[f"{prefix}limited"] = f"{middle - half} {middle + half}", "true"
        return True

    def _drive(self, kp: float | None, kv: float) -> None:
        """The joint's own targets."""
        b, modes = self.b, JointTargetMode
        for dof in range(self.first, self.first + self.dofs):
            mode = b.joint_target_mode[dof]
            if kp is not None:
                b.joint_target_ke[dof] = kp
                if mode == modes.VELOCITY:
                    b.joint_target_mode[dof] = int(modes.POSITION_VELOCITY)
                elif mode == modes.NONE:
                    b.joint_target_mode[dof], b.joint_target_kd[dof] = int(modes.POSITION), kv
                continue
            if mode in (modes.POSITION, modes.NONE):
                b.joint_target_mode[dof] = int(modes.POSITION_VELOCITY if mode == modes.POSITION else modes.VELOCITY)
            b.joint_target_kd[dof] = kv

    def _muscle(self) -> tuple[Any, Any]:
        times, reach = self.r.s.vector(self.a, "timeconst", (0.01, 0.04)), self.r.s.vector(self.a, "range", (0.75, 1.05))
        smooth = self._number("tausmooth", 0.0)
        if smooth < 0:
            raise kind_of(ValueError)("MJCF muscle actuator tausmooth must be nonnegative.", "SOURCE_LOST")
        plain = (("force", -1.0), ("scale", 200.0), ("lmin", 0.5), ("lmax", 1.6), ("vmax", 1.5), ("fpmax", 1.3), ("fvmax", 1.2))
        return _ten(*reach[:2], *(self._number(*item) for item in plain)), _ten(*times[:2], smooth)

    def add(self) -> None:
        target = self._target()
        if target is None:
            return
        kind, index, other, name = target
        label = self.a.get("name", f"{self.kind}_{name}")
        drives = self.kind in ("position", "velocity") and kind is TrnType.JOINT and self.dofs != 0 and not self.r.o["ctrl_direct"]
        gain, bias, dynamics = _ten(1.0), _ten(), None
        ctrl_inherited = act_inherited = False
        if self.kind in ("position", "intvelocity"):
            kp, kv = self._number("kp", 1.0), self._number("kv", 0.0)
            # a ratio that is not worked out yet stands where the damping would, positive
            rate = -kv if kv > 0 else max(self._number("dampratio", 0.0), 0.0) if self.kind == "position" else self._number("dampratio", 0.0)
            gain, bias = _ten(kp), _ten(0.0, -kp, rate)
            if self.kind == "position":
                ctrl_inherited = self._inherit("ctrl")
                if drives:
                    self._drive(kp, kv)
            else:
                act_inherited = self._inherit("act")
        elif self.kind == "velocity":
            kv = self._number("kv", 1.0)
            gain, bias = _ten(kv), _ten(0.0, 0.0, -kv)
            if drives:
                self._drive(None, kv)
        elif self.kind == "muscle":
            gain, dynamics = self._muscle()
            bias = gain
        elif self.kind == "damper":
            gain = _ten(0.0, 0.0, -self._number("kv", 1.0))
        elif self.kind == "general":
            gain, bias = (_ten(*[float(x) for x in self.a.get(key, default).split()[:10]]) for key, default in (("gainprm", "1"), ("biasprm", "0")))
        attributes = self.b.get_custom_attributes_by_frequency(["mujoco:actuator"])
        found = custom_values(self.a, attributes, "mjcf", {"actuator_name": label})
        found.pop("mujoco:actuator_trntype", None)
        if dynamics is not None:
            found["mujoco:actuator_dynprm"] = dynamics
        motor = self.kind == "general" and found.get("mujoco:actuator_gaintype") == _MOTOR_GAIN
        if motor:
            word = self.a.get("input", "voltage")
            if word not in _INPUTS:
                raise kind_of(NotImplementedError)("SolverMuJoCo supports one DC-motor control input per actuator row: 'voltage', 'pos', or 'vel'.", "SOURCE_LOST")
            found["mujoco:actuator_ctrlspec"] = _INPUTS[word]
        of_joint = self.kind in ("position", "velocity", "intvelocity") or (motor and found["mujoco:actuator_ctrlspec"] in (1, 2))
        slides = self.joint in self.r.slides
        for key, counts in (("mujoco:actuator_ctrlrange", of_joint and not ctrl_inherited), ("mujoco:actuator_actrange", self.kind == "intvelocity" and not act_inherited)):
            if slides and counts and key in found:
                found[key] = found[key] * self.r.scale
        if self.crank is not None:
            found["mujoco:actuator_cranklength"] = self.crank
        found = {**_SHORT.get(self.kind, {}), **found}
        values = {x.key: found.get(x.key, x.default) for x in attributes if x.name != "ctrl"}
        values.update({"mujoco:ctrl_source": int(CtrlSource.JOINT_TARGET if drives else CtrlSource.CTRL_DIRECT),
                       "mujoco:ctrl_type": int({"position": CtrlType.POSITION, "velocity": CtrlType.VELOCITY}.get(self.kind, CtrlType.GENERAL)),
                       "mujoco:actuator_gainprm": gain, "mujoco:actuator_biasprm": bias, "mujoco:actuator_trnid": vec2i(index, other), "mujoco:actuator_trntype": int(kind),
                       "mujoco:actuator_world": self.b.current_world})
        self.b.add_custom_values(**values)

"""The solver that steps by MuJoCo's own library."""
from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import handed, plain
from ..core.diagnostics import MechaneDeprecationWarning, NotSupportedError, kind_of, publish, warn
from ..core.files import inputs_of, write
from ..newton.reserved import reserve
from . import mujoco_attributes
from .contacts import Contacts
from .custom import AttributeFrequency
from .mujoco_views import WorldsData, WorldsModel
from .mujoco_worlds import check_alike, check_roots
from .observables import Declared, ObservableKind, Observables
from .solver_base import Native
from .state import Control, State, belonging

__all__ = ["SolverMuJoCo", "mujoco_problem"]


def mujoco_problem() -> str:
    """Why MuJoCo cannot step; empty: it can. The library of the package `mujoco` comes first, unless MECHANE_MUJOCO names one."""
    if not os.environ.get("MECHANE_MUJOCO") and not _core.mujoco_library()["version"]:
        found = importlib.util.find_spec("mujoco")
        for folder in (found.submodule_search_locations or [] if found is not None else []):
            _core.set_mujoco_library(str(folder))
            if not _core.mujoco_library()["problem"]:
                return ""
        _core.set_mujoco_library("")
    return str(_core.mujoco_library()["problem"])


#: Words of options, by their numbers.
_MUJOCO_WORDS = {"integrator": ("euler", "rk4", "implicit", "implicitfast", "discrete"), "solver": ("pgs", "cg", "newton"),
                 "cone": ("pyramidal", "elliptic"), "jacobian": ("dense", "sparse", "auto")}


def _contact(package: Any, row: np.ndarray) -> Any:
    """An mjContact of a row of `mujoco_contacts`."""
    contact, n = package.MjContact(), row[7:10]
    side = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    side /= np.linalg.norm(side)
    contact.geom[:] = contact.geom1, contact.geom2 = int(row[0]), int(row[1])
    contact.dim, contact.dist, contact.pos[:], contact.frame[:] = int(row[2]), row[3], row[4:7], np.concatenate([n, side, np.cross(n, side)])
    contact.friction[:], contact.solref[:], contact.solreffriction[:], contact.solimp[:] = row[10:15], row[15:17], row[17:19], row[19:24]
    contact.flex[:] = contact.elem[:] = contact.vert[:] = -1
    contact.efc_address = -1
    return contact


class _Kind(ObservableKind):
    """Names of observables, those of MuJoCo's forces in the dofs of the model among them."""

    QFRC_ACTUATOR = "qfrc_actuator"
    QFRC_BIAS = "qfrc_bias"
    QFRC_CONSTRAINT = "qfrc_constraint"
    QFRC_FRICTIONLOSS = "qfrc_frictionloss"
    OVERFLOW = "overflow"


#: Those that are forces in dofs, by what the library calls them.
_FORCES = {"qfrc_actuator": "actuator", "qfrc_bias": "bias", "qfrc_constraint": "constraint", "qfrc_frictionloss": "frictionloss"}


@dataclass(eq=False)
class _Observed(Observables):
    """Arrays of a step, those of MuJoCo's forces in the dofs of the model among them [N, N m]: of the last evaluation of forces in the step."""

    qfrc_actuator: Any = field(default=None, init=False, repr=False, metadata={"observable": Declared(None, float, AttributeFrequency.JOINT_DOF)})
    #: Coriolis, centrifugal and gravity forces
    qfrc_bias: Any = field(default=None, init=False, repr=False, metadata={"observable": Declared(None, float, AttributeFrequency.JOINT_DOF)})
    qfrc_constraint: Any = field(default=None, init=False, repr=False, metadata={"observable": Declared(None, float, AttributeFrequency.JOINT_DOF)})
    #: friction of dofs, a part of `qfrc_constraint`
    qfrc_frictionloss: Any = field(default=None, init=False, repr=False, metadata={"observable": Declared(None, float, AttributeFrequency.JOINT_DOF)})
    #: `SolverMuJoCo.OverflowBits` of each world
    overflow: Any = field(default=None, init=False, repr=False, metadata={"observable": Declared(None, int, AttributeFrequency.WORLD)})


class SolverMuJoCo(Native):
    """MuJoCo's own step: its library is loaded when the first of these is made, from the package `mujoco`, from MECHANE_MUJOCO, or from .deps.

    Options that are None are those of `model.mujoco`, else MuJoCo's defaults (the integrator is implicitfast). Each world is a model of its own
    unless `separate_worlds` is false. The state is `joint_q` and `joint_qd`.

    @param use_mujoco_contacts  MuJoCo finds contacts, and `step` takes none; else `step` wants those of a `collide`
    @param compat  "newton-1.8": the model is converted as Newton does it, and contacts that `step` does not want are ignored
    @param save_to_mjcf  file that the first world's model is written to as MJCF
    @param njmax, nconmax, njmax_nnz, nvmax, sleep_tolerance, disable_sensors, update_data_interval, strict_capacity, deterministic, kinematic_switchable_roots  without effect:
        MuJoCo's buffers grow
    @raises NotImplementedError  the library is not there, or of a version that this build does not know
    @raises ValueError  an option is out of range, or the model has what MuJoCo cannot step
    """

    _name = "mujoco"
    ObservableKind = _Kind
    Observables = _Observed
    SUPPORTED_OBSERVABLES = Native.SUPPORTED_OBSERVABLES | {_Kind.OVERFLOW, *_FORCES}

    class OverflowBits(IntFlag):
        """What found no room in a step."""

        NEFC = 1                      #: rows of MuJoCo's buffers; the next step has more
        CONTACT_PIPELINE = 1 << 16    #: contacts of the pipeline
        SOLVER_NCONMAX = 1 << 17      #: contacts in MuJoCo's buffers
    CtrlSource = mujoco_attributes.CtrlSource
    CtrlType = mujoco_attributes.CtrlType
    EqType = mujoco_attributes.EqType
    TrnType = mujoco_attributes.TrnType

    def __init__(self, model: Any, *, separate_worlds: bool | None = None, njmax: int | None = None, njmax_nnz: int | None = None, nconmax: int | None = None,
                 iterations: int | None = None, ls_iterations: int | None = None, ccd_iterations: int | None = None, sdf_iterations: int | None = None,
                 sdf_initpoints: int | None = None, solver: int | str | None = None, integrator: int | str | None = None, cone: int | str | None = None,
                 jacobian: int | str | None = None, impratio: float | None = None, tolerance: float | None = None, ls_tolerance: float | None = None,
                 ccd_tolerance: float | None = None, density: float | None = None, viscosity: float | None = None, wind: tuple[float, ...] | None = None,
                 magnetic: tuple[float, ...] | None = None, use_mujoco_cpu: bool = True, enable_multiccd: bool | None = None, enable_sleeping: bool | None = None,
                 nvmax: int | None = None, sleep_tolerance: float | None = None, disable_contacts: bool | None = None, disable_sensors: bool | None = None,
                 update_data_interval: int | None = None, save_to_mjcf: str | None = None, use_mujoco_contacts: bool = True,
                 use_speculative_contacts: bool = False, include_sites: bool = True, skip_visual_only_geoms: bool = True, deterministic: Any = None, strict_capacity: bool = False, kinematic_switchable_roots: bool = True,
                 compat: str | None = None, substeps: int = 1):
        super().__init__(model)
        for name, value, only in (("skip_visual_only_geoms", skip_visual_only_geoms, True),
                                  ("enable_sleeping", enable_sleeping or None, None), ("use_speculative_contacts", use_speculative_contacts, False)):
            if value != only:
                raise NotSupportedError(f"SolverMuJoCo: {name} is {value!r}; here it is always {only!r}", "PYTHON_LATER_STAGE")
        if problem := mujoco_problem():
            raise NotSupportedError(f"SolverMuJoCo is not available: {problem}", "SOLVER_UNAVAILABLE")
        self._compat = (compat or config.compat) == "newton-1.8"
        self.use_mujoco_cpu = bool(use_mujoco_cpu)
        if self._compat:
            self._check_arguments(separate_worlds, njmax_nnz, update_data_interval)
        self._overrides = {"wind": wind, "magnetic": magnetic}
        self._room = {"contacts": 100 if nconmax is None else int(nconmax), "rows": 500 if njmax is None else int(njmax)}
        given: dict[str, Any] = {
            "iterations": iterations, "ls_iterations": ls_iterations, "ccd_iterations": ccd_iterations, "sdf_iterations": sdf_iterations,
            "sdf_initpoints": sdf_initpoints, "impratio": impratio, "tolerance": tolerance, "ls_tolerance": ls_tolerance, "ccd_tolerance": ccd_tolerance,
            "density": density, "viscosity": viscosity, "separate_worlds": separate_worlds, "disable_contacts": disable_contacts,
            "enable_multiccd": enable_multiccd, "use_mujoco_contacts": use_mujoco_contacts, "include_sites": include_sites, "newton_compat": self._compat,
            **{name: self._word(name, value) for name, value in (("solver", solver), ("integrator", integrator), ("cone", cone), ("jacobian", jacobian))}}
        options = {name: value for name, value in given.items() if value is not None}
        text = ",".join(f"{name}={float(value)!r}" for name, value in options.items())
        self._core = _core.Solver(f"{self._name}:{text}", model._core, int(substeps), self._tables())
        self._found = publish(self._core.diagnostics())
        self.options = options
        self.report: dict[str, Any] = {}
        if save_to_mjcf is not None:
            write(save_to_mjcf, self._core.mujoco_mjcf(0), inputs_of(model))

    def _check_arguments(self, separate_worlds: bool | None, njmax_nnz: int | None, update_data_interval: int | None) -> None:
        """What Newton's solver refuses or warns of."""
        worlds = self.model.world_count
        if separate_worlds is False and worlds > 1:
            raise kind_of(ValueError)(f"separate_worlds=False is only supported for single-world models, and world_count={worlds}", "SOLVER_MODEL")
        if separate_worlds or (separate_worlds is None and worlds > 1):
            check_alike(self.model)
        check_roots(self.model)
        if njmax_nnz is not None and (isinstance(njmax_nnz, bool) or int(njmax_nnz) != njmax_nnz or njmax_nnz < 0):
            raise kind_of(ValueError)(f"njmax_nnz must be non-negative and whole, and is {njmax_nnz}", "SOLVER_PARAMETER")
        if update_data_interval is not None:
            warn("SolverMuJoCo.update_data_interval is deprecated: the state is taken over at every step", MechaneDeprecationWarning)

    @staticmethod
    def _word(name: str, value: int | str | None) -> int | None:
        if not isinstance(value, str):
            return None if value is None else int(value)
        if value.lower() not in _MUJOCO_WORDS[name]:
            raise kind_of(ValueError)(f"{name} is {value!r}, expected one of {', '.join(_MUJOCO_WORDS[name])}", "SOLVER_PARAMETER")
        return _MUJOCO_WORDS[name].index(value.lower())

    def _tables(self) -> dict[str, tuple[int, list[float], list[str]]]:
        """What the model has in the namespace mujoco: name -> (columns, numbers, texts)."""
        out: dict[str, tuple[int, list[float], list[str]]] = {}
        for key in self.model.attribute_specs:
            values = self.model._at(key) if key.startswith("mujoco:") else None
            if values is None or not len(values):
                continue
            if isinstance(values[0], str):
                out[key.removeprefix("mujoco:")] = (1, [], [str(v) for v in values])
                continue
            rows = np.asarray(plain(values), dtype=float).reshape(len(values), -1)
            out[key.removeprefix("mujoco:")] = (rows.shape[1], rows.ravel().tolist(), [])
        out.update({name: (3, [float(x) for x in value], []) for name, value in self._overrides.items() if value is not None})
        return out

    def _advance(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, observables: Any) -> None:
        direct = getattr(getattr(control, "mujoco", None), "ctrl", None)
        if direct is not None:
            self._core.mujoco_control(np.asarray(plain(direct), dtype=float).ravel().tolist())
        own = self.options["use_mujoco_contacts"]
        super()._advance(state_in, state_out, control, None if self._compat and own else contacts, dt, observables)
        if self.report.get("refused"):
            raise kind_of(ValueError)(self.report["refused"], "SOLVER_CONTACTS")
        if observables is None:
            return
        for kind, name in _FORCES.items():
            if observables.is_requested(kind):
                plain(getattr(observables, kind))[...] = self._core.mujoco_dof_forces(name)
        if observables.is_requested(_Kind.OVERFLOW):
            full = np.array(self._core.mujoco_overflows(), np.int32)
            plain(observables.overflow)[...] = full * int(self.OverflowBits.NEFC) if len(full) == len(observables.overflow) else full.max(initial=0)

    def _fill_contacts(self, state: State, contacts: Contacts | None, observables: Any) -> None:
        wanted = observables is not None and observables.is_requested(ObservableKind.CONTACT_F)
        if contacts is not None and self.options["use_mujoco_contacts"] and (wanted or contacts.__dict__["force"] is not None):
            self.update_contacts(contacts, state)
        super()._fill_contacts(state, contacts, observables)

    def _validate_native_contacts(self, contacts: Any) -> None:
        if self.options["use_mujoco_contacts"] and self.get_max_contact_count() > contacts.rigid_contact_max:
            raise ValueError(f"observables: MuJoCo contact capacity ({self.get_max_contact_count()}) exceeds Contacts capacity ({contacts.rigid_contact_max}); make the "
                             "pipeline with rigid_contact_max=solver.get_max_contact_count()")

    @property
    def supported_observables(self) -> frozenset[str]:
        """Names that `observables` takes; under compat newton-1.8 without `overflow` where its solver computes with MuJoCo's C library."""
        return self.SUPPORTED_OBSERVABLES - ({_Kind.OVERFLOW} if self._compat and self.use_mujoco_cpu else set())

    def coupling_eval_gravity_acceleration(self, out_body_acceleration: Any, out_particle_acceleration: Any) -> None:
        """The same, less what `mujoco:gravcomp` takes off."""
        super().coupling_eval_gravity_acceleration(out_body_acceleration, out_particle_acceleration)
        if out_body_acceleration is not None and "mujoco:gravcomp" in self.model.attribute_specs:
            plain(out_body_acceleration)[...] *= 1 - np.asarray(plain(self.model._at("mujoco:gravcomp")))[:, None]

    def notify_model_changed(self, flags: int) -> None:
        self._core.mujoco_tables(self._tables())
        super().notify_model_changed(flags)

    def _check_contacts(self, contacts: Contacts) -> None:
        if self.options["use_mujoco_contacts"]:  # `update_contacts` fills them after the step
            belonging("contacts", contacts, self.model, Contacts)
        else:
            super()._check_contacts(contacts)

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Puts MuJoCo's contacts of the last step into `contacts`, with their forces, as many as there is room for."""
        super().update_contacts(contacts, state)
        if self.options["use_mujoco_contacts"]:
            if state is None:
                raise kind_of(ValueError)("state: the state after the step is wanted, to say where on bodies the contacts are", "PYTHON_ARG_STATE")
            self._core.found_contacts(state._core, contacts._core)
            for name, value in (("_state", state), ("_model", self.model)):
                object.__setattr__(contacts, name, value)

    @property
    def mjw_model(self) -> WorldsModel:
        """The mjModels of all worlds as one: copies, arrays of floats with a row a world."""
        self._core.mujoco_refresh()
        return WorldsModel([self._mujoco_model(w) for w in range(self._core.mujoco_world_count)])

    @property
    def mjw_data(self) -> WorldsData:
        """mjData of all worlds after the last step, with what follows from positions and velocities; copies."""
        return WorldsData([self._mujoco_data(w) for w in range(self._core.mujoco_world_count)], self._room["contacts"], self._room["rows"])

    def get_max_contact_count(self) -> int:
        """How many contacts `update_contacts` may find in a world; MuJoCo's own buffers grow."""
        return self._room["contacts"]

    def _origins(self, kind: str) -> Any:
        rows = [self._core.mujoco_origins(w, kind) for w in range(self._core.mujoco_world_count)]
        longest = max(map(len, rows))
        return handed(np.array([[*row, *[-1] * (longest - len(row))] for row in rows], np.int32).reshape(len(rows), longest), "float")

    @property
    def mjc_body_to_newton(self) -> Any:
        """Body of the model for each body of MuJoCo's, [world, id]; -1: the world."""
        return self._origins("body")

    @property
    def mjc_geom_to_newton_shape(self) -> Any:
        """Shape for each geom, [world, id]."""
        return self._origins("geom")

    @property
    def mjc_jnt_to_newton_jnt(self) -> Any:
        """Joint for each joint of MuJoCo's, of which a joint of several axes has several, [world, id]."""
        return self._origins("joint")

    @property
    def mjc_jnt_to_newton_dof(self) -> Any:
        """First dof for each joint of MuJoCo's, [world, id]."""
        dofs, model = plain(self._origins("dof")), self.mj_model
        return handed(dofs[:, model.jnt_dofadr].astype(np.int32) if dofs.size else np.zeros((len(dofs), 0), np.int32), "float")

    @property
    def mjc_dof_to_newton_dof(self) -> Any:
        """Dof for each dof of MuJoCo's, [world, id]."""
        return self._origins("dof")

    def _relations(self, kind: str, name: str) -> Any:
        """As `_origins`, with a column for each object of MuJoCo's."""
        rows = np.full((self._core.mujoco_world_count, len(self._core.mujoco_names(0, name))), -1, np.int32)
        for world, row in enumerate(rows):
            found = self._core.mujoco_origins(world, kind)[:len(row)]
            row[:len(found)] = found
        return rows

    @property
    def mjc_eq_to_newton_eq(self) -> Any:
        """Row of `model.mujoco.equality_constraint_type` for each equality, [world, id]; -1: of a loop joint or a follower."""
        return handed(self._relations("equality", "equality"), "float")

    @property
    def mjc_eq_to_newton_jnt(self) -> Any:
        """Joint that closes a loop for each CONNECT that holds it, [world, id]."""
        loops, rows = self._relations("loop", "equality"), self._relations("equality", "equality")
        return handed(np.where(rows >= 0, np.int32(-1), loops), "float")

    @property
    def mjc_eq_to_newton_joint_mimic(self) -> Any:
        """Joint that follows another for each equality, [world, id]; followers of `constraint_mimic_joint0` are in `mjc_eq_to_newton_mimic`."""
        followers = self._relations("follower", "equality")
        return handed(np.where(self._mimic_rows(followers) >= 0, np.int32(-1), followers), "float")

    @property
    def mjc_eq_to_newton_mimic(self) -> Any:
        """Row of `model.constraint_mimic_joint0` for each equality, [world, id]."""
        return handed(self._mimic_rows(self._relations("follower", "equality")), "float")

    def _mimic_rows(self, followers: np.ndarray) -> np.ndarray:
        rows = np.full(self.model.joint_count + 1, -1, np.int32)
        for row, joint in enumerate(np.asarray(plain(self.model.constraint_mimic_joint0))):
            rows[int(joint)] = row
        return rows[followers]

    @property
    def mjc_tendon_to_newton_tendon(self) -> Any:
        """Row of `model.mujoco.tendon_world` for each tendon, [world, id]; -1: of a DISTANCE joint. None: there is no tendon."""
        rows = self._relations("tendon", "tendon")
        return handed(rows, "float") if rows.shape[1] else None

    @property
    def mjc_actuator_ctrl_source(self) -> Any:
        """`CtrlSource` of each actuator of the first world; None: there is none."""
        return self._of_actuators("control")

    @property
    def mjc_actuator_to_newton_idx(self) -> Any:
        """For each actuator of the first world the row of its own control, or the dof that a drive holds by position, or -2 less that it holds by
        velocity; None: there is none."""
        return self._of_actuators("actuator")

    def _of_actuators(self, kind: str) -> Any:
        found = np.array(self._core.mujoco_origins(0, kind), np.int32)
        return handed(found) if len(found) else None

    @property
    def newton_shape_to_mjc_geom(self) -> Any:
        """Geom for each shape of the first world; -1: none."""
        out = np.full(self.model.shape_count, -1, np.int32)
        for geom, shape in enumerate(self._core.mujoco_origins(0, "geom")):
            if shape >= 0:
                out[shape] = geom
        return handed(out)

    @property
    def mj_model(self) -> Any:
        """The mjModel of the first world as the package `mujoco` has it: a copy, so that writing to it changes nothing here.

        @raises NotImplementedError  the package is missing, or of another version than the library that was loaded
        """
        self._core.mujoco_refresh()
        return self._mujoco_model(0)

    @property
    def mj_data(self) -> Any:
        """An mjData of `mj_model` at the positions and velocities of the last step, with what follows from them; a copy."""
        return self._mujoco_data(0)

    def _mujoco_data(self, world: int) -> Any:
        model = self._mujoco_model(world)
        data = self._mujoco_package().MjData(model)
        numbers = np.asarray(self._core.mujoco_numbers(world))
        data.qpos[:], data.qvel[:] = numbers[:model.nq], numbers[model.nq:]
        package, given = self._mujoco_package(), np.asarray(self._core.mujoco_contacts(world)).reshape(-1, 24)
        package.mj_forward(model, data)
        if len(given):
            package.mj_fwdPosition(model, data)
            for row in given:
                package.mj_addContact(model, data, _contact(package, row))
            for stage in (package.mj_makeConstraint, package.mj_island, package.mj_projectConstraint, package.mj_transmission):
                stage(model, data)
            package.mj_forwardSkip(model, data, package.mjtStage.mjSTAGE_POS, 1)
        return data

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declares the attributes of the namespace `mujoco` on a builder; what has been declared stays."""
        mujoco_attributes.register(builder)

    @staticmethod
    def _mujoco_package() -> Any:
        version = _core.mujoco_library()["version"]
        try:
            import mujoco as package
        except ImportError:
            raise NotSupportedError(f"mj_model: the Python package mujoco {version} is not installed", "SOLVER_UNAVAILABLE") from None
        if package.mj_versionString() != version:
            raise NotSupportedError(f"mj_model: the package mujoco is {package.mj_versionString()}, the library that steps is {version}", "SOLVER_UNAVAILABLE")
        return package

    def _mujoco_model(self, world: int) -> Any:
        return self._mujoco_package().MjModel.from_binary_path("model.mjb", {"model.mjb": self._core.mujoco_binary(world)})


reserve(SolverMuJoCo, "SolverMuJoCo")


name_arguments(globals())

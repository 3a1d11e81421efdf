"""Solvers: one interface for every way of stepping."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from . import _core, config
from .core.arguments import name_arguments
from .core.diagnostics import NotSupportedError, error, kind_of
from .core.enums import JointType
from .model.mujoco_solver import SolverMuJoCo
from .model.solver_base import Native, SolverBase
from .model.state import State
from .newton.modules import absent
from .newton.reserved import reserve

__all__ = ["SolverBase", "SolverFeatherstone", "SolverMuJoCo", "SolverSemiImplicit", "SolverSoftStep", "SolverVBD", "SolverXPBD", "available", "create", "register"]


class SolverSoftStep(Native):
    """The default: soft constraints in substeps over reduced coordinates.

    `substeps` 1..64 substeps a step; `sleeping` leaves islands at rest out. `report` says how the last step went.
    `soft_solver` "vbd" or "xpbd" moves particles, in the same substeps. `rigid_islands` says whose contacts do not give way under a load: "auto" those of
    islands whose masses differ much or that have closed loops, "never", "always".

    A model on a device (`ModelBuilder.finalize(device="cuda")`) is stepped there, its worlds side by side: they must be alike, and the solver finds contacts itself.
    States and controls of that device stay there; those of the cpu travel at every step. What of a model the device does not honour is refused.

    @raises NotImplementedError  DEV_NOT_SUPPORTED, DEV_NOT_ALIKE: the model or an option goes beyond the device; the message names it
    """

    _name = "softstep"
    _steps_on_devices = True

    def __init__(self, model: Any, *, substeps: int = 8, sleeping: bool = False, compat: str | None = None, soft_solver: str = "vbd",
                 rigid_islands: str = "auto"):
        super().__init__(model)
        for name, value, words in (("soft_solver", soft_solver, ("vbd", "xpbd")), ("rigid_islands", rigid_islands, ("auto", "never", "always"))):
            if value not in words:
                raise kind_of(ValueError)(f"{name} is {value!r}, expected one of {', '.join(words)}", "SOLVER_PARAMETER")
        if not 1 <= int(substeps) <= 64:
            raise kind_of(ValueError)(f"substeps is {substeps}, expected 1..64", "PYTHON_ARG_SUBSTEPS")
        if model._device != "cpu" and rigid_islands != "auto":
            raise NotSupportedError(f"rigid_islands: on {model.device} contacts are as sweeps have them", "DEV_NOT_SUPPORTED")
        self._make(f"{self._name}:rigid_islands={rigid_islands},soft_solver={soft_solver}", int(substeps), bool(sleeping),
                   {"substeps": int(substeps), "sleeping": bool(sleeping), "soft_solver": soft_solver, "rigid_islands": rigid_islands})


def _option(name: str, kind: type) -> property:
    """A parameter as an attribute: what is written holds from the next step on."""
    def read(self: Any) -> Any:
        return self.options[name]

    def write(self: Any, value: Any) -> None:
        if not self._core.configure(name, float(value)):
            raise kind_of(ValueError)(f"{name} is {value}, out of range for {type(self).__name__}", "SOLVER_PARAMETER")
        self.options[name] = kind(value)

    return property(read, write)


class _Adjustable(Native):
    """Solvers with parameters of Newton's names. Most have no substeps of their own: the caller takes small steps."""

    _kinds: dict[str, type] = {}
    _steps_rods = False

    def _begin(self, values: dict[str, Any], substeps: int = 1) -> None:
        if not self._steps_rods and int(JointType.ROD) in np.asarray(self.model.joint_type):
            raise kind_of(ValueError)(f"{type(self).__name__} does not support JointType.ROD joints", "SOLVER_MODEL")
        chosen = {name: self._kinds[name](value) for name, value in values.items()}
        text = ",".join(f"{name}={float(value)!r}" for name, value in chosen.items())
        self._make(f"{self._name}:{text}", substeps, False, chosen)


def _warn_friction(value: float | None) -> None:
    if value is not None:
        warnings.warn("friction_smoothing is ignored: the materials' kf and mu say how contacts slide", DeprecationWarning, stacklevel=3)


class SolverSemiImplicit(_Adjustable):
    """Penalty forces in maximal coordinates and semi-implicit Euler: springs for joints, limits and contacts.

    Explicit: a step `dt` is stable while `dt * sqrt(k / m) < 2` and `dt * d / m < 2` over all springs and dampers at a body.
    The state is `body_q` and `body_qd`; `joint_q` and `joint_qd` are read off the bodies after each step.

    @param angular_damping   how fast the spin of bodies fades [1/s]
    @param friction_smoothing  ignored, as in Newton 1.8
    @param joint_attach_ke, joint_attach_kd  stiffness [N/m, N m/rad] and damping [N s/m] of what joints lock
    @param joint_mimic_ke, joint_mimic_kd    stiffness and damping that tie followers to leaders
    @param enable_tri_contact  triangles of cloth meet particles
    @param soft_laws  what is soft resists as under `SolverVBD`, or (False) by Newton's forces; None: False under `config.compat = "newton-1.8"`
    @param deterministic  results are the same bytes in any case
    @raises ValueError  a value is out of range, or the model has rods
    """

    _name = "semi-implicit"
    _pulls = True
    _kinds = {"angular_damping": float, "joint_attach_ke": float, "joint_attach_kd": float, "joint_mimic_ke": float, "joint_mimic_kd": float,
              "enable_tri_contact": bool, "soft_laws": bool}
    angular_damping = _option("angular_damping", float)
    joint_attach_ke = _option("joint_attach_ke", float)
    joint_attach_kd = _option("joint_attach_kd", float)
    joint_mimic_ke = _option("joint_mimic_ke", float)
    joint_mimic_kd = _option("joint_mimic_kd", float)
    enable_tri_contact = _option("enable_tri_contact", bool)
    soft_laws = _option("soft_laws", bool)

    def __init__(self, model: Any, *, angular_damping: float = 0.05, friction_smoothing: float | None = None, joint_attach_ke: float = 1.0e4,
                 joint_attach_kd: float = 1.0e2, joint_mimic_ke: float = 1.0e2, joint_mimic_kd: float = 1.0, enable_tri_contact: bool = True,
                 deterministic: Any = None, soft_laws: bool | None = None):
        super().__init__(model)
        _warn_friction(friction_smoothing)
        for name, value in (("joint_mimic_ke", joint_mimic_ke), ("joint_mimic_kd", joint_mimic_kd)):
            if not (math.isfinite(value) and value >= 0):
                raise kind_of(ValueError)(f"{name} must be finite and non-negative, got {value}", "SOLVER_PARAMETER")
        self._begin({"angular_damping": angular_damping, "joint_attach_ke": joint_attach_ke, "joint_attach_kd": joint_attach_kd,
                     "joint_mimic_ke": joint_mimic_ke, "joint_mimic_kd": joint_mimic_kd, "enable_tri_contact": enable_tri_contact,
                     "soft_laws": config.compat != "newton-1.8" if soft_laws is None else soft_laws})


class SolverFeatherstone(_Adjustable):
    """Reduced coordinates, contacts as springs, semi-implicit Euler. The state is `joint_q` and `joint_qd`.

    @param angular_damping  how fast the spin of free roots fades [1/s]. Newton 1.8 takes 0.05 by default and does not apply it; here the
        default does nothing either, and any other value is applied.
    @param update_mass_matrix_interval  steps that one mass matrix serves
    @param friction_smoothing, use_tile_gemm, fuse_cholesky, deterministic  taken, without effect
    @param soft_laws  as of `SolverSemiImplicit`
    @raises ValueError  a value is out of range, or the model has rods, loops, or followers of joints in other articulations
    """

    _name = "featherstone"
    _pulls = True
    _kinds = {"angular_damping": float, "update_mass_matrix_interval": int, "soft_laws": bool}
    angular_damping = _option("angular_damping", float)
    update_mass_matrix_interval = _option("update_mass_matrix_interval", int)
    soft_laws = _option("soft_laws", bool)

    def __init__(self, model: Any, *, angular_damping: float = 0.05, update_mass_matrix_interval: int = 1, friction_smoothing: float | None = None,
                 use_tile_gemm: bool = False, fuse_cholesky: bool = True, deterministic: Any = None, soft_laws: bool | None = None):
        super().__init__(model)
        _warn_friction(friction_smoothing)
        self.use_tile_gemm, self.fuse_cholesky = use_tile_gemm, fuse_cholesky
        self._begin({"angular_damping": 0.0 if angular_damping == 0.05 else angular_damping,
                     "update_mass_matrix_interval": update_mass_matrix_interval,
                     "soft_laws": config.compat != "newton-1.8" if soft_laws is None else soft_laws})
        self.options["angular_damping"] = angular_damping


class SolverXPBD(_Adjustable):
    """Compliant position projection in maximal coordinates.

    The state is `body_q` and `body_qd`. Limits and contacts are hard; drives keep their stiffness, and what is soft resists as under
    `SolverVBD`, however many iterations there are, unless `compat` is "newton-1.8".

    @param iterations  passes over all constraints in a step
    @param soft_body_relaxation, soft_contact_relaxation, joint_linear_relaxation, joint_angular_relaxation, rigid_contact_relaxation
        part of a correction that a pass applies
    @param joint_linear_compliance, joint_angular_compliance  softness of what joints lock [m/N], [rad/(N m)]
    @param rigid_contact_restitution_iterations  passes that couple impacts of different pairs of bodies
    @param rigid_contact_con_weighting  a body's correction is divided by its number of contacts
    @param angular_damping  how fast the spin of bodies fades [1/s]
    @param enable_restitution  bodies bounce as their materials say
    @param tendon_max_sweeps, tendon_settle_tol, tendon_activation_tol, deterministic  taken, without effect
    @param soft_laws  what is soft resists as under `SolverVBD`, or (False) by Newton's rows; None: False under compat "newton-1.8"
    @raises ValueError  a value is out of range, or the model has rods
    """

    _name = "xpbd"
    _kinds = {"iterations": int, "soft_body_relaxation": float, "soft_contact_relaxation": float, "joint_linear_relaxation": float,
              "joint_angular_relaxation": float, "joint_linear_compliance": float, "joint_angular_compliance": float,
              "rigid_contact_relaxation": float, "rigid_contact_restitution_iterations": int, "rigid_contact_con_weighting": bool,
              "angular_damping": float, "enable_restitution": bool, "accumulate": bool, "soft_laws": bool, "keep_momentum": bool}
    iterations = _option("iterations", int)
    soft_body_relaxation = _option("soft_body_relaxation", float)
    soft_contact_relaxation = _option("soft_contact_relaxation", float)
    joint_linear_relaxation = _option("joint_linear_relaxation", float)
    joint_angular_relaxation = _option("joint_angular_relaxation", float)
    joint_linear_compliance = _option("joint_linear_compliance", float)
    joint_angular_compliance = _option("joint_angular_compliance", float)
    rigid_contact_relaxation = _option("rigid_contact_relaxation", float)
    rigid_contact_restitution_iterations = _option("rigid_contact_restitution_iterations", int)
    rigid_contact_con_weighting = _option("rigid_contact_con_weighting", bool)
    angular_damping = _option("angular_damping", float)
    enable_restitution = _option("enable_restitution", bool)
    accumulate = _option("accumulate", bool)
    soft_laws = _option("soft_laws", bool)
    keep_momentum = _option("keep_momentum", bool)

    def __init__(self, model: Any, *, iterations: int = 2, soft_body_relaxation: float = 0.9, soft_contact_relaxation: float = 0.9,
                 joint_linear_relaxation: float = 0.7, joint_angular_relaxation: float = 0.4, joint_linear_compliance: float = 0.0,
                 joint_angular_compliance: float = 0.0, rigid_contact_relaxation: float = 0.8, rigid_contact_restitution_iterations: int = 2,
                 rigid_contact_con_weighting: bool = True, angular_damping: float = 0.0, enable_restitution: bool = False, tendon_max_sweeps: int = 256,
                 tendon_settle_tol: float = 1.0e-3, tendon_activation_tol: float = 2.0e-3, deterministic: Any = None, compat: str | None = None, soft_laws: bool | None = None):
        super().__init__(model)
        if rigid_contact_restitution_iterations < 1:
            raise kind_of(ValueError)("rigid_contact_restitution_iterations must be at least 1", "SOLVER_PARAMETER")
        self.tendon_max_sweeps, self.tendon_settle_tol, self.tendon_activation_tol = tendon_max_sweeps, tendon_settle_tol, tendon_activation_tol
        self._begin({"iterations": iterations, "soft_body_relaxation": soft_body_relaxation, "soft_contact_relaxation": soft_contact_relaxation,
                     "joint_linear_relaxation": joint_linear_relaxation, "joint_angular_relaxation": joint_angular_relaxation,
                     "joint_linear_compliance": joint_linear_compliance, "joint_angular_compliance": joint_angular_compliance,
                     "rigid_contact_relaxation": rigid_contact_relaxation,
                     "rigid_contact_restitution_iterations": rigid_contact_restitution_iterations,
                     "rigid_contact_con_weighting": rigid_contact_con_weighting, "angular_damping": angular_damping,
                     "enable_restitution": enable_restitution, "accumulate": (compat or config.compat) != "newton-1.8",
                     "keep_momentum": (compat or config.compat) != "newton-1.8",
                     "soft_laws": (compat or config.compat) != "newton-1.8" if soft_laws is None else soft_laws})


class SolverVBD(_Adjustable):
    """Vertex block descent for particles: springs, cloth, soft bodies, their contacts with shapes and with themselves, and what holds them to bodies.

    Particles are moved group by group (`ModelBuilder.color`); a model without groups gets them here, or is refused under `config.compat`
    "newton-1.8". Bodies are stepped by the solver softstep in `substeps`, with the forces that particles put on them. What else Newton's solver
    takes is accepted where it is at its default, and refused where it is not.

    @param iterations        passes over all particles in a step
    @param friction_epsilon  below this speed friction grows with speed [m/s]
    @param particle_enable_self_contact  triangles keep away from each other
    @param particle_self_contact_margin, particle_self_contact_gap  the distance that they keep, and how much farther contacts are looked for [m]
    @param acceleration      how far each pass goes beyond where it leads (Chebyshev's method), 0..0.999; 0: no further
    @param substeps          of softstep, 1..64
    @raises ValueError  an option is out of range, or the model's particles have no groups
    """

    _steps_rods = True
    _name = "vbd"
    supports_collision_pipeline = True
    _kinds = {"iterations": int, "friction_epsilon": float, "particle_enable_self_contact": bool, "particle_self_contact_margin": float,
              "particle_self_contact_gap": float, "acceleration": float}
    iterations = _option("iterations", int)
    friction_epsilon = _option("friction_epsilon", float)
    particle_enable_self_contact = _option("particle_enable_self_contact", bool)
    particle_self_contact_margin = _option("particle_self_contact_margin", float)
    particle_self_contact_gap = _option("particle_self_contact_gap", float)
    acceleration = _option("acceleration", float)

    def __init__(self, model: Any, *, iterations: int | None = None, friction_epsilon: float = 1e-2, particle_enable_self_contact: bool = False,
                 particle_self_contact_margin: float | None = None, particle_self_contact_gap: float | None = None, acceleration: float = 0.0, substeps: int = 8,
                 collision_pipeline: Any = None, collision_frequency: Any = None, collision_frequency_type: Any = None, **others: Any):
        super().__init__(model, collision_pipeline=collision_pipeline, collision_frequency=collision_frequency, collision_frequency_type=collision_frequency_type)
        for name, value in others.items():
            if name in _VBD_FREE:
                continue
            if name not in _VBD_OTHERS:
                raise kind_of(TypeError)(f"SolverVBD has no argument {name!r}", "PYTHON_ARG_NAME")
            if value is not None and value != _VBD_OTHERS[name]:
                raise NotSupportedError(f"SolverVBD: {name} is {value!r}; here it is always {_VBD_OTHERS[name]!r}", "PYTHON_LATER_STAGE")
        if model.particle_count and not model.particle_color_groups and config.compat == "newton-1.8":
            raise kind_of(ValueError)("model.particle_color_groups is empty! When using the SolverVBD you must call ModelBuilder.color() or "
                                      "ModelBuilder.set_coloring() before calling ModelBuilder.finalize().", "MODEL_SOFT_COLORS")
        self._begin({"iterations": 10 if iterations is None else iterations, "friction_epsilon": friction_epsilon,
                     "particle_enable_self_contact": particle_enable_self_contact,
                     "particle_self_contact_margin": 0.2 if particle_self_contact_margin is None else particle_self_contact_margin,
                     "particle_self_contact_gap": 0.0 if particle_self_contact_gap is None else particle_self_contact_gap,
                     "acceleration": acceleration}, int(substeps))

    def rebuild_bvh(self, state: State) -> None:
        """Nothing to do: what is near is looked for at every step."""


#: Arguments of Newton's solver that have one value here.
_VBD_OTHERS: dict[str, Any] = {
    "dat_conservative_bound_relaxation": 0.85, "integrate_with_external_rigid_solver": False, "particle_self_contact_radius": None,
    "particle_conservative_bound_relaxation": None, "particle_vertex_contact_buffer_size": 32, "particle_edge_contact_buffer_size": 64,
    "particle_collision_detection_interval": None, "particle_edge_parallel_epsilon": 1e-5,
    "particle_topological_contact_filter_threshold": 2, "particle_rest_shape_contact_exclusion_radius": 0.0,
    "particle_external_vertex_contact_filtering_map": None, "particle_external_edge_contact_filtering_map": None, "deterministic": None,
    "enable_fast_math": True, "rigid_compliant_alm": True, "rigid_avbd_alpha": None, "rigid_avbd_joint_alpha": None, "rigid_avbd_contact_alpha": None, "rigid_avbd_beta": None,
    "rigid_avbd_linear_beta": None, "rigid_avbd_angular_beta": None, "rigid_avbd_gamma": 0.999, "rigid_contact_hard": None, "rigid_contact_k_start": None,
    "rigid_soft_contact_use_log_barrier": False, "rigid_joint_linear_ke": None, "rigid_joint_angular_ke": None, "rigid_joint_linear_k_start": None,
    "rigid_joint_angular_k_start": None, "rigid_joint_linear_kd": None, "rigid_joint_angular_kd": None, "tendon_max_sweeps": 256, "tendon_settle_tol": 1e-3,
    "tendon_activation_tol": 2e-3, "rigid_soft_enable_dat": False, "rigid_soft_dat_use_interval_arithmetic": False,
}
#: Sizes of GPU buffers, how a GPU shares the work out, and a start of iterations that softstep does without: any value will do.
_VBD_FREE = ("particle_enable_tile_solve", "rigid_body_contact_buffer_size", "rigid_body_particle_contact_buffer_size", "rigid_contact_history")

reserve(SolverXPBD, "SolverXPBD")

_MADE: dict[str, type] = {"softstep": SolverSoftStep, "xpbd": SolverXPBD, "semi-implicit": SolverSemiImplicit, "featherstone": SolverFeatherstone, "vbd": SolverVBD,
                          "mujoco": SolverMuJoCo}


def available() -> list[str]:
    """Names that `create` takes, the default first."""
    return [*_core.solver_names(), *(n for n in _MADE if n not in _core.solver_names())]


def register(name: str, solver: type) -> None:
    """Lets `create` find a solver written in Python."""
    if not (isinstance(solver, type) and issubclass(solver, SolverBase)):
        raise TypeError(f"solver: expected a subclass of SolverBase, not {solver!r}")
    _MADE[name] = solver


def create(name: str, model: Any, **options: Any) -> SolverBase:
    """A solver by name."""
    if name not in _MADE:
        raise error(KeyError, "SOLVER_UNKNOWN", f"there is no solver {name!r}; known are {available()}")
    return _MADE[name](model, **options)


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.solvers", name)


name_arguments(globals())

"""Mechane: open a robot's OpenUSD, see what is wrong with it, and watch it move.

Names, units and conventions are Newton's (`NEWTON_API`): `import mechane as newton` and go on working. SI units, radians,
quaternions x y z w, spatial vectors linear first; world, z up unless told otherwise.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, config
from .core.arguments import name_arguments
from .core.array import Array
from .core.capture import Graph, ScopedCapture, capture, capture_launch
from .core.device_array import DeviceArray
from .core.diagnostics import Diagnostic, Diagnostics, MechaneDeprecationWarning, MechaneError, MechaneWarning, NotSupportedError
from .core.enums import MAXVAL, Axis, AxisType, BodyFlags, GeoType, JointTargetMode, JointType, ModelFlags, ParticleFlags, ShapeFlags, StateFlags
from .core.values import mat33, quat, spatial_vector, transform, vec2, vec3, vec4
from .geometry.heightfield import Heightfield
from .geometry.mesh import Mesh
from .geometry.rays import intersect_ray
from .geometry.sdf import SDF
from .io import notebook as _notebook  # noqa: F401  gives classes what notebooks show
from .model import reduce as _reduce  # noqa: F401  gives classes what pickles need
from .model.builder import ModelBuilder
from .model.contacts import CollisionPipeline, Contacts, RestOverlaps
from .model.dynamics import (eval_fk, eval_ik, eval_inverse_dynamics_force, eval_inverse_dynamics_passive, eval_jacobian, eval_mass_matrix, eval_mimic,
                        eval_rigid_contact_kinematics, forward_dynamics, solve_mass_matrix, total_energy)
from .model.import_verbs import import_options
from .model.model import Model
from .model.rod import Rod
from .model.state import Control, State
from .model.tet_mesh import TetMesh
from .newton.modules import absent as _absent

__version__: str = _core.version
#: Which Newton the names follow.
NEWTON_API = "1.8"
NewtonWarning = MechaneWarning
NewtonDeprecationWarning = MechaneDeprecationWarning

__all__ = ["Array", "Axis", "AxisType", "BodyFlags", "CollisionPipeline", "Contacts", "Control", "DeviceArray", "Diagnostic", "Diagnostics", "GeoType", "Graph", "Heightfield",
           "JointTargetMode", "JointType", "MAXVAL", "MechaneDeprecationWarning", "MechaneError", "MechaneWarning", "Mesh", "Model", "ModelBuilder",
           "ModelFlags", "NEWTON_API", "NewtonDeprecationWarning", "NewtonWarning", "NotSupportedError", "ParticleFlags", "RestOverlaps", "Rod", "SDF", "ScopedCapture", "ShapeFlags", "State",
           "StateFlags", "TetMesh", "actuators", "build_info", "capture", "capture_launch", "config", "conformance", "convert", "device_info", "diff", "distributed", "dump", "geometry", "gym", "ik", "info", "interop", "intersect_ray", "record", "render", "ros",
           "selection", "sensors", "simulate", "testing", "utils", "view", "viewer", "eval_fk", "eval_ik", "eval_inverse_dynamics_force", "eval_inverse_dynamics_passive",
           "eval_jacobian", "eval_mass_matrix", "eval_mimic", "eval_rigid_contact_kinematics", "forward_dynamics", "get_num_threads", "import_options", "mat33", "math",
           "quat", "set_num_threads", "solve_mass_matrix", "solvers", "spatial_vector", "step_jacobians", "total_energy", "transform", "usd", "vec2", "vec3", "vec4"]

if TYPE_CHECKING:
    from . import actuators, conformance, convert, distributed, geometry, gym, ik, interop, math, record, ros, selection, sensors, solvers, testing, usd, utils, viewer
    from .io.commands import diff, dump, info, simulate
    from .io.draw import render
    from .model.residual import step_jacobians
    from .io.serve import view

_MODULES = ("actuators", "conformance", "convert", "distributed", "geometry", "gym", "ik", "interop", "math", "record", "ros", "selection", "sensors", "solvers", "testing", "usd", "utils",
            "viewer")
#: Functions that few programs need: their modules are imported when they are asked for.
_LAZY = {**dict.fromkeys(("diff", "dump", "info", "simulate"), "io.commands"), "render": "io.draw", "view": "io.serve",
         "step_jacobians": "model.residual"}


def set_num_threads(n: int) -> None:
    """Threads that solvers and pipelines made from now on use; 0 is all cores. Results do not depend on it."""
    _core.set_num_threads(int(n))


def get_num_threads() -> int:
    return _core.get_num_threads()


def device_info(device: str = "cuda") -> dict[str, Any]:
    """What a device is: name, memory [bytes], compute capability, the driver's version of CUDA, the compiled kernels that suit it.

    @raises ValueError  DEV_NAME
    @raises NotImplementedError  DEV_UNAVAILABLE, DEV_KERNELS: the device is not there, or the kernels; the message says what is missing
    """
    return dict(_core.device_info(str(device)))


def build_info() -> dict[str, Any]:
    """How this module was built."""
    return {"version": __version__, "real": _core.real, "newton_api": NEWTON_API, "solvers": _core.solver_names()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    return _absent("mechane", name)


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


def _start() -> None:
    import os

    threads = os.environ.get("MECHANE_NUM_THREADS", "")
    if threads.isdigit():
        set_num_threads(int(threads))


_start()
name_arguments(globals())

"""Names of Newton's modules that are reserved for a later stage, or left out for good."""
from __future__ import annotations

from typing import Any

from .reserved import _Later, left_out

__all__ = ["absent"]

#: Module -> {name: stage}
LATER: dict[str, dict[str, str]] = {
    "mechane": {**dict.fromkeys(("Gaussian", "TendonGuide", "TendonGuideType", "TendonGuideFlags"), "deformables and rendering"),
                "CollisionSubstepScheduler": "deformables"},
    "mechane.utils": {"download_asset": "assets from the network"},
}

_NOTHING, _SOFTSTEP = "a GPU solver; use nothing of this kind", "a GPU solver; use SolverSoftStep"

#: Module -> {name: what to use instead}
LEFT_OUT: dict[str, dict[str, str]] = {
    "mechane.actuators": dict.fromkeys(("DriveNeuralMLP", "DriveNeuralLSTM", "DriveNeuralGRU"), "networks run in a library of their own; derive from DriveBase"),
    "mechane": {"controllers": "eval_jacobian and eval_mass_matrix give the same ingredients"},
    "mechane.geometry": {**dict.fromkeys(("create_empty_sdf_data", "TriMeshCollisionInfo"), "they are structs of Warp kernels"),
                         **dict.fromkeys(("DeformableVisualMesh", "DeformableVisuals", "ParticleSurface", "extract_particle_surface"), "they render deformables")},
    "mechane.math": dict.fromkeys(("boltzmann", "smooth_max", "smooth_min", "leaky_max", "leaky_min", "vec_leaky_max", "vec_leaky_min"),
                                  "NumPy has what a kernel's helper does"),
    "mechane.sensors": dict.fromkeys(("SensorCamera", "SensorTiledCamera"), "mechane.render draws a picture"),
    "mechane.solvers": {**dict.fromkeys(("SolverKamino", "SolverSteel", "experimental"), _SOFTSTEP),
                        **dict.fromkeys(("SolverImplicitMPM", "SolverStyle3D", "style3d"), _NOTHING), "mujoco": "a GPU solver; use SolverMuJoCo"},
    "mechane.utils": dict.fromkeys(("plot_graph", "EventTracer", "event_scope", "run_benchmark"), "`mechane bench` measures"),
    "mechane.viewer": {**dict.fromkeys(("ViewerGL", "ViewerRTX", "ViewerRerun", "ViewerViser"), "mechane.view() opens the browser viewer"),
                       **dict.fromkeys(("ViewerBase", "Layer", "Picking"), "derive from ViewerNull")},
}


def absent(module: str, name: str) -> Any:
    """What stands for a reserved or left-out name of a module; called by the module's `__getattr__`.

    @raises AttributeError  the name is neither
    """
    if name in LATER.get(module, ()):
        return _Later(module, name, LATER[module][name])
    if name in LEFT_OUT.get(module, ()):
        return left_out(module, name, LEFT_OUT[module][name])
    raise AttributeError(f"module {module!r} has no attribute {name!r}")

"""Names of Newton that are reserved for a later stage, or left out for good."""
from __future__ import annotations

from typing import Any, NoReturn

from ..core.diagnostics import NotSupportedError

__all__ = ["hidden", "later", "left_out", "reserve"]

_DEFORMABLES = "deformables"

#: Owner -> {name: stage}: reading gives a callable that raises NotSupportedError.
LATER: dict[str, dict[str, str]] = {
    "ModelBuilder": {
        **dict.fromkeys(("add_deformable_visual_mesh", "add_tendon"), _DEFORMABLES),
        "add_shape_gaussian": "rendering",
        "add_sdf": "the reader of SDFormat",
    },
    "CollisionPipeline": {
        **dict.fromkeys(("BodyPairReductionConfig", "body_pair_reduction", "refresh_body_pair_reduction_groups"), "reduction over pairs of bodies"),
        **dict.fromkeys(("init_soft_self_contact", "refit_soft_self_contact_bvh", "set_collision_detection_range"), _DEFORMABLES),
    },
    "HydroelasticSDF": dict.fromkeys(("launch", "get_contact_surface"), "pressure contact on arrays"),
    "SolverBase": {"supports_body_pair_reduced_contacts": "reduction over pairs of bodies"},
}

#: Stage -> what to do until it is there, where that is not plain.
MEANWHILE: dict[str, str] = dict.fromkeys(("the reader of URDF", "the reader of MJCF", "the reader of SDFormat"),
                                          "make an OpenUSD stage of the robot and use ModelBuilder.add_usd")

#: Owner -> {name: what to use instead}: reading raises AttributeError.
LEFT_OUT: dict[str, dict[str, str]] = {
    "ModelBuilder": {
        "plot_articulation": "Model.tree() returns text, Model.to_dot() a graph",
        "add_body_variants": "build worlds that differ instead",
        **dict.fromkeys(("joint_cts", "joint_cts_start"), "joint_constraint_count counts the rows that joints hold"),
        **dict.fromkeys(("joint_twist_lower", "joint_twist_upper"), "joint_limit_lower and joint_limit_upper"),
        "joint_target_pos": "it is called joint_target_q",
        "joint_target_vel": "it is called joint_target_qd",
    },
    "Model": {
        **dict.fromkeys(("body_variant", "select_body_variants", "body_variant_labels"), "build worlds that differ instead"),
        **dict.fromkeys(("bvh_build_shapes", "bvh_refit_shapes", "bvh_build_particles", "bvh_refit_particles", "bvh_shapes"), "intersect_ray needs no call before"),
        "shape_source_ptr": "shape_source has the Mesh objects",
        **dict.fromkeys(("mesh_edge_indices", "mesh_edge_centers", "mesh_edge_halves", "shape_edge_range"), "Mesh.edges"),
        **dict.fromkeys(("particle_grid", "gaussians_data", "heightfield_data"), "a handle of Warp; shape_source has the objects"),
        "joint_target_pos": "it is called joint_target_q",
        "joint_target_vel": "it is called joint_target_qd",
    },
    "Control": {"joint_target_pos": "it is called joint_target_q", "joint_target_vel": "it is called joint_target_qd"},
    "Contacts": {
        **dict.fromkeys(("contact_counters", "rigid_contact_tids", "rigid_contact_point_id", "soft_contact_tids", "soft_self_contact_data"), "bookkeeping of GPU kernels; rows() has the contacts"),
        **dict.fromkeys(("rigid_contact_diff_distance", "rigid_contact_diff_normal", "rigid_contact_diff_point0_world", "rigid_contact_diff_point1_world"), "eval_rigid_contact_kinematics"),
    },
    "CollisionPipeline": {"soft_rigid_contact_pair_count": "it is called soft_contact_pair_count"},
    "SDF": dict.fromkeys(("create_from_data", "to_kernel_data", "to_texture_kernel_data"), "create_from_mesh() and from_array() make fields of the processor"),
    "NarrowPhase": {"launch_custom_write": "read what launch() fills in; in C++ give it a writer"},
    "Mesh": {"texture_hash": "hash(mesh)"},
    "AttributeNamespace": {"add_deprecated_alias": "it is for Newton's own renames"},
    "SolverMuJoCo": {"import_mujoco": "it would return mujoco_warp"},
    "SolverXPBD": {"compute_body_velocity_from_position_delta": "it is deprecated"},
}


def later(name: str, stage: str) -> NoReturn:
    meanwhile = f"; {MEANWHILE[stage]}" if stage in MEANWHILE else ""
    raise NotSupportedError(f"{name} belongs to a later stage ({stage}){meanwhile}", "PYTHON_LATER_STAGE")


class _Later:
    """A name that raises when it is called."""

    def __init__(self, owner: str, name: str, stage: str):
        self.full, self.stage = f"{owner}.{name}", stage
        self.__doc__ = f"Reserved for a later stage ({stage})."

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        later(self.full, self.stage)

    def __get__(self, instance: Any, owner: Any = None) -> "_Later":
        return self

    def __getattr__(self, name: str) -> "_Later":
        if name.startswith("_"):
            raise AttributeError(name)
        return _Later(self.full, name, self.stage)

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self.full}: later stage>"


class _LeftOut:
    """A name that is not there, and says what is."""

    def __init__(self, owner: str, name: str, instead: str):
        self.text = f"{owner}.{name} is left out; {instead}"

    def __get__(self, instance: Any, owner: Any = None) -> NoReturn:
        raise AttributeError(self.text)

    def __set__(self, instance: Any, value: Any) -> NoReturn:
        raise AttributeError(self.text)


class _Absent:
    """A left-out name of a module: it can be imported, so that a file that uses others of the module runs, and raises when it is used itself."""

    def __init__(self, owner: str, name: str, instead: str):
        self.full, self.text = f"{owner}.{name}", f"{owner}.{name} is left out; {instead}"
        self.__doc__ = self.text

    def _refuse(self) -> NoReturn:
        raise NotSupportedError(self.text, "PYTHON_LEFT_OUT")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        self._refuse()

    def __instancecheck__(self, instance: Any) -> bool:
        return False  # nothing is one

    def __or__(self, other: Any) -> Any:
        return other  # in an annotation: the rest of the union

    __ror__ = __or__

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self.full}: left out>"


def left_out(owner: str, name: str, instead: str) -> _Absent:
    """What stands for a left-out name of a module."""
    return _Absent(owner, name, instead)


def hidden(cls: type) -> set[str]:
    """Names of a class that are reserved or left out: `dir` does not offer them."""
    return {name for base in cls.__mro__ for table in (LATER, LEFT_OUT) for name in table.get(base.__name__, ())}


def reserve(cls: type, owner: str) -> None:
    """Puts the reserved and the left-out names into a class."""
    for name, stage in LATER.get(owner, {}).items():
        setattr(cls, name, _Later(owner, name, stage))
    for name, instead in LEFT_OUT.get(owner, {}).items():
        setattr(cls, name, _LeftOut(owner, name, instead))

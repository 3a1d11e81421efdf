"""Names that classes get from tables, for type checkers: the builder's columns, and what is reserved for later stages."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model.lists import ColumnList

__all__ = ["BuilderNames", "PipelineNames", "PressureNames", "SolverNames"]


class BuilderNames:
    """Columns are made by `_lists.COLUMNS`, reserved names by `_reserved.LATER`."""

    body_q: ColumnList
    body_qd: ColumnList
    body_mass: ColumnList
    body_com: ColumnList
    body_inertia: ColumnList
    body_flags: ColumnList
    body_label: ColumnList
    body_world: ColumnList
    body_lock_inertia: ColumnList
    joint_type: ColumnList
    joint_parent: ColumnList
    joint_child: ColumnList
    joint_X_p: ColumnList
    joint_X_c: ColumnList
    joint_enabled: ColumnList
    joint_label: ColumnList
    joint_world: ColumnList
    joint_articulation: ColumnList
    joint_mimic_joint: ColumnList
    joint_mimic_coeffs: ColumnList
    joint_collision_filter_parent: ColumnList
    joint_q: ColumnList
    joint_qd: ColumnList
    joint_target_q: ColumnList
    joint_rest_q: ColumnList
    joint_axis: ColumnList
    joint_target_qd: ColumnList
    joint_armature: ColumnList
    joint_friction: ColumnList
    joint_damping: ColumnList
    joint_stiffness: ColumnList
    joint_target_ke: ColumnList
    joint_target_kd: ColumnList
    joint_limit_lower: ColumnList
    joint_limit_upper: ColumnList
    joint_limit_ke: ColumnList
    joint_limit_kd: ColumnList
    joint_effort_limit: ColumnList
    joint_velocity_limit: ColumnList
    joint_target_mode: ColumnList
    shape_type: ColumnList
    shape_body: ColumnList
    shape_transform: ColumnList
    shape_scale: ColumnList
    shape_flags: ColumnList
    shape_color: ColumnList
    shape_opacity: ColumnList
    shape_label: ColumnList
    shape_world: ColumnList
    shape_is_solid: ColumnList
    shape_margin: ColumnList
    shape_gap: ColumnList
    shape_collision_group: ColumnList
    shape_material_ke: ColumnList
    shape_material_kd: ColumnList
    shape_material_kf: ColumnList
    shape_material_ka: ColumnList
    shape_material_kh: ColumnList
    shape_material_mu: ColumnList
    shape_material_mu_torsional: ColumnList
    shape_material_mu_rolling: ColumnList
    shape_material_restitution: ColumnList
    articulation_label: ColumnList
    articulation_world: ColumnList
    particle_q: ColumnList
    particle_qd: ColumnList
    particle_mass: ColumnList
    particle_radius: ColumnList
    particle_flags: ColumnList
    particle_world: ColumnList
    spring_indices: ColumnList
    spring_rest_length: ColumnList
    spring_stiffness: ColumnList
    spring_damping: ColumnList
    spring_control: ColumnList
    tri_indices: ColumnList
    tri_poses: ColumnList
    tri_areas: ColumnList
    tri_materials: ColumnList
    tri_activations: ColumnList
    tri_color: ColumnList
    tri_opacity: ColumnList
    edge_indices: ColumnList
    edge_rest_angle: ColumnList
    edge_rest_length: ColumnList
    edge_bending_properties: ColumnList
    tet_indices: ColumnList
    tet_poses: ColumnList
    tet_materials: ColumnList
    tet_activations: ColumnList
    attachment_particle_body_body: ColumnList
    attachment_particle_body_particle: ColumnList
    attachment_particle_body_body_point: ColumnList
    attachment_particle_body_stiffness: ColumnList
    attachment_particle_body_damping: ColumnList
    attachment_particle_body_enabled: ColumnList
    attachment_particle_body_world: ColumnList
    add_deformable_visual_mesh: Callable[..., Any]
    add_tendon: Callable[..., Any]
    add_shape_gaussian: Callable[..., Any]
    add_sdf: Callable[..., Any]


class PressureNames:
    launch: Callable[..., Any]
    get_contact_surface: Callable[..., Any]


class PipelineNames:
    BodyPairReductionConfig: Callable[..., Any]
    body_pair_reduction: Callable[..., Any]
    refresh_body_pair_reduction_groups: Callable[..., Any]
    init_soft_self_contact: Callable[..., Any]
    refit_soft_self_contact_bvh: Callable[..., Any]
    set_collision_detection_range: Callable[..., Any]


class SolverNames:
    supports_body_pair_reduced_contacts: Callable[..., Any]

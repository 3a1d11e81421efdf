"""Kinematics and dynamics of articulations."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import REAL, Array, flags, output, plain, reals
from ..core.capture import captured
from ..core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from ..core.enums import BodyFlags, JointType
from ..core.rotations import quat_multiply, quat_rotate
from .device_state import DeviceState
from .frames import placed
from .state import State

__all__ = ["eval_fk", "eval_ik", "eval_inverse_dynamics_force", "eval_inverse_dynamics_passive", "eval_jacobian", "eval_mass_matrix", "eval_mimic",
           "eval_rigid_contact_kinematics", "forward_dynamics", "solve_mass_matrix", "total_energy"]


def _chosen(model: Any, mask: Any, indices: Any) -> tuple[Any, Any]:
    if mask is not None and indices is not None:
        raise kind_of(ValueError)("mask and indices are mutually exclusive: Cannot specify both mask and indices", "PYTHON_ARG_SELECTION")
    if indices is not None:
        indices = np.ascontiguousarray(plain(indices), dtype=np.int32).reshape(-1)
        if config.compat == "newton-1.8":  # which passes over articulations that there are not
            indices = indices[(indices >= 0) & (indices < model.articulation_count)]
    return flags("mask", mask, model.articulation_count), indices


def _through_state(model: Any, target: Any, work: Any) -> None:
    """Runs on a State, or on a Model's own initial poses."""
    if isinstance(target, DeviceState):
        host = target.to("cpu")
        work(host)
        target.assign(host)
        return
    if isinstance(target, State):
        work(target)
        return
    state = model._host_state()
    work(state)
    target._np("body_q").assign(state._np("body_q"))
    target._np("body_qd").assign(state._np("body_qd"))


@captured
def eval_fk(model: Any, joint_q: Any, joint_qd: Any, state: Any, mask: Any = None, indices: Any = None, body_flag_filter: int = BodyFlags.ALL, *,
            joint_mask: Any = None) -> None:
    """Forward kinematics: writes body_q and body_qd of `state` (a State, or the Model).

    joint_q [joint_coord_count], joint_qd [joint_dof_count]; `mask` [articulation_count] or `indices` choose articulations;
    `joint_mask` [joint_count] leaves children of other joints as they are.
    """
    chosen, listed = _chosen(model, mask, indices)
    q = reals("joint_q", joint_q, model.joint_coord_count).reshape(-1)
    qd = reals("joint_qd", joint_qd, model.joint_dof_count).reshape(-1)
    joints = flags("joint_mask", joint_mask, model.joint_count)
    _through_state(model, state, lambda s: _core.eval_fk(model._core, q, qd, s._core, chosen, listed, int(body_flag_filter), joints))


@captured
def eval_ik(model: Any, state: Any, joint_q: Any, joint_qd: Any, mask: Any = None, indices: Any = None, body_flag_filter: int = BodyFlags.ALL) -> None:
    """Joint coordinates and rates of a state's bodies, written into joint_q and joint_qd."""
    chosen, listed = _chosen(model, mask, indices)
    q = output("joint_q", joint_q, (model.joint_coord_count,)).reshape(-1)
    qd = output("joint_qd", joint_qd, (model.joint_dof_count,)).reshape(-1)
    source = state
    if not isinstance(state, State):
        source = model.state()
    _core.eval_ik(model._core, source._core, q, qd, chosen, listed, int(body_flag_filter))


def eval_mimic(model: Any, state_in: Any, state_out: Any = None, *, mask: Any = None, indices: Any = None) -> None:
    """Lets followers of mimic joints take their values: joint_q and joint_qd of `state_out` (or in place)."""
    out = state_in if state_out is None else state_out
    chosen, listed = _chosen(model, mask, indices)
    q, qd = np.array(state_in._np("joint_q")), np.array(state_in._np("joint_qd"))
    _core.eval_mimic(model._core, q, qd)
    if chosen is None and listed is None:
        out._np("joint_q").assign(q)
        out._np("joint_qd").assign(qd)
        return
    wanted = set(np.flatnonzero(chosen).tolist() if chosen is not None else listed.tolist())
    for j in range(model.joint_count):
        if int(model._np("joint_articulation")[j]) in wanted:
            a, b = int(model._np("joint_q_start")[j]), int(model._np("joint_q_start")[j + 1])
            c, d = int(model._np("joint_qd_start")[j]), int(model._np("joint_qd_start")[j + 1])
            out._np("joint_q")[a:b] = q[a:b]
            out._np("joint_qd")[c:d] = qd[c:d]


def _into(name: str, out: Any, values: np.ndarray) -> Array:
    if out is None:
        return values.view(Array)
    target = output(name, out, None)
    if target.size != values.size:
        raise kind_of(ValueError)(f"{name}: shape {tuple(out.shape)}, expected {values.shape}", "PYTHON_ARG_SHAPE")
    target[...] = values.reshape(target.shape)
    return out


def _forces_into(model: Any, name: str, out: Any, values: np.ndarray) -> Any:
    """Rows of articulations into such rows, or one after another into [dof_count]."""
    if out is None:
        return values.view(Array)
    target = output(name, out, None)
    if target.shape == values.shape:
        target[...] = values
    elif target.shape == (model.joint_dof_count,):
        for a in range(model.articulation_count):
            begin, end = _dofs(model, a)
            target[begin:end] = values[a, : end - begin]
    else:
        raise kind_of(ValueError)(f"{name}: shape {target.shape}, expected {values.shape} or ({model.joint_dof_count},)", "PYTHON_ARG_SHAPE")
    return out


def eval_jacobian(model: Any, state: State, J: Any = None, joint_S_s: Any = None, mask: Any = None) -> Array | None:
    """Jacobians [articulation_count, 6 * max_joints_per_articulation, max_dofs_per_articulation]: rows (v of the centre of mass, w)
    of each joint's child, so that J joint_qd is body_qd. Rows and columns beyond an articulation are zero. None for a model without
    articulations."""
    if model.articulation_count == 0 and J is None:
        return None
    return _into("J", J, _core.eval_jacobian(model._core, state._core, flags("mask", mask, model.articulation_count)))


def eval_mass_matrix(model: Any, state: State, H: Any = None, J: Any = None, body_I_s: Any = None, joint_S_s: Any = None, mask: Any = None, *,
                     include_armature: bool = True) -> Array | None:
    """Mass matrices [articulation_count, max_dofs_per_articulation, max_dofs_per_articulation] [kg, kg m, kg m^2]; None for a model
    without articulations."""
    if model.articulation_count == 0 and H is None:
        return None
    values = _core.eval_mass_matrix(model._core, state._core, flags("mask", mask, model.articulation_count))
    if not include_armature:
        warn("include_armature=False is deprecated; subtract joint_armature from the diagonal", MechaneDeprecationWarning)
        armature = np.asarray(model._np("joint_armature"))
        for a in range(model.articulation_count):
            begin, end = _dofs(model, a)
            n = np.arange(end - begin)
            if values[a, n, n].any():
                values[a, n, n] -= armature[begin:end]
    return _into("H", H, values)


def _dofs(model: Any, articulation: int) -> tuple[int, int]:
    first, last = int(model._np("articulation_start")[articulation]), int(model._np("articulation_end")[articulation])
    return int(model._np("joint_qd_start")[first]), int(model._np("joint_qd_start")[last])


def eval_inverse_dynamics_passive(model: Any, state: State, *, mass_matrix: Any = None, gravity_force: Any = None, coriolis_force: Any = None,
                                  mask: Any = None) -> tuple[Array | None, Array | None, Array | None]:
    """Mass matrix, gravity force g(q) and Coriolis force C(q, qd) qd [articulation_count, max_dofs_per_articulation] [N, N m].

    What is given is filled; with no output given all three are computed and returned.

    @raises ValueError  no output is given under `config.compat` "newton-1.8"
    """
    chosen = flags("mask", mask, model.articulation_count)
    every = mass_matrix is None and gravity_force is None and coriolis_force is None
    if every and config.compat == "newton-1.8":
        raise kind_of(ValueError)("At least one inverse-dynamics output must be given", "PYTHON_ARG_OUT")
    m = _into("mass_matrix", mass_matrix, _core.eval_mass_matrix(model._core, state._core, chosen)) if every or mass_matrix is not None else None
    g = _forces_into(model, "gravity_force", gravity_force, _core.gravity_force(model._core, state._core, chosen)) if every or gravity_force is not None else None
    c = _forces_into(model, "coriolis_force", coriolis_force, _core.coriolis_force(model._core, state._core, chosen)) if every or coriolis_force is not None else None
    return m, g, c


def _rows(model: Any, name: str, values: Any) -> np.ndarray:
    """[dof_count] or [articulation_count, max_dofs] as the latter."""
    flat = plain(values).astype(REAL)
    shape = (model.articulation_count, model.max_dofs_per_articulation)
    if flat.shape == shape:
        return flat
    if flat.size != model.joint_dof_count:
        raise kind_of(ValueError)(f"{name}: shape {flat.shape}, expected {shape} or ({model.joint_dof_count},)", "PYTHON_ARG_SHAPE")
    out = np.zeros(shape, REAL)
    for a in range(model.articulation_count):
        begin, end = _dofs(model, a)
        out[a, : end - begin] = flat.reshape(-1)[begin:end]
    return out


def eval_inverse_dynamics_force(model: Any, state: State, *, mass_matrix: Any, joint_qdd: Any, coriolis_force: Any, gravity_force: Any, joint_f: Any,
                                mask: Any = None) -> Any:
    """joint_f = M qdd + C qd + g, for the accelerations `joint_qdd`; written into `joint_f`."""
    if model.articulation_count == 0:
        return joint_f
    h = plain(mass_matrix)
    square = (model.articulation_count, model.max_dofs_per_articulation, model.max_dofs_per_articulation)
    if h.shape != square:
        raise kind_of(ValueError)(f"mass_matrix: shape {h.shape}, expected {square}", "PYTHON_ARG_SHAPE")
    qdd, c, g = (_rows(model, n, v) for n, v in (("joint_qdd", joint_qdd), ("coriolis_force", coriolis_force), ("gravity_force", gravity_force)))
    tau = _turned(model, state, np.einsum("aij,aj->ai", h.astype(REAL), qdd), True) + c + g
    chosen = flags("mask", mask, model.articulation_count)
    out = output("joint_f", joint_f, None)
    if out.shape not in ((model.joint_dof_count,), tau.shape):
        raise kind_of(ValueError)(f"joint_f: shape {out.shape}, expected ({model.joint_dof_count},) or {tau.shape}", "PYTHON_ARG_SHAPE")
    for a in range(model.articulation_count):
        if chosen is not None and not chosen[a]:
            continue
        begin, end = _dofs(model, a)
        if out.size == model.joint_dof_count and out.ndim == 1:
            out[begin:end] = tau[a, : end - begin]
        else:
            out[a] = tau[a]
    return joint_f


def _turned(model: Any, state: State, rows: np.ndarray, to_world: bool) -> np.ndarray:
    """Forces [articulation, dof] whose free joints have them along their parent anchors (as accelerations are) or the world (as joint_f is), turned into the other."""
    free = np.flatnonzero(np.isin(model._np("joint_type"), (JointType.FREE, JointType.DISTANCE)) & (model._np("joint_articulation") >= 0))
    if not len(free):
        return rows
    parent, turn = model._np("joint_parent")[free], np.asarray(model._np("joint_X_p")[free, 3:], dtype=float)
    above = np.where((parent >= 0)[:, None], np.asarray(state._np("body_q"))[np.maximum(parent, 0), 3:], [0.0, 0.0, 0.0, 1.0])
    turn = np.asarray(quat_multiply(above, turn)) * (1.0 if to_world else np.array([-1.0, -1.0, -1.0, 1.0]))
    trees, starts = model._np("joint_articulation")[free], model._np("joint_qd_start")
    first = starts[free] - starts[model._np("articulation_start")[trees]]
    out = np.array(rows)
    for part in (0, 3):
        columns = first[:, None] + part + np.arange(3)
        out[trees[:, None], columns] = quat_rotate(turn, out[trees[:, None], columns])
    return out


def solve_mass_matrix(model: Any, state: State, rhs: Any) -> Array:
    """M^-1 rhs [articulation_count, max_dofs_per_articulation]; zero at joints whose child is prescribed.

    @raises numpy.linalg.LinAlgError  some joint moves nothing that has mass
    """
    b = _rows(model, "rhs", rhs).astype(float)
    h = np.asarray(eval_mass_matrix(model, state), float)
    out = np.zeros_like(b)
    prescribed = (np.asarray(model._np("body_flags")) & int(BodyFlags.KINEMATIC))[model._np("joint_child")] != 0
    moved = ~np.repeat(prescribed, np.diff(model._np("joint_qd_start")))
    for a in range(model.articulation_count):
        begin, end = _dofs(model, a)
        own = np.flatnonzero(moved[begin:end])
        try:
            out[a, own] = np.linalg.solve(h[a][np.ix_(own, own)], b[a, own])
        except np.linalg.LinAlgError as error:
            raise kind_of(np.linalg.LinAlgError)(f"articulation '{model.articulation_label[a]}': the mass matrix is singular; a joint moves nothing that has mass or armature",
                                                 "PYTHON_DYN_SINGULAR") from error
    return out.astype(REAL).view(Array)


def forward_dynamics(model: Any, state: State, joint_f: Any = None) -> Array:
    """Accelerations qdd = M^-1 (f - C qd - g) [articulation_count, max_dofs_per_articulation]; constraints and contacts do not act."""
    _, g, c = eval_inverse_dynamics_passive(model, state)
    tau = -(np.asarray(g) + np.asarray(c))
    if joint_f is not None:
        tau = tau + _rows(model, "joint_f", joint_f)
    return solve_mass_matrix(model, state, _turned(model, state, tau, False))


def total_energy(model: Any, state: State) -> float:
    """[J]"""
    return model.total_energy(state)


def eval_rigid_contact_kinematics(model: Any, state: State, contacts: Any, *, out_distance: Any = None, out_point0_world: Any = None,
                                  out_point1_world: Any = None) -> tuple[Array, Array, Array]:
    """Distances (margins subtracted) [m] and surface points in the world of all contact rows for the poses of `state`."""
    n, body_q, shape_body = len(contacts), np.asarray(state._np("body_q")), np.asarray(model._np("shape_body"))
    ends, raw = [], []
    for k in (0, 1):
        bodies = shape_body[np.asarray(getattr(contacts, f"rigid_contact_shape{k}")[:n])]
        point = np.asarray(getattr(contacts, f"rigid_contact_point{k}")[:n])
        raw.append(placed(body_q, bodies, point))
        ends.append(placed(body_q, bodies, point + np.asarray(getattr(contacts, f"rigid_contact_offset{k}")[:n])))
    normal = np.asarray(contacts._np("rigid_contact_normal")[:n])
    distance = np.einsum("ij,ij->i", normal, raw[1] - raw[0]) - np.asarray(contacts._np("rigid_contact_margin0")[:n]) - np.asarray(contacts._np("rigid_contact_margin1")[:n])
    results = []
    for name, out, values in (("out_distance", out_distance, distance), ("out_point0_world", out_point0_world, ends[0]), ("out_point1_world", out_point1_world, ends[1])):
        if out is None:
            results.append(values.astype(REAL).view(Array))
        else:
            output(name, out, None).reshape(-1, *values.shape[1:])[:n] = values
            results.append(out)
    return tuple(results)


name_arguments(globals())

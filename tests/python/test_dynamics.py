"""Kinematics, dynamics, contacts and solvers from Python."""
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import falling_ball, pendulum


def moving_pendulum(links=3):
    m = pendulum(links).finalize()
    s = m.state()
    rng = np.random.default_rng(7)
    s.joint_q.assign(rng.uniform(-1, 1, m.joint_coord_count))
    s.joint_qd.assign(rng.uniform(-1, 1, m.joint_dof_count))
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    return m, s


def test_what_is_prescribed_takes_no_force_and_hides_no_other_robot():
    b = pendulum(1)
    lift = b.add_link(xform=(0, 0, 3, 0, 0, 0, 1), mass=1.0, is_kinematic=True, label="lift")
    b.add_articulation([b.add_joint_free(lift, label="way")], label="lift")
    m = b.finalize()
    a = np.asarray(mc.forward_dynamics(m, m.state()))
    # A rod that is let go at the level of its hinge: m g l / (I + m l^2), l = 0.5 m.
    assert np.allclose(a[0, 0], 9.81 * 0.5 / (0.1 + 0.25), rtol=1e-5)
    assert not a[1].any()


def test_a_joint_that_moves_no_mass_is_named():
    b = pendulum(1)
    tip = b.add_link(xform=(1, 0, 0, 0, 0, 0, 1), mass=0.0, label="tip")
    b.add_articulation([b.add_joint_revolute(-1, tip, axis="Y", label="hinge")], label="nothing")
    m = b.finalize()
    with pytest.raises(np.linalg.LinAlgError, match="nothing") as caught:
        mc.forward_dynamics(m, m.state())
    assert caught.value.code == "PYTHON_DYN_SINGULAR"


def test_inverse_kinematics_undoes_forward_kinematics():
    m, s = moving_pendulum()
    q, qd = np.zeros_like(s.joint_q), np.zeros_like(s.joint_qd)
    mc.eval_ik(m, s, q, qd)
    assert np.allclose(q, s.joint_q, atol=1e-5) and np.allclose(qd, s.joint_qd, atol=1e-5)  # single precision over three links


def test_the_jacobian_takes_rates_to_velocities():
    """(PYA-061)"""
    m, s = moving_pendulum()
    J = mc.eval_jacobian(m, s)
    assert J.shape == (1, 18, 3)
    assert np.allclose(J[0] @ s.joint_qd, np.asarray(s.body_qd).reshape(-1), atol=1e-5)
    out = np.zeros_like(J)
    assert mc.eval_jacobian(m, s, out) is out and np.array_equal(out, J)


def test_a_mask_with_indices_is_refused():
    """(PYA-062)"""
    m, s = moving_pendulum()
    with pytest.raises(ValueError, match="mask and indices"):
        mc.eval_fk(m, s.joint_q, s.joint_qd, s, mask=[True], indices=[0])
    with pytest.raises(ValueError, match=r"mask: shape \(2,\), expected \(1,\) flags"):
        mc.eval_fk(m, s.joint_q, s.joint_qd, s, mask=[True, False])
    with pytest.raises(IndexError, match="indices"):
        mc.eval_fk(m, s.joint_q, s.joint_qd, s, indices=[3])


def test_a_mask_leaves_other_articulations_alone():
    many = mc.ModelBuilder()
    many.replicate(pendulum(1), 2)
    m = many.finalize()
    s = m.state()
    before = s.body_q[0].copy()
    mc.eval_fk(m, [1.0, 1.0], [0, 0], s, mask=[False, True])
    assert np.array_equal(s.body_q[0], before) and not np.array_equal(s.body_q[1], before)


def test_kinetic_energy_is_half_qd_m_qd():
    m, s = moving_pendulum()
    H = np.asarray(mc.eval_mass_matrix(m, s)[0], float)
    qd = np.asarray(s.joint_qd, float)
    twist, energy = np.asarray(s.body_qd, float), 0.0
    for b in range(3):
        R = mc.math.quat_to_matrix(s.body_q[b, 3:])
        energy += 0.5 * (twist[b, :3] @ twist[b, :3] + twist[b, 3:] @ (R @ np.asarray(m.body_inertia[b], float) @ R.T) @ twist[b, 3:])
    assert 0.5 * qd @ H @ qd == pytest.approx(energy, rel=1e-5)
    assert m.total_energy(s) == pytest.approx(energy + 9.81 * np.asarray(s.body_q[:, 2], float).sum(), rel=1e-5)


def test_armature_is_on_the_diagonal_unless_left_out():
    b = pendulum(2)
    b.joint_armature = [0.5, 0.25]
    m = b.finalize()
    s = m.state()
    with pytest.warns(mc.MechaneDeprecationWarning, match="include_armature"):
        rigid = mc.eval_mass_matrix(m, s, include_armature=False)
    difference = np.asarray(mc.eval_mass_matrix(m, s) - rigid)[0]
    assert np.allclose(difference, np.diag([0.5, 0.25]), atol=1e-6)


def test_gravity_force_holds_a_horizontal_link():
    """m g l/2 = 9.81 * 0.5 N m about y, which turns +x down: the controller pushes the other way"""
    m = pendulum(1).finalize()
    s = m.state()
    _, g, c = mc.eval_inverse_dynamics_passive(m, s)
    assert g[0, 0] == pytest.approx(-9.81 * 0.5, rel=1e-5) and c[0, 0] == pytest.approx(0, abs=1e-6)


def test_forward_dynamics_undoes_inverse_dynamics():
    m, s = moving_pendulum()
    M, g, c = mc.eval_inverse_dynamics_passive(m, s)
    wanted, tau = np.array([[1.0, -2.0, 0.5]], M.dtype), np.zeros((1, 3), M.dtype)
    mc.eval_inverse_dynamics_force(m, s, mass_matrix=M, joint_qdd=wanted, coriolis_force=c, gravity_force=g, joint_f=tau)
    assert np.allclose(mc.forward_dynamics(m, s, tau), wanted, atol=1e-3)  # condition of M is about 1e2 in single precision


def test_a_free_body_under_gravity():
    """Its weight in the linear dofs; spin about a principal axis needs no torque"""
    b = mc.ModelBuilder()
    body = b.add_body(mass=2.0, inertia=np.diag([1.0, 2.0, 3.0]))
    m = b.finalize()
    s = m.state()
    s.joint_qd.assign([1, 2, 3, 0, 0, 4])
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    _, g, c = mc.eval_inverse_dynamics_passive(m, s)
    assert np.allclose(g[body], [0, 0, 19.62, 0, 0, 0], atol=1e-5) and np.allclose(c, 0, atol=1e-5)


def test_followers_follow():
    b = pendulum(2)
    b.set_joint_mimic(1, 0, coeffs=(0.5, -2.0))
    m = b.finalize()
    s = m.state()
    s.joint_q[0], s.joint_qd[0] = 0.25, 1.0
    mc.eval_mimic(m, s)
    assert s.joint_q.tolist() == [0.25, 0.0] and s.joint_qd.tolist() == [1, -2] and m.joint_mimic_joint.tolist() == [-1, 0]


def test_collide_keeps_one_buffer():
    """(PYA-056)"""
    m = falling_ball().finalize()
    s = m.state()
    first = m.collide(s)
    assert isinstance(first, mc.Contacts) and m.collide(s) is first
    other = m.contacts()
    assert m.collide(s, other) is other is not first


def test_rows_are_as_many_as_contacts():
    """A ball of 0.1 m at 0.09 m: 0.01 m deep, normal from shape 0 to shape 1 (PYA-057)"""
    m = falling_ball().finalize()
    s = m.state()
    s.body_q[0, 2] = 0.09
    contacts = m.collide(s)
    rows = contacts.rows()
    assert len(rows) == contacts.rigid_contact_count[0] == len(contacts) == 1
    assert rows["distance"][0] == pytest.approx(-0.01, abs=1e-6) and abs(rows["normal"][0, 2]) == 1
    assert rows["point"][0, 2] == pytest.approx(-0.005, abs=1e-6)
    distance, p0, p1 = mc.eval_rigid_contact_kinematics(m, s, contacts)
    assert distance[0] == pytest.approx(-0.01, abs=1e-6) and sorted((p0[0, 2], p1[0, 2])) == pytest.approx([-0.01, 0.0], abs=1e-6)
    assert contacts.pairs() == [tuple(m.shape_label[i] for i in (rows["shape0"][0], rows["shape1"][0]))]


def test_contacts_that_do_not_fit_are_counted():
    b = mc.ModelBuilder()
    for i in range(4):
        b.add_shape_sphere(b.add_body(xform=(i, 0, 0.05, 0, 0, 0, 1)), radius=0.1)
    b.add_ground_plane()
    m = b.finalize()
    pipeline = mc.CollisionPipeline(m, rigid_contact_max=2)
    contacts = pipeline.contacts()
    with pytest.warns(mc.MechaneWarning, match="4 contacts, room for 2"):
        pipeline.collide(m.state(), contacts)
    assert len(contacts) == 2 and contacts.rigid_contact_max == 2


def test_a_pipeline_takes_objects_for_both_phases():
    """The contacts are those of the name, whichever object it is"""
    m = falling_ball().finalize()
    m.body_q[0, 2] = 0.05
    s = m.state()
    for kind in (mc.geometry.BroadPhaseAllPairs, mc.geometry.BroadPhaseSAP, mc.geometry.BroadPhaseExplicit):
        pipeline = mc.CollisionPipeline(m, broad_phase=kind(), narrow_phase=mc.geometry.NarrowPhase(max_candidate_pairs=10))
        contacts = pipeline.contacts()
        pipeline.collide(s, contacts)
        assert len(contacts) == 1 and float(contacts.rows()["distance"][0]) == pytest.approx(-0.05, abs=1e-6)


def test_only_listed_pairs_collide():
    """Three balls in the ground that overlap one another, and a list of two pairs: one of balls, one with the plane"""
    b = mc.ModelBuilder()
    for i in range(3):
        b.add_shape_sphere(b.add_body(xform=(0.1 * i, 0, 0.05, 0, 0, 0, 1)), radius=0.1)
    b.add_ground_plane()
    m = b.finalize()

    def found(**options):
        pipeline = mc.CollisionPipeline(m, **options)
        contacts = pipeline.contacts()
        pipeline.collide(m.state(), contacts)
        rows = contacts.rows()
        return sorted({tuple(sorted((int(r["shape0"]), int(r["shape1"])))) for r in rows})

    assert found() == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]  # the outer two touch: 0.2 apart, radii of 0.1
    assert found(shape_pairs_filtered=[(3, 1), (1, 0), (0, 1)]) == [(0, 1), (1, 3)]
    assert found(shape_pairs_filtered=np.array([[2, 1]], np.int32), broad_phase="explicit") == [(1, 2)]
    assert found(shape_pairs_filtered=np.zeros((0, 2), np.int32)) == []
    assert found(shape_pairs_filtered=[(2, 1)], broad_phase="nxn") == found()  # the list is that of "explicit"


def test_a_state_of_ones_own_remembers_arrays():
    """`State()` has no model: arrays are kept as they are put there, and it is neither collided nor stepped"""
    m = falling_ball().finalize()
    s, own = m.state(), mc.State()
    assert own.body_q is None and own.body_count == 0 and isinstance(own, mc.State)
    own.body_q, own.body_qd = s.body_q.clone(), s.body_qd.clone()
    s.body_q[0, 2] = 9
    assert own.body_q[0, 2] == 0.5 and own.body_count == 1
    points = m.collide(m.state()).points_world(own)
    assert len(points) == 2
    for call, kind, text in ((lambda: m.collide(own), TypeError, "Model.state"), (lambda: own.assign(s), ValueError, "body_f"), (lambda: own.nothing, AttributeError, "nothing"),
                             (lambda: own.assign(3), TypeError, "other"), (lambda: s.assign(own), ValueError, "body_f"), (lambda: own.hash(), TypeError, "Model.state"),
                             (lambda: mc.solvers.SolverSoftStep(m).step(own, s, None, None, 0.01), TypeError, "Model.state")):
        with pytest.raises(kind, match=text):
            call()
    again = pickle.loads(pickle.dumps(own))
    copied = own.copy()
    own.body_q[0, 2] = 7
    own.clear_forces()
    assert again.body_q[0, 2] == copied.body_q[0, 2] == 0.5 and again.body_f is None and "body_q" in repr(again)


def test_nonsense_for_pipelines_and_solvers_is_refused():
    m, other = falling_ball().finalize(), pendulum().finalize()
    s, c, solver = m.state(), m.contacts(), mc.solvers.SolverSoftStep(m)
    for call, kind, text in (
            (lambda: mc.CollisionPipeline(m, wings=2), TypeError, "wings"),
            (lambda: mc.CollisionPipeline(m, broad_phase="psychic"), ValueError, "broad_phase"),
            (lambda: mc.CollisionPipeline(m, broad_phase=mc.geometry.BroadPhaseSAP()), ValueError, "narrow_phase is missing"),
            (lambda: mc.CollisionPipeline(m, narrow_phase=mc.geometry.NarrowPhase(max_candidate_pairs=9)), ValueError, "narrow_phase goes with"),
            (lambda: mc.CollisionPipeline(m, broad_phase=m), TypeError, "broad_phase: expected a name"),
            (lambda: mc.CollisionPipeline(m, broad_phase=mc.geometry.BroadPhaseSAP(), narrow_phase=3), TypeError, "narrow_phase: expected NarrowPhase"),
            (lambda: mc.CollisionPipeline(m, shape_pairs_filtered=[0, 1, 2]), ValueError, "shape_pairs_filtered"),
            (lambda: mc.CollisionPipeline(m, shape_pairs_filtered=[(0, 2)]), ValueError, "shape_pairs_filtered"),
            (lambda: mc.CollisionPipeline(m, shape_pairs_filtered=[(0.5, 1)]), TypeError, "shape_pairs_filtered"),
            (lambda: mc.CollisionPipeline(m, rigid_contact_max=-1), ValueError, "rigid_contact_max"),
            (lambda: m.collide(other.state()), ValueError, "state: of another model"),
            (lambda: mc.CollisionPipeline(m).collide(s, mc.CollisionPipeline(m, rigid_contact_max=3).contacts()), ValueError, "contacts: of another pipeline"),
            (lambda: m.collide(s, "contacts"), TypeError, "contacts"),
            (lambda: solver.step(other.state(), s, None, None, 0.01), ValueError, "state_in: of another model"),
            (lambda: solver.step(s, s, None, None, 0.0), ValueError, "dt"),
            (lambda: solver.step(s, s, "push", None, 0.1), TypeError, "control"),
            (lambda: mc.solvers.SolverSoftStep(m, substeps=0), ValueError, "substeps"),
            (lambda: mc.solvers.create("nosuch", m), KeyError, "softstep"),
            (lambda: mc.eval_fk(m, [0], s.joint_qd, s), ValueError, "joint_q: 1 numbers, expected 7"),
            (lambda: mc.eval_fk(m, "abc", s.joint_qd, s), TypeError, "joint_q"),
            (lambda: s.assign(other.state()), ValueError, "other")):
        with pytest.raises(kind, match=text):
            call()
    assert len(c) == 0


def test_a_ball_falls_and_rests():
    m = falling_ball().finalize()
    s, control, contacts = m.state(), m.control(), m.contacts()
    solver = mc.solvers.SolverSoftStep(m)
    for _ in range(120):
        m.collide(s, contacts)
        solver.step(s, s, control, contacts, 1 / 60)
    assert s.body_q[0, 2] == pytest.approx(0.1, abs=2e-3) and s.time == pytest.approx(2.0)
    # At rest the ground carries the weight: 1000 kg/m^3 of a ball of 0.1 m.
    weight = 9.81 * 1000 * 4 / 3 * np.pi * 0.1**3
    assert abs(contacts.rows()["force"][:, 2].sum()) == pytest.approx(weight, rel=0.02)


def test_a_body_that_a_step_slows_down_is_told_once():
    """The solver bounds speeds (1000 rad/s); a body that stays at the bound is not told at each step, and one that comes back to it is"""
    m = falling_ball().finalize()
    solver, state = mc.solvers.SolverSoftStep(m), m.state()

    def told(rate):
        state.body_qd.numpy()[0] = state.joint_qd.numpy()[:6] = (0, 0, 0, 0, 0, rate)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            solver.step(state, state, None, None, 1 / 60)
        return [str(w.message) for w in said]

    assert told(100) == []
    assert [text.split(":")[0] for text in told(5000)] == ["RUN_VELOCITY_CLAMPED"] and solver.report["clamped_velocities"] > 0
    assert told(5000) == [] and told(100) == [] and len(told(5000)) == 1


def test_stepping_in_place_equals_stepping_into_a_second_state():
    """(PYA-065)"""
    m, s = moving_pendulum()
    a, b, out = s.copy(), s.copy(), m.state()
    mc.solvers.SolverSoftStep(m).step(a, a, m.control(), None, 0.01)
    mc.solvers.SolverSoftStep(m).step(b, out, m.control(), None, 0.01)
    assert a.hash() == out.hash() != s.hash()


def test_a_solver_written_in_python_steps_and_is_found():
    """(PYA-066)"""
    class Drift(mc.solvers.SolverBase):
        def step(self, state_in, state_out, control, contacts, dt, *, observables=None):
            state_out.assign(state_in)
            state_out.body_q[:, :3] += dt * state_in.body_qd[:, :3]

    m = falling_ball().finalize()
    s = m.state()
    s.body_qd[0, 0] = 2.0
    mc.solvers.register("drift", Drift)
    mc.solvers.create("drift", m).step(s, s, None, None, 0.5)
    assert s.body_q[0, 0] == 1.0 and "drift" in mc.solvers.available() and mc.solvers.available()[0] == "softstep"


def test_a_mass_edit_that_is_announced_changes_the_next_step():
    """The same push, twice the mass (PYA-068)"""
    b = mc.ModelBuilder(gravity=(0, 0, 0))
    b.add_body(mass=1.0, inertia=np.eye(3))
    m = b.finalize()
    solver = mc.solvers.SolverSoftStep(m)

    def push():
        s = m.state()
        s.body_f[0] = (6, 0, 0, 0, 0, 0)
        solver.step(s, s, None, None, 0.5)
        return float(s.body_qd[0, 0])

    assert push() == pytest.approx(3)
    m.body_mass[0], m.body_inv_mass[0] = 2, 0.5
    solver.notify_model_changed(mc.ModelFlags.BODY_INERTIAL_PROPERTIES)
    assert push() == pytest.approx(1.5)


def worlds_of_pendulums(count, extra_ball=True):
    """A moving pendulum in each world, and a ball that belongs to none."""
    b = mc.ModelBuilder()
    if extra_ball:
        b.add_shape_sphere(b.add_body(xform=(0, 5, 3, 0, 0, 0, 1), label="ball"), radius=0.1)
    b.replicate(pendulum(3), count)
    m = b.finalize()
    s = m.state()
    s.joint_qd[-3 * count:] = np.linspace(-1, 1, 3 * count)
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    return m, s


def test_a_reset_of_one_world_leaves_the_others_bits_and_starts_it_anew():
    """Beside a run without the reset, and one that begins where the reset world begins again"""
    m, alone = worlds_of_pendulums(3)
    other = alone.copy()
    untouched, reset = mc.solvers.SolverSoftStep(m), mc.solvers.SolverSoftStep(m)
    for _ in range(20):
        untouched.step(alone, alone, None, None, 0.01)
        reset.step(other, other, None, None, 0.01)
    reset.reset(other, np.array([False, True, False, False]))
    chosen = np.asarray(m.body_world) == 1
    fresh = m.state()
    np.testing.assert_array_equal(other.body_q[chosen], fresh.body_q[chosen])
    np.testing.assert_array_equal(other.body_qd[chosen], fresh.body_qd[chosen])
    new = mc.solvers.SolverSoftStep(m)
    for _ in range(20):
        untouched.step(alone, alone, None, None, 0.01)
        reset.step(other, other, None, None, 0.01)
        new.step(fresh, fresh, None, None, 0.01)
    for name in ("body_q", "body_qd"):
        np.testing.assert_array_equal(getattr(other, name)[~chosen], getattr(alone, name)[~chosen])
        np.testing.assert_array_equal(getattr(other, name)[chosen], getattr(fresh, name)[chosen])


def test_flags_and_the_masks_last_entry_say_what_is_reset():
    m, s = worlds_of_pendulums(2)
    solver = mc.solvers.SolverSoftStep(m)
    solver.step(s, s, None, None, 0.1)
    moved, fresh, ball = s.copy(), m.state(), np.asarray(m.body_world) == -1
    solver.reset(s, np.array([False, False, True]), mc.StateFlags.BODY_Q)
    np.testing.assert_array_equal(s.body_q[ball], fresh.body_q[ball])
    np.testing.assert_array_equal(s.body_q[~ball], moved.body_q[~ball])
    np.testing.assert_array_equal(s.body_qd, moved.body_qd)
    solver.reset(s, None, mc.StateFlags.JOINT_Q | mc.StateFlags.JOINT_QD)
    np.testing.assert_array_equal(s.joint_q, fresh.joint_q)
    np.testing.assert_array_equal(s.joint_qd, fresh.joint_qd)
    np.testing.assert_array_equal(s.body_qd, moved.body_qd)
    s.body_f[:] = 1
    solver.reset(s, flags=0)
    assert (s.body_f == 1).all()
    solver.reset(s)
    assert s.hash() == fresh.hash() and not s.body_f.any()


def test_a_reset_refuses_masks_of_other_forms():
    m, s = worlds_of_pendulums(2)
    solver = mc.solvers.SolverSoftStep(m)
    for mask, kind in ((np.ones(2, bool), ValueError), (np.ones((3, 1), bool), ValueError), (np.ones(3, np.int32), TypeError)):
        with pytest.raises(kind, match="world_mask"):
            solver.reset(s, mask)
    with pytest.raises(TypeError, match="state"):
        solver.reset(None)


def test_a_notice_keeps_the_warm_starts():
    """What is read at every step needs none, so that a notice of it changes no bit"""
    states = []
    for notify in (False, True):
        m, s = worlds_of_pendulums(2)
        solver = mc.solvers.SolverSoftStep(m)
        for _ in range(10):
            solver.step(s, s, None, None, 0.01)
            if notify:
                solver.notify_model_changed(mc.ModelFlags.SHAPE_PROPERTIES | mc.ModelFlags.MODEL_PROPERTIES | 1 << 20)  # and a bit of the user's own
        states.append(s.hash())
    assert states[0] == states[1]


def run_pendulum(threads=None, frames=60):
    if threads is not None:
        mc.set_num_threads(threads)
    m, s = moving_pendulum(4)
    mc.solvers.SolverSoftStep(m).rollout(s, frames, 1 / 60)
    return s.hash()


def test_the_number_of_threads_does_not_matter():
    """(PYA-048)"""
    try:
        assert run_pendulum(1) == run_pendulum(0) == run_pendulum(3)
    finally:
        mc.set_num_threads(0)
    with pytest.raises(ValueError, match="n must be"):
        mc.set_num_threads(-1)


def test_two_threads_step_two_models_as_one_after_the_other():
    """(PYA-046)"""
    expected, results = run_pendulum(), []
    threads = [threading.Thread(target=lambda: results.append(run_pendulum())) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [expected, expected]


def test_two_threads_in_one_solver_is_an_error_and_no_race():
    """(PYA-047)"""
    m, s = moving_pendulum(20)
    solver, other = mc.solvers.SolverSoftStep(m), s.copy()
    started, errors = threading.Event(), []

    def long_run():
        started.set()
        solver.rollout(s, 600, 1 / 60)

    thread = threading.Thread(target=long_run)
    thread.start()
    started.wait()
    while thread.is_alive() and not errors:
        try:
            solver.step(other, other, None, None, 1 / 60)
        except RuntimeError as error:
            errors.append(str(error))
    thread.join()
    assert errors and "busy" in errors[0]


def test_a_checkpoint_goes_on_with_the_same_bits():
    """(PYA-053)"""
    m = falling_ball().finalize()
    s, contacts = m.state(), m.contacts()
    solver = mc.solvers.SolverSoftStep(m)

    def steps(n, by, state, c):
        for _ in range(n):
            m.collide(state, c)
            by.step(state, state, None, c, 1 / 60)

    steps(40, solver, s, contacts)
    blob, middle = solver.checkpoint(), s.copy()
    steps(20, solver, s, contacts)
    again = mc.solvers.SolverSoftStep(m)
    again.restore(blob)
    steps(20, again, middle, m.contacts())
    assert middle.hash() == s.hash()
    with pytest.raises(ValueError, match="blob"):
        again.restore(b"damaged")


def test_a_rollout_records():
    m = falling_ball().finalize()
    s = m.state()
    rec = mc.solvers.SolverSoftStep(m).rollout(s, 30, 1 / 60, record=True)
    assert rec["body_q"].shape == (31, 1, 7) and rec["t"][-1] == pytest.approx(0.5) and np.array_equal(rec["body_q"][-1], s.body_q)


def test_ctrl_c_stops_a_long_rollout():
    """(PYA-044)"""
    code = ("import os, signal, sys, threading, time; sys.path.insert(0, os.environ['TESTS'])\nimport mechane as mc\nfrom scenes import pendulum\n"
            "m = pendulum(10).finalize(); s = m.state()\n"
            "def stop():\n  time.sleep(2); os.kill(os.getpid(), signal.SIGINT)\n"
            "threading.Thread(target=stop).start()\n"
            # a year of it takes hours
            "try: mc.solvers.SolverSoftStep(m).rollout(s, 2 * 10**9, 1 / 60)\n"
            "except KeyboardInterrupt: print(s.time < 3e7, s.time > 0 and bool((s.joint_q == s.joint_q).all()))")
    import os
    import pathlib
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, env={**os.environ, "TESTS": str(pathlib.Path(__file__).parent)})
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert signal.SIGINT


def test_a_forked_child_steps_a_model_of_its_parent():
    """(PYA-052)"""
    import os

    m = falling_ball().finalize()
    s = m.state()
    mc.solvers.SolverSoftStep(m).step(s, s, None, None, 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            mine = m.state()
            m.collide(mine)
            mc.solvers.SolverSoftStep(m).step(mine, mine, None, None, 0.01)
            os._exit(0 if mine.hash() == s.hash() else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def turned_free_body(parent):
    """A free body of 2 kg whose anchor is a quarter turn about x away from the world, at once or by a kinematic body between."""
    b = mc.ModelBuilder(gravity=(0, 0, -10))
    turn = (0, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    joints = []
    if parent:
        base = b.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=True)
        joints.append(b.add_joint_fixed(-1, base, parent_xform=turn))
    body = b.add_link(mass=2.0, inertia=np.diag([0.3, 0.5, 0.4]))
    joints.append(b.add_joint_free(body, parent=base if parent else -1, **({} if parent else {"parent_xform": turn})))
    b.add_articulation(joints)
    m = b.finalize()
    s = m.state()
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    return m, s


@pytest.mark.parametrize("parent", [False, True])
def test_forces_of_free_joints_are_wrenches_in_the_world(parent):
    """Accelerations are along the parent's anchor: y of it is z of the world, z of it -y"""
    m, s = turned_free_body(parent)
    h, g, c = mc.eval_inverse_dynamics_passive(m, s)
    np.testing.assert_allclose(g[0, :6], (0, 0, 20, 0, 0, 0), atol=1e-5)  # what holds 2 kg still against 10 m/s^2
    joint_f = np.zeros(m.joint_dof_count, g.dtype)
    mc.eval_inverse_dynamics_force(m, s, mass_matrix=h, joint_qdd=np.array([[0.5, -0.3, 0.7, 0, 0, 0]]), coriolis_force=c, gravity_force=g, joint_f=joint_f)
    # m R a + m g: R (0.5, -0.3, 0.7) is (0.5, -0.7, -0.3).
    np.testing.assert_allclose(joint_f[:3], (1.0, -1.4, -0.6 + 20), atol=1e-5)
    np.testing.assert_allclose(mc.forward_dynamics(m, s, joint_f[None])[0, :6], (0.5, -0.3, 0.7, 0, 0, 0), atol=1e-5)


def test_the_jacobian_of_a_free_joint_below_a_turned_body():
    m, s = turned_free_body(True)
    s.joint_qd[:] = (0.7, -0.15, 0.25, 0.35, -0.4, 0.5)
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    np.testing.assert_allclose(np.asarray(mc.eval_jacobian(m, s))[0, 6:12] @ s.joint_qd, s.body_qd[1], atol=1e-6)


def test_inverse_kinematics_leaves_bodies_that_the_flags_leave_out():
    b = mc.ModelBuilder()
    for kinematic in (False, True):
        link = b.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=kinematic)
        b.add_articulation([b.add_joint_revolute(-1, link, axis="Z")])
    m = b.finalize()
    s, q, qd = m.state(), np.full(2, 7, m.joint_q.dtype), np.full(2, 3, m.joint_q.dtype)
    mc.eval_fk(m, np.array([0.2, -0.4]), np.zeros(2), s)
    mc.eval_ik(m, s, q, qd, body_flag_filter=mc.BodyFlags.DYNAMIC)
    assert q.tolist() == pytest.approx([0.2, 7]) and qd.tolist() == [0, 3]


def test_velocities_turn_with_a_copy_and_follow_the_centre_of_mass():
    one = mc.ModelBuilder()
    root = one.add_link(mass=1.0, inertia=np.eye(3))
    child = one.add_link(mass=1.0, inertia=np.eye(3), com=(0.5, 0, 0))
    joints = [one.add_joint_free(root), one.add_joint_fixed(root, child, parent_xform=(2, 0, 0, 0, 0, 0, 1))]
    one.add_articulation(joints)
    one.joint_qd[:6] = [1, 0, 0, 0, 0, 1]
    one.body_qd[root] = (1, 0, 0, 0, 0, 1)
    turned = mc.ModelBuilder()
    turned.add_world(one, xform=(0, 0, 0, 0, 0, np.sqrt(0.5), np.sqrt(0.5)))
    np.testing.assert_allclose(turned.joint_qd[:6], (0, 1, 0, 0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(turned.body_qd[0], (0, 1, 0, 0, 0, 1), atol=1e-12)
    # The centre of both lies 1.25 m along x: turning at 1 rad/s about z it moves at 1.25 m/s along y besides.
    one.collapse_fixed_joints()
    np.testing.assert_allclose(one.body_qd[0], (1, 1.25, 0, 0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(one.joint_qd, (1, 1.25, 0, 0, 0, 1), atol=1e-12)


# -- observables, residuals, derivatives


def test_observables_are_filled_for_those_who_ask():
    """A ball in the air falls at 9.81 m/s^2; one at rest is carried by 9.81 N times its mass"""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_shape_sphere(b.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1)), radius=0.1)
    b.add_shape_sphere(b.add_body(xform=(2, 0, 5, 0, 0, 0, 1)), radius=0.1)
    m = b.finalize()
    solver, state, contacts = mc.solvers.SolverSoftStep(m), m.state(), m.contacts()
    kinds = solver.ObservableKind
    seen = solver.observables({kinds.BODY_QDD, kinds.CONTACT_F}, contacts=contacts)
    for _ in range(30):
        m.collide(state, contacts)
        solver.step(state, state, None, contacts, 1 / 240, observables=seen)
    assert np.allclose(seen.body_qdd[1], [0, 0, -9.81, 0, 0, 0], atol=1e-2) and np.allclose(seen.body_qdd[0], 0, atol=0.05)
    ground = int(contacts.rigid_contact_shape0[0] == 0)  # forces are on shape 0's body
    assert abs(seen.contact_f[0, 2]) == pytest.approx(9.81 * float(m.body_mass[0]), rel=0.02) and (seen.contact_f[0, 2] < 0) == bool(ground)
    assert seen.get_attribute_frequency("body_qdd") == mc.Model.AttributeFrequency.BODY and seen.contacts is contacts and seen.model is m
    only = seen.select({"body_qdd"})
    assert only.body_qdd is seen.body_qdd and only.contact_f is None and not only.is_requested("contact_f")
    for call, word in ((lambda: solver.observables({"heat"}), "heat"), (lambda: solver.observables({"contact_f"}), "Contacts"), (lambda: only.select({"contact_f"}), "contact_f"),
                       (lambda: mc.solvers.SolverSoftStep(m).step(state, state, None, contacts, 0.01, observables=seen), "solver instance")):
        with pytest.raises(ValueError, match=word):
            call()
    with pytest.raises(TypeError, match="kinds"):
        solver.observables("body_qdd")


def test_bodies_are_integrated_for_solvers_of_ones_own():
    """One step of 10 ms from rest under gravity: v = -0.0981 m/s, and z falls by v dt"""
    m = falling_ball().finalize()
    state, out = m.state(), m.state()
    mc.solvers.SolverBase(m).integrate_bodies(m, state, out, 0.01)
    assert out.body_qd[0, 2] == pytest.approx(-0.0981, abs=1e-6) and out.body_q[0, 2] == pytest.approx(0.5 - 0.000981, abs=1e-6)


def test_residuals_say_how_far_joints_are_open():
    m = pendulum(2).finalize()
    state = m.state()
    state.joint_q[:] = [0.3, -0.7]
    mc.eval_fk(m, state.joint_q, state.joint_qd, state)
    assert np.allclose(m.constraint_residual(state), 0, atol=1e-6)
    state.body_q[1, 1] += 0.1
    assert np.allclose(m.constraint_residual(state)[:, 0], [0, 0.1], atol=1e-6)


def test_jacobians_of_a_step_are_those_of_a_hinge():
    """One hinge with the inertia I about its axis: q' = q + dt qd', qd' = qd + dt f / I, for small rates without gravity"""
    b = pendulum(1)
    b.gravity = (0.0, 0.0, 0.0)
    m = b.finalize()
    inertia = 0.1 + 1.0 * 0.5**2
    A, B = mc.step_jacobians(mc.solvers.SolverSoftStep(m), m.state(), 0.01)
    assert np.allclose(A, [[1, 0.01], [0, 1]], atol=2e-3)
    assert B[1, 0] == pytest.approx(0.01 / inertia, rel=1e-2) and abs(B[0, 0]) < 0.01 * 0.01 / inertia + 1e-6


def test_wrenches_of_contacts_are_there_for_who_asks():
    """A ball at rest at x = 1 on the ground, which is shape 0: its weight on the world, about the origin (1, 0, 0) x (0, 0, -m g); nothing
    where nobody asked"""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_shape_sphere(b.add_body(xform=((1, 0, 0.1), (0, 0, 0, 1))), radius=0.1)
    assert b.finalize().contacts().force is None
    b.request_contact_attributes("force")
    m = b.finalize()
    solver, state, contacts = mc.solvers.SolverSoftStep(m), m.state(), m.contacts()
    contacts.clear()
    solver.step(state, state, None, contacts, 1 / 240)
    assert not contacts.force.any()  # there is no contact yet
    for _ in range(60):
        m.collide(state, contacts)
        solver.step(state, state, None, contacts, 1 / 240)
    weight = 9.81 * float(m.body_mass[0])
    assert contacts.rigid_contact_shape0[0] == 0 and contacts.force.shape == (contacts.rigid_contact_max, 6)
    assert np.allclose(contacts.force[0], (0, 0, -weight, 0, weight, 0), atol=0.01 * weight) and not contacts.force[1:].any()


def test_contacts_that_a_solver_cannot_read_are_refused():
    """Of a model with more shapes, or with a count beyond their rows"""
    small, large = mc.ModelBuilder(), mc.ModelBuilder()
    for b, n in ((small, 2), (large, 5)):
        for i in range(n):
            b.add_shape_sphere(b.add_body(xform=((0.1 * i, 0, 0), (0, 0, 0, 1))), radius=0.5)
    m, other = small.finalize(), large.finalize()
    solver, state, foreign, contacts = mc.solvers.SolverSoftStep(m), m.state(), other.collide(other.state()), m.contacts()
    with pytest.raises(ValueError, match="contacts: of another model"):
        solver.step(state, state, None, foreign, 1 / 60)
    for count in (-1, contacts.rigid_contact_max + 1):
        contacts.rigid_contact_count[0] = count
        with pytest.raises(ValueError, match="rigid_contact_count is not between"):
            solver.step(state, state, None, contacts, 1 / 60)


def free_child_on_a_hinge(distance=False):
    """A hinge about y at the origin, and 1 m from it a body that moves freely with respect to the hinge's body. Each has 1 kg and 0.1 kg m^2."""
    b = mc.ModelBuilder(gravity=(0, 0, -10))
    inertia = np.diag([0.1, 0.1, 0.1])
    parent = b.add_link(mass=1.0, inertia=inertia)
    child = b.add_link(mass=1.0, inertia=inertia)
    joints = [b.add_joint_revolute(-1, parent, axis=(0, 1, 0))]
    joints.append(b.add_joint_distance(parent, child, min_distance=-1, max_distance=-1) if distance else b.add_joint_free(child, parent=parent))
    b.add_articulation(joints)
    m = b.finalize()
    s = m.state()
    s.joint_q[1:4] = (1, 0, 0)
    return m, s


@pytest.mark.parametrize("distance", [False, True])
def test_the_jacobian_of_a_free_joint_has_the_motion_of_its_parent(distance):
    """The rates of a free joint are relative to its parent's velocity field, and J qd is body_qd (DYN-036)"""
    m, s = free_child_on_a_hinge(distance)
    s.joint_qd[:] = (1.0, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7)
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    J = np.asarray(mc.eval_jacobian(m, s))[0]
    # w x r = y x x = -z at the child.
    np.testing.assert_allclose((J @ s.joint_qd).reshape(2, 6), [(0, 0, 0, 0, 1, 0), (0.2, 0.3, -1.4, 0.5, 1.6, 0.7)], atol=1e-6)
    np.testing.assert_allclose((J @ s.joint_qd).reshape(2, 6), s.body_qd, atol=1e-6)
    H = np.asarray(mc.eval_mass_matrix(m, s))[0]
    np.testing.assert_allclose(H[0], (0.1 + 0.1 + 1.0, 0, 0, -1, 0, 0.1, 0), atol=1e-6)  # both inertias and 1 kg at 1 m


def test_accelerations_of_a_free_joint_are_relative_to_its_parent():
    """The child falls and the hinge turns on, so that what the child does as seen from its parent has centrifugal and Coriolis terms; a short step of the solver agrees"""
    m, s = free_child_on_a_hinge()
    s.joint_qd[:] = (1.0, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7)
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    control = m.control()
    control.joint_f[:] = (0.3, 0.5, -0.2, 0.4, 0.01, 0.02, -0.03)
    qdd = np.asarray(mc.forward_dynamics(m, s, control.joint_f))[0]
    out, h = m.state(), 1e-3
    mc.solvers.SolverSoftStep(m).step(s, out, control, None, h)
    mc.eval_ik(m, out, out.joint_q, out.joint_qd)
    np.testing.assert_allclose(qdd, (np.asarray(out.joint_qd) - np.asarray(s.joint_qd)) / h, atol=2e-2)
    # The free joint's wrench acts on the parent too: w' = (0.3 + 1 m * 0.4 - 0.02) / 0.1. The child's acceleration in the world is f / m + g. Less that of the point
    # of the parent at which it is, w' x r + w x v with w = y, and of its own rates' turning with the parent, w x u with u = (0.2, 0.3, -0.4):
    # (0.5, -0.2, -9.6) - (0, 0, -6.8) - (-1.4, 0, -0.2) - (-0.4, 0, -0.2).
    np.testing.assert_allclose(qdd[:4], (6.8, 2.3, -0.2, -2.4), atol=1e-4)
    M, g, c = mc.eval_inverse_dynamics_passive(m, s)
    joint_f = np.zeros(m.joint_dof_count, g.dtype)
    mc.eval_inverse_dynamics_force(m, s, mass_matrix=M, joint_qdd=qdd[None], coriolis_force=c, gravity_force=g, joint_f=joint_f)
    np.testing.assert_allclose(joint_f, control.joint_f, atol=1e-4)
    # Newton 1.8: the parent bears the weight of what its free joint holds.
    np.testing.assert_allclose(g[0], (-10, 0, 0, 10, 0, 0, 0), atol=1e-5)
    np.testing.assert_allclose(c[0], (0.4, -1.8, 0, -0.4, 0.07, 0, -0.05), atol=1e-5)

"""Sensors, and inverse kinematics."""
import mechane as mc
import numpy as np
import pytest
from mechane import ik
from mechane.core.rotations import quat_from_axis_angle, quat_rotate
from mechane.sensors import SensorContact, SensorFrameTransform, SensorIMU
from scenes import pendulum


def test_an_imu_at_rest_measures_the_push_of_the_ground_in_its_own_axes():
    b = mc.ModelBuilder()
    turn = [float(x) for x in quat_from_axis_angle((1, 0, 0), 0.5)]
    body = b.add_body(mass=1.0, inertia=np.eye(3), xform=((0, 0, 0), turn))
    b.add_site(body, label="imu")
    m = b.finalize()
    sensor = SensorIMU(m, sites="*imu")
    solver, state = mc.solvers.SolverSemiImplicit(m), m.state()
    wanted = solver.observables({"body_qdd"})
    wanted.body_qdd[...] = 0
    sensor.update(state, observables=wanted)
    back = np.array(turn) * [-1, -1, -1, 1]
    assert np.allclose(sensor.accelerometer[0], quat_rotate(back, np.array([0, 0, 9.81])), atol=1e-4)
    assert np.allclose(sensor.gyroscope[0], 0)


def test_a_frame_is_seen_from_another():
    b = mc.ModelBuilder()
    generator = np.random.default_rng(2)
    q = generator.normal(size=(2, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    at = generator.uniform(-1, 1, (2, 3))
    bodies = [b.add_body(xform=(p, r), mass=1.0, inertia=np.eye(3)) for p, r in zip(at, q)]
    for k, body in enumerate(bodies):
        b.add_site(body, label=f"site_{k}", xform=((0.1, 0.2, 0.3), (0, 0, 0, 1)))
    m = b.finalize()
    sensor = SensorFrameTransform(m, shapes="site_0", reference_sites="site_1")
    sensor.update(m.state())
    points = [p + quat_rotate(r, np.array([0.1, 0.2, 0.3])) for p, r in zip(at, q)]
    back = q[1] * [-1, -1, -1, 1]
    assert np.allclose(sensor.transforms[0][:3], quat_rotate(back, points[0] - points[1]), atol=1e-5)


def test_a_contact_sensor_weighs_a_box_that_rests():
    b = mc.ModelBuilder()
    b.add_ground_plane()
    body = b.add_body(xform=((0, 0, 0.1), (0, 0, 0, 1)), label="box")
    b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    m = b.finalize()
    sensor = SensorContact(m, sensing_bodies="box")
    solver, contacts = mc.solvers.SolverSoftStep(m), m.contacts()
    state, after = m.state(), m.state()
    wanted = solver.observables({"contact_f"}, contacts=contacts)
    for _ in range(120):
        m.collide(state, contacts)
        solver.step(state, after, None, contacts, 1 / 60, observables=wanted)
        state, after = after, state
    sensor.update(state, contacts, observables=wanted)
    assert np.allclose(sensor.total_force[0], [0, 0, 9.81 * m.body_mass[0]], rtol=0.02, atol=0.5)


def arm(count=3):
    b = mc.ModelBuilder()
    parent, joints = -1, []
    for i in range(count):
        link = b.add_link(xform=((0.5 + i, 0, 0), (0, 0, 0, 1)), mass=1.0, inertia=np.eye(3))
        at = (0.5, 0, 0) if i else (0, 0, 0)
        joints.append(b.add_joint_revolute(parent, link, axis=(0, 1, 0) if i % 2 else (0, 0, 1), parent_xform=(at, (0, 0, 0, 1)), child_xform=((-0.5, 0, 0), (0, 0, 0, 1))))
        parent = link
    b.add_articulation(joints)
    return b.finalize()


def tip(m, q):
    state = m.state()
    mc.eval_fk(m, q, np.zeros(m.joint_dof_count, np.float32), state)
    return state.body_q[-1][:3] + quat_rotate(state.body_q[-1][3:], np.array([0.5, 0, 0]))


@pytest.mark.parametrize("mode", list(ik.IKJacobianType))
def test_the_jacobian_is_the_change_of_the_residuals(mode):
    m = arm()
    generator = np.random.default_rng(7)
    q = generator.uniform(-1, 1, (4, 3))
    goals = generator.uniform(-1, 1, (4, 3)).astype(np.float32)
    turns = np.tile(np.array([0, 0, 0, 1], np.float32), (4, 1))
    solver = ik.IKSolver(m, 4, [ik.IKObjectivePosition(2, (0.5, 0, 0), goals), ik.IKObjectiveRotation(2, (0, 0, 0, 1), turns)], jacobian_mode=mode)
    jacobian = solver._impl._jacobian_at(q.copy())
    for k in range(3):
        step = np.zeros_like(q)
        step[:, k] = 1e-3
        change = (solver._impl._residuals_at(q + step) - solver._impl._residuals_at(q - step)) / 2e-3
        assert np.allclose(jacobian[:, :3, k], change[:, :3], atol=2e-3)


@pytest.mark.parametrize("optimizer", list(ik.IKOptimizer))
def test_a_point_that_can_be_reached_is_reached(optimizer):
    m = arm()
    generator = np.random.default_rng(3)
    truth = generator.uniform(-1, 1, (5, 3)).astype(np.float32)
    goals = np.array([tip(m, q) for q in truth], np.float32)
    q = np.zeros((5, 3), np.float32) + 0.1
    solver = ik.IKSolver(m, 5, [ik.IKObjectivePosition(2, (0.5, 0, 0), goals)], optimizer=optimizer)
    solver.step(q, q, iterations=60)
    assert max(np.linalg.norm(tip(m, found) - goal) for found, goal in zip(q, goals)) < 2e-3


def test_a_dof_that_is_held_stays_to_the_bit_and_the_others_do_their_best():
    m = arm(2)
    q = np.array([[0.4, 0.3]], np.float32)
    solver = ik.IKSolver(m, 1, [ik.IKObjectivePosition(1, (0.5, 0, 0), np.array([[1.0, 1.0, 0.5]], np.float32))], joint_dof_mask=np.array([False, True]))
    solver.step(q, q, iterations=40)
    assert q[0, 0] == np.float32(0.4)
    best = min(np.linalg.norm(tip(m, np.array([0.4, a], np.float32)) - [1.0, 1.0, 0.5]) for a in np.linspace(-3.2, 3.2, 2001))
    assert np.linalg.norm(tip(m, q[0]) - [1.0, 1.0, 0.5]) < best + 2e-3


def test_targets_and_iterations_are_checked():
    """A target that is no number would leave the joints where they were, one too few be found out by NumPy"""
    m = pendulum(2).finalize()

    def solve(targets, iterations=5, problems=1, **options):
        solver = ik.IKSolver(m, problems, [ik.IKObjectivePosition(1, (0.5, 0, 0), np.array(targets))], **options)
        q = np.zeros((problems, m.joint_coord_count), np.float32)
        solver.step(q, q, iterations=iterations)
        return q

    for optimizer in ik.IKOptimizer:
        for arguments, text in ((([[np.nan, 0, 1]],), r"objectives\[0\].target_positions: that of problem 0"), (([[1.0, 0, 1]], 5, 3), r"target_positions: shape \(1, 3\), expected \(3, 3\)"),
                                (([[1.0, 0, 1]], -1), "iterations is -1"), (([1.0, 0, 1],), r"shape \(3,\)")):
            with pytest.raises(ValueError, match=text) as raised:
                solve(*arguments, optimizer=optimizer)
            assert raised.value.code == "PYTHON_ARG_IK"
    solver = ik.IKSolver(m, 1, [ik.IKObjectiveRotation(1, (0, 0, 0, 1), targets := np.array([[0.0, 0, 0, 1]]))])
    targets[0, 1] = np.inf  # by the program, later
    with pytest.raises(ValueError, match="target_rotations: that of problem 0"):
        solver.step(q := np.zeros((1, 2), np.float32), q)

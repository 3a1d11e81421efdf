"""Actuators: what a delay, a drive and limits make of a command."""
import mechane as mc
import numpy as np
import pytest
from mechane.actuators import ClampingMaxEffort, DrivePD, DrivePID


def hinge(**actuator):
    b = mc.ModelBuilder(gravity=(0, 0, 0))
    link = b.add_link(mass=1.0, inertia=np.eye(3))
    joint = b.add_joint_revolute(-1, link, axis=(0, 0, 1))
    b.add_articulation([joint])
    b.add_actuator(index=0, **actuator)
    return b.finalize()


def effort(m, q=0.0, qd=0.0, target=0.0, rate=0.0, feed=0.0, states=None, dt=0.01):
    actuator = m.actuators[0]
    state, control = m.state(), m.control()
    state.joint_q[0], state.joint_qd[0] = q, qd
    control.joint_target_q[0], control.joint_target_qd[0], control.joint_act[0] = target, rate, feed
    now, then = states or (None, None)
    actuator.step(state, control, now, then, dt=dt)
    return float(control.joint_f[0])


def test_a_pd_drive_is_two_gains_and_what_is_fed_forward():
    m = hinge(drive_class=DrivePD, kp=20.0, kd=3.0)
    generator = np.random.default_rng(5)
    for q, qd, target, rate, feed in generator.uniform(-1, 1, (8, 5)):
        assert effort(m, q, qd, target, rate, feed) == pytest.approx(20 * (target - q) + 3 * (rate - qd) + feed, rel=1e-5, abs=1e-5)


def test_an_effort_does_not_pass_its_limit():
    m = hinge(drive_class=DrivePD, kp=20.0, kd=0.0, clamping=[(ClampingMaxEffort, {"max_effort": 4.0})])
    assert [effort(m, target=t) for t in (-1.0, 0.1, 1.0)] == pytest.approx([-4.0, 2.0, 4.0])


def test_a_pid_drive_remembers_the_error_and_only_up_to_its_limit():
    m = hinge(drive_class=DrivePID, kp=1.0, ki=10.0, kd=0.0, integral_max=0.05)
    actuator = m.actuators[0]
    now, then = actuator.state(), actuator.state()
    got = []
    for _ in range(4):
        got.append(effort(m, target=1.0, states=(now, then), dt=0.02))
        now, then = then, now
    total, expected = 0.0, []
    for _ in range(4):
        total = min(total + 1.0 * 0.02, 0.05)
        expected.append(1.0 + 10 * total)
    assert got == pytest.approx(expected, rel=1e-5)


def test_a_delay_hands_on_the_command_of_as_many_steps_ago():
    m = hinge(drive_class=DrivePD, kp=1.0, kd=0.0, delay_steps=2)
    actuator = m.actuators[0]
    now, then = actuator.state(), actuator.state()
    got = []
    for target in (1.0, 2.0, 3.0, 4.0, 5.0):
        got.append(effort(m, target=target, states=(now, then)))
        now, then = then, now
    assert got[2:] == pytest.approx([1.0, 2.0, 3.0])


def test_like_actuators_are_one_and_copies_act_on_the_dofs_of_their_copy():
    one, b = mc.ModelBuilder(), mc.ModelBuilder()
    link = one.add_link(mass=1.0, inertia=np.eye(3))
    one.add_articulation([one.add_joint_revolute(-1, link, axis=(0, 0, 1))])
    one.add_actuator(DrivePD, index=0, kp=2.0, kd=0.0)
    b.replicate(one, 3)
    m = b.finalize()
    assert len(m.actuators) == 1
    state, control = m.state(), m.control()
    control.joint_target_q[...] = [1.0, 2.0, 3.0]
    m.actuators[0].step(state, control, None, None, dt=0.01)
    assert control.joint_f.tolist() == pytest.approx([2.0, 4.0, 6.0])


def test_a_gain_that_is_no_number_is_refused():
    with pytest.raises((ValueError, TypeError)):
        hinge(drive_class=DrivePD, kp=float("nan"), kd=0.0)
    with pytest.warns(UserWarning, match="strange"):
        hinge(drive_class=DrivePD, kp=1.0, strange=2.0)

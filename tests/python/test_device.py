"""Models, states and steps on a device, by the executor `host`: the kernels of the GPU on the CPU. What a GPU itself does is in test_on_gpu.py."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mechane as mc
from scenes import pendulum


def dogs(worlds=3, device="host"):
    """Boxes of 1 kg that fall on a plane from heights that differ, with an arm on a driven hinge each."""
    one = mc.ModelBuilder()
    body = one.add_link(xform=(0, 0, 0.3, 0, 0, 0, 1), label="trunk")
    one.add_shape_box(body, hx=0.1, hy=0.1, hz=0.05)
    arm = one.add_link(xform=(0.2, 0, 0.3, 0, 0, 0, 1), label="arm")
    one.add_shape_capsule(arm, radius=0.02, half_height=0.08)
    root = one.add_joint_free(body)
    hinge = one.add_joint_revolute(body, arm, parent_xform=(0.12, 0, 0, 0, 0, 0, 1), child_xform=(-0.1, 0, 0, 0, 0, 0, 1), axis="Y", target_ke=20.0, target_kd=1.0,
                                   actuator_mode=mc.JointTargetMode.POSITION)
    one.add_articulation([root, hinge])
    many = mc.ModelBuilder()
    many.add_ground_plane()
    many.replicate(one, worlds)
    return many.finalize(device=device)


def test_states_of_a_device_have_the_numbers_of_the_model():
    model = dogs()
    state, control = model.state(), model.control()
    host = model.to("cpu").state()
    assert model.device == state.device == control.device == state.joint_q.device == "host"
    for name in ("joint_q", "joint_qd", "body_q", "body_qd", "body_f"):
        array = getattr(state, name)
        assert isinstance(array, mc.DeviceArray) and array.dtype == np.float32
        assert array.shape == getattr(host, name).shape and np.array_equal(array.numpy(), getattr(host, name))
    assert np.array_equal(control.joint_target_q.numpy(), model.joint_target_q)
    assert state.to("cpu").hash() == host.hash() == state.hash()


def test_a_device_steps_as_the_cpu_does():
    """The CPU's own softstep is the oracle: a fall, the impact and the rest on the plane, 1 mm and 1 mrad after a second"""
    model = dogs()
    cpu = model.to("cpu")
    solver, reference = mc.solvers.SolverSoftStep(model, substeps=2), mc.solvers.SolverSoftStep(cpu, substeps=2)
    state, expected, contacts = model.state(), cpu.state(), cpu.contacts()
    q = state.joint_q.numpy()
    q[2::8] += [0.0, 0.1, 0.2]  # worlds fall from different heights
    state.joint_q.assign(q)
    expected.joint_q[...] = q
    mc.eval_fk(cpu, expected.joint_q, expected.joint_qd, expected)
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    for _ in range(120):
        solver.step(state, state, None, None, 1 / 120)
        cpu.collide(expected, contacts)
        reference.step(expected, expected, None, contacts, 1 / 120)
    assert state.time == pytest.approx(1.0)
    assert np.abs(state.joint_q.numpy() - expected.joint_q).max() < 1e-3
    assert np.abs(state.body_q.numpy() - expected.body_q).max() < 1e-3
    report = solver.device_report()
    assert not report["diverged"] and report["bytes_per_world"] > 0


def test_contacts_come_back_with_forces_that_carry_the_weight():
    model = dogs(worlds=2)
    solver, state, contacts = mc.solvers.SolverSoftStep(model), model.state(), model.contacts()
    for _ in range(240):
        model.collide(state, contacts)  # the step finds them; the call is Newton's
        solver.step(state, state, None, contacts, 1 / 120)
    solver.update_contacts(contacts, state)
    n = int(contacts.rigid_contact_count[0])
    assert n >= 6
    up = sum(abs(float(f[2])) for f in contacts.rigid_contact_force[:n])
    assert up == pytest.approx(9.81 * float(np.sum(model.body_mass)), rel=0.02)


def test_states_of_the_cpu_travel_to_the_device_and_back():
    model = dogs()
    there, here = model.state(), model.to("cpu").state()
    solver, other = mc.solvers.SolverSoftStep(model), mc.solvers.SolverSoftStep(model)
    for _ in range(20):
        solver.step(there, there, None, None, 1 / 100)
        other.step(here, here, None, None, 1 / 100)
    assert np.array_equal(there.joint_q.numpy(), here.joint_q) and np.array_equal(there.body_q.numpy(), here.body_q)
    assert here.time == there.time == pytest.approx(0.2)


def test_two_states_step_in_turn_and_forces_count():
    """A force on a body, constant over a step: the trunk of 1 kg or more speeds up by F dt / m more than without"""
    model = dogs(worlds=1)
    solver, a, b = mc.solvers.SolverSoftStep(model), model.state(), model.state()
    free = model.state()
    solver.step(free, free, None, None, 1e-3)
    force = np.zeros((model.body_count, 6), np.float32)
    force[:, 0] = model.body_mass * 5.0  # 5 m/s^2 of every body along x
    a.body_f.assign(force)
    solver.step(a, b, None, None, 1e-3)
    assert np.allclose(b.body_qd.numpy()[:, 0] - free.body_qd.numpy()[:, 0], 5e-3, atol=1e-5)
    assert not a.body_qd.numpy().any()  # what a step goes from stays
    a.clear_forces()
    assert not a.body_f.numpy().any()


def test_commands_live_on_the_device():
    model = dogs(worlds=2)
    solver, state, control = mc.solvers.SolverSoftStep(model), model.state(), model.control()
    target = control.joint_target_q.numpy()
    target[7::8] = 0.4
    control.joint_target_q.assign(target)
    for _ in range(200):
        solver.step(state, state, control, None, 1 / 100)
    assert np.abs(state.joint_q.numpy()[7::8] - 0.4).max() < 0.05
    control.clear()
    assert np.array_equal(control.joint_target_q.numpy(), model.joint_target_q)


def test_worlds_are_reset_and_the_others_go_on():
    model = dogs(worlds=3)
    solver, state = mc.solvers.SolverSoftStep(model), model.state()
    start = state.joint_q.numpy()
    for _ in range(10):
        solver.step(state, state, None, None, 1 / 60)
    before = state.joint_q.numpy()
    solver.reset(state, np.array([False, True, False, False]))
    after = state.joint_q.numpy().reshape(3, -1)
    assert np.array_equal(after[1], start.reshape(3, -1)[1])
    assert np.array_equal(after[[0, 2]], before.reshape(3, -1)[[0, 2]])


def test_numbers_of_the_model_reach_the_device_when_they_are_announced():
    model = dogs(worlds=1)
    solver, state = mc.solvers.SolverSoftStep(model), model.state()
    solver.step(state, state, None, None, 0.01)
    assert state.body_qd.numpy()[0, 2] == pytest.approx(-0.0981, rel=1e-3)
    model.set_gravity((0, 0, -20.0))
    solver.notify_model_changed(int(mc.ModelFlags.MODEL_PROPERTIES))
    solver.step(state, state, None, None, 0.01)
    assert state.body_qd.numpy()[0, 2] == pytest.approx(-0.2981, rel=1e-3)


# -- what is refused


def test_what_the_device_does_not_honour_is_named():
    model = dogs()
    with pytest.raises(mc.NotSupportedError, match="SolverXPBD does not step on host"):
        mc.solvers.SolverXPBD(model)
    with pytest.raises(mc.NotSupportedError, match="sleeping"):
        mc.solvers.SolverSoftStep(model, sleeping=True)
    solver, state = mc.solvers.SolverSoftStep(model), model.state()
    with pytest.raises(mc.NotSupportedError, match="joint_act"):
        model.control().joint_act
    with pytest.raises(mc.NotSupportedError, match="observables"):
        solver.step(state, state, None, None, 0.01, observables=object())
    with pytest.raises(mc.NotSupportedError, match="checkpoint"):
        solver.checkpoint()
    with pytest.raises(ValueError, match="dt is 0"):
        solver.step(state, state, None, None, 0.0)
    with pytest.raises(ValueError, match="of another model"):
        solver.step(state, dogs(worlds=2).state(), None, None, 0.01)
    soft = mc.ModelBuilder()
    soft.add_particle((0, 0, 1), (0, 0, 0), 1.0)
    with pytest.raises(mc.NotSupportedError, match="particle"):
        mc.solvers.SolverSoftStep(soft.finalize(device="host"))
    with pytest.raises(ValueError, match="DEV_NAME"):
        model.to("tpu")
    with pytest.raises(RuntimeError, match="report"):
        mc.solvers.SolverSoftStep(dogs(device=None)).device_report()


def test_without_a_gpu_the_message_says_what_is_missing():
    """By a program of its own, whose driver is none: NotSupportedError names the library"""
    text = "import mechane as mc\ntry:\n    mc.ModelBuilder().finalize(device='cuda:0')\nexcept mc.NotSupportedError as e:\n    print(e.code, e)\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, "MECHANE_CUDA_DRIVER": "/nowhere/libcuda.so.1"})
    assert done.stdout.startswith("DEV_UNAVAILABLE") and "cuda:0: no CUDA device" in done.stdout and "/nowhere/libcuda.so.1" in done.stdout, done.stdout + done.stderr


# -- arrays


def test_arrays_of_a_device_have_the_methods_of_warps():
    state = dogs(worlds=2).state()
    q = state.body_q
    assert q.shape == (4, 7) and q.ndim == 2 and q.size == 28 and len(q) == 4 and q.nbytes == 112 and q.ptr and not q.requires_grad
    rows = np.arange(28, dtype=np.float32).reshape(4, 7)
    assert q.assign(rows) is q and q.list() == rows.tolist()
    part = q[1:3]
    part.fill_(5)
    assert q.numpy()[:, 0].tolist() == [0, 5, 5, 21]
    q[3] = range(7)
    assert q[3].numpy().tolist() == list(range(7)) and q[-1].ptr == q.ptr + 3 * 28
    q.fill_(np.arange(7))
    assert q.numpy().tolist() == [list(range(7))] * 4
    copy = q.clone()
    q.zero_()
    assert not q.numpy().any() and copy.numpy().any()
    assert isinstance(q.to("cpu"), mc.Array) and q.to("host") is q
    assert np.array_equal(mc.ModelBuilder().finalize().state().body_q.to("host").numpy(), np.zeros((0, 7)))
    state.joint_q = np.ones(state.joint_coord_count)
    assert state.joint_q.numpy().tolist() == [1.0] * state.joint_coord_count
    for wrong, kind in ((lambda: q.assign([1, 2]), ValueError), (lambda: q[::2], TypeError), (lambda: q[9], IndexError), (lambda: q[[0, 1]], TypeError)):
        with pytest.raises(kind):
            wrong()


def test_numpy_shares_the_memory_of_the_host_executor_by_dlpack():
    state = dogs(worlds=1).state()
    shared = np.from_dlpack(state.joint_q)
    assert shared.ctypes.data == state.joint_q.ptr and state.joint_q.__dlpack_device__() == (1, 0)
    state.joint_q.fill_(3)
    assert (shared == 3).all()
    assert np.asarray(state.joint_q).tolist() == shared.tolist()
    assert not hasattr(state.joint_q, "__cuda_array_interface__")
    kept = np.from_dlpack(dogs(worlds=1).state().body_q)  # outlives its state
    assert kept.shape == (2, 7) and np.isfinite(kept).all()


def test_states_and_models_of_a_device_are_copied_and_pickled():
    model = dogs(worlds=2)
    state = model.state()
    state.joint_q.fill_(0.25)
    state.time = 1.5
    copy = state.copy()
    state.joint_q.zero_()
    assert copy.joint_q.numpy().tolist() == [0.25] * 16 and copy.time == 1.5
    again = pickle.loads(pickle.dumps(copy))
    assert again.device == "host" and again.joint_q.numpy().tolist() == [0.25] * 16 and again.time == 1.5
    assert pickle.loads(pickle.dumps(model)).device == "host"
    host = model.to("cpu").state()
    host.assign(copy)
    assert host.joint_q.tolist() == [0.25] * 16
    state.assign(host)
    assert state.joint_q.numpy().tolist() == [0.25] * 16


def test_a_model_for_two_devices_is_one_set_of_numbers():
    model = pendulum(2).finalize()
    other = model.to("host")
    assert model.device == "cpu" and other.device == "host" and other.to("cpu").device == "cpu" and model.to("cpu") is model
    model.body_mass[0] = 4.0
    assert other.body_mass[0] == 4.0 and isinstance(model.state(), mc.State) and isinstance(other.state(), mc.State)


# -- capture


def loop(model, solver, states, contacts, control, substeps):
    a, b = states
    model.collide(a, contacts)
    for _ in range(substeps):
        solver.step(a, b, control, contacts, 1 / 240)
        a, b = b, a


@pytest.mark.parametrize("device", ["cpu", "host"])
def test_a_graph_gives_the_bits_of_the_loop(device):
    """Seed 003: collide and an even number of steps with states that are swapped, captured once, launched 60 times"""
    model = dogs(worlds=2, device=device)
    solver, states, contacts, control = mc.solvers.SolverSoftStep(model), (model.state(), model.state()), model.contacts(), model.control()
    before = np.array(states[0].joint_q.numpy())
    with mc.capture() as scope:
        loop(model, solver, states, contacts, control, 4)
    assert np.array_equal(states[0].joint_q.numpy(), before) and scope.graph.calls == 5  # nothing was done
    for _ in range(60):
        mc.capture_launch(scope.graph)
    other, plain = mc.solvers.SolverSoftStep(model), (model.state(), model.state())
    contacts = model.contacts()
    for _ in range(60):
        loop(model, other, plain, contacts, control, 4)
    for name in ("joint_q", "joint_qd", "body_q", "body_qd"):
        assert np.array_equal(getattr(states[0], name).numpy(), getattr(plain[0], name).numpy()), name
    assert states[0].time == plain[0].time == pytest.approx(1.0)
    assert scope.graph.kind == "calls"


def test_a_graph_holds_what_the_program_names_and_reads_what_is_there():
    model = dogs(worlds=1, device="cpu")
    solver, a, b, control = mc.solvers.SolverSoftStep(model), model.state(), model.state(), model.control()
    seen = []
    with mc.ScopedCapture() as scope:
        a.clear_forces()
        control.joint_f.fill_(0.5)
        solver.step(a, b, control, None, 0.01)
        a.assign(b)
        scope.call(seen.append, 1)
    assert not control.joint_f.any() and not seen
    a.body_f[...] = 1
    for _ in range(3):
        scope.graph.launch()
    assert seen == [1, 1, 1] and (control.joint_f == 0.5).all() and not a.body_f.any() and a.time == pytest.approx(0.03)


def test_captures_are_used_once_and_one_at_a_time():
    with mc.capture() as scope:
        with pytest.raises(RuntimeError, match="do not nest"):
            with mc.capture():
                pass
        with pytest.raises(RuntimeError, match="while another one is captured"):
            mc.Graph([]).launch()
    with pytest.raises(RuntimeError, match="used once"):
        scope.__enter__()
    with pytest.raises(RuntimeError, match="inside"):
        scope.call(print)
    with pytest.raises(TypeError, match="graph"):
        mc.capture_launch(3)
    with pytest.raises(ZeroDivisionError):
        with mc.capture() as broken:
            1 / 0
    assert broken.graph is None
    with mc.capture():
        pass  # the one before has ended


def test_a_solver_of_ones_own_is_captured_too():
    class Still(mc.solvers.SolverBase):
        steps = 0

        def step(self, state_in, state_out, control, contacts, dt, *, observables=None):
            self.steps += 1

    model = dogs(worlds=1, device="cpu")
    solver, state = Still(model), model.state()
    with mc.capture() as scope:
        solver.step(state, state, None, None, 0.01)
    assert solver.steps == 0
    scope.graph.launch()
    assert solver.steps == 1


def test_rollout_goes_frame_by_frame_on_a_device():
    model = dogs(worlds=1)
    state, other = model.state(), model.state()
    out = mc.solvers.SolverSoftStep(model).rollout(state, 5, 1 / 50, substeps=2, record=True)
    solver = mc.solvers.SolverSoftStep(model)
    for _ in range(10):
        solver.step(other, other, None, None, 1 / 100)
    assert out["body_q"].shape == (6, 2, 7) and np.array_equal(out["body_q"][-1], other.body_q.numpy()) and not out["diverged"]


def test_kinematics_and_views_read_states_of_a_device():
    model = dogs(worlds=1)
    state = model.state()
    assert model.total_energy(state) == pytest.approx(model.total_energy(state.to("cpu")))
    assert model.momentum(state)[0] == pytest.approx((0, 0, 0))
    q, qd = np.zeros(model.joint_coord_count, np.float32), np.zeros(model.joint_dof_count, np.float32)
    mc.eval_ik(model, state, q, qd)
    assert np.allclose(q, state.joint_q.numpy(), atol=1e-6)
    with pytest.raises(ValueError):
        state._np("joint_q")[0] = 1  # a copy: writing to it would be lost
    assert "host" in repr(state) and "host" in repr(state.joint_q)

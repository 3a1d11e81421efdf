"""Arrays in the hands of other libraries."""
import pickle
import subprocess
import sys
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import pendulum


def have(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


warp = pytest.mark.skipif(not have("warp"), reason="warp is not installed")


def test_dlpack_shares_memory():
    """NumPy's side; torch's is the same protocol"""
    state = pendulum(2).finalize().state()
    other = np.from_dlpack(state.body_q)
    assert np.shares_memory(other, state.body_q) and other.tolist() == state.body_q.tolist()


@warp
def test_warp_arrays_alias_the_state():
    """dtype and shape as Warp counts them; what is written through them is seen by the library (PYA-018)"""
    import warp as wp

    model = pendulum(2).finalize()
    state = model.state()
    mc.interop.use_warp(True)
    try:
        q = state.body_q
        assert isinstance(q, wp.array) and q.dtype is wp.transform and q.shape == (2,) and state.body_q is q
        assert state.joint_q.dtype is wp.float32 and model.body_inertia.dtype is wp.mat33 and state.body_qd.dtype is wp.spatial_vector
        numbers = state.joint_q
        numbers.numpy()[0] = 0.5
    finally:
        mc.interop.use_numpy()
    assert state.joint_q[0] == 0.5
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    assert q.numpy().tolist() == state.body_q.tolist()


@warp
def test_arrays_that_were_handed_out_stay_as_they_are():
    """(PYA-019)"""
    import warp as wp

    state = pendulum(2).finalize().state()
    before = state.body_q
    with mc.interop.context(arrays="warp"):
        during = state.body_q
        assert isinstance(during, wp.array)
    assert state.body_q is before and isinstance(before, mc.Array) and isinstance(during, wp.array)
    before[0, 2] = 7
    assert during.numpy()[0, 2] == 7


def test_what_a_capture_of_warp_does_not_hold_is_said(monkeypatch):
    """Newton's examples step inside of `wp.ScopedCapture` and launch the graph from then on: nothing would move (stand-in for warp)"""
    import types

    model = pendulum(2).finalize()
    solver, state, contacts = mc.solvers.SolverSoftStep(model), model.state(), model.contacts()
    device = types.SimpleNamespace(is_capturing=True)
    monkeypatch.setitem(sys.modules, "warp._src.context", types.SimpleNamespace(runtime=types.SimpleNamespace(device_map={"cpu": device})))
    with pytest.warns(mc.MechaneWarning, match="PYTHON_WARP_CAPTURE: CollisionPipeline.collide"):
        model.collide(state, contacts)
    with pytest.warns(mc.MechaneWarning, match="PYTHON_WARP_CAPTURE: SolverBase.step"):
        solver.step(state, state, None, contacts, 1 / 60)
    device.is_capturing = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.step(state, state, None, model.collide(state, contacts), 1 / 60)
    assert state.time == pytest.approx(2 / 60)


def test_a_mesh_becomes_one_of_warps():
    """`Mesh.finalize` gives the id of a `warp.Mesh`, the same one until the mesh changes; without warp it says what is missing"""
    mesh = mc.Mesh.create_box(0.5, 0.5, 0.5)
    if not have("warp"):
        with pytest.raises(NotImplementedError, match="Warp"):
            mesh.finalize()
        return
    import warp as wp

    first = mesh.finalize()
    assert first == mesh.finalize("cpu") == int(mesh.mesh.id) and isinstance(mesh.mesh, wp.Mesh)
    assert np.allclose(mesh.mesh.points.numpy(), mesh.vertices) and mesh.mesh.indices.numpy().tolist() == mesh.indices.tolist()
    kept = mesh.mesh
    mesh.vertices = 2 * mesh.vertices
    mesh.finalize()
    assert mesh.mesh is not kept and np.allclose(mesh.mesh.points.numpy(), 2 * kept.points.numpy())
    assert pickle.loads(pickle.dumps(mesh)) == mesh
    mesh.indices[0] = 1000
    with pytest.raises(ValueError, match="1000"):
        mesh.finalize()

"""Mass matrices, forces, Jacobians and poses of the corpus robots are those of Pinocchio and MuJoCo.

Needs a Python that has them: environment variable MECHANE_ORACLE_PYTHON, else the one that runs the tests.
"""
import collections
import os
import pathlib
import subprocess
import sys

import mechane as mc
import numpy as np
import pytest
from mechane.core.array import REAL

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = pathlib.Path(os.environ.get("MECHANE_CORPUS", HERE.parents[2] / "shared" / "corpus"))
ORACLE = os.environ.get("MECHANE_ORACLE_PYTHON", sys.executable)
ARRAYS = ("joint_type", "joint_parent", "joint_child", "joint_X_p", "joint_X_c", "joint_q_start", "joint_qd_start", "joint_axis", "joint_dof_dim",
          "joint_armature", "articulation_start", "articulation_end", "articulation_world", "body_flags", "body_mass", "body_com", "body_inertia")
#: What computing in double leaves of numbers of one robot, relative to the largest of a kind; the model's own numbers are rounded to
#: single precision in the usual build, and poses of a state as well, along a tree of up to thirty links.
TOLERANCE = 1e-9 if REAL == np.float64 else 1e-4


def have(peer):
    return subprocess.run([ORACLE, "-c", f"import numpy, {peer}"], capture_output=True).returncode == 0


def robots():
    """Stages of the corpus; what lies in a folder Payload is part of the one beside it."""
    found = [*CORPUS.glob("robots-*/**/*.usd*"), *CORPUS.glob("newton/examples/assets/*.usd*")] if CORPUS.is_dir() else []
    return sorted(stage for stage in found if "Payload" not in stage.parts)


def moving(stage, seed):
    """The model of a stage, a state away from its start, and accelerations; None where it has no articulation."""
    builder = mc.ModelBuilder()
    try:
        builder.add_usd(str(stage))
    except (ValueError, RuntimeError):  # a layer of materials, or a stage without physics
        return None
    model = builder.finalize()
    if not model.articulation_count or not model.joint_dof_count:
        return None
    state, rng = model.state(), np.random.default_rng(seed)
    q = np.asarray(state.joint_q) + rng.uniform(-1, 1, model.joint_coord_count)
    starts, kinds = np.asarray(model.joint_q_start), np.asarray(model.joint_type)
    for j, kind in enumerate(kinds):
        turn = {mc.JointType.FREE: slice(3, 7), mc.JointType.DISTANCE: slice(3, 7), mc.JointType.BALL: slice(0, 4)}.get(int(kind))
        if turn:
            part = q[starts[j]:starts[j + 1]]
            part[turn] /= np.linalg.norm(part[turn])
    state.joint_q.assign(q)
    state.joint_qd.assign(rng.uniform(-1, 1, model.joint_dof_count))
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    return model, state, rng.uniform(-1, 1, model.joint_dof_count).astype(REAL)


def check(name, ours, theirs):
    scale = max(np.abs(theirs).max(initial=0), 1e-3)
    error = np.abs(np.asarray(ours, float) - theirs).max(initial=0) / scale
    assert error < TOLERANCE, f"{name}: {error:.3g} of {scale:.3g}"


def dofs(model, articulation):
    starts = np.asarray(model.joint_qd_start)
    return slice(int(starts[int(model.articulation_start[articulation])]), int(starts[int(model.articulation_end[articulation])]))


@pytest.fixture(scope="module")
def motions(tmp_path_factory):
    """Models, states and accelerations of all robots; their arrays lie in the folder."""
    folder, out = tmp_path_factory.mktemp("robots"), []
    for seed, stage in enumerate(robots()):
        found = moving(stage, seed)
        if not found:
            continue
        model, state, qdd = found
        arrays = {name: np.asarray(getattr(model, name)) for name in ARRAYS}
        np.savez(folder / str(len(out)), qdd=qdd, joint_q=np.asarray(state.joint_q), joint_qd=np.asarray(state.joint_qd),
                 gravity=np.asarray(model.gravity).reshape(-1, 3), **arrays)
        out.append((stage.relative_to(CORPUS), model, state, qdd))
    return folder, out


def compare(model, state, qdd, theirs):
    """Raises where an articulation differs; how many were compared, and why others were not."""
    compared, missing = 0, []
    M, gravity, coriolis = (np.asarray(x) for x in mc.eval_inverse_dynamics_passive(model, state))
    tau = np.zeros((model.articulation_count, model.max_dofs_per_articulation), REAL)
    mc.eval_inverse_dynamics_force(model, state, mass_matrix=M, joint_qdd=qdd, coriolis_force=coriolis, gravity_force=gravity, joint_f=tau)
    J = np.asarray(mc.eval_jacobian(model, state))
    try:
        solved = np.asarray(mc.forward_dynamics(model, state, tau), float)
    except np.linalg.LinAlgError:
        solved = None
    for a in range(model.articulation_count):
        if f"said{a}" in theirs:
            missing.append(str(theirs[f"said{a}"]))
            continue
        expected = {name: theirs[f"{name}{a}"] for name in ("M", "bias", "tau", "X", "J")}
        n, first, last = len(expected["M"]), int(model.articulation_start[a]), int(model.articulation_end[a])
        poses = np.array(state.body_q)[np.asarray(model.joint_child)[first:last]]
        poses[:, 3:] *= np.sign((poses[:, 3:] * expected["X"][:, 3:]).sum(axis=1))[:, None]
        check("poses", poses, expected["X"])
        check("Jacobians", J[a, :6 * (last - first), :n], expected["J"].reshape(-1, n))
        check("mass matrix", M[a, :n, :n], expected["M"])
        check("bias", gravity[a, :n] + coriolis[a, :n], expected["bias"])
        check("inverse dynamics", tau[a, :n], expected["tau"])
        if solved is not None:
            check("forces of forward dynamics", expected["M"] @ solved[a, :n], expected["M"] @ qdd[dofs(model, a)])
        compared += 1
    return compared, missing


@pytest.mark.skipif(not robots(), reason="no corpus")
@pytest.mark.parametrize("peer", ["pinocchio", "mujoco"])
def test_the_dynamics_of_corpus_robots_are_those_of_a_peer(peer, motions):
    """(DYN-036, DYN-037)"""
    if not have(peer):
        pytest.skip(f"{peer} is not installed")
    folder, robots = motions
    done = subprocess.run([ORACLE, str(HERE / "dynamics_peers.py"), peer, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    total, faults, without = 0, [], collections.Counter()
    for i, (stage, model, state, qdd) in enumerate(robots):
        try:
            compared, missing = compare(model, state, qdd, dict(np.load(folder / f"{i}.{peer}.npz")))
        except AssertionError as fault:
            faults.append(f"{stage}: {fault}")
        else:
            total += compared
            without.update(missing)
    print(f"{peer}: {total} articulations alike; without a counterpart: {dict(without)}")
    assert not faults, "\n".join(faults)
    assert total > 50

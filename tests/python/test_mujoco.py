"""SolverMuJoCo: its mjModel beside MuJoCo's own compile of an MJCF and beside Newton's SolverMuJoCo of a stage, and its rollouts beside mj_step.

Without MuJoCo's library these tests are skipped and say so. The comparisons need a Python that has `mujoco`, and for stages `newton`: environment
variable MECHANE_ORACLE_PYTHON, else the one that runs the tests.
"""
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import mechane as mc
from mechane import _core
from mechane.model.mujoco_solver import mujoco_problem

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = pathlib.Path(os.environ.get("MECHANE_CORPUS", ROOT.parent / "shared" / "corpus"))
ORACLE = os.environ.get("MECHANE_ORACLE_PYTHON", sys.executable)
PROBLEM = mujoco_problem()

needs_mujoco = pytest.mark.skipif(bool(PROBLEM), reason="no mujoco")


@functools.cache
def peer_version(package):
    found = subprocess.run([ORACLE, "-c", f"import {package}; print({package}.__version__)"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


def peer(what, file, *more):
    """What the oracle says; None where it cannot read the file."""
    if not peer_version("newton" if what == "newton" else "mujoco"):
        pytest.skip(f"no {'newton' if what == 'newton' else 'mujoco'} in MECHANE_ORACLE_PYTHON")
    done = subprocess.run([ORACLE, str(HERE / "mujoco_peer.py"), what, str(file), *map(str, more)], capture_output=True, text=True, timeout=600)
    return json.loads(done.stdout.rpartition("@@")[2]) if done.returncode == 0 and "@@" in done.stdout else None


def solver_of(source, compat=None, registered=True, **options):
    """`registered`: MuJoCo's attributes are declared in the builder and read by the package; else the library reads them."""
    builder = mc.ModelBuilder()
    if registered:
        mc.solvers.SolverMuJoCo.register_custom_attributes(builder)
    (builder.add_mjcf if str(source).endswith(".xml") or str(source).lstrip().startswith("<") else builder.add_usd)(str(source))
    model = builder.finalize()
    return mc.solvers.SolverMuJoCo(model, compat=compat, **options)


def ours(solver):
    fields = {name: np.asarray(values) for name, values in solver._core.mujoco_fields(0).items()}
    fields["names"] = {kind: solver._core.mujoco_names(0, kind) for kind in ("body", "joint", "geom", "equality", "actuator")}
    return fields


def theirs(answer):
    return {name: value if name in ("names", "opt") else np.asarray(value, dtype=float).reshape(len(value), -1) if value else np.zeros((0, 1))
            for name, value in answer.items()}


def matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def short(name):
    """The last part of a name: ours are paths, whose slashes became underscores."""
    return re.sub(r"_\d+$", "", name)


def pairs(own, other, kind):
    """(our id, their id) of things whose name ends as theirs does. Names that two of theirs share match nothing."""
    out, rows = [], own["names"][kind]
    wanted = {name: i for i, name in enumerate(other["names"][kind]) if name}
    for name, i in wanted.items():
        plain = name.replace("/", "_")
        found = [k for k, row in enumerate(rows) for base in {row, short(row)} if base == plain or base.replace("/", "_").endswith("_" + plain)]
        if len(set(found)) == 1:
            out.append((found[0], i))
    return out


def inertia(m, b):
    R = matrix(m["body_iquat"][b])
    return R @ np.diag(m["body_inertia"][b]) @ R.T


def close(a, b, what, tolerance=1e-6):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert np.all(np.abs(a - b) <= tolerance * np.maximum(1, np.abs(b))), f"{what}: {a.tolist()} against {b.tolist()}"


def geom_frame(m, g):
    """Where the geom is in its body; MuJoCo moves meshes to their own inertial frame, which is taken back."""
    p, R = m["geom_pos"][g], matrix(m["geom_quat"][g])
    if m["geom_type"][g, 0] == 7:
        k = int(m["geom_dataid"][g, 0])
        R = R @ matrix(m["mesh_quat"][k]).T
        p = p - R @ m["mesh_pos"][k]
    return p, R


def same_bodies(own, other, bodies):
    for a, b in bodies:
        name = other["names"]["body"][b]
        close(own["body_mass"][a], other["body_mass"][b], f"mass of {name}")
        close(own["body_ipos"][a], other["body_ipos"][b], f"centre of mass of {name}")
        if np.max(other["body_inertia"][b]) < 1e-6:
            continue  # so small that building the model repairs it
        scale = max(1.0, float(np.max(other["body_inertia"][b])))
        close(inertia(own, a) / scale, inertia(other, b) / scale, f"inertia of {name}")


#: Numbers of joints that are equal whoever compiles, and how far.
JOINT_FIELDS = ("jnt_type", "jnt_pos", "jnt_axis", "jnt_stiffness", "jnt_limited", "jnt_margin", "jnt_solimp")
GEOM_FIELDS = ("geom_type", "geom_friction", "geom_solref", "geom_solimp", "geom_condim", "geom_priority", "geom_margin", "geom_solmix")


def same_joints(own, other, joints, limits=True):
    for a, b in joints:
        name = other["names"]["joint"][b]
        for field in JOINT_FIELDS:
            if field == "jnt_axis" and other["jnt_type"][b, 0] < 2:
                continue
            close(own[field][a], other[field][b], f"{field} of {name}")
        if other["jnt_limited"][b, 0] and other["jnt_type"][b, 0] >= 2:
            close(own["jnt_range"][a], other["jnt_range"][b], f"range of {name}")
            if limits:
                close(own["jnt_solref"][a], other["jnt_solref"][b], f"solref of {name}", 1e-5)
        dof = [int(np.flatnonzero(m["dof_jntid"][:, 0] == j)[0]) for m, j in ((own, a), (other, b))]
        for field in ("dof_armature", "dof_damping", "dof_frictionloss"):
            close(own[field][dof[0]], other[field][dof[1]], f"{field} of {name}")


def same_geoms(own, other, geoms, fields=GEOM_FIELDS):
    for a, b in geoms:
        name = other["names"]["geom"][b]
        for field in fields:
            close(own[field][a], other[field][b], f"{field} of {name}")
        if other["geom_type"][b, 0] not in (0, 1, 7):
            size = {2: 1, 3: 2, 5: 2}.get(int(other["geom_type"][b, 0]), 3)
            close(own["geom_size"][a][:size], other["geom_size"][b][:size], f"size of {name}")
        for x, y in zip(geom_frame(own, a), geom_frame(other, b)):
            close(x, y, f"frame of {name}", 2e-6)


ROBOT = """
<mujoco model="robot">
  <compiler angle="radian" autolimits="true"/>
  <default><geom friction="0.7 0.01 0.002" solref="0.03 0.9" solimp="0.8 0.9 0.002 0.4 3" condim="4"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="base" pos="0 0 0.5" quat="0.9 0.1 0.2 0.3">
      <freejoint name="root"/>
      <inertial pos="0.01 0.02 -0.03" mass="3" fullinertia="0.03 0.04 0.05 0.001 0.002 -0.003"/>
      <geom name="hull" type="box" size="0.2 0.1 0.05" pos="0 0 0.1" quat="0.8 0 0.6 0"/>
      <body name="upper" pos="0.2 0.05 0" quat="0.7 0.1 0 0.3">
        <joint name="shoulder" type="hinge" axis="0.1 0.9 0.2" pos="0.01 0 0.02" range="-1.2 0.8" damping="0.4" armature="0.02" frictionloss="0.1"
               stiffness="3" springref="0.1" solreflimit="0.04 0.8" solimplimit="0.7 0.9 0.01 0.5 2"/>
        <geom name="upper_geom" type="capsule" size="0.03" fromto="0 0 0 0 0.1 -0.2" mass="0.8"/>
        <body name="lower" pos="0 0.1 -0.2">
          <joint name="slider" type="slide" axis="0 0.2 -1" range="-0.1 0.2" damping="2"/>
          <geom name="lower_geom" type="cylinder" size="0.02 0.08" pos="0 0 -0.08" density="700" margin="0.001"/>
          <body name="tip" pos="0 0 -0.16">
            <joint name="ball" type="ball" damping="0.05"/>
            <geom name="tip_geom" type="ellipsoid" size="0.03 0.02 0.04" mass="0.1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="shoulder" kp="40" kv="2" ctrlrange="-1 1"/>
    <velocity name="pusher" joint="slider" kv="30"/>
  </actuator>
</mujoco>
"""


def mjcf_sources():
    own = [pytest.param(None, id="robot"), *(pytest.param(p, id=p.stem) for p in sorted((ROOT / "samples" / "convert").glob("*.xml")))]
    return own


def check_mjcf(file):
    answer = peer("compile", file)
    if answer is None:
        pytest.skip("MuJoCo cannot read it")
    own, other = ours(solver_of(file)), theirs(answer)
    bodies, joints, geoms = (pairs(own, other, kind) for kind in ("body", "joint", "geom"))
    assert bodies
    same_bodies(own, other, bodies)
    same_joints(own, other, joints)
    same_geoms(own, other, geoms)
    of = dict(bodies)
    # Of joints with a `ref` MuJoCo's reference configuration is there, ours where the coordinate is 0.
    turned = {int(other["jnt_bodyid"][j, 0]) for j in range(len(other["jnt_type"])) if other["jnt_type"][j, 0] >= 2
              and other["qpos0"][int(other["jnt_qposadr"][j, 0]), 0] != 0}
    for a, b in bodies:  # frames, where the parents are the same
        if b in turned:
            continue
        parents = int(own["body_parentid"][a, 0]), int(other["body_parentid"][b, 0])
        if parents == (0, 0) or of.get(parents[0]) == parents[1]:
            close(own["body_pos"][a], other["body_pos"][b], "place of " + other["names"]["body"][b], 2e-6)
            close(matrix(own["body_quat"][a]), matrix(other["body_quat"][b]), "turn of " + other["names"]["body"][b], 2e-6)
    return own, other, bodies, joints, geoms


@needs_mujoco
@pytest.mark.parametrize("file", mjcf_sources())
def test_the_model_of_an_mjcf_is_the_one_that_mujoco_compiles(file, tmp_path):
    """Masses, inertias, frames, limits, gains and geoms, matched by name, within 1e-6 (DYN 4.5)"""
    own_file = file is None
    if own_file:
        file = tmp_path / "robot.xml"
        file.write_text(ROBOT)
    own, other, bodies, joints, geoms = check_mjcf(file)
    if own_file:
        assert len(bodies) == 5 and len(joints) == 3 and len(geoms) == 5  # the world is a body; free joints have no name of their own
        assert own["actuator_gainprm"][:, 0].tolist() == [40, 30] == other["actuator_gainprm"][:, 0].tolist()
        close(own["actuator_biasprm"][:, :3], other["actuator_biasprm"][:, :3], "bias of the servos")


def corpus_mjcf():
    folder = CORPUS / "robots-mjcf"
    found = sorted(p for p in folder.rglob("*.xml") if "<worldbody" in p.read_text(errors="replace") and "<include" not in p.read_text(errors="replace")) if folder.is_dir() else []
    return [pytest.param(p, id=str(p.relative_to(folder))) for p in found]


@needs_mujoco
@pytest.mark.skipif(not (CORPUS / "robots-mjcf").is_dir(), reason="no corpus")
@pytest.mark.parametrize("file", corpus_mjcf())
def test_the_models_of_the_corpus_are_those_that_mujoco_compiles(file):
    try:
        check_mjcf(file)
    except mc.MechaneError as refused:
        # MuJoCo 4.0 does not compile every source that 3.17 compiles (arm26: "Lengthrange computation did not converge").
        if "its compiler refuses" not in str(refused) or peer_version("mujoco") == _core.mujoco_library()["version"]:
            raise
        pytest.skip(f"MuJoCo {_core.mujoco_library()['version']} does not compile it, {peer_version('mujoco')} does")


PULLED = """
<mujoco model="pulled">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" type="hinge" axis="0 1 0" damping="0.5" armature="0.01"/>
      <geom name="g0" type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <site name="elbow_site" pos="0.3 0 0"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0" damping="0.2" range="-1.5 1.5"/>
        <geom name="g1" type="capsule" fromto="0 0 0 0.25 0 0" size="0.025"/>
        <site name="tip" pos="0.25 0 0"/>
        <body name="hand" pos="0.25 0 0">
          <joint name="grip" type="slide" axis="0 0 1" range="-0.1 0.1"/>
          <geom name="g2" type="box" size=".02 .02 .02" mass="0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="couple" stiffness="2" damping="0.1" range="-1 1" limited="true" frictionloss="0.3">
      <joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/>
    </fixed>
    <spatial name="rope" stiffness="10" springlength="0.1 0.2">
      <site site="elbow_site"/><site site="tip"/><pulley divisor="2"/><site site="tip"/><site site="elbow_site"/>
    </spatial>
  </tendon>
  <equality><joint joint1="grip" joint2="elbow" polycoef="0.01 0.02 0.005 0 0" solref="0.01 0.9" solimp="0.8 0.9 0.002 0.4 3"/></equality>
  <actuator>
    <motor name="m" joint="shoulder" gear="15" ctrlrange="-1 1"/>
    <general name="g" joint="grip" gainprm="5" biastype="affine" biasprm="1 -2 -0.5" dyntype="filter" dynprm="0.1" ctrlrange="-2 2" forcerange="-4 4"/>
    <motor name="t" tendon="couple" gear="3"/>
    <general name="s" site="tip" gear="0 0 1 0 0.1 0"/>
    <damper name="d" joint="elbow" kv="0.7" ctrlrange="0 1"/>
  </actuator>
</mujoco>
"""

#: Numbers of actuators and tendons, which stand in the order of the file.
ACTUATOR_FIELDS = ("actuator_trntype", "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm",
                   "actuator_gear", "actuator_ctrllimited", "actuator_ctrlrange", "actuator_forcelimited", "actuator_forcerange")
TENDON_FIELDS = ("tendon_stiffness", "tendon_damping", "tendon_range", "tendon_limited", "tendon_frictionloss", "tendon_lengthspring", "wrap_type", "wrap_prm")


@needs_mujoco
@pytest.mark.parametrize("registered", [False, True])
def test_motors_tendons_and_equalities_of_an_mjcf_are_in_the_model_that_is_stepped(registered, tmp_path):
    """Actuators with their laws and limits, tendons with their paths and springs, equalities with their softness, beside MuJoCo's own compile (DYN 4.5)"""
    file = tmp_path / "pulled.xml"
    file.write_text(PULLED)
    answer = peer("compile", file)
    own, other = ours(solver_of(file, registered=registered)), theirs(answer)
    for field in (*ACTUATOR_FIELDS, *TENDON_FIELDS):
        assert own[field].shape[0] == other[field].shape[0], field
        close(own[field][:, :other[field].shape[1]], other[field], field)
    joints = dict(pairs(own, other, "joint"))
    for i, kind in enumerate(other["actuator_trntype"][:, 0]):
        if kind == 0:
            assert joints[int(own["actuator_trnid"][i, 0])] == int(other["actuator_trnid"][i, 0])
    assert own["eq_type"].tolist() == other["eq_type"].tolist() == [[2]]
    assert [joints[int(own[f"eq_obj{k}id"][0, 0])] for k in (1, 2)] == [int(other[f"eq_obj{k}id"][0, 0]) for k in (1, 2)]
    close(own["eq_data"][0, :5], other["eq_data"][0, :5], "polynomial")
    close(own["eq_solref"], other["eq_solref"], "solref of the equality")
    close(own["eq_solimp"], other["eq_solimp"], "solimp of the equality")


TWO_AXES = """
<mujoco model="shoulder">
  <compiler angle="radian"/>
  <worldbody>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="box" type="box" size="0.1 0.1 0.2"/>
      <body name="arm" pos="0.1 0 0.2">
        <joint name="swing" type="hinge" axis="0 1 0" range="-1 1" damping="0.1"/>
        <joint name="twist" type="hinge" axis="0 0 -1" range="-1 1" damping="0.2"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both" stiffness="2"><joint joint="swing" coef="1"/><joint joint="twist" coef="-0.5"/></fixed>
    <fixed name="one"><joint joint="twist" coef="3"/></fixed>
  </tendon>
  <actuator>
    <motor name="m_swing" joint="swing" gear="15"/>
    <motor name="m_twist" joint="twist" gear="7"/>
    <motor name="m_both" tendon="both" gear="3"/>
    <position name="p_one" tendon="one" kp="5"/>
  </actuator>
</mujoco>
"""


@needs_mujoco
@pytest.mark.parametrize("registered", [False, True])
def test_motors_and_tendons_of_bodies_with_several_joints_are_there(registered, tmp_path):
    """Several joints of a body are one joint of several axes here; each motor and each part of a tendon means one of them (DYN 4.5)"""
    file = tmp_path / "shoulder.xml"
    file.write_text(TWO_AXES)
    solver = solver_of(file, registered=registered)
    own, other = ours(solver), theirs(peer("compile", file))
    assert len(own["actuator_trntype"]) == 4 and len(own["tendon_stiffness"]) == 2
    mujoco = pytest.importorskip("mujoco", reason="mj_model needs the Python package of MuJoCo")
    m = solver.mj_model
    x, rng = mujoco.MjModel.from_xml_path(str(file)), np.random.default_rng(3)
    signs = np.sign((m.jnt_axis[-2:] * x.jnt_axis[-2:]).sum(axis=1))  # an axis may be the opposite one, and its coordinate with it
    for _ in range(5):
        q, found = rng.uniform(-1, 1, 2), []
        for model, sign in ((m, signs), (x, np.ones(2))):
            d = mujoco.MjData(model)
            d.qpos[-2:], d.ctrl[:] = q * sign, (1, 2, 4, 0.5)
            mujoco.mj_forward(model, d)
            found.append((d.qfrc_actuator[-2:] * sign, d.ten_length.copy()))
        close(found[0][0], found[1][0], "forces of motors")
        close(found[0][1], found[1][1], "lengths of tendons")
    assert np.abs(own["actuator_gear"]).tolist() == other["actuator_gear"].tolist()


@needs_mujoco
def test_copies_of_a_robot_have_motors_and_tendons_of_their_own(tmp_path):
    """Rows of MuJoCo's are copied with the joints that they name"""
    file = tmp_path / "pulled.xml"
    file.write_text(PULLED)
    one, many = mc.ModelBuilder(), mc.ModelBuilder()
    one.add_mjcf(str(file))
    many.replicate(one, 3)
    solver = mc.solvers.SolverMuJoCo(many.finalize())
    first = {k: np.asarray(v) for k, v in solver._core.mujoco_fields(0).items()}
    for world in (1, 2):
        for name, values in solver._core.mujoco_fields(world).items():
            if name.startswith(("actuator_", "tendon_", "wrap_", "eq_")):
                assert np.array_equal(first[name], values), (world, name)
    assert len(first["actuator_gear"]) == 5 and len(first["tendon_range"]) == 2


RATIO = """<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body><joint name="a" type="hinge" axis="0 1 0" range="-60 40" limited="true"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1.3"/>
      <body pos="0.4 0 0"><joint name="b" type="slide" axis="1 0 0" range="-0.2 0.6" limited="true"/><geom type="box" size="0.05 0.04 0.03" mass="0.4"/></body></body>
  </worldbody>
  <actuator>
    <position name="ratio" joint="a" kp="80" dampratio="0.7" inheritrange="0.5"/>
    <position name="own" joint="b" kp="30" kv="2" ctrlrange="-0.1 0.2"/>
    <intvelocity name="rate" joint="b" kp="20" inheritrange="1"/>
  </actuator>
</mujoco>"""


@needs_mujoco
@pytest.mark.parametrize("registered", [False, True])
def test_ratios_of_damping_and_inherited_ranges_are_what_mujoco_makes_of_them(registered, tmp_path):
    """A ratio is worked out by MuJoCo's compiler, from the inertia at the start; ranges are the joint's own, scaled about their middle"""
    file = tmp_path / "ratio.xml"
    file.write_text(RATIO)
    own, other = ours(solver_of(file, registered=registered)), theirs(peer("compile", file))
    assert other["actuator_biasprm"][0, 2] < 0
    # Servos that are drives come first here; gains tell them apart.
    rows, others = (np.argsort(-m["actuator_gainprm"][:, 0]) for m in (own, other))
    for field in ("actuator_gainprm", "actuator_biasprm", "actuator_ctrllimited", "actuator_ctrlrange"):
        close(own[field][rows, :other[field].shape[1]], other[field][others], field)


@needs_mujoco
def test_the_model_is_written_as_mjcf_that_mujoco_compiles_to_the_same_numbers(tmp_path):
    """save_to_mjcf: limits given by stiffness and damping are there as the reference that they became"""
    file, out = tmp_path / "robot.xml", tmp_path / "out.xml"
    file.write_text(PULLED)
    solver = solver_of(file, save_to_mjcf=str(out))
    own, other = ours(solver), theirs(peer("compile", out))
    same_bodies(own, other, pairs(own, other, "body"))
    joints = pairs(own, other, "joint")
    assert len(joints) == len(own["names"]["joint"]) > 2
    same_joints(own, other, joints)
    close(own["actuator_gainprm"][:, :3], other["actuator_gainprm"][:, :3], "gains", 1e-4)
    with pytest.raises(ValueError, match="is read by this run"):
        builder = mc.ModelBuilder()
        builder.add_usd(str(ROOT / "samples" / "usd" / "joint_d6.usda"))
        mc.solvers.SolverMuJoCo(builder.finalize(), save_to_mjcf=str(ROOT / "samples" / "usd" / "joint_d6.usda"))


@needs_mujoco
def test_forces_in_the_dofs_are_those_of_statics(tmp_path):
    """An arm that is held level: bias is its weight's moment, the motor carries it, and friction is a part of what constrains"""
    builder = mc.ModelBuilder()
    mc.solvers.SolverMuJoCo.register_custom_attributes(builder)
    link = builder.add_link(mass=2.0, com=(0.3, 0, 0), inertia=np.diag([0.01] * 3))
    joint = builder.add_joint_revolute(-1, link, axis=(0, 1, 0), target_q=0.0, target_ke=1e5, target_kd=1e3, friction=0.5)
    ball = builder.add_link(xform=((0, 2, 0), (0, 0, 0, 1)), mass=1.0, com=(0, 0.2, 0), inertia=np.diag([0.02] * 3))
    holder = builder.add_joint_ball(-1, ball, parent_xform=((0, 2, 0), (0, 0, math.sin(0.4), math.cos(0.4))))
    free = builder.add_body(xform=((0, 0, 5), (0, 0, 0, 1)), mass=3.0, com=(0.1, 0.2, 0.3), inertia=np.diag([0.1] * 3))
    builder.add_articulation([joint])
    builder.add_articulation([holder])
    model = builder.finalize()
    solver = mc.solvers.SolverMuJoCo(model)
    kinds = solver.ObservableKind
    found = solver.observables({kinds.QFRC_ACTUATOR, kinds.QFRC_BIAS, kinds.QFRC_CONSTRAINT, kinds.QFRC_FRICTIONLOSS})
    state = model.state()
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    solver.step(state, state, None, None, 1e-5, observables=found)
    weight = 2.0 * 9.81 * 0.3
    assert found.qfrc_bias[0] == pytest.approx(-weight, rel=1e-5)
    assert found.qfrc_frictionloss[0] == pytest.approx(found.qfrc_constraint[0], abs=1e-9) and abs(found.qfrc_frictionloss[0]) <= 0.5 + 1e-9
    # The moment of the ball's weight about its anchor, in the axes of the parent's anchor, which is turned by 0.8 rad about z.
    moment = np.cross([0.2 * -math.sin(0.8), 0.2 * math.cos(0.8), 0], [0, 0, -9.81])
    turn = np.array([[math.cos(0.8), math.sin(0.8), 0], [-math.sin(0.8), math.cos(0.8), 0], [0, 0, 1]])
    dof = int(model.joint_qd_start[holder])
    assert np.allclose(found.qfrc_bias[dof:dof + 3], -turn @ moment, atol=1e-5)
    # A free body: its weight acts at the centre of mass, without a moment.
    dof = int(model.joint_qd_start[-2])
    assert np.allclose(found.qfrc_bias[dof:dof + 6], [0, 0, 3.0 * 9.81, 0, 0, 0], atol=1e-4)
    assert free == 2


@needs_mujoco
def test_ids_of_equalities_tendons_and_actuators_lead_back_to_the_model(tmp_path):
    file = tmp_path / "pulled.xml"
    file.write_text(PULLED)
    one, many = mc.ModelBuilder(), mc.ModelBuilder()
    mc.solvers.SolverMuJoCo.register_custom_attributes(one)
    one.add_mjcf(str(file))
    many.replicate(one, 2)
    model = many.finalize()
    solver = mc.solvers.SolverMuJoCo(model)
    tendons = np.asarray(solver.mjc_tendon_to_newton_tendon)
    assert tendons.shape[0] == 2 and sorted(tendons.ravel()) == list(range(tendons.size))
    sources, rows = np.asarray(solver.mjc_actuator_ctrl_source), np.asarray(solver.mjc_actuator_to_newton_idx)
    assert len(sources) == len(rows) == 5 and set(sources.tolist()) <= {0, 1}
    for source, row in zip(sources, rows):
        assert row >= 0 if source else (row >= 0 or row <= -2)
    equalities = [np.asarray(x) for x in (solver.mjc_eq_to_newton_eq, solver.mjc_eq_to_newton_jnt, solver.mjc_eq_to_newton_joint_mimic, solver.mjc_eq_to_newton_mimic)]
    assert all(x.shape == equalities[0].shape for x in equalities)
    assert (sum((x >= 0).astype(int) for x in equalities) >= 1).all()  # each is of something


def stages():
    return [pytest.param(ROOT / "samples" / name, id=name) for name in (
        "quadruped/quadruped.usda", "usd/physx_humanoid.usda", "usd/joint_d6.usda", "usd/box_on_box.usda", "gallery/gripper.usda", "gallery/four_bar.usda")]


@needs_mujoco
@pytest.mark.parametrize("file", stages())
def test_the_model_of_a_stage_is_the_one_of_newtons_solver(file, monkeypatch):
    """Under compat newton-1.8, matched by name, within 1e-6; kinematic bodies and the frames of fixed roots aside (DYN 4.5)"""
    answer = peer("newton", file)
    if answer is None:
        pytest.skip("Newton does not convert it")
    monkeypatch.setattr(mc.config, "compat", "newton-1.8")
    own, other = ours(solver_of(file)), theirs(answer)
    bodies, joints, geoms = (pairs(own, other, kind) for kind in ("body", "joint", "geom"))
    assert len(bodies) > 1 and (len(bodies) == len(other["names"]["body"]) or len(set(other["names"]["body"])) != len(other["names"]["body"]))
    same_bodies(own, other, bodies)
    same_joints(own, other, joints)
    same_geoms(own, other, geoms)
    for name in ("integrator", "solver", "cone", "iterations", "ls_iterations", "tolerance", "impratio"):
        close(own["opt." + name].ravel(), other["opt"][name], name)


@needs_mujoco
def test_a_rollout_is_mujocos_own_step_to_the_last_digits(tmp_path):
    """The same model by mj_step: the state stays in MuJoCo between steps, so that nothing is rounded on the way"""
    if peer_version("mujoco") != _core.mujoco_library()["version"]:
        pytest.skip(f"the oracle has MuJoCo {peer_version('mujoco') or 'not at all'}")
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT)
    solver = solver_of(file)
    state, control = solver.model.state(), solver.model.control()
    mc.eval_fk(solver.model, state.joint_q, state.joint_qd, state)
    start = solver._core.mujoco_push(0, state._core)
    (tmp_path / "model.mjb").write_bytes(solver._core.mujoco_binary(0))
    track = peer("rollout", tmp_path / "model.mjb", 0.002, 300, json.dumps(list(start)))
    for expected in track:
        solver.step(state, state, control, None, 0.002)
    assert np.max(np.abs(np.asarray(solver._core.mujoco_numbers(0)) - np.asarray(track[-1]))) < 1e-9


@needs_mujoco
def test_what_goes_to_mujoco_comes_back_as_it_was(tmp_path):
    """Push and pull of drawn states are the identity, within 1e-6 (DYN 4.5)"""
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT)
    solver = solver_of(file)
    model, draw = solver.model, np.random.default_rng(11)
    for _ in range(10):
        state, back = model.state(), model.state()
        for name in ("joint_q", "joint_qd"):
            values = draw.normal(size=len(getattr(state, name)))
            getattr(state, name)[:] = values
        starts, kinds = model.joint_q_start, model.joint_type
        for j, kind in enumerate(kinds):
            if kind in (mc.JointType.FREE, mc.JointType.BALL):
                q = state.joint_q[starts[j + 1] - 4:starts[j + 1]]
                q /= np.linalg.norm(q)
        mc.eval_fk(model, state.joint_q, state.joint_qd, state)
        numbers = solver._core.mujoco_push(0, state._core)
        assert solver._core.mujoco_pull(0, list(numbers), back._core)
        signs = np.ones(len(state.joint_q))
        for j, kind in enumerate(kinds):  # a rotation is two quaternions
            if kind in (mc.JointType.FREE, mc.JointType.BALL):
                at = slice(starts[j + 1] - 4, starts[j + 1])
                signs[at] = np.sign(np.dot(state.joint_q[at], back.joint_q[at]))
        assert np.max(np.abs(back.joint_q * signs - state.joint_q)) < 1e-6
        assert np.max(np.abs(back.joint_qd - state.joint_qd)) < 2e-6
        assert np.max(np.abs(np.asarray(back.body_q)[:, :3] - np.asarray(state.body_q)[:, :3])) < 1e-6


@needs_mujoco
def test_own_contacts_are_wanted_where_they_were_asked_for_and_refused_elsewhere():
    """GAP-056"""
    builder = mc.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_body(xform=((0, 0, 0.11), (0, 0, 0, 1))), hx=0.2, hy=0.2, hz=0.1)
    model = builder.finalize()
    heights = []
    for own in (True, False):
        solver = mc.solvers.SolverMuJoCo(model, use_mujoco_contacts=own)
        state = model.state()
        contacts = model.collide(state)
        with pytest.raises(ValueError, match="contacts"):
            solver.step(state, state, None, contacts if own else None, 0.002)
        for _ in range(500):
            contacts = None if own else model.collide(state)
            solver.step(state, state, None, contacts, 0.002)
        heights.append(float(state.body_q[0][2]))
    assert abs(heights[0] - 0.1) < 1e-3 and abs(heights[0] - heights[1]) < 1e-3


@needs_mujoco
def test_options_are_words_or_numbers_and_show_in_the_model():
    builder = mc.ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.eye(3))
    model = builder.finalize()
    solver = mc.solvers.SolverMuJoCo(model, integrator="rk4", solver="cg", cone="elliptic", iterations=7, impratio=3.0, wind=(1, 2, 3))
    fields = solver._core.mujoco_fields(0)
    assert (fields["opt.integrator"].item(), fields["opt.solver"].item(), fields["opt.cone"].item()) == (1, 1, 1)
    assert fields["opt.iterations"].item() == 7 and fields["opt.impratio"].item() == 3 and fields["opt.wind"].ravel().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="integrator"):
        mc.solvers.SolverMuJoCo(model, integrator="verlet")
    assert math.isclose(fields["opt.timestep"].item(), 0.002)


def test_a_library_that_is_not_there_is_said_with_what_to_do(tmp_path):
    """PYA-067, DYN-050"""
    program = ("import mechane as mc\nb = mc.ModelBuilder()\nb.add_body(mass=1.0)\n"
               "mc.solvers.SolverMuJoCo.register_custom_attributes(b)\n"
               "try:\n    mc.solvers.SolverMuJoCo(b.finalize())\nexcept NotImplementedError as e:\n    print(type(e).__name__, e)\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "MECHANE_MUJOCO": str(tmp_path)})
    assert "NotSupportedError" in done.stdout and "SolverMuJoCo" in done.stdout, done.stdout + done.stderr

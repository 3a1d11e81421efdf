"""usage: convert_judge.py SOURCE STAGE: largest differences between MuJoCo's model of a robot and the bodies and joints of its OpenUSD."""
import json
import math
import random
import sys

import mujoco
import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics


def matrix(pos, quat):
    """Pose of (x y z) and a quaternion w x y z."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    m = np.eye(4)
    m[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                 [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    m[:3, 3] = pos
    return m


def gf(q):
    return [q.GetReal(), *q.GetImaginary()]


def angle(a, b):
    return math.acos(max(-1.0, min(1.0, (np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2))) if np.abs(a[:3, :3] - b[:3, :3]).max() > 1e-4 else float(np.abs(a[:3, :3] - b[:3, :3]).max())


source, file = sys.argv[1:]
spec = mujoco.MjSpec.from_file(source)
spec.compiler.fusestatic = False
spec.compiler.discardvisual = False
model = spec.compile()
data = mujoco.MjData(model)
stage = Usd.Stage.Open(file)
bodies = {p.GetName(): p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)}
xforms = {p.GetName(): p for p in stage.Traverse() if p.GetTypeName() == "Xform"}
joints = [UsdPhysics.Joint(p) for p in stage.Traverse() if p.IsA(UsdPhysics.Joint)]
joints = [j for j in joints if not j.GetExcludeFromArticulationAttr().Get()]
AXES = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}
worst = dict(bodies=0, moved=0, mass=0.0, inertia=0.0, position=0.0, rotation=0.0, limits=0.0)


HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


def put(key, value):
    worst[key] = max(worst[key], float(value))


def clean(name):
    out = "".join(c if c.isalnum() and c.isascii() else "_" for c in name)
    return "_" + out if out[:1].isdigit() else out


names = {b: clean(model.body(b).name) for b in range(1, model.nbody)}
of_usd = {}
merged = set()
for b, name in names.items():
    if name in bodies:
        mass = UsdPhysics.MassAPI(bodies[name])
        m = mass.GetMassAttr().Get() or 0.0
        if abs(m - model.body_mass[b]) > 1e-5 * max(model.body_mass[b], 1e-9) and not m == 0:
            merged.add(name)  # it took the mass of what is fixed to it: judged by the total below
            continue
        if m == 0:
            continue
        worst["bodies"] += 1
        put("mass", abs(m - model.body_mass[b]) / model.body_mass[b])
        own = matrix([0, 0, 0], gf(mass.GetPrincipalAxesAttr().Get()))[:3, :3]
        usd = own @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ own.T
        R = matrix([0, 0, 0], model.body_iquat[b])[:3, :3]
        mj = R @ np.diag(model.body_inertia[b]) @ R.T
        put("inertia", np.abs(usd - mj).max() / np.abs(mj).max())
        put("position", np.abs(np.array(mass.GetCenterOfMassAttr().Get()) - model.body_ipos[b]).max())

# Kinematics by the joints' frames alone.
rng = random.Random(7)
hinges = {clean(model.joint(i).name): i for i in range(model.njnt) if int(model.jnt_type[i]) in (HINGE, SLIDE)}
def source_name(joint):
    """What the source calls a joint: a link of its name takes the prim's name from it."""
    named = joint.GetPrim().GetAttribute("ros:joint:name")
    return clean(named.Get()) if named and named.HasAuthoredValue() else joint.GetPrim().GetName()


prims = {source_name(j): j.GetPrim() for j in joints}
for name, i in hinges.items():
    p = prims.get(name)
    if not p or p.GetTypeName() not in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        continue
    scale = math.pi / 180 if p.GetTypeName() == "PhysicsRevoluteJoint" else 1
    low, high = p.GetAttribute("physics:lowerLimit").Get() * scale, p.GetAttribute("physics:upperLimit").Get() * scale
    if model.jnt_limited[i]:
        put("limits", max(abs(low - model.jnt_range[i][0]), abs(high - model.jnt_range[i][1])) / max(1.0, np.abs(model.jnt_range[i]).max()))
    elif math.isfinite(low) and low < high:
        put("limits", 1)
multiple = {names[b] for b in names if model.body_jntnum[b] > 1}
for state in range(100):
    mujoco.mj_resetData(model, data)
    q = {}
    for name, i in hinges.items():
        span = (-2.0, 2.0) if int(model.jnt_type[i]) == HINGE else (-0.3, 0.3)
        q[name] = rng.uniform(*span) if state > 0 else 0.0
        data.qpos[model.jnt_qposadr[i]] = q[name]
    mujoco.mj_kinematics(model, data)
    pose = {}
    left = list(joints)
    children = {j.GetBody1Rel().GetTargets()[0].name for j in joints if j.GetBody1Rel().GetTargets()}
    for name, prim in bodies.items():
        if name not in children:
            world = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0)).T
            pose[name] = world
    while left:
        ready = [j for j in left if not j.GetBody0Rel().GetTargets() or j.GetBody0Rel().GetTargets()[0].name in pose]
        if not ready:
            break
        for j in ready:
            left.remove(j)
            child = j.GetBody1Rel().GetTargets()
            if not child:
                continue
            if child[0].name in multiple or not (j.GetBody0Rel().GetTargets() == [] or j.GetBody0Rel().GetTargets()[0].name in pose):
                continue
            parent = pose[j.GetBody0Rel().GetTargets()[0].name] if j.GetBody0Rel().GetTargets() else np.eye(4)
            F0 = matrix(j.GetLocalPos0Attr().Get(), gf(j.GetLocalRot0Attr().Get()))
            F1 = matrix(j.GetLocalPos1Attr().Get(), gf(j.GetLocalRot1Attr().Get()))
            move = np.eye(4)
            kind, name = j.GetPrim().GetTypeName(), source_name(j)
            if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
                axis = np.array(AXES[j.GetPrim().GetAttribute("physics:axis").Get()], float)
                value = q.get(name, 0.0)
                if kind == "PhysicsPrismaticJoint":
                    move[:3, 3] = value * axis
                else:
                    move = matrix([0, 0, 0], [math.cos(value / 2), *(math.sin(value / 2) * axis)])
            elif kind not in ("PhysicsFixedJoint",):
                continue
            pose[child[0].name] = parent @ F0 @ move @ np.linalg.inv(F1)
    anchor = next((names[b] for b in names if names[b] in pose), None)
    reference = matrix(data.xpos[[b for b in names if names[b] == anchor][0]], data.xquat[[b for b in names if names[b] == anchor][0]]) if anchor else np.eye(4)
    worst["moved"] = len(q)
    for b, name in names.items():
        if name not in pose or name in multiple:
            continue
        mj = np.linalg.inv(reference) @ matrix(data.xpos[b], data.xquat[b])
        usd = np.linalg.inv(pose[anchor]) @ pose[name]
        put("position", np.abs(mj[:3, 3] - usd[:3, 3]).max())
        put("rotation", angle(mj, usd))
json.dump(worst, sys.stdout)

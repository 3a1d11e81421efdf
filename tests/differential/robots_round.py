#!/usr/bin/env python3
"""Robots of packages go into OpenUSD and back; the engines of their own formats say whether they are the same robots (EXP-039, EXP-057, EXP-074).

usage: robots_round.py [--mechane PROGRAM] [--only WORDS] [--part seen|unseen|all] [--report FILE] [--threads N] FOLDER|FILE...

Each source (.urdf, .xml with a root of MuJoCo) is converted to a folder, the folder is checked, and converted back. URDF is read before and after by
Pinocchio, MJCF by MuJoCo. Compared are mass, centre of mass and inertia of every body, its pose at 100 states drawn by chance, and limits, passive
values and laws of every joint and actuator, all at 1e-5 (relative to the largest of a kind, or to 1). A robot passes with no difference. The Python
that runs this needs the packages pin and mujoco. A third of the sources, by the hash of their last two names, is `unseen`: it is meant to be looked
at only when the rest passes.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

CLOSE = 1e-5
STATES = 100


def unseen(path):
    return int(hashlib.sha256("/".join(path.parts[-2:]).encode()).hexdigest(), 16) % 3 == 0


def sources(places):
    for place in map(pathlib.Path, places):
        for path in [place] if place.is_file() else sorted([*place.rglob("*.urdf"), *place.rglob("*.xml")]):
            if path.suffix == ".urdf" or b"<mujoco" in path.read_bytes()[:20000]:
                yield path


class Differences:
    def __init__(self):
        self.found = {}

    def number(self, kind, where, a, b, scale=1.0):
        a, b = float(a), float(b)
        if a == b or (math.isinf(a) and math.isinf(b) and a * b > 0):
            return
        off = abs(a - b) / max(scale, 1e-12)
        if not off <= CLOSE:
            self.put(kind, f"{where}: {a:.8g} became {b:.8g}", off)

    def array(self, kind, where, a, b, scale=None):
        import numpy as np
        a, b = np.asarray(a, float), np.asarray(b, float)
        if a.shape != b.shape:
            return self.put(kind, f"{where}: {a.shape} values became {b.shape}", math.inf)
        scale = scale or max(1.0, float(np.abs(a[np.isfinite(a)]).max(initial=0)))
        off = np.where(a == b, 0, np.abs(a - b) / scale)
        if off.size and not off.max() <= CLOSE:
            self.put(kind, f"{where}: {np.array2string(a, precision=7, threshold=30)} became {np.array2string(b, precision=7, threshold=30)}", float(np.nan_to_num(off, nan=math.inf).max()))

    def put(self, kind, text, off=math.inf):
        entry = self.found.setdefault(kind, {"count": 0, "worst": 0.0, "first": text})
        entry["count"] += 1
        entry["worst"] = max(entry["worst"], off if math.isfinite(off) else 1e9)


def about(mass, com, inertia, pose):
    """Mass, centre and inertia in the axes of the root."""
    import numpy as np
    return mass, pose[:3, :3] @ com + pose[:3, 3], pose[:3, :3] @ inertia @ pose[:3, :3].T


def urdf_masses(path):
    """link -> mass, centre, inertia in the axes of the link, None without."""
    import numpy as np
    import pinocchio as pin
    found = {}
    text = re.sub(r"(</?|\s)([A-Za-z][\w.-]*):(?=[A-Za-z_])", r"\1\2_", path.read_text(errors="replace"))  # names of other programs, whose prefix nobody declares
    for link in ET.fromstring(re.sub(r"^\s*<\?xml.*?\?>", "", text)).findall("link"):
        inertial = link.find("inertial")
        found[link.get("name")] = None
        if inertial is None or inertial.find("mass") is None:
            continue
        origin, moments = inertial.find("origin"), inertial.find("inertia")
        numbers = lambda e, key: np.array([float(n) for n in (e.get(key) if e is not None and e.get(key) else "0 0 0").split()])
        turn = pin.rpy.rpyToMatrix(*numbers(origin, "rpy"))
        i = {k: float(moments.get(k, 0)) if moments is not None else 0.0 for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        own = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
        found[link.get("name")] = float(inertial.find("mass").get("value")), numbers(origin, "xyz"), turn @ own @ turn.T
    return found


def compare_urdf(source, back, names):
    import numpy as np
    import pinocchio as pin
    told = Differences()
    a, b = (pin.buildModelFromUrdf(str(p)) for p in (source, back))
    da, db = a.createData(), b.createData()
    kept = {f.name for f in b.frames} | set(b.names)
    other = lambda name: name if name in kept else names.get(name, name)
    frames = lambda m: {f.name: i for i, f in enumerate(m.frames) if f.type == pin.FrameType.BODY}
    fa, fb = frames(a), frames(b)
    pairs = {n: (i, fb[other(n)]) for n, i in fa.items() if other(n) in fb}
    for name in fa:
        if name not in pairs:
            told.put("link missing", name)
    root = a.frames[1].name if len(a.frames) > 1 else None
    joints_b = {b.names[i]: i for i in range(1, b.njoints)}
    joints = {}
    for i in range(1, a.njoints):
        name = other(a.names[i])
        if name not in joints_b:
            told.put("joint missing", name)
        else:
            joints[i] = joints_b[name]
    for i, k in joints.items():
        ja, jb = a.joints[i], b.joints[k]
        if (ja.nq, ja.nv) != (jb.nq, jb.nv):
            told.put("joint kind", f"{a.names[i]}: {ja.shortname()} became {jb.shortname()}")
            continue
        for key in ("lowerPositionLimit", "upperPositionLimit"):
            told.array("limits", f"{a.names[i]} {key}", getattr(a, key)[ja.idx_q:ja.idx_q + ja.nq], getattr(b, key)[jb.idx_q:jb.idx_q + jb.nq])
        for key in ("velocityLimit", "effortLimit", "damping", "friction"):
            if hasattr(a, key):
                told.array(key, a.names[i], getattr(a, key)[ja.idx_v:ja.idx_v + ja.nv], getattr(b, key)[jb.idx_v:jb.idx_v + jb.nv])
    pin.seed(7)
    rng = np.random.default_rng(7)
    base = pairs.get(root)
    for state in range(STATES):
        qa, qb = pin.neutral(a), pin.neutral(b)
        if state:
            va, vb = np.zeros(a.nv), np.zeros(b.nv)
            for i, k in joints.items():
                ja, jb = a.joints[i], b.joints[k]
                if (ja.nq, ja.nv) == (jb.nq, jb.nv):
                    va[ja.idx_v:ja.idx_v + ja.nv] = vb[jb.idx_v:jb.idx_v + jb.nv] = rng.uniform(-1, 1, ja.nv)
            qa, qb = pin.integrate(a, qa, va), pin.integrate(b, qb, vb)
        pin.framesForwardKinematics(a, da, qa)
        pin.framesForwardKinematics(b, db, qb)
        zero = (da.oMf[base[0]].inverse(), db.oMf[base[1]].inverse()) if base else (pin.SE3.Identity(), pin.SE3.Identity())
        for name, (i, k) in pairs.items():
            pa, pb = zero[0] * da.oMf[i], zero[1] * db.oMf[k]
            told.array("position", f"{name} in state {state}", pa.translation, pb.translation)
            told.array("rotation", f"{name} in state {state}", pa.rotation, pb.rotation)
    pin.framesForwardKinematics(a, da, pin.neutral(a))
    pin.framesForwardKinematics(b, db, pin.neutral(b))
    ma, mb = urdf_masses(source), urdf_masses(back)
    total = [sum(m[0] for m in masses.values() if m) for masses in (ma, mb)]
    told.number("total mass", "robot", *total, max(total[0], 1e-9))
    for name, (i, k) in pairs.items():
        one, two = ma.get(name), mb.get(other(name))
        if one is None and two is None:
            continue
        if one is None or two is None:
            if (one or two)[0] > 0:
                told.put("mass", f"{name}: {'no' if one is None else one[0]} kg became {'none' if two is None else two[0]}")
            continue
        one, two = about(*one, da.oMf[i].homogeneous), about(*two, db.oMf[k].homogeneous)
        told.number("mass", name, one[0], two[0], max(one[0], 1e-9))
        if one[0] > 0 and np.abs(one[2]).max() > 0:  # without moments its own engine takes no notice of it
            told.array("centre", name, one[1], two[1])
            told.array("inertia", name, one[2], two[2], max(float(np.abs(one[2]).max()), 1e-12))
    return told.found


def mjcf_pairs(a, b, names, told):
    """body of a -> body of b: by name, and unnamed ones by their place among those of their parent."""
    import mujoco
    kids = lambda m: {p: [i for i in range(1, m.nbody) if m.body_parentid[i] == p] for p in range(m.nbody)}
    ka, kb = kids(a), kids(b)
    by_name = {b.body(i).name: i for i in range(1, b.nbody)}
    pairs, taken = {0: 0}, set()
    for i in range(1, a.nbody):
        name = a.body(i).name
        if name and (name in by_name or names.get(name) in by_name):
            pairs[i] = by_name[name if name in by_name else names[name]]
            taken.add(pairs[i])
    for i in range(1, a.nbody):
        if i in pairs:
            continue
        parent = pairs.get(int(a.body_parentid[i]))
        free = [k for k in kb.get(parent, []) if k not in taken] if parent is not None else []
        free = [k for k in free if b.body_jntnum[k] == a.body_jntnum[i]] or free
        if not a.body(i).name and free:
            pairs[i] = free[0]
            taken.add(free[0])
        else:
            told.put("body missing", a.body(i).name or f"body {i}")
    return pairs


def rotation(quat):
    import mujoco
    import numpy as np
    m = np.zeros(9)
    mujoco.mju_quat2Mat(m, quat)
    return m.reshape(3, 3)


def joint_pairs(a, b, bodies, names, told):
    pairs = {}
    for i, k in bodies.items():
        ja = list(range(a.body_jntadr[i], a.body_jntadr[i] + a.body_jntnum[i])) if a.body_jntnum[i] else []
        jb = list(range(b.body_jntadr[k], b.body_jntadr[k] + b.body_jntnum[k])) if b.body_jntnum[k] else []
        called = {b.joint(j).name: j for j in jb}
        left = [j for j in jb]
        for j in list(ja):
            name = a.joint(j).name
            if name and (name in called or names.get(name) in called):
                pairs[j] = called[name if name in called else names[name]]
                left.remove(pairs[j])
        for j in ja:
            if j not in pairs:
                same = [x for x in left if a.jnt_type[j] == b.jnt_type[x]]
                if same:
                    pairs[j] = same[0]
                    left.remove(same[0])
                else:
                    told.put("joint missing", a.joint(j).name or f"joint {j} of {a.body(i).name}")
        for x in left:
            told.put("joint more", b.joint(x).name)
    return pairs


def compare_keys(a, b, joints, told):
    """Coordinates of keyframes, joint by joint."""
    sizes = {0: 7, 1: 4, 2: 1, 3: 1}
    for key in range(min(a.nkey, b.nkey)):
        for i, k in joints.items():
            n = sizes[int(a.jnt_type[i])]
            if a.jnt_type[i] == b.jnt_type[k]:
                told.array("keyframe", f"{a.key(key).name or key}: {a.joint(i).name or i}", a.key_qpos[key][a.jnt_qposadr[i]:][:n], b.key_qpos[key][b.jnt_qposadr[k]:][:n])
        told.number("keyframe", f"time of {a.key(key).name or key}", a.key_time[key], b.key_time[key])
        if a.nu == b.nu:
            told.array("keyframe", f"ctrl of {a.key(key).name or key}", a.key_ctrl[key], b.key_ctrl[key])


def object_name(model, kind, index):
    import mujoco
    return mujoco.mj_id2name(model, int(kind), int(index)) if index >= 0 else ""


def compare_sensors(a, b, names, told):
    for i in range(min(a.nsensor, b.nsensor)):
        where = a.sensor(i).name or f"sensor {i}"
        for key in ("type", "datatype", "dim", "cutoff", "noise", "objtype", "reftype"):
            told.number(f"sensor {key}", where, getattr(a, f"sensor_{key}")[i], getattr(b, f"sensor_{key}")[i])
        for kind, index in (("objtype", "objid"), ("reftype", "refid")):
            one, two = (object_name(m, getattr(m, f"sensor_{kind}")[i], getattr(m, f"sensor_{index}")[i]) for m in (a, b))
            if one and two not in (one, names.get(one)):
                told.put("sensor object", f"{where}: {one} became {two}")


def compare_mjcf(source, back, names):
    import mujoco
    import numpy as np
    told = Differences()
    a, b = (mujoco.MjModel.from_xml_path(str(p)) for p in (source, back))
    bodies = mjcf_pairs(a, b, names, told)
    joints = joint_pairs(a, b, bodies, names, told)
    told.array("gravity", "option", a.opt.gravity, b.opt.gravity)
    told.number("timestep", "option", a.opt.timestep, b.opt.timestep)
    told.number("total mass", "robot", a.body_mass.sum(), b.body_mass.sum(), max(a.body_mass.sum(), 1e-9))
    for i, k in bodies.items():
        if i == 0:
            continue
        name = a.body(i).name or f"body {i}"
        told.number("mass", name, a.body_mass[i], b.body_mass[k], max(a.body_mass[i], 1e-9))
        if a.body_mass[i] > 0:
            turn = [rotation(m.body_iquat[x]) for m, x in ((a, i), (b, k))]
            inertia = [turn[0] @ np.diag(a.body_inertia[i]) @ turn[0].T, turn[1] @ np.diag(b.body_inertia[k]) @ turn[1].T]
            told.array("centre", name, a.body_ipos[i], b.body_ipos[k])
            told.array("inertia", name, *inertia, max(float(np.abs(inertia[0]).max()), 1e-12))
    for i, k in joints.items():
        name = a.joint(i).name or f"joint {i}"
        if a.jnt_type[i] != b.jnt_type[k]:
            told.put("joint kind", name)
            continue
        told.number("limits", f"{name} limited", a.jnt_limited[i], b.jnt_limited[k])
        if a.jnt_limited[i]:
            told.array("limits", name, a.jnt_range[i], b.jnt_range[k])
        told.array("stiffness", name, a.jnt_stiffness[i], b.jnt_stiffness[k])
        da, db = a.jnt_dofadr[i], b.jnt_dofadr[k]
        for key in ("dof_damping", "dof_armature", "dof_frictionloss"):
            told.array(key, name, getattr(a, key)[da], getattr(b, key)[db])
        if a.jnt_type[i] in (2, 3):
            told.array("ref", name, a.qpos0[a.jnt_qposadr[i]], b.qpos0[b.jnt_qposadr[k]])
            told.array("springref", name, a.qpos_spring[a.jnt_qposadr[i]], b.qpos_spring[b.jnt_qposadr[k]]) if a.jnt_stiffness[i] else None
        told.array("gravcomp", name, a.body_gravcomp[a.jnt_bodyid[i]], b.body_gravcomp[b.jnt_bodyid[k]])
    called = {b.actuator(i).name: i for i in range(b.nu)}
    told.number("actuators", "count", a.nu, b.nu)
    for i in range(min(a.nu, b.nu)):
        name = a.actuator(i).name
        k = called.get(name, called.get(names.get(name), i))
        for key in ("gainprm", "biasprm", "gear", "ctrlrange", "forcerange", "gaintype", "biastype", "dyntype", "ctrllimited", "forcelimited", "trntype"):
            one, two = getattr(a, f"actuator_{key}")[i], getattr(b, f"actuator_{key}")[k]
            told.array(f"actuator {key}", name or f"actuator {i}", one, two)
    for count in ("neq", "ntendon", "nsite", "nkey", "nexclude", "nsensor", "ncam"):
        if getattr(a, count) != getattr(b, count):
            told.put(f"count {count}", f"{getattr(a, count)} became {getattr(b, count)}", 0)
    compare_keys(a, b, joints, told)
    compare_sensors(a, b, names, told)
    solid = [sum(1 for g in range(m.ngeom) if m.geom_contype[g] or m.geom_conaffinity[g]) for m in (a, b)]
    if solid[0] != solid[1]:
        told.put("count colliding geoms", f"{solid[0]} became {solid[1]}", 0)
    rng = np.random.default_rng(7)
    xa, xb = mujoco.MjData(a), mujoco.MjData(b)
    for state in range(STATES):
        mujoco.mj_resetData(a, xa)
        mujoco.mj_resetData(b, xb)
        for i, k in joints.items() if state else ():
            kind = int(a.jnt_type[i])
            if kind != int(b.jnt_type[k]):
                continue
            qa, qb = a.jnt_qposadr[i], b.jnt_qposadr[k]
            if kind in (2, 3):
                xa.qpos[qa] = rng.uniform(-1, 1)
                xb.qpos[qb] = xa.qpos[qa]
            else:
                if kind == 0:
                    xa.qpos[qa:qa + 3] = xb.qpos[qb:qb + 3] = rng.uniform(-1, 1, 3)
                quat = rng.normal(size=4)
                xa.qpos[qa + 3 * (kind == 0):][:4] = xb.qpos[qb + 3 * (kind == 0):][:4] = quat / np.linalg.norm(quat)
        mujoco.mj_kinematics(a, xa)
        mujoco.mj_kinematics(b, xb)
        for i, k in bodies.items():
            name = a.body(i).name or f"body {i}"
            told.array("position", f"{name} in state {state}", xa.xpos[i], xb.xpos[k])
            told.array("rotation", f"{name} in state {state}", xa.xmat[i], xb.xmat[k])
    for _ in range(100):
        mujoco.mj_step(b, xb)
    if not np.isfinite(xb.qpos).all():
        told.put("not finite", "after 100 steps")
    return told.found


#: What a round trip may not change at all: the held-back judge looks at these.
CORE = ("mass", "total mass", "centre", "inertia", "position", "rotation", "body missing", "link missing", "joint missing", "joint kind", "limits", "refused")


def package_roots(path):
    """Folders above a robot that are packages: what `package://` asks for."""
    found = {}
    for folder in list(path.parents)[:7]:
        if folder.name in ("site-packages", ""):
            break
        found.setdefault(folder.name, folder)
        for sub in folder.iterdir() if len(found) < 40 and folder.name in ("robots", "share") else ():
            if sub.is_dir():
                found.setdefault(sub.name, sub)
    return found


def judge(job):
    path, program, kept = job
    row = {"source": str(path), "unseen": unseen(path), "format": "urdf" if path.suffix == ".urdf" else "mjcf", "found": {}}
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(kept or place)
        folder, back = place / "robot", place / ("back" + path.suffix)
        words = [f"--package={n}={p}" for n, p in package_roots(path).items()] if path.suffix == ".urdf" else []
        engine = compare_urdf if path.suffix == ".urdf" else compare_mjcf
        try:
            if path.suffix == ".urdf":
                import pinocchio as pin
                pin.buildModelFromUrdf(str(path))
            else:
                import mujoco
                model = mujoco.MjModel.from_xml_path(str(path))
                if model.nbody == 1 and model.ngeom == 0:
                    return {**row, "skipped": "it has no body and no shape"}
        except Exception as error:
            return {**row, "skipped": f"its own engine refuses it: {str(error)[:160]}"}
        names = {}
        for kind, command in (("import", [path, "-o", folder, *words]), ("export", [folder, "-o", back])):
            loss = place / f"{kind}.json"
            done = subprocess.run([program, "convert", *map(str, command), "--fail-on-loss", "never", "--loss", str(loss)], capture_output=True, text=True, timeout=600)
            if done.returncode not in (0, 1) or not command[2].exists():
                return {**row, "found": {"refused": {"count": 1, "worst": 1e9, "first": f"{kind} exit {done.returncode}: {(done.stderr or done.stdout)[-300:]}"}}}
            report = json.loads(loss.read_text())
            row[kind + " says"] = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()][:20] if done.returncode else []
            for old, new in report.get("nameMap", {}).items():
                for key in [k for k, v in names.items() if v == old] or [old]:
                    names[key] = new
            row[kind] = [f"{e['severity']} {e['action']} {e.get('category', '')}: {e.get('what') or e.get('prim')}: {e['reason']}" for e in report["entries"] if e["severity"] != "info"]
        done = subprocess.run([program, "check", "--json", str(folder)], capture_output=True, text=True, timeout=600)
        try:
            row["check"] = [f"{f.get('rule') or f.get('id')}: {f.get('message')}" for f in json.loads(done.stdout)["findings"] if f["severity"] == "error"]
        except (ValueError, KeyError):
            row["check"] = [f"no report: exit {done.returncode} {done.stderr[-200:]}"]
        names = {k: v.strip("/").split("/")[-1] for k, v in names.items()}
        try:
            row["found"] = engine(path, back, names)
        except Exception as error:
            row["found"] = {"refused": {"count": 1, "worst": 1e9, "first": f"{type(error).__name__}: {str(error)[:300]}"}}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+")
    parser.add_argument("--mechane", default=os.environ.get("MECHANE", "mechane"))
    parser.add_argument("--only", default="", help="words that the path holds")
    parser.add_argument("--part", default="all", choices=("seen", "unseen", "all"))
    parser.add_argument("--report", help="rows as JSON lines")
    parser.add_argument("--keep", help="folder that keeps the results of one robot")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    jobs = [(p.resolve(), args.mechane, args.keep) for p in sources(args.places) if args.only in str(p) and args.part in ("all", "unseen" if unseen(p.resolve()) else "seen")]
    rows = []
    with concurrent.futures.ProcessPoolExecutor(args.threads) as workers:
        for row in workers.map(judge, jobs):
            rows.append(row)
            core = {k: v for k, v in row["found"].items() if k in CORE}
            word = "skip" if "skipped" in row else "FAIL" if core or row.get("check") else "more" if row["found"] else "same"
            print(word, row["source"].split("site-packages/")[-1], row.get("skipped", ""), flush=True)
            for kind, entry in row["found"].items():
                print(f"       {kind} x{entry['count']} worst {entry['worst']:.2g}: {entry['first'][:230]}")
            for text in row.get("check", [])[:3]:
                print(f"       check: {text[:200]}")
    for kind in ("urdf", "mjcf"):
        for part in (False, True):
            some = [r for r in rows if r["format"] == kind and r["unseen"] == part and "skipped" not in r]
            core = [r for r in some if not any(k in CORE for k in r["found"])]
            print(f"{kind} {'unseen' if part else 'seen'}: {len([r for r in some if not r['found'] and not r.get('check')])} of {len(some)} the same in all, {len(core)} in masses, frames, joints and limits, "
                  f"{len([r for r in some if not r.get('check')])} check without an error")
    if args.report:
        pathlib.Path(args.report).write_text("".join(json.dumps(r) + "\n" for r in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

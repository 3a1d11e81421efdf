#!/usr/bin/env python3
"""Robots drawn by chance go from every format to every other, and each way is judged twice: by `--verify`, and by the engines of the formats.

usage: directions_round.py [--mechane PROGRAM] [--from urdf,mjcf,sdf] [--to urdf,mjcf,sdf,usd] [--report FILE] [--keep FOLDER] [--threads N] FIRST:LAST

Pinocchio reads URDF, MuJoCo MJCF. Both tell mass, centre of mass and inertia of every body in the axes of the root, at states drawn by chance; what they tell of
source and result is compared at 1e-5 where the report of losses names no error. A way passes where --verify finds no difference that the report does not announce, and the engines agree.
The Python that runs this needs mujoco and pin.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
from tests.differential import drawn_robots  # noqa: E402

SUFFIX = {"urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf", "usd": ""}
DRAW = {"urdf": drawn_robots.urdf, "mjcf": drawn_robots.mjcf, "sdf": drawn_robots.sdf}
STATES = 5
CLOSE = 1e-5


def number(name, state):
    """A coordinate that follows from the joint's name and the state, so that both engines get the same."""
    return 0.0 if state == 0 else ((sum(ord(c) * (i + 7) for i, c in enumerate(name)) * 37 + 101 * state) % 1000) / 1000 - 0.5


class Pinocchio:
    def __init__(self, path):
        import pinocchio as pin
        from tests.differential.robots_round import urdf_masses
        self.pin, self.model = pin, pin.buildModelFromUrdf(str(path))
        self.data, self.masses = self.model.createData(), urdf_masses(path)
        self.frames = {f.name: i for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY}
        self.joints = {self.model.names[i]: (self.model.joints[i].nq, self.model.joints[i].nv) for i in range(1, self.model.njoints)}
        self.scalars = {n for n, size in self.joints.items() if size[1] == 1}

    def bodies(self, state, names, moved):
        """body -> mass, centre, inertia in the axes of the model. `names` maps own names of joints to those of the source, of which `moved` leave zero."""
        import numpy as np
        pin, model = self.pin, self.model
        v = np.zeros(model.nv)
        for i in range(1, model.njoints):
            if model.joints[i].nv == 1 and names.get(model.names[i], model.names[i]) in moved:
                v[model.joints[i].idx_v] = number(names.get(model.names[i], model.names[i]), state)
        q = pin.integrate(model, pin.neutral(model), v)
        self.hold_floating(q)
        pin.framesForwardKinematics(model, self.data, q)
        told = {}
        for name, i in self.frames.items():
            m = self.masses.get(name)
            if m and m[0] > 0:
                X = self.data.oMf[i].homogeneous
                told[name] = m[0], X[:3, :3] @ m[1] + X[:3, 3], X[:3, :3] @ m[2] @ X[:3, :3].T
        return told

    def hold_floating(self, q):
        """A floating body below another one has coordinates in it for Pinocchio; every other format lets it float in the world, so there it stays."""
        pin, model = self.pin, self.model
        for i in range(1, model.njoints):
            if model.joints[i].nv == 6 and model.parents[i] > 0:
                pin.forwardKinematics(model, self.data, pin.neutral(model))
                there = self.data.oMi[i].copy()
                pin.forwardKinematics(model, self.data, q)
                own = (self.data.oMi[model.parents[i]] * model.jointPlacements[i]).actInv(there)
                q[model.joints[i].idx_q:][:7] = pin.SE3ToXYZQUAT(own)


class Mujoco:
    def __init__(self, path):
        import mujoco
        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.scalars = {self.model.joint(i).name for i in range(self.model.njnt) if self.model.jnt_type[i] in (2, 3)}

    def bodies(self, state, names, moved):
        import numpy as np
        m, d = self.model, self.data
        self.mujoco.mj_resetData(m, d)
        for i in range(m.njnt):
            if m.jnt_type[i] in (2, 3):
                name = names.get(m.joint(i).name, m.joint(i).name)
                d.qpos[m.jnt_qposadr[i]] = number(name, state) if name in moved else 0
        self.mujoco.mj_kinematics(m, d)
        told = {}
        for b in range(1, m.nbody):
            if m.body_mass[b] > 0 and m.body(b).name:
                R = d.ximat[b].reshape(3, 3)
                told[m.body(b).name] = float(m.body_mass[b]), d.xipos[b].copy(), R @ np.diag(m.body_inertia[b]) @ R.T
        return told


ENGINE = {"urdf": Pinocchio, "mjcf": Mujoco}


def engines_differ(a, b, names):
    """The first differences that the engines tell of the bodies, relative to one body that both know."""
    import numpy as np
    back = {v: k for k, v in names.items()}
    told = []
    moved = a.scalars & {back.get(name, name) for name in b.scalars}
    for state in range(STATES):
        one, two = a.bodies(state, {}, moved), b.bodies(state, back, moved)
        pairs = [(n, n if n in two else names.get(n)) for n in one]
        for n, other in pairs:
            if other not in two:
                told.append(f"body '{n}' of {one[n][0]:.6g} kg is missing")
        pairs = [(n, o) for n, o in pairs if o in two]
        if len(pairs) > 0:
            # Distances from the centre of the first body, which no choice of a root moves.
            for (n, o), (n2, o2) in zip(pairs, pairs[1:]):
                x, y = np.linalg.norm(one[n2][1] - one[n][1]), np.linalg.norm(two[o2][1] - two[o][1])
                if abs(x - y) > CLOSE * max(1, x):
                    told.append(f"state {state}: centres of '{n}' and '{n2}' are {x:.7g} and became {y:.7g} m apart")
                    break
        for n, o in pairs:
            if abs(one[n][0] - two[o][0]) > CLOSE * one[n][0]:
                told.append(f"mass of '{n}': {one[n][0]:.7g} became {two[o][0]:.7g}")
            x, y = (np.sort(np.linalg.eigvalsh(v[2])) for v in (one[n], two[o]))
            if np.abs(x - y).max() > CLOSE * max(np.abs(x).max(), 1e-12):
                told.append(f"moments of '{n}': {x} became {y}")
        if told:
            break
    return told


def convert(program, source, out, *words):
    with tempfile.TemporaryDirectory() as place:
        loss = pathlib.Path(place, "loss.json")
        done = subprocess.run([program, "convert", str(source), "-o", str(out), "--verify", "--json", "--fail-on-loss", "never", "--loss", str(loss), *words], capture_output=True, text=True, timeout=300, errors="replace", env={**os.environ, "MECHANE_CACHE": "off"})
    try:
        return done, json.loads(done.stdout)
    except ValueError:
        return done, None


def judged(program, kind, to, source, out, original, names, errors):
    """One way: what is wrong with it."""
    done, report = convert(program, source, out)
    found = []
    if report is None or done.returncode not in (0, 1):
        return [("refused", f"exit {done.returncode}: {(done.stderr or done.stdout)[-300:]}")], names, errors
    for old, new in report.get("nameMap", {}).items():
        for key in [k for k, v in names.items() if v == old] or [old]:
            names[key] = new
    names = {k: v.strip("/").split("/")[-1] for k, v in names.items()}
    errors = errors + [f"{e['code']}" for e in report["entries"] if e["severity"] == "error"]
    for d in report["verify"].get("differences", []):
        if not d.get("expected"):
            found.append((f"verify {d['quantity']} {d.get('field', '')}", f"{d.get('item') or d.get('what')}: {json.dumps(d)[:400]}"))
    rollout = report["verify"].get("rollout") or {}
    if not rollout.get("expected") and (rollout.get("first") or len(set(rollout.get("diverged", []))) > 1):
        found.append(("verify rollout", json.dumps(rollout)[:300]))
    if to in ENGINE:
        try:
            result = ENGINE[to](out)
        except Exception as error:
            # MuJoCo wants a mass of what moves, which the report says is missing.
            told = [] if "missing-mass" in errors else [("engine refuses", re.sub(r"\s+", " ", str(error))[:200])]
            return found + told, names, errors
        if original is not None and not errors:
            found += [("engines " + re.sub(r"'[^']*'|[-\d.e]+", "#", t)[:30], t) for t in engines_differ(original, result, names)[:2]]
    if to == "usd":
        done = subprocess.run([program, "check", "--json", str(out)], capture_output=True, text=True, timeout=300)
        try:
            found += [("check " + str(f.get("rule") or f.get("id")), f.get("message", "")) for f in json.loads(done.stdout)["findings"] if f["severity"] == "error"]
        except (ValueError, KeyError):
            found.append(("check", done.stderr[-200:]))
    return found, names, errors


def robot(job):
    program, kind, seed, targets, kept = job
    rows = []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        source = place / ("robot" + SUFFIX[kind])
        source.write_text(DRAW[kind](seed, place))
        original = None
        if kind in ENGINE:
            try:
                original = ENGINE[kind](source)
            except Exception:
                return []  # its own engine refuses it
        for to in targets:
            found, names, errors = judged(program, kind, to, source, place / ("out_" + to + SUFFIX[to]), original, {}, [])
            rows.append({"seed": seed, "way": f"{kind} to {to}", "found": found})
            if to != "usd" or not (place / "out_usd").exists():
                continue
            for last in ("urdf", "mjcf", "sdf"):
                found, *_ = judged(program, "usd", last, place / "out_usd", place / ("last_" + last + SUFFIX[last]), original, dict(names), list(errors))
                rows.append({"seed": seed, "way": f"{kind} to usd to {last}", "found": found})
        if kept:
            shutil.copytree(place, pathlib.Path(kept, f"{kind}_{seed}"), dirs_exist_ok=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds")
    parser.add_argument("--mechane", default=os.environ.get("MECHANE", "mechane"))
    parser.add_argument("--from", dest="sources", default="urdf,mjcf,sdf")
    parser.add_argument("--to", default="usd,urdf,mjcf,sdf")
    parser.add_argument("--report")
    parser.add_argument("--keep", help="folder that keeps the files of all robots")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    first, last = map(int, args.seeds.split(":"))
    jobs = [(args.mechane, kind, seed, args.to.split(","), args.keep) for seed in range(first, last) for kind in args.sources.split(",")]
    rows = []
    report = open(args.report, "w", encoding="utf-8") if args.report else None
    with concurrent.futures.ProcessPoolExecutor(args.threads) as workers:
        for some in workers.map(robot, jobs):
            rows += some
            if report:
                report.writelines(json.dumps(row) + "\n" for row in some)
                report.flush()
    classes = collections.defaultdict(list)
    for row in rows:
        for kind in {k for k, _ in row["found"]}:
            classes[row["way"], kind].append((row["seed"], next(t for k, t in row["found"] if k == kind)))
    for (way, kind), some in sorted(classes.items(), key=lambda item: -len(item[1])):
        print(f"{len(some):4} {way}: {kind}; seeds {' '.join(str(s) for s, _ in some[:8])}\n       {some[0][1][:420]}")
    for way in sorted({row["way"] for row in rows}):
        some = [row for row in rows if row["way"] == way]
        good = sum(not row["found"] for row in some)
        print(f"{way}: {good} of {len(some)} ({100 * good / len(some):.1f} %)")
    if report:
        report.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

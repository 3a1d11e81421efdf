#!/usr/bin/env python3
"""Is each loss of a report true, and each loss told? Robots drawn by chance go to their own format again, and their engines look at both files (EXP-037).

usage: losses_round.py [--mechane PROGRAM] [--report FILE] FIRST:LAST

MJCF is compiled by MuJoCo before and after, URDF is read as XML. An entry that names a joint or body and says that a value of it is lost is untrue where all of its values are the same;
a value that differs is silent where no entry names its joint or body. The Python that runs this needs mujoco.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
from tests.differential import drawn_robots  # noqa: E402

CLOSE = 1e-5
#: Entries that say of a joint, body or link that something of it is not in the result.
SAYS = {"axes-not-orthogonal", "axis-left-out", "free-joint-values", "joint-order", "joint-pivots", "joint-reference", "joints-merged", "shared-values", "start-pose", "merged-mass", "frame-mass", "name", "armature",
        "velocity-limit", "spring", "dampratio", "sensor"}


def mjcf_values(path):
    """What MuJoCo compiles: (kind, name) -> numbers of each joint, body and sensor, with the names of what they belong to."""
    import mujoco
    m = mujoco.MjModel.from_xml_path(str(path))
    told = {}
    for b in range(1, m.nbody):
        if m.body(b).name:
            told["body", m.body(b).name] = [float(m.body_mass[b]), *map(float, m.body_pos[b]), *map(float, abs(m.body_quat[b])), m.body(m.body_parentid[b]).name]
    for j in range(m.njnt):
        name, body, dof = m.joint(j).name, int(m.jnt_bodyid[j]), m.jnt_dofadr[j]
        if not name:
            continue
        values = [float(m.jnt_type[j]), j - float(m.body_jntadr[body]), m.dof_damping[dof], m.dof_armature[dof], m.dof_frictionloss[dof], m.jnt_stiffness[j], float(m.jnt_limited[j])]
        if m.jnt_type[j] in (2, 3):
            values += [m.qpos0[m.jnt_qposadr[j]], *m.jnt_axis[j], *(m.jnt_range[j] if m.jnt_limited[j] else ())]
        if m.jnt_type[j] == 3:
            values += [*m.jnt_pos[j]]
        told["joint", name] = [float(v) for v in values] + [m.body(body).name]
    for s in range(m.nsensor):
        if m.sensor(s).name:
            told["sensor", m.sensor(s).name] = [float(m.sensor_type[s]), float(m.sensor_cutoff[s]), float(m.sensor_noise[s])]
    return told


def urdf_values(path):
    told = {}
    text = re.sub(r"(</?|\s)([A-Za-z][\w.-]*):(?=[A-Za-z_])", r"\1\2_", path.read_text())
    for e in ET.fromstring(re.sub(r"^\s*<\?xml.*?\?>", "", text)):
        numbers = lambda part, *keys: [float(part.get(k, 0)) for k in keys] if part is not None else [0.0] * len(keys)
        if e.tag == "link":
            told["link", e.get("name")] = numbers(e.find("inertial/mass"), "value")
        elif e.tag == "joint":
            told["joint", e.get("name")] = [*numbers(e.find("dynamics"), "damping", "friction"), *numbers(e.find("limit"), "velocity")]
    return told


def same(a, b):
    return b is not None and len(a) == len(b) and all(x == y if isinstance(x, str) or isinstance(y, str) else abs(x - y) <= CLOSE * max(1, abs(x)) for x, y in zip(a, b))


def untrue(entry, one, two):
    """What is wrong with an entry; nothing where it is true."""
    if entry["code"] not in SAYS or entry["action"] in ("kept", "converted"):
        return None
    names = re.findall(r"'([^']*)'", entry["what"])
    if entry["code"] == "name":
        told = [n for kind, n in two if n == entry.get("sourceValue")]
        return f"{entry['what']}: the result has the name" if told and any(n == told[0] for _, n in one) else None
    if entry["code"] == "joints-merged":
        names = entry["what"].removeprefix("joints ").split(", ")
    keys = [key for key in one if key[1] in names]
    # A joint of several axes is named by its body.
    if entry["code"] == "start-pose":
        keys += [("body", name.removesuffix("_joints")) for name in names if ("body", name.removesuffix("_joints")) in one]
    keys += [("joint", n) for (kind, n), v in one.items() if kind == "joint" and isinstance(v[-1], str) and any(v[-1] + "_joints" == name for name in names)]
    if keys and all(same(one[key], two.get(key)) for key in keys):
        return f"{entry['code']} {entry['what']}: {keys} are the same"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds")
    parser.add_argument("--mechane", default=os.environ.get("MECHANE", "mechane"))
    parser.add_argument("--report")
    args = parser.parse_args()
    first, last = map(int, args.seeds.split(":"))
    rows = []
    for kind, suffix, read in (("mjcf", ".xml", mjcf_values), ("urdf", ".urdf", urdf_values)):
        for seed in range(first, last):
            with tempfile.TemporaryDirectory() as place:
                place = pathlib.Path(place)
                source, back, loss = place / ("robot" + suffix), place / ("back" + suffix), place / "loss.json"
                source.write_text(getattr(drawn_robots, kind)(seed, place))
                try:
                    one = read(source)
                except ValueError:
                    continue  # its own engine refuses it
                done = subprocess.run([args.mechane, "convert", str(source), "-o", str(back), "--loss", str(loss), "--fail-on-loss", "never"], capture_output=True, text=True, check=False)
                if "EXPORT_EMPTY" in done.stderr:
                    continue  # links without masses and shapes are no robot of OpenUSD
                entries = json.loads(loss.read_text())["entries"]
                try:
                    two = read(back)
                except ValueError as error:
                    rows.append({"kind": kind, "seed": seed, "wrong": [] if any(e["code"] == "missing-mass" for e in entries) else [f"the result is refused: {error}"]})
                    continue
                wrong = [w for w in (untrue(e, one, two) for e in entries) if w]
                told = " ".join(e["what"] + " " + e.get("prim", "") for e in entries if e["action"] != "kept" or e["severity"] == "error")
                for key, values in one.items():
                    names = [key[1], *(v for v in values if isinstance(v, str) and key[0] == "joint")]
                    if not same(values, two.get(key)) and not any(n and n in told for n in names):
                        wrong.append(f"silent: {key} {values} became {two.get(key)}")
                rows.append({"kind": kind, "seed": seed, "entries": len(entries), "wrong": wrong})
    for row in rows:
        for text in row["wrong"]:
            print(row["kind"], row["seed"], text)
    print(f"{sum(not row['wrong'] for row in rows)} of {len(rows)} reports are true, with {sum(row.get('entries', 0) for row in rows)} entries")
    if args.report:
        pathlib.Path(args.report).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

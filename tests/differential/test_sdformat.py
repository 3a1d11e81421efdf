"""SDFormat that is read and written anew stands where libsdformat has the original (EXP-051, EXP-071).

The library's own resolver of frames is the judge: a small program over it prints the poses of links and joints of both files.
"""
import math
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import mechane

SOURCE = pathlib.Path(__file__).with_name("sdformat_poses.cpp")
FLAGS = ["-std=c++17", "-O0"]


def build(folder):
    """The program over libsdformat, or None where the library is missing."""
    if not shutil.which("pkg-config") or not shutil.which("g++"):
        return None
    flags = {}
    for which in ("--cflags", "--libs"):
        done = subprocess.run(["pkg-config", which, "sdformat12"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        flags[which] = done.stdout.split()
    program = pathlib.Path(folder) / "poses"
    done = subprocess.run(["g++", *FLAGS, *flags["--cflags"], str(SOURCE), "-o", str(program), *flags["--libs"]], capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def poses(program, file):
    """name -> numbers, of links, joints, and axes in the world; and what the library complains of."""
    done = subprocess.run([str(program), str(file)], capture_output=True, text=True, timeout=60, check=False)
    rows = {}
    for line in done.stdout.splitlines():
        kind, name, *numbers = line.split()
        rows[kind, name] = [float(n) for n in numbers]
    for (kind, name), axis in list(rows.items()):
        if kind == "axis":
            rows[kind, name] = turned(rows["joint", name][3:], axis)
    return rows, done.stderr


def turned(q, v):
    w, x, y, z = q
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross([x, y, z], v)]
    u = cross([x, y, z], t)
    return [v[i] + w * t[i] + u[i] for i in range(3)]


class Drawn:
    """A model by chance: nested models, frames on frames, joints whose frames and axes are told anywhere."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.serial = 0

    def pose(self, relative):
        r = self.random
        numbers = [round(r.uniform(-2, 2), 3) for _ in range(3)] + [round(r.uniform(-3, 3), 3) for _ in range(3)]
        attributes = f' relative_to="{r.choice(relative)}"' if relative and r.random() < 0.6 else ""
        if r.random() < 0.3:
            attributes += ' degrees="true"'
            numbers[3:] = [round(math.degrees(n), 3) for n in numbers[3:]]
        return f"<pose{attributes}>{' '.join(map(str, numbers))}</pose>"

    def model(self, name, depth):
        """Text of a model, and the names of its links and frames as the model above knows them."""
        r = self.random
        text, links, frames = [], [], []
        for i in range(r.randint(2, 4)):
            text.append(f'<link name="l{i}">{self.pose(links + frames)}</link>')
            links.append(f"l{i}")
            if r.random() < 0.6:
                text.append(f'<frame name="f{i}" attached_to="{r.choice(links + frames)}">{self.pose(links + frames)}</frame>')
                frames.append(f"f{i}")
        inner = []
        if depth < 2:
            for i in range(r.randint(0, 2)):
                child, names = self.model(f"n{i}", depth + 1)
                text.append(child)
                inner += [f"n{i}::{n}" for n in names]
        everything = links + frames + inner
        # A chain, so that each link has one joint above it.
        for i, (parent, child) in enumerate(zip(links, links[1:])):
            kind = r.choice(["fixed", "revolute", "continuous", "prismatic", "ball", "universal"])
            axes = ""
            for tag in [] if kind in ("fixed", "ball") else ["axis", "axis2"] if kind == "universal" else ["axis"]:
                # The axes of a universal joint are at right angles.
                xyz = ("0 0 1" if tag == "axis" else "0 1 0") if kind == "universal" else " ".join(str(round(r.uniform(0.1, 1), 3)) for _ in range(3))
                where = "" if kind == "universal" or r.random() < 0.5 else f' expressed_in="{r.choice(everything)}"'
                limit = "" if kind == "continuous" else f"<limit><lower>{-r.random()}</lower><upper>{r.random()}</upper></limit>"
                axes += f"<{tag}><xyz{where}>{xyz}</xyz>{limit}</{tag}>"
            text.append(f'<joint name="j{i}" type="{kind}">{self.pose(everything)}<parent>{parent}</parent><child>{child}</child>{axes}</joint>')
        return f'<model name="{name}">{self.pose([]) if depth else ""}{"".join(text)}</model>', links + frames


class Sdformat(unittest.TestCase):
    def test_poses_of_models_by_chance_are_those_of_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            program = build(folder)
            if program is None:
                self.skipTest("skipped: libsdformat 12 is not installed (libsdformat-dev)")
            compared = 0
            for seed in range(25):
                file, back = pathlib.Path(folder) / f"{seed}.sdf", pathlib.Path(folder) / f"{seed}_back.sdf"
                file.write_text(f'<sdf version="1.9">{Drawn(seed).model("m", 0)[0]}</sdf>', encoding="utf-8")
                wanted, complaints = poses(program, file)
                self.assertEqual("", complaints, file.read_text(encoding="utf-8"))
                done = mechane("convert", file, "-o", back, "--fail-on-loss", "never")
                self.assertEqual(0, done.returncode, done.stderr)
                found, complaints = poses(program, back)
                self.assertEqual("", complaints, back.read_text(encoding="utf-8"))
                for key, numbers in wanted.items():
                    self.assertIn(key, found, f"seed {seed}\n{done.stdout}")
                    have = found[key]
                    if key[0] == "joint":  # a joint may turn its frame about its axis: the place counts, and the axis below
                        numbers, have = numbers[:3], have[:3]
                    elif key[0] == "link" and sum(a * b for a, b in zip(numbers[3:], have[3:])) < 0:
                        have = have[:3] + [-n for n in have[3:]]
                    for a, b in zip(numbers, have):
                        self.assertAlmostEqual(a, b, delta=5e-6, msg=f"seed {seed}: {key} {numbers} {have}\n{file.read_text(encoding='utf-8')}")
                    compared += 1
            print(f"{compared} poses compared")


if __name__ == "__main__":
    unittest.main()

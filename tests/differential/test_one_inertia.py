"""A body has one mass, centre and inertia: those of the model, whether `info` tells them or a URDF, an MJCF or an SDFormat file that is written of the stage.

MECHANE_DRAWN_MASSES=FIRST:LAST draws other stages.
"""
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ET

from tests.cli.program import mechane
from tests.differential import drawn_masses

FIRST, LAST = map(int, os.environ.get("MECHANE_DRAWN_MASSES", "0:24").split(":"))
#: What the loss report says where a file has another inertia than the model, or none: code and action.
TOLD = {("fallback-mass", "dropped"), ("missing-mass", "kept"), ("missing-mass", "approximated"), ("repaired-inertia", "kept"), ("told-inertia", "kept")}


def numbers(text):
    return [float(x) for x in text.split()]


def symmetric(xx, yy, zz, xy, xz, yz):
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def turned(q, moments):
    w, x, y, z = q
    R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[sum(R[i][k] * moments[k] * R[j][k] for k in range(3)) for j in range(3)] for i in range(3)]


def of_urdf(root):
    for link in root.iter("link"):
        if (i := link.find("inertial")) is not None:
            m = {k: float(v) for k, v in i.find("inertia").attrib.items()}
            yield link.get("name"), float(i.find("mass").get("value")), numbers(i.find("origin").get("xyz")), symmetric(*(m[k] for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")))


def of_sdf(root):
    for link in root.iter("link"):
        if (i := link.find("inertial")) is not None:
            m = {e.tag: float(e.text) for e in i.find("inertia")}
            pose = numbers(i.findtext("pose") or "0 0 0 0 0 0")
            yield link.get("name"), float(i.findtext("mass")), pose[:3], symmetric(*(m[k] for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")))


def of_mjcf(root):
    for body in root.iter("body"):
        if (i := body.find("inertial")) is not None:
            yield body.get("name"), float(i.get("mass")), numbers(i.get("pos")), turned(numbers(i.get("quat", "1 0 0 0")), numbers(i.get("diaginertia")))


class OneInertia(unittest.TestCase):
    def test_files_of_other_formats_have_the_inertia_of_the_model_or_the_report_says_why_not(self):
        compared = told = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(FIRST, LAST):
                file = pathlib.Path(folder, f"s{seed}.usda")
                file.write_text(drawn_masses.stage(seed))
                model = {b["prim"].rsplit("/")[-1]: b for b in json.loads(mechane("info", file, "--json").stdout)["bodies"]}
                self.assertEqual(set(model), {"b0", "b1", "b2", "b3"}, seed)
                for suffix, read in (("urdf", of_urdf), ("xml", of_mjcf), ("sdf", of_sdf)):
                    out, loss = file.with_suffix("." + suffix), file.with_suffix(".json")
                    frames = ["--keep-frames"] if suffix == "urdf" else []  # URDF's links stand in their joints, which would move the centres
                    done = mechane("convert", file, "-o", out, "--loss", loss, "--fail-on-loss", "never", *frames)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    entries = [e for e in json.loads(loss.read_text())["entries"] if (e["code"], e["action"]) in TOLD]
                    found = {name: rest for name, *rest in read(ET.parse(out).getroot())}
                    for name, body in model.items():
                        if any(f"'{name}'" in e["what"] for e in entries):
                            told += 1
                            continue
                        where = f"seed {seed}, {suffix}, {name} ({body['rule']})"
                        self.assertIn(name, found, where)
                        self.same(found[name], body, where)
                        compared += 1
        self.assertGreater(compared, 4 * told)

    def same(self, found, body, where):
        """To 1e-5 of the largest: the model is in single precision, and so are the numbers of a stage."""
        mass, com, inertia = found
        self.assertAlmostEqual(mass, body["mass"], delta=1e-5 * body["mass"], msg=where)
        for a, b in zip(com, body["com"]):
            self.assertAlmostEqual(a, b, delta=1e-5, msg=where)
        size = max(body["inertia"][k][k] for k in range(3))
        for i in range(3):
            for j in range(3):
                self.assertAlmostEqual(inertia[i][j], body["inertia"][i][j], delta=1e-5 * size, msg=where)


if __name__ == "__main__":
    unittest.main()

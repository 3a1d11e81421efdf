"""`mechane collide`: contacts of single pairs and of a stage."""
import json
import math
import pathlib
import tempfile
import unittest

from tests.cli.program import QUADRUPED, ROOT, document, mechane

I = [0, 0, 0, 0, 0, 0, 1]
CUBE = {"vertices": [[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)],
        "indices": [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]}


def at(x=0.0, y=0.0, z=0.0, q=(0, 0, 0, 1)):
    return [x, y, z, *q]


def shape(kind, scale=(), pose=I, **more):
    return {"type": kind, "scale": list(scale), "pose": list(pose), **more}


def answers(cases):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cases.json"
        path.write_text(json.dumps({"schema": "mechane.cases/1", "cases": cases}))
        out = document("collide", "--cases", path)
    assert out["schema"] == "mechane.contacts/1"
    assert [row["id"] for row in out["cases"]] == [case["id"] for case in cases]
    return out["cases"]


class Cases(unittest.TestCase):
    def test_distances_of_the_table(self):
        half = math.sqrt(0.5)
        field = {"rows": 3, "cols": 3, "hx": 1, "hy": 1, "data": [0] * 9}
        table = [
            ("A01", shape("sphere", [1]), shape("sphere", [0.5], at(1.55)), 0.05, [1, 0, 0]),
            ("A04", shape("sphere", [1]), shape("sphere", [0.5], at(1.71)), None, None),
            ("B04", shape("plane", [0, 0]), shape("box", [0.5, 0.4, 0.3], at(0, 0, 0.29)), -0.01, [0, 0, 1]),
            ("B04 swapped", shape("box", [0.5, 0.4, 0.3], at(0, 0, 0.29)), shape("plane", [0, 0]), -0.01, [0, 0, -1]),
            ("C02", shape("sphere", [0.5], at(1.3, 1.3)), shape("box", [1, 1, 1]), -0.0757359, [-half, -half, 0]),
            ("D02", shape("capsule", [0.25, 0.5]), shape("capsule", [0.25, 0.5], at(0.48)), -0.02, [1, 0, 0]),
            ("F02", shape("cylinder", [0.5, 0.5]), shape("cylinder", [0.5, 0.5], at(0.99)), -0.01, [1, 0, 0]),
            ("F07", shape("ellipsoid", [0.5, 0.4, 0.3]), shape("ellipsoid", [0.5, 0.4, 0.3], at(0.99)), -0.01, [1, 0, 0]),
            ("G01", shape("convex_mesh", **CUBE), shape("convex_mesh", pose=at(0, 0, 0.99), **CUBE), -0.01, [0, 0, 1]),
            ("G06", shape("mesh", **CUBE), shape("sphere", [0.5], at(0.1, 0.2, 0.95)), -0.05, [0, 0, 1]),
            ("field", shape("heightfield", heightfield=field), shape("sphere", [0.25], at(0.07, 0.03, 0.24)), -0.01, [0, 0, 1]),
        ]
        for row, (name, a, b, distance, normal) in zip(answers([{"id": n, "a": a, "b": b, "gap": 0.2} for n, a, b, _, _ in table]), table):
            with self.subTest(name):
                self.assertNotIn("error", row)
                if distance is None:
                    self.assertIsNone(row["distance"])
                    self.assertEqual(row["contacts"], [])
                    continue
                self.assertAlmostEqual(row["distance"], distance, delta=2e-5)
                for contact in row["contacts"]:
                    for i in range(3):
                        self.assertAlmostEqual(contact["normal"][i], normal[i], delta=2e-3)
                        gap = contact["point_b"][i] - contact["point_a"][i]
                        self.assertAlmostEqual(gap, contact["distance"] * contact["normal"][i], delta=2e-5)

    def test_the_contact_distance_of_a_stage_is_less_the_margins(self):
        """Seed 003: d = s - m. Two unit cubes 0.03 apart, margins 0.02 and 0.01: d = 0."""
        def cube(name, x, margin):
            return (f'def Cube "{name}" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "NewtonCollisionAPI"]\n)\n{{\n    double size = 1\n    float newton:contactMargin = {margin}\n'
                    f'    double3 xformOp:translate = ({x}, 0, 0)\n    uniform token[] xformOpOrder = ["xformOp:translate"]\n}}\n')
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "s.usda"
            stage.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + cube("a", 0, 0.02) + cube("b", 1.03, 0.01))
            for row in document("collide", stage, "--json")["contacts"]:
                self.assertAlmostEqual(row["distance"], 0.03, places=5)
                self.assertAlmostEqual(row["contact_distance"], 0, places=5)
            text = mechane("collide", stage).stdout
            self.assertIn("0.000000 m", text)
            self.assertIn("surfaces +0.030000 m", text)

    def test_margins_are_not_subtracted(self):
        row = answers([{"id": 1, "a": shape("sphere", [0.5], margin=0.02), "b": shape("box", [0.5] * 3, at(1.03), margin=0.03), "gap": 0.01}])[0]
        self.assertAlmostEqual(row["distance"], 0.03, delta=1e-6)
        self.assertAlmostEqual(row["contacts"][0]["point_a"][0], 0.5, delta=1e-6)
        self.assertAlmostEqual(row["contacts"][0]["point_b"][0], 0.53, delta=1e-6)

    def test_what_makes_no_sense_is_said_in_its_row_and_the_others_are_answered(self):
        good = shape("sphere", [1])
        bad = [
            ("type", shape("blob", [1]), "blob"),
            ("negative", shape("sphere", [-1]), "-1"),
            ("sizes", shape("box", [1]), "3"),
            ("pose", shape("sphere", [1], [0, 0, 0]), "pose"),
            ("quaternion", shape("sphere", [1], [0, 0, 0, 0, 0, 0, 2]), "quaternion"),
            ("index", shape("mesh", vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], indices=[[0, 1, 9]]), "9"),
            ("no vertices", shape("mesh"), "vertices"),
            ("text", {"type": 7}, ""),
            ("nothing", None, ""),
            ("field", shape("heightfield", heightfield={"rows": 1, "cols": 3, "data": [0, 0, 0]}), ""),
        ]
        rows = answers([{"id": name, "a": a, "b": good, "gap": 0} for name, a, _ in bad] + [{"id": "good", "a": good, "b": good, "gap": 0}])
        for row, (name, _, word) in zip(rows, bad):
            with self.subTest(name):
                self.assertIn(word, row["error"])
                self.assertIsNone(row["distance"])
        self.assertAlmostEqual(rows[-1]["distance"], -2, delta=1e-6)

    def test_a_document_that_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cases.json"
            for text in ("", "[1, 2", "{}", '{"schema": "other"}', '{"schema": "mechane.cases/1", "cases": 3}'):
                path.write_text(text)
                with self.subTest(text):
                    done = mechane("collide", "--cases", path)
                    self.assertEqual(done.returncode, 3)
                    self.assertIn("CLI_CASES", done.stderr)
            self.assertEqual(mechane("collide", "--cases", path.with_name("gone")).returncode, 3)
        self.assertEqual(mechane("collide").returncode, 2)


class Stage(unittest.TestCase):
    def test_contacts_name_shapes_and_every_broad_phase_finds_the_same(self):
        text = {mode: json.dumps(document("collide", QUADRUPED, "--json", "--broad-phase", mode)["contacts"]) for mode in ("nxn", "sap", "tree", "explicit")}
        self.assertEqual(len(set(text.values())), 1)
        self.assertEqual(mechane("collide", QUADRUPED, "--broad-phase", "best").returncode, 2)

    def test_after_some_steps_the_robot_stands_on_the_floor(self):
        before, after = (document("collide", QUADRUPED, "--json", "--at", frame)["contacts"] for frame in (0, 120))
        deepest = [min((c["distance"] for c in rows if "/floor" in c["shape_a"]), default=1) for rows in (before, after)]
        self.assertGreater(deepest[0], 0.05)
        self.assertLess(abs(deepest[1]), 0.01)


class Pressure(unittest.TestCase):
    def test_the_rule_of_a_pairs_stiffness_follows_compat(self):
        """GAP-046: the harmonic mean keeps the stiffness of equal materials; newton-1.8 puts them in series, which is half."""
        stage = ROOT / "samples" / "usd" / "sdf_hydroelastic.usda"
        total = {compat: sum(row.get("stiffness", 0) for row in document("collide", stage, "--json", *compat)["contacts"])
                 for compat in ((), ("--compat", "newton-1.8"))}
        self.assertGreater(total[()], 0)
        self.assertAlmostEqual(total[()] / total["--compat", "newton-1.8"], 2, delta=1e-5)


class DistanceFields(unittest.TestCase):
    MESH = """    def Mesh "%s" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonSDFCollisionAPI"]
    )
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
        float3 xformOp:scale = (%s)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
"""

    def test_one_is_built_for_each_mesh_scale_and_setting_and_none_for_round_shapes(self):
        """GAP-039: the counter says what was built."""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "a.usda"
            ball = '    def Sphere "ball" (\n        prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonSDFCollisionAPI"]\n    )\n    {\n    }\n'
            inside = self.MESH % ("a", "1, 1, 1") + self.MESH % ("b", "1, 1, 1") + self.MESH % ("c", "2, 2, 2")
            head = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n\ndef Xform "box" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{\n'
            for text, count in ((inside, 2), (ball, 0), (inside + ball, 2), (inside.replace('"NewtonSDFCollisionAPI"', '"PhysicsMeshCollisionAPI"'), 0)):
                stage.write_text(head + text + "}\n")
                self.assertEqual(document("collide", stage, "--json")["sdf_built"], count)


if __name__ == "__main__":
    unittest.main()

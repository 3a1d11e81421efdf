"""`mechane check --registry`: submissions to a schema registry (REP-4.2-g); `schema show` and `schema map` (GAP-066); `sim --sense` (GAP-048)."""
import csv
import json
import os
import tempfile
import unittest

from tests.cli.program import ROOT, document, mechane

CLASS = '''#usda 1.0
(
    subLayers = [@usd/schema.usda@]
)
class "{name}" (
    inherits = </APISchemaBase>
    customData = {{
        token apiSchemaType = "singleApply"
    }}
)
{{
    {properties}
}}
'''
GOOD = {"name": "ExtendedPhysicsBeltAPI", "properties": "float ext_physics:belt:speed = 0"}
PARTS = {"generatedSchema.usda": "#usda 1.0\n", "plugInfo.json": "{}", "README.md": "A belt.", "checks/belt.py": "",
         "examples/belt.usda": '#usda 1.0\n(\n    defaultPrim = "belt"\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "belt" (kind = "component")\n{\n}\n'}


class Registry(unittest.TestCase):
    def judge(self, schema=GOOD, without=(), **more):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"schema.usda": CLASS.format(**schema), **PARTS, **more}.items():
                if name in without:
                    continue
                path = os.path.join(folder, "belt", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return mechane("check", "--registry", folder)

    def test_what_a_submission_lacks_is_an_error_each(self):
        for part in ("README.md", "checks/belt.py", "examples/belt.usda", "generatedSchema.usda"):
            with self.subTest(part=part):
                done = self.judge(without=(part,))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("REGISTRY_SUBMISSION", done.stderr)
        done = self.judge(without=("generatedSchema.usda",), **{"CMakeLists.txt": "# usdGenSchema"})
        self.assertNotIn("REGISTRY_SUBMISSION", done.stderr)  # a recipe that makes it

    def test_names_and_transport_are_judged(self):
        for schema, code in (({"name": "BeltAPI", "properties": "float ext_physics:belt:speed = 0"}, "REGISTRY_NAMES"),
                             ({"name": "ExtendedPhysicsBeltAPI", "properties": "float newton:belt = 0"}, "REGISTRY_NAMES"),
                             ({"name": "ExtendedPhysicsBeltAPI", "properties": "float ext_physics:speed = 0"}, "REGISTRY_NAMES"),
                             ({"name": "SensorBeltAPI", "properties": 'string sensor:belt:topic = "x"'}, "REGISTRY_TRANSPORT")):
            with self.subTest(schema=schema):
                done = self.judge(schema)
                self.assertIn(code, done.stderr)
                self.assertEqual(done.returncode, 1)
        self.assertNotIn("REGISTRY_NAMES", self.judge().stderr)

    def test_examples_have_to_pass(self):
        bad = PARTS["examples/belt.usda"].replace("    metersPerUnit = 1\n", "    metersPerUnit = 0.01\n")
        self.assertIn("REGISTRY_EXAMPLE", self.judge(**{"examples/belt.usda": bad}).stderr)

    def test_wrong_use_is_exit_2(self):
        self.assertEqual(mechane("check", "--registry", "/nowhere").returncode, 2)
        self.assertEqual(mechane("check", "--registry", str(ROOT / "schemas"), "a.usda").returncode, 2)


class Schemas(unittest.TestCase):
    def test_show_prints_types_and_fallbacks_of_the_standard(self):
        """The rows of RosTopicAPI in table 3.9.1"""
        shown = document("schema", "show", "RosTopicAPI", "--json")["schemas"][0]
        rows = {row["name"]: row for row in shown["properties"]}
        for name, kind in (("ros:topic:name", "string"), ("ros:topic:type", "string"), ("ros:topic:role", "token")):
            self.assertEqual(rows[name]["type"], kind)
        self.assertIn("publisher", rows["ros:topic:role"]["allowed"])
        self.assertIn("ros:topic:name", mechane("schema", "show", "RosTopicAPI").stdout)
        drive = document("schema", "show", "PhysicsDriveAPI", "--json")["schemas"][0]
        self.assertIn("drive:NAME:physics:damping", [row["name"] for row in drive["properties"]])

    def test_a_schema_that_is_not_there_has_neighbours(self):
        done = mechane("schema", "show", "RosTopcAPI")
        self.assertEqual(done.returncode, 2)
        self.assertIn("RosTopicAPI", done.stderr)
        self.assertEqual(mechane("schema", "pairs", "x").returncode, 2)

    def test_map_names_what_means_the_same(self):
        rows = {row["key"]: row for row in document("schema", "map", "physx", "newton", "--json")["rows"]}
        self.assertIn("physxJoint:armature", rows["joint_armature"]["from"])
        self.assertIn("newton:armature", rows["joint_armature"]["to"])
        self.assertEqual(mechane("schema", "map", "physx").returncode, 2)
        self.assertNotEqual(mechane("schema", "map", "physx", "bullet").returncode, 0)


#: A box of 1 kg on a static floor; 9.81 N by its weight.
BOX = '''#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
}
def Cube "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    double size = 1
    double3 xformOp:translate = (0, 0, -0.5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    double3 xformOp:translate = (0, 0, 0.1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        double size = 0.2
    }
}
'''


class Algorithms(unittest.TestCase):
    CASES = [{"id": 0, "a": {"type": "sphere", "scale": [0.5]}, "b": {"type": "sphere", "scale": [0.25], "pose": [3, 0, 4, 0, 0, 0, 1]}, "gap": 10},
             {"id": 1, "a": {"type": "box", "scale": [1, 1, 1]}, "b": {"type": "capsule", "scale": [0.25, 0.5], "pose": [0, 0, 2, 0, 0, 0, 1]}, "gap": 1},
             {"id": 2, "a": {"type": "box", "scale": [1, 1, 1]}, "b": {"type": "cone", "scale": [0.5, 1], "pose": [0, 0, 2.5, 0, 0, 0, 1]}, "gap": 1},
             {"id": 3, "a": {"type": "box", "scale": [1, 1, 1]}, "b": {"type": "cone", "scale": [0.5, 1], "pose": [0, 0, 2.5, 1, 0, 0, 0]}, "gap": 1},
             {"id": 4, "a": {"type": "box", "scale": [1, 1, 1]}, "b": {"type": "box", "scale": [1, 1, 1], "pose": [0.5, 0.5, 1.75, 0, 0, 0, 1]}, "gap": 0},
             {"id": 5, "a": {"type": "plane", "scale": [0, 0]}, "b": {"type": "sphere", "scale": [0.5]}, "gap": 1}]

    def solve(self, algorithm):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "cases.json")
            with open(name, "w", encoding="utf-8") as file:
                json.dump({"schema": "mechane.cases/1", "cases": self.CASES}, file)
            return document("collide", "--cases", name, "--algorithm", algorithm)["cases"]

    def test_support_maps_give_the_distances_of_the_closed_forms(self):
        """(COL 8, the seed's mpr and closest distance) 5 - 0.75; 2 - 0.75 - 1; 1.5 - 1; the tip of a cone as far as its base; 0.25 deep"""
        mpr, gjk, auto = self.solve("mpr"), self.solve("gjk"), self.solve("auto")
        for row, distance in zip(mpr, (4.25, 0.25, 0.5, 0.5, -0.25)):
            self.assertAlmostEqual(row["distance"], distance, places=6)
            self.assertAlmostEqual(auto[row["id"]]["distance"], distance, places=4)
        for row, distance in zip(gjk[:4], (4.25, 0.25, 0.5, 0.5)):
            self.assertAlmostEqual(row["distance"], distance, places=6)
            self.assertEqual(len(row["contacts"]), 1)
        self.assertEqual(len(mpr[4]["contacts"]), 4)
        self.assertIn("overlap", gjk[4]["error"])
        self.assertIn("no support map", mpr[5]["error"])
        self.assertEqual(mechane("collide", str(ROOT / "samples" / "usd" / "box_on_box.usda"), "--algorithm", "mpr").returncode, 2)


class Sense(unittest.TestCase):
    def test_a_body_at_rest_feels_its_weight(self):
        with tempfile.TemporaryDirectory() as folder:
            stage, table = os.path.join(folder, "box.usda"), os.path.join(folder, "box.csv")
            with open(stage, "w", encoding="utf-8") as file:
                file.write(BOX)
            done = mechane("sim", stage, "--duration", "2s", "--sense", "/box", "--sense", "/fl*", "--sense", "/box/shape=/floor", "-o", table)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(table, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertAlmostEqual(float(rows[-1]["/box.fz [N]"]), 9.81, delta=0.05)
            self.assertAlmostEqual(float(rows[-1]["/floor.fz [N]"]), -9.81, delta=0.05)
            self.assertAlmostEqual(float(rows[-1]["/box/shape=/floor.fz [N]"]), 9.81, delta=0.05)
            out = document("sim", stage, "--duration", "2s", "--sense", "/box", "--json", "-q")
            self.assertEqual([s["label"] for s in out["sensors"]], ["/box"])
            self.assertEqual(len(out["sensors"][0]["force"]), len(out["frames"]))
            self.assertAlmostEqual(out["sensors"][0]["force"][-1][2], 9.81, delta=0.05)
            lost = mechane("sim", stage, "--sense", "/bix")
            self.assertEqual(lost.returncode, 2)
            self.assertIn("SOLVER_SENSOR", lost.stderr)
            self.assertNotIn("sensors", json.dumps(document("sim", stage, "--frames", "1", "--json", "-q")))


if __name__ == "__main__":
    unittest.main()

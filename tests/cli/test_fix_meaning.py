"""`fix` says what its repairs simulate otherwise, and repairs of soft meshes keep their triangles (REP-3.4-a, REP-3.4-b)."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import mechane

CLOTH = """#usda 1.0
(
    defaultPrim = "w"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "w"
{{
    def Mesh "cloth" ( prepend apiSchemas = ["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"] )
    {{
        uniform token orientation = "{orientation}"
        uniform token subdivisionScheme = "none"
        int[] faceVertexCounts = {counts}
        int[] faceVertexIndices = {indices}
        point3f[] points = [(0, 0, 1), (2, 0, 1), (2, 1, 1), (0, 1, 1), (3, 0, 1), (3, 1, 1)]
        rel material:binding:physics = </w/m>
{more}    }}
    def Material "m" ( prepend apiSchemas = ["PhysicsSurfaceDeformableMaterialAPI"] )
    {{
        float physics:density = 300
        float physics:thickness = 0.01
    }}
}}
"""

# Centimetres and grams: 1 g/s^2 is 0.001 N/m, 1 g cm/s^2 is 1e-5 N.
PULLED = """#usda 1.0
(
    defaultPrim = "w"
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "w"
{
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
    }
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
    }
    def PhysicsRevoluteJoint "turns"
    {
        rel physics:body1 = </w/a>
    }
    def PhysicsPrismaticJoint "slides"
    {
        rel physics:body0 = </w/a>
        rel physics:body1 = </w/b>
        double[] mjc:solimplimit = [0.9, 0.95, 0.5]
    }
    def MjcTendon "tendon"
    {
        uniform token mjc:type = "fixed"
        rel mjc:path = [</w/turns>, </w/slides>]
        double[] mjc:path:coef = [50, 2]
        double mjc:stiffness = 2000
        double mjc:range:max = 30
        double[] mjc:springlength = [10, -1]
    }
    def MjcActuator "servo"
    {
        rel mjc:target = </w/slides>
        uniform token mjc:biasType = "affine"
        double[] mjc:gainPrm = [4000, 0, 0]
        double[] mjc:biasPrm = [0, -4000, -10]
        double mjc:ctrlRange:max = 20
        double mjc:forceRange:max = 300000
    }
}
"""
IN_SI = {"solimplimit": [0.9, 0.95, 0.005], "path:coef": [0.5, 2], "stiffness": [2], "range:max": [0.3], "springlength": [0.1, -1], "gainPrm": [4, 0, 0],
         "biasPrm": [0, -4, -0.01], "ctrlRange:max": [0.2], "forceRange:max": [3]}


class RepairsOfMeaning(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def fixed(self, text, *options):
        stage = self.root / "robot.usda"
        stage.write_text(text)
        done = mechane("fix", str(stage), "-o", str(self.root / "out"), *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done, stage, self.root / "out" / "robot.usda"

    def soft(self, stage):
        model = json.loads(mechane("dump", "model", str(stage)).stdout)["model"]
        return model["particle_mass"], sorted(tuple(sorted(t)) for t in model["tri_indices"])

    def test_the_triangles_of_a_cloth_stay_whichever_way_its_faces_are_wound_and_from_whichever_corner_they_begin(self):
        for orientation in ("rightHanded", "leftHanded"):
            for first in range(4):
                quad = [0, 1, 2, 3][first:] + [0, 1, 2, 3][:first]
                other = [1, 4, 5, 2][first:] + [1, 4, 5, 2][:first]
                with self.subTest(orientation=orientation, first=first):
                    done, before, after = self.fixed(CLOTH.format(orientation=orientation, counts=[4, 4], indices=quad + other, more=""))
                    self.assertIn("REP-3.4-a", done.stdout + done.stderr)
                    self.assertEqual(self.soft(before), self.soft(after))
                    self.assertNotIn("DIFFERENCE_REPAIR", done.stderr)

    def test_actuators_tendons_and_softness_of_mujoco_follow_the_units(self):
        text = self.fixed(PULLED, "--phases", "P3")[2].read_text()
        for name, expected in IN_SI.items():
            with self.subTest(name):
                value = re.search(rf"double(?:\[\])? mjc:{name} = (.*)", text)[1]
                numbers = json.loads(value if value.startswith("[") else f"[{value}]")
                self.assertEqual(len(numbers), len(expected))
                for found, right in zip(numbers, expected):
                    self.assertAlmostEqual(found, right, 9)

    def test_faces_that_rest_angles_name_stay_polygons(self):
        more = "        int[] physics:restAdjTriPairs = [0, 1]\n        float[] physics:restBendAngles = [45]\n"
        done, before, after = self.fixed(CLOTH.format(orientation="rightHanded", counts=[4, 4], indices=[0, 1, 2, 3, 1, 4, 5, 2], more=more))
        self.assertIn("restAdjTriPairs names the faces as they are", done.stdout + done.stderr)
        self.assertEqual(self.soft(before), self.soft(after))

    def test_units_stay_where_a_part_cannot_follow(self):
        """A package is no layer of the asset, and this one says no unit: its numbers count in the asset's. A cube of 200 cm stays one of 2 m."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "part.usda").write_text('#usda 1.0\n(\n    defaultPrim = "p"\n)\ndef Xform "p"\n{\n    def Cube "c"\n    {\n        double size = 200\n    }\n}\n')
            (folder / "asset").mkdir()
            mechane("cat", folder / "part.usda", "-o", folder / "asset" / "part.usdz", "-q")
            (folder / "asset" / "r.usda").write_text('#usda 1.0\n(\n    defaultPrim = "r"\n    metersPerUnit = 0.01\n    upAxis = "Z"\n)\ndef Xform "r"\n{\n    def "p" (\n        prepend references = @./part.usdz@\n    )\n    {\n'
                                                     '    }\n    def Sphere "s"\n    {\n        double3 xformOp:translate = (0, 0, 300)\n        double xformOp:rotateZ = 90\n        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]\n    }\n}\n')
            done = mechane("fix", folder / "asset" / "r.usda", "-o", folder / "out", "--report", folder / "report.json")
            text = (folder / "out" / "r.usda").read_text()
            self.assertIn("metersPerUnit = 0.01", text)
            self.assertIn("xformOp:orient", text)  # what the size does not depend on is repaired
            left = {u["rule"]: u for u in json.loads((folder / "report.json").read_text())["unrepaired"]}
            self.assertEqual(left["REP-1.1-a"]["reason"], "would-resize", done.stderr)
            self.assertIn("(1, 1, 3.01) m", left["REP-1.1-a"]["message"])

    def test_the_unit_of_mass_stays_where_a_part_cannot_follow(self):
        """1000 g of a package that says no unit stay 1 kg."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "part.usda").write_text('#usda 1.0\n(\n    defaultPrim = "p"\n)\ndef Xform "p" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n)\n{\n    float physics:mass = 1000\n}\n')
            (folder / "asset").mkdir()
            mechane("cat", folder / "part.usda", "-o", folder / "asset" / "part.usdz", "-q")
            (folder / "asset" / "r.usda").write_text('#usda 1.0\n(\n    defaultPrim = "r"\n    kilogramsPerUnit = 0.001\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
                                                     'def Xform "r"\n{\n    def "p" (\n        prepend references = @./part.usdz@\n    )\n    {\n    }\n}\n')
            mechane("fix", folder / "asset" / "r.usda", "-o", folder / "out", "--report", folder / "report.json")
            self.assertIn("kilogramsPerUnit = 0.001", (folder / "out" / "r.usda").read_text())
            left = {u["rule"]: u for u in json.loads((folder / "report.json").read_text())["unrepaired"]}
            self.assertIn("/r/p would weigh 1000 kg, and weighs 1 kg", left["REP-1.1-b"]["message"])


if __name__ == "__main__":
    unittest.main()

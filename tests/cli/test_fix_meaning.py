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


if __name__ == "__main__":
    unittest.main()

"""Suffixes in capitals, as some exporters and file systems write them, mean what small ones mean."""
import json
import os
import shutil
import tempfile
import unittest

from .program import mechane

ROBOT = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "robot" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 2

    def Cube "box" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double size = 0.2
    }
}
"""
URDF = '<robot name="one"><link name="base"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>\n'


class SuffixCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def good(self, *arguments):
        done = mechane(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def mass(self, file):
        return json.loads(self.good("dump", "model", file))["model"]["body_mass"]

    def test_layers_and_packages_are_opened_and_written(self):
        small, large = self.write("robot.usda", ROBOT), self.write("ROBOT.USDA", ROBOT)
        self.assertEqual(self.mass(large), self.mass(small))
        for suffix, head in (("USDA", b"#usda"), ("USDC", b"PXR-USDC"), ("USD", b"PXR-USDC"), ("USDZ", b"PK\x03\x04")):
            out = self.path("out." + suffix)
            self.good("cat", large, "-o", out)
            with open(out, "rb") as file:
                self.assertTrue(file.read(8).startswith(head), suffix)
            self.assertEqual(self.mass(out), self.mass(small), suffix)

    def test_layers_that_are_named_by_others(self):
        self.write("PARTS.USDA", ROBOT)
        self.write("whole.usda", '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n    upAxis = "Z"\n    subLayers = [@./PARTS.USDA@]\n)\n')
        self.assertEqual(self.mass(self.path("whole.usda")), [2])
        self.good("cat", self.path("whole.usda"), "-o", self.path("whole.usdz"))
        shutil.move(self.path("PARTS.USDA"), self.path("elsewhere"))
        self.assertEqual(self.mass(self.path("whole.usdz")), [2])

    def test_a_repair_keeps_the_name_and_is_found_by_check(self):
        self.write("ROBOT.USDA", ROBOT)
        self.assertIn(mechane("fix", self.path("ROBOT.USDA"), "--in-place").returncode, (0, 1))
        self.assertEqual(sorted(name for name in os.listdir(self.folder.name) if name.lower().startswith("robot")), ["ROBOT.USDA"])
        self.assertNotIn("no USD", mechane("check", self.folder.name).stderr)
        self.assertEqual(self.mass(self.path("ROBOT.USDA")), [2])

    def test_other_formats_in_and_out(self):
        self.write("ONE.URDF", URDF)
        self.assertEqual(self.mass(self.path("ONE.URDF")), [2])
        for name in ("a.USDA", "a.URDF", "a.XML", "a.SDF", "a.GLTF"):
            self.good("convert", self.path("ONE.URDF"), "-o", self.path(name))
            self.assertTrue(os.path.exists(self.path(name)), name)
        self.write("BOX.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        self.assertEqual(len(self.mass(self.path("BOX.OBJ"))), 1)

    def test_recordings_and_pictures(self):
        robot = self.write("robot.usda", ROBOT)
        for name in ("run.JSON", "run.CSV", "run.HTML", "run.USDA", "run.MCAP", "run.MREC", "run.PNG", "run.APNG"):
            self.good("sim", robot, "--frames", "2", "-o", self.path(name))
            self.assertGreater(os.path.getsize(self.path(name)), 0, name)
        self.good("render", robot, "-o", self.path("still.PNG"), "--size", "32x32")
        self.assertEqual(json.loads(self.good("replay", self.path("run.MREC"), "--json"))["frames"], 3)


if __name__ == "__main__":
    unittest.main()

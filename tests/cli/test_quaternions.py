"""Quaternions have their scalar last in everything that Mechane prints, and first in USD text."""
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import document, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
    timeCodesPerSecond = 1
)

def Xform "World"
{
    def PhysicsScene "scene"
    {
        float physics:gravityMagnitude = 0
    }

    def Cube "plain" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }

    def Cube "turned" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        quatf xformOp:orient = (0.5, 0.1, 0.7, 0.5)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
"""


class Quaternions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stage = self.folder / "a.usda"
        self.stage.write_text(STAGE)

    def poses(self):
        model = document("dump", "model", self.stage)["model"]
        state = document("sim", self.stage, "--frames", "1", "--json")["frames"][-1]
        order = model["body_label"]
        return {label.rsplit("/", 1)[-1]: (model["body_q"][i][3:], state["body_q"][i][3:]) for i, label in enumerate(order)}

    def test_no_rotation_is_0_0_0_1(self):
        """In the model and in the state (DYN-001)."""
        for quaternion in self.poses()["plain"]:
            self.assertEqual(quaternion, [0, 0, 0, 1])

    def test_the_scalar_of_usd_comes_first_there_and_last_here(self):
        """0.5^2 + 0.1^2 + 0.7^2 + 0.5^2 = 1, and no two orders of these numbers are the same rotation."""
        for quaternion in self.poses()["turned"]:
            for value, expected in zip(quaternion, (0.1, 0.7, 0.5, 0.5)):
                self.assertAlmostEqual(value, expected, delta=1e-7)
        out = self.folder / "out.usda"
        self.assertEqual(mechane("sim", self.stage, "--frames", "1", "-q", "-o", out).returncode, 0)
        written = re.findall(r"quatd xformOp:orient\S*\.timeSamples = \{\s*0: \(([^)]*)\)", out.read_text())
        self.assertIn([0.5, 0.1, 0.7, 0.5], [[round(float(x), 6) for x in text.split(",")] for text in written])

    def test_what_is_written_reads_back_bit_for_bit(self):
        """Out to USD text and in again, with an orientation that no reordering leaves as it is (DYN-002: the side of USD; there is no
        reader of MJCF, and what leaves for MuJoCo is bench/step_mjcf.cpp and the benchmark that runs it)."""
        out = self.folder / "out.usda"
        self.assertEqual(mechane("sim", self.stage, "--frames", "1", "-q", "-o", out).returncode, 0)
        again = document("dump", "model", out)["model"]
        first = document("dump", "model", self.stage)["model"]
        of = lambda model, name: next(q for label, q in zip(model["body_label"], model["body_q"]) if label.endswith(name))
        self.assertEqual(of(again, "turned"), of(first, "turned"))


if __name__ == "__main__":
    unittest.main()

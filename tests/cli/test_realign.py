"""`mechane fix --realign-joints`: the frames of joints meet again after bodies were moved."""
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "robot"
{
    def Cube "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
    }

    def Cube "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double3 xformOp:translate = (3, 0, %s)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }

    def PhysicsRevoluteJoint "hinge"
    {
        uniform token physics:axis = "Z"
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/arm>
        point3f physics:localPos0 = (1.5, 0, 0)
        point3f physics:localPos1 = (-1.5, 0, 0)
    }
}
"""


class Realign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "a.usda"
        self.out = self.folder / "out.usda"

    def realigned(self, source):
        done = mechane("fix", source, "--realign-joints", "-o", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.out.read_text(), done.stderr

    def gaps(self, stage):
        done = mechane("dump", "physics", stage, "-v")
        self.assertEqual(done.returncode, 0, done.stderr)
        return (done.stdout + done.stderr).count("PHY_JOINT_FRAME_GAP")

    def test_a_body_that_was_moved_keeps_its_place_and_the_joint_comes_along(self):
        """GAP-062"""
        self.source.write_text(STAGE % 1)
        self.assertGreater(self.gaps(self.source), 0)
        text, said = self.realigned(self.source)
        self.assertIn("1 joints realigned", said)
        self.assertIn("point3f physics:localPos1 = (-1.5, 0, -1)", text)
        self.assertIn("point3f physics:localPos0 = (1.5, 0, 0)", text)
        self.assertEqual(self.gaps(self.out), 0)
        poses = [document("dump", "model", stage)["model"]["body_q"] for stage in (self.source, self.out)]
        # The arm was authored 1 above the hinge: before, the joint drags it down; now it stays where it was put.
        self.assertEqual([pose[1][:3] for pose in poses], [[3, 0, 0], [3, 0, 1]])

        again = self.folder / "again.usda"
        done = mechane("fix", self.out, "--realign-joints", "-o", again)
        self.assertIn("0 joints realigned", done.stderr)
        self.assertEqual(again.read_text(), text)

    def test_a_difference_writes_nothing(self):
        self.source.write_text(STAGE % 1)
        done = mechane("fix", self.source, "--realign-joints", "--diff")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("+        point3f physics:localPos1 = (-1.5, 0, -1)", done.stdout)
        self.assertEqual(self.source.read_text(), STAGE % 1)


if __name__ == "__main__":
    unittest.main()

"""--strict: status 1 for values that nothing uses and for warnings, in every verb that makes a model of a stage (docs/cli.md, exit status 1)."""
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

STAGE = """#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "r"
{
    def Cube "b" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"]
    )
    {
        double size = 1
        float physics:mass = 1
%s    }
    def PhysicsPrismaticJoint "j" (
        prepend apiSchemas = ["NewtonJointAPI"]
    )
    {
        rel physics:body1 = </r/b>
%s    }
}
"""
#: Sets PhysX's solver: no warning, and no effect.
IGNORED = "        int physxRigidBody:solverPositionIterationCount = 16\n"
#: What xpbd does not read.
UNREAD = "        float newton:velocityLimit = 1\n"


class Strict(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stage(self, name, body="", joint=""):
        path = self.folder / name
        path.write_text(STAGE % (body, joint))
        return path

    def verbs(self, stage, *options):
        """Every verb that imports, by name."""
        recording = self.folder / (stage.stem + ".mrec")
        self.assertEqual(mechane("sim", stage, "--frames", 2, "-o", recording).returncode, 0)
        return {"info": ["info", stage], "tree": ["tree", stage], "dump": ["dump", "model", stage], "sim": ["sim", stage, "--frames", 2, "-o", "/dev/null"],
                "bench": ["bench", stage, "--nstep", 2], "import": ["bench", stage, "--import"], "collide": ["collide", stage],
                "render": ["render", stage, "-o", self.folder / "picture.png"], "replay": ["replay", recording, "--verify"]}

    def test_values_that_nothing_uses(self):
        clean, ignored = self.stage("clean.usda"), self.stage("ignored.usda", IGNORED)
        for name, words in self.verbs(clean).items():
            with self.subTest(name):
                done = mechane(*words, "--strict")
                self.assertEqual(done.returncode, 0, done.stderr)
        for name, words in self.verbs(ignored).items():
            with self.subTest(name):
                self.assertEqual(mechane(*words).returncode, 0)
                done = mechane(*words, "--strict")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("RUN_VALUES_IGNORED", done.stderr)
                self.assertIn("/r/b.physxRigidBody:solverPositionIterationCount", done.stderr)

    def test_what_the_solver_does_not_honour(self):
        stage = self.stage("limited.usda", "", UNREAD)
        for words in (["sim", stage, "--frames", 2, "-o", "/dev/null"], ["bench", stage, "--nstep", 2]):
            for solver, status in (("softstep", 0), ("xpbd", 1)):
                with self.subTest(verb=words[0], solver=solver):
                    done = mechane(*words, "--solver", solver, "--strict")
                    self.assertEqual(done.returncode, status, done.stderr)
                    self.assertEqual(done.stderr.count("SOLVER_FEATURE"), status)

    def test_a_lossy_conversion(self):
        # Gravity compensation has no word in OpenUSD; it stands in the layer of MuJoCo, which the report says.
        source = self.folder / "ball.xml"
        source.write_text("<mujoco><worldbody><body name='b' gravcomp='0.5'><joint/><geom size='.1'/></body></worldbody></mujoco>")
        words = ["convert", source, "-o", self.folder / "out.usda"]
        self.assertEqual(mechane(*words).returncode, 0)
        self.assertEqual(mechane(*words, "--strict").returncode, 1)
        self.assertEqual(mechane(*words, "--strict", "--fail-on-loss", "never").returncode, 0)


if __name__ == "__main__":
    unittest.main()

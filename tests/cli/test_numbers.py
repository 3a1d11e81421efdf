"""Numbers and words of options: what cannot be is refused by the option's name, and data goes to standard output."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

STAGE = """#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "w"
{
    def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"] )
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body1 = </w/arm>
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -60
        float physics:upperLimit = 60
    }
    def Xform "slider" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }
    def PhysicsPrismaticJoint "s"
    {
        rel physics:body1 = </w/slider>
        uniform token physics:axis = "X"
        float physics:lowerLimit = -1
        float physics:upperLimit = 1
    }
    def Xform "floor"
    {
        def Plane "p" ( prepend apiSchemas = ["PhysicsCollisionAPI"] )
        {
            uniform token axis = "Z"
        }
    }
    def Sphere "ball" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"] )
    {
        double radius = 0.1
        rel physics:filteredPairs = </w/floor>
        double3 xformOp:translate = (0, 5, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Mesh "m"
    {
        point3f[] points = [(0, 0, 9), (1, 0, 9), (0, 1, 9), (0, 0, 10)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]
    }
}
"""


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.stage = cls.folder / "w.usda"
        cls.stage.write_text(STAGE)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def refused(self, *words, named, says=""):
        done = mechane(*words)
        with self.subTest(words=words):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(named, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertNotIn("00000000", done.stderr)

    def test_what_is_no_number_is_refused_by_the_name_of_its_option(self):
        out = self.folder / "out"
        for words, name in (
            (("render", self.stage, "-o", f"{out}.png", "--at", "nan"), "--at"),
            (("render", self.stage, "-o", f"{out}.png", "--fov", "nan"), "--fov"),
            (("render", self.stage, "-o", f"{out}.png", "--camera", "1,2,nan"), "--camera"),
            (("replay", self.stage, "--to", "nan"), "--to"),
            (("replay", self.stage, "--from", "inf"), "--from"),
            (("convert", self.stage, "-o", f"{out}.urdf", "--default-mass", "nan"), "--default-mass"),
            (("collide", self.stage, "--ray", "0", "5", "5", "0", "0", "nan"), "--ray"),
            (("collide", self.stage, "--ray", "0", "5", "5", "0", "0", "0"), "--ray"),
            (("mesh", self.stage, "--sdf", "--voxel", "nan"), "--voxel"),
            (("mesh", self.stage, "--sdf", "--voxel", "-1"), "--voxel"),
            (("mesh", self.stage, "--sdf", "--resolution", "7"), "--resolution"),
            (("mesh", self.stage, "--decompose", "--time-limit", "-1"), "--time-limit"),
            (("sim", self.stage, "--dt", "nan"), "--dt"),
            (("sim", self.stage, "--duration", "nan"), "--duration"),
            (("diff", self.stage, self.stage, "--tolerance", "nan"), "--tolerance"),
        ):
            self.refused(*words, named=name)

    def test_the_range_of_a_positive_option_is_said_in_words(self):
        self.refused("tree", self.stage, "--depth", "0", named="--depth 0: expected a number above 0")
        self.refused("convert", self.stage, "-o", self.folder / "x.urdf", "--default-mass", "0", named="--default-mass 0: expected a number above 0")
        self.refused("render", self.stage, "-o", self.folder / "x.png", "--at", "-1", named="--at -1: expected a number from 0 on")

    def test_quiet_leaves_data_on_standard_output(self):
        self.assertIn("/w", mechane("info", self.stage, "-q").stdout)
        run = self.folder / "run.mrec"
        self.assertEqual(mechane("sim", self.stage, "--frames", "2", "-o", run, "-q").returncode, 0)
        for words in (("replay", run), ("replay", run, "--digest"), ("bench", self.stage, "--frames", "2")):
            quiet = mechane(*words, "-q")
            with self.subTest(words=words):
                self.assertEqual(quiet.returncode, 0, quiet.stderr)
                self.assertNotEqual(quiet.stdout, "")
                self.assertEqual(quiet.stderr, "")
        self.assertRegex(mechane("replay", run, "--digest", "-q").stdout, r"sha256 [0-9a-f]{64}")

    def start(self, *sets):
        done = mechane("sim", self.stage, "--frames", "1", "-o", "-", *[word for one in sets for word in ("--set", one)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def test_the_velocity_of_a_free_body_is_what_it_starts_with(self):
        told, _ = self.start("/w/ball.qd=0,0,3,0,0,1")
        body = told["bodies"].index("/w/ball")
        first = told["frames"][0]["body_qd"][body]
        self.assertEqual([round(x, 6) for x in first], [0, 0, 3, 0, 0, 1])

    def test_a_unit_fits_the_axis_and_a_start_beyond_a_limit_is_said(self):
        self.refused("sim", self.stage, "--set", "/w/j.q=1cm", named="deg")
        self.refused("sim", self.stage, "--set", "/w/s.q=1deg", named="cm")
        _, said = self.start("/w/j.q=999deg")
        self.assertIn("RUN_TARGET_RANGE", said)
        self.assertIn("the start 17.4358 rad", said)

    def test_columns_of_commands(self):
        commands = self.folder / "c.csv"
        commands.write_bytes("\ufefft,/w/j.target [deg]\n0,30\n".encode())
        self.assertEqual(mechane("sim", self.stage, "--control", commands, "--frames", "1").returncode, 0)
        commands.write_text("t,/w/j.target,/w/j.target\n0,1,2\n")
        done = mechane("sim", self.stage, "--control", commands, "--frames", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("twice", done.stderr)

    def test_words(self):
        done = mechane("dump", "model", self.stage, "--only", "zzzzqqqqzzzz")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Nearest names: .", done.stderr)
        self.assertEqual(mechane("info", "--", self.stage).returncode, mechane("info", self.stage).returncode)
        self.assertIn("unexpected argument '--frames'", mechane("info", "--", self.stage, "--frames").stderr)
        self.assertNotIn("--overlay TEXT:{colliders,contacts} ...", mechane("render", "--help").stdout)
        both = mechane("render", self.stage, "-o", self.folder / "b.png", "--size", "32x32", "--overlay", "colliders", "--overlay", "contacts")
        self.assertEqual(both.returncode, 0, both.stderr)

    def test_the_ledger_says_which_filtered_pair_does_nothing(self):
        done = mechane("info", self.stage, "--ledger")
        line = next(line for line in done.stdout.splitlines() if "filteredPairs" in line)
        self.assertIn("ignored", line)
        self.assertIn("</w/floor>", line)

    def test_reports_name_the_file_that_was_converted(self):
        robot = self.folder / "m.xml"
        robot.write_text('<mujoco model="m"><worldbody><body name="a"><joint name="j" type="hinge" axis="0 1 0"/><geom type="sphere" size="0.1"/></body></worldbody>'
                         '<actuator><motor joint="j"/></actuator></mujoco>')
        done = mechane("convert", robot, "-o", self.folder / "m.sdf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("text.usda", done.stderr)
        self.assertNotIn("OpenUSD", done.stderr)


if __name__ == "__main__":
    unittest.main()

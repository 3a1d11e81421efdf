"""What `mechane sim` computes: the sample robot lands and stands, runs repeat to the bit, files hold what was simulated."""
import json
import math
import pathlib
import tempfile
import unittest

from tests.cli.program import QUADRUPED, document, mechane


def angle_error(frame, index, target):
    return abs(math.degrees(frame["joint_q"][index]) - target)


#: A body of 2 kg on a slide with a drive of type acceleration.
ACCELERATION = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
    defaultPrim = "r"
)
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        float3 physics:diagonalInertia = (1, 1, 1)
    }
    def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["PhysicsDriveAPI:linear"])
    {
        uniform token physics:axis = "X"
        rel physics:body1 = </r/b>
        uniform token drive:linear:physics:type = "acceleration"
        float drive:linear:physics:stiffness = 25
        float drive:linear:physics:damping = 1
        float drive:linear:physics:targetPosition = 1
    }
}
"""

#: A turntable of 0.5 kg m2 without weight, and what turns it.
TURNTABLE = """<mujoco><option gravity="0 0 0"/><worldbody><body name="table"><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/>
<joint name="axle" axis="0 0 1"/></body></worldbody><actuator><motor name="still" joint="axle"/><motor name="pull" joint="axle" gear="2"/></actuator></mujoco>"""

#: A ball of 1 kg that falls at 60 m/s (a metre a step) on a sheet of 2 cm, and a lamp of 10 kg on a joint that holds 50 N.
BALL_AND_LAMP = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Cube "sheet" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    double size = 1
    float3 xformOp:scale = (1, 1, 0.02)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    double radius = 0.05
    float physics:mass = 1
    vector3f physics:velocity = (0, 0, -60)
    double3 xformOp:translate = (0, 0, 1.5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Sphere "lamp" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    double radius = 0.1
    float physics:mass = 10
    double3 xformOp:translate = (5, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsFixedJoint "hook"
{
    rel physics:body1 = </lamp>
    point3f physics:localPos0 = (5, 0, 5)
    float physics:breakForce = 50
}
"""


class Quadruped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = document("sim", QUADRUPED, "--duration", "4s", "--json")

    def test_an_empty_command_file_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = pathlib.Path(folder) / "c.csv"
            empty.write_text("")
            done = mechane("sim", QUADRUPED, "--frames", "1", "--control", empty)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("RUN_CONTROL_FILE", done.stderr)

    def test_cloth_moves_and_what_has_no_collider_falls(self):
        with tempfile.TemporaryDirectory() as folder:
            cloth, ball = (pathlib.Path(folder) / name for name in ("cloth.usda", "ball.usda"))
            cloth.write_text('#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\ndef Mesh "sheet" (prepend apiSchemas = ["PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"])\n{\n'
                             ' point3f[] points = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]\n int[] faceVertexCounts = [3, 3]\n int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n}\n')
            said = mechane("sim", cloth, "--frames", "2").stderr
            self.assertIn("4 particles", said)
            self.assertNotIn("RUN_NOTHING_MOVES", said)
            self.assertNotIn("RUN_NO_COLLIDERS", said)
            ball.write_text('#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\ndef Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{\n float physics:mass = 1\n}\n')
            said = mechane("sim", ball, "--ground", "--duration", "1s").stderr
            self.assertIn("/ball falls: no body has a collider", said)
            self.assertNotIn("nothing is below", said)

    def test_it_falls_lands_and_holds_its_stance(self):
        frames = self.run_["frames"]
        torso = self.run_["bodies"].index("/quadruped/torso")
        heights = [frame["body_q"][torso][2] for frame in frames]
        self.assertGreater(heights[0] - heights[-1], 0.05)
        last_second = [h for frame, h in zip(frames, heights) if frame["t"] >= frames[-1]["t"] - 1]
        self.assertLess(max(last_second) - min(last_second), 0.005)
        self.assertGreater(min(heights), 0.2)

    def test_every_drive_is_within_five_degrees_of_its_target(self):
        # A FREE joint has 7 coordinates; every other joint of the robot has one. Targets are authored in leg.usda.
        targets = {"hip_joint": 0, "thigh_joint": 40, "knee_joint": -80}
        index = 0
        for path in self.run_["joints"]:
            name = path.rsplit("/", 1)[-1]
            if name in targets:
                self.assertLess(angle_error(self.run_["frames"][-1], index, targets[name]), 5, path)
                index += 1
            else:
                index += 7

    def test_penetration_at_rest_is_under_five_millimetres(self):
        self.assertLess(self.run_["report"]["final_penetration"], 0.005)

    def test_energy_falls_to_rest(self):
        self.assertLess(self.run_["frames"][-1]["energy"]["kinetic"], 1e-3)


class Runs(unittest.TestCase):
    def test_runs_repeat_to_the_bit_for_any_number_of_threads(self):
        hashes = {document("sim", QUADRUPED, "--frames", "30", "--json", "--threads", n)["hash"] for n in (1, 2, 5)}
        self.assertEqual(len(hashes), 1)

    def test_settings_move_a_joint(self):
        moved = document("sim", QUADRUPED, "--frames", "60", "--json", "--set", "front_left/hip_joint.target=20deg")
        index = 0
        for path in moved["joints"]:
            if path == "/quadruped/front_left/hip_joint":
                break
            index += 7 if not path.endswith(("hip_joint", "thigh_joint", "knee_joint")) else 1
        self.assertLess(angle_error(moved["frames"][-1], index, 20), 5)

    def test_what_an_option_moves_is_not_laid_to_the_asset(self):
        """`--set` and `--hold` move bodies as they were asked to. A velocity that a joint does not allow names its setting; an asset at fault is told beside either."""
        with tempfile.TemporaryDirectory() as folder:
            slide = pathlib.Path(folder, "slide.usda")
            slide.write_text(ACCELERATION.replace('uniform token physics:axis = "X"', 'uniform token physics:axis = "X"\n        float physics:lowerLimit = 1\n        float physics:upperLimit = 2'))
            apart = pathlib.Path(folder, "apart.usda")
            apart.write_text(ACCELERATION.replace("float physics:mass = 2", "float physics:mass = 2\n        vector3f physics:velocity = (0, 1, 0)"))
            said = lambda file, *more: mechane("sim", file, "--frames", "1", *more).stderr
            self.assertNotIn("RUN_PROJECTED", said(slide, "--set", "/r/slide.q=1.5"))
            self.assertNotIn("RUN_SET_VELOCITY", said(slide, "--set", "/r/b.qd=0.5,0,0,0,0,0"))
            told = said(slide, "--set", "/r/b.qd=0.5,0.25,0,0,0,0")
            self.assertIn("warning[RUN_SET_VELOCITY]: '/r/b.qd': the joint of the body keeps it from this velocity by 0.25 m/s", told)
            self.assertNotIn("RUN_PROJECTED", told)
            held = said(slide, "--hold", "100,10")
            self.assertIn("warning[RUN_START_LIMIT]: a joint is held at its limit, where the stage has it beyond, this one by 1 m or rad", held)
            self.assertNotIn("RUN_PROJECTED", held)
            for more in ((), ("--set", "/r/slide.q=0.1"), ("--hold", "100,10")):
                with self.subTest(more):
                    self.assertIn("RUN_PROJECTED]: a body's authored velocity violates its joint by 1 m/s", said(apart, *more))

    def test_worlds_are_copies(self):
        one = document("sim", QUADRUPED, "--frames", "20", "--json")
        two = document("sim", QUADRUPED, "--frames", "20", "--json", "--worlds", "2")
        bodies = len(one["bodies"])
        self.assertEqual(len(two["bodies"]), 2 * bodies)
        self.assertEqual(two["frames"][-1]["body_q"][:bodies], one["frames"][-1]["body_q"])
        self.assertEqual(two["frames"][-1]["body_q"][bodies:], one["frames"][-1]["body_q"])

    def test_each_format_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ["a.json", "a.json.gz", "a.csv", "a.usda", "a.usdc", "a.html"]
            outputs = [part for name in names for part in ("-o", pathlib.Path(folder) / name)]
            done = mechane("sim", QUADRUPED, "--frames", "10", *outputs)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in names:
                self.assertGreater((pathlib.Path(folder) / name).stat().st_size, 500, name)
            self.assertEqual(len(json.loads((pathlib.Path(folder) / "a.json").read_text())["frames"]), 11)
            layer = (pathlib.Path(folder) / "a.usda").read_text()
            self.assertIn("timeSamples", layer)
            # the layer plays over its source: it opens, and the torso has moved at its last time code
            self.assertEqual(mechane("info", pathlib.Path(folder) / "a.usda").returncode, 0)
            page = (pathlib.Path(folder) / "a.html").read_text()
            self.assertNotRegex(page, r"<(script|link)[^>]+(src|href)=\"https?:")

    def test_time_codes_of_whole_frames_are_whole(self):
        """31 steps of 1/60 s are 30.999999999999996 frames of 1/60 s in double precision"""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a.usda"
            self.assertEqual(mechane("sim", QUADRUPED, "--frames", "31", "--dt", "1/60", "-o", out).returncode, 0)
            text = out.read_text()
            self.assertIn("endTimeCode = 31\n", text)
            self.assertIn("\n            31: (", text)

    def test_json_is_printed_whatever_else_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = document("sim", QUADRUPED, "--frames", "5", "--json", "--reproducible")
            for outputs in ((f"{folder}/a.csv",), (f"{folder}/a.mrec",), ("-.json",), (f"{folder}/b.csv", f"{folder}/b.mrec")):
                beside = document("sim", QUADRUPED, "--frames", "5", "--json", "--reproducible", *(word for file in outputs for word in ("-o", file)))
                self.assertEqual(beside, alone)
                self.assertTrue(all(pathlib.Path(file).exists() for file in outputs if file != "-.json"))

    def test_a_duration_is_a_number_of_steps_or_refused(self):
        for duration, exit_status in (("0.05s", 0), ("0", 0), ("-1", 2), ("nan", 2), ("inf", 2), ("1e300", 2), ("soon", 2)):
            done = mechane("sim", QUADRUPED, "--duration", duration, "-q")
            self.assertEqual(done.returncode, exit_status, duration)
            self.assertEqual("--duration" in done.stderr, exit_status == 2, done.stderr)

    def test_frames_that_do_not_fit_into_memory_are_refused_before_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for output in (folder + "/run.csv", folder + "/run.usda"):
                run = mechane("sim", QUADRUPED, "--duration", "1e9", "--dt", "0.001", "-o", output, timeout=60)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn("GiB", run.stderr)
                self.assertFalse(pathlib.Path(output).exists())
            # A recording is written as the run goes, and its hash is that of the run that keeps its frames.
            kept = document("sim", QUADRUPED, "--frames", "20", "--json")
            run = mechane("sim", QUADRUPED, "--frames", "20", "-o", folder + "/run.mrec")
            self.assertIn(kept["hash"], run.stdout + run.stderr)

    def test_a_joint_that_broke_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "stage.usda"
            stage.write_text(BALL_AND_LAMP)
            done = mechane("sim", stage, "--frames", "5", "--json")
            (broken,) = json.loads(done.stdout)["report"]["broken_joints"]
            self.assertEqual(broken["joint"], "/hook")
            self.assertLess(broken["t"], 4 / 60)  # T-64: in three steps
            self.assertAlmostEqual(broken["force"], 98.1, delta=0.981)
            self.assertIn("broke     /hook at ", done.stderr)

    def test_fast_bodies_pass_through_sheets_only_where_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            stage, recording = pathlib.Path(folder) / "stage.usda", pathlib.Path(folder) / "a.mrec"
            stage.write_text(BALL_AND_LAMP)
            for flags, passes in ((), False), (("--discrete",), True):
                run = document("sim", stage, "--frames", "10", "--json", "-o", recording, *flags)
                self.assertEqual(run["frames"][-1]["body_q"][run["bodies"].index("/ball")][2] < 0, passes)
                verified = mechane("replay", recording, "--verify")
                self.assertEqual(verified.returncode, 0, verified.stderr)

    def test_frame_zero_is_the_initial_state_and_every_counts_steps(self):
        run = document("sim", QUADRUPED, "--frames", "10", "--every", "4", "--dt", "0.01", "--json")
        self.assertEqual([round(frame["t"], 9) for frame in run["frames"]], [0, 0.04, 0.08, 0.1])
        self.assertEqual(run["steps"], 10)


class Motors(unittest.TestCase):
    def test_a_motor_of_a_stage_takes_its_command_from_set_and_from_a_file(self):
        """A torque of gear x command turns an inertia: angle = torque t^2 / (2 I), by whichever of both it comes"""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "table.xml").write_text(TURNTABLE)
            (folder / "pull.csv").write_text("t,mujoco:ctrl[1]\n0,0\n0.5,0.3\n")
            if mechane("sim", folder / "table.xml", "--solver", "mujoco", "--frames", "1", "-o", "/dev/null").returncode == 6:
                self.skipTest("no mujoco")
            for options, angle in ((("--set", "mujoco:ctrl[1]=0.3"), 0.6 * 1.0 / (2 * 0.5)), (("--control", folder / "pull.csv"), 0.6 * 0.25 / (2 * 0.5)), ((), 0.0)):
                run = mechane("sim", folder / "table.xml", "--solver", "mujoco", "--dt", "0.001", "--frames", "1000", "--every", "1000", "--substeps", "1", *options, "-o", folder / "run.json")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertAlmostEqual(json.loads((folder / "run.json").read_text())["frames"][-1]["joint_q"][0], angle, delta=2e-3)
            wrong = mechane("sim", folder / "table.xml", "--solver", "mujoco", "--set", "mujoco:ctrl[2]=1", "--frames", "1")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("entry 2 of 2", wrong.stderr)

    def test_a_drive_that_a_solver_takes_for_another_is_said_without_being_asked(self):
        """Gains of an acceleration drive are per inertia: whoever takes them for forces says so, and softstep honours them"""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "drive.usda"
            stage.write_text(ACCELERATION)
            for solver, said in (("softstep", False), ("featherstone", True), ("semi-implicit", True), ("xpbd", True)):
                run = mechane("sim", stage, "--solver", solver, "--frames", "1", "-o", "/dev/null")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual("/r/slide" in run.stderr and "whatever the inertia" in run.stderr, said, solver + run.stderr)


if __name__ == "__main__":
    unittest.main()

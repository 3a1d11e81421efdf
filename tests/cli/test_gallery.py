"""Each stage of samples/gallery does what its doc string says."""
import json
import math
import os
import pathlib
import tempfile
import unittest

from tests.cli.pictures import share_of, yellow
from tests.cli.program import ROOT, document, mechane

GALLERY = ROOT / "samples" / "gallery"


class Run:
    def __init__(self, name, seconds):
        self.document = document("sim", GALLERY / f"{name}.usda", "--duration", f"{seconds}s", "--json")
        self.frames = self.document["frames"]

    def poses(self, body):
        """(time, position, quaternion) of a body, frame by frame."""
        index = self.document["bodies"].index(f"/World/{body}")
        return [(frame["t"], frame["body_q"][index][:3], frame["body_q"][index][3:]) for frame in self.frames]

    def end(self, body):
        return self.poses(body)[-1][1]


def tilt(quaternion):
    """Angle between a body's z axis and the vertical [degrees]."""
    x, y, _, _ = quaternion
    return math.degrees(math.acos(max(-1, min(1, 1 - 2 * (x * x + y * y)))))


class Gallery(unittest.TestCase):
    def test_dominoes_fall_at_the_speed_of_the_wave(self):
        """Reference experiment T-49: 1.481 m/s between tiles 5 and 15, computed by MuJoCo; within 15 %."""
        run = Run("dominoes", 3)
        passes = [next(t for t, _, q in run.poses(f"tile_{i:02}") if tilt(q) > 20) for i in range(20)]
        self.assertEqual(passes, sorted(passes))
        self.assertAlmostEqual(1.0 / (passes[14] - passes[4]), 1.481, delta=0.15 * 1.481)

    def test_the_cradle_hands_the_swing_to_the_last_ball(self):
        """Equal balls exchange their velocities: the last one swings as far as the first fell from, the others rest."""
        angles = [[math.degrees(frame["joint_q"][i]) for frame in Run("cradle", 1).frames] for i in range(5)]
        self.assertAlmostEqual(min(angles[4]), -40, delta=2)
        at_the_end_of_its_swing = angles[4].index(min(angles[4]))
        for ball in angles[:4]:
            self.assertLess(abs(ball[at_the_end_of_its_swing]), 2)

    def test_what_is_smooth_slides_and_what_is_rough_stays(self):
        """a = g (sin 20 - mu cos 20) with mu = 0.175 and 0.3; s = a t^2 / 2 along the slope."""
        run, slope = Run("slope", 1), math.radians(20)
        for box, mu in (("ice_box", 0.175), ("wood_box", 0.3)):
            start, end = run.poses(box)[0][1], run.end(box)
            expected = 0.5 * 9.81 * (math.sin(slope) - mu * math.cos(slope))
            self.assertAlmostEqual(math.dist(start, end), expected, delta=0.02 * expected)
        self.assertLess(math.dist(run.poses("rubber_box")[0][1], run.end("rubber_box")), 1e-4)

    def test_what_has_its_mass_at_the_rim_rolls_slower(self):
        """a = (g sin 20 - g cos 20 mu_rolling / r) / (1 + I / m r^2) with the default mu_rolling of 0.1 mm; s = a t^2 / 2."""
        run, slope = Run("race", 1.5), math.radians(20)
        for body, share in (("ball", 0.4), ("cylinder", 0.5), ("tube", 1.0)):
            expected = 0.5 * 9.81 * (math.sin(slope) - math.cos(slope) * 1e-4 / 0.2) / (1 + share) * 1.5**2
            self.assertAlmostEqual(math.dist(run.poses(body)[0][1], run.end(body)), expected, delta=0.01 * expected)

    def test_the_four_bar_stays_closed(self):
        """The coupler's end and the rocker's end are one point, whose distances from the pivots are the lengths of the bars."""
        run = Run("four_bar", 4)
        worst = 0
        for (_, c, cq), (_, r, rq) in zip(run.poses("coupler"), run.poses("rocker")):
            def end(p, q, reach):  # the bar lies along its x axis
                x, y, z, w = q
                return [p[0] + reach * (1 - 2 * (y * y + z * z)), p[1] + reach * 2 * (x * y + z * w), p[2] + reach * 2 * (x * z - y * w)]
            worst = max(worst, math.dist(end(c, cq, 0.3), end(r, rq, 0.25)))
        self.assertLess(worst, 1e-5)
        self.assertGreater(run.frames[-1]["joint_q"][0] - run.frames[0]["joint_q"][0], 3 * math.pi)

    def test_the_bridge_bears_itself_and_breaks_under_the_ball(self):
        """The ball falls 0.43 m, which takes 0.296 s."""
        run = Run("bridge", 2)
        before = [p for t, p, _ in run.poses("plank_3") if t < 0.29]
        self.assertLess(max(abs(p[2] - 1) for p in before), 1e-4)
        for i in (2, 3, 4):
            self.assertLess(run.end(f"plank_{i}")[2], 0.5)
        self.assertLess(run.end("weight")[2], 0.3)

    def test_the_lift_carries_the_box(self):
        """The platform's top ends at 1.1 m, the box lies 0.15 m above and has gone sideways with it."""
        x, y, z = Run("lift", 4.5).end("box")
        self.assertAlmostEqual(z, 1.25, delta=1e-3)
        self.assertAlmostEqual(x, 1, delta=0.02)
        self.assertAlmostEqual(y, 0, delta=1e-3)

    def test_the_gripper_lifts_the_cube(self):
        """By 0.3 m, less what the drive sags and the fingers slip."""
        run = Run("gripper", 4)
        self.assertAlmostEqual(run.end("cube")[2], 0.34, delta=0.01)
        left, right = run.end("left")[0], run.end("right")[0]
        self.assertAlmostEqual(left, -right, delta=1e-4)

    def test_the_gyroscope_does_not_fall(self):
        """Let go at rest it nods by (1 - cos) of its fast precession around m g l / (I w) = 1.47 rad/s: after a second it has gone
        round by 1.39 rad (the same run with eight times as many substeps), and its wheel never hangs by more than 10 degrees."""
        axes = []
        for _, _, (x, y, z, w) in Run("gyroscope", 1).poses("wheel"):
            axes.append((1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)))
        self.assertGreater(min(a[2] for a in axes), -math.sin(math.radians(10)))
        self.assertAlmostEqual(math.atan2(axes[-1][1], axes[-1][0]), 1.39, delta=0.06)


    def test_the_cloth_stays_on_the_hand_that_lifts_it(self):
        """The palm's top starts at 0.27 m and ends at 0.47 m. What lies on the palm lies there; the rest hangs, no longer than the cloth."""
        run = Run("cloth_on_hand", 3)
        top = run.end("palm")[2] + 0.02
        self.assertAlmostEqual(top, 0.47, delta=0.02)
        cloth = run.frames[-1]["particle_q"]
        for i in range(6, 8):  # of 14 by 14 points those in the middle
            for j in range(6, 8):
                self.assertAlmostEqual(cloth[14 * j + i][2], top + 0.005, delta=0.01)
        self.assertGreater(min(z for _, _, z in cloth), top - 0.396)  # half of the diagonal
        self.assertLess(min(z for _, _, z in cloth), top - 0.05)
        self.assertShown("cloth_on_hand", 1)

    def test_the_cable_hangs_between_the_arms_as_a_chain(self):
        """2 a sinh(d / 2a) = L with the distance d of its ends; the sag is a (cosh(d / 2a) - 1). Its bending makes 4 % of it."""
        run = Run("cable_between_arms", 3)
        bodies, frame = run.document["bodies"], run.frames[-1]
        tips = []
        for side, x in (("left", 0.025), ("right", -0.025)):  # arms turn about y
            (px, py, pz), (_, y, _, w) = frame["body_q"][bodies.index(f"/World/{side}")][:3], frame["body_q"][bodies.index(f"/World/{side}")][3:]
            c, s = w * w - y * y, 2 * w * y
            tips.append([px + c * x + s * 0.225, py, pz - s * x + c * 0.225])
        middles = [frame["body_q"][i][:3] for i, name in enumerate(bodies) if "cable" in name]
        self.assertEqual(len(middles), 24)
        for tip, segment in ((tips[0], middles[0]), (tips[1], middles[-1])):
            self.assertAlmostEqual(math.dist(tip, segment), 0.45 / 48, delta=5e-4)
        d, low, high = math.dist(*tips), 1e-3, 10.0
        for _ in range(60):
            a = (low + high) / 2
            low, high = (a, high) if 2 * a * math.sinh(min(d / (2 * a), 700)) > 0.45 else (low, a)
        sag = a * (math.cosh(d / (2 * a)) - 1)
        self.assertAlmostEqual((tips[0][2] + tips[1][2]) / 2 - min(m[2] for m in middles), sag, delta=0.06 * sag)
        self.assertShown("cable_between_arms", 2, 0.0005)

    def test_the_gripper_squeezes_and_lifts_the_soft_block(self):
        """20 N on 0.06 m x 0.08 m of a Young's modulus of 30 kPa: 14 % of 0.08 m, were the pressure the same everywhere. Fingers reach over the
        upper half, and what is below bears with it. Then 0.3 m up. It stands on the ground until then."""
        run = Run("soft_gripper", 4)
        block = run.frames[-1]["particle_q"]
        self.assertAlmostEqual(sum(p[2] for p in block) / len(block), 0.35, delta=0.03)
        start = run.frames[0]["particle_q"]
        for frame in run.frames:
            if frame["t"] < 0.95:
                self.assertAlmostEqual(sum(p[2] for p in frame["particle_q"]) / len(block), 0.05, delta=0.002)
        sides = [[p[0] for p, q in zip(block, start) if abs(q[0] - x) < 1e-5 and q[2] > 0.06 and abs(q[1]) < 0.03] for x in (-0.04, 0.04)]
        width = sum(sides[1]) / len(sides[1]) - sum(sides[0]) / len(sides[0])
        self.assertLess(width, 0.08 * (1 - 0.04))
        self.assertGreater(width, 0.08 * (1 - 0.3))
        self.assertShown("soft_gripper", 0)

    def assertShown(self, name, at, least=0.003):
        """What is soft is yellow in the samples."""
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "a.png")
            done = mechane("render", GALLERY / f"{name}.usda", "--at", str(at), "-o", picture, "--size", "240x135")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(picture, "rb") as file:
                self.assertGreater(share_of(file.read(), yellow), least)


class Rover(unittest.TestCase):
    """Controllers of REP-0158 4.2.3 (GAP-073)."""
    STAGE, TABLE = str(GALLERY / "rover.usda"), str(GALLERY / "rover.csv")

    def ran(self, *options, code=0):
        done = mechane("sim", self.STAGE, "--control", self.TABLE, "--duration", "4s", "--json", *options)
        self.assertEqual(done.returncode, code, done.stderr)
        run = json.loads(done.stdout)
        shoulder = 7 + run["joints"].index("/rover/shoulder") - 1  # after the free joint's seven
        at = {round(frame["t"], 4): frame for frame in run["frames"]}
        base = run["bodies"].index("/rover/base")
        return {t: (frame["body_q"][base], math.degrees(frame["joint_q"][shoulder])) for t, frame in at.items()}, done.stderr

    def test_controllers_are_listed_with_what_they_command(self):
        listed = {one["prim"].rsplit("/", 1)[1]: one for one in document("ros", "interfaces", self.STAGE, "--controllers", "--json")["controllers"]}
        self.assertEqual({name: (one["starts_enabled"], one["runtime"]) for name, one in listed.items()},
                         {"arm": (True, True), "drive": (True, True), "wave": (False, True)})
        self.assertEqual([target["prim"] for target in listed["drive"]["targets"]], ["/rover/left_joint", "/rover/right_joint"])
        self.assertNotIn("controllers", document("ros", "interfaces", self.STAGE, "--json"))
        self.assertIn("RosControlDiffDriveAPI", mechane("ros", "interfaces", self.STAGE, "--controllers").stdout)

    def test_it_drives_ahead_and_turns_left_while_its_arm_swings(self):
        """Ahead with 0.4 m/s, reached after 0.4 s at 1 m/s^2, until 1.2 s: 0.08 + 0.32 m. Then 0.8 rad/s to the left until half a second
        after the last message, at 3 s: 1.8 s. Tyres of 4 cm scrub then: under 50 N each, at both ends of its line of contact (friction 1) and by
        5 mm of friction against spinning, they resist with 2 x 50 (0.02 + 0.005) = 2.5 N m. 0.4 m apart that is 0.625 N m a wheel, by which
        drives of 5.73 N m s/rad give way by 0.109 rad/s. Within a centimetre, and 2 %. The arm's drive lags 0.05 s."""
        at, said = self.ran()
        self.assertAlmostEqual(at[1.2][0][0], 0.4, delta=0.01)
        yaw = {t: 2 * math.degrees(math.atan2(pose[5], pose[6])) for t, (pose, _) in at.items()}
        self.assertAlmostEqual(yaw[1.2], 0, delta=0.5)
        turned = math.degrees((0.8 - 2 * 0.109 * 0.1 / 0.4) * 1.8)
        self.assertAlmostEqual(yaw[3.0], turned, delta=0.02 * turned)
        self.assertAlmostEqual(at[1.0][1], 60 - 0.05 * 60, delta=0.5)
        self.assertAlmostEqual(at[3.0][1], -60 + 0.05 * 60, delta=0.5)
        self.assertIn("/rover/Controllers/arm on at 0 s", said)

    def test_another_controller_takes_over_and_a_third_hand_is_refused(self):
        """From 2 s on, at 0 degrees, the other one goes to 0 at 3 s and on to 30 degrees at 3.5 s."""
        at, said = self.ran("--disable", "arm@2", "--enable", "/rover/Controllers/wave@2")
        self.assertAlmostEqual(at[3.0][1], 0, delta=1)
        self.assertAlmostEqual(at[3.5][1], 30 - 0.05 * 60, delta=0.5)
        self.assertIn("/rover/Controllers/wave on at 2 s", said)
        at, said = self.ran("--enable", "wave@2", code=1)
        self.assertAlmostEqual(at[3.0][1], -60 + 0.05 * 60, delta=0.5)
        self.assertRegex(said, "RUN_CONTROLLER_REFUSED.*/rover/Controllers/wave.*/rover/Controllers/arm")
        self.assertEqual(mechane("sim", self.STAGE, "--enable", "nobody@1", "--frames", "1").returncode, 2)

    def test_recordings_and_checkpoints_know_what_was_switched(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, half, end = (os.path.join(folder, name) for name in ("whole.mrec", "half.check", "end.json"))
            switched = ["--control", self.TABLE, "--disable", "arm@1", "--enable", "wave@2.5"]
            self.assertEqual(mechane("sim", self.STAGE, "--frames", "240", "-o", whole, *switched).returncode, 0)
            done = mechane("replay", whole, "--verify", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads(done.stdout)["verified"]["equal"])
            # Gone on from a checkpoint between the two switches, on a way to a point, it ends with the same bits.
            hash_ = json.loads(done.stdout)["hash"]
            self.assertEqual(mechane("sim", self.STAGE, "--frames", "165", "--checkpoint", half, *switched).returncode, 0)
            rest = os.path.join(folder, "rest.mrec")
            self.assertEqual(mechane("sim", self.STAGE, "--frames", "75", "--resume", half, "--expect", hash_, "-o", rest, "-o", end, *switched).returncode, 0)
            self.assertEqual(mechane("replay", rest, "--verify").returncode, 0)


if __name__ == "__main__":
    unittest.main()

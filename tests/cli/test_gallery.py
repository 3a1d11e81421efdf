"""Each stage of samples/gallery does what its doc string says."""
import math
import pathlib
import unittest

from tests.cli.program import ROOT, document

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
        round by 1.39 rad (the same run with eight times as many sub-steps), and its wheel never hangs by more than 10 degrees."""
        axes = []
        for _, _, (x, y, z, w) in Run("gyroscope", 1).poses("wheel"):
            axes.append((1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)))
        self.assertGreater(min(a[2] for a in axes), -math.sin(math.radians(10)))
        self.assertAlmostEqual(math.atan2(axes[-1][1], axes[-1][0]), 1.39, delta=0.06)


if __name__ == "__main__":
    unittest.main()

"""The sample stages do in the program what the documents that they come from say."""
import json
import math
import pathlib
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT, document, mechane

STAGES = ROOT / "samples" / "usd"


def stage(name):
    return STAGES / f"{name}.usda"


def simulated(name, seconds, *options):
    """The trajectory of a stage, {body path: [poses]} and the whole document."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        done = mechane("sim", stage(name), "--duration", seconds, "-o", file, *options)
        assert done.returncode == 0, done.stderr
        run = json.loads(file.read_text())
    return {body: [frame["body_q"][i] for frame in run["frames"]] for i, body in enumerate(run["bodies"])}, run, done


def turned(q, v):
    """A vector turned by a quaternion x y z w."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


@unittest.skipUnless(pathlib.Path(PROGRAM).is_file(), "needs the program")
class Values(unittest.TestCase):
    def model(self, name, *options):
        return document("dump", "model", stage(name), *options)["model"]

    def explain(self, name, path, *options):
        return document("explain", stage(name), path, "--json", *options)

    def test_physx_attributes_are_remapped(self):
        """SMP-01: per degree becomes per radian, 1.57 degrees become 0.027402 rad, the gap is measured from the margin."""
        dump = document("dump", "model", stage("physx_remapped"), "--resolvers", "physx,newton")
        model = dump["model"]
        dof = model["joint_qd_start"][model["joint_label"].index("/robot/shoulder")]
        self.assertAlmostEqual(model["joint_armature"][dof], 0.1, places=6)
        self.assertAlmostEqual(model["joint_limit_ke"][dof] / 57295.78, 1, places=6)
        self.assertAlmostEqual(model["joint_limit_kd"][dof] / 572.9578, 1, places=6)
        self.assertAlmostEqual(model["joint_q"][dof], 0.027402, places=6)
        shape = model["shape_label"].index("/box")
        self.assertAlmostEqual(model["shape_gap"][shape], 0.04, places=6)
        self.assertAlmostEqual(model["shape_margin"][shape], 0.01, places=6)
        self.assertEqual(dump["result"]["max_solver_iterations"], 16)

    def test_the_winner_of_three_armatures_is_named_with_its_line(self):
        """SMP-02: winner and losers, each with layer and line."""
        lines = stage("conflicting_asset").read_text().splitlines()
        properties = ["newton:armature", "physxJoint:armature", "mjc:armature"]
        for order, value in ((["newton", "physx", "mjc"], 0.01), (["physx", "newton", "mjc"], 0.02), (["mjc", "physx", "newton"], 0.03)):
            text = mechane("explain", stage("conflicting_asset"), "/robot/shoulder.armature", "--resolvers", ",".join(order)).stdout
            self.assertIn(f"armature[angular] = {value}", text)
            for name in properties:
                line = next(n for n, row in enumerate(lines, 1) if f" {name} =" in row)
                self.assertIn(f"conflicting_asset.usda:{line}", text)
            won = next(row for row in text.splitlines() if row.strip().startswith("won"))
            self.assertIn(f"= {value}", won)
            self.assertEqual(sum(row.strip().startswith("lost") for row in text.splitlines()), 2)

    def test_physx_values_without_their_resolver_are_accounted_for(self):
        """SMP-05, GAP-016: with newton's resolver alone every one is ignored, with the remedy."""
        rows = document("info", stage("sdf_physx"), "--resolvers", "newton", "--ledger", "--json")["ledger"]["rows"]
        physx = [row for row in rows if row["property"].startswith("physx")]
        self.assertEqual(len(physx), 6)
        for row in physx:
            self.assertEqual(row["verdict"], "ignored")
            self.assertIn("physx", row["note"])
        self.assertTrue(any("fix --port-physx-sdf" in row["note"] for row in physx))

    def test_a_distance_field_is_read(self):
        """SMP-06."""
        model = self.model("sdf_newton")
        self.assertAlmostEqual(model["shape_margin"][0], 0.002, places=7)
        self.assertAlmostEqual(model["shape_gap"][0], 0.003, places=7)
        sdf = model["shape_sdf_config"][0]
        self.assertEqual((sdf["sdf_max_resolution"], sdf["sdf_texture_format"]), (256, "uint16"))
        for found, value in zip([*sdf["sdf_narrow_band_range"], sdf["sdf_padding"]], (-0.02, 0.02, 0.02)):
            self.assertAlmostEqual(found, value, places=7)

    def test_hydroelastic_shapes_opt_in(self):
        """SMP-07: stiffness and flag of the two that take part, not of the third."""
        model = self.model("sdf_hydroelastic")
        flags = dict(zip(model["shape_label"], model["shape_flags"]))
        kh = dict(zip(model["shape_label"], model["shape_material_kh"]))
        self.assertEqual(kh["/World/soft"], 1e7)
        self.assertNotEqual(flags["/World/soft"], flags["/World/hard"])
        explained = self.explain("sdf_hydroelastic", "/World/hard.hydroelastic")
        self.assertIn("false", json.dumps(explained))

    def test_collision_settings_without_a_declaration(self):
        """SMP-31: the values of GAP-034."""
        model = self.model("custom_collision")
        self.assertEqual([model[f"shape_material_{name}"][0] for name in ("ke", "kd", "kf", "ka")], [100000, 1000, 1000, 0])
        self.assertEqual((model["shape_collision_group"][0], model["shape_world"][0], model["body_world"][0]), (1, 0, 0))
        self.assertAlmostEqual(model["shape_margin"][0], 1e-5, places=9)

    def test_why_a_pair_does_not_meet(self):
        """SMP-18, SMP-44, SMP-45: the groups, or the pair that one side names."""
        def reasons(name, a, b):
            done = mechane("explain", stage(name), "--pair", a, b)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        self.assertIn("group", reasons("collision_group", "/World/a", "/World/b"))
        self.assertIn("filteredPairs", reasons("filtered_pairs", "/World/a", "/World/b"))
        self.assertIn("group", reasons("group_filtering", "/World/lower", "/World/upper"))
        self.assertIn("filteredPairs", reasons("pair_filtering", "/World/lower", "/World/upper"))


@unittest.skipUnless(pathlib.Path(PROGRAM).is_file(), "needs the program")
class Motion(unittest.TestCase):
    def test_a_box_rests_on_a_slab(self):
        """SMP-41: half of 25 cm above the top of a slab that reaches 10 cm up."""
        poses, _, _ = simulated("box_on_box", 3)
        self.assertAlmostEqual(poses["/World/box"][-1][2], 0.225, delta=2e-3)

    def test_a_flat_hull_carries_a_box_on_its_corner(self):
        """SMP-42: the centre of mass lies beyond a corner, so the box rocks on that corner about the upright diagonal; nothing damps it."""
        poses, run, _ = simulated("box_on_quad", 20)
        later = [pose for frame, pose in zip(run["frames"], poses["/World/box"]) if frame["t"] > 5]
        for pose in later:
            corner = pose[2] + turned(pose[3:], [0.125] * 3)[2]
            self.assertAlmostEqual(corner, 0, delta=5e-3)
        diagonals = [turned(pose[3:], [3 ** -0.5] * 3) for pose in later]
        mean = [sum(d[i] for d in diagonals) / len(diagonals) for i in range(3)]
        self.assertLess(math.degrees(math.atan2(math.hypot(mean[0], mean[1]), -mean[2])), 2)

    def test_a_box_that_fell_on_a_scaled_quad_swings_on_one_corner_as_friction_lets_it(self):
        """SMP-42: after five seconds one corner carries it, no edge and no face; the energy falls by what rolling friction over 0.1 mm and
        torsional friction over 5 mm, the defaults, take of the weight that is on the corner, and by no more."""
        _, run, _ = simulated("box_on_scaled_quad", 20)
        dt, mass, g = 1 / 60, 10, 9.81
        # A substep moves with the velocity of its end: what is kept is the energy with the height of half a substep before.
        kept = [f["energy"]["kinetic"] + f["energy"]["potential"] - dt / 16 * mass * g * f["body_qd"][0][2] for f in run["frames"]]
        taken, start = 0, None
        for before, frame, energy in zip(run["frames"], run["frames"][1:], kept[1:]):
            if frame["t"] <= 5:
                start = highest = energy
                continue
            pose, (_, _, vz, wx, wy, wz) = frame["body_q"][0], frame["body_qd"][0]
            heights = sorted((pose[2] + turned(pose[3:], [x, y, z])[2], (x, y, z)) for x in (-0.125, 0.125) for y in (-0.125, 0.125) for z in (-0.125, 0.125))
            self.assertEqual(heights[0][1], (0.125, 0.125, 0.125))
            self.assertAlmostEqual(heights[0][0], 0, delta=2e-3)
            self.assertGreater(heights[1][0] - heights[0][0], 3e-4)
            force = mass * (g + (vz - before["body_qd"][0][2]) / dt)
            taken += dt * force * (1e-4 * math.hypot(wx, wy) + 5e-3 * abs(wz))
            if round(frame["t"] / dt) % 60 == 0:
                self.assertLess(energy, highest + 2e-3)
                highest = min(highest, energy)
        self.assertGreater(taken, 0.1)
        self.assertAlmostEqual(start - kept[-1], taken, delta=0.1 * taken)

    def test_balls_bounce_with_the_average_of_both_restitutions(self):
        """SMP-43: the ground has none, so half of each; heights of the first rebound differ by the square of their ratio."""
        for name, seconds, halves in (("spheres_with_materials", 2, 0.45 / 0.1), ("scaled_spheres_with_materials", 4, 0.4 / 0.05)):
            poses, _, _ = simulated(name, seconds, "--dt", 0.002)

            def rebound(body):
                z = [pose[2] for pose in poses[body]]
                first = next(i for i in range(1, len(z) - 1) if z[i] <= z[i - 1] and z[i + 1] > z[i])
                return max(z[first:]) - z[first]

            ratio = rebound("/World/bouncy_ball") / rebound("/World/dull_ball")
            self.assertAlmostEqual(ratio / halves ** 2, 1, delta=0.25, msg=name)

    def test_filtered_boxes_rest_inside_each_other(self):
        """SMP-44, SMP-45: both at the same height."""
        for name in ("group_filtering", "pair_filtering"):
            poses, _, _ = simulated(name, 3)
            lower, upper = poses["/World/lower"][-1], poses["/World/upper"][-1]
            self.assertAlmostEqual(lower[2], upper[2], delta=1e-3, msg=name)
            self.assertAlmostEqual(lower[2], 0.225, delta=3e-3, msg=name)

    def test_a_joint_with_one_free_axis_turns_about_it(self):
        """SMP-46: 10 degrees a second about z, and nothing else moves; the misspelled gravity is pointed out."""
        poses, run, done = simulated("joint_d6", 2)
        first, last = poses["/World/arm"][0], poses["/World/arm"][-1]
        # The arm's end stays at the joint, 60 cm beside its middle.
        for pose in poses["/World/arm"]:
            end = turned(pose[3:], [0, -0.6, 0])
            self.assertAlmostEqual(pose[0] + end[0], 0, delta=2e-3)
            self.assertAlmostEqual(pose[1] + end[1], 0.6, delta=2e-3)
            self.assertAlmostEqual(pose[2] + end[2], 10, delta=2e-3)
        angles = [math.degrees(2 * math.atan2(pose[5], pose[6])) for pose in poses["/World/arm"]]
        half = len(angles) // 2
        rate = (angles[-1] - angles[half]) / (run["frames"][-1]["t"] - run["frames"][half]["t"])
        self.assertAlmostEqual(rate, 10, delta=0.1)
        self.assertIn("gravity", done.stderr)
        self.assertNotEqual(first, last)

    def test_a_cord_keeps_its_ends_near(self):
        """SMP-47: 10 to 50 cm apart once it has settled."""
        poses, run, _ = simulated("distance_joint", 10)
        for frame, pose in zip(run["frames"], poses["/World/arm"]):
            if frame["t"] < 5:
                continue
            end = turned(pose[3:], [0, -0.6, 0])
            distance = math.dist([pose[0] + end[0], pose[1] + end[1], pose[2] + end[2]], [0, 0.6, 10])
            self.assertGreater(distance, 0.1 - 5e-3)
            self.assertLess(distance, 0.5 + 5e-3)


if __name__ == "__main__":
    unittest.main()

"""The sample programs run and print what the documents that they come from say."""
import pathlib
import re
import subprocess
import unittest

from tests.cli.program import PROGRAM, QUADRUPED, ROOT

STAGES = ROOT / "samples" / "usd"


def run(name, *arguments, **environment):
    program = pathlib.Path(PROGRAM).parent / f"sample_{name}"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment or None)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr}"
    return done.stdout


@unittest.skipUnless((pathlib.Path(PROGRAM).parent / "sample_resolver_priority").is_file(), "needs the sample programs")
class Programs(unittest.TestCase):
    maxDiff = None

    def test_the_first_resolver_decides_the_armature(self):
        """SMP-02: 0.01 of Newton, 0.02 of PhysX, 0.03 of MuJoCo."""
        self.assertEqual(run("resolver_priority", STAGES / "conflicting_asset.usda"),
                         "newton first: armature 0.01\nphysx first: armature 0.02\nmjc first: armature 0.03\n")

    def test_collected_attributes_are_listed_by_prim(self):
        """SMP-03: one line for each joint, nothing for resolvers that are not listed."""
        lines = run("collected_attributes", STAGES / "physx_humanoid.usda").splitlines()
        self.assertEqual(lines, [
            "physx /humanoid/left_thigh_joint physxJoint:armature = 0.007",
            "physx /humanoid/right_thigh_joint physxJoint:armature = 0.008",
            "resolver mjc is not listed"])

    def test_custom_attributes_arrive_where_they_are_declared(self):
        """SMP-04: the authored values, defaults elsewhere, and one name in two namespaces (GAP-020)."""
        self.assertEqual(run("custom_attributes", STAGES / "robot_with_custom_attrs.usda").splitlines(), [
            "model mass_scale: body 1.5, wheel 1", "model local_marker: (0.1, 0.2, 0.3)", "model is_sensor: 1",
            "model namespace_a:gear_ratio: 2.25", "model articulation_stiffness: 150", "state target_position: (1, 2, 3)",
            "state namespace_a:mass_scale: body 2.5, wheel 1", "control namespace_a:pid_gains: (100, 10)",
            "model target_position: MODEL_CUSTOM_UNKNOWN"])

    def test_physx_distance_fields_are_ported(self):
        """SMP-08. The diagonal of the unit cube is sqrt(3) = 1.7320508, stretched it is sqrt(3.5) = 1.8708287."""
        text = run("port_physx_sdf", STAGES / "sdf_physx.usda")
        parts = {part.split(":", 1)[0]: dict(re.findall(r"(newton:\S+) = (\S+)", part)) for part in re.split(r"\n(?=\S)", text)}
        self.assertEqual(text.count(": 1 prim\n"), 4)

        def check(part, **expected):
            self.assertEqual(set(parts[part]), {f"newton:{name}" for name in expected})
            for name, value in expected.items():
                found = parts[part][f"newton:{name}"]
                if isinstance(value, str):
                    self.assertEqual(found.strip('"'), value)
                else:
                    self.assertAlmostEqual(float(found), value, delta=1e-6)

        check("as authored", contactMargin=0.002, contactGap=0.003, sdfMaxResolution=256, sdfNarrowBandInner=-0.0173205,
              sdfNarrowBandOuter=0.0173205, sdfPadding=0.0346410, sdfTextureFormat="uint16")
        check("PhysX's defaults", sdfMaxResolution=256, sdfNarrowBandInner=-0.0173205, sdfNarrowBandOuter=0.0173205,
              sdfPadding=0.0173205, sdfTextureFormat="uint16")
        check("Newton's defaults")
        self.assertAlmostEqual(float(parts["below a scaled parent"]["newton:sdfPadding"]), 0.0374166, delta=1e-6)

    def test_many_colliders_of_one_body_are_the_same_with_any_number_of_threads(self):
        """SMP-09, GAP-045."""
        hashes = set()
        for count in (31, 400):
            for environment in ({}, {"PXR_WORK_THREAD_LIMIT": "1"}):
                lines = run("many_colliders", count, **environment).splitlines()
                self.assertEqual(len(lines), 2)
                for line in lines:
                    self.assertIn(f" {count} shapes", line)
                    hashes.add((count, line.split()[-1]))
        self.assertEqual(len(hashes), 2)

    def test_a_shape_is_where_its_body_takes_it(self):
        """SMP-12: half a metre along x, turned by a quarter, one metre up."""
        self.assertEqual(run("shape_pose"), "the ball is at (0.000, 0.500, 1.000)\n")

    def test_copies_are_worlds_of_their_own(self):
        """SMP-14: the ground is global, the copies are worlds 0 to 1023."""
        lines = run("replicate", QUADRUPED).splitlines()
        shapes = int(re.search(r"shapes of one (\d+)", lines[0])[1])
        self.assertEqual(lines[0], f"worlds 1024, shapes of one {shapes}, shapes {1024 * shapes + 1}")
        self.assertEqual(lines[1], "world of the ground -1, of the first copy 0, of the last 1023")

    def test_a_shape_has_the_defaults_or_its_own_settings(self):
        """SMP-24."""
        self.assertEqual(run("shape_config").splitlines(), [
            "ground_plane: static, mu 0.7, restitution 0.1, margin 0, gap 0.02",
            "box: moving, mu 0.2, restitution 0.1, margin 0, gap 0.005"])

    def test_groups_and_pairs_of_a_stage_filter(self):
        """SMP-18: pairs have the smaller index first; numbers of groups count from 1."""
        text = run("usd_filters", STAGES / "collision_group.usda")
        schema, ids = text.split("newton_ids\n")
        for part in (schema, ids):
            self.assertIn("group /World/first is number 1\n", part)
            self.assertIn("group /World/second is number 2\n", part)
            self.assertIn("filtered: 0 and 1\n", part)
        self.assertIn("shape 0 /World/a: group 1\n", ids)
        self.assertIn("shape 1 /World/b: group 2\n", ids)
        self.assertIn("shape 1 /World/b: group 1\n", schema)
        self.assertIn("filtered: 0 and 1\n", run("usd_filters", STAGES / "filtered_pairs.usda"))


if __name__ == "__main__":
    unittest.main()

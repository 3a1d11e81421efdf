"""The sample programs run and print what the documents that they come from say."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, QUADRUPED, ROOT

STAGES = ROOT / "samples" / "usd"


def run(name, *arguments, **environment):
    program = pathlib.Path(PROGRAM).parent / f"sample_{name}"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=400, env=environment or None)
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
        for count in (31, 400, 5000):
            for environment in ({}, {"PXR_WORK_THREAD_LIMIT": "1"}):
                lines = run("many_colliders", count, **environment).splitlines()
                self.assertEqual(len(lines), 2)
                for line in lines:
                    self.assertIn(f" {count} shapes", line)
                    hashes.add((count, line.split()[-1]))
        self.assertEqual(len(hashes), 3)

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

    def test_broad_phases_lead_to_the_same_contacts(self):
        """SMP-10, SMP-20: by name, and each of the four gives the same pairs."""
        self.assertEqual(run("collide_basic"), "EXPLICIT: 13 contacts\nSAP: 13 contacts\n")
        lines = run("broad_phases").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["explicit", "nxn", "sap", "tree"])
        self.assertEqual(len({re.search(r"(\d+ pairs, \d+ contacts)", line)[1] for line in lines}), 1)

    def test_a_ball_falls_and_rests(self):
        """SMP-11: at one radius above the ground after 120 frames of 10 substeps."""
        last = run("hello_falling_sphere").splitlines()[-1]
        self.assertRegex(last, r"^t 2\.000 s: z 0\.(49[5-9]|50[0-5])")

    def test_every_shape_comes_to_rest(self):
        """SMP-11: one of each, and a picture of them."""
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "shapes.png"
            lines = run("basic_shapes", "-o", picture).splitlines()
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual([line.split()[0] for line in lines[:7]], ["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "pyramid"])

    def test_programs_of_the_cpp_face_hold_what_they_claim(self):
        """Each returns 1 when one of its own claims does not hold, with values derived in its comments."""
        self.assertIn("100 worlds, 100 of them began again", run("cpp_many_worlds"))
        run("cpp_jacobian_control")
        run("cpp_own_solver")
        self.assertIn("0.20 kg m2", run("cpp_own_resolver", STAGES / "acme_arm.usda"))
        with tempfile.TemporaryDirectory() as folder:
            record = f"{folder}/run.mrec"
            self.assertIn("equal", run("cpp_controller", QUADRUPED, record))
            # What a program recorded, the command line verifies and draws: the recording says how the model was loaded.
            done = subprocess.run([PROGRAM, "replay", record, "--verify", "-o", f"{folder}/run.html"], capture_output=True, text=True, timeout=400)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("verified  501 steps", done.stderr)  # standard output is for data
            self.assertTrue(pathlib.Path(folder, "run.html").read_text().startswith("<!doctype html>"))

    def test_the_asset_program_ends_with_1_where_errors_are_left(self):
        """An asset without a name that is the author's to give cannot be repaired whole; one that keeps every rule is left as it is."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(PROGRAM).parent / "sample_cpp_asset_in_ci"
            done = [subprocess.run([program, asset, f"{folder}/{number}"], capture_output=True, text=True, timeout=400)
                    for number, asset in enumerate((ROOT / "samples" / "rep0158" / "box" / "box.usda", STAGES / "conflicting_asset.usda"))]
            self.assertEqual([one.returncode for one in done], [0, 1], "\n".join(one.stdout for one in done))
            self.assertTrue(all(list(pathlib.Path(folder, str(number)).iterdir()) for number in range(2)))
            self.assertIn("error REP-", done[1].stdout)

    def test_worlds_do_not_meet(self):
        """SMP-13."""
        self.assertEqual(run("worlds").splitlines(), [
            "shape 0: world -1", "shape 1: world 0", "shape 2: world 1", "contacts between worlds 0, with the ground 2"])

    def test_groups_follow_the_table(self):
        """SMP-15: the six rows of the table."""
        self.assertEqual(run("collision_groups").splitlines(), [
            " 0 and -1: no   group 0 disables collision", " 1 and  1: yes  same positive group", " 1 and  2: no   different positive groups",
            " 1 and -2: yes  positive with any negative", "-1 and -1: no   same negative group", "-1 and -2: yes  different negative groups"])

    def test_self_collision_is_a_switch_and_a_shape_may_opt_out(self):
        """SMP-16, for stages; MJCF is not read yet."""
        self.assertEqual(run("self_collision").splitlines(), [
            "self-collision on : 1 pairs, 2 filtered", "self-collision off: 0 pairs, 3 filtered", "collision_filter_parent on : 0 pairs",
            "collision_filter_parent off: 1 pairs"])

    def test_each_flag_rules_its_own_kind_of_contact(self):
        """SMP-17 (GAP-037)."""
        self.assertEqual(run("participation").splitlines(), [
            "shapes yes particles yes: 1 rigid, 1 soft", "shapes yes particles no : 1 rigid, 0 soft", "shapes no  particles yes: 0 rigid, 1 soft",
            "shapes no  particles no : 0 rigid, 0 soft"])

    def test_a_filtered_pair_is_in_the_set_once(self):
        """SMP-19."""
        self.assertEqual(run("filter_pair"), "filtered: 0 and 1\ncontacts before 1, after 0\n")

    def test_distance_fields_of_meshes(self):
        """SMP-21: the size of a cell goes before their number; the times are printed, not held."""
        lines = run("mesh_sdf").splitlines()
        self.assertIn("32 x 32 x 16 cells", lines[0])
        self.assertIn("cells of 12.50 mm", lines[1])
        self.assertRegex(lines[2], r"^triangles +0 fields")
        self.assertRegex(lines[3], r"^fields +1 fields")

    def test_meshes_become_simpler_shapes(self):
        """SMP-22: the type by method, the mesh kept to be seen."""
        lines = run("approximate_meshes").splitlines()
        self.assertEqual([(line.split()[0], line.split()[3].rstrip(",")) for line in lines], [
            ("convex_hull", "CONVEX_MESH"), ("bounding_box", "BOX"), ("bounding_sphere", "SPHERE"), ("decomposition", "CONVEX_MESH"),
            ("simplification", "MESH")])
        self.assertTrue(all(line.endswith("ring_visual is kept to be seen") for line in lines))

    def test_fewer_contacts_push_alike(self):
        """SMP-23."""
        counts = [int(re.search(r"(\d+) contacts", line)[1]) for line in run("contact_reduction").splitlines()]
        self.assertGreater(counts[0], 10 * counts[1])
        self.assertGreater(counts[2], counts[1])

    def test_a_stack_stands_however_often_contacts_are_found(self):
        """SMP-25 (GAP-057)."""
        calls = [int(re.search(r"(\d+) calls", line)[1]) for line in run("collide_frequency").splitlines()]
        self.assertEqual(calls, [1440, 180, 360])

    def test_particles_meet_shapes(self):
        """SMP-26."""
        self.assertEqual(run("soft_contacts").splitlines(), [
            "margin 0.01 m: 1 contacts", "  particle 0, shape 0", "margin 0.05 m: 3 contacts", "  particle 0, shape 0", "  particle 1, shape 0",
            "  particle 2, shape 1", "with the sheet: 4 contacts", "  particles 0 -1 -1, weights 1.00 0.00 0.00, shape 0",
            "  particles 3 5 -1, weights 0.50 0.50 0.00, shape 1", "  particles 3 4 5, weights 0.33 0.33 0.33, shape 1",
            "  particles 3 5 6, weights 0.33 0.33 0.33, shape 1"])

    def test_a_contact_says_where_it_is(self):
        """SMP-27 (GAP-047)."""
        lines = [line.strip() for line in run("contact_data").splitlines()]
        self.assertEqual(lines[1:], ["point 0  (0.000, 0.000, 0.000)", "point 1  (0.000, 0.000, -0.050)", "normal   (0.000, 0.000, 1.000)",
                                     "distance -0.050 m, margins 0.000 and 1.000 m"])

    def test_any_buffer_holds_the_same_contacts(self):
        """SMP-28."""
        lines = run("contact_buffers").splitlines()
        self.assertTrue(lines[0].startswith("A: capacity 50000, "))
        self.assertEqual(len({re.search(r"(\d+) contacts", line)[1] for line in lines}), 1)

    def test_pressure_and_its_room(self):
        """SMP-29 (GAP-046): twice the force under the harmonic mean; too little room is said."""
        text = run("hydroelastic_box")
        mean, series = map(float, re.search(r"mean (\d+) N, series (\d+) N", text).groups())
        self.assertAlmostEqual(mean / series, 2, delta=0.001)
        self.assertIn("COL_OVERFLOW", text)

    def test_materials_slide_and_bounce(self):
        """SMP-30: what a solver ignores of a material is said (GAP-060)."""
        text = run("materials")
        self.assertEqual(len(re.findall(r"^mu 0\.", text, re.M)), 3)
        self.assertIn("SOLVER_FEATURE", text)

    def test_solvers_agree_and_missing_ones_are_named(self):
        """SMP-33."""
        lines = run("solvers").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["softstep", "xpbd", "semi-implicit", "featherstone", "vbd", "mujoco"])
        for line in lines:
            self.assertRegex(line, r"rests at 0\.(49[5-9]|50[0-5])|solver '.*' does not exist|^mujoco +mujoco: ")

    def test_building_blocks_work_without_a_model(self):
        """SMP-34: broad phase, narrow phase, a writer of one's own, primitives, convex shapes."""
        lines = run("blocks_broad").splitlines()
        self.assertEqual(len(set(lines[:3])), 1)
        self.assertIn("5 contacts, 3 slots unused", run("blocks_narrow"))
        self.assertIn("ball 1: 2 contacts", run("blocks_custom_writer"))
        self.assertEqual(len(run("blocks_primitives").splitlines()), 13)
        self.assertIn("face on face", run("blocks_convex"))

    def test_contacts_are_drawn(self):
        """SMP-37: a picture with points and normals."""
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "contacts.png"
            self.assertIn("11 contacts", run("draw_contacts", "-o", picture))
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_recorded_loop_has_the_bits_of_the_plain_one(self):
        """SMP-32 (GAP-055): the times are printed, not held."""
        lines = run("step_graph").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["plain", "recorded"])
        self.assertEqual(len({line.split()[1] for line in lines}), 1)

    def test_a_nut_turns_down_a_bolt(self):
        """SMP-36: by the pitch of its thread in each turn, within 5 %."""
        turns, pitch = map(float, re.search(r"^-([\d.]+) turns.*: ([\d.]+) m a turn", run("nut_bolt_sdf")).groups())
        self.assertGreater(turns, 0.5)
        self.assertAlmostEqual(pitch / 0.04, 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()

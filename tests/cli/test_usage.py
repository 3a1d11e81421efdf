"""Exit codes, channels and suggestions of the command line."""
import json
import os
import tempfile
import unittest

from tests.cli.program import QUADRUPED, document, mechane


class Usage(unittest.TestCase):
    def test_no_verb_is_wrong_usage_and_prints_help_to_stderr(self):
        done = mechane()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("demo", done.stderr)

    def test_help_and_version_are_data(self):
        self.assertEqual(mechane("--help").returncode, 0)
        self.assertIn("sim", mechane("--help").stdout)
        self.assertRegex(mechane("--version").stdout, r"^mechane \d+\.\d+\.\d+\n$")
        for verb in ("demo", "doctor", "dump", "info", "render", "sim", "tree", "version"):
            done = mechane(verb, "--help")
            self.assertEqual(done.returncode, 0, verb)
            self.assertIn("--json", done.stdout, verb)

    def test_an_unknown_verb_or_option_names_the_nearest(self):
        done = mechane("simm", QUADRUPED)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sim", done.stderr)
        done = mechane("sim", QUADRUPED, "--framez", "3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--frames", done.stderr)

    def test_what_contradicts_itself_or_lies_out_of_range_is_named_as_it_was_given(self):
        for more, said in ((("--substeps", "0"), "--substeps 0"), (("--duration", "1", "--frames", "3"), "excludes")):
            done = mechane("sim", QUADRUPED, *more)
            self.assertEqual(done.returncode, 2, more)
            self.assertIn(said, done.stderr)
        done = mechane("explain", "REP-1.3-zz")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no rule and no diagnostic REP-1.3-zz\n  Did you mean REP-1.3-", done.stderr)

    def test_an_empty_value_is_wrong_usage(self):
        """`--select "$RULES"` with an unset variable must not mean all rules, or none"""
        for verb, more in (("check", ("--select", "")), ("check", ("--ignore", "REP-1.1-a", "--ignore", "")), ("sim", ("--expect", "")),
                           ("sim", ("--control", "")), ("sim", ("--resume", "")), ("sim", ("--hold", "")), ("info", ("--option", ""))):
            with self.subTest(verb=verb, more=more):
                done = mechane(verb, QUADRUPED, *more)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f"{more[0]} has an empty value", done.stderr)

    def test_two_documents_on_stdout_are_refused(self):
        done = mechane("sim", QUADRUPED, "--frames", "1", "-o", "-", "--json")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (2, "error: --json and -o - both write to stdout"))

    def test_bench_names_its_scenes_where_no_stage_is_given(self):
        done = mechane("bench")
        self.assertEqual(done.returncode, 2)
        for name in ("pyramid", "ant", "spheres"):
            self.assertIn(name, done.stderr)

    def test_an_option_that_may_repeat_leaves_the_file_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["sim", "--frames", "1", "-o", f"{folder}/a.json", "-o", f"{folder}/b.csv", QUADRUPED], ["sim", "--frames", "1", "--resolvers", "newton,physx", QUADRUPED],
                              ["dump", "model", "--option", "schema_resolvers=newton,physx", QUADRUPED], ["info", "--search-path", folder, QUADRUPED], ["sim", "--frames", "1", "--ground", QUADRUPED]):
                self.assertEqual(mechane(*arguments).returncode, 0, arguments)
            self.assertEqual(sorted(os.listdir(folder)), ["a.json", "b.csv"])

    def test_values_that_make_no_sense_are_wrong_usage(self):
        for arguments in (["--dt", "0"], ["--dt", "-1"], ["--dt", "nan"], ["--frames", "-1"], ["--substeps", "65"], ["--hold", "x"], ["--ground", "high"],
                          ["--set", "/nowhere.target=1"], ["--set", "knee_joint.target=1"], ["--solver", "magic"], ["-o", "a.xyz"], ["--every", "0"], ["--worlds", "0"]):
            done = mechane("sim", QUADRUPED, *arguments)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            self.assertNotIn("Traceback", done.stderr)
            self.assertIn("error", mechane("sim", QUADRUPED, "-q", *arguments).stderr, f"{arguments}: --quiet leaves errors")

    def test_an_output_that_cannot_be_written_is_exit_5(self):
        self.assertEqual(mechane("sim", QUADRUPED, "--frames", "1", "-o", "/nowhere/a.json").returncode, 5)
        self.assertEqual(mechane("render", QUADRUPED, "-o", "/nowhere/a.png").returncode, 5)

    def test_an_unexpected_hash_is_exit_1(self):
        done = mechane("sim", QUADRUPED, "--frames", "1", "--expect", "0", "-q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error", done.stderr)

    def test_json_documents_carry_their_schema(self):
        self.assertEqual(document("version", "--json")["schema"], "mechane.version/1")
        self.assertEqual(document("doctor", "--json")["schema"], "mechane.doctor/1")
        self.assertEqual(document("info", QUADRUPED, "--json")["schema"], "mechane.info/1")
        self.assertEqual(document("tree", QUADRUPED, "--json")["schema"], "mechane.tree/1")
        self.assertEqual(document("dump", "model", QUADRUPED)["schema"], "mechane.dump.model/1")
        self.assertEqual(document("sim", QUADRUPED, "--frames", "1", "--json")["schema"], "mechane.trajectory/1")

    def test_colour_only_when_asked_for(self):
        self.assertNotIn("\033[", mechane("info", "/nowhere.usda").stderr)
        self.assertIn("\033[", mechane("info", "/nowhere.usda", "--color", "always").stderr)
        self.assertIn("\033[", mechane("info", "/nowhere.usda", CLICOLOR_FORCE="1").stderr)
        self.assertNotIn("\033[", mechane("info", "/nowhere.usda", NO_COLOR="1").stderr)


class Queries(unittest.TestCase):
    def test_the_tree_of_the_sample_hangs_each_leg_on_the_torso(self):
        text = mechane("tree", QUADRUPED).stdout
        self.assertEqual(text.count("hip  "), 4, text)
        self.assertIn("torso", text)
        joints = document("tree", QUADRUPED, "--json")["joints"]
        self.assertEqual(sum(j["type"] == "REVOLUTE" for j in joints), 12)

    def test_the_prims_of_a_mask_are_listed_alone(self):
        shown = [prim["prim"] for prim in document("tree", "--prims", "--mask", "/quadruped/front_left", QUADRUPED, "--json")["prims"]]
        self.assertIn("/quadruped/front_left/thigh", shown)
        self.assertEqual([path for path in shown if not path.startswith("/quadruped/front_left")], ["/quadruped"])
        self.assertEqual(mechane("tree", "--prims", "--mask", "quadruped", QUADRUPED).returncode, 2)

    def test_info_counts_bodies_joints_and_mass(self):
        info = document("info", QUADRUPED, "--json")
        self.assertEqual(info["model"]["bodies"], 13)
        self.assertEqual(info["model"]["joints"], {"FREE": 1, "REVOLUTE": 12})
        # torso 6 kg and four legs of 0.6 + 0.7 + 0.25 kg, as authored
        self.assertAlmostEqual(info["model"]["mass"], 6 + 4 * 1.55, places=5)

    def test_the_prim_tree_shows_composed_prims(self):
        text = mechane("tree", "--prims", QUADRUPED).stdout
        self.assertIn("knee_joint [def PhysicsRevoluteJoint]", text)
        self.assertEqual(text.count("knee_joint "), 4)


if __name__ == "__main__":
    unittest.main()

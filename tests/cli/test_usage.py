"""Exit codes, channels and suggestions of the command line."""
import json
import os
import re
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
                self.assertIn("expected the hexadecimal" if more[0] == "--expect" else f"{more[-2]} has an empty value", done.stderr)

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

    def test_a_hash_counts_the_steps_since_the_start(self):
        """HASH:STEPS of a run in one piece is that of the same run in two, and of its recording; what is no hash is wrong usage"""
        with tempfile.TemporaryDirectory() as folder:
            run = lambda *more: mechane("sim", QUADRUPED, *more)
            state = lambda done: re.search(r"state +hash (\S+)", done.stdout + done.stderr).group(1)
            whole = state(run("--frames", "5"))
            self.assertRegex(whole, "^[0-9a-f]{16}:5$")
            self.assertEqual(run("--frames", "2", "--checkpoint", f"{folder}/c").returncode, 0)
            for expected in (whole, whole.split(":")[0]):
                done = run("--frames", "3", "--resume", f"{folder}/c", "--expect", expected, "-o", f"{folder}/r.mrec")
                self.assertEqual((done.returncode, state(done)), (0, whole), done.stderr)
            self.assertEqual(state(mechane("replay", f"{folder}/r.mrec")), whole)
            self.assertEqual(run("--frames", "3", "--resume", f"{folder}/c", "--expect", whole.replace(":5", ":3")).returncode, 1)
        for wrong in ("maybe", ":5", "0x12", "12:", "12:x"):
            self.assertEqual(run("--frames", "1", "--expect", wrong).returncode, 2, wrong)

    def test_an_option_that_would_have_no_effect_is_refused_with_what_it_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            baseline = f"{folder}/baseline.txt"
            with open(baseline, "w") as file:
                file.write("# a comment\n{\n")
            for words, said in ((("sim", QUADRUPED, "--search-path", "nope"), "--search-path: there is no folder 'nope'"),
                                (("check", QUADRUPED, "--package", "a=nope"), "--package: there is no folder 'nope'"),
                                (("sim", QUADRUPED, "--interfaces", "nope"), "--interfaces: there is no folder 'nope'"),
                                (("check", QUADRUPED, "--interfaces", "nope"), "--interfaces: there is no folder 'nope'"),
                                (("sim", QUADRUPED, "--compat", "openusd-26"), "--compat openusd-26 is for 'mechane dump physics' alone"),
                                (("dump", "model", QUADRUPED, "--compat", "openusd-26"), "--compat openusd-26 is for dump physics"),
                                (("init", "-"), "init writes files, and cannot write to standard output"),
                                (("fix", QUADRUPED, "--defaults", "newton", "--diff"), "--defaults needs --port-physx-sdf"),
                                (("fix", QUADRUPED, "--remove-physx", "--diff"), "--remove-physx needs --port-physx-sdf"),
                                (("fix", QUADRUPED, "-o", "-"), "fix writes files, and cannot write to standard output"),
                                (("fix", QUADRUPED, "--remove-api", "/quadruped=PhysicsScene", "--diff"), "PhysicsScene is the type of a prim and not applied to one"),
                                (("fix", QUADRUPED, "--remove-api", "/quadruped=PhysicsRigidBodyApi", "--diff"), "there is no schema 'PhysicsRigidBodyApi'"),
                                (("mesh", QUADRUPED, "--resolution", "8"), "--resolution needs --sdf"),
                                (("mesh", QUADRUPED, "--voxel", "0.1"), "--voxel needs --sdf"),
                                (("mesh", QUADRUPED, "--max-hulls", "8", "--hull"), "--max-hulls needs --decompose"),
                                (("mesh", QUADRUPED, "--max-vertices", "8"), "--max-vertices needs --hull or --decompose"),
                                (("diff", QUADRUPED, QUADRUPED, "--solver", "nope"), "--solver needs --rollout"),
                                (("cat", QUADRUPED, "--usdFormat", "usdc"), "--usdFormat usdc needs -o FILE.usd"),
                                (("check", QUADRUPED, "--baseline", baseline), f"--baseline {baseline}:2: '{{' is not the fingerprint of a finding")):
                with self.subTest(words[0], option=words[2:]):
                    done = mechane(*words, cwd=folder)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(said, done.stderr)
            self.assertEqual(os.listdir(folder), ["baseline.txt"])

    def test_an_argument_of_xacro_is_idle_in_a_plain_file(self):
        """A note, as scripts pass the same options for all formats"""
        with tempfile.TemporaryDirectory() as folder:
            for text, idle in (('<robot name="r"><link name="a"/></robot>', True), ('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="n" default="a"/><link name="$(arg n)"/></robot>', False)):
                with open(f"{folder}/r.urdf", "w") as file:
                    file.write(text)
                done = mechane("convert", f"{folder}/r.urdf", "--arg", "n:=b", "-o", f"{folder}/r.usda")
                self.assertEqual("note         --arg has no effect" in done.stderr, idle, done.stderr)

    def test_what_goes_to_standard_output_is_no_file_that_was_written(self):
        for output in ("-", "-.csv"):
            self.assertNotIn("wrote", mechane("sim", QUADRUPED, "--frames", "1", "-o", output).stderr)

    def test_rows_after_the_end_of_a_run_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            table = f"{folder}/c.csv"
            with open(table, "w") as file:
                file.write("t,/quadruped/front_left/knee_joint.target_q\n0,-1\n0.1,-1\n0.5,-1\n50,-1\n")
            done = mechane("sim", QUADRUPED, "--dt", "0.01", "--frames", "10", "--control", table)
            self.assertIn("warning[RUN_CONTROL_LATE]: 2 of 4 rows are later than the end of the run at 0.1 s; the first is at 0.5 s", done.stderr)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("RUN_CONTROL_LATE", mechane("sim", QUADRUPED, "--duration", "50", "--dt", "0.5", "--control", table).stderr)

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

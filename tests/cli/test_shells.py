"""What is made of the command table: completions, manual pages; and how somebody starts: `mechane` alone, `mechane init`."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, mechane


class Shells(unittest.TestCase):
    def test_completions_are_accepted_by_their_shells(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            done = mechane("completions", shell)
            self.assertEqual(done.returncode, 0)
            self.assertIn("no-browser", done.stdout)
            if shutil.which(check[0]):
                with tempfile.NamedTemporaryFile("w", suffix="." + shell) as file:
                    file.write(done.stdout)
                    file.flush()
                    self.assertEqual(subprocess.run([*check, file.name], capture_output=True, text=True).stderr, "")

    def test_bash_completes_verbs_and_options(self):
        script = mechane("completions", "bash").stdout
        for words, wanted in ((["mechane", "vie"], "view"), (["mechane", "view", "--no-b"], "--no-browser"), (["mechane", "sim", "--dur"], "--duration")):
            asked = f'{script}\nCOMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _mechane; printf "%s\\n" "${{COMPREPLY[@]}}"'
            done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.split(), [wanted])

    def test_bash_completes_values(self):
        """Of the first word behind a verb and of options, and nothing else where only some may stand."""
        script = mechane("completions", "bash").stdout
        solvers = "softstep xpbd semi-implicit featherstone vbd mujoco"
        for words, wanted in ((["ros", ""], "interfaces channels tf bridge"), (["dump", ""], "stage physics model"), (["schema", "co"], "conventions"),
                              (["sim", "--solver", ""], solvers), (["sim", "robot.usda", "--solver", "v"], "vbd"), (["help", "si"], "sim"), (["man", "repl"], "replay"),
                              (["check", "robot.usda", "--format", "s"], "sarif")):
            listed = " ".join(f"'{word}'" for word in ["mechane", *words])
            asked = f'{script}\nCOMP_WORDS=({listed}); COMP_CWORD={len(words)}; _mechane; printf "%s\\n" "${{COMPREPLY[@]}}"'
            done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
            self.assertEqual(sorted(done.stdout.split()), sorted(wanted.split()), words)

    def test_help_and_manual_take_what_stands_behind_a_verb(self):
        for verb in ("help", "man"):
            self.assertEqual(mechane(verb, "ros", "bridge").stdout, mechane(verb, "ros").stdout)
            done = mechane(verb, "ros", "brige")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("it has interfaces, channels, tf, bridge", done.stderr)

    def test_the_manual_has_every_verb_and_roff_takes_it(self):
        page = mechane("man").stdout
        for verb in ("view", "sim", "check", "fix", "completions"):
            self.assertIn(f".SS mechane {verb}\n", page)
        self.assertIn(".SS mechane view\n", mechane("man", "view").stdout)
        self.assertNotIn(".SS mechane sim\n", mechane("man", "view").stdout)
        self.assertEqual(mechane("man", "viev").returncode, 2)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=page, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_unknown_shells_are_named(self):
        self.assertEqual(mechane("completions", "tcsh").returncode, 2)
        self.assertEqual(mechane("completions").returncode, 2)

    def test_without_a_verb_there_are_five_things_to_try(self):
        done = mechane()
        self.assertEqual(sum(line.startswith("  mechane ") for line in done.stderr.splitlines()), 5)


class Init(unittest.TestCase):
    def test_the_starter_asset_passes_its_own_check_and_moves_to_its_target(self):
        """Stiffness 0.5 N m per degree beside 2.45 N m of weight at most: the arm ends within 5 degrees of 60."""
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(mechane("init", folder).returncode, 0)
            check = subprocess.run([PROGRAM, "check", "robot.usda"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(check.returncode, 0, check.stdout)
            self.assertIn("0 errors, 0 warnings", check.stdout + check.stderr)
            import json
            run = subprocess.run([PROGRAM, "sim", "robot.usda", "--duration", "5s", "--json"], cwd=folder, capture_output=True, text=True)
            angle = json.loads(run.stdout)["frames"][-1]["joint_q"][-1]
            self.assertAlmostEqual(angle, 60 * 3.14159265 / 180, delta=5 * 3.14159265 / 180)

    def test_nothing_that_exists_is_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder) / "mechane.toml"
            mine.write_text("[check]\n")
            self.assertEqual(mechane("init", folder).returncode, 5)
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir()], ["mechane.toml"])
            self.assertEqual(mine.read_text(), "[check]\n")


if __name__ == "__main__":
    unittest.main()

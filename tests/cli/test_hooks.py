"""The action and the hooks that other repositories use, run as their runners would."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT, mechane
from tests.cli.test_fix import BAD


def action_script():
    """The shell script of action.yml and the names of the inputs that reach it as environment variables."""
    text = (ROOT / "action.yml").read_text()
    script = re.search(r"run: \|\n((?: {8}.*\n)+)", text).group(1)
    env = dict(re.findall(r"^ {8}([A-Z_]+): \$\{\{ inputs\.([\w-]+) \}\}$", text, re.M))
    defaults = dict(re.findall(r"^  ([\w-]+):\n    description: .*\n    default: \"?([^\"\n]*)\"?$", text, re.M))
    return "\n".join(line[8:] for line in script.splitlines()), env, defaults


class Hooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.robot = self.folder / "robot.usda"
        self.robot.write_text(BAD)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "mechane").symlink_to(PROGRAM)
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def test_the_action_marks_findings_and_fails(self):
        script, env, defaults = action_script()
        inputs = {**defaults, "assets": str(self.robot), "sarif": str(self.folder / "out.sarif")}
        variables = {name: inputs.get(source, "") for name, source in env.items()}
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env={**self.environment, **variables}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"::error file=.*robot\.usda,line=\d+,title=REP-1\.1-i::")
        self.assertIn("2.1.0", (self.folder / "out.sarif").read_text())
        self.assertEqual(set(env.values()), {"assets", "fail-on", "profile", "sarif", "program"})

    def test_the_hooks_run_on_changed_files(self):
        text = (ROOT / ".pre-commit-hooks.yaml").read_text()
        entries = dict(re.findall(r"- id: (\S+)\n(?:  .*\n)*?  entry: (.*)\n", text))
        done = subprocess.run(shlex.split(entries["mechane-check"]) + [str(self.robot)], env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        subprocess.run(shlex.split(entries["mechane-fix"]) + [str(self.robot)], env=self.environment, capture_output=True, text=True, check=False)
        self.assertIn("xformOp:orient", self.robot.read_text())

    def test_the_repair_goes_through_all_files(self):
        """GAP-106: it ends with 1 if something is left, and says in which file."""
        text = (ROOT / ".pre-commit-hooks.yaml").read_text()
        entry = dict(re.findall(r"- id: (\S+)\n(?:  .*\n)*?  entry: (.*)\n", text))["mechane-fix"]
        second = self.folder / "second.usda"
        second.write_text(BAD)
        done = subprocess.run(shlex.split(entry) + [str(self.robot), str(second)], env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        for file in (self.robot, second):
            self.assertIn("xformOp:orient", file.read_text())
            self.assertIn(f"{file} - something is left", done.stdout)

    def test_a_layer_is_judged_and_repaired_as_part_of_its_asset(self):
        """Layers of a clean asset alone break rules of entries: no hook may fail on them, or edit them."""
        text = (ROOT / ".pre-commit-hooks.yaml").read_text()
        entries = dict(re.findall(r"- id: (\S+)\n(?:  .*\n)*?  entry: (.*)\n", text))
        clean = self.folder / "assets" / "robot"
        shutil.copytree(ROOT / "samples" / "rep0158" / "robot", clean)
        layers = sorted(str(path.relative_to(self.folder)) for path in clean.rglob("*.usd*"))
        before = {path: (self.folder / path).read_bytes() for path in layers}
        self.assertGreater(len(layers), 3)
        listed = mechane("check", "--by-asset", "--list-assets", *[self.folder / layer for layer in layers])
        for layer in layers:
            for hook in entries.values():
                done = subprocess.run(shlex.split(hook) + [layer], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, (layer, done.stdout, done.stderr))
        self.assertEqual({path: (self.folder / path).read_bytes() for path in layers}, before)
        self.assertEqual(listed.returncode, 0)
        self.assertLess(len(listed.stdout.splitlines()), len(layers))

    def test_the_hooks_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("skipped: no PyYAML")
        self.assertEqual([hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())], ["mechane-check", "mechane-fix"])


if __name__ == "__main__":
    unittest.main()

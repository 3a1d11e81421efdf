"""The action and the hooks that other repositories use, run as their runners would."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT
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
            self.assertIn(f"{file}: something is left", done.stdout)


if __name__ == "__main__":
    unittest.main()

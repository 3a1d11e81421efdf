"""Every command, program and file of the tutorials is run, in order, in a folder of its own. The slow ones need MECHANE_SLOW=1."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT
from tests.tutorials.pages import commands_of, steps_of

FOLDER = ROOT / "docs" / "tutorials"
SLOW = bool(os.environ.get("MECHANE_SLOW"))
BUILD = pathlib.Path(PROGRAM).resolve().parent.parent
MODULE = BUILD / "python"
#: What users' shells would have: the program, and this interpreter with the module of the build.
PYTHON_PATH = os.pathsep.join(filter(None, [str(MODULE), str(ROOT / ".deps" / "python"), os.environ.get("PYTHONPATH", "")]))


def environment(folder):
    bin_folder = pathlib.Path(folder) / ".bin"
    bin_folder.mkdir(exist_ok=True)
    for name, target in (("mechane", PROGRAM), ("python3", sys.executable), ("python", sys.executable)):
        script = bin_folder / name
        script.write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
        script.chmod(0o755)
    return {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "PYTHONPATH": PYTHON_PATH, "PYTHONDONTWRITEBYTECODE": "1", "MECHANE_SAMPLES": str(ROOT / "samples")}


def has(package):
    sys.path[:0] = PYTHON_PATH.split(os.pathsep)
    try:
        return importlib.util.find_spec(package) is not None
    finally:
        del sys.path[:len(PYTHON_PATH.split(os.pathsep))]


class Tutorials(unittest.TestCase):
    """One test a page; made below."""


def run_page(test, page):
    with tempfile.TemporaryDirectory() as folder:
        env = environment(folder)
        shutil.copytree(ROOT / "samples", pathlib.Path(folder) / "samples")
        for step in steps_of(page):
            where = f"{page.name}:{step.line}"
            if step.mark("no-run") is not None or (step.mark("slow") is not None and not SLOW):
                continue
            needs = step.mark("needs")
            if needs and not all(shutil.which(n) or has(n) for n in needs.split()):
                continue
            if step.kind == "file":
                file = pathlib.Path(folder) / step.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(step.text)
            elif step.kind == "python":
                if not list((MODULE / "mechane").glob("_core*.so")):
                    continue
                done = subprocess.run([sys.executable, "-c", step.text], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
                test.assertEqual(done.returncode, 0, f"{where}: {done.stderr}")
            else:
                for command, status in commands_of(step):
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
                    test.assertEqual(done.returncode, status, f"{where}: {command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def make(page):
    def test(self):
        run_page(self, page)

    test.__doc__ = f"The commands of {page.name} do what the page says."
    return test


for page in sorted(FOLDER.glob("*.md")):
    if page.stem != "index":
        setattr(Tutorials, f"test_{page.stem.replace('-', '_')}", make(page))


class Pages(unittest.TestCase):
    def test_every_tutorial_has_something_to_run_and_is_in_the_index(self):
        index = (FOLDER / "index.md").read_text()
        for page in FOLDER.glob("*.md"):
            if page.stem != "index":
                self.assertIn(f"({page.name})", index)
                self.assertTrue([s for s in steps_of(page) if s.kind != "file" and s.mark("no-run") is None], page.name)


if __name__ == "__main__":
    unittest.main()

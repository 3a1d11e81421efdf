"""A process whose OpenUSD is not the one of its release says so and does nothing.

Two copies are two registries of types that would fight; beside plug-ins of another release no file would be looked at before
OpenUSD's readers do.
"""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, QUADRUPED, SANITIZED, mechane


RESOLVER_ONLY = """{ "Plugins": [ { "Info": { "Types": { "MechaneResolver": { "bases": ["ArDefaultResolver"] } } },
    "LibraryPath": "", "Name": "mechane", "ResourcePath": "resources", "Root": "..", "Type": "library" } ] }"""


def run(program):
    """What another copy of the program says of a stage."""
    return subprocess.run([program, "dump", "stage", QUADRUPED], capture_output=True, text=True, timeout=600)


@unittest.skipUnless(shutil.which("cc"), "no C compiler to make the second copy with")
@unittest.skipIf(SANITIZED, "the sanitizer's library has to come first")
class TwoLibraries(unittest.TestCase):
    def test_two_copies_of_a_library_are_refused(self):
        """STG-001"""
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "libPxrTf.so")  # empty: what counts is that it is mapped under that name
            subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", copy], input="", text=True, check=True)
            done = mechane("dump", "stage", QUADRUPED, LD_PRELOAD=str(copy))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("STAGE_TWO_OPENUSD"), 1, done.stderr)
            self.assertIn(str(copy), done.stderr)
        self.assertEqual(mechane("dump", "stage", QUADRUPED).returncode, 0)


class OtherRelease(unittest.TestCase):
    def test_a_program_beside_the_plug_ins_of_another_release_is_refused(self):
        ours = "pxr/pluginfo/mechane/resources/plugInfo.json"
        for name, text in {"none of ours": '{ "Plugins": [] }', "fewer resolvers": RESOLVER_ONLY}.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                program = shutil.copy(PROGRAM, folder)
                shutil.copytree(pathlib.Path(PROGRAM).parent / "openusd", pathlib.Path(folder, "openusd"))
                self.assertEqual(run(program).returncode, 0)
                pathlib.Path(folder, "openusd", ours).write_text(text)
                done = run(program)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("STAGE_OPENUSD_FOLDER"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()

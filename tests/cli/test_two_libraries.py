"""A process into which two copies of OpenUSD are loaded says so and does nothing: two registries of types would fight."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import QUADRUPED, SANITIZED, mechane


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


if __name__ == "__main__":
    unittest.main()

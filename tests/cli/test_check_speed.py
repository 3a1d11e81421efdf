"""How what a check needs grows with the asset."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT, SANITIZED

sys.path.insert(0, str(ROOT / "tools"))
import check_speed  # noqa: E402

PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


@unittest.skipIf(SANITIZED, "sanitizers keep what is freed")
class Growth(unittest.TestCase):
    """REP-T-145, on the chain of tools/check_speed.py, which also measures times: make limits."""

    def test_ten_times_the_prims_take_at_most_twelve_times_the_memory_and_are_judged_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            peaks, counts = [], []
            for prims in (10_000, 100_000):
                stage = pathlib.Path(folder, f"{prims}.usda")
                stage.write_text(check_speed.stage(prims))
                command = [PROGRAM, "check", str(stage), "--isolate", "never", "--json"]
                peaks.append(int(subprocess.run([sys.executable, "-c", PEAK, *command], capture_output=True, text=True, check=True).stdout))
                found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
                counts.append(sorted({finding["rule"] for finding in found["findings"]}))
            self.assertLess(peaks[1], 12 * peaks[0], f"{peaks} kB")
            self.assertEqual(*counts)


if __name__ == "__main__":
    unittest.main()

"""The collision benchmark program: all scenes of the specification, without a window, for other programs to read (COL-161)."""
import csv
import io
import math
import os
import subprocess
import unittest

PROGRAM = os.environ.get("MECHANE_BENCH_COLB", "")
SCENES = [f"COLB-{number:02}" for number in range(1, 15)]


def rows(*arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=800, env=environment, check=True)
    return list(csv.DictReader(io.StringIO(run.stdout)))


@unittest.skipUnless(PROGRAM, "no bench_colb")
class Colb(unittest.TestCase):
    def test_every_scene_runs_and_reports_numbers(self):
        """COL-161"""
        found = rows("--quick")
        # Scenes of millions of triangles are left out where it has to be quick.
        self.assertEqual(sorted({row["scene"] for row in found}), [name for name in SCENES if name != "COLB-05"])
        for row in found:
            with self.subTest(scene=row["scene"], variant=row["variant"]):
                self.assertGreater(int(row["shapes"]), 0)
                self.assertGreater(float(row["ms"]), 0)
                self.assertTrue(math.isfinite(float(row["ms"])))
                self.assertGreaterEqual(int(row["contacts"]), 0)
                self.assertGreater(int(row["peak_mib"]), 0)
                self.assertEqual(int(row["threads"]), 1)

    def test_seeds_are_fixed_and_threads_change_no_count(self):
        """COL-161"""
        names = ("01", "02", "04", "11")
        first, second = rows("--quick", *names), rows("--quick", "--threads", "2", *names)
        self.assertEqual([row["threads"] for row in second], ["2"] * len(second))
        counts = [[(row["scene"], row["variant"], row["shapes"], row["pairs"], row["contacts"]) for row in run] for run in (first, second)]
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(sum(int(row["contacts"]) for row in first), 1000)


if __name__ == "__main__":
    unittest.main()

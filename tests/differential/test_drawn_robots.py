"""Robots drawn by chance go into OpenUSD and back; Pinocchio and MuJoCo say whether masses, frames, limits and laws are the same (EXP-039, EXP-057, EXP-074).

MECHANE_ROBOTS_PYTHON is an interpreter with mujoco and pin. MECHANE_DRAWN_ROBOTS=FIRST:LAST draws others.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM
from tests.differential import drawn_robots

PYTHON = os.environ.get("MECHANE_ROBOTS_PYTHON", "")
FIRST, LAST = map(int, os.environ.get("MECHANE_DRAWN_ROBOTS", "0:8").split(":"))
#: What a report of losses says by words that are no error: collisions that are turned off, sensors of what is not there.
COUNTS = {"count colliding geoms", "count nexclude", "count nsensor"}


@unittest.skipUnless(PYTHON, "skipped: MECHANE_ROBOTS_PYTHON is not set")
class DrawnRobots(unittest.TestCase):
    def judged(self, suffix, draw):
        """Rows of the judge that its engine could read."""
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(FIRST, LAST):
                place = pathlib.Path(folder, f"seed_{seed}")
                place.mkdir()
                (place / f"robot.{suffix}").write_text(draw(seed, place))
            rows = pathlib.Path(folder, "rows.jsonl")
            done = subprocess.run([PYTHON, str(pathlib.Path(__file__).with_name("robots_round.py")), "--mechane", PROGRAM, "--report", str(rows), folder], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [row for row in map(json.loads, rows.read_text().splitlines()) if "skipped" not in row]

    def test_urdf_comes_back_the_same(self):
        rows = self.judged("urdf", drawn_robots.urdf)
        self.assertGreaterEqual(len(rows), (LAST - FIRST) // 2)
        for row in rows:
            self.assertEqual((row["found"], row["check"]), ({}, []), row["source"])

    def test_mjcf_comes_back_the_same_or_the_report_names_what_does_not_as_an_error(self):
        rows = self.judged("xml", drawn_robots.mjcf)
        self.assertGreaterEqual(len(rows), (LAST - FIRST) // 2)
        for row in rows:
            errors = [text for text in row["import"] + row["export"] if text.startswith("error")]
            found = {kind: entry for kind, entry in row["found"].items() if kind not in COUNTS}
            if not errors:
                self.assertEqual((found, row["check"]), ({}, []), row["source"])

    def test_every_loss_of_a_report_is_true_and_none_is_silent(self):  # EXP-037
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder, "rows.jsonl")
            done = subprocess.run([PYTHON, str(pathlib.Path(__file__).with_name("losses_round.py")), "--mechane", PROGRAM, "--report", str(rows), f"{FIRST}:{LAST}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = [json.loads(line) for line in rows.read_text().splitlines()]
            self.assertGreaterEqual(len(told), LAST - FIRST)
            self.assertEqual([(row["kind"], row["seed"], row["wrong"]) for row in told if row["wrong"]], [])

    def test_every_way_between_the_formats_keeps_the_robot_or_says_what_it_lost(self):
        """URDF, MJCF and SDFormat to each other and to OpenUSD, and from there to each: `--verify` finds nothing that the report does not announce, and the engines agree."""
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder, "rows.jsonl")
            done = subprocess.run([PYTHON, str(pathlib.Path(__file__).with_name("directions_round.py")), "--mechane", PROGRAM, "--report", str(rows), f"{FIRST}:{min(LAST, FIRST + 4)}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = [json.loads(line) for line in rows.read_text().splitlines()]
            self.assertEqual(len({row["way"] for row in told}), 21)
            wrong = [(row["seed"], row["way"], row["found"]) for row in told if row["found"]]
            self.assertLessEqual(len(wrong), len(told) // 33, wrong)  # 97 of 100


if __name__ == "__main__":
    unittest.main()

"""Results that other programs read, judged by those: .mcap by the official reader, .rrd by Rerun, .gif and .mp4 by ffprobe; and what is said without them.

The packages are looked for in MECHANE_PACKAGES_PYTHON, else in the interpreter that runs this.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import QUADRUPED, mechane

PYTHON = os.environ.get("MECHANE_PACKAGES_PYTHON", sys.executable)


def has(*packages):
    code = "import importlib.util, sys; sys.exit(not all(importlib.util.find_spec(p) for p in sys.argv[1:]))"
    return subprocess.run([PYTHON, "-c", code, *packages], capture_output=True).returncode == 0


def run(code, *arguments):
    done = subprocess.run([PYTHON, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


MCAP = """
import json, sys
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, validate_crcs=True)
    summary = reader.get_summary()
    late = [(c.topic, m.log_time) for _, c, m in reader.iter_messages(start_time=500_000_000)]
    every = [(c.topic, m.log_time) for _, c, m in reader.iter_messages()]
with open(sys.argv[1], "rb") as file:
    kinds = [type(r).__name__ for r in StreamReader(file, validate_crcs=True, emit_chunks=True).records]
print(json.dumps({"messages": summary.statistics.message_count, "chunks": summary.statistics.chunk_count, "compression": [c.compression for c in summary.chunk_indexes],
                  "every": every, "late": late, "kinds": sorted(set(kinds))}))
"""
#: Rerun's own program, which its package installs beside the interpreter.
RERUN = os.path.join(os.path.dirname(PYTHON), "rerun")
ROBOT = '''#usda 1.0
(
    defaultPrim = "hall"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "hall"
{
    def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Sphere "geom" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double radius = 0.1
        }
    }
}
'''


class Readers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    @unittest.skipUnless(has("mcap", "zstandard"), "skipped: no Python with mcap and zstandard")
    def test_the_official_reader_finds_every_message_and_each_sum_right(self):
        from tests.cli.test_publish import ROBOT as HALL, read_mcap
        with open(self.at("hall.usda"), "w", encoding="utf-8") as file:
            file.write(HALL)
        self.assertEqual(mechane("sim", self.at("hall.usda"), "--dt", "0.01", "--frames", "100", "-o", self.at("run.mcap")).returncode, 0)
        found = run(MCAP, self.at("run.mcap"))
        ours = sorted((topic, round(time * 1e9)) for topic, time, _ in read_mcap(self.at("run.mcap"))[1])
        self.assertEqual(sorted(map(tuple, found["every"])), ours)
        self.assertEqual(sorted(map(tuple, found["late"])), [m for m in ours if m[1] >= 500_000_000])
        self.assertEqual(found["messages"], len(ours))
        self.assertTrue(found["chunks"] >= 1 and set(found["compression"]) == {"zstd"} and {"Chunk", "MessageIndex"} <= set(found["kinds"]))

    @unittest.skipUnless(has("rerun"), "skipped: no Python with rerun-sdk")
    def test_rerun_opens_a_recording_with_an_entity_for_each_body(self):
        done = mechane("sim", QUADRUPED, "--ground", "--frames", "5", "-o", self.at("run.rrd"), MECHANE_PYTHON=PYTHON)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(os.path.getsize(self.at("run.rrd")), 1000)
        if not os.access(RERUN, os.X_OK):
            self.skipTest("skipped: no program rerun beside that Python")
        said = subprocess.run([RERUN, "rrd", "stats", self.at("run.rrd")], capture_output=True, text=True).stdout
        entities = re.search(r"num_entity_paths = (\d+)", said)
        self.assertTrue(entities and int(entities[1]) >= 13 and "mechane" in said, said)  # 13 bodies, and their shapes

    def test_without_rerun_the_exit_status_is_6_and_nothing_is_left(self):
        for python in ("/nowhere/python3", shutil.which("false")):
            done = mechane("sim", QUADRUPED, "--frames", "1", "-o", self.at("run.rrd"), MECHANE_PYTHON=python)
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertIn("RENDER_RRD_PACKAGE", done.stderr)
            self.assertEqual(os.listdir(self.folder.name), [])

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "skipped: no ffmpeg")
    def test_movies_have_the_pictures_that_were_asked_for(self):
        """One second at 30 pictures a second: 31 of them, from both ends; odd sizes are padded for .mp4."""
        with open(self.at("ball.usda"), "w", encoding="utf-8") as file:
            file.write(ROBOT)
        for name, size, shown in (("a.gif", "160x91", "160x91"), ("a.mp4", "160x91", "160x92")):
            done = mechane("render", self.at("ball.usda"), "--at", "1", "--size", size, "-o", self.at(name))
            self.assertEqual(done.returncode, 0, done.stderr)
            probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", self.at(name)], capture_output=True, text=True, check=True).stdout)
            stream = probe["streams"][0]
            self.assertEqual((int(stream["nb_read_frames"]), f"{stream['width']}x{stream['height']}"), (31, shown))
        self.assertEqual(mechane("sim", self.at("ball.usda"), "--frames", "5", "-o", self.at("b.gif")).returncode, 0)

    def test_without_ffmpeg_the_exit_status_is_6_before_anything_is_computed(self):
        done = mechane("render", QUADRUPED, "-o", self.at("a.mp4"), PATH=self.folder.name)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("RENDER_MOVIE_PROGRAM", done.stderr)
        self.assertIn("apng", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_an_ffmpeg_that_fails_is_quoted_and_leaves_nothing(self):
        fake = self.at("ffmpeg")
        with open(fake, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'no such codec' >&2\nexit 3\n")
        os.chmod(fake, 0o755)
        done = mechane("render", QUADRUPED, "-o", self.at("a.gif"), PATH=f"{self.folder.name}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("no such codec", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["ffmpeg"])

    def test_a_dash_is_standard_output(self):
        table = mechane("sim", QUADRUPED, "--frames", "2", "-o", "-.csv")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertEqual(len(table.stdout.splitlines()), 4)
        self.assertEqual(json.loads(mechane("sim", QUADRUPED, "--frames", "2", "-o", "-").stdout)["schema"].split("/")[0], "mechane.trajectory")
        picture = subprocess.run([os.environ.get("MECHANE", "mechane"), "render", QUADRUPED, "--size", "32x18", "-o", "-"], capture_output=True) if "MECHANE" in os.environ else None
        self.assertTrue(picture is None or picture.stdout.startswith(b"\x89PNG"))


class Doctor(unittest.TestCase):
    def checks(self, **environment):
        done = mechane("doctor", "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {check["name"]: check for check in json.loads(done.stdout)["checks"]}

    def test_it_tells_what_is_missing_with_a_remedy_and_without_failing(self):
        with tempfile.TemporaryDirectory() as empty:
            bare = self.checks(PATH=empty)
            for name in ("ffmpeg", "browser", "Python"):
                self.assertFalse(bare[name]["ok"] or bare[name]["needed"], name)
                self.assertTrue(bare[name]["remedy"], name)
            self.assertTrue(bare["OpenUSD"]["ok"] and bare["OpenUSD"]["needed"])

    def test_packages_of_the_interpreter_that_is_named_have_their_versions(self):
        with_packages = self.checks(MECHANE_PYTHON=sys.executable)
        self.assertIn(sys.executable, with_packages["Python"]["value"])
        self.assertTrue({"Python: torch", "Python: mujoco", "Python: gymnasium", "Python: ray", "Python: rerun"} <= set(with_packages))
        for check in with_packages.values():
            self.assertTrue(check["ok"] or "pip install" in check["remedy"] or check["remedy"], check)

    def test_an_interpreter_that_does_not_run_is_named(self):
        self.assertIn("does not run", self.checks(MECHANE_PYTHON=shutil.which("false"))["Python"]["value"])


if __name__ == "__main__":
    unittest.main()

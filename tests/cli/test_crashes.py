"""Whatever ends a run, and whenever: what was there is whole, or what comes is. The program counts its operations on the file system, and a variable has it die, or the disk run
full, at the N-th."""
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from tests.cli.assets import BODY, snapshot
from tests.cli.program import PROGRAM

MANY = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    upAxis = "Y"
    subLayers = [%s]
)
def Xform "robot" (kind = "component")
{
}
"""
PART = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    upAxis = "Y"
)
def Xform "robot"
{
    def Cube "part%d" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 20
        double3 xformOp:translate = (%d, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""


def make_layers(folder, count):
    """An asset in centimetres whose repair changes every one of its layers."""
    (folder / "parts").mkdir(parents=True)
    names = [f"parts/part{i}.usda" if i % 2 else f"part{i}.usda" for i in range(count)]
    (folder / "robot.usda").write_text(MANY % ", ".join(f"@./{name}@" for name in names))
    for i, name in enumerate(names):
        (folder / name).write_text(PART % (i, 100 * i))


def files(folder):
    """As `snapshot`, without what a killed run may leave under its own names."""
    return {name: digest for name, digest in snapshot(folder).items() if not os.path.basename(name).startswith(".mechane-") and "/.mechane-" not in "/" + name}


class Crashes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.master = self.folder / "master"
        self.master.mkdir()

    def fresh(self):
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.master, work, symlinks=True)
        return work

    def at(self, folder, arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": str(self.folder), **environment})

    def at_every_operation(self, arguments, check, kinds=("kill", "full"), good=(0, 1)):
        """Runs the command once for each of its operations, which fails or is the last one; `check` gets the folder, the kind and the finished process."""
        counts = []
        for kind in kinds:
            for n in itertools.count(1):
                work = self.fresh()
                done = self.at(work, arguments, MECHANE_TEST_WRITES=f"{kind}:{n}")
                with self.subTest(arguments=arguments, kind=kind, operation=n):
                    if kind == "kill" and done.returncode != -signal.SIGKILL or kind == "full" and n > counts[0]:
                        self.assertIn(done.returncode, good, done.stderr)
                        break
                    check(work, kind, done)
                self.assertLess(n, 500)
            counts.append(n - 1)
        return counts

    def test_one_file_is_old_or_new(self):
        (self.master / "robot.usda").write_text(BODY)
        (self.master / "end.ckpt").write_text("")
        for target, arguments in (("a.json", ["sim", "robot.usda", "--frames", "1", "--reproducible", "-o", "a.json"]), ("a.usda", ["sim", "robot.usda", "--frames", "1", "-o", "a.usda"]),
                                  ("a.mrec", ["sim", "robot.usda", "--frames", "3", "-o", "a.mrec"]), ("end.ckpt", ["sim", "robot.usda", "--frames", "1", "--checkpoint", "end.ckpt"]),
                                  ("a.html", ["sim", "robot.usda", "--frames", "1", "-o", "a.html"]), ("a.usdc", ["cat", "robot.usda", "-o", "a.usdc"]),
                                  ("a.usdz", ["cat", "robot.usda", "-o", "a.usdz"]), ("a.txt", ["check", "robot.usda", "-o", "a.txt"]), ("a.png", ["render", "robot.usda", "-o", "a.png"]),
                                  ("f.usda", ["fix", "robot.usda", "-o", "f.usda"]), ("l.usda", ["fix", "robot.usda", "--layer", "l.usda"]),
                                  ("m.json", ["dump", "model", "robot.usda", "-o", "m.json"])):
            (self.master / target).write_text("the old content")
            old = files(self.master)
            work = self.fresh()
            self.assertIn(self.at(work, arguments).returncode, (0, 1))
            new = files(work)
            seen = set()

            def check(work, kind, done):
                now = files(work)
                self.assertIn(now, (old, new), done.stderr)
                seen.add(now == new)
                if kind == "full":
                    self.assertIn(done.returncode, (0, 1, 5), done.stderr)
                    self.assertEqual(done.returncode == 5, now == old)
                    self.assertEqual([n for n in os.listdir(work) if n.startswith(".")], [], "left behind")

            self.at_every_operation(arguments, check)
            self.assertEqual(seen, {False, True}, arguments)
            (self.master / target).unlink()

    def test_a_repair_in_place_replaces_all_layers_or_none(self):
        """Killed at any operation, the next run brings it to its end; where the disk is full, nothing has happened"""
        make_layers(self.master, 4)
        old = files(self.master)
        work = self.fresh()
        done = self.at(work, ["fix", "robot.usda", "--in-place", "--select", "1.1"])
        self.assertIn(done.returncode, (0, 1), done.stderr)
        new = files(work)
        self.assertEqual(len([name for name in old if old[name] != new.get(name)]), 5, "the root layer and its four parts")
        recovered = []

        def check(work, kind, done):
            if kind == "full":
                if done.returncode != 5:  # what failed came after it was done: the next run tidies up
                    self.at(work, ["info", "robot.usda"])
                self.assertEqual(snapshot(work), old if done.returncode == 5 else new, done.stderr)
                return
            after = self.at(work, ["info", "robot.usda"])
            self.assertIn(after.returncode, (0, 3), after.stderr)
            now = files(work)
            self.assertIn(now, (old, new), done.stderr)
            recovered.append(now == new)
            self.assertFalse(os.path.lexists(work / ".mechane-journal"))
            if now == new:
                self.assertEqual(snapshot(work), new, "left behind")

        self.at_every_operation(["fix", "robot.usda", "--in-place", "--select", "1.1"], check)
        self.assertIn(True, recovered)
        self.assertIn(False, recovered)

    def test_a_folder_of_results_is_the_old_one_or_the_new_one(self):
        make_layers(self.master / "asset", 2)
        done = self.at(self.master, ["fix", "asset/robot.usda", "-o", "out", "--select", "REP-1.1-a"])
        self.assertIn(done.returncode, (0, 1), done.stderr)
        old = files(self.master)
        work = self.fresh()
        arguments = ["fix", "asset/robot.usda", "-o", "out", "--select", "1.1"]
        self.assertIn(self.at(work, arguments).returncode, (0, 1))
        new = files(work)
        self.assertNotEqual(old, new)
        seen = []

        def check(work, kind, done):
            now = files(work)
            self.assertIn(now, (old, new), done.stderr)
            seen.append(now == new)
            if kind == "full":
                self.assertIn(done.returncode, (0, 1, 5), done.stderr)
                self.assertEqual([n for n in os.listdir(work) if n.startswith(".")], [], "left behind")

        self.at_every_operation(arguments, check)
        self.assertIn(True, seen)
        self.assertIn(False, seen)

    def test_a_folder_that_cannot_be_exchanged_is_brought_to_its_end(self):
        """The working folder is filled under a journal"""
        make_layers(self.master / "asset", 2)
        (self.master / "work").mkdir()
        first = ["fix", "../asset/robot.usda", "-o", ".", "--select", "REP-1.1-a"]
        self.assertIn(self.at(self.master / "work", first).returncode, (0, 1))
        old = files(self.master / "work")
        again = ["fix", "../asset/robot.usda", "-o", ".", "--select", "1.1"]
        work = self.fresh()
        self.assertIn(self.at(work / "work", again).returncode, (0, 1))
        new = files(work / "work")
        for n in itertools.count(1):
            work = self.fresh() / "work"
            done = self.at(work, again, MECHANE_TEST_WRITES=f"kill:{n}")
            if done.returncode != -signal.SIGKILL:
                break
            after = self.at(work, ["info", "robot.usda"])
            self.assertIn(after.returncode, (0, 3), after.stderr)
            self.assertIn(files(work), (old, new))
            last = self.at(work, again)
            self.assertIn(last.returncode, (0, 1), f"{n} {last.stderr}")
            self.assertEqual(files(work), new)

    def test_a_journal_that_came_with_an_asset_reaches_nothing_else(self):
        """It may name files of its own folder only, and what is not where it says is left alone"""
        (self.master / "asset").mkdir()
        (self.master / "asset" / "robot.usda").write_text(BODY)
        (self.master / "victim").write_text("precious")
        (self.master / ".mechane-x.part").write_text("evil")
        for line in ("replace ../victim .mechane-x.part 1", "replace /etc/hostname .mechane-x.part 1", "replace victim ../.mechane-x.part 1", "remove ../victim .mechane-x.part 1",
                     f"remove ../victim .mechane-x.part {os.stat(self.master / 'victim').st_ino}", "replace robot.usda .mechane-x.part 12345", "folder ../victim", "nonsense"):
            (self.master / "asset" / ".mechane-journal").write_text(f"mechane-journal 1\ncommitted\n{line}\n")
            before = snapshot(self.master)
            done = self.at(self.master, ["info", "asset/robot.usda"])
            self.assertEqual(done.returncode, 3, f"{line}\n{done.stderr}")
            self.assertIn("FILES_NOT_RECOVERED", done.stderr)
            self.assertEqual(snapshot(self.master), before, line)

    def test_two_repairs_of_one_asset_do_not_mix(self):
        make_layers(self.master, 30)
        command = [PROGRAM, "fix", "robot.usda", "--in-place", "--select", "1.1"]
        work = self.fresh()
        both = [subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [one.communicate(timeout=120)[1] for one in both]
        codes = sorted(one.returncode for one in both)
        self.assertIn(codes, ([0, 0], [0, 1], [0, 5], [1, 1], [1, 5]), said)
        self.assertEqual(self.at(work, ["check", "robot.usda", "--select", "REP-1.1-a"]).returncode, 0)

    def test_signals_change_nothing_and_leave_nothing(self):
        """SIGINT and SIGTERM at many moments of a repair in place: all layers are old, or all new"""
        make_layers(self.master, 40)
        arguments = ["fix", "robot.usda", "--in-place", "--select", "1.1"]
        old = files(self.master)
        work = self.fresh()
        begin = time.monotonic()
        self.assertIn(self.at(work, arguments).returncode, (0, 1))
        whole = time.monotonic() - begin
        new = files(work)
        for i, number in enumerate([signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * 5):
            work = self.fresh()
            run = subprocess.Popen([PROGRAM, *arguments], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(self.folder)})
            time.sleep(whole * (i + 1) / 15)
            run.send_signal(number)
            run.wait(timeout=60)
            self.assertIn(run.returncode, (0, 1, -number))
            self.assertIn(snapshot(work), (old, new))
        self.assertEqual(sorted(os.listdir(self.folder)), ["master", "work"])

    def test_a_stopped_recording_keeps_what_was_recorded(self):
        """SIGTERM as SIGINT"""
        (self.master / "robot.usda").write_text(BODY)
        for number in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([PROGRAM, "sim", "robot.usda", "--frames", "100000000", "-o", "run.mrec", "--every", "1000"], cwd=self.master, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            path = self.master / "run.mrec"
            for _ in range(1000):
                time.sleep(0.01)
                if path.exists() and path.stat().st_size > 3000:
                    break
            run.send_signal(number)
            said = run.communicate(timeout=60)[1]
            self.assertEqual(run.returncode, 130, said)
            told = json.loads(self.at(self.master, ["replay", "run.mrec", "--json"]).stdout)
            self.assertTrue(told["complete"])
            self.assertGreater(told["frames"], 1)
            path.unlink()

    def test_a_killed_recording_can_be_read_and_an_old_one_stays(self):
        (self.master / "robot.usda").write_text(BODY)
        self.assertEqual(self.at(self.master, ["sim", "robot.usda", "--frames", "5", "-o", "old.mrec"]).returncode, 0)
        before = (self.master / "old.mrec").read_bytes()
        run = subprocess.Popen([PROGRAM, "sim", "robot.usda", "--frames", "100000000", "--every", "1000", "-o", "old.mrec", "-o", "new.mrec"], cwd=self.master, stderr=subprocess.DEVNULL)
        for _ in range(1000):
            time.sleep(0.01)
            if (self.master / "new.mrec").exists() and (self.master / "new.mrec").stat().st_size > 3000:
                break
        other = self.at(self.master, ["sim", "robot.usda", "--frames", "1", "-o", "new.mrec"])
        self.assertEqual(other.returncode, 5, "somebody else records to it")
        self.assertIn("FILES_BUSY", other.stderr)
        run.kill()
        run.wait(timeout=60)
        self.assertEqual((self.master / "old.mrec").read_bytes(), before)
        cut = self.at(self.master, ["replay", "new.mrec", "--json"])
        self.assertIn("RECORD_CUT_OFF", cut.stderr)
        self.assertGreater(json.loads(cut.stdout)["steps"], 0)

    def test_a_file_that_would_grow_too_large_is_an_error_and_the_old_one_stays(self):
        """A limit of file size ends a program by a signal unless it looks"""
        (self.master / "robot.usda").write_text(BODY)
        for target in ("a.json", "a.mrec", "a.usda", "a.html"):
            (self.master / target).write_text("the old content")
            before = snapshot(self.master)
            done = subprocess.run([PROGRAM, "sim", "robot.usda", "--frames", "2000", "-o", target], cwd=self.master, capture_output=True, text=True, timeout=120,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
            self.assertEqual(done.returncode, 5, f"{target}\n{done.stderr}")
            self.assertEqual(snapshot(self.master), before)

    def test_copies_that_find_no_room_are_errors_of_the_output(self):
        """(docs/cli.md: 5, output could not be written)"""
        (self.master / "robot.usda").write_text(BODY + "# " + "x" * 5000 + "\n")
        for verb in ("fix", "convert"):
            before = snapshot(self.master)
            done = subprocess.run([PROGRAM, verb, "robot.usda", "-o", "out"], cwd=self.master, capture_output=True, text=True, timeout=120,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
            self.assertEqual(done.returncode, 5, f"{verb}\n{done.stderr}")
            self.assertIn("FILES_WRITE_FAILED", done.stderr)
            self.assertEqual(snapshot(self.master), before)


if __name__ == "__main__":
    unittest.main()

"""No verb writes over what it reads, and what cannot be written is found out before the work."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.assets import BODY, make_robot, png, snapshot
from tests.cli.program import PROGRAM, QUADRUPED, mechane

#: How each verb that writes is told where; X stands for the result. A verb with an output that is not here fails the test.
WRITERS = {
    "cat": [["cat", "robot.usda", "-o", "X"], ["cat", "robot.usda", "--flatten", "-o", "X"]],
    "check": [["check", "robot.usda", "-o", "X"], ["check", "robot.usda", "--write-baseline", "X"], ["check", "robot.usda", "--baseline", "base.txt", "-o", "X"]],
    "collide": [["collide", "robot.usda", "-o", "X"]],
    "demo": [],  # writes into a folder: below
    "diff": [["diff", "robot.usda", "robot.usda", "-o", "X"]],
    "dump": [["dump", kind, "robot.usda", "-o", "X"] for kind in ("stage", "physics", "model")],
    "fix": [["fix", "robot.usda", "-o", "X"], ["fix", "robot.usda", "--layer", "X"], ["fix", "robot.usda", "-o", "new", "--report", "X"],
            ["fix", "robot.usda", "--diff", "--report", "X"]],
    "mesh": [["mesh", "robot.usda", "-o", "X"]],
    "reduce": [["reduce", "robot.usda", "--while", "true", "--runs", "3", "-o", "X"]],
    "render": [["render", "robot.usda", "-o", "X"]],
    "replay": [["replay", "run.mrec", "-o", "X"]],
    "sim": [["sim", "robot.usda", "--frames", "1", "-o", "X"], ["sim", "robot.usda", "--frames", "1", "--checkpoint", "X"],
            ["sim", "robot.usda", "--frames", "1", "--control", "control.csv", "-o", "X"], ["sim", "robot.usda", "--frames", "1", "--resume", "end.ckpt", "--checkpoint", "X"]],
}
#: Options of verbs that name something to be written.
OUTPUT = re.compile(r"^\s+(?:-o,\s*)?(--(?:output|out|checkpoint|write-baseline|report|layer|pictures))\b", re.M)
LAYERS = ("robot.usda", "sub.usda", os.path.join("parts", "ref.usda"), "pay.usdc", "saw.usda")
ROS = str(pathlib.Path(__file__).resolve().parents[2] / "samples" / "rep0158" / "robot" / "robot.usda")
TEXTURES = ("tex.png", "skin.1001.png", "skin.1002.png")


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.master = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.master.name)
        make_robot(folder / "asset")
        asset = folder / "asset"
        (asset / "control.csv").write_text("t,/robot/arm.f\n")
        (asset / "base.txt").write_text("# nothing\n")
        for arguments in (["sim", "robot.usda", "--frames", "2", "-o", "run.mrec"], ["sim", "robot.usda", "--frames", "1", "--checkpoint", "end.ckpt"]):
            done = cls.at(asset, *arguments)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.master.cleanup()

    @staticmethod
    def at(folder, *arguments, **more):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120, **more)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.asset = pathlib.Path(folder.name) / "asset"
        shutil.copytree(pathlib.Path(self.master.name) / "asset", self.asset, symlinks=True)

    def refused(self, arguments, target, code=2):
        before = snapshot(self.asset)
        done = self.at(self.asset, *[target if word == "X" else word for word in arguments])
        self.assertEqual(snapshot(self.asset), before, f"{arguments} -> {target}")
        self.assertEqual(done.returncode, code, f"{arguments} -> {target}\n{done.stderr}")
        return done

    def test_a_percent_sign_is_a_letter_of_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("usda", "usdc", "csv", "mcap", "json", "mrec", "html"):
                for name in (f"o 50%.{suffix}", f"a%d.{suffix}", f"%s%%.{suffix}"):
                    out = pathlib.Path(folder) / "out" / name
                    out.parent.mkdir(exist_ok=True)
                    done = mechane("sim", QUADRUPED, "--frames", "1", "-o", out)
                    self.assertEqual(done.returncode, 0, (name, done.stderr))
                    self.assertEqual([path.name for path in out.parent.iterdir()], [name])
                    out.unlink()

    def test_a_robot_is_not_written_over(self):
        robot = self.asset / "arm.urdf"
        shutil.copy(pathlib.Path(ROS).parents[2] / "convert" / "arm.urdf", robot)
        self.refused(["convert", "arm.urdf", "-o", "X"], "arm.urdf")

    def test_every_verb_that_writes_is_in_the_table(self):
        verbs = re.findall(r"^  ([a-z-]+) +[A-Z]", mechane("--help").stdout, re.M)
        self.assertGreater(len(verbs), 10)
        for verb in verbs:
            options = set(OUTPUT.findall(mechane(verb, "--help").stdout))
            self.assertEqual(bool(options), verb in WRITERS or verb in ("convert", "view"), f"{verb}: {options}")  # convert reads no stage: test_a_robot_is_not_written_over; view records: test_view

    def test_no_verb_writes_over_a_layer_or_texture_that_the_asset_depends_on(self):
        """Also payloads, textures and variants that this run would not have looked at (GAP-104)"""
        for verb, commands in WRITERS.items():
            for arguments in commands:
                for target in (*LAYERS, *TEXTURES):
                    with self.subTest(verb=verb, arguments=arguments, target=target):
                        self.refused(arguments, target)

    def test_no_verb_writes_over_another_file_that_its_options_name(self):
        for arguments, target in ((["check", "robot.usda", "--baseline", "base.txt", "-o", "X"], "base.txt"),
                                  (["sim", "robot.usda", "--frames", "1", "--control", "control.csv", "-o", "X"], "control.csv"),
                                  (["sim", "robot.usda", "--frames", "1", "--resume", "end.ckpt", "--checkpoint", "X"], "end.ckpt"),
                                  (["replay", "run.mrec", "-o", "X"], "run.mrec")):
            with self.subTest(arguments=arguments):
                self.refused(arguments, target)

    def test_a_kept_verdict_protects_the_files_that_it_stands_for(self):
        """The second run reads none of them (GAP-104)"""
        with tempfile.TemporaryDirectory() as cache:
            for given in (".", "robot.usda"):
                for target in (*LAYERS, *TEXTURES):
                    for option in ("-o", "--write-baseline"):
                        for _ in range(2):
                            self.refused(["check", given, "--cache", cache, option, "X"], target)
                kept = self.at(self.asset, "check", given, "--cache", cache, "-v")
                self.assertIn("0 of ", kept.stderr)

    def test_an_asset_that_cannot_be_parsed_keeps_its_files(self):
        """Nobody can ask it for its layers, and yet its text names them"""
        layer = self.asset / "robot.usda"
        layer.write_text(layer.read_text().rstrip().removesuffix("}"))
        (self.asset / "bad.urdf").write_text("<robot name='r'><link name='l'><visual><geometry><mesh filename='package://r/meshes/a.stl'/></link></robot>")
        (self.asset / "meshes").mkdir()
        (self.asset / "meshes" / "a.stl").write_text("solid a\nendsolid a\n")
        os.symlink("sub.usda", self.asset / "soft.usda")
        for given, targets in (("robot.usda", ("robot.usda", "sub.usda", "soft.usda", "tex.png", "pay.usdc")), ("bad.urdf", ("bad.urdf", "meshes/a.stl"))):
            for target in targets:
                for more in ((), ("--behaviour",)):
                    with self.subTest(given=given, target=target, more=more):
                        before = snapshot(self.asset)
                        done = self.at(self.asset, "check", given, *more, "-o", target)
                        self.assertIn(done.returncode, (2, 3), done.stderr)
                        self.assertEqual(snapshot(self.asset), before)

    def test_layers_of_a_reduced_stage_replace_no_stranger(self):
        """Their names are made from that of the result"""
        (self.asset / "e.usda").write_text('#usda 1.0\n(\n    defaultPrim = "R"\n    subLayers = [@./n.usda@]\n)\ndef Xform "R"\n{\n}\n')
        (self.asset / "n.usda").write_text('#usda 1.0\nover "R"\n{\n    def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n    {\n    }\n}\n')
        (self.asset / "small_1.usda").write_text("precious")
        command = ["reduce", "e.usda", "--while", f"grep -q subLayers {{}} && {PROGRAM} info {{}} | grep -q '1 body'", "-o", "small.usda"]
        self.assertIn("FILES_FOLDER", self.refused(command, "small.usda").stderr)
        (self.asset / "small_1.usda").unlink()
        for _ in range(2):  # the second time it is its own
            done = self.at(self.asset, *command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((self.asset / "small_1.usda").exists())

    def test_no_other_result_lies_in_a_folder_that_is_made_as_a_whole(self):
        """Else it replaces a file of that result, or the next run refuses the folder"""
        shutil.copy(pathlib.Path(ROS).parents[2] / "convert" / "arm.urdf", self.asset / "arm.urdf")
        for arguments in (["fix", "robot.usda", "-o", "made", "--report", "X"], ["convert", "robot.usda", "-o", "made/", "--loss", "X"],
                          ["convert", "arm.urdf", "-o", "made", "--loss", "X"]):
            for target in ("made/robot.usda", "made/report.json", "./made/deep/er.json", "here/../made/a.json"):
                with self.subTest(arguments=arguments, target=target):
                    self.assertIn("lies in the folder", self.refused(arguments, target).stderr)
                    self.assertFalse((self.asset / "made").exists())

    def test_a_report_does_not_replace_a_file_of_the_result(self):
        """Which files a result has is known when it is made"""
        done = self.at(self.asset, "convert", "robot.usda", "-o", "out.gltf", "--fail-on-loss", "never")
        self.assertEqual(done.returncode, 0, done.stderr)
        beside = [name for name in os.listdir(self.asset) if name.startswith("out.") and name != "out.gltf"]
        self.assertTrue(beside)
        before = snapshot(self.asset)
        done = self.at(self.asset, "convert", "robot.usda", "-o", "out.gltf", "--loss", beside[0])
        self.assertEqual((done.returncode, snapshot(self.asset)), (2, before), done.stderr)

    def test_all_files_of_a_result_are_asked_for_before_one_is_written(self):
        """Buffers, pictures, meshes, and the list of them: none of them is there yet"""
        (self.asset / "part.usda").write_text('#usda 1.0\n(\n    defaultPrim = "b"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n    def Mesh "m"\n    {\n'
                                              '        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n        int[] faceVertexCounts = [3, 3, 3, 3]\n        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n    }\n}\n')
        for output in ("q.gltf", "q.urdf", "q.sdf", "q.xml"):
            done = self.at(self.asset, "convert", "part.usda", "-o", f"first/{output}", "--fail-on-loss", "never")
            self.assertEqual(done.returncode, 0, done.stderr)
            made = sorted(str(p.relative_to(self.asset / "first")) for p in (self.asset / "first").rglob("*") if p.is_file())
            shutil.rmtree(self.asset / "first")
            self.assertGreater(len(made), 1, output)
            (self.asset / "q_meshes").mkdir(exist_ok=True)
            for target in made:
                with self.subTest(output=output, target=target):
                    self.refused(["convert", "part.usda", "-o", output, "--loss", "X"], target)

    def test_a_baseline_may_be_written_anew(self):
        """--write-baseline of the baseline that is read is exempt (GAP-104)"""
        done = self.at(self.asset, "check", "robot.usda", "--baseline", "base.txt", "--write-baseline", "base.txt")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_links_and_spellings_lead_to_the_same_file(self):
        os.symlink("sub.usda", self.asset / "soft.usda")
        os.link(self.asset / "sub.usda", self.asset / "hard.usda")
        os.symlink(".", self.asset / "here")
        for target in ("soft.usda", "hard.usda", "./sub.usda", "here/sub.usda", "parts/../sub.usda", str(self.asset / "sub.usda")):
            for arguments in (WRITERS["sim"][0], WRITERS["cat"][0], WRITERS["check"][0], WRITERS["replay"][0], WRITERS["fix"][1]):
                with self.subTest(target=target, arguments=arguments):
                    self.refused(arguments, target)

    def test_a_package_is_not_written_over_itself(self):
        self.assertEqual(self.at(self.asset, "cat", "robot.usda", "-o", "robot.usdz").returncode, 0)
        self.refused(["cat", "robot.usdz", "-o", "X"], "robot.usdz")

    def test_numbered_pictures_do_not_meet_textures(self):
        before = snapshot(self.asset)
        (self.asset / "skin.0.png").write_bytes(png())
        layer = (self.asset / "robot.usda").read_text().replace("./tex.png", "./skin.0.png")
        (self.asset / "robot.usda").write_text(layer)
        before = snapshot(self.asset)
        done = self.at(self.asset, "render", "robot.usda", "-o", "skin.%d.png", "--size", "16x16")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(snapshot(self.asset), before)

    def test_the_demo_does_not_write_into_its_own_sample(self):
        samples = pathlib.Path(PROGRAM).parent / "samples" / "quadruped"
        # Other tests may run the sample there meanwhile: its own files count.
        before = {name: digest for name, digest in snapshot(samples).items() if name.endswith(".usda")}
        self.assertGreater(len(before), 1)
        self.assertEqual(mechane("demo", "-o", samples).returncode, 2)
        for name, digest in before.items():
            self.assertEqual(snapshot(samples)[name], digest, name)

    def test_outputs_are_looked_at_before_the_work(self):
        """A billion steps would not end in a minute; a folder that is missing ends the run at once"""
        long = ["sim", "robot.usda", "--frames", "1000000000"]
        (self.asset / "closed").mkdir()
        for option, target, code in (("-o", "nowhere/x.html", 5), ("-o", "x.docx", 2), ("-o", "parts", 2), ("--checkpoint", "nowhere/x", 5), ("--checkpoint", "parts", 5),
                                     ("-o", "nowhere/x.mrec", 5), ("-o", "sub.usda", 2)):
            with self.subTest(option=option, target=target):
                self.refused([*long, option, "X"], target, code)
        self.refused([*long, "-o", "x.json", "-o", "X"], "./x.json")

    def test_a_new_file_is_written_where_it_is_asked_for(self):
        for arguments, target in ((WRITERS["sim"][0], "fall.usda"), (WRITERS["cat"][0], "copy.usdc"), (WRITERS["check"][0], "found.txt"),
                                  (WRITERS["dump"][0], "stage.json.gz"), (WRITERS["render"][0], "a.png"), (WRITERS["replay"][0], "again.csv")):
            for _ in range(2):  # the second time it replaces what the first one wrote
                with self.subTest(target=target):
                    done = self.at(self.asset, *[target if word == "X" else word for word in arguments])
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assertGreater((self.asset / target).stat().st_size, 0)


class Folders(unittest.TestCase):
    """What `fix -o FOLDER` may become (GAP-104)"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.asset = self.folder / "asset"
        self.asset.mkdir()
        (self.asset / "robot.usda").write_text(BODY)

    def fix(self, out, *more, cwd=None):
        return subprocess.run([PROGRAM, "fix", "robot.usda", "-o", str(out), *more], cwd=cwd or self.asset, capture_output=True, text=True, timeout=120)

    def good(self, out, **more):
        done = self.fix(out, **more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done

    def refused(self, out, code=2):
        before = snapshot(self.folder)
        done = self.fix(out)
        self.assertEqual(snapshot(self.folder), before, out)
        self.assertEqual(done.returncode, code, f"{out}\n{done.stderr}")

    def test_a_new_folder_an_empty_one_and_an_earlier_result_take_it_again_and_again(self):
        source = (self.asset / "robot.usda").read_bytes()
        (self.asset / "empty").mkdir()
        for out in ("fixed/", "fixed", "empty/", "deeper/below/", "../beside/", "./fixed/."):
            for _ in range(3):
                self.good(out)
                self.assertIn("fix-report.json", os.listdir(self.asset / out))
                self.assertEqual((self.asset / "robot.usda").read_bytes(), source)
        self.assertEqual([name for name in os.listdir(self.asset) if name.startswith(".")], [])

    def test_a_folder_with_anything_else_stays_untouched(self):
        self.good("fixed")
        out = self.asset / "fixed"
        def planted(name, make):
            path = out / name
            make(path)
            self.refused("fixed")
            (path.unlink if path.is_symlink() or not path.is_dir() else path.rmdir)()
        planted("letter.txt", lambda path: path.write_text("mine"))
        planted("link", lambda path: path.symlink_to("robot.usda"))
        planted("dangling", lambda path: path.symlink_to("nowhere"))
        planted("empty", lambda path: path.mkdir())
        planted("pipe", os.mkfifo)
        report, layer = (out / "fix-report.json").read_bytes(), (out / "robot.usda").read_bytes()
        (out / "robot.usda").write_bytes(layer + b"# mine\n")
        self.refused("fixed")
        (out / "robot.usda").unlink()
        self.refused("fixed")
        (out / "robot.usda").write_bytes(layer)
        for text in (b"{}", b"not json", b'{"files": []}', b'{"files": [{"path": "robot.usda", "sha256": "00"}]}', b'{"files": 3}'):
            (out / "fix-report.json").write_bytes(text)
            self.refused("fixed")
        (out / "fix-report.json").unlink()
        self.refused("fixed")
        (out / "fix-report.json").write_bytes(report)
        self.good("fixed")

    def test_a_folder_that_is_or_holds_what_is_read_stays_untouched(self):
        (self.asset / "fix-report.json").write_text('{"files": []}')
        for out in (".", "..", "../asset", "../asset/", self.asset, "/"):
            self.refused(out)
        os.symlink(self.asset, self.folder / "link")
        self.refused("../link")
        self.good("fixed")
        # What was repaired, repaired into its own folder.
        before = snapshot(self.folder)
        done = self.fix("fixed", cwd=self.asset / "fixed")
        again = subprocess.run([PROGRAM, "fix", "fixed/robot.usda", "-o", "fixed"], cwd=self.asset, capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 2, again.stderr)
        self.assertIn(done.returncode, (0, 1), done.stderr)  # this one is asset/fixed/fixed, which is new
        shutil.rmtree(self.asset / "fixed" / "fixed")
        self.assertEqual(snapshot(self.folder), before)

    def test_the_working_folder_is_filled_and_stays_what_it_is(self):
        """It cannot be exchanged: whoever stands in it would stand in the old one"""
        work = self.folder / "work"
        work.mkdir()
        inode = work.stat().st_ino
        for _ in range(3):
            done = subprocess.run([PROGRAM, "fix", "../asset/robot.usda", "-o", "."], cwd=work, capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(sorted(os.listdir(work)), ["fix-report.json", "robot.usda"])
            self.assertEqual(work.stat().st_ino, inode)

    def test_permissions_of_a_folder_stay(self):
        (self.asset / "fixed").mkdir(mode=0o750)
        os.chmod(self.asset / "fixed", 0o750)
        self.good("fixed")
        self.assertEqual((self.asset / "fixed").stat().st_mode & 0o7777, 0o750)


class Files(unittest.TestCase):
    """How one file is replaced"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "robot.usda").write_text(BODY)

    def at(self, *arguments, **more):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120, **more)

    def test_permissions_stay_and_links_stay_links(self):
        for name, command in (("a.usda", ["cat", "robot.usda", "-o"]), ("a.json", ["sim", "robot.usda", "--frames", "1", "-o"]), ("b.usda", ["sim", "robot.usda", "--frames", "1", "-o"]),
                              ("a.mrec", ["sim", "robot.usda", "--frames", "1", "-o"]), ("a.usdz", ["cat", "robot.usda", "-o"]), ("a.txt", ["check", "robot.usda", "-o"])):
            with self.subTest(name=name):
                (self.folder / "store").mkdir(exist_ok=True)
                real = self.folder / "store" / name
                real.write_text("old")
                real.chmod(0o640)
                (self.folder / name).symlink_to(os.path.join("store", name))
                self.assertIn(self.at(*command, name).returncode, (0, 1))
                self.assertTrue((self.folder / name).is_symlink())
                self.assertNotEqual(real.read_bytes(), b"old")
                self.assertEqual(real.stat().st_mode & 0o7777, 0o640)
        self.assertEqual([n for n in os.listdir(self.folder) + os.listdir(self.folder / "store") if n.startswith(".")], [])

    def test_a_planted_link_is_not_written_through(self):
        """Names of temporary files cannot be foreseen, and a link under one is not followed"""
        victim = self.folder / "victim"
        victim.write_text("precious")
        for name in ("robot.usda.mechane-new", ".robot.usda.part", ".mechane-journal.part", "robot.usda.part"):
            (self.folder / name).symlink_to("victim")
        self.assertIn(self.at("fix", "robot.usda", "--in-place").returncode, (0, 1))
        self.assertIn(self.at("fix", "robot.usda", "-o", "one.usda").returncode, (0, 1))
        self.assertEqual(victim.read_text(), "precious")

    def test_a_reader_that_goes_leaves_no_noise_and_a_full_stream_is_exit_5(self):
        commands = (["info", "robot.usda"], ["cat", "robot.usda"], ["tree", "robot.usda"], ["explain", "REP-1.1-a"], ["schema", "pairs"], ["doctor"], ["version"], ["--help"],
                    ["check", "robot.usda"], ["check", "--list-rules"], ["check", "robot.usda", "--format", "json"], ["dump", "stage", "robot.usda"], ["mesh", "robot.usda", "--json"],
                    ["collide", "robot.usda"], ["sim", "robot.usda", "--frames", "1", "--json"], ["render", "robot.usda", "-o", "-", "--size", "16x16"],
                    ["bench", "robot.usda", "--nstep", "1", "--json"], ["fix", "robot.usda", "--diff"], ["ros", "interfaces", ROS])
        for arguments in commands:
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(done.returncode, 5, done.stderr)
                closed = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=120, preexec_fn=lambda: os.close(1))
                self.assertEqual(closed.returncode, 5, closed.stderr)
                reader, writer = os.pipe()
                os.close(reader)
                gone = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
                os.close(writer)
                self.assertEqual(gone.returncode, -13, gone.stderr)
                self.assertNotRegex(gone.stderr, r"(?m)^error")

    def test_a_closed_stdout_does_not_become_a_result(self):
        """The number of a closed stream is the next file's"""
        done = subprocess.run([PROGRAM, "sim", "robot.usda", "--frames", "3", "--json", "-o", "run.mrec"], cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=120,
                              preexec_fn=lambda: (os.close(0), os.close(1)))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.at("replay", "run.mrec", "--verify").returncode, 0)


class Taken(unittest.TestCase):
    """What results take in, and what is not read at all"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.asset = self.folder / "asset"
        self.asset.mkdir()

    def at(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.asset, capture_output=True, text=True, timeout=60)

    def textured(self, picture):
        text = BODY.rstrip().rstrip("}") + f"""    def Shader "texture"
    {{
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @{picture}@
    }}
}}
"""
        (self.asset / "robot.usda").write_text(text)

    def test_a_file_from_elsewhere_is_told_and_can_be_refused(self):
        (self.folder / "secret.png").write_bytes(png())
        self.textured("../secret.png")
        commands = (["fix", "robot.usda", "-o", "../fixed"], ["cat", "robot.usda", "-o", "../robot.usdz"])
        for arguments in commands:
            with self.subTest(arguments=arguments):
                done = self.at(*arguments)
                self.assertIn("FILES_OUTSIDE_ROOT", done.stderr)
                self.assertIn("secret.png", done.stderr)
                self.assertIn(done.returncode, (0, 1))
                for allowed in (["--root", ".."], ["--outside", "allow"]):
                    self.assertNotIn("FILES_OUTSIDE_ROOT", self.at(*arguments, *allowed).stderr)
                before = snapshot(self.folder)
                done = self.at(*arguments, "--outside", "refuse")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(snapshot(self.folder), before)

    def test_a_link_out_of_the_folder_leads_outside(self):
        (self.folder / "secret.png").write_bytes(png())
        os.symlink("../secret.png", self.asset / "tex.png")
        self.textured("./tex.png")
        self.assertIn("FILES_OUTSIDE_ROOT", self.at("cat", "robot.usda", "-o", "../robot.usdz").stderr)

    def test_a_package_that_lacks_files_and_a_folder_without_stages_are_errors(self):
        self.textured("./none.png")
        self.assertEqual(self.at("cat", "robot.usda", "-o", "robot.usdz").returncode, 3)
        (self.asset / "empty").mkdir()
        (self.asset / "empty" / "notes.txt").write_text("no stage")
        for more in ([], ["--behaviour"], ["--json"]):
            done = self.at("check", "empty", *more)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("empty", done.stderr)

    def test_nobody_waits_for_a_pipe(self):
        os.mkfifo(self.asset / "pipe.png")
        self.textured("./pipe.png")
        for arguments in (["check", "robot.usda"], ["fix", "robot.usda", "-o", "../fixed"], ["cat", "robot.usda", "-o", "../robot.usdz"], ["info", "robot.usda"],
                          ["sim", "robot.usda", "--frames", "1", "-o", "a.png"]):
            with self.subTest(arguments=arguments):
                self.assertIn(self.at(*arguments).returncode, (0, 1, 2, 3))
        os.mkfifo(self.asset / "mechane.toml")
        self.assertEqual(self.at("check", "robot.usda").returncode, 2)
        for file in ("mechane.toml", "/dev/zero", "."):
            self.assertEqual(self.at("replay", file).returncode, 3)
            self.assertEqual(self.at("sim", "robot.usda", "--resume", file).returncode, 3)

    def test_a_missing_folder_for_temporary_files_is_no_bug(self):
        self.textured("./none.png")
        for arguments in (["cat", "robot.usda", "-o", "robot.usdz"], ["fix", "robot.usda", "--diff"]):
            done = subprocess.run([PROGRAM, *arguments], cwd=self.asset, capture_output=True, text=True, timeout=60, env={**os.environ, "TMPDIR": "/nonexistent"})
            self.assertIn(done.returncode, (0, 1, 3), done.stderr)


if __name__ == "__main__":
    unittest.main()

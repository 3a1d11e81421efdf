"""`mechane convert` against MuJoCo's own compiler and ROS's xacro, over the robots of the corpus and our own samples.

MECHANE_USD_PYTHON is an interpreter that has mujoco and usd-core; MECHANE_XACRO ROS's program of that name. Without them the tests say so.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests.cli.program import ROOT, corpus, mechane

PYTHON = os.environ.get("MECHANE_USD_PYTHON", "")
XACRO = os.environ.get("MECHANE_XACRO", "")
SAMPLES = ROOT / "samples" / "convert"

# For both files: of each body its mass, its inertia about the centre of mass in the body's axes, and its pose in the frame of the first body, for the
# robot at rest and with every joint of one axis set at chance. MuJoCo's poses come from its own kinematics, USD's from the frames of the joints.
JUDGE = pathlib.Path(__file__).with_name("convert_judge.py")


def judged(source, stage):
    done = subprocess.run([PYTHON, str(JUDGE), str(source), str(stage)], capture_output=True, text=True, timeout=120)
    if "ValueError: " in done.stderr:
        raise unittest.SkipTest(f"MuJoCo itself refuses {source}: {done.stderr[-300:]}")
    if done.returncode != 0:
        raise AssertionError(f"{source}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def without_meshes(text):
    """URDF for MuJoCo: shapes that name files which are not there are left out, masses stay."""
    import re
    text = re.sub(r"<(visual|collision)\b[^>]*>(?:(?!</\1>).)*?<mesh\b.*?</\1>", "", text, flags=re.S)
    return text


@unittest.skipUnless(PYTHON, "skipped: MECHANE_USD_PYTHON is not set")
class AgainstMujoco(unittest.TestCase):
    def same(self, source, text=None):
        with tempfile.TemporaryDirectory() as place:
            if text is not None:
                copy = pathlib.Path(place, source.name)
                copy.write_text(text)
                source = copy
            stage = pathlib.Path(place, "robot.usda")
            done = mechane("convert", str(source), "-o", str(stage), "--fail-on-loss", "never")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            try:
                told = judged(source, stage)
            except unittest.SkipTest:
                return
            # MuJoCo stores doubles, USD's physics floats: 6e-8 a number, a chain of ten joints and rotations about a hundred times that.
            self.assertLess(told["mass"], 1e-5, source)
            self.assertLess(told["inertia"], 1e-5, source)
            self.assertLess(told["position"], 1e-5, source)
            self.assertLess(told["rotation"], 1e-5, source)
            self.assertLess(told["limits"], 1e-5, source)

    def test_urdf_of_the_samples(self):  # EXP-039, EXP-041, EXP-043
        for source in sorted(SAMPLES.glob("*.urdf")):
            with self.subTest(source.name):
                self.same(source)

    def test_mjcf_of_the_samples(self):  # EXP-072
        for source in sorted(SAMPLES.glob("*.xml")):
            with self.subTest(source.name):
                self.same(source)

    def there_and_back(self, source):  # EXP-039, EXP-057, EXP-074
        with tempfile.TemporaryDirectory() as place:
            stage, back, again = (pathlib.Path(place, name) for name in ("there.usda", "back" + source.suffix, "again.usda"))
            for words in ((source, "-o", stage), (stage, "-o", back), (back, "-o", again)):
                done = mechane("convert", *map(str, words), "--fail-on-loss", "never")
                self.assertIn(done.returncode, (0, 1), done.stderr)
            told = judged(source, again)
            self.assertGreater(told["bodies"], 0)
            for value in ("mass", "inertia", "position", "rotation", "limits"):
                self.assertLess(told[value], 1e-5, (source, value))

    def test_samples_there_and_back(self):
        for source in sorted([*SAMPLES.glob("*.urdf"), *SAMPLES.glob("*.xml")]):
            with self.subTest(source.name):
                self.there_and_back(source)

    @unittest.skipUnless(corpus(), "skipped: no corpus")
    def test_urdf_of_the_corpus(self):
        for source in sorted((corpus() / "robots-urdf").rglob("*.urdf")):
            with self.subTest(str(source)):
                self.same(source, without_meshes(source.read_text()))


@unittest.skipUnless(XACRO, "skipped: MECHANE_XACRO is not set")
class AgainstXacro(unittest.TestCase):
    def test_samples_expand_to_the_same_robot(self):
        for source in sorted(SAMPLES.glob("*.urdf.xacro")):
            with self.subTest(source.name), tempfile.TemporaryDirectory() as place:
                expanded = pathlib.Path(place, source.name.removesuffix(".xacro"))
                expanded.write_text(subprocess.run([XACRO, str(source)], capture_output=True, text=True, check=True).stdout)
                layers = []
                for file in (source, expanded):
                    out = pathlib.Path(place, f"{len(layers)}.usda")
                    done = mechane("convert", str(file), "-o", str(out), "--name", "same")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    layers.append(out.read_text())
                self.assertEqual(layers[0], layers[1])


class OfItsOwn(unittest.TestCase):
    def test_a_folder_passes_the_check_without_an_error(self):  # EXP-064
        for source in sorted([*SAMPLES.glob("*.urdf"), *SAMPLES.glob("*.urdf.xacro"), *SAMPLES.glob("*.xml")]):
            with self.subTest(source.name), tempfile.TemporaryDirectory() as place:
                out = pathlib.Path(place, "robot")
                done = mechane("convert", str(source), "-o", str(out), "--fail-on-loss", "never")
                self.assertEqual(done.returncode, 0, done.stderr)
                entry = out / json.loads((out / "conversion.json").read_text())["entry"]
                found = json.loads(mechane("check", str(entry), "--json").stdout)
                self.assertEqual([f for f in found["findings"] if f["severity"] == "error"], [])
                again = mechane("convert", str(source), "-o", str(out), "--fail-on-loss", "never")  # the same bytes, over its own result
                self.assertEqual(again.returncode, 0, again.stderr)

    def test_every_loss_on_the_way_to_another_format_names_a_line_of_the_source(self):
        for source in sorted([*SAMPLES.glob("*.urdf"), *SAMPLES.glob("*.urdf.xacro"), *SAMPLES.glob("*.xml")]):
            for suffix in ("urdf", "sdf", "xml"):
                with self.subTest(source.name, suffix=suffix), tempfile.TemporaryDirectory() as place:
                    report = pathlib.Path(place, "loss.json")
                    done = mechane("convert", str(source), "-o", str(pathlib.Path(place, "out." + suffix)), "--fail-on-loss", "never", "--loss", str(report))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for entry in json.loads(report.read_text())["entries"]:
                        self.assertEqual(pathlib.Path(entry["file"]).parent, SAMPLES, entry)  # the source, or what it includes
                        self.assertGreater(entry["line"], 0, entry)

    def test_a_layer_that_becomes_a_folder_is_divided(self):
        with tempfile.TemporaryDirectory() as place:
            layer, out = pathlib.Path(place, "arm.usda"), pathlib.Path(place, "arm")
            self.assertEqual(mechane("convert", str(SAMPLES / "arm.urdf"), "-o", str(layer)).returncode, 0)
            done = mechane("convert", str(layer), "-o", str(out), "--verify", "--fail-on-loss", "never")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertIn("equal", done.stdout + done.stderr)
            self.assertLessEqual({"arm.usda", "base.usda", "materials.usda", "physics.usda", "ros.usda"}, {p.name for p in out.iterdir()})
            self.assertEqual(mechane("diff", str(layer), str(out)).returncode, 0)

    def test_suffixes_that_nobody_knows_are_wrong_usage(self):
        sample = str(SAMPLES / "arm.urdf")
        for words in (("convert", "robot.step", "-o", "x"), ("convert", sample, "-o", "x.step"), ("convert", sample)):
            self.assertEqual(mechane(*words).returncode, 2, words)

    def test_the_source_is_never_written_over(self):
        with tempfile.TemporaryDirectory() as place:
            source = pathlib.Path(place, "robot.urdf")
            source.write_text((SAMPLES / "arm.urdf").read_text())
            self.assertEqual(mechane("convert", str(source), "-o", place).returncode, 2)
            self.assertEqual(source.read_text(), (SAMPLES / "arm.urdf").read_text())

    def test_repairs_leave_the_source_alone(self):
        with tempfile.TemporaryDirectory() as place:
            source = pathlib.Path(place, "robot.urdf")
            source.write_text((SAMPLES / "arm.urdf").read_text())
            for words in (("--in-place",), ("-o", str(pathlib.Path(place, "out"))), ("--realign-joints", "--in-place")):
                self.assertEqual(mechane("fix", str(source), *words).returncode, 2, words)
                self.assertEqual(source.read_text(), (SAMPLES / "arm.urdf").read_text())

    def test_every_verb_opens_a_robot(self):
        with tempfile.TemporaryDirectory() as place:
            for words in (("info",), ("tree",), ("sim", "--duration", "0.02"), ("dump", "model"), ("cat",), ("collide",), ("mesh",)):
                file = [str(SAMPLES / "arm.urdf")]
                verb = list(words[:2]) if words[0] == "dump" else [words[0]]
                done = mechane(*verb, *file, *words[len(verb):])
                self.assertIn(done.returncode, (0, 1), (words, done.stderr))
                self.assertNotIn("STAGE_FORMAT_UNKNOWN", done.stderr)

    def test_every_verb_opens_a_converted_folder(self):  # GAP-098
        """A folder stands for the entry that its report names, wherever a verb takes one asset."""
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place, "made")
            self.assertEqual(mechane("convert", str(SAMPLES / "arm.urdf"), "-o", str(folder)).returncode, 0)
            entry = json.loads((folder / "conversion.json").read_text())["entry"]
            link = mechane("tree", str(folder / entry)).stdout
            self.assertTrue(link)
            self.assertEqual(mechane("tree", str(folder)).stdout, link)
            for words in (("info",), ("sim", "--duration", "0.02"), ("render", "-o", str(pathlib.Path(place, "a.png")), "--size", "64x48"), ("collide",), ("mesh",), ("dump", "model"), ("explain", "/arm")):
                verb = list(words[:2]) if words[0] == "dump" else [words[0]]
                one, other = (mechane(*verb, str(path), *words[len(verb):]) for path in (folder, folder / entry))
                self.assertEqual(one.returncode, other.returncode, (words, one.stderr))
                self.assertNotIn("this is a folder", one.stderr)
            empty = pathlib.Path(place, "empty")
            empty.mkdir()
            self.assertIn("this is a folder", mechane("info", str(empty)).stderr)

    def test_a_picture_of_nothing_is_told_once(self):  # EXP-001
        """A robot without visual shapes gives glTF without meshes."""
        with tempfile.TemporaryDirectory() as place:
            source = pathlib.Path(place, "bare.urdf")
            shape = "<geometry><box size='1 1 1'/></geometry>"
            for kind, count in (("collision", 1), ("visual", 0)):
                source.write_text(f"<robot name='bare'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><{kind}>{shape}</{kind}></link></robot>")
                done = mechane("convert", str(source), "-o", str(pathlib.Path(place, "bare.glb")), "--json")
                told = [e for e in json.loads(done.stdout)["entries"] if e["code"] == "no-shapes" and e["severity"] == "warning"]
                self.assertEqual(len(told), count, kind)

    def test_the_loss_report_accounts_for_what_is_dropped(self):
        done = mechane("convert", str(SAMPLES / "arm.urdf"), "-o", "/dev/null/x", "--json")
        self.assertNotEqual(done.returncode, 0)
        with tempfile.TemporaryDirectory() as place:
            done = mechane("convert", str(SAMPLES / "arm.urdf"), "-o", str(pathlib.Path(place, "a.usda")), "--json")
            report = json.loads(done.stdout)
            self.assertEqual(report["schema"], "mechane.loss/1")
            dropped = [e for e in report["entries"] if e["action"] == "dropped"]
            self.assertEqual([e["what"] for e in dropped], ["robot 'arm'/transmission 'drive'"])
            self.assertGreater(report["summary"]["kept"], 100)


if __name__ == "__main__":
    unittest.main()

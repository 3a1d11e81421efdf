"""Files made to do harm end with a diagnostic and a status of the table, under every verb (GAP-107, SECURITY.md)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT, SANITIZED, mechane

sys.path.insert(0, str(ROOT / "fuzz"))
import crafted  # noqa: E402
import trial  # noqa: E402

VERBS = ("info", "cat", "check", "fix", "sim")
#: What must be refused, whatever the verb; the others may be read as if they were harmless.
REFUSED = {"token_bomb", "array_longer_than_file", "path_expression_outside", "path_expression_array", "spline_cut", "spline_long", "spline_loops",
           "edit_of_200", "edit_too_few_words", "edit_literal_outside", "edit_resizes", "self_dictionary", "laughing_dictionary", "integers",
           "long_integers", "missing_child", "child_twice", "samples_unsorted", "spec_twice", "spec_of_other_kind", "many_paths", "many_specs",
           "many_fields", "many_tokens", "children_of_another_type", "path_circle", "negative_version", "laughing_variables", "nested_braces",
           "nested_brackets", "nested_expression", "zeros", "empty", "head", "cut", "stored_twice"}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        shutil.copy(ROOT / "fuzz" / "seed.usda", cls.folder / "seed.usda")
        subprocess.run([PROGRAM, "cat", "seed.usda", "-o", "seed.usdc"], cwd=cls.folder, check=True, capture_output=True)
        cls.seed = (cls.folder / "seed.usdc").read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def try_file(self, name, data, verbs=VERBS):
        (self.folder / name).write_bytes(data)
        for verb, command in trial.commands(PROGRAM, name).items():
            if verb not in verbs:
                continue
            with self.subTest(file=name, verb=verb):
                outcome = trial.trial(command, self.folder)
                self.assertTrue(outcome.good, f"{outcome.why}\n{outcome.output[-500:]}")
                if name.rsplit(".", 1)[0] in REFUSED:
                    self.assertEqual(outcome.status, 3, outcome.output[-500:])
                if outcome.status == 3:
                    self.assertIn("error[", outcome.output)

    def test_crafted_crates_are_refused_or_read(self):
        for name, data in crafted.crates(self.seed).items():
            self.try_file(name, data)

    def test_crafted_texts_are_refused_or_read(self):
        for name, data in crafted.texts().items():
            self.try_file(name, data)

    def test_each_type_of_value_in_each_form(self):
        """The gate knows every type of crates, and refuses what it does not know: `cat` reads all values of a layer, `info` composes them."""
        for name, data in crafted.every_kind(self.seed).items():
            self.try_file(name, data, ("cat",) if int(name.split("_")[1]) % 4 or SANITIZED else ("cat", "info"))

    def test_stored_files(self):
        """What once ended the program."""
        for file in sorted((ROOT / "fuzz" / "crashers").glob("*")):
            self.try_file("stored_" + file.name, file.read_bytes())

    def test_the_seed_itself_is_read(self):
        self.try_file("good.usdc", self.seed)
        done = mechane("cat", self.folder / "seed.usdc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("curve.spline", done.stdout)


class Limits(unittest.TestCase):
    def stage(self, folder, prims):
        file = os.path.join(folder, "many.usda")
        pathlib.Path(file).write_text('#usda 1.0\n(\n    defaultPrim = "a0"\n)\n' + "".join(f'def Xform "a{i}"\n{{\n}}\n' for i in range(prims)))
        return file

    def test_a_limit_is_an_error_that_names_its_option(self):
        """(GAP-107) Never a shortened model."""
        with tempfile.TemporaryDirectory() as folder:
            file = self.stage(folder, 300)
            for verb in ("info", "check", "sim", "tree"):
                done = mechane(verb, file, "--stage-limit", "prims=100")
                self.assertEqual(done.returncode, 3, verb + done.stderr)
                self.assertIn("STAGE_LIMIT", done.stderr)
                self.assertIn("--stage-limit prims=", done.stderr)
                self.assertEqual(done.stdout, "")
            self.assertEqual(mechane("info", file, "--stage-limit", "prims=1000").returncode, 0)

    def test_wrong_limits_are_told(self):
        """(GAP-105)"""
        with tempfile.TemporaryDirectory() as folder:
            file = self.stage(folder, 1)
            for wrong in ("prim=5", "prims", "prims=many", "prims=-1", "memory=8XiB", "=5"):
                done = mechane("info", file, "--stage-limit", wrong)
                self.assertEqual(done.returncode, 2, wrong + done.stderr)
            self.assertIn("prims", mechane("info", file, "--stage-limit", "prim=5").stderr)
            self.assertEqual(mechane("info", file, "--stage-limit", "memory=4GiB", "--stage-limit", "prims=5K").returncode, 0)

    def test_memory_has_a_limit(self):
        """(GAP-107) Counted while reading, by the program."""
        with tempfile.TemporaryDirectory() as folder:
            done = mechane("info", self.stage(folder, 40000), "--stage-limit", "memory=20MiB")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("--stage-limit memory=", done.stderr)


class Pipes(unittest.TestCase):
    """What is no regular file is refused, and nobody waits for it."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = self.place.name
        self.addCleanup(self.place.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        pathlib.Path(path).write_text(text)
        return path

    def fifo(self, name):
        path = os.path.join(self.folder, name)
        os.mkfifo(path)
        return path

    def test_a_texture(self):
        self.fifo("t.png")
        stage = self.write("a.usda", '#usda 1.0\n(\n    defaultPrim = "m"\n)\ndef Material "m"\n{\n    token outputs:surface.connect = </m/s.outputs:surface>\n'
                                     '    def Shader "s"\n    {\n        uniform token info:id = "UsdPreviewSurface"\n'
                                     '        color3f inputs:diffuseColor.connect = </m/t.outputs:rgb>\n        token outputs:surface\n    }\n'
                                     '    def Shader "t"\n    {\n        uniform token info:id = "UsdUVTexture"\n        asset inputs:file = @./t.png@\n'
                                     '        float3 outputs:rgb\n    }\n}\n')
        for verb in (("check",), ("info",), ("fix", "--diff"), ("cat", "-o", os.path.join(self.folder, "x.usdz"))):
            done = mechane(verb[0], stage, *verb[1:], timeout=60)
            self.assertIn(done.returncode, range(7), done.stderr)

    def test_configurations_and_recordings(self):
        stage = self.write("a.usda", '#usda 1.0\ndef "a"\n{\n}\n')
        pipe = self.fifo("pipe")
        self.assertEqual(mechane("check", stage, "--config", pipe, timeout=60).returncode, 2)
        self.assertEqual(mechane("replay", pipe, timeout=60).returncode, 3)
        self.assertIn(mechane("sim", stage, "--resume", pipe, timeout=60).returncode, (2, 3))
        self.assertIn(mechane("sim", stage, "--control", pipe, timeout=60).returncode, (2, 3))
        self.assertEqual(mechane("collide", "--cases", pipe, timeout=60).returncode, 3)


class Voices(unittest.TestCase):
    """No file speaks to the terminal, or to the build server, in the program's voice."""

    HARM = '#usda 1.0\n(\n    defaultPrim = "a"\n    doc = "x"\n)\ndef "a" (\n    kind = "component"\n    prepend apiSchemas = ["bad\\n::error file=x::y\x1b[31m\\u202e"]\n' \
           '    customData = {\n        string s = "\x1b]0;t\x07"\n    }\n)\n{\n    custom string q = "\x1b[2J\u202e"\n    rel r = </no\u00e9>\n}\n'

    def test_what_a_terminal_obeys_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "h\x1b[31m\u202e.usda")
            pathlib.Path(file).write_text(self.HARM)
            for command in (("info",), ("tree",), ("check",), ("sim", "--frames", "1"), ("explain", "/a"), ("info", "--json"), ("cat",)):
                done = mechane(command[0], *(command[1:] + (file,) if command[0] == "explain" else (file, *command[1:])))
                for stream in (done.stdout, done.stderr):
                    if command[0] == "cat" and stream is done.stdout:
                        continue  # bytes for another program
                    for harm in ("\x1b", "\x07", "\u202e"):
                        self.assertNotIn(harm, stream, command)
                    for line in stream.splitlines():
                        self.assertFalse(line.lstrip().startswith("::"), command)


class Configuration(unittest.TestCase):
    """mechane.toml is TOML 1.0; what it says is understood or refused with its line."""

    GOOD = '[check]\nprofile = "core"\nfail_on = "error"\nselect = ["1.1"]\nignore = "REP-1.1-i"\nseverity = { "REP-1.1-a" = "info" }\n' \
           'suppress = [ { rule = "REP-1.1-b", reason = "known", expires = 2999-01-31 } ]\n'

    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            stage, config = os.path.join(folder, "a.usda"), os.path.join(folder, "mechane.toml")
            pathlib.Path(stage).write_text('#usda 1.0\n(\n    defaultPrim = "a"\n)\ndef Xform "a"\n{\n}\n')
            pathlib.Path(config).write_text(text)
            return mechane("check", stage, "--config", config)

    def test_inline_tables_and_dates(self):
        done = self.check(self.GOOD)
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_unknown_keys_are_told_with_the_nearest(self):
        for text, near, line in (('[chekc]\nprofile = "core"\n', "check", 1), ('[check]\nprofil = "core"\n', "profile", 2), ('[check]\nfail-on = "error"\n', "fail_on", 2),
                                 ('[[suppress]]\nrule = "REP-1.1-a"\nraeson = "x"\n', "reason", 3), ('[check]\nprofile = "coer"\n', "core", 2),
                                 ('[check.severity]\n"REP-1.1-zz" = "info"\n', "REP-1.1-", 2)):
            done = self.check(text)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(near, done.stderr)
            self.assertIn(f"mechane.toml:{line}", done.stderr)

    def test_wrong_types_are_told(self):
        for text in ("check = 1\n", "[check]\nprofile = 3\n", "[check]\nselect = [1]\n", "[check]\nselect = { a = 1 }\n", "suppress = 3\n", "suppress = [1]\n",
                     "[check]\nseverity = 3\n", '[[suppress]]\nrule = "REP-1.1-a"\nreason = "x"\nexpires = "soon"\n', "a = 1\na.b.c = 2\n",
                     '[check]\nprofile = "core"\nprofile = "core"\n', "[check\n", "\x00"):
            done = self.check(text)
            self.assertEqual(done.returncode, 2, text + done.stderr)
            self.assertIn("CHECK_CONFIG", done.stderr)

    def test_deep_keys_are_refused(self):
        for text in ("a." * 200000 + "a = 1\n", "[" + "a." * 200000 + "a]\n", "a = " + "[" * 200000, "a = " + "{a=" * 200000, "\"\"\"" * 3 + "x." * 1000):
            done = self.check(text)
            self.assertEqual(done.returncode, 2, text[:20] + done.stderr[:300])


if __name__ == "__main__":
    unittest.main()

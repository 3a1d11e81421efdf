"""What the program says to a command line that it does not understand, and to programs that read it."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

try:
    import jsonschema
except ImportError:  # the system's Python may have none
    jsonschema = None

from tests.cli.program import ROOT


class Usage(unittest.TestCase):
    def said(self, *words):
        done = mechane(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr.splitlines()[0].removeprefix("error: ")

    def test_every_mistake_is_named_in_words_with_what_is_expected(self):
        for words, text in (
                (("ros",), "mechane ros needs WHAT (interfaces, channels, tf or bridge) and FILE"),
                (("schema",), "mechane schema needs WHAT (pairs, materials, options, conventions, show or map)"),
                (("schema", "pais"), "WHAT 'pais': expected pairs, materials, options, conventions, show or map"),
                (("info",), "mechane info needs FILE"),
                (("check", "--color", "blue", "x.usda"), "--color 'blue': expected auto, always or never"),
                (("sim", "--duration", "4x", "x.usda"), "--duration '4x' is not a number"),
                (("sim", "--frames", "two", "x.usda"), "--frames 'two' is not a whole number"),
                (("cat", "x.usda", "--outside", "foo"), "--outside 'foo': expected allow, refuse or warn"),
                (("fix", "x.usda", "--outside", "foo"), "--outside 'foo': expected allow, refuse or warn"),
                (("sim", "--enable-self-collisions", "maybe", "x.usda"), "--enable-self-collisions 'maybe': expected true or false"),
                (("sim", "--sleeping=maybe", "x.usda"), "--sleeping 'maybe': expected true or false"),
                (("sim", "--threads", "9999", "x.usda"), "--threads 9999: expected a number from 0 to 1024"),
                (("sim", "--dt"), "--dt needs a value"),
                (("sim", "--dt", "1", "--dt", "2", "x.usda"), "--dt may be given only once"),
                (("sim", "--colour", "x.usda"), "--colour is not an option of mechane sim"),
                (("info", "a", "b"), "mechane info: unexpected argument 'b'"),
                (("bnech",), "bnech is not a verb of mechane"),
                (("bnech", "x.usda"), "bnech is not a verb of mechane"),
                (("info", "a", "b", "c"), "mechane info: unexpected argument 'b'"),
                (("--bad",), "--bad is not an option of mechane"),
                (("help", "siim"), "siim is not a verb of mechane")):
            with self.subTest(words):
                self.assertEqual(self.said(*words), text)

    def test_near_words_are_offered(self):
        for words, near in ((("bnech",), "bench"), (("sim", "--colour"), "--color"), (("help", "siim"), "sim"),
                            # What other programs call it.
                            (("simulate", "x.usda"), "sim?"), (("sim", "x.usda", "--steps", "5"), "--frames?"),
                            (("sim", "x.usda", "--seconds=2"), "--duration?"), (("render", "x.usda", "--out", "y"), "--output?")):
            self.assertIn(f"did you mean {near}", mechane(*words).stderr)

    def test_help_is_a_verb(self):
        whole, one = mechane("help"), mechane("help", "ros")
        self.assertEqual((whole.returncode, one.returncode), (0, 0))
        self.assertIn("mechane demo", whole.stdout)
        self.assertIn("simulate", whole.stdout.lower())
        self.assertIn("--controllers", one.stdout)

    def test_whoever_asks_for_json_gets_an_object_with_the_errors(self):
        schema = json.loads((ROOT / "docs" / "schemas" / "error.schema.json").read_text())
        for exit, words in ((3, ("info", "--json", "gone.usda")), (3, ("sim", "--json", "gone.usda")), (3, ("tree", "--json", "gone.usda")), (2, ("sim", "--json", "--dt", "x"))):
            with self.subTest(words):
                done = mechane(*words)
                self.assertEqual(done.returncode, exit)
                found = json.loads(done.stdout)
                self.assertEqual((found["schema"], found["exit"]), ("mechane.error/1", exit))
                self.assertGreaterEqual(len(found["errors"]), 1)
                if jsonschema:
                    jsonschema.validate(found, schema)


class Colours(unittest.TestCase):
    def test_colours_follow_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder, "a.usda")
            stage.write_text("#usda 1.0\ndef Xform \"a\"\n{\n}\n")
            for environment, coloured in (({}, False), ({"CLICOLOR_FORCE": "1"}, True), ({"CLICOLOR_FORCE": "0"}, False), ({"NO_COLOR": "1"}, False)):
                with self.subTest(environment):
                    self.assertEqual("\033[" in mechane("check", stage, **environment).stdout, coloured)
            self.assertIn("\033[", mechane("check", stage, "--color", "always", NO_COLOR="1").stdout)
            self.assertNotIn("\033[", mechane("check", stage, "--color", "never", CLICOLOR_FORCE="1").stdout)

    def test_the_json_of_a_check_has_one_shape_for_any_number_of_assets(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [pathlib.Path(folder, name) for name in ("a.usda", "b.usda")]
            for name in names:
                name.write_text("#usda 1.0\ndef Xform \"a\"\n{\n}\n")
            shapes = [json.loads(mechane("check", *assets, "--format", "json").stdout) for assets in ((), names[:1], names, [folder]) if assets]
            self.assertEqual(len({tuple(sorted(shape)) for shape in shapes}), 1)
            self.assertEqual([len(shape["assets"]) for shape in shapes], [1, 2, 2])
            self.assertEqual([shape["asset"] for shape in shapes], [str(names[0]), None, None])
            self.assertEqual(shapes[1]["summary"]["error"], sum(asset["summary"]["error"] for asset in shapes[1]["assets"]))


class Hints(unittest.TestCase):
    def test_a_robot_that_falls_for_ever_gets_a_hint(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder, "a.usda")
            stage.write_text("#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"s\"\n{\n}\n"
                             "def Cube \"box\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]\n)\n{\n}\n")
            self.assertIn("hint      /box falls: nothing is below it; --ground adds a plane", mechane("sim", stage).stderr)
            self.assertNotIn("hint", mechane("sim", stage, "--ground").stderr)


if __name__ == "__main__":
    unittest.main()

"""What an asset says by expressions is judged by their values, as the same asset with plain words is (REP-1.2.4-b, REP-1.2.5-f to -k)."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

HEAD = """#usda 1.0
(
    defaultPrim = "r"
    expressionVariables = {
        string FILE = "%s"
        string PHYS = "%s"
    }
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
%s)
"""
ROBOT = """def Xform "r" (
    assetInfo = {
        string identifier = "urn:example:robot"
        string version = "1.0.0"
    }
    kind = "component"
    variants = {
        string physics = "%s"
    }
    prepend variantSets = "physics"
)
{
    variantSet "physics" = {
        "off" {
        }
        "on" {
            def "geo" (
                prepend references = @%s@
            )
            {
            }
        }
    }
}
"""
PART = '#usda 1.0\n(\n    defaultPrim = "g"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    timeCodesPerSecond = 1\n    upAxis = "Z"\n)\ndef Xform "g"\n{\n    def Sphere "s"\n    {\n    }\n}\n'


def robot(phys="on", file="part", selection="`${PHYS}`", asset='`"./${FILE}.usda"`', more=""):
    return HEAD % (file, phys, more) + ROBOT % (selection, asset)


class Expressions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "part.usda").write_text(PART)

    def found(self, text, *options, file="r.usda"):
        (self.folder / "r.usda").write_text(text)
        done = mechane("check", self.folder / file, "--json", "-q", *options)
        return [(f["rule"], f["severity"], f["message"]) for f in json.loads(done.stdout)["findings"]]

    def test_a_selection_that_exists_is_no_finding(self):
        self.assertEqual(self.found(robot()), self.found(robot(selection="on", asset="./part.usda")))
        for selection in ("`${PHYS}`", "`\\\"${PHYS}\\\"`", "`if(eq(${PHYS}, 'on'), 'on', 'off')`"):
            with self.subTest(selection):
                self.assertEqual([f for f in self.found(robot(selection=selection)) if f[0].startswith("REP-1.2.4")], [])

    def test_the_variables_of_whoever_brings_the_layer_in_count(self):
        (self.folder / "base.usda").write_text(robot("nothing"))
        for arc in ('    subLayers = [@./base.usda@]\n', ""):
            entry = HEAD % ("part", "on", arc) + ("" if arc else 'def "r" (\n    prepend references = @./base.usda@\n)\n{\n}\n')
            with self.subTest(arc):
                self.assertEqual([f for f in self.found(entry) if f[0].startswith("REP-1.2.4")], [])

    def test_a_value_that_is_no_variant_is_told_with_the_expression(self):
        self.assertIn(("REP-1.2.4-b", "error", 'the selection of the variant set physics is `${PHYS}`, which evaluates to "huge", and it has no such variant'), self.found(robot("huge")))
        (self.folder / "r.usda").write_text(robot("huge"))
        done = mechane("fix", self.folder / "r.usda", "--in-place", "--select", "1.2.4-b")
        self.assertIn("expressionVariables", done.stderr)
        self.assertEqual((self.folder / "r.usda").read_text(), robot("huge"))

    def test_paths_are_judged_by_their_values(self):
        for file, rule in (("gone", "REP-1.2.5-k"), ("../x", "REP-1.2.5-k")):
            with self.subTest(file):
                self.assertIn(rule, {f[0] for f in self.found(robot(file=file))})
        for asset, rule in (('`"${FILE}.usda"`', "REP-1.2.5-g"), ('`"omniverse://host/${FILE}.usd"`', "REP-1.2.5-i"), ('`"/nowhere/${FILE}.usda"`', "REP-1.2.5-f"), ('`"package://${FILE}"`', "REP-1.2.5-j")):
            with self.subTest(asset):
                rules = {f[0] for f in self.found(robot(asset=asset))}
                self.assertIn(rule, rules)
                plain = {f[0] for f in self.found(robot(asset=asset.strip('`').strip('"').replace("${FILE}", "part")))}
                self.assertEqual(rules, plain)


if __name__ == "__main__":
    unittest.main()

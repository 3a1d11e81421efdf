"""Repairs of what moves: seconds stay seconds, through offsets and scales of sublayers and references, layers of other rates, and splines."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "w"\n    metersPerUnit = %s\n    timeCodesPerSecond = %s\n    upAxis = "%s"\n%s)\n'
#: A lift by Euler angles and time samples: it is repaired by several rules, all of which write samples.
INSIDE = """
def Xform "w"
{
    def Cube "lift" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        bool physics:kinematicEnabled = 1
        double size = 0.4
        double3 xformOp:translate.timeSamples = {
            0: (0, 0, 0),
            24: (0, 0, 1),
            48: (1, 0, 1),
        }
        float3 xformOp:rotateXYZ.timeSamples = {
            0: (0, 0, 0),
            24: (0, 0, 30),
        }
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    }
    def Xform "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
        double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsPrismaticJoint "j" (
        prepend apiSchemas = ["PhysicsDriveAPI:linear"]
    )
    {
        rel physics:body1 = </w/arm>
        uniform token physics:axis = "X"
        point3f physics:localPos0 = (5, 0, 0)
        float physics:lowerLimit = -9
        float physics:upperLimit = 9
        float drive:linear:physics:stiffness = 10000
        float drive:linear:physics:targetPosition%s
    }
}
"""
SAMPLES = ".timeSamples = {\n            0: 0,\n            24: 2,\n        }"
MOVES = INSIDE % SAMPLES
PART = '\ndef Xform "w"%s\n{\n}\n'
#: name -> (rate of the entry, its metadata, its prims, rate of the moving layer)
CASES = {
    "an offset of a sublayer": (24, "    subLayers = [\n        @./moving.usda@ (offset = 12; scale = 0.5)\n    ]\n", "", 24),
    "a sublayer of another rate": (48, "    subLayers = [\n        @./moving.usda@\n    ]\n", "", 24),
    "a sublayer of another rate with an offset": (48, "    subLayers = [\n        @./moving.usda@ (offset = -6)\n    ]\n", "", 30),
    "a reference with an offset": (24, "", PART % " (\n    prepend references = @./moving.usda@ (offset = 12)\n)", 24),
    "a reference with a scale, of another rate": (60, "", PART % " (\n    prepend references = @./moving.usda@ (offset = 5; scale = 2)\n)", 24),
    "a payload with an offset": (24, "", PART % " (\n    prepend payload = @./moving.usda@ (offset = 12)\n)", 12),
    "nothing between": (24, "", MOVES, 24),
}


class Times(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def seconds(self, stage):
        """Samples of every attribute by their second, and where the lift is then, as the stage composes them."""
        text = mechane("cat", "--flatten", stage).stdout
        rate = float((re.search(r"timeCodesPerSecond = (\S+)", text) or [0, 24])[1])
        found = {}
        for name, body in re.findall(r"([\w:]+)\.timeSamples = \{(.*?)\n        \}", text, re.S):
            found[name] = {round(float(t) / rate, 6): tuple(float(x) for x in re.findall(r"-?[\d.]+(?:e-?\d+)?", v)) for t, v in re.findall(r"(-?[\d.e-]+): (\(.*?\)|[\d.e-]+),?\n", body + "\n")}
        return found

    def fixed(self, name, files, *options):
        place = self.folder / "".join(c if c.isalnum() else "_" for c in name)
        (place / "source").mkdir(parents=True)
        for file, text in files.items():
            (place / "source" / file).write_text(text)
        done = mechane("fix", place / "source" / "w.usda", "-o", place / "out", *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads((place / "out" / "fix-report.json").read_text())
        return place / "source" / "w.usda", place / "out" / report["entry"], report

    def test_what_moves_is_at_the_same_place_in_the_same_second(self):
        """REP-0158 1.1: timeCodesPerSecond becomes 1 in every layer; OpenUSD maps times by offset + scale x time x the ratio of the rates."""
        for name, (rate, metadata, prims, inner) in CASES.items():
            with self.subTest(name):
                files = {"w.usda": HEAD % (1, rate, "Z", metadata) + prims}
                if "moving.usda" in files["w.usda"]:
                    files["moving.usda"] = HEAD % (1, inner, "Z", "") + MOVES
                source, fixed, report = self.fixed(name, files)
                rules = {edit["rule"] for edit in report["edits"]}
                self.assertIn("REP-1.1-c", rules)
                self.assertIn("REP-1.1-i", rules)
                self.assertIn("timeCodesPerSecond = 1\n", fixed.read_text())
                was, now = self.seconds(source), self.seconds(fixed)
                for attribute in ("xformOp:translate", "drive:linear:physics:targetPosition"):
                    self.assertTrue(was[attribute])
                    self.assertEqual(was[attribute].keys(), now[attribute].keys(), attribute)
                    for second in was[attribute]:
                        for a, b in zip(was[attribute][second], now[attribute][second]):
                            self.assertAlmostEqual(a, b, places=5)
                self.assertEqual(max(was["xformOp:rotateXYZ"]), [t for t, q in now["xformOp:orient"].items() if abs(q[3]) > 0.25][0])

    def test_a_spline_is_in_seconds_and_metres_as_samples_are(self):
        """A knot of 24 codes at 2 cm becomes one of 1 s at 0.02 m; a slope of 0.05 cm a code is 0.012 m/s, over a width of 6 codes or 0.25 s."""
        spline = ".spline = {\n            bezier,\n            0: 0; pre (6, 0.05); post curve (6, 0.05),\n            24: 2; pre (6, 0.05); post curve (6, 0.05),\n        }"
        _, fixed, _ = self.fixed("spline", {"w.usda": HEAD % (0.01, 24, "Z", "") + INSIDE % spline})
        body = re.search(r"targetPosition\.spline = \{(.*?)\n        \}", fixed.read_text(), re.S)[1]
        knots = re.findall(r"([\d.]+): ([\d.e-]+); pre \(([\d.e-]+), ([\d.e-]+)\); post curve \(([\d.e-]+), ([\d.e-]+)\)", body)
        self.assertEqual(len(knots), 2)
        for found, wanted in zip(knots, [(0, 0, 0.25, 0.012, 0.25, 0.012), (1, 0.02, 0.25, 0.012, 0.25, 0.012)]):
            for a, b in zip(found, wanted):
                self.assertAlmostEqual(float(a), b, places=6)

    def test_a_prim_that_a_spline_moves_keeps_its_spline(self):
        """Between its knots a spline is no line: samples in its place would move the prim."""
        text = HEAD % (1, 1, "Z", "") + '\ndef Xform "w"\n{\n    def Cube "c"\n    {\n        float xformOp:rotateX.spline = {\n            0: 0; post linear,\n            2: 90; post linear,\n        }\n        uniform token[] xformOpOrder = ["xformOp:rotateX"]\n    }\n}\n'
        _, fixed, report = self.fixed("moved", {"w.usda": text})
        self.assertIn("xformOp:rotateX.spline", fixed.read_text())
        self.assertIn(("REP-1.1-i", "spline"), {(u["rule"], u["reason"]) for u in report["unrepaired"]})

    def test_the_author_is_told_that_a_layer_of_other_units_is_of_another_size_now(self):
        part = HEAD % (0.01, 1, "Z", "") + '\ndef Xform "w"\n{\n    def Cube "c"\n    {\n        double size = 5\n    }\n}\n'
        for scale, told in ((1, True), (0.01, False)):
            with self.subTest(scale=scale):
                entry = HEAD % (1, 1, "Z", "") + f'\ndef Xform "w" (\n    prepend references = @./part.usda@\n)\n{{\n    float3 xformOp:scale = ({scale}, {scale}, {scale})\n    uniform token[] xformOpOrder = ["xformOp:scale"]\n}}\n'
                _, fixed, report = self.fixed(f"units {scale}", {"w.usda": entry, "part.usda": part})
                self.assertIn("size = 0.05", (fixed.parent / "part.usda").read_text())
                self.assertEqual("rescaled" in {u["reason"] for u in report["unrepaired"]}, told)


class Starts(unittest.TestCase):
    def test_a_place_that_only_samples_tell_is_where_the_asset_begins_and_holds_no_repair_of_units_back(self):
        """A reader takes the first sample where there is no default: the asset is as large before the repair as after it."""
        for samples in ("1: %s,", "1: %s, 10: %s,"):
            matrix = "((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 1, 1, 1))"
            with self.subTest(samples=samples), tempfile.TemporaryDirectory() as folder:
                asset = pathlib.Path(folder, "w.usda")
                asset.write_text('#usda 1.0\n(\n    defaultPrim = "w"\n)\n\ndef Xform "w"\n{\n    matrix4d xformOp:transform.timeSamples = {\n        '
                                 + samples.replace("%s", matrix) + '\n    }\n    uniform token[] xformOpOrder = ["xformOp:transform"]\n\n'
                                 '    def Sphere "ball"\n    {\n        double radius = 0.5\n    }\n}\n')
                done = json.loads(mechane("fix", asset, "-o", pathlib.Path(folder, "out"), "--json").stdout)
                fixed, left = {edit["rule"] for edit in done["edits"]}, {row["reason"] for row in done["unrepaired"]}
                self.assertIn("REP-1.1-b", fixed)
                self.assertIn("REP-1.1-h", fixed)
                self.assertNotIn("would-resize", left)


if __name__ == "__main__":
    unittest.main()

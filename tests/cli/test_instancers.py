"""Items of point instancers move, are seen, and their motion is written back into the instancer's arrays (usd-physics 4, export)."""
import json
import math
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import document, mechane

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n    defaultPrim = "W"\n)\ndef PhysicsScene "S" {}\n'
BOX = 'def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {\n double size = 0.2\n}\n'


def stage(arrays, prototypes=BOX, names="</W/pi/p/box>", above="", metadata=""):
    return f"""{HEAD}def Xform "W" {{
{above}
def PointInstancer "pi" {metadata}{{
    rel prototypes = {names}
{arrays}
    def Scope "p" {{
{prototypes}    }}
}}
}}
"""


def tuples(text):
    return [tuple(float(x) for x in one.split(",")) for one in re.findall(r"\(([^()]*)\)", text)]


def samples(text, name):
    """Time samples of an array of tuples in usda text, by time code."""
    block = re.search(r"\b" + name + r"\.timeSamples = \{(.*?)\n\s*\}", text, re.S).group(1)
    return {float(t): tuples(row) for t, row in re.findall(r"([\d.e+-]+):\s*\[([^\]]*)\]", block)}


class Instancers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, text, *words, name="s.usda"):
        source, out = self.folder / name, self.folder / "out.usda"
        source.write_text(text)
        done = mechane("sim", source, "-o", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr, out.read_text()

    def test_copies_of_a_world_leave_the_motion_of_the_first(self):
        text = stage("    int[] protoIndices = [0, 0]\n    point3f[] positions = [(0, 0, 10), (0.5, 0, 20)]")
        _, alone = self.written(text, "--frames", "5", "--dt", "0.01")
        said, copied = self.written(text, "--frames", "5", "--dt", "0.01", "--worlds", "3")
        self.assertNotIn("several bodies", said)
        self.assertEqual(samples(copied, "positions"), samples(alone, "positions"))

    def test_a_scale_that_a_repair_hands_down_goes_to_the_copies_too(self):
        """REP-1.1-k: what is above an instancer is a length to its positions as well; every copy stays where it is, at each sample."""
        still, moving = "    point3f[] positions = [(1, 0, 0), (0, 2, 0.5)]", "    point3f[] positions.timeSamples = {\n        0: [(1, 0, 0), (0, 2, 0.5)],\n        1: [(2, 0, 0), (0, 2, 0.5)],\n    }"
        turned = "    quath[] orientations = [(1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5)]\n    float3[] scales = [(1, 1, 1), (1, 2, 1)]\n"
        scaled = 'float3 xformOp:scale = %s\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
        body = 'def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n double3 xformOp:translate = (0.1, 0, 0.3)\n uniform token[] xformOpOrder = ["xformOp:translate"]\n def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {\n double size = 0.2\n }\n}\n'
        for name, positions, above, own, even in (("above", still, "(0.5, 0.5, 0.5)", "", True), ("on it", still, "", "(0.5, 0.5, 0.5)", True), ("both, moving", moving, "(3, 3, 3)", "(0.5, 0.5, 0.5)", True),
                                                  ("uneven", still, "(1, 2, 1)", "", False)):
            with self.subTest(name):
                text = stage("    int[] protoIndices = [0, 0]\n" + turned + positions + "\n" + (scaled % own if own else ""), body, above=scaled % above if above else "")
                text = text.replace("    metersPerUnit", "    timeCodesPerSecond = 1\n    metersPerUnit", 1)  # so that times stay as they are
                source, out = self.folder / "scaled.usda", self.folder / name.replace(" ", "_").replace(",", "")
                source.write_text(text)
                done = mechane("fix", source, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                after = (out / "scaled.usda").read_text()
                # S T(p) R s P = T(S p) R s (S P) holds for an even S alone: another one stays where it is.
                self.assertEqual("xformOp:scale" in after.split('def PointInstancer')[0], not even, after)
                models = [json.loads(mechane("dump", "model", file).stdout)["model"] for file in (source, out / "scaled.usda")]
                self.assertEqual(len(models[0]["body_q"]), 2)
                for was, now in zip(*(m["body_q"] for m in models)):
                    for a, b in zip(was[:3], now[:3]):
                        self.assertAlmostEqual(a, b, delta=1e-5)
                before = {t: tuples(row) for t, row in re.findall(r"(\d):\s*\[([^\]]*)\]", text)}
                factor = math.prod(float(s[1:].split(",")[0]) for s in (above, own) if s) if even else 1
                for t, row in re.findall(r"(\d):\s*\[(\([^\]]*)\]", after):
                    for was, now in zip(before[t], tuples(row)):
                        for a, b in zip(was, now):
                            self.assertAlmostEqual(factor * a, b, delta=1e-6)

    def test_free_fall_is_written_into_positions(self):
        said, text = self.written(stage("    int[] protoIndices = [0, 0]\n    point3f[] positions = [(0, 0, 10), (0.5, 0, 20)]"), "--frames", "50", "--dt", "0.01")
        self.assertNotIn("RECORD_BODY_NO_PRIM", said)
        positions = samples(text, "positions")
        self.assertEqual(len(positions), 51)
        for row, start in zip(positions[max(positions)], ((0, 0, 10), (0.5, 0, 20))):
            for value, wanted in zip(row, (start[0], start[1], start[2] - 9.81 / 2 * 0.5**2)):
                self.assertAlmostEqual(value, wanted, delta=5e-3)  # g dt t / 2 a substep
        self.assertNotIn("box_0", text)

    def test_what_is_written_is_where_the_bodies_were(self):
        """Under a turned and scaled Xform, with scales, half rotations and a prototype with a transform of its own; the written stage is imported again."""
        arrays = ("    int[] protoIndices = [0, 0]\n    point3f[] positions = [(0, 0, 1), (0.05, 0, 2)]\n    quath[] orientations = [(0.5, 0.5, 0.5, 0.5), (1, 0, 0, 0)]\n"
                  "    float3[] scales = [(1, 2, 3), (2, 2, 2)]\n    vector3f[] velocities = [(0.1, 0, 0), (0, 0, 0)]\n    vector3f[] angularVelocities = [(0, 0, 90), (30, 0, 0)]")
        box = BOX.replace("double size = 0.2", 'double size = 0.2\n double3 xformOp:translate = (0.01, 0.02, 0)\n uniform token[] xformOpOrder = ["xformOp:translate"]')
        above = ' double3 xformOp:translate = (0, 5, 0)\n float xformOp:rotateY = 30\n double3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY", "xformOp:scale"]'
        said, text = self.written(stage(arrays, box, above=above), "--frames", "20")
        self.assertNotIn("warning[RECORD", said)
        run = json.loads(mechane("sim", self.folder / "s.usda", "--frames", "20", "-o", "-.json").stdout)
        last = run["frames"][-1]["body_q"]
        # The written stage at its last sample: everything else is held, so that the defaults are replaced by it.
        at = max(samples(text, "positions"))
        held = re.sub(r"\b(\w+\[\] (?:positions|orientationsf|orientations)) = \[.*?\]\n", "", text, flags=re.S)
        held = re.sub(r"(positions|orientationsf|orientations)\.timeSamples = \{.*?" + re.escape(f"{at:g}") + r": (\[[^\]]*\]),?\s*\}", r"\1 = \2", held, flags=re.S)
        again = self.folder / "again.usda"
        again.write_text(held)
        first = json.loads(mechane("sim", again, "--frames", "1", "-o", "-.json").stdout)
        self.assertEqual(first["bodies"], run["bodies"])
        for is_, was in zip(first["frames"][0]["body_q"], last):
            for a, b in zip(is_[:3], was[:3]):
                self.assertAlmostEqual(a, b, delta=1e-4)
            self.assertAlmostEqual(abs(sum(a * b for a, b in zip(is_[3:], was[3:]))), 1, delta=1e-5)
        # The velocities without a time are those of the begin.
        for is_, was in zip(first["frames"][0]["body_qd"], run["frames"][0]["body_qd"]):
            for a, b in zip(is_[:3], was[:3]):
                self.assertAlmostEqual(a, b, delta=1e-4)

    def test_several_bodies_in_one_prototype_are_simulated_and_told(self):
        two = ('def Xform "two" {\ndef Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {\n}\n'
               'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {\n}\n'
               'def PhysicsFixedJoint "j" {\n rel physics:body0 = </W/pi/p/two/a>\n rel physics:body1 = </W/pi/p/two/b>\n}\n}\n')
        said, text = self.written(stage("    int[] protoIndices = [0]\n    point3f[] positions = [(0, 0, 10)]", two, "</W/pi/p/two>"), "--frames", "3")
        self.assertIn("warning[RECORD_BODY_NO_PRIM]", said)
        self.assertIn("several bodies", said)
        self.assertNotIn("timeSamples", text)

    def test_packages_and_references_and_instances(self):
        source = self.folder / "asset.usda"
        source.write_text(stage("    int[] protoIndices = [0, 0]\n    point3f[] positions = [(0, 0, 1), (0, 0, 3)]"))
        package = self.folder / "asset.usdz"
        self.assertEqual(mechane("cat", source, "-o", package).returncode, 0)
        over = self.folder / "over.usda"
        for instanceable in ("", "instanceable = true\n    "):
            over.write_text(HEAD + f'def "W" (\n    {instanceable}prepend references = @./asset.usda@\n) {{}}\n')
            for file in (source, package, over):
                with self.subTest(file=file.name, instanceable=bool(instanceable)):
                    names = [row["prim"] for row in document("info", file, "--json")["bodies"]]
                    self.assertEqual(names, ["/W/pi/box_0", "/W/pi/box_1"])

    def test_collide_explain_and_dump_know_items(self):
        source = self.folder / "s.usda"
        source.write_text(stage("    int[] protoIndices = [0, 0]\n    point3f[] positions = [(0, 0, 1), (0, 0, 1.19)]"))
        contacts = document("collide", source, "--json")["contacts"]
        self.assertEqual({(row["shape_a"], row["shape_b"]) for row in contacts}, {("/W/pi/box_0", "/W/pi/box_1")})
        self.assertAlmostEqual(min(row["distance"] for row in contacts), -0.01, delta=1e-5)
        self.assertIn("8", mechane("explain", source, "/W/pi/box_1.mass").stdout)
        self.assertIn("/W/pi/box_1", mechane("dump", "model", source).stdout)
        self.assertEqual(document("info", source, "--json", "--option", "point_instancers=ignore")["bodies"], [])

    def test_an_animated_item_is_followed_where_it_is_kinematic(self):
        box = BOX.replace("double size = 0.2", "double size = 0.2\n bool physics:kinematicEnabled = 1")
        arrays = "    int[] protoIndices = [0]\n    point3f[] positions.timeSamples = {0: [(0, 0, 1)], 24: [(2, 0, 1)]}"
        (self.folder / "s.usda").write_text(stage(arrays, box).replace('upAxis = "Z"', 'upAxis = "Z"\n    timeCodesPerSecond = 24'))
        run = json.loads(mechane("sim", self.folder / "s.usda", "--frames", "50", "--dt", "0.01", "-o", "-.json").stdout)
        self.assertAlmostEqual(run["frames"][-1]["body_q"][0][0], 1, delta=1e-4)
        self.assertTrue(math.isclose(run["frames"][-1]["body_qd"][0][0], 2, rel_tol=1e-3))


if __name__ == "__main__":
    unittest.main()

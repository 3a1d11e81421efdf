"""Repairs drawn by chance: several faults in one asset, wherever they stand. What `fix` promises holds for all (REP-0158 5.1)."""
import json
import pathlib
import random
import re
import tempfile
import unittest

from tests.cli.program import mechane
from tests.cli.test_fix_rules import BODY, HEAD, IDENTITY, PLACED

MATTE = """    def Scope "Contact"
    {
        def Material "rubber" (
            prepend apiSchemas = ["PhysicsMaterialAPI"]
        )
        {
            float physics:dynamicFriction = 0.5
            float physics:restitution = 0
            float physics:staticFriction = 0.6
        }
    }
"""


def link(name, placed=PLACED, inside="", mass="float physics:mass = 1", apis=BODY):
    return f'    def Xform "{name}" (\n        kind = "subcomponent"\n        {apis}\n    )\n    {{\n        {mass}\n{placed}{inside}    }}\n'


def shape(extra="", kind="Cube", apis='"PhysicsCollisionAPI", "MaterialBindingAPI"'):
    return f'        def {kind} "s" (\n            prepend apiSchemas = [{apis}]\n        )\n        {{\n            rel material:binding:physics = </robot/Contact/rubber>\n{extra}        }}\n'


GUIDE = '            uniform token purpose = "guide"\n'
MESH = "            int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n            int[] faceVertexIndices = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5]\n            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]\n            uniform token subdivisionScheme = \"none\"\n"


def topic(name, kind="sensor_msgs/msg/LaserScan", more=""):
    return f'    def Xform "{name}" (\n        prepend apiSchemas = ["RosTopicAPI"]\n    )\n    {{\n        string ros:topic:name = "{name}"\n        double ros:topic:publish_rate = 10\n        token ros:topic:role = "publisher"\n        string ros:topic:type = "{kind}"\n{more}    }}\n'


#: rule -> the fault as content of the default prim; N is a name of its own.
FAULTS = {
    "1.1-g": lambda n: link(n, PLACED.replace('["xformOp:translate", "xformOp:orient"]', '["xformOp:orient", "xformOp:translate"]'), shape(GUIDE)),
    "1.1-h": lambda n: f'    def Xform "{n}"\n    {{\n        matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))\n        uniform token[] xformOpOrder = ["xformOp:transform"]\n\n        def Cube "look"\n        {{\n        }}\n    }}\n',
    "1.1-i": lambda n: link(n, "        double3 xformOp:translate = (1, 2, 3)\n        float3 xformOp:rotateXYZ = (10, 20, 30)\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateXYZ\"]\n", shape(GUIDE)),
    "1.1-j": lambda n: link(n, "        double3 xformOp:translate = (1, 2, 3)\n        quatf xformOp:orient = (1, 0, 0, 0)\n        float3 xformOp:scale = (2, 2, 2)\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", \"xformOp:scale\"]\n", shape(GUIDE)),
    "1.3-p": lambda n: link(n, PLACED.replace("translate = (0, 0, 0)", "translate.timeSamples = {\n            0: (0, 0, 0),\n            1: (1, 0, 0),\n        }"), shape(GUIDE)),
    "1.3.1-a": lambda n: link(n, inside=shape() + '        def Cube "look"\n        {\n        }\n'),
    "1.3.1-b": lambda n: link(n, inside=shape(GUIDE + MESH.replace("[4, 4, 4, 4, 4, 4]", "[" + ", ".join("3" * 12) + "]").replace("0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5", "0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5"), "Mesh")),
    "3.4-a": lambda n: link(n, inside=shape(GUIDE + MESH + '            uniform token physics:approximation = "convexHull"\n', "Mesh", '"PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"')),
    "2.3-a": lambda n: topic(n, "std_msgs/Bool"),
    "2-c": lambda n: topic(n).replace("double ros:topic:publish_rate = 10", "int ros:topic:publish_rate = 10"),
    "2.4-h": lambda n: topic(n, more="        bool ros:topic:qos:match_publisher = 1\n"),
    "2.8-b": lambda n: f'    def Camera "{n}"\n    {{\n        def Xform "{n}_optical_frame" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {{\n            quatf xformOp:orient = (1, 0, 0, 0)\n            uniform token[] xformOpOrder = ["xformOp:orient"]\n        }}\n    }}\n',
    "3.5-c": lambda n: f'    def Xform "{n}" (\n        instanceable = true\n    )\n    {{\n        def Cube "look"\n        {{\n        }}\n    }}\n',
    "1.3-s": lambda n: link(n, PLACED, "        custom double[] newton:inertia = [0.2, 0.3, 0.4, 0, 0, 0]\n" + shape(GUIDE)),
}


def asset(inside, more=""):
    return HEAD % more + f'\n# the robot\ndef Xform "robot" (\n{IDENTITY}    prepend apiSchemas = ["RosContextAPI"]\n)\n{{\n    string ros:context:namespace = "robot"  # its name\n{MATTE}{inside}}}\n'


def placed_somewhere(chance, faults):
    """The faults as content of one layer, a sublayer, a referenced part or a variant; text or crate."""
    inside = "".join(FAULTS[rule](f"p{i}") for i, rule in enumerate(faults))
    where = chance.choice(["root", "sublayer", "crate", "part", "variant", "below"])
    if where in ("sublayer", "crate"):
        file = "inner.usda" if where == "sublayer" else "inner.usdc"
        return where, {"robot.usda": HEAD % f"    subLayers = [@./{file}@]\n", file: asset(inside)}
    if where == "part":
        return where, {"robot.usda": HEAD % "" + f'\ndef Xform "robot" (\n{IDENTITY}    prepend references = @./parts/inner.usda@\n)\n{{\n}}\n', "parts/inner.usda": asset(inside)}
    if where == "variant":
        text = asset('    variantSet "v" = {\n        "x" {\n' + inside + '        }\n        "y" {\n        }\n    }\n')
        return where, {"robot.usda": text.replace('    kind = "component"\n', '    kind = "component"\n    prepend variantSets = "v"\n    variants = {\n        string v = "x"\n    }\n', 1)}
    if where == "below":
        inside = f'    def Xform "inner" (\n        kind = "subcomponent"\n    )\n    {{\n        double3 xformOp:translate = (1, 0, 0)\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n{inside}    }}\n'
    return where, {"robot.usda": asset(inside)}


class Chance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, place, files):
        for file, text in files.items():
            path = place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if file.endswith(".usdc"):
                source = self.folder / "text.usda"
                source.write_text(text)
                self.assertEqual(mechane("cat", source, "-o", path).returncode, 0)
            else:
                path.write_text(text)
        return place / "robot.usda"

    def findings(self, path):
        done = mechane("check", path, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["findings"]

    def counts(self, findings):
        rules = [f["rule"] for f in findings if f["severity"] != "info"]
        return {rule: rules.count(rule) for rule in rules}

    def world(self, path):
        """World placement of every body and shape; the numbers of a layer have seven digits."""
        prims = json.loads(mechane("dump", "stage", path).stdout)["prims"]
        return {name: prim["worldTransform"][3] for name, prim in prims.items() if "worldTransform" in prim}

    def test_packages(self):
        """A package is repaired to a folder, to another package and in place; each says the same, and a package is never its own result by -o."""
        files = {"robot.usda": HEAD % "" + f'\ndef Xform "robot" (\n{IDENTITY}    prepend references = @./parts/inner.usda@\n)\n{{\n}}\n', "parts/inner.usda": asset(FAULTS["1.1-h"]("p0") + FAULTS["2.3-a"]("p1"))}
        source = self.write(self.folder / "source", files)
        package, place = self.folder / "robot.usdz", self.folder
        self.assertEqual(mechane("cat", source, "-o", package).returncode, 0)
        before = package.read_bytes()
        self.assertEqual(mechane("fix", package, "-o", package).returncode, 2)
        self.assertEqual(mechane("fix", package, "--layer", place / "over.usda").returncode, 2)
        self.assertIn(mechane("fix", package, "-o", place / "out").returncode, (0, 1))
        self.assertIn(mechane("fix", package, "-o", place / "fixed.usdz").returncode, (0, 1))
        self.assertEqual(package.read_bytes(), before)
        self.assertIn(mechane("fix", package, "--in-place").returncode, (0, 1))
        entry = place / "out" / json.loads((place / "out" / "fix-report.json").read_text())["entry"]
        found = [self.counts(self.findings(path)) for path in (entry, place / "fixed.usdz", package)]
        for counts in found:
            self.assertNotIn("REP-1.1-h", counts)
            self.assertNotIn("REP-2.3-a", counts)

    def test_several_faults_anywhere(self):
        for seed in range(10):
            chance = random.Random(seed)
            faults = chance.sample(sorted(FAULTS), chance.randint(2, 4))
            faults += chance.sample(faults, 1)  # one of them twice
            where, files = placed_somewhere(chance, faults)
            with self.subTest(seed=seed, where=where, faults=faults):
                place = self.folder / str(seed)
                source, out = self.write(place / "source", files), place / "out"
                before = self.findings(source)
                for rule in faults:
                    self.assertIn("REP-" + rule, {f["rule"] for f in before}, "the fixture has the fault")
                done = mechane("fix", source, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                report = json.loads((out / "fix-report.json").read_text())
                fixed = out / report["entry"]
                after = self.findings(fixed)
                for rule in faults:
                    self.assertNotIn("REP-" + rule, {f["rule"] for f in after}, done.stderr)
                for rule, count in self.counts(after).items():
                    self.assertLessEqual(count, self.counts(before).get(rule, 0), rule)
                listed = {(u["rule"], u["prim"]) for u in report["unrepaired"]}
                self.assertLessEqual({(f["rule"], f["prim"] or "") for f in after}, listed)
                was, now = self.world(source), self.world(fixed)
                for name in was.keys() & now.keys():
                    for a, b in zip(was[name], now[name]):
                        self.assertAlmostEqual(a, b, places=5, msg=name)
                for file, text in files.items():
                    if file.endswith(".usda") and file not in report["rewrittenFiles"]:
                        for comment in re.findall(r"#[^\n@]*$", text, re.M):
                            self.assertIn(comment, (out / file).read_text())
                mechane("fix", fixed, "-o", place / "twice")
                self.assertEqual(json.loads((place / "twice" / "fix-report.json").read_text())["edits"], [])


if __name__ == "__main__":
    unittest.main()

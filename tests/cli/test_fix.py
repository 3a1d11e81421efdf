"""mechane fix and mechane ros tf as a user meets them; what fix does to real robots."""
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, QUADRUPED, corpus, mechane

BAD = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "robot" (
    kind = "component"
)
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 2
        float3 xformOp:rotateXYZ = (10, 20, 30)
        double3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]

        def Cube "shape" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {
            double size = 0.5
        }
    }
}
"""

META = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"%s
)
"""

# One layer that holds looks, physics and an interface.
WHOLE = META % "" + """
def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
    assetInfo = {
        string identifier = "urn:example:robot"
        string version = "1.0.0"
    }
    kind = "component"
)
{
    string ros:context:namespace = "robot"

    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        kind = "subcomponent"
    )
    {
        float physics:mass = 2
        double3 xformOp:translate = (1, 2, 3)
        quatf xformOp:orient = (1, 0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Mesh "shell" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
            rel material:binding = </robot/paint>
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        }

        def Cube "box" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {
            token purpose = "guide"
            double size = 0.5
        }

        def Xform "scan" (
            prepend apiSchemas = ["RosTopicAPI"]
        )
        {
            string ros:topic:name = "scan"
            double ros:topic:publish_rate = 10
            token ros:topic:role = "publisher"
            string ros:topic:type = "sensor_msgs/msg/LaserScan"
        }
    }

    def Material "paint"
    {
        token outputs:surface.connect = </robot/paint/s.outputs:surface>

        def Shader "s"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = (1, 0.5, 0)
            token outputs:surface
        }
    }

    def PhysicsFixedJoint "mount"
    {
        rel physics:body1 = </robot/link>
    }
}
"""

# Robots whose physics is compared before and after; small ones, of several converters.
ROBOTS = (
    "newton/examples/assets/ant.usda",
    "newton/examples/assets/humanoid.usda",
    "newton/examples/assets/cartpole.usda",
    "newton/examples/assets/boxes_fourbar.usda",
    "newton/tests/assets/four_link_chain_articulation.usda",
    "newton/tests/assets/revolute_articulation.usda",
    "robots-urdf/example-robot-data/allegro_left/allegro_hand_left.usdc",
    "robots-urdf/example-robot-data/bolt/bolt.usda",
    "robots-urdf/example-robot-data/double_pendulum/2dof_planar.usda",
    "robots-urdf/example-robot-data/go2/go2_description.usda",
    "robots-urdf/example-robot-data/iris/iris.usda",
    "robots-urdf/example-robot-data/panda/panda.usda",
    "robots-urdf/example-robot-data/solo12/solo.usda",
    "robots-urdf/example-robot-data/ur5/ur5.usdc",
)


def digests(folder):
    """SHA-256 of every file below a folder."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


#: Left out of the comparison: places and texts, and attributes of vendors as such, which are no numbers of the model.
TEXTS = ("layer", "line", "site", "asset", "source", "file", "column", "diagnostics", "warnings", "schema_attrs",
         "body_inv_inertia",  # follows from body_inertia, with its rounding multiplied by its condition
         "duration")  # in time codes, whose rate is what a repair changes; test_fix_times compares seconds
#: Matrices of four digits are no exact rotations; written as translate and orient they turn by as much.
COARSE = {"newton/examples/assets/humanoid.usda": 5e-5}


def difference(a, b, tolerance=1e-6, where=""):
    """The first place where two documents differ by more than the tolerance, relative to the largest number of a list and at least to 1; or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key in TEXTS:
                continue
            if key not in a or key not in b:
                return f"{where}.{key} is missing"
            x, y = a[key], b[key]
            if key == "shape_flags":  # whether a collider is drawn is what a purpose changes
                x, y = [flags & ~1 for flags in x], [flags & ~1 for flags in y]
            found = difference(x, y, tolerance, f"{where}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} entries"
        numbers = a and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in a + b)
        if numbers:
            size = max(1.0, *(abs(x) for x in a + b if math.isfinite(x)), 1.0)
            # The last four of a pose are a rotation; its negative is the same one.
            turned = a[:-4] + [-x for x in a[-4:]] if len(a) in (4, 7) else a
            for candidate in (a, turned):
                if all(x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= tolerance * size for x, y in zip(candidate, b)):
                    return None
            return f"{where}: {a} and {b}"
        for i, (x, y) in enumerate(zip(a, b)):
            found = difference(x, y, tolerance, f"{where}[{i}]")
            if found:
                return found
        return None
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return difference([a], [b], tolerance, where)
    return None if a == b else f"{where}: {a!r} and {b!r}"


def surfaces_taken(model):
    """The triangles of each mesh, taken out of the document: by triangle the places of its corners; how large the mesh is, and whether it is a hull."""
    surfaces = []
    for kind, source in zip(model["builder"]["shape_type_name"], model["model"]["shape_source"]):
        mesh = source.get("mesh") if isinstance(source, dict) else None
        if not isinstance(mesh, dict):
            continue
        points, corners = mesh.pop("vertices"), mesh.pop("indices")
        size = max((abs(x) for p in points for x in p), default=0)
        surfaces.append(([tuple(tuple(points[i]) for i in corners[k:k + 3]) for k in range(0, len(corners), 3)], size, kind == "CONVEX_MESH"))
    return surfaces


def different_surface(one, two):
    """Faces may turn, points at one place may become one, and faces without an area may go: each triangle that is seen stays where it is, in its order.

    Hulls have the same corners; how their flat faces are cut depends on the order of the points that they are made of.
    """
    def is_flat(triangle, size):
        (a, b, c) = triangle
        u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
        normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        return math.hypot(*normal) <= 4e-12 * size * size  # REP-3.4-g: 1e-12 of the diagonal squared, which is at most twice the size
    if len(one) != len(two):
        return f"{len(one)} and {len(two)} meshes"
    for m, ((a, size, is_hull), (b, _, _)) in enumerate(zip(one, two)):
        close = 2e-6 * size  # points within 1e-6 of the diagonal are at one place (REP-3.4-e)
        if a == b:
            continue
        if is_hull:
            a, b = ({corner for triangle in side for corner in triangle} for side in (a, b))
            apart = [p for from_, to in ((a, b), (b, a)) for p in from_ if min(math.dist(p, q) for q in to) > close]
            if apart:
                return f"mesh {m}, corner {apart[0]} of one hull only"
            continue
        a, b = ([triangle for triangle in side if not is_flat(triangle, size)] for side in (a, b))
        if len(a) != len(b):
            return f"mesh {m}: {len(a)} and {len(b)} triangles"
        for t, (x, y) in enumerate(zip(a, b)):
            if x != y and not any(all(math.dist(p, q) <= close for p, q in zip(x, turned)) for turned in itertools.permutations(y)):
                return f"mesh {m}, triangle {t}: {x} and {y}"
    return None


class Fix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = os.path.join(self.folder.name, "source")
        os.mkdir(self.source)
        self.robot = os.path.join(self.source, "robot.usda")
        with open(self.robot, "w") as file:
            file.write(BAD)

    def out(self, name="out"):
        return os.path.join(self.folder.name, name)

    def test_a_folder_gets_the_repaired_asset_and_the_source_stays(self):
        """(REP-T-146)"""
        before = digests(self.source)
        done = mechane("fix", self.robot, "-o", self.out(), "--select", "1.1")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(digests(self.source), before)
        report = json.loads(pathlib.Path(self.out(), "fix-report.json").read_text())
        self.assertEqual(report["entry"], "robot.usda")
        self.assertEqual({edit["rule"] for edit in report["edits"]}, {"REP-1.1-i"})
        self.assertIn("xformOp:orient", pathlib.Path(self.out(), "robot.usda").read_text())
        self.assertEqual(mechane("fix", self.robot, "-o", self.source).returncode, 2)
        self.assertEqual(digests(self.source), before)

    def test_a_second_fix_changes_nothing(self):
        """(REP-T-147)"""
        mechane("fix", self.robot, "-o", self.out("one"))
        mechane("fix", os.path.join(self.out("one"), "robot.usda"), "-o", self.out("two"))
        one, two = digests(self.out("one")), digests(self.out("two"))
        self.assertEqual(one.pop("fix-report.json") and one, two.pop("fix-report.json") and two)
        self.assertEqual(json.loads(pathlib.Path(self.out("two"), "fix-report.json").read_text())["edits"], [])

    def test_a_diff_writes_nothing(self):
        """(REP-T-148)"""
        before = digests(self.folder.name)
        done = mechane("fix", self.robot, "--diff", "--select", "1.1")
        self.assertEqual(digests(self.folder.name), before)
        self.assertIn("-        float3 xformOp:rotateXYZ = (10, 20, 30)\n", done.stdout)
        self.assertIn("+        quatf xformOp:orient = ", done.stdout)
        self.assertTrue(done.stdout.startswith("--- a/robot.usda\n+++ b/robot.usda\n@@ "), done.stdout[:80])

    def test_text_keeps_its_comments_and_its_numbers(self):
        """Comments, the licence, layout and spelling of what is not changed stay, and the diff shows the bytes that are written."""
        text = ("#usda 1.0\n# Copyright: a licence that has to stay.\n" + BAD.split("\n", 1)[1]).replace("float physics:mass = 2", "float physics:mass = 2.50  # weighed")
        text = text.replace("        double3 xformOp:translate", "\n        # where it stands\n        double3 xformOp:translate")
        self.write(text)
        diff = mechane("fix", self.robot, "--diff", "--select", "1.1").stdout
        mechane("fix", self.robot, "--in-place", "--select", "1.1")
        after = pathlib.Path(self.robot).read_text()
        for kept in ("# Copyright: a licence that has to stay.\n", "float physics:mass = 2.50  # weighed\n", "\n\n        # where it stands\n"):
            self.assertIn(kept, after)
        self.assertIn("quatf xformOp:orient", after)
        self.assertNotIn("rotateXYZ", after)
        removed = {line[1:] for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")}
        added = {line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")}
        before, now = text.splitlines(), after.splitlines()
        self.assertEqual(removed, {line for line in before if line not in now})
        self.assertEqual(added, {line for line in now if line not in before})

    def test_a_file_from_outside_is_written_beside_the_asset_in_place(self):
        os.mkdir(os.path.join(self.folder.name, "shared"))
        pathlib.Path(self.folder.name, "shared", "part.usda").write_text(META % "" + 'def Xform "robot"\n{\n}\n')
        self.write(META % "" + 'def Xform "robot" (\n    prepend references = @../shared/part.usda@\n)\n{\n}\n')
        mechane("fix", self.robot, "--in-place", "--select", "1.2.5-h")
        self.assertIn("@./deps/part.usda@", pathlib.Path(self.robot).read_text())
        self.assertTrue(os.path.exists(os.path.join(self.source, "deps", "part.usda")))

    def test_what_the_layers_leave_is_said_of_the_layers_that_are_there(self):
        """REP-1.2.1-f: once geometry was moved to instances.usda, that file has not to be written; what is left is to reference what is alike"""
        with tempfile.TemporaryDirectory() as folder:
            fixed = pathlib.Path(folder, "fixed")
            said = mechane("fix", QUADRUPED, "-o", fixed).stderr
            self.assertTrue((fixed / "instances.usda").is_file())
            left = next(line for line in said.splitlines() if "REP-1.2.1-f" in line)
            self.assertIn("instances.usda", left)
            self.assertNotIn("has to be written", said)
            found = mechane("check", fixed / "quadruped.usda", "--select", "1.2.1-f", "--severity", "info").stdout
            self.assertIn("and instances.usda places none of them by reference", found)
            self.assertIn("define each piece once in geometries.usdc, and reference it from instances.usda", found)

    def test_in_place_and_as_a_layer(self):
        layer = self.out("fixes.usda")
        mechane("fix", self.robot, "--layer", layer, "--select", "1.1")
        self.assertIn("@./source/robot.usda@", pathlib.Path(layer).read_text())
        self.assertEqual(mechane("check", layer, "--select", "1.1").returncode, 0)
        self.assertEqual(mechane("check", self.robot, "--select", "1.1").returncode, 1)
        mechane("fix", self.robot, "--in-place", "--select", "1.1")
        self.assertEqual(mechane("check", self.robot, "--select", "1.1").returncode, 0)

    def test_one_place_to_write_to_has_to_be_named(self):
        self.assertEqual(mechane("fix", self.robot).returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--in-place").returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--select", "9.9").returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--phases", "P9").returncode, 2)
        self.assertEqual(mechane("fix", "/nowhere.usda", "--diff").returncode, 3)

    def test_meaning_stays_on_real_robots(self):
        """The model that is simulated is the same before and after, within 1e-6 in SI units."""
        assets = corpus()
        if assets is None:
            self.skipTest("skipped: no corpus")
        compared = 0
        for name in ROBOTS:
            if not (assets / name).exists():
                continue
            with self.subTest(name):
                before = mechane("dump", "model", assets / name, "--limit", "0")
                if before.returncode != 0:
                    continue
                out = self.out(name.replace("/", "_").replace(".", "_"))
                done = mechane("fix", assets / name, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                after = mechane("dump", "model", os.path.join(out, os.path.basename(name)), "--limit", "0")
                self.assertEqual(after.returncode, 0, after.stderr)
                models = [json.loads(document.stdout) for document in (before, after)]
                self.assertIsNone(different_surface(*(surfaces_taken(model) for model in models)), name)
                self.assertIsNone(difference(*models, COARSE.get(name, 1e-6)), name)
                compared += 1
        self.assertGreaterEqual(compared, 10)

    def test_what_is_left_of_a_converters_robot_is_listed_with_a_reason(self):
        """(REP-T-151) Errors of rules that are repairable are gone, or refused for a reason that is no excuse of ours."""
        assets = corpus()
        if assets is None:
            self.skipTest("skipped: no corpus")
        repairable = {line.split()[0] for line in mechane("check", "--list-rules").stdout.splitlines() if " * " in line}
        reasons = {"no-repair", "unsafe", "overlay", "shear", "singular", "mirrored-body", "state-dependent-edit", "no-units", "no-up-axis", "leaf-body",
                   "external-layer", "instance", "ambiguous", "fidelity", "layout", "placeholder", "missing-mass", "bad-inertia", "shared-visual",
                   "adds-finding", "would-move", "would-change", "not-possible", "missing-limit", "dangling-relationship", "bad-frame", "contact-values", "second-entry", "entry-name"}
        robots = ("robots-urdf/example-robot-data/panda/panda.usda", "robots-urdf/example-robot-data/ur5/ur5.usdc",
                  "robots-urdf/newton/cartpole/cartpole.usdc", "robots-mjcf/gymnasium/ant/ant.usda",
                  "robots-mjcf/mujoco/mug_mug/mug.usda", "robots-mjcf/dm_control/acrobot/acrobot.usda")
        for name in robots:
            with self.subTest(name):
                out = self.out(name.replace("/", "_").replace(".", "_"))
                done = mechane("fix", assets / name, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                report = json.loads(pathlib.Path(out, "fix-report.json").read_text())
                left = {(u["rule"], u["prim"]): u["reason"] for u in report["unrepaired"]}
                self.assertLessEqual(set(left.values()), reasons)
                checked = json.loads(mechane("check", os.path.join(out, report["entry"]), "--format", "json").stdout)
                for finding in checked["findings"]:
                    if finding["severity"] != "error":
                        continue
                    key = finding["rule"], finding["prim"] or ""
                    self.assertIn(key, left, finding["message"])
                    if finding["rule"] in repairable:
                        self.assertNotEqual(left[key], "no-repair", finding["message"])

    def write(self, text, name="robot.usda"):
        path = os.path.join(self.source, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def composed(self, path):
        """What a stage says of every prim, whichever layers say it."""
        prims = json.loads(mechane("dump", "stage", path).stdout)["prims"]
        for prim in prims.values():
            for field in ("references", "payload"):
                prim.get("metadata", {}).pop(field, None)
            prim.pop("hasPayload", None)
            prim.get("appliedSchemas", []).sort()  # the vendor's come first once its layer is the stronger one
        return prims

    def test_a_split_asset_is_the_same_stage(self):
        """(REP-T-150)"""
        source, out = self.write(WHOLE), os.path.join(self.folder.name, "split")
        self.assertIn("6 edits", mechane("fix", source, "--select", "REP-1.2.1-i", "--phases", "P8", "-o", out).stderr)
        for name in ("robot.usda", "base.usda", "materials.usda", "physics.usda", "ros.usda"):
            self.assertTrue(os.path.exists(os.path.join(out, name)), os.listdir(out))
        before, after = self.composed(source), self.composed(os.path.join(out, "robot.usda"))
        self.assertEqual(before.keys(), after.keys())
        for path in before:
            self.assertEqual(before[path], after[path], path)
        found = json.loads(mechane("check", os.path.join(out, "robot.usda"), "--select", "1.2.1,1.2.3", "--format", "json").stdout)
        self.assertEqual(found["summary"]["error"], 0, found["findings"])

    def test_comments_that_do_not_move_along_are_told(self):
        """Layers keep their text; what a comment stands at may go to another layer"""
        text = re.sub(r"^( *)(.*physics:)", r"\1# measured\n\1\2", WHOLE, flags=re.M)
        self.assertIn("# measured", text)
        source, out, report = self.write(text), os.path.join(self.folder.name, "split"), os.path.join(self.folder.name, "report.json")
        for more, lost in ((["--phases", "P8"], ["robot.usda"]), (["--phases", "P1,P5"], [])):
            with self.subTest(more):
                done = mechane("fix", source, "-o", out, "--report", report, *more)
                self.assertEqual(json.loads(pathlib.Path(report).read_text())["commentsLost"], lost)
                self.assertEqual("lost comments" in done.stderr, bool(lost), done.stderr)

    def test_the_second_entry_composes_what_the_vendors_words_made(self):
        """(REP-T-149)"""
        self.write(META % "\n    subLayers = [@./physics.usda@]" + "def Xform \"robot\"\n{\n}\n")
        self.write(META % "" + """
over "robot"
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"]
    )
    {
        float physics:mass = 2
        custom float physxRigidBody:linearDamping = 0.25
        custom int physxRigidBody:solverPositionIterationCount = 8
    }
}
""", "physics.usda")
        source, out = self.robot, os.path.join(self.folder.name, "apart")
        self.assertIn("3 edits", mechane("fix", source, "--select", "REP-1.2.1-j", "--phases", "P7", "-o", out).stderr)
        self.assertNotIn("physx", pathlib.Path(out, "physics.usda").read_text().lower())
        before, after = self.composed(source), self.composed(os.path.join(out, "robot_physx.usda"))
        self.assertEqual(before, after)
        neutral = self.composed(os.path.join(out, "robot.usda"))["/robot/link"]
        self.assertNotIn("physxRigidBody:linearDamping", json.dumps(neutral))

    def test_each_phase_changes_only_what_it_names(self):
        """(GAP-071) Names of vendors, matrices, vendors' layers: each by itself."""
        source = self.write(META % "" + """
def Xform "robot" (
    kind = "component"
)
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        kind = "subcomponent"
    )
    {
        float physics:mass = 2
        double[] newton:inertia = [1, 2, 2.5, 0, 0, 0]
        matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))
        uniform token[] xformOpOrder = ["xformOp:transform"]
    }
}
""")
        changed = {}
        for phase in ("P1", "P2"):
            out = self.out(phase)
            mechane("fix", source, "--phases", phase, "-o", out)
            with open(os.path.join(out, "fix-report.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["entry"], "robot.usda")  # (GAP-090)
            self.assertTrue(os.path.exists(os.path.join(out, report["entry"])))
            self.assertEqual({edit["phase"] for edit in report["edits"]}, {phase})
            changed[phase] = {edit["rule"] for edit in report["edits"]}
        self.assertEqual(changed, {"P1": {"REP-1.3-s"}, "P2": {"REP-1.1-h"}})

    def test_the_sanitizer_is_fix(self):
        """(GAP-071)"""
        source, fixed, sanitized = self.write(BAD), self.out("fixed"), self.out("sanitized")
        first = mechane("fix", source, "-o", fixed)
        program = os.path.join(os.path.dirname(PROGRAM), "rep_sanitizer")
        second = subprocess.run([program, source, "-o", sanitized], capture_output=True, text=True, check=False)
        self.assertEqual(first.returncode, second.returncode)
        for name in os.listdir(fixed):
            self.assertEqual(pathlib.Path(fixed, name).read_bytes(), pathlib.Path(sanitized, name).read_bytes(), name)

    def test_only_a_root_layer_that_cannot_be_read_ends_it(self):
        """(GAP-086)"""
        source = self.write(META % "" + 'def Xform "robot" (\n    prepend references = @./missing.usda@\n)\n{\n    float3 xformOp:rotateXYZ = (0, 0, 90)\n'
                                        '    uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]\n}\n')
        out = self.out("missing")
        done = mechane("fix", source, "-o", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("REP-1.1-l", done.stderr)
        self.assertIn("REP-1.2.5-k", mechane("check", os.path.join(out, "robot.usda")).stdout)
        self.assertEqual(mechane("fix", self.write("#usda 1.0\ndef {", "broken.usda"), "-o", self.out("broken")).returncode, 3)

    def test_exit_codes_and_names_of_options(self):
        """(GAP-083) Those of docs/cli.md; the names that REP-0158's specification uses are understood too."""
        good, missing = self.write(WHOLE), os.path.join(self.source, "nowhere.usda")
        self.assertEqual(mechane("check", missing).returncode, 3)
        self.assertEqual(mechane("check", good, "--no-such-option").returncode, 2)
        self.assertEqual(mechane("check", good, "--variants", "each", "--package-path", "arm=" + self.source, "--strict-payloads", "--rules", "2.4",
                                 "--max-per-rule", "1").returncode, 0)
        self.assertEqual(mechane("fix", good, "--out", self.out("named"), "--rules", "2.4").returncode, 1)  # what it leaves is said
        self.assertEqual(mechane("fix", good).returncode, 2)


class Configuration(unittest.TestCase):
    def test_suppressions_need_reasons_and_expire(self):
        """(REP-T-142)"""
        with tempfile.TemporaryDirectory() as folder:
            robot, config = os.path.join(folder, "robot.usda"), os.path.join(folder, "mechane.toml")
            pathlib.Path(robot).write_text(BAD)

            def check(text, *more):
                pathlib.Path(config).write_text(text)
                return mechane("check", robot, "--config", config, "--select", "1.1", *more)

            good = '[[suppress]]\nrule = "REP-1.1-i"\nprim = "/robot/*"\nreason = "kept for the old viewer"\n'
            self.assertEqual(check(good).returncode, 0)
            self.assertEqual(check(good.replace("kept for the old viewer", "")).returncode, 2)
            self.assertEqual(check(good.replace('reason = "kept for the old viewer"', "")).returncode, 2)
            expired = check(good + 'expires = 2020-01-31\n')
            self.assertEqual(expired.returncode, 1)
            self.assertIn("MECH-002", expired.stderr)
            self.assertEqual(check("[check]\nfail_on = \"never\"\n").returncode, 2)
            self.assertEqual(check("[check.severity]\n\"REP-1.1-i\" = \"info\"\n").returncode, 0)

    def test_variants_are_judged_when_asked_for(self):
        """(REP-T-051)"""
        with tempfile.TemporaryDirectory() as folder:
            robot = os.path.join(folder, "robot.usda")
            pathlib.Path(robot).write_text(BAD.replace("    def Xform \"link\" (", """    def Xform "tool" (
        prepend variantSets = "tool"
        variants = {
            string tool = "none"
        }
    )
    {
        variantSet "tool" = {
            "lamp" {
                def RectLight "l"
                {
                }
            }
            "none" {
            }
        }
    }

    def Xform "link" ("""))
            self.assertNotIn("REP-3.6-b", mechane("check", robot).stdout)
            found = json.loads(mechane("check", robot, "--variants", "each", "--format", "json").stdout)["findings"]
            lamp = [f for f in found if f["rule"] == "REP-3.6-b"]
            self.assertEqual([f["state"] for f in lamp], ["/robot/tool{tool=lamp}"])

    def test_a_page_and_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.usda", "b.usda", "c.usda"):
                pathlib.Path(folder, name).write_text(BAD)
            page = mechane("check", folder, "--format", "html")
            self.assertEqual(page.returncode, 1)
            self.assertEqual(page.stdout.count("<h2>"), 3)
            # A layer that another file brings in is judged as a part of it, not as an asset.
            pathlib.Path(folder, "part.usda").write_text("#usda 1.0\n(\n    defaultPrim = \"robot\"\n)\n\nover \"robot\"\n{\n}\n")
            pathlib.Path(folder, "c.usda").write_text(BAD.replace("    upAxis = \"Z\"\n", "    upAxis = \"Z\"\n    subLayers = [@./part.usda@]\n"))
            found = json.loads(mechane("check", folder, "--format", "json").stdout)["assets"]
            self.assertEqual([os.path.basename(report["asset"]) for report in found], ["a.usda", "b.usda", "c.usda"])
            part = json.loads(mechane("check", os.path.join(folder, "part.usda"), "--format", "json").stdout)
            self.assertGreater(part["summary"]["error"], 0)
            one = mechane("check", folder, "--format", "json", "--threads", "1").stdout
            self.assertEqual(mechane("check", folder, "--format", "json", "--threads", "4").stdout, one)


if __name__ == "__main__":
    unittest.main()

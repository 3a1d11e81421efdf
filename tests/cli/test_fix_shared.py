"""`fix --in-place` leaves a layer that another asset uses as it is where that asset would become another (rep-0158 5.1: a repair keeps the meaning).

Expected places are computed from what the stages author: 2 m stay 2 m for both assets.
"""
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "{prim}"\n    kilogramsPerUnit = 1\n    metersPerUnit = {metres}\n    timeCodesPerSecond = 1\n    upAxis = "{up}"\n{more})\n'
#: A body of two units across, ten above the ground.
PART = """def Xform "part" (
    kind = "component"
)
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 2
        quatf xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = (0, 0, 10)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        def Cube "geo" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {
            double size = 2
        }
    }
}
"""


def head(metres="0.01", up="Z", more="", prim="part"):
    return HEAD.format(metres=metres, up=up, more=more, prim=prim)


def sublayered(path, metres="0.01", up="Z"):
    return head(metres, up, f"    subLayers = [@{path}@]\n")


def referenced(path, arc="references", metres="0.01", up="Z"):
    return head(metres, up, prim="w") + f'def Xform "w"\n{{\n    def "one" (\n        prepend {arc} = @{path}@\n    )\n    {{\n    }}\n}}\n'


class Shared(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # A repository of its own, so that nothing above is searched.
        self.folder = pathlib.Path(folder.name) / "assets"
        (self.folder / ".git").mkdir(parents=True)

    def write(self, **files):
        for name, text in files.items():
            path = self.folder / (name.replace("__", "/") + ".usda")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def bytes_of(self, *names):
        return [(self.folder / name).read_bytes() for name in names]

    def fix(self, name, *options):
        return mechane("fix", self.folder / name, "--in-place", "--select", "1.1", *options)

    def test_another_asset_may_name_the_layer_by_its_package(self):
        """package:// is the standard's own way to name a file (REP-0158 1.2.5)."""
        self.write(part=head() + PART, scene=referenced("package://lib/part.usda"))
        before = self.bytes_of("part.usda")
        done = self.fix("part.usda", "--package", f"lib={self.folder}")
        self.assertEqual(self.bytes_of("part.usda"), before)
        self.assertIn("scene.usda", done.stdout + done.stderr)

    def test_a_layer_that_cannot_be_read_may_be_a_user(self):
        self.write(part=head() + PART, scene=referenced("./part.usda") + "def {")
        done = self.fix("part.usda")
        self.assertIn("FIX_OTHERS", done.stderr)
        self.assertIn("scene.usda", done.stderr)

    def test_units_stay_where_another_asset_has_its_own(self):
        ways = {"a sublayer": sublayered("./part.usda"), "a reference": referenced("./part.usda"), "a payload": referenced("./part.usda", "payload"),
                "another unit and a scale": referenced("./part.usda", metres="1").replace("    {\n    }", "    {\n        float3 xformOp:scale = (0.01, 0.01, 0.01)\n        uniform token[] xformOpOrder = [\"xformOp:scale\"]\n    }"),
                "an expression": head(more='    expressionVariables = {\n        string WHO = "part"\n    }\n    subLayers = [@`"./${WHO}.usda"`@]\n'),
                "a variant that is not selected": head(prim="w") + 'def Xform "w" (\n    prepend variantSets = "v"\n    variants = {\n        string v = "none"\n    }\n)\n{\n    variantSet "v" = {\n        "none" {\n        }\n        "some" (\n            prepend references = @./part.usda@\n        ) {\n        }\n    }\n}\n'}
        for way, other in ways.items():
            with self.subTest(way):
                self.write(part=head() + PART, a=sublayered("./part.usda"), b=other)
                before = self.bytes_of("part.usda", "a.usda", "b.usda")
                done = self.fix("a.usda")
                self.assertEqual(self.bytes_of("part.usda", "a.usda", "b.usda"), before, done.stderr)
                self.assertEqual(done.returncode, 1, done.stderr)
                line = next(line for line in done.stderr.splitlines() if "REP-1.1-a" in line)
                for word in ("left", "b.usda uses part.usda too", "--change-shared", "-o FOLDER"):
                    self.assertIn(word, line)

    def test_the_up_axis_too(self):
        self.write(part=head("1", "Y") + PART, a=sublayered("./part.usda", "1", "Y"), b=referenced("./part.usda", metres="1", up="Y"))
        before = self.bytes_of("part.usda", "a.usda", "b.usda")
        done = self.fix("a.usda")
        self.assertEqual(self.bytes_of("part.usda", "a.usda", "b.usda"), before, done.stderr)
        self.assertIn("b.usda uses part.usda too", done.stderr)

    def test_assets_of_folders_beside_above_and_below(self):
        for other, path in (("b__b", "../a/part.usda"), ("world", "./a/part.usda"), ("a__more__b", "../part.usda")):
            with self.subTest(other), tempfile.TemporaryDirectory() as folder:
                self.folder = pathlib.Path(folder) / "assets"
                self.write(a__part=head() + PART, a__a=sublayered("./part.usda"), **{other: referenced(path)})
                before = self.bytes_of("a/part.usda", "a/a.usda")
                done = self.fix("a/a.usda")
                self.assertEqual(self.bytes_of("a/part.usda", "a/a.usda"), before, done.stderr)

    def test_what_means_the_same_for_both_is_repaired(self):
        turned = PART.replace("quatf xformOp:orient = (1, 0, 0, 0)", "double xformOp:rotateZ = 90").replace('"xformOp:orient"]', '"xformOp:rotateZ"]')
        self.write(part=head("1") + turned, a=sublayered("./part.usda", "1"), b=referenced("./part.usda", metres="1"))
        self.fix("a.usda")
        self.assertIn("xformOp:orient", (self.folder / "part.usda").read_text())

    def test_an_override_of_what_a_repair_replaces_keeps_its_effect(self):
        """The other asset turns the link by its Euler angle; with a quaternion in its place the angle would turn nothing."""
        turned = PART.replace("quatf xformOp:orient = (1, 0, 0, 0)", "double xformOp:rotateZ = 90").replace('"xformOp:orient"]', '"xformOp:rotateZ"]')
        override = referenced("./part.usda", metres="1").replace("    {\n    }", '    {\n        over "link"\n        {\n            double xformOp:rotateZ = 30\n        }\n    }')
        self.write(part=head("1") + turned, a=sublayered("./part.usda", "1"), b=override)
        before = self.bytes_of("part.usda", "b.usda")
        done = self.fix("a.usda")
        self.assertEqual(self.bytes_of("part.usda", "b.usda"), before, done.stderr)

    def test_a_layer_that_only_this_asset_uses_is_repaired(self):
        self.write(part=head() + PART, a=sublayered("./part.usda"), b=head() + PART)
        self.fix("a.usda")
        self.assertIn("double3 xformOp:translate = (0, 0, 0.1)", (self.folder / "part.usda").read_text())

    def test_it_is_changed_where_the_user_says_so_and_in_a_copy(self):
        self.write(part=head() + PART, a=sublayered("./part.usda"), b=sublayered("./part.usda"))
        before = self.bytes_of("part.usda", "a.usda", "b.usda")
        mechane("fix", self.folder / "a.usda", "-o", self.folder.parent / "out", "--select", "1.1")
        self.assertIn("double3 xformOp:translate = (0, 0, 0.1)", (self.folder.parent / "out" / "part.usda").read_text())
        self.assertEqual(self.bytes_of("part.usda", "a.usda", "b.usda"), before)
        self.fix("a.usda", "--change-shared")
        self.assertIn("double3 xformOp:translate = (0, 0, 0.1)", (self.folder / "part.usda").read_text())

    def test_a_second_entry_over_the_first(self):
        """A scene that places the asset at its own scale keeps it."""
        self.write(robot=head() + PART, scene=referenced("./robot.usda"))
        before = self.bytes_of("robot.usda", "scene.usda")
        done = self.fix("robot.usda")
        self.assertEqual(self.bytes_of("robot.usda", "scene.usda"), before, done.stderr)
        self.assertIn("scene.usda uses robot.usda too", done.stderr)
        # The scene as a whole is one asset, and its parts are its own.
        self.fix("scene.usda")
        self.assertIn("metersPerUnit = 1", (self.folder / "robot.usda").read_text())


if __name__ == "__main__":
    unittest.main()

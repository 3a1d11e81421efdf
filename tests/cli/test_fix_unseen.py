"""`mechane fix` of what the stage does not show now: variants that are not selected, what is not active or not loaded, prototypes, files behind expressions and templates."""
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from tests.cli.program import document, mechane

CENTIMETRES = '#usda 1.0\n(\n    defaultPrim = "r"\n    kilogramsPerUnit = 1\n    metersPerUnit = 0.01\n    timeCodesPerSecond = 1\n    upAxis = "Z"\nMORE)\n'
Y_UP = CENTIMETRES.replace("0.01", "1").replace('"Z"', '"Y"')


class Unseen(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "in").mkdir()

    def write(self, name, text, header=CENTIMETRES, more=""):
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header.replace("MORE", more) + text)
        return path

    def fixed(self, source, rule="REP-1.1-a", *more, cwd=None):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        done = mechane("fix", source, "-o", out, "--select", rule, *more, cwd=cwd)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return out / source.name

    def fallback_of(self, text, prim):
        """The radius that a layer authors on a sphere."""
        found = re.search(rf'def Sphere "{prim}"\s*\{{\s*double radius = ([\d.]+)', text)
        return float(found.group(1)) if found else None

    def test_fallback_sizes_follow_wherever_a_layer_has_them(self):
        """A radius that nobody authors is one unit: of one centimetre it is 0.01 of one metre."""
        self.write("pay.usda", 'def Xform "r"\n{\n    def Sphere "p"\n    {\n    }\n}\ndef Xform "other"\n{\n    def Sphere "q"\n    {\n    }\n}\n')
        source = self.write("r.usda", '''def Xform "r" (
    prepend variantSets = "v"
    variants = {
        string v = "one"
    }
)
{
    def Sphere "blocked"
    {
        double radius = None
    }
    def Xform "off" (
        active = false
    )
    {
        def Sphere "o"
        {
        }
    }
    def Xform "load" (
        payload = @./pay.usda@
    )
    {
    }
    def PointInstancer "pi"
    {
        rel prototypes = </r/pi/protos/p0>
        int[] protoIndices = [0]
        point3f[] positions = [(1, 1, 1)]
        over "protos"
        {
            def Sphere "p0"
            {
            }
        }
    }
    variantSet "v" = {
        "one" {
            def Sphere "s"
            {
            }
        }
        "two" {
            def Sphere "t"
            {
            }
        }
    }
}
''')
        for more in ((), ("--variants", "each"), ("--unloaded",)):
            entry = self.fixed(source, "REP-1.1-a,REP-1.1-d", *more)
            text = entry.read_text()
            for prim in ("blocked", "o", "p0", "s", "t"):
                self.assertEqual(self.fallback_of(text, prim), 0.01, (prim, more))
            for prim in ("p", "q"):
                self.assertEqual(self.fallback_of((entry.parent / "pay.usda").read_text(), prim), 0.01, (prim, more))

    def test_a_mass_that_is_written_below_a_mass_schema_counts(self):
        header = CENTIMETRES.replace("0.01", "1").replace("kilogramsPerUnit = 1", "kilogramsPerUnit = 0.001")
        source = self.write("a.usda", '''
def Xform "r"
{
    def PointInstancer "many"
    {
        rel prototypes = </r/many/one>
        int[] protoIndices = [0]
        point3f[] positions = [(1, 0, 0)]
        def Cube "one" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]
        )
        {
            float physics:mass = 0
            def Xform "bare" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI"]
            )
            {
            }
        }
    }
}
''', header)
        entry = self.fixed(source, "REP-1.1-b")
        for stage in (source, entry):  # one unit of mass, which was a gram
            self.assertEqual([round(m, 9) for m in document("dump", "model", stage)["model"]["body_mass"]], [0.001])

    def test_a_binding_for_physics_replaces_none_further_down(self):
        source = self.write("a.usda", '''
def Xform "r"
{
    def Material "rubber" (
        prepend apiSchemas = ["PhysicsMaterialAPI"]
    )
    {
        float physics:density = 300
    }
    def Material "paint"
    {
    }
    def Cube "wall" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {
        rel material:binding = </r/rubber>
        def Cube "part" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]
        )
        {
            rel material:binding = </r/paint>
        }
    }
}
''', CENTIMETRES.replace("0.01", "1"))
        entry = self.fixed(source, "REP-1.3.4-a")
        self.assertNotIn("material:binding:physics", entry.read_text())
        left = json.loads((entry.parent / "fix-report.json").read_text())["unrepaired"]
        self.assertIn(("/r/wall", "ambiguous"), [(row["prim"], row["reason"]) for row in left])
        other = self.write("b.usda", source.read_text().replace("</r/paint>", "</r/rubber>"), "")
        self.assertIn("material:binding:physics", self.fixed(other, "REP-1.3.4-a").read_text())

    def test_a_size_that_only_another_variant_authors_is_not_overridden(self):
        source = self.write("r.usda", '''def Xform "r" (
    prepend variantSets = "v"
    variants = {
        string v = "plain"
    }
)
{
    def Sphere "s"
    {
    }
    variantSet "v" = {
        "plain" {
        }
        "big" {
            over "s"
            {
                double radius = 5
            }
        }
    }
}
''')
        done = mechane("fix", source, "-o", self.folder / "out", "--select", "REP-1.1-a")
        self.assertIn("variants size what has a fallback size now", done.stderr)
        self.assertNotIn("fixed    REP-1.1-a", done.stderr)

    def test_the_working_folder_decides_nothing(self):
        """Of a layer beside the entry, and of one outside its folder, which is taken in."""
        for name in ("part.usda", "../shared/part.usda"):
            part = 'def Xform "r"\n{\n    def Sphere "s"\n    {\n    }\n    def PhysicsPrismaticJoint "j"\n    {\n        float physics:upperLimit = 50\n    }\n    def PhysicsRevoluteJoint "k"\n    {\n        float physics:upperLimit = 50\n    }\n}\n'
            self.write(name, part)
            source = self.write("r.usda", "", more=f"    subLayers = [@./{name}@]\n")
            texts = set()
            for where in ("/", str(self.folder), str(self.folder / "in"), os.path.expanduser("~")):
                entry = self.fixed(source, "REP-1.1,REP-1.2.5-h", cwd=where)
                texts.add("\n".join(file.read_text() for file in sorted(entry.parent.rglob("*.usda"))))
            self.assertEqual(len(texts), 1, name)
            text = texts.pop()
            self.assertEqual(document("dump", "stage", entry)["prims"]["/r/s"]["properties"]["radius"]["default"], 0.01)
            self.assertEqual(sorted(re.findall(r"upperLimit = ([\d.]+)", text)), ["0.5", "50"])

    def test_what_is_not_active_is_turned_with_the_rest(self):
        entry = self.fixed(self.write("r.usda", '''def Xform "r"
{
    def Cube "on"
    {
        double3 xformOp:translate = (0, 1, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Xform "off" (
        active = false
    )
    {
        double3 xformOp:translate = (0, 1, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "c"
        {
        }
    }
}
''', Y_UP), "REP-1.1-e")
        text = entry.read_text()
        self.assertEqual(text.count("xformOp:translate = (0, 0, 1)"), 2, text)
        self.assertEqual(text.count("xformOp:orient = (0.70710677, 0.70710677, 0, 0)"), 2, text)

    def test_the_pole_of_a_dome_stands_where_it_stood(self):
        """Along the stage's up axis: the turn of the world brings the pole there only if it is said to be the old axis."""
        entry = self.fixed(self.write("r.usda", '''def Xform "r"
{
    def DomeLight_1 "d"
    {
    }
    def DomeLight_1 "scene"
    {
        uniform token poleAxis = "scene"
    }
    def DomeLight_1 "z"
    {
        uniform token poleAxis = "Z"
    }
}
''', Y_UP), "REP-1.1-e")
        self.assertEqual(re.findall(r'token poleAxis = "(\w+)"', entry.read_text()), ["Y", "Y", "Z"])

    def test_files_behind_expressions_and_templates_belong_to_the_asset(self):
        self.write("part.usda", 'def Xform "r"\n{\n    def Sphere "s"\n    {\n        double radius = 5\n    }\n}\n')
        for frame in (1, 2):
            self.write(f"clips/c.{frame}.usda", f'def Xform "m"\n{{\n    double3 xformOp:translate.timeSamples = {{\n        {frame}: (200, 0, 0),\n    }}\n}}\n')
        source = self.write("r.usda", '''def Xform "r"
{
    def "b" (
        references = @`"./${WHO}.usda"`@
    )
    {
    }
    def Xform "moves" (
        clips = {
            dictionary default = {
                string primPath = "/m"
                string templateAssetPath = "./clips/c.#.usda"
                double templateEndTime = 2
                double templateStartTime = 1
                double templateStride = 1
            }
        }
    )
    {
        double3 xformOp:translate
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
''', more='    expressionVariables = {\n        string WHO = "part"\n    }\n')
        entry = self.fixed(source)
        self.assertIn("radius = 0.05", (entry.parent / "part.usda").read_text())
        for frame in (1, 2):
            self.assertIn("(2, 0, 0)", (entry.parent / "clips" / f"c.{frame}.usda").read_text())
        package = self.folder / "r.usdz"
        self.assertEqual(mechane("cat", source, "-o", package).returncode, 0)
        prims = document("dump", "stage", package)["prims"]
        self.assertIn("/r/b/s", prims)
        self.assertNotIn("COMP_", mechane("info", package).stderr)

    def test_a_run_over_a_stage_keeps_its_expression_variables(self):
        self.write("part.usda", 'def Xform "r"\n{\n    def Sphere "s" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n    )\n    {\n    }\n}\n')
        source = self.write("r.usda", 'def Xform "r"\n{\n    def "b" (\n        references = @`"./${WHO}.usda"`@\n    )\n    {\n    }\n}\n',
                            more='    expressionVariables = {\n        string WHO = "part"\n    }\n')
        out = self.folder / "run.usda"
        self.assertEqual(mechane("sim", source, "--duration", "0.1", "-o", out).returncode, 0)
        self.assertIn("/r/b/s", document("dump", "stage", out)["prims"])

    def test_a_run_over_a_stage_keeps_the_variants_that_were_simulated(self):
        body = 'def Sphere "%s" (\n                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n            )\n            {\n            }\n'
        source = self.write("r.usda", 'def Xform "r" (\n    prepend variantSets = "v"\n    variants = {\n        string v = "a"\n    }\n)\n{\n    variantSet "v" = {\n        "a" {\n            '
                            + body % "A" + '        }\n        "b" {\n            ' + body % "B" + "        }\n    }\n}\n")
        out = self.folder / "run.usda"
        self.assertEqual(mechane("sim", source, "--variant", "v=b", "--duration", "0.1", "-o", out).returncode, 0)
        prims = document("dump", "stage", out)["prims"]
        self.assertIn("/r/B", prims)
        self.assertNotIn("/r/A", prims)


if __name__ == "__main__":
    unittest.main()

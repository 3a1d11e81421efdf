"""`mechane fix --port-physx-sdf`: PhysX's settings of a distance field in Newton's words."""
import math
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

MESH = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "robot" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Mesh "shell" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", %s]
    )
    {
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
        uniform token physics:approximation = "sdf"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
%s    }
}
"""
PHYSX = MESH % ('"PhysxSDFMeshCollisionAPI"', """        float physxSDFMeshCollision:sdfMargin = 0.02
        uniform int physxSDFMeshCollision:sdfResolution = 96
""")
#: The margin is a share of the diagonal of the bounds, here of a unit cube.
TWIN = MESH % ('"NewtonSDFCollisionAPI"', f"""        int newton:sdfMaxResolution = 96
        float newton:sdfPadding = {0.02 * math.sqrt(3):.9g}
""")


class PortSdf(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "a.usda"
        self.source.write_text(PHYSX)

    def ported(self, *options, text=None):
        if text:
            self.source.write_text(text)
        out = self.folder / "out.usda"
        done = mechane("fix", self.source, "--port-physx-sdf", *options, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text(), done.stderr

    def test_a_ported_stage_gives_the_model_of_its_twin(self):
        self.ported("--remove-physx")
        (self.folder / "twin.usda").write_text(TWIN)
        ours, twin = (document("dump", "model", self.folder / name)["model"] for name in ("out.usda", "twin.usda"))
        self.assertEqual(ours, twin)
        self.assertEqual(len(ours["shape_label"]), 1)

    def test_what_is_ported_stays_unless_it_is_to_go(self):
        self.assertIn("physxSDFMeshCollision:sdfMargin", self.ported()[0])
        self.assertNotIn("physxSDF", self.ported("--remove-physx")[0])

    def test_the_defaults_of_physx_are_written_out_where_they_stand_for_something(self):
        self.assertNotIn("sdfNarrowBandOuter", self.ported()[0])
        self.assertIn("float newton:sdfNarrowBandOuter = 0.0173", self.ported("--defaults", "physx")[0])

    def test_a_resolution_that_is_no_multiple_of_eight_is_copied_and_named(self):
        text, said = self.ported(text=PHYSX.replace("= 96", "= 100"))
        self.assertIn("sdfMaxResolution = 100", text)
        self.assertIn("RESOLVE_SDF_RES8", said)

    def test_comments_and_layout_stay_and_the_difference_is_what_would_be_written(self):
        text = "#usda 1.0\n# a licence\n" + PHYSX.split("\n", 1)[1].replace("0.02", "0.020  # of the diagonal")
        self.source.write_text(text)
        said = mechane("fix", self.source, "--port-physx-sdf", "--diff").stdout
        written, _ = self.ported(text=text)
        self.assertIn("# a licence", written)
        self.assertIn("0.020  # of the diagonal", written)
        self.assertEqual([line[1:] for line in said.splitlines() if line.startswith("+") and not line.startswith("+++")], [line for line in written.splitlines() if line not in text.splitlines()])

    def test_a_folder_a_package_and_the_asset_itself_say_the_same(self):
        """F: the result may go wherever `fix` writes."""
        part = self.folder / "part.usda"
        part.write_text('#usda 1.0\n(\n    defaultPrim = "p"\n)\n\ndef Xform "p"\n{\n}\n')
        self.source.write_text(PHYSX.replace('    def Mesh "shell"', '    def "part" (\n        prepend references = @./part.usda@\n    )\n    {\n    }\n\n    def Mesh "shell"'))
        self.assertEqual(mechane("fix", self.source, "--port-physx-sdf", "-o", self.folder / "out").returncode, 0)
        self.assertEqual(sorted(file.name for file in (self.folder / "out").iterdir()), ["a.usda", "fix-report.json", "part.usda"])
        self.assertEqual(mechane("fix", self.source, "--port-physx-sdf", "-o", self.folder / "out.usdz").returncode, 0)
        self.assertEqual(mechane("fix", self.source, "--port-physx-sdf", "-o", self.folder / "sub" / "moved.usda").returncode, 0)
        self.assertIn("@../part.usda@", (self.folder / "sub" / "moved.usda").read_text())
        models = [document("dump", "model", self.folder / name)["model"] for name in ("out/a.usda", "out.usdz", "sub/moved.usda")]
        self.assertEqual(mechane("fix", self.source, "--port-physx-sdf", "--in-place").returncode, 0)
        self.assertEqual(self.source.read_text(), (self.folder / "out" / "a.usda").read_text())
        for model in models:
            self.assertEqual(model, document("dump", "model", self.source)["model"])

    def test_what_another_layer_says_stays_and_is_named(self):
        (self.folder / "weak.usda").write_text(PHYSX)
        strong = '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n    subLayers = [@./weak.usda@]\n    upAxis = "Z"\n)\n'
        text, said = self.ported("--remove-physx", "-v", text=strong)
        self.assertIn("newton:sdfPadding", text)
        self.assertIn("physxSDFMeshCollision:sdfMargin stays: another layer says it", said)

    def test_a_difference_writes_nothing(self):
        done = mechane("fix", self.source, "--port-physx-sdf", "--diff")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("+        int newton:sdfMaxResolution = 96", done.stdout)
        self.assertEqual(self.source.read_text(), PHYSX)


if __name__ == "__main__":
    unittest.main()

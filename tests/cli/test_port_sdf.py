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
        self.assertIn("W_SDF_RES8", said)

    def test_a_difference_writes_nothing(self):
        done = mechane("fix", self.source, "--port-physx-sdf", "--diff")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("+        int newton:sdfMaxResolution = 96", done.stdout)
        self.assertEqual(self.source.read_text(), PHYSX)


if __name__ == "__main__":
    unittest.main()

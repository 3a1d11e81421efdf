"""`mechane mesh`: what is wrong with meshes, and what collision would make of them."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

POINTS = "[(-.5,-.5,-.5),(.5,-.5,-.5),(-.5,.5,-.5),(.5,.5,-.5),(-.5,-.5,.5),(.5,-.5,.5),(-.5,.5,.5),(.5,.5,.5)]"
FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def mesh(name, faces):
    flat = [i for face in faces for i in face]
    return f'def Mesh "{name}"\n{{\n    point3f[] points = {POINTS}\n    int[] faceVertexCounts = {[len(f) for f in faces]}\n    int[] faceVertexIndices = {flat}\n}}\n'


STAGE = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + mesh("closed", FACES) + mesh("open", FACES[:5])


class Mesh(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stage = pathlib.Path(self.folder.name) / "meshes.usda"
        self.stage.write_text(STAGE)

    def test_the_report(self):
        closed, opened = document("mesh", self.stage, "--json")["meshes"]
        self.assertEqual((closed["prim"], opened["prim"]), ("/closed", "/open"))
        self.assertTrue(closed["report"]["watertight"])
        self.assertAlmostEqual(closed["report"]["volume"], 1)
        self.assertAlmostEqual(closed["report"]["area"], 6)
        self.assertFalse(opened["report"]["watertight"])
        self.assertEqual(opened["report"]["boundary_edges"], 4)
        self.assertEqual(mechane("mesh", self.stage, "--watertight").returncode, 1)
        self.assertEqual(mechane("mesh", self.stage, "--watertight", "--prim", "/closed").returncode, 0)
        self.assertEqual(mechane("mesh", self.stage, "--prim", "/gone").returncode, 2)

    def test_meshes_are_as_large_as_they_stand_and_say_how_their_fields_are_built(self):
        """Edges of 1, 2 and 3 units, mirrored along x, under a turned Xform: volume 6, area 22; closed and facing outwards all the same."""
        settings = "    int newton:sdfMaxResolution = 24\n    float newton:sdfPadding = 0\n"
        body = mesh("closed", FACES).replace('"closed"\n{', f'"closed" (\n    prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonSDFCollisionAPI"]\n)\n{{\n{settings}'
                                             '    double3 xformOp:scale = (-1, 2, 3)\n    uniform token[] xformOpOrder = ["xformOp:scale"]')
        self.stage.write_text(STAGE.split("def Mesh")[0] + 'def Xform "W"\n{\n    float xformOp:rotateX = 30\n    uniform token[] xformOpOrder = ["xformOp:rotateX"]\n' + body + "}\n")
        row = document("mesh", self.stage, "--json", "--hull", "--sdf", "--reproducible")["meshes"][0]
        self.assertAlmostEqual(row["report"]["volume"], 6, places=5)
        self.assertAlmostEqual(row["report"]["area"], 22, places=5)
        self.assertEqual(row["report"]["orientation"], "outward")
        self.assertAlmostEqual(row["hull"]["volume"], 6, places=5)
        self.assertEqual(max(row["sdf"]["cells"]), 24)
        self.assertAlmostEqual(row["sdf"]["voxel"], 3 / 24, places=5)
        self.assertEqual(max(document("mesh", self.stage, "--json", "--sdf", "--resolution", "40")["meshes"][0]["sdf"]["cells"]), 40)  # what is asked for goes first

    def test_preparations_and_the_cache(self):
        options = ["mesh", self.stage, "--json", "--prim", "/closed", "--hull", "--decompose", "--sdf", "--resolution", "32", "--reproducible"]
        row = document(*options)["meshes"][0]
        self.assertEqual(row["hull"]["parts"][0]["points"], 8)
        self.assertEqual(len(row["decomposition"]["parts"]), 1)  # convex already
        self.assertAlmostEqual(row["hull"]["volume"], 1)
        self.assertEqual(max(row["sdf"]["cells"]), 32)
        cache = pathlib.Path(self.folder.name) / "cache"
        for _ in range(2):
            self.assertEqual(document(*options, "--cache", cache)["meshes"][0], row)
        self.assertEqual(len(list(cache.rglob("*.blob"))), 3)
        refused = mechane("mesh", self.stage, "--json", "--prim", "/closed", "--sdf", "--resolution", "33")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("'33' is not a positive multiple of 8", json.loads(refused.stdout)["errors"][0]["message"])


if __name__ == "__main__":
    unittest.main()

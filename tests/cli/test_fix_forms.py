"""Placements that geometry takes into its own form (REP-0158 1.1-f, 1.1-h, 1.1-j to 1.1-l), faces that are cut (3.4-a) and subsets that share some (3.1-f): every
point stays where it is in the world, sizes are those that the scale asks for, and a second repair changes nothing."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane
from tests.cli.stage_words import SCALED, SUBCOMPONENT, TETRAHEDRON, asset, collider, link, ops, prim, write

BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
MASS = "float physics:mass = 1\n"
UNEVEN = SCALED.replace("(2, 2, 2)", "(3, 2, 2)")
EIGHTH = ops(("orient", "quatf", "(0.9238795, 0, 0, 0.3826834)"))  # an eighth of a turn about z
QUARTER = ops(("orient", "quatf", "(0.70710677, -0.70710677, 0, 0)"))
HULL = 'uniform token physics:approximation = "convexHull"\n'
SQUARES = 'int[] faceVertexCounts = [4, 3, 3]\nint[] faceVertexIndices = [0, 1, 2, 3, 0, 2, 4, 0, 4, 3]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]\nuniform token subdivisionScheme = "none"\n'


def subset(name, faces, material="rubber", family="materialBind"):
    return prim("GeomSubset", name, f'uniform token elementType = "face"\nuniform token familyName = "{family}"\nint[] indices = {faces}\nrel material:binding = </robot/{material}>\n', ("MaterialBindingAPI",))


#: (rule, what, content of the default prim, what is said of it)
FORMS = [
    ("1.1-f", "a mirrored mesh", link("a", collider("m", "Mesh", TETRAHEDRON + HULL + ops(("scale", "float3", "(-1, 1, 1)")), ("PhysicsMeshCollisionAPI",))), ""),
    ("1.1-h", "a sheared mesh", link("a", prim("Mesh", "m", TETRAHEDRON + ops(("transform", "matrix4d", "((1, 0, 0, 0), (0.5, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))")))), ""),
    ("1.1-j", "a mesh that is turned below an uneven scale", link("a", prim("Mesh", "m", TETRAHEDRON + EIGHTH), placed=UNEVEN), ""),
    ("1.1-j", "a mesh that is a body", prim("Mesh", "m", MASS + TETRAHEDRON + UNEVEN, BODY, SUBCOMPONENT), ""),
    ("1.1-k", "a mesh that is turned below an uneven group", prim("Xform", "g", ops(("scale", "float3", "(2, 1, 1)")) + prim("Mesh", "m", TETRAHEDRON + EIGHTH)), ""),
    ("1.1-l", "the one Xform of a turned robot", prim("Xform", "g", prim("Mesh", "m", TETRAHEDRON) + prim("Cube", "c")), QUARTER),
    ("1.1-l", "one below one", prim("Xform", "g", prim("Xform", "h", prim("Mesh", "m", TETRAHEDRON + EIGHTH) + prim("Cube", "c"))), QUARTER),
    ("1.1-l", "an Xform that turns all of it", prim("Xform", "g", QUARTER + prim("Mesh", "m", TETRAHEDRON) + prim("Cube", "c")), ""),
    ("3.4-a", "a square", link("a", collider("m", "Mesh", SQUARES + HULL, ("PhysicsMeshCollisionAPI",))), ""),
]
#: (rule, what, content, prim, what its sizes are afterwards: the authored or fallback size times the scale)
SIZES = [
    ("1.1-j", "a cube", prim("Cube", "b", MASS + SCALED, BODY, SUBCOMPONENT), {"size": 4}),
    ("1.1-j", "a sphere", prim("Sphere", "b", MASS + "double radius = 0.5\n" + SCALED, BODY, SUBCOMPONENT), {"radius": 1}),
    ("1.1-j", "a cylinder along x", prim("Cylinder", "b", MASS + 'uniform token axis = "X"\n' + UNEVEN, BODY, SUBCOMPONENT), {"radius": 2, "height": 6}),
    ("1.1-f", "a mirrored sphere", link("a", collider("b", "Sphere", ops(("scale", "float3", "(1, 1, -1)")))), {"radius": None}),
]
#: (rule, what, content, why it stays)
LEFT = [
    ("1.1-j", "a cube of three sizes", prim("Cube", "b", MASS + UNEVEN, BODY, SUBCOMPONENT), "leaf-body"),
    ("1.1-j", "a turned cube below an uneven scale", link("a", prim("Cube", "b", EIGHTH), placed=UNEVEN), "shear"),
    ("1.1-f", "a cone that points the other way", link("a", collider("b", "Cone", ops(("scale", "float3", "(-1, 1, 1)"), ))).replace('uniform token purpose', 'uniform token axis = "X"\nuniform token purpose'), "leaf-body"),
    ("3.1-f", "faces of two materials", prim("Material", "other") + prim("Mesh", "m", TETRAHEDRON + subset("p", "[0, 1]") + subset("q", "[1, 2]", "other")), "ambiguous"),
]


class Forms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rules(self, path):
        return {f["rule"].removeprefix("REP-") for f in json.loads(mechane("check", path, "--format", "json").stdout)["findings"]}

    def repaired(self, number, rule, text):
        """(before, after, report) of a repair; it is there before and, if it is not listed, gone afterwards."""
        place = self.folder / str(number)
        source = write(place / "source", {"robot.usda": text})
        self.assertIn(rule, self.rules(source))
        self.assertIn(mechane("fix", source, "-o", place / "once").returncode, (0, 1))
        report = json.loads((place / "once" / "fix-report.json").read_text())
        mechane("fix", place / "once" / "robot.usda", "-o", place / "twice")
        self.assertEqual(json.loads((place / "twice" / "fix-report.json").read_text())["edits"], [])
        return source, place / "once" / "robot.usda", report

    def prims(self, path):
        return json.loads(mechane("dump", "stage", path).stdout)["prims"]

    def points(self, path):
        """World places of the corners of the mesh `m`, in their order."""
        (mesh,) = [p for name, p in self.prims(path).items() if name.endswith("/m")]
        m = mesh["worldTransform"]
        return [[sum(p[i] * m[i][c] for i in range(3)) + m[3][c] for c in range(3)] for p in mesh["properties"]["points"]["default"]]

    def test_points_stay_in_the_world(self):
        for number, (rule, what, inside, body) in enumerate(FORMS):
            with self.subTest(rule=rule, what=what):
                source, fixed, _ = self.repaired(number, rule, asset(inside, body))
                self.assertNotIn(rule, self.rules(fixed))
                for was, now in zip(self.points(source), self.points(fixed), strict=True):
                    for a, b in zip(was, now):
                        self.assertAlmostEqual(a, b, places=5)  # points and rotations are floats

    def test_sizes_take_the_scale(self):
        for number, (rule, what, inside, sizes) in enumerate(SIZES):
            with self.subTest(rule=rule, what=what):
                _, fixed, _ = self.repaired(number, rule, asset(inside))
                self.assertNotIn(rule, self.rules(fixed))
                (shape,) = [p for name, p in self.prims(fixed).items() if name.endswith("/b")]
                for name, size in sizes.items():
                    if size is None:
                        self.assertNotIn(name, shape["properties"])
                    else:
                        self.assertAlmostEqual(shape["properties"][name]["default"], size, places=6)

    def test_what_has_no_such_form_stays_with_its_reason(self):
        for number, (rule, what, inside, why) in enumerate(LEFT):
            with self.subTest(rule=rule, what=what):
                _, fixed, report = self.repaired(number, rule, asset(inside))
                self.assertIn(rule, self.rules(fixed))
                self.assertIn(why, [u["reason"] for u in report["unrepaired"] if u["rule"] == "REP-" + rule])

    def test_faces_that_change_over_time_are_cut_at_each(self):
        faces = "int[] faceVertexCounts.timeSamples = {\n0: [4],\n1: [3],\n}\nint[] faceVertexIndices.timeSamples = {\n0: [0, 1, 2, 3],\n1: [0, 1, 2],\n}\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"
        _, fixed, _ = self.repaired(0, "3.4-a", asset(link("a", collider("m", "Mesh", faces + HULL, ("PhysicsMeshCollisionAPI",)))))
        self.assertNotIn("3.4-a", self.rules(fixed))
        text = fixed.read_text()
        self.assertIn("0: [3, 3]", text)  # a square is two triangles, a triangle one
        self.assertIn("1: [3]", text)

    def test_faces_that_two_subsets_of_one_material_share_stay_with_the_first(self):
        _, fixed, _ = self.repaired(0, "3.1-f", asset(prim("Mesh", "m", TETRAHEDRON + subset("p", "[0, 1]") + subset("q", "[1, 2]"))))
        self.assertNotIn("3.1-f", self.rules(fixed))
        prims = self.prims(fixed)
        self.assertEqual(prims["/robot/m/p"]["properties"]["indices"]["default"], [0, 1])
        self.assertEqual(prims["/robot/m/q"]["properties"]["indices"]["default"], [2])


if __name__ == "__main__":
    unittest.main()

"""Mesh files as inputs of every verb, and meshes as outputs of `mechane mesh`."""
import json
import pathlib
import struct
import tempfile
import unittest

from tests.cli.program import document, mechane

# A box of edges 0.2, 0.4 and 0.6, wound outwards.
CORNERS = [(x, y, z) for z in (0, 0.6) for y in (0, 0.4) for x in (0, 0.2)]
TRIANGLES = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]
VOLUME = 0.2 * 0.4 * 0.6


def obj(corners, triangles):
    return "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)


def stl(corners, triangles):
    out = bytes(80) + struct.pack("<I", len(triangles))
    for t in triangles:
        out += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[i]) for i in t) + bytes(2)
    return out


def ply(corners, triangles):
    return (f"ply\nformat ascii 1.0\nelement vertex {len(corners)}\nproperty float x\nproperty float y\nproperty float z\n"
            f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
            + "".join(f"{x} {y} {z}\n" for x, y, z in corners) + "".join(f"3 {a} {b} {c}\n" for a, b, c in triangles))


def dae(corners, triangles):
    points = " ".join(str(v) for p in corners for v in p)
    faces = " ".join(str(i) for t in triangles for i in t)
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="{3 * len(corners)}">{points}</float_array>
<technique_common><accessor source="#a" count="{len(corners)}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="{len(triangles)}"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


class MeshFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = pathlib.Path(self.folder.name)

    def write(self, name, content):
        file = self.place / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def all_formats(self):
        yield self.write("box.obj", obj(CORNERS, TRIANGLES))
        yield self.write("box.stl", stl(CORNERS, TRIANGLES))
        yield self.write("box.PLY", ply(CORNERS, TRIANGLES))
        yield self.write("box.dae", dae(CORNERS, TRIANGLES))

    def test_each_format_opens_as_one_body_with_the_mass_of_its_shape(self):
        for file in self.all_formats():
            with self.subTest(file=file.name):
                bodies = document("info", file, "--json")["bodies"]
                self.assertEqual(len(bodies), 1)
                self.assertAlmostEqual(bodies[0]["mass"], 1000 * VOLUME, places=4)  # water's density
                report = document("mesh", file, "--json")["meshes"][0]["report"]
                self.assertTrue(report["watertight"])
                self.assertAlmostEqual(report["volume"], VOLUME, places=6)
                picture = self.place / "box.png"
                self.assertEqual(mechane("render", file, "-o", picture).returncode, 0)
                self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))

    def test_converted_it_is_an_asset_without_findings(self):
        for file in self.all_formats():
            with self.subTest(file=file.name):
                folder = self.place / ("of_" + file.suffix[1:])
                self.assertEqual(mechane("convert", file, "-o", folder).returncode, 0)
                checked = mechane("check", folder, "--json")
                self.assertEqual([f for f in json.loads(checked.stdout)["findings"] if f["severity"] == "error"], [])

    def test_millimetres_are_told_and_taken(self):
        part = self.write("part.stl", stl([tuple(1000 * v for v in p) for p in CORNERS], TRIANGLES))
        self.assertIn("SOURCE_MESH_UNIT", mechane("info", part).stderr)
        result = self.place / "part.usda"
        done = mechane("convert", part, "-o", result, "--mesh-unit", "0.001")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("SOURCE_MESH_UNIT", done.stderr)
        self.assertAlmostEqual(document("info", result, "--json")["bodies"][0]["mass"], 1000 * VOLUME, places=4)
        for wrong in ("0", "-1", "nan", "inf", "mm"):
            self.assertEqual(mechane("convert", part, "-o", result, "--mesh-unit", wrong).returncode, 2, wrong)

    def test_what_is_no_mesh_is_an_error_with_the_file_s_name(self):
        for name, content in {"a.obj": "hello", "b.stl": b"", "c.ply": "ply\nformat ascii 1.0\nend_header\n", "d.dae": "<COLLADA", "e.msh": b"\xff" * 40}.items():
            file = self.write(name, content)
            for verb in (["info", file], ["mesh", file], ["convert", file, "-o", self.place / "out.usda"]):
                with self.subTest(name=name, verb=verb[0]):
                    done = mechane(*verb)
                    self.assertEqual(done.returncode, 3)
                    self.assertIn(name, done.stderr)
        self.assertFalse((self.place / "out.usda").exists())

    def test_a_repaired_mesh_is_written_in_each_format_and_reads_back_watertight(self):
        broken = [t if k % 5 else t[::-1] for k, t in enumerate(TRIANGLES[2:])] + [TRIANGLES[5]]  # a face is gone, some run the wrong way, one stands twice
        file = self.write("broken.stl", stl(CORNERS, broken))
        self.assertEqual(mechane("mesh", file, "--watertight").returncode, 1)
        for name in ("out.obj", "out.stl", "out.ply", "out.usda", "out.usdc"):
            with self.subTest(name=name):
                out = self.place / name
                done = mechane("mesh", file, "--repair", "--watertight", "-o", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("1 holes filled", done.stdout)
                report = document("mesh", out, "--json")["meshes"][0]["report"]
                self.assertTrue(report["watertight"])
                self.assertEqual(report["orientation"], "outward")
                self.assertAlmostEqual(report["volume"], VOLUME, places=6)
        row = document("mesh", file, "--repair", "--keep-holes", "--json")["meshes"][0]["repair"]
        self.assertEqual([row["filled_holes"], row["open_holes"], row["holes"][0]["edges"]], [0, 1, 4])

    def test_meshes_of_a_stage_are_written_where_they_stand_in_metres(self):
        """A unit cube in centimetres, scaled, turned and moved: edges of 2, 4 and 6 cm, its least corner at (1, 0, 0) m after the turn about z."""
        faces = [i for t in TRIANGLES for i in t]
        unit = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        stage = self.write("stage.usda", f"""#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "W"
{{
    double3 xformOp:translate = (100, 0, 0)
    float xformOp:rotateZ = 90
    double3 xformOp:scale = (2, 4, 6)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
    def Mesh "cube"
    {{
        point3f[] points = {unit}
        int[] faceVertexCounts = {[3] * 12}
        int[] faceVertexIndices = {faces}
    }}
}}
""")
        out = self.place / "out.obj"
        self.assertEqual(mechane("mesh", stage, "-o", out).returncode, 0)
        points = [tuple(float(v) for v in line.split()[1:]) for line in out.read_text().splitlines() if line.startswith("v ")]
        for axis, (low, high) in enumerate([(0.96, 1), (0, 0.02), (0, 0.06)]):
            self.assertAlmostEqual(min(p[axis] for p in points), low, places=6)
            self.assertAlmostEqual(max(p[axis] for p in points), high, places=6)
        colliders = self.place / "colliders.usda"
        self.assertEqual(mechane("mesh", stage, "--hull", "-o", colliders).returncode, 0)
        self.assertEqual(len(document("mesh", colliders, "--json")["meshes"]), 1)
        self.assertIn('prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]', colliders.read_text())
        shapes = document("dump", "physics", colliders)
        self.assertIn("/Meshes/cube", json.dumps(shapes))

    def test_one_file_holds_one_result_and_never_the_input(self):
        file = self.write("box.obj", obj(CORNERS, TRIANGLES))
        self.assertEqual(mechane("mesh", file, "--hull", "--simplify", "0.5", "-o", self.place / "a.stl").returncode, 2)
        self.assertEqual(mechane("mesh", file, "--keep-holes").returncode, 2)
        before = file.read_bytes()
        self.assertNotEqual(mechane("mesh", file, "--repair", "-o", file).returncode, 0)
        self.assertEqual(file.read_bytes(), before)

    def open_box(self):
        """A box without its lid, as quads, mirrored and scaled, in centimetres: it falls, and carries what belongs to its faces."""
        return self.write("open.usda", """#usda 1.0
(
    defaultPrim = "W"
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "W"
{
    def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        double3 xformOp:translate = (0, 0, 100)
        float xformOp:rotateZ = 30
        double3 xformOp:scale = (-2, 4, 6)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
        def Mesh "box" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
            int[] faceVertexCounts = [4, 4, 4, 4, 4]
            int[] faceVertexIndices = [0, 3, 2, 1, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]
            normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)]
            color3f[] primvars:displayColor = [(1, 0, 0)]
            texCoord2f[] primvars:st = [(0, 0)] (
                interpolation = "faceVarying"
            )
            int[] primvars:st:indices = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            def GeomSubset "side"
            {
                int[] indices = [1]
            }
        }
    }
}
""")

    def test_a_layer_puts_the_repaired_mesh_into_the_stage(self):
        stage, layer = self.open_box(), self.place / "sub" / "closed.usda"
        layer.parent.mkdir()
        done = mechane("mesh", stage, "--repair", "--layer", "-o", layer)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("box.normals and 3 more", done.stdout + done.stderr)  # texture coordinates, their indices, a subset
        before = document("mesh", stage, "--json")["meshes"][0]
        after = document("mesh", layer, "--json")["meshes"][0]
        self.assertEqual((before["prim"], before["report"]["watertight"]), (after["prim"], False))
        self.assertEqual((after["report"]["watertight"], after["report"]["orientation"]), (True, "outward"))
        self.assertAlmostEqual(after["report"]["volume"], 48, places=4)  # 2 * 4 * 6
        # It still is the body's collider, in its place, and nothing of the old faces is left.
        values = document("dump", "stage", layer)
        text = json.dumps(values)
        self.assertIn("PhysicsMeshCollisionAPI", text)
        self.assertRegex(mechane("info", layer).stdout, r"1 body .* 1 shape ")
        flat = mechane("cat", "--flatten", layer).stdout
        self.assertNotIn("faceVarying", flat.split("primvars:st = ")[-1].split("\n")[0])
        self.assertIn("color3f[] primvars:displayColor = [(1, 0, 0)]", flat)
        self.assertIn("int[] indices = []", flat)
        # Once more changes nothing.
        again = self.place / "sub" / "again.usda"
        self.assertEqual(mechane("mesh", layer, "--repair", "--layer", "-o", again).returncode, 0)
        self.assertNotIn("points", again.read_text())

    def test_a_layer_may_hold_triangles_hulls_and_simplified_meshes(self):
        stage = self.open_box()
        for how, triangles in (("--triangulate", 10), ("--hull", 12)):
            layer = self.place / "layer.usda"
            self.assertEqual(mechane("mesh", stage, how, "--layer", "-o", layer).returncode, 0)
            self.assertEqual(document("mesh", layer, "--json")["meshes"][0]["report"]["triangles"], triangles, how)
        self.assertIn('physics:approximation = "convexHull"', layer.read_text())

    def test_what_no_layer_can_change_is_said(self):
        stage = self.write("instances.usda", """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
class "P"
{
    def Mesh "m"
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
    }
}
def "I" (
    instanceable = true
    references = </P>
)
{
}
""")
        done = mechane("mesh", stage, "--triangulate", "--layer", "-o", self.place / "l.usda")
        self.assertEqual(done.returncode, 0)
        self.assertIn("/I/m", done.stdout + done.stderr)
        file = self.write("box.obj", obj(CORNERS, TRIANGLES))
        self.assertEqual(mechane("mesh", file, "--triangulate", "--layer", "-o", self.place / "l.usda").returncode, 5)
        for wrong in (["--layer"], ["--layer", "-o", "a.usda"], ["--layer", "--repair", "-o", "a.stl"], ["--layer", "--decompose", "-o", "a.usda"]):
            self.assertEqual(mechane("mesh", stage, *wrong, cwd=self.place).returncode, 2, wrong)


if __name__ == "__main__":
    unittest.main()

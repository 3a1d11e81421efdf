"""What meshes of a stage take from their materials, and which files meshes are read from."""
import base64
import json
import struct
import zipfile
import zlib

import mechane as mc
import numpy as np
import pytest
from scenes import HEAD

#: A square of two UV sets, whose material turns, scales and moves the second one under its texture.
PAINTED = HEAD + '''def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    def Mesh "quad" (prepend apiSchemas = ["MaterialBindingAPI"])
    {
        uniform token subdivisionScheme = "none"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        texCoord2f[] primvars:st = [(0, 0), (0, 0), (0, 0), (0, 0)] (interpolation = "vertex")
        texCoord2f[] primvars:st1 = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
        rel material:binding = </look>
    }
}
def Material "look"
{
    token outputs:surface.connect = </look/shader.outputs:surface>
    def Shader "shader"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </look/texture.outputs:rgb>
        float inputs:roughness = 0.25
        float inputs:metallic = 0.75
        float inputs:opacity = 0.5
        token outputs:surface
    }
    def Shader "texture"
    {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @wood.png@
        float2 inputs:st.connect = </look/turn.outputs:result>
        float3 outputs:rgb
    }
    def Shader "turn"
    {
        uniform token info:id = "UsdTransform2d"
        float2 inputs:in.connect = </look/reader.outputs:result>
        float2 inputs:scale = (2, 3)
        float inputs:rotation = 90
        float2 inputs:translation = (0.5, 0.25)
        float2 outputs:result
    }
    def Shader "reader"
    {
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname = "st1"
        float2 outputs:result
    }
}
'''


def test_a_mesh_looks_as_its_material_says():
    b = mc.ModelBuilder()
    shape = b.add_usd(PAINTED.encode())["path_shape_map"]["/body/quad"]
    many = mc.ModelBuilder()
    many.replicate(b, 2)
    read = mc.usd.get_mesh(mc.usd.open(PAINTED.encode()).GetPrimAtPath("/body/quad"), load_uvs=True)
    for mesh in (b.shape_source[shape], many.finalize().shape_source[1], read):
        assert (mesh.roughness, mesh.metallic, mesh.opacity, mesh.texture) == (0.25, 0.75, 0.5, "wood.png")
        assert mesh.color == (1, 1, 1)  # of what a texture paints
        # Scale, then a quarter turn, then the shift: (u, v) -> (-3 v + 0.5, 2 u + 0.25).
        np.testing.assert_allclose(mesh.texture_transform, [(0, -3, 0.5), (2, 0, 0.25)], atol=1e-12)
        np.testing.assert_array_equal(mesh.uvs, [(0, 0), (1, 0), (1, 1), (0, 1)])
    np.testing.assert_array_equal(b.shape_source[shape].normals, [(0, 0, 1)] * 4)


def test_constants_come_as_displays_take_them():
    plain = PAINTED.replace("color3f inputs:diffuseColor.connect = </look/texture.outputs:rgb>", "color3f inputs:diffuseColor = (0.5, 0, 1)")
    mesh = mc.usd.get_mesh(mc.usd.open(plain.encode()).GetPrimAtPath("/body/quad"))
    assert mesh.texture is None
    np.testing.assert_allclose(mesh.color, (1.055 * 0.5 ** (1 / 2.4) - 0.055, 0, 1), rtol=1e-12)  # IEC 61966-2-1


def test_texture_coordinates_that_do_not_fit_are_left_out(caplog):
    wrong = PAINTED.replace("(0, 0), (1, 0), (1, 1), (0, 1)] (interp", "(0, 0), (1, 0), (1, 1)] (interp")
    with caplog.at_level("INFO", logger="mechane.usd"):
        mesh = mc.usd.get_mesh(mc.usd.open(wrong.encode()).GetPrimAtPath("/body/quad"), load_uvs=True)
    assert mesh.uvs is None and "/body/quad has 3 values for vertex of primvars:st1, expected 4" in caplog.text


def test_builders_with_looks_are_copied_and_pickled():
    import copy
    import pickle

    b = mc.ModelBuilder()
    b.add_usd(PAINTED.encode())
    for again in (copy.deepcopy(b), pickle.loads(pickle.dumps(b))):
        assert again.shape_source[0].metallic == 0.75


def test_subsets_of_faces_have_the_corners_that_they_use():
    """Two quads with a material each; the second uses points 1, 4, 5 and 2"""
    two = PAINTED.replace("(0, 1, 0)]\n", "(0, 1, 0), (1, 0, 1), (1, 1, 1)]\n", 1).replace("faceVertexCounts = [4]", "faceVertexCounts = [4, 4]") \
        .replace("faceVertexIndices = [0, 1, 2, 3]", "faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]").replace("(0, 1)] (interp", "(0, 1), (2, 0), (2, 1)] (interp") \
        .replace("(0, 0)] (interp", "(0, 0), (0, 0), (0, 0)] (interp", 1).replace("        rel material:binding = </look>\n", "".join(f'''        def GeomSubset "{name}" (prepend apiSchemas = ["MaterialBindingAPI"])
        {{
            uniform token elementType = "face"
            uniform token familyName = "materialBind"
            int[] indices = [{face}]
            rel material:binding = </look>
        }}
''' for name, face in (("a", 0), ("b", 1))))
    b = mc.ModelBuilder()
    shapes = b.add_usd(two.encode())["path_shape_map"]
    for name, points, uvs, normal in (("a", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 0), (1, 0), (1, 1), (0, 1)], (0, 0, 1)),
                                      ("b", [(1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)], [(1, 0), (1, 1), (2, 0), (2, 1)], (-1, 0, 0))):
        mesh = b.shape_source[shapes[f"/body/quad/{name}"]]
        at = {tuple(p): i for i, p in enumerate(mesh.vertices.tolist())}
        rows = [at[tuple(map(float, p))] for p in points]
        np.testing.assert_array_equal(mesh.uvs[rows], uvs)
        np.testing.assert_allclose(mesh.normals[rows], [normal] * 4, atol=1e-6)


def test_limits_of_hulls_come_from_the_prim_or_the_import():
    limited = PAINTED.replace('"MaterialBindingAPI"])\n    {', '"MaterialBindingAPI", "NewtonMeshCollisionAPI"])\n    {\n        int newton:maxHullVertices = 32', 1)
    for text, limit in ((PAINTED, 20), (limited, 32)):
        b = mc.ModelBuilder()
        shape = b.add_usd(text.encode(), mesh_maxhullvert=20)["path_shape_map"]["/body/quad"]
        assert b.shape_source[shape].maxhullvert == limit


def glb(document, data):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def scene(nodes, mode=4):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "<f4").tobytes()
    corners = np.array([0, 1, 2], "<u2").tobytes()
    return glb({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "buffers": [{"byteLength": 42}],
                "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}, {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": mode}]}]}, points + corners)


def test_parts_of_a_gltf_scene_lie_where_its_nodes_put_them(tmp_path):
    """A parent that shifts, a child that is turned a quarter about z and twice as large, a mirror"""
    file = tmp_path / "scene.glb"
    half = np.sqrt(0.5)
    file.write_bytes(scene([{"children": [1, 2], "translation": [10, 0, 0]}, {"mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 2, 2]},
                            {"mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]}]))
    mesh = mc.Mesh.create_from_file(file)
    np.testing.assert_allclose(mesh.vertices, [(10, 0, 0), (10, 2, 0), (8, 0, 0), (10, 0, 5), (9, 0, 5), (10, 1, 5)], atol=1e-6)
    assert mesh.indices.tolist() == [0, 1, 2, 5, 4, 3]  # the mirrored triangle faces up again


def test_damaged_gltf_is_refused(tmp_path):
    file, good = tmp_path / "bad.glb", scene([{"mesh": 0}])
    cycle = scene([{"mesh": 0, "children": [0]}])
    far = scene([{"mesh": 0}]).replace(b'"byteOffset": 36', b'"byteOffset": 40')
    for data in (good[:40], good[:4] + b"\x01" + good[5:], cycle, far, b"glTF", b"{}", scene([{"mesh": 3}])):
        file.write_bytes(data)
        with pytest.raises(ValueError) as caught:
            mc.Mesh.create_from_file(file)
        assert caught.value.code == "PYTHON_MESH_FILE"


@pytest.mark.parametrize("order", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply(tmp_path, order):
    """A square as one face, with a colour that is passed over"""
    points, mark = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], "<" if "little" in order else ">"
    head = f"ply\nformat {order} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nelement face 1\n" \
        "property list uchar int vertex_indices\nend_header\n"
    if order == "ascii":
        body = "".join(f"{x} {y} {z} 7\n" for x, y, z in points).encode() + b"4 0 1 2 3\n"
    else:
        body = b"".join(struct.pack(mark + "fffB", *p, 7) for p in points) + struct.pack(mark + "Biiii", 4, 0, 1, 2, 3)
    file = tmp_path / "square.ply"
    file.write_bytes(head.encode() + body)
    mesh = mc.Mesh.create_from_file(file, compute_inertia=False)
    assert mesh.indices.tolist() == [0, 1, 2, 0, 2, 3]
    np.testing.assert_array_equal(mesh.vertices, points)
    file.write_bytes(head.encode() + body[:-3])
    with pytest.raises(ValueError, match="square.ply"):
        mc.Mesh.create_from_file(file)


def test_barrels_bulge():
    """An arc of the same radius as half the height on a cylinder of radius zero makes a ball"""
    mass, com, inertia = mc.geometry.compute_inertia_cylinder(3.0, 0.0, 2.0, 2.0)
    ball, _, of_ball = mc.geometry.compute_inertia_sphere(3.0, 2.0)
    assert mass == pytest.approx(ball, rel=1e-12) and com == (0, 0, 0)
    np.testing.assert_allclose(inertia, of_ball, rtol=1e-12, atol=1e-12)
    fine = mc.Mesh.create_cylinder(0.5, 1.0, up_axis="z", segments=256, barrel_radius=2.0)
    solid, _, of_solid = mc.geometry.compute_inertia_shape(mc.GeoType.CYLINDER, (0.5, 1.0, 2.0), None, 1.0)
    # A polygon of n corners has 2 pi^2 / 3 n^2 less area than its circle: 1e-4 here, and twice that in the moments.
    assert fine.mass == pytest.approx(solid, rel=3e-4)
    np.testing.assert_allclose(fine.inertia, of_solid, rtol=6e-4, atol=1e-6)
    for call in (lambda: mc.geometry.compute_inertia_cylinder(1.0, 0.5, 1.0, 0.5), lambda: mc.Mesh.create_cylinder(0.5, 1.0, barrel_radius=0.5)):
        with pytest.raises(ValueError, match="barrel_radius"):
            call()


#: 16 by 8 pixels, red on the left and blue on the right, made with Pillow 13.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFB"
    "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAIABADAREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABwj/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QA"
    "FQEBAQAAAAAAAAAAAAAAAAAACQf/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdEMKmAjjB0f/Z")


def png(pixels):
    """A PNG file (ISO/IEC 15948) of [height, width, 3 or 4] bytes, without filters."""
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def test_pictures_are_read_whatever_their_format_and_place(tmp_path):
    colours = np.array([[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (9, 99, 199)]], np.uint8)
    (tmp_path / "a.png").write_bytes(png(colours))
    (tmp_path / "a.jpg").write_bytes(JPEG)
    with zipfile.ZipFile(tmp_path / "a.usdz", "w") as package:
        package.writestr("tex/a.png", png(colours))
    load = mc.utils.load_texture
    np.testing.assert_array_equal(load(tmp_path / "a.png"), colours)
    np.testing.assert_array_equal(load(str(tmp_path / "a.usdz") + "[tex/a.png]"), colours)
    photo = load(tmp_path / "a.jpg")
    assert photo.shape == (8, 16, 3)
    np.testing.assert_allclose(photo[:, :7], np.broadcast_to([255, 0, 0], (8, 7, 3)), atol=12)  # the format loses that much
    np.testing.assert_allclose(photo[:, 9:], np.broadcast_to([0, 0, 255], (8, 7, 3)), atol=12)
    half = np.dstack([colours, np.full((2, 2), 128, np.uint8)])
    (tmp_path / "half.png").write_bytes(png(half))
    np.testing.assert_array_equal(load(tmp_path / "half.png"), half)
    for wrong in (b"", b"GIF89a", png(colours)[:40], JPEG[:60]):
        (tmp_path / "wrong.png").write_bytes(wrong)
        with pytest.raises(ValueError, match="PYTHON_TEXTURE|not a readable PNG or JPEG"):
            load(tmp_path / "wrong.png")


@pytest.mark.parametrize("node, file, above, linear", [("raw", "", "", True), ("", "lin_rec709", "", True), ("auto", "", "lin_rec709_scene", True),
                                                        ("", "", "", False), ("sRGB", "lin_rec709", "raw", False)])
def test_pictures_of_linear_colours_come_as_displays_take_them(tmp_path, node, file, above, linear):
    """IMP-230: pixels for these, the file for others; 128/255 is 188 on the sRGB curve"""
    (tmp_path / "wood.png").write_bytes(png(np.full((2, 2, 3), 128, np.uint8)))
    text = PAINTED.replace("asset inputs:file = @wood.png@", "asset inputs:file = @wood.png@" + (f' (colorSpace = "{file}")' if file else "")
                           + (f'\n        token inputs:sourceColorSpace = "{node}"' if node else ""))
    if above:
        text = text.replace('def Material "look"\n{', f'def Material "look" (prepend apiSchemas = ["ColorSpaceAPI"])\n{{\n    uniform token colorSpace:name = "{above}"')
    (tmp_path / "a.usda").write_text(text)
    b = mc.ModelBuilder()
    result = b.add_usd(str(tmp_path / "a.usda"))
    texture = b.shape_source[result["path_shape_map"]["/body/quad"]].texture
    for found in (texture, result["path_shape_texture"]["/body/quad"]):
        if linear:
            np.testing.assert_array_equal(np.asarray(found)[:, :, :3], np.full((2, 2, 3), 188, np.uint8))
        else:
            assert str(found).endswith("wood.png")


def test_pictures_are_seen_in_renderings(tmp_path):
    """A red square: more red than blue where the same without its picture is grey"""
    (tmp_path / "wood.png").write_bytes(png(np.broadcast_to(np.array([255, 0, 0], np.uint8), (2, 2, 3)).copy()))
    shades = {}
    for name, text in (("red", PAINTED.replace("float inputs:opacity = 0.5", "float inputs:opacity = 1")), ("grey", PAINTED.split("def Material")[0])):
        (tmp_path / f"{name}.usda").write_text(text.replace("        rel material:binding = </look>\n", "") if name == "grey" else text)
        b = mc.ModelBuilder()
        b.add_usd(str(tmp_path / f"{name}.usda"))
        image = np.asarray(mc.render(b.finalize(), size=(64, 64)), int)
        shades[name] = (image[:, :, 0] - image[:, :, 2]).max()
    assert shades["red"] > 100 > shades["grey"]

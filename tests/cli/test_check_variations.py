"""The same fault in other places, at other times and in packages; and what looks alike and is none (REP-0158)."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane
from tests.cli.test_fix_rules import BASE, LAYER, PHYSICS, PLACED, entry, robot

LINK = '    def Xform "%s" (\n        kind = "subcomponent"\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n    )\n    {\n        float physics:mass = 1\n%s    }\n'
SCALED = PLACED.replace('"xformOp:orient"]', '"xformOp:orient", "xformOp:scale"]') + "        float3 xformOp:scale = %s\n"
TOPIC = '        def Xform "image" (\n            prepend apiSchemas = ["RosTopicAPI"]\n        )\n        {\n            string ros:topic:name = "image"\n%s            string ros:topic:type = "sensor_msgs/msg/Image"\n        }\n'
CAMERA = '        def Camera "eye"\n        {\n            def Xform "eye_optical_frame" (\n                prepend apiSchemas = ["RosFrameAPI"]\n            )\n            {\n                quatf xformOp:orient = (0, 1, 0, 0)\n                uniform token[] xformOpOrder = ["xformOp:orient"]\n            }\n        }\n'
SUBSETS = '    def Mesh "v"\n    {\n        int[] faceVertexCounts = [3, 3, 3, 3]\n        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]\n        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n%s    }\n'
SUBSET = '        def GeomSubset "%s"\n        {\n            uniform token elementType = "face"\n            uniform token familyName = "materialBind"\n            int[] indices%s\n        }\n'
COLLIDER = '        def Mesh "m" (\n            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]\n        )\n        {\n            int[] faceVertexCounts = [3]\n            int[] faceVertexCounts.timeSamples = {\n                1: [%s],\n            }\n            int[] faceVertexIndices = [0, 1, 2]\n            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]\n        }\n'
SENSOR = LINK % ("a", PLACED + '        def Xform "s" (\n            prepend apiSchemas = ["SensorLidarAPI"]\n        )\n        {\n            custom %s\n        }\n')
VENDOR = LAYER + '\nover "robot"\n{\n    over "a"%s\n    {\n%s    }\n}\n'
MESH = '        def Mesh "m"\n        {\n            int[] faceVertexCounts = [3]\n            int[] faceVertexIndices = [0, 1, 2]\n            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n        }\n'
THREE = LAYER + '\ndef Xform "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n' + LINK % ("a", MESH) + TOPIC % "" + "}\n"
WITH_PHYSICS = "prepend references = [@./%s@, @./physics.usda@, @./base.usda@]"


def boxes():
    """Two unit boxes in one collider, the second one shifted by %s."""
    corner = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    faces = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]

    class Shifted:
        def __mod__(self, by):
            moved = [tuple(a + float(b) for a, b in zip(p, by.split(","))) for p in corner]
            every = [i for f in faces for i in f] + [8 + i for f in faces for i in f]
            return ('        def Mesh "m" (\n            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]\n        )\n        {\n'
                    f'            int[] faceVertexCounts = {[3] * 24}\n            int[] faceVertexIndices = {every}\n            point3f[] points = {corner + moved}\n'
                    '            uniform token physics:approximation = "none"\n        }\n')
    return Shifted()


BOXES = boxes()


def vendor(apis="", inside=""):
    return {"robot.usda": entry(WITH_PHYSICS % "physx.usda"), "physx.usda": VENDOR % (apis, inside + "        custom float physxRigidBody:linearDamping = 1\n"), "physics.usda": PHYSICS, "base.usda": BASE}


def anchored(target):
    return robot(LINK % ("a", PLACED) + f'    def PhysicsFixedJoint "base" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {{\n        rel physics:body1 = </robot/a>\n    }}\n    def PhysicsFixedJoint "second"\n    {{\n        rel physics:body0 = </robot/a>\n        rel physics:body1 = <{target}>\n    }}\n')


CONTEXT = '#usda 1.0\n(\n    defaultPrim = "robot"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    timeCodesPerSecond = 1\n    upAxis = "Z"\n)\n\ndef Xform "robot" (\n    kind = "component"\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n%s}\n'
BOX = '        def Cube "box" (\n            prepend apiSchemas = ["PhysicsCollisionAPI"]\n        )\n        {\n            token purpose = "guide"\n        }\n'
WELD = '    def PhysicsFixedJoint "weld"\n    {\n        rel physics:body1 = </robot/wall>\n    }\n'
SCAN = TOPIC.replace("sensor_msgs/msg/Image", "sensor_msgs/msg/LaserScan")
FRAME = '        def Xform "f" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {\n        }\n'
FRAME_OF_A = '    over "a" (\n        prepend apiSchemas = ["RosFrameAPI"]\n    )\n    {\n    }\n'


def look(connected, texture):
    """A mesh whose material has one texture, connected as `connected` says."""
    return robot('    def Mesh "m" (\n        prepend apiSchemas = ["MaterialBindingAPI"]\n    )\n    {\n        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n'
                 '        rel material:binding = </robot/look>\n        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n    }\n    def Material "look"\n    {\n'
                 '        token outputs:surface.connect = </robot/look/s.outputs:surface>\n        def Shader "s"\n        {\n            uniform token info:id = "UsdPreviewSurface"\n'
                 + "".join(f"            {type_} inputs:{name}.connect = </robot/look/t.outputs:{out}>\n" for type_, name, out in connected)
                 + '            token outputs:surface\n        }\n        def Shader "t"\n        {\n            uniform token info:id = "UsdUVTexture"\n            asset inputs:file = @./t.png@\n'
                 + texture + '            float3 outputs:rgb\n            float outputs:g\n        }\n    }\n')


#: An 8-bit picture: the signature and the header of a PNG, 1 x 1, RGB.
PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de")
COLOR, NORMAL, ROUGHNESS = ("color3f", "diffuseColor", "rgb"), ("normal3f", "normal", "rgb"), ("float", "roughness", "g")
RAW, SRGB = '            token inputs:sourceColorSpace = "raw"\n', '            token inputs:sourceColorSpace = "sRGB"\n'


def ranged(scale, bias):
    return RAW + f"            float4 inputs:scale = {scale}\n            float4 inputs:bias = {bias}\n"


#: (what, connections, what the texture says, found)
TEXTURES = [
    ("a colour that is read as data", [COLOR], RAW, True),
    ("a colour", [COLOR], SRGB, False),
    ("a colour of the file's own space", [COLOR], "", False),
    ("a packed picture is data", [COLOR, ROUGHNESS], RAW, False),
    ("data that are read as a colour", [ROUGHNESS], SRGB, True),
    ("normals without their range", [NORMAL], RAW, True),
    ("normals with their range", [NORMAL], ranged("(2, 2, 2, 1)", "(-1, -1, -1, 0)"), False),
    ("normals with an axis turned round", [NORMAL], ranged("(2, -2, 2, 1)", "(-1, 1, -1, 0)"), False),
    ("normals with half a range", [NORMAL], ranged("(2, 2, 2, 1)", "(0, 0, 0, 0)"), True),
]


#: (rule, what, files, found with this severity or "" for not at all)
CASES = [
    ("1.3-l", "a mass that is zero at one time", robot((LINK % ("a", PLACED)).replace("        float physics:mass = 1\n", "        float physics:mass.timeSamples = {\n            0: 1,\n            1: 0,\n        }\n")), "error"),
    ("1.3-l", "a mass that is positive at all times", robot((LINK % ("a", PLACED)).replace("        float physics:mass = 1\n", "        float physics:mass.timeSamples = {\n            0: 1,\n            1: 2,\n        }\n")), ""),
    ("1.3-n", "a body that is switched off, in a robot's context too", CONTEXT % (LINK % ("wall", PLACED + BOX + "        bool physics:rigidBodyEnabled = false\n")), "warning"),
    ("1.3-n", "a wall beside a robot", CONTEXT % (LINK % ("a", PLACED + BOX) + LINK % ("wall", PLACED + BOX) + WELD), "warning"),
    ("1.3-n", "the only link of a robot is its base", CONTEXT % (LINK % ("wall", PLACED + BOX) + WELD), ""),
    ("1.3-n", "what carries a frame is a body to have one", CONTEXT % (LINK % ("a", PLACED + BOX) + LINK % ("wall", PLACED + BOX + FRAME) + WELD), ""),
    ("2.4-e", "a context is a frame of the asset", CONTEXT % (LINK % ("a", PLACED + SCAN % '            string ros:topic:override_frame_id = "robot"\n')), "error"),
    ("2.4-e", "a frame of everybody's", CONTEXT % (LINK % ("a", PLACED + SCAN % '            string ros:topic:override_frame_id = "map"\n')), ""),
    ("1.2.1-h", "a frame in an entry of several layers", {"robot.usda": entry(WITH_PHYSICS.replace("@./%s@, ", ""), inside=FRAME_OF_A), "physics.usda": PHYSICS, "base.usda": BASE}, "error"),
    ("1.2.1-h", "the context of the entry", {"robot.usda": entry(WITH_PHYSICS.replace("@./%s@, ", ""), '    prepend apiSchemas = ["RosContextAPI"]\n'), "physics.usda": PHYSICS, "base.usda": BASE}, ""),
    ("1.1-j", "two negative factors are a scale", robot(LINK % ("a", SCALED % "(-1, -1, 1)")), "error"),
    ("1.1-j", "one is a mirror, REP-1.1-f's", robot(LINK % ("a", SCALED % "(-1, 1, 1)")), ""),
    ("1.1-j", "ones are none", robot(LINK % ("a", SCALED % "(1, 1, 1)")), ""),
    ("1.1-k", "also above a body", robot('    def Xform "g"\n    {\n        float3 xformOp:scale = (-1, 1, -1)\n        uniform token[] xformOpOrder = ["xformOp:scale"]\n' + LINK % ("a", PLACED) + "    }\n"), "error"),
    ("1.2.1-a", "three groups, whatever the layer is called", {"robot.usda": entry("prepend references = @./physics.usda@"), "physics.usda": THREE}, "error"),
    ("1.2.1-a", "three groups in a base", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": THREE}, "error"),
    ("1.2.1-a", "two groups, also where a vendor's words stand among them", {"robot.usda": entry("prepend references = @./parts.usda@"), "parts.usda": LAYER + '\ndef Xform "robot"\n{\n' + LINK % ("a", "        custom float physxRigidBody:linearDamping = 1\n" + MESH) + "}\n"}, "error"),
    ("1.2.1-k", "a vendor's layer of another name", {"robot.usda": entry(WITH_PHYSICS % "nv.usda"), "nv.usda": VENDOR % ("", "        custom float physxRigidBody:linearDamping = 1\n"), "physics.usda": PHYSICS, "base.usda": BASE}, "warning"),
    ("1.2.1-k", "a vendor's layer of its own name", vendor(), ""),
    ("1.2.1-k", "a layer of the whole in a folder", {"robot.usda": entry("prepend references = [@./layers/dynamics.usda@, @./layers/base.usda@]"), "layers/dynamics.usda": PHYSICS, "layers/base.usda": BASE}, "warning"),
    ("1.2.1-k", "in a folder of the role's name", {"robot.usda": entry("prepend references = [@./physics/arm.usda@, @./base.usda@]"), "physics/arm.usda": PHYSICS, "base.usda": BASE}, ""),
    ("1.2.1-k", "a part of a folder", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": BASE.replace('kind = "subcomponent"', 'kind = "subcomponent"\n        prepend references = @./parts/wheel.usda@'), "parts/wheel.usda": PHYSICS}, ""),
    ("1.2.1-k", "a tree of another name", {"robot.usda": entry("prepend references = @./kinematics.usda@"), "kinematics.usda": BASE}, "warning"),
    ("1.2.1-k", "a tree as sublayer", {"robot.usda": LAYER.replace("    timeCodes", "    subLayers = [@./tree.usda@]\n    timeCodes") + '\nover "robot"\n{\n}\n', "tree.usda": BASE}, "warning"),
    ("1.2.1-k", "a part below the tree has its own name", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": BASE.replace('kind = "subcomponent"', 'kind = "subcomponent"\n        prepend references = @./wheel.usda@'), "wheel.usda": BASE}, ""),
    ("1.2.1-k", "a part that is an asset has its own name", {"robot.usda": entry("prepend references = @./arm.usda@"), "arm.usda": LAYER + '\ndef Xform "robot" (\n    assetInfo = {\n        string identifier = "urn:arm"\n    }\n    kind = "component"\n)\n{\n' + LINK % ("a", PLACED) + "}\n"}, ""),
    ("1.2.5-b", "a class is not what a reference brings in", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": BASE.replace('def Xform "robot"', 'class Xform "robot"')}, "error"),
    ("1.2.5-b", "an over is", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]"), "physics.usda": PHYSICS, "base.usda": BASE}, ""),
    ("1.3-i", "a joint to nowhere closes no loop", anchored("/robot/nope"), ""),
    ("1.4-c", "a schema that a vendor's layer takes away", vendor(' (\n        delete apiSchemas = ["PhysicsMassAPI"]\n    )'), "error"),
    ("1.4-c", "a schema that it applies", vendor(' (\n        prepend apiSchemas = ["PhysicsFilteredPairsAPI"]\n    )'), "error"),
    ("1.4-c", "its own schema and word are composed only", vendor(' (\n        prepend apiSchemas = ["PhysxRigidBodyAPI"]\n    )'), "warning"),
    ("1.4-c", "a value", vendor("", "        float physics:mass = 9\n"), "error"),
    ("2.8-c", "pictures that a link subscribes to are no camera's", robot(LINK % ("a", PLACED + CAMERA + TOPIC % '            token ros:topic:role = "subscription"\n')), ""),
    ("2.8-c", "those that it publishes are", robot(LINK % ("a", PLACED + CAMERA + TOPIC % '            double ros:topic:publish_rate = 10\n            token ros:topic:role = "publisher"\n')), "error"),
    ("3.1-f", "subsets that share a face at a sample", robot(SUBSETS % (SUBSET % ("p", " = [0, 1]") + SUBSET % ("q", ".timeSamples = {\n                0: [2],\n                1: [1, 2],\n            }"))), "error"),
    ("3.1-f", "subsets that share none at any time", robot(SUBSETS % (SUBSET % ("p", " = [0, 1]") + SUBSET % ("q", ".timeSamples = {\n                0: [2],\n                1: [2, 3],\n            }"))), ""),
    ("3.1-f", "faces that the mesh does not have", robot(SUBSETS % (SUBSET % ("p", " = [0, 4]") + SUBSET % ("q", " = [1]"))), "error"),
    ("3.1-f", "the last of its faces", robot(SUBSETS % (SUBSET % ("p", " = [0, 3]") + SUBSET % ("q", " = [1]"))), ""),
    ("3.4-f", "boxes whose edges meet faces on their diagonals", robot(LINK % ("a", PLACED + BOXES % "0.5, 0.5, 0.5")), "error"),
    ("3.4-f", "boxes that stand on each other", robot(LINK % ("a", PLACED + BOXES % "0.5, 0.5, 1")), ""),
    ("3.4-a", "a face of four corners at a sample", robot(LINK % ("a", PLACED + COLLIDER % "4")), "error"),
    ("3.4-a", "triangles at every sample", robot(LINK % ("a", PLACED + COLLIDER % "3")), ""),
    ("1.3-r", "axes that are zero beside an inertia", robot(LINK % ("a", PLACED + "        float3 physics:diagonalInertia = (1, 1, 1)\n        quatf physics:principalAxes = (0, 0, 0, 0)\n")), "info"),
    ("2.1.1-a", "two underscores in a namespace", robot("", space='    string ros:context:namespace = "__x"\n'), "warning"),
    ("2.1.1-c", "one robot without a namespace (D14)", robot(LINK % ("a", PLACED) + TOPIC % "", space=""), "warning"),
    ("2.1.1-c", "links are frames, too", robot(LINK % ("a", PLACED), space=""), "warning"),
    ("2.1.1-c", "a context without anything", robot("", space=""), ""),
    ("2.1.1-c", "one robot with one", robot(LINK % ("a", PLACED) + TOPIC % ""), ""),
    ("2.9-b", "a service of Gazebo", robot('    def Xform "s" (\n        prepend apiSchemas = ["RosServiceAPI"]\n    )\n    {\n        token ros:service:role = "server"\n        string ros:service:name = "spawn"\n        string ros:service:type = "gazebo_msgs/srv/SpawnEntity"\n    }\n'), "error"),
    ("2.9-b", "a message of Gazebo", robot(TOPIC.replace("sensor_msgs/msg/Image", "gazebo_msgs/msg/ContactsState") % ""), ""),
    ("1.1-m", "a rack of guides sunk by two metres", LAYER + '\ndef Xform "robot" (\n    kind = "component"\n)\n{\n    def Cube "g" (\n        prepend apiSchemas = ["PhysicsCollisionAPI"]\n    )\n    {\n        uniform token purpose = "guide"\n        double3 xformOp:translate = (0, 0, -2)\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n    }\n}\n', "warning"),
    ("1.1-m", "one about its origin", LAYER + '\ndef Xform "robot" (\n    kind = "component"\n)\n{\n    def Cube "g" (\n        prepend apiSchemas = ["PhysicsCollisionAPI"]\n    )\n    {\n        uniform token purpose = "guide"\n        double3 xformOp:translate = (0, 0, -0.5)\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n    }\n}\n', ""),
    ("1.2.6-b", "a prototype that is named by way of another relationship", robot('    def PointInstancer "p"\n    {\n        rel prototypes = </robot/q.way>\n        int[] protoIndices = [0]\n        point3f[] positions = [(0, 0, 0)]\n    }\n    def Scope "q"\n    {\n        rel way = </robot/a>\n    }\n' + LINK % ("a", PLACED)), "error"),
    ("1.3-b", "a link that is named by way of another relationship", anchored("/robot/q.way").replace('    def PhysicsFixedJoint "base"', '    def Scope "q"\n    {\n        rel way = </robot/b>\n    }\n' + LINK % ("b", PLACED) + '    def PhysicsFixedJoint "base"'), ""),
] + [("4.2.1-b", words, robot(SENSOR % words), "error") for words in
     ("double sensor:publish_rate = 3", 'string sensor:ros_namespace = "x"', 'string sensor:message_type = "x"', 'token sensor:reliability = "reliable"', 'string[] sensor:topics = ["x"]', 'string[] sensor:frame_ids = ["x"]')
     ] + [("4.2.1-b", words, robot(SENSOR % words), "") for words in ("double sensor:frame_rate = 30", "double sensor:publishing_delay = 1", "float sensor:reliability = 0.9", 'token sensor:color_namespace = "srgb"')]


class Variations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def found(self, path, rule):
        done = mechane("check", path, "--format", "json")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return {f["severity"] for f in json.loads(done.stdout)["findings"] if f["rule"] == "REP-" + rule}

    def written(self, name, files):
        place = self.folder / "".join(c if c.isalnum() else "_" for c in name)
        place.mkdir()
        for file, text in ({"robot.usda": files} if isinstance(files, str) else files).items():
            (place / file).parent.mkdir(exist_ok=True)
            (place / file).write_text(text)
        return place / "robot.usda"

    def test_faults_and_what_looks_alike(self):
        for rule, what, files, severity in CASES:
            with self.subTest(rule=rule, what=what):
                self.assertEqual(self.found(self.written(rule + what, files), rule), {severity} - {""})

    def test_how_pictures_are_read(self):
        """REP-0158 3.2: data are raw, colours are not; eight bits of a normal are mapped from 0..1 to -1..1 (UsdPreviewSurface: n = 2 t - 1)."""
        for what, connected, texture, wrong in TEXTURES:
            with self.subTest(what):
                asset = self.written(what, look(connected, texture))
                (asset.parent / "t.png").write_bytes(PICTURE)
                self.assertEqual(self.found(asset, "3.2-g"), {"warning"} if wrong else set())
                done = mechane("fix", asset, "-o", asset.parent / "out")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                left = what == "normals with half a range"  # a range of the author's own
                self.assertEqual(self.found(asset.parent / "out" / "robot.usda", "3.2-g"), {"warning"} if left else set())

    def test_a_vendor_layer_of_a_package_is_judged_as_in_a_folder(self):
        """REP-0158 1.4: packing changes nothing of what an asset says."""
        for name, files in (("schema", vendor(' (\n        delete apiSchemas = ["PhysicsMassAPI"]\n    )')), ("value", vendor("", "        float physics:mass = 9\n"))):
            with self.subTest(name):
                source = self.written(name, files)
                package = self.folder / (name + ".usdz")  # nothing of the asset lies beside it
                self.assertEqual(mechane("cat", source, "-o", package).returncode, 0)
                self.assertEqual(self.found(package, "1.4-c"), {"error"})


if __name__ == "__main__":
    unittest.main()

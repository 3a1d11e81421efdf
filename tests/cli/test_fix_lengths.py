"""`mechane fix` of centimetres: every attribute of OpenUSD's schemas that is a place or a displacement follows, and so do skins."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import document, mechane

TYPES = ("BasisCurves", "BlendShape", "Camera", "Capsule", "Capsule_1", "Cone", "Cube", "Cylinder", "Cylinder_1", "CylinderLight", "DiskLight", "DistantLight", "DomeLight",
         "DomeLight_1", "HermiteCurves", "Mesh", "NurbsCurves", "NurbsPatch", "PhysicsDistanceJoint", "PhysicsFixedJoint", "PhysicsJoint", "PhysicsPrismaticJoint",
         "PhysicsRevoluteJoint", "PhysicsScene", "PhysicsSphericalJoint", "Plane", "PointInstancer", "Points", "PortalLight", "RectLight", "Scope", "SkelAnimation", "SkelRoot",
         "Skeleton", "Sphere", "SphereLight", "TetMesh", "Xform")
PLACES = {"point3f": "(1, 1, 1)", "point3f[]": "[(1, 1, 1)]", "vector3f": "(1, 1, 1)", "vector3f[]": "[(1, 1, 1)]", "float3[]": "[(1, 1, 1)]", "float4[]": "[(0, 0, 1, 1)]",
          "matrix4d[]": "[((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 1, 1, 1))]"}
# Turns, directions, and half the width of an ellipsoid of scales: no lengths.
NO_LENGTHS = {"angularVelocities", "normalOffsets", "physics:angularVelocity", "physics:gravityDirection", "scales", "trimCurve:points"}
HEADER = '#usda 1.0\n(\n    defaultPrim = "r"\n    kilogramsPerUnit = 1\n    metersPerUnit = 0.01\n    timeCodesPerSecond = 1\n    upAxis = "Z"\n)\n'


class Lengths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fixed(self, text):
        source, out = self.folder / "r.usda", self.folder / "out.usda"
        source.write_text(HEADER + text)
        done = mechane("fix", source, "-o", out, "--select", "REP-1.1-a")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return out

    def test_every_place_of_the_schemas(self):
        bare = self.folder / "bare.usda"
        bare.write_text(HEADER + 'def Xform "r"\n{\n' + "".join(f'    def {name} "p{i}"\n    {{\n    }}\n' for i, name in enumerate(TYPES)) + "}\n")
        known = document("dump", "stage", bare)["schemaFallbacks"]
        body, asked = "", []
        for i, name in enumerate(TYPES):
            places = {a: row["type"] for a, row in known.get(name, {}).items() if row["type"] in PLACES and a not in NO_LENGTHS}
            body += f'    def {name} "p{i}"\n    {{\n' + "".join(f"        {kind} {a} = {PLACES[kind]}\n" for a, kind in places.items()) + "    }\n"
            asked += [(f"/r/p{i}", name, a, kind) for a, kind in places.items()]
        self.assertGreater(len(asked), 40)
        prims = document("dump", "stage", self.fixed('def Xform "r"\n{\n' + body + "}\n"), "--limit", 0)["prims"]
        unscaled = []
        for prim, name, a, kind in asked:
            numbers = re.findall(r"-?[\d.]+(?:e-?\d+)?", json.dumps(prims[prim]["properties"][a]["default"]))
            if abs(float(numbers[-2 if kind.startswith("matrix") else -1]) - 0.01) > 1e-8:
                unscaled.append(f"{name}.{a}")
        self.assertEqual(unscaled, [])

    def test_skins_move_with_what_they_skin(self):
        """A point follows its joint by inverse(bind) * animated: places in metres stay only if all three are scaled."""
        row = "[((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 10, 1))]"
        out = self.fixed('def SkelRoot "r"\n{\n    def Skeleton "s"\n    {\n        uniform token[] joints = ["a"]\n'
                         f"        uniform matrix4d[] bindTransforms = {row}\n        uniform matrix4d[] restTransforms = {row}\n    }}\n"
                         '    def SkelAnimation "a"\n    {\n        uniform token[] joints = ["a"]\n'
                         "        float3[] translations.timeSamples = {\n            0: [(0, 0, 12)],\n            1: [(0, 0, 14)],\n        }\n"
                         "        half3[] scales = [(1, 1, 1)]\n    }\n"
                         '    def Mesh "m"\n    {\n        matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))\n    }\n'
                         '    def BlendShape "b"\n    {\n        uniform vector3f[] offsets = [(1, 2, 3)]\n        uniform vector3f[] inbetweens:half = [(1, 2, 3)]\n'
                         "        uniform vector3f[] inbetweens:half:normalOffsets = [(1, 2, 3)]\n    }\n}\n")
        prims = document("dump", "stage", out, "--limit", 0)["prims"]
        value = lambda prim, name: prims[prim]["properties"][name]
        for name in ("bindTransforms", "restTransforms"):
            self.assertEqual([x for line in value("/r/s", name)["default"][0] for x in (line if isinstance(line, list) else [line])][12:15], [0, 0, 0.1])
        self.assertEqual([round(step[0][2], 7) for step in value("/r/a", "translations")["timeSamples"]["values"]], [0.12, 0.14])
        self.assertEqual(value("/r/a", "scales")["default"], [[1, 1, 1]])
        self.assertAlmostEqual(json.loads(json.dumps(value("/r/m", "primvars:skel:geomBindTransform")["default"]))[3][0], 0.05)
        for name, factor in (("offsets", 0.01), ("inbetweens:half", 0.01), ("inbetweens:half:normalOffsets", 1)):
            for x, y in zip(value("/r/b", name)["default"][0], (1, 2, 3)):
                self.assertAlmostEqual(x, factor * y, places=7)

    def test_a_layer_of_another_unit_is_left_until_its_own_rule_may_decide(self):
        (self.folder / "part.usda").write_text(HEADER.replace("0.01", "1").replace('"r"', '"p"') + 'def Xform "p"\n{\n    def Cone "c"\n    {\n        double radius = 3\n    }\n}\n')
        (self.folder / "robot.usda").write_text(HEADER + 'def Xform "r"\n{\n    def Xform "part" (\n        prepend references = @./part.usda@\n    )\n    {\n    }\n}\n')
        done = mechane("fix", self.folder / "robot.usda", "-o", self.folder / "out", "--select", "REP-1.1-a")
        self.assertIn("REP-1.1-d comes first", done.stdout + done.stderr)
        self.assertIn("metersPerUnit = 0.01", (self.folder / "out" / "robot.usda").read_text())


if __name__ == "__main__":
    unittest.main()

"""`mechane dump stage` prints everything of a stage, as docs/schemas/dump.stage.schema.json says."""
import gzip
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import QUADRUPED, document, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
)
def Xform "w" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "NewtonArticulationRootAPI"]
)
{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    int[] long = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    float samples.timeSamples = { 0: 1, 10: 3 }
    rel to = </w/ball>
    def Sphere "ball"
    {
    }
}
"""


class DumpStage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stage = str(pathlib.Path(self.folder.name) / "w.usda")
        pathlib.Path(self.stage).write_text(STAGE)

    def test_prims_properties_and_fallbacks(self):
        found = document("dump", "stage", self.stage)
        self.assertEqual(found["schema"], "mechane.dump.stage/1")
        self.assertEqual(found["stage"]["metersPerUnit"], 1.0)
        self.assertEqual(found["order"], ["/w", "/w/ball"])
        prim = found["prims"]["/w"]
        self.assertEqual(prim["worldTransform"][3], [1.0, 2.0, 3.0, 1.0])
        self.assertEqual(prim["properties"]["samples"]["timeSamples"], {"times": [0.0, 10.0], "values": [1.0, 3.0], "interpolated": [[5.0, 2.0]]})
        self.assertEqual(prim["properties"]["to"], {"targets": ["/w/ball"]})
        self.assertEqual(found["schemaFallbacks"]["Sphere"]["radius"], {"type": "double", "fallback": 1.0})

    def test_vendors_schemas_can_be_left_out(self):
        applied = lambda *options: document("dump", "stage", self.stage, *options)["prims"]["/w"]["appliedSchemas"]
        # The last one is built into the second.
        self.assertEqual(applied(), ["PhysicsRigidBodyAPI", "NewtonArticulationRootAPI", "PhysicsArticulationRootAPI"])
        self.assertEqual(applied("--option", "schemas=openusd"), ["PhysicsRigidBodyAPI"])
        self.assertEqual(mechane("dump", "stage", self.stage, "--option", "schemas=other").returncode, 2)

    def test_long_arrays_become_a_hash(self):
        array = lambda *options: document("dump", "stage", self.stage, *options)["prims"]["/w"]["properties"]["long"]["default"]
        self.assertEqual(array(), list(range(10)))
        self.assertEqual(array("--limit", 9)["$array"], [10])
        self.assertEqual(array("--limit", 9)["head"], list(range(8)))

    def test_a_short_list_of_names_beyond_the_limit_is_told_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "names.usda"
            stage.write_text('#usda 1.0\ndef Xform "w"\n{\n    token[] names = ["a", "b", "c"]\n}\n')
            names = document("dump", "stage", stage, "--limit", 1)["prims"]["/w"]["properties"]["names"]["default"]
        self.assertEqual((names["$array"], names["head"]), ([3], ["a", "b", "c"]))

    def test_the_same_bytes_every_time_also_compressed(self):
        once, again = mechane("dump", "stage", QUADRUPED).stdout, mechane("dump", "stage", QUADRUPED, "--threads", 1).stdout
        self.assertEqual(once, again)
        packed = str(pathlib.Path(self.folder.name) / "a.json.gz")
        self.assertEqual(mechane("dump", "stage", QUADRUPED, "-o", packed).returncode, 0)
        with gzip.open(packed, "rt") as stream:
            self.assertEqual(json.load(stream), json.loads(once))

    def test_a_file_that_is_no_stage_is_exit_3(self):
        bad = pathlib.Path(self.folder.name) / "bad.usda"
        bad.write_text("#usda 1.0\ndef {")
        self.assertEqual(mechane("dump", "stage", bad).returncode, 3)

    def test_only_prints_the_entries_that_are_named(self):
        whole = document("dump", "model", QUADRUPED)
        part = document("dump", "model", QUADRUPED, "--only", "schema_attrs,joint_armature", "--only", "warnings")
        self.assertEqual(part, {"schema": whole["schema"], "result": {"schema_attrs": whole["result"]["schema_attrs"]},
                                "model": {"joint_armature": whole["model"]["joint_armature"]}, "warnings": whole["warnings"]})
        refused = mechane("dump", "model", QUADRUPED, "--only", "joint_armatur")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("joint_armature", refused.stderr)


if __name__ == "__main__":
    unittest.main()

    def test_no_limit_prints_meshes_whole_too(self):
        """(the help of --limit: 0 prints all)"""
        corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        stage = pathlib.Path(self.folder.name) / "mesh.usda"
        stage.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Mesh "box" (\n    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]\n)\n{\n'
                         f"    point3f[] points = {corners}\n    int[] faceVertexCounts = {[4] * 6}\n    int[] faceVertexIndices = {[i for f in faces for i in f]}\n}}\n")
        mesh = lambda *options: document("dump", "model", stage, *options)["model"]["shape_source"][0]["mesh"]
        self.assertEqual(mesh()["indices"]["$array"], [36])
        whole = mesh("--limit", 0)
        self.assertEqual([tuple(p) for p in whole["vertices"]], corners)
        self.assertEqual(len(whole["indices"]), 36)

"""info accounts for every authored physics value; explain says where a number comes from."""
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" { }
def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2
    float physics:density = 100
%s}
"""


def write(folder, lines=""):
    path = pathlib.Path(folder) / "box.usda"
    path.write_text(STAGE % lines)
    return path


class Ledger(unittest.TestCase):
    def test_totals_and_rows_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            ledger = document("info", write(folder), "--ledger", "--json")["ledger"]
        self.assertEqual((ledger["properties"], ledger["used"], ledger["overridden"]), (2, 1, 1))
        rows = {row["property"]: row for row in ledger["rows"]}
        self.assertEqual(rows["physics:density"]["verdict"], "overridden")
        self.assertEqual(rows["physics:mass"]["line"], 9)

    def test_strict_fails_on_what_is_ignored_and_on_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = write(folder)
            text = plain.read_text().replace("    float physics:density = 100\n", "")
            plain.write_text(text)
            self.assertEqual(mechane("info", plain, "--strict", "-q").returncode, 0)
            ignored = write(folder, "    float physxCollision:torsionalPatchRadius = 1\n")
            self.assertEqual(mechane("info", ignored, "-q").returncode, 0)
            self.assertEqual(mechane("info", ignored, "--strict", "-q").returncode, 1)

    def test_only_lists_one_verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            out = mechane("info", write(folder), "--ledger", "--only", "overridden").stdout
        self.assertIn("physics:density = 100", out)
        self.assertNotIn("physics:mass = 2", out)


class Effects(unittest.TestCase):
    """GAP-098."""

    def verdicts(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.usda"
            path.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + text)
            rows = document("info", path, "--ledger", "--json")["ledger"]["rows"]
        return {(row["prim"], row["property"]): (row["verdict"], row["note"]) for row in rows}

    def test_an_animated_size_of_a_collider_is_held_and_told(self):
        rows = self.verdicts("""def Sphere "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    double radius.timeSamples = { 0: 0.5, 24: 2 }
}
def Sphere "drawn" {
    double radius.timeSamples = { 0: 0.5, 24: 2 }
}
""")
        self.assertEqual(rows["/a", "radius"], ("ignored", "animated, held at its first value: a run changes no sizes"))
        self.assertNotIn(("/drawn", "radius"), rows)

    def test_owners_and_velocities_without_effect_are_ignored(self):
        rows = self.verdicts("""def PhysicsScene "S" { }
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    rel physics:simulationOwner = </S>
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        rel physics:simulationOwner = </S>
    }
}
def Cube "off" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    bool physics:rigidBodyEnabled = 0
    vector3f physics:velocity = (1, 0, 0)
}
""")
        self.assertEqual(rows["/b", "physics:simulationOwner"][0], "used")
        self.assertEqual(rows["/b/c", "physics:simulationOwner"][0], "ignored")
        self.assertEqual(rows["/off", "physics:velocity"], ("ignored", "the body is disabled"))
        self.assertEqual(rows["/off", "physics:rigidBodyEnabled"][0], "used")


class Explain(unittest.TestCase):
    def test_every_entity_has_its_fields_also_where_nothing_is_authored(self):
        text = """def PhysicsScene "S" { }
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { }
    def PhysicsFixedJoint "j" {
        rel physics:body1 = </robot/a>
    }
}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.usda"
            path.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + text)
            value = lambda of: document("explain", path, of, "--json")["values"][0]
            self.assertEqual(value("/S.gravity")["value"], "(0, 0, -9.81)")
            self.assertEqual(value("/S.gravity")["unit"], "m/s^2")
            self.assertEqual(value("/S.physics_dt")["unit"], "s")
            self.assertEqual(value("/robot.self_collision_enabled")["value"], "true")
            self.assertEqual(value("/robot/a.sdf_target_voxel_size")["value"], "none")
            self.assertEqual(value("/robot/a.sdf_target_voxel_size")["unit"], "")
            self.assertEqual(value("/robot/a.shape_color")["field"], "color")
            for of in ("/S.gravity", "/robot.self_collision_enabled", "/robot/a.shape_color", "/robot/a.sdf_max_resolution"):
                self.assertNotEqual(value(of)["source"], "authored")
            counts = document("info", path, "--json")["model"]
            self.assertEqual((counts["scenes"], counts["materials"], counts["collisionGroups"]), (1, 0, 0))
            self.assertIn("1 scene · 0 materials · 0 collision groups", mechane("info", path).stdout)

    def test_file_and_path_in_either_order(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = write(folder)
            first, second = mechane("explain", stage, "/box.mass"), mechane("explain", "/box.mass", stage)
        self.assertEqual(first.stdout, second.stdout)
        self.assertIn("physics:mass = 2", first.stdout)
        self.assertIn("box.usda:9", first.stdout)

    def test_unknown_names_are_usage_errors_that_list_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            done = mechane("explain", write(folder), "/box.mas")
        self.assertEqual(done.returncode, 2)
        self.assertIn("inertia", done.stderr)


if __name__ == "__main__":
    unittest.main()

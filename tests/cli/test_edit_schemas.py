"""`mechane fix --apply-api` and `--remove-api`: physics is taken away and given back, and values stay (GAP-061)."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "box"   # what falls
    metersPerUnit = 1
    upAxis = "Z"
)

def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    vector3f physics:velocity = (1, 2.50, 3)  # kept
}
"""


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "a.usda"
        self.source.write_text(STAGE)

    def bodies(self, file):
        return document("info", file, "--json")["model"]["bodies"]

    def test_a_removed_schema_leaves_its_values_and_every_other_byte_and_applied_again_gives_the_same_asset(self):
        removed, again = self.folder / "removed.usda", self.folder / "again.usda"
        done = mechane("fix", self.source, "--remove-api", "/box=PhysicsRigidBodyAPI", "-o", removed)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.source.read_text(), STAGE)
        text = removed.read_text()
        self.assertIn("vector3f physics:velocity = (1, 2.50, 3)  # kept", text)
        self.assertIn("# what falls", text)
        self.assertEqual(self.bodies(removed), 0)
        done = mechane("fix", removed, "--apply-api", "/box=PhysicsRigidBodyAPI", "-o", again)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bodies(again), 1)
        said = [json.loads(mechane("dump", "model", file).stdout) for file in (self.source, again)]
        for model in said:
            model.pop("source", None), model.pop("file", None)
        self.assertEqual(said[0].get("body_qd"), said[1].get("body_qd"))

    def test_nothing_is_written_over_the_source_but_in_place_or_as_a_layer_over_it(self):
        over = self.folder / "over.usda"
        self.assertEqual(mechane("fix", self.source, "--remove-api", "/box=PhysicsRigidBodyAPI", "--layer", over).returncode, 0)
        self.assertEqual(self.source.read_text(), STAGE)
        self.assertEqual(self.bodies(over), 0)
        self.assertEqual(mechane("fix", self.source, "--remove-api", "/box=PhysicsRigidBodyAPI", "-o", self.source).returncode, 2)
        self.assertEqual(self.source.read_text(), STAGE)
        self.assertEqual(mechane("fix", self.source, "--remove-api", "/box=PhysicsRigidBodyAPI", "--in-place").returncode, 0)
        self.assertEqual(self.bodies(self.source), 0)

    def test_a_word_that_names_no_prim_or_no_schema_is_wrong_usage_and_the_nearest_is_named(self):
        for option, word, said in (("--apply-api", "/bx=PhysicsRigidBodyAPI", "/box"), ("--apply-api", "/box=PhysicsRigidBdyAPI", "PhysicsRigidBodyAPI"),
                                   ("--apply-api", "/box", "PRIM=SCHEMA"), ("--apply-api", "/box=PhysicsDriveAPI", "PhysicsDriveAPI:angular"),
                                   ("--apply-api", "/box=PhysicsScene", "cannot be applied"), ("--apply-api", "/box=PhysicsMassAPI:a", "no instances"),
                                   ("--remove-api", "/gone=PhysicsMassAPI", "/gone")):
            done = mechane("fix", self.source, option, word, "--diff")
            self.assertEqual(done.returncode, 2, word)
            self.assertIn(said, done.stderr, word)

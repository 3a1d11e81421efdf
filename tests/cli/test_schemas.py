"""Every JSON document follows its published schema in docs/schemas."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import QUADRUPED, ROOT, document, mechane

try:
    import jsonschema
except ImportError:  # a developer's Python without the Debian package
    jsonschema = None

DOCUMENTS = {
    "version": ["version", "--json"],
    "doctor": ["doctor", "--json"],
    "pairs": ["schema", "pairs", "--json"],
    "materials": ["schema", "materials", "--json"],
    "options": ["schema", "options", "--json"],
    "schemas": ["schema", "show", "RosTopicAPI", "PhysicsDriveAPI", "PhysicsScene", "--json"],
    "map": ["schema", "map", "physx", "newton", "--json"],
    "info": ["info", QUADRUPED, "--json"],
    "explain": ["explain", QUADRUPED, "/quadruped/front_left/thigh_joint", "--json"],
    "tree": ["tree", QUADRUPED, "--json"],
    "tree.prims": ["tree", "--prims", QUADRUPED, "--json"],
    "dump.stage": ["dump", "stage", QUADRUPED],
    "check": ["check", QUADRUPED, "--format", "json", "--exit-zero"],
    "rules": ["check", "--list-rules", "--json"],
    "fix": ["fix", "ROBOT", "--diff", "--json"],
    "ros.interfaces": ["ros", "interfaces", str(ROOT / "samples" / "gallery" / "rover.usda"), "--controllers", "--json"],
    "ros.channels": ["ros", "channels", "ROBOT", "--json"],
    "ros.tf": ["ros", "tf", "ROBOT", "--json"],
    "trajectory": ["sim", QUADRUPED, "--frames", "2", "--sense", "/quadruped/torso", "--json"],
    "behaviour": ["check", QUADRUPED, "--behaviour", "--json"],
    "bench": ["bench", "ant", "--nstep", "5", "--json"],
    "bench.import": ["bench", "--import", QUADRUPED, "--json"],
    "collide": ["collide", QUADRUPED, "--json"],
    "mesh": ["mesh", QUADRUPED, "--hull", "--json"],
    "replay": ["replay", "RECORDING", "--verify", "--json"],
    "diff": ["diff", QUADRUPED, QUADRUPED, "--rollout=0.1s", "--json"],
    "conventions": ["schema", "conventions", "--json"],
    "solvers": ["doctor", "--solvers", "--json"],
    "compare": ["sim", QUADRUPED, "--frames", "2", "--compare", "--json"],
    "loss": ["convert", QUADRUPED, "-o", "URDF", "--json"],
    "render": ["render", QUADRUPED, "-o", "PICTURE", "--json"],
    "demo": ["demo", "-o", "DEMO", "--json"],
    "dump.physics": ["dump", "physics", QUADRUPED],
    "dump.model": ["dump", "model", QUADRUPED],
    "reduce": ["reduce", "ROBOT", "--while", "grep -q RosFrameAPI {}", "-o", "RESULT", "--json"],
}


# With something to repair, and two frames.
ROBOT = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "robot/"

    def Xform "mark" (
        prepend apiSchemas = ["RosFrameAPI"]
    )
    {
        matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))
        uniform token[] xformOpOrder = ["xformOp:transform"]
    }
}
"""


@unittest.skipUnless(jsonschema, "python3-jsonschema is missing")
class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.recording = str(pathlib.Path(cls.folder.name) / "run.mrec")
        cls.robot = pathlib.Path(cls.folder.name) / "robot.usda"
        cls.robot.write_text(ROBOT)
        assert mechane("sim", QUADRUPED, "--frames", "2", "-o", cls.recording).returncode == 0

    def test_documents_follow_their_schemas(self):
        for name, command in DOCUMENTS.items():
            with self.subTest(name):
                schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())
                results = {word: str(pathlib.Path(self.folder.name) / file) for word, file in {"RESULT": "result.usda", "URDF": "result.urdf", "PICTURE": "result.png", "DEMO": "demo"}.items()}
                files = {"RECORDING": self.recording, "ROBOT": str(self.robot), **results}
                command = [files.get(word, word) for word in command]
                jsonschema.validate(document(*command), schema)

    def test_the_index_leads_from_the_key_of_a_document_to_its_schema(self):
        folder = ROOT / "docs" / "schemas"
        self.assertEqual(json.loads((folder / "index.json").read_text()), {re.search(r"mechane\.[\w.]+/1", path.read_text())[0]: path.name for path in folder.glob("*.schema.json")})

    def test_every_schema_is_used(self):
        found = {path.name[: -len(".schema.json")] for path in (ROOT / "docs" / "schemas").glob("*.schema.json")}
        self.assertEqual(found, {*DOCUMENTS, "error", "verify", "check.stream"})  # test_messages.py makes errors, test_diff.py verifications, test_check_cache.py streams


if __name__ == "__main__":
    unittest.main()

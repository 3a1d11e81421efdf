"""REP-1.1-d and -a: a part in other units, brought in under a scale that makes up for it, keeps its size whatever else is repaired."""
import itertools
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "%s"\n    kilogramsPerUnit = 1\n    metersPerUnit = %r\n    timeCodesPerSecond = 1\n    upAxis = "Z"\n)\n'
#: A cube of 0.2 m.
PART = 'def Xform "part" (\n%s)\n{\n    def Cube "c" (\n        prepend apiSchemas = ["PhysicsCollisionAPI"]\n    )\n    {\n        double size = %r\n    }\n}\n'
BODY = '    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n'
ROBOT = 'def Xform "robot"\n{\n    def Xform "mount"\n    {\n%s        def Xform "p" (\n            prepend %s = @./part.usda@\n        )\n        {\n%s        }\n    }\n}\n'


def scaled(kind, factor, order="xformOp:scale"):
    return f'            {kind} xformOp:scale = ({factor!r}, {factor!r}, {factor!r})\n            uniform token[] xformOpOrder = ["{order}"]\n'


class CompensatedUnits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def size(self, stage):
        """Half the edge of the cube as it is simulated [m]."""
        done = mechane("dump", "model", stage, "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        model = json.loads(done.stdout)["model"]
        return model["shape_scale"][model["shape_label"].index(next(label for label in model["shape_label"] if label.endswith("/c")))]

    def repaired(self, name, stage_unit, part_unit, arc, above, own, schemas):
        place = self.folder / name
        place.mkdir()
        (place / "part.usda").write_text(HEAD % ("part", part_unit) + PART % (schemas, 0.2 / part_unit))
        (place / "robot.usda").write_text(HEAD % ("robot", stage_unit) + ROBOT % (above, arc, own))
        done = mechane("fix", place / "robot.usda", "-o", place / "fixed")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return place / "robot.usda", place / "fixed" / "robot.usda", json.loads((place / "fixed" / "fix-report.json").read_text())

    def test_the_size_stays(self):
        units = [(1, 0.01), (0.01, 1), (1, 0.001), (0.001, 0.01)]
        for number, ((stage, part), arc, kind, schemas) in enumerate(itertools.product(units, ("references", "payload"), ("double3", "float3"), (BODY, ""))):
            with self.subTest(stage=stage, part=part, arc=arc, kind=kind, schemas=schemas):
                before, after, _ = self.repaired(str(number), stage, part, arc, "", scaled(kind, part / stage), schemas)
                for stage_file in (before, after):
                    for half in self.size(stage_file):
                        self.assertAlmostEqual(half, 0.1, delta=1e-6)

    def test_a_scale_above_counts_too(self):
        """Of the Xform that holds the part, alone or shared between it and the part"""
        for name, above, own in (("whole", 0.01, 1.0), ("shared", 0.1, 0.1)):
            for schemas in (BODY, ""):
                with self.subTest(name=name, schemas=schemas):
                    placed = scaled("double3", above).replace("            ", "        ")
                    before, after, _ = self.repaired(name + str(len(schemas)), 1, 0.01, "references", placed, scaled("double3", own), schemas)
                    again = after.parent.parent / "again"
                    self.assertIn(mechane("fix", after, "-o", again).returncode, (0, 1))
                    for stage in (before, after, again / "robot.usda"):
                        for half in self.size(stage):
                            self.assertAlmostEqual(half, 0.1, delta=1e-6)


if __name__ == "__main__":
    unittest.main()

"""`fix` of units and up axis: what is soft is the same in SI afterwards (REP-1.1-a, -b, -e)."""
import json
import math
import pathlib
import random
import tempfile
import unittest

from tests.cli.program import mechane

#: Per material: names and their powers of mass and length, by the schemas' documentation.
SURFACE = {"youngsModulus": (1, -1), "density": (1, -3), "surfaceStretchStiffness": (1, 0), "surfaceBendStiffness": (1, 2), "thickness": (0, 1), "stretchStiffness": (1, -1), "bendStiffness": (1, -1)}
VOLUME = {"youngsModulus": (1, -1), "density": (1, -3)}
CURVES = {"youngsModulus": (1, -1), "density": (1, -3), "curvesStretchStiffness": (1, 1), "curvesShearStiffness": (1, 1), "curvesBendStiffness": (1, 3), "curvesTwistStiffness": (1, 3), "thickness": (0, 1)}
DAMPING = {"curvesStretchDamping": (1, 1), "curvesBendDamping": (1, 3)}


class Stage:
    """A soft stage, drawn, in units of `m` metres and `kg` kilograms."""

    def __init__(self, draw, m, kg, up):
        self.draw, self.m, self.kg, self.up = draw, m, kg, up

    def number(self, si, powers):
        return si / self.kg ** powers[0] / self.m ** powers[1]

    def material(self, name, api, fields, further=()):
        chosen = [f for f in fields if f in ("youngsModulus", "density") or self.draw.random() < 0.5]
        lines = [f"  float physics:{f} = {self.number(self.draw.uniform(1, 9) * (1e-3 if f == 'thickness' else 1e3), fields[f])!r}" for f in chosen]
        lines += [f"  float newton:{f} = {self.number(self.draw.uniform(1, 9), DAMPING[f])!r}" for f in further]
        apis = [api] + (["NewtonCurvesDeformableMaterialAPI"] if further else [])
        return f' def Material "{name}" ( prepend apiSchemas = {json.dumps(apis)} )\n {{\n' + "\n".join(lines) + "\n }\n"

    def points(self, rows):
        return "[" + ", ".join("(" + ", ".join(repr(c / self.m) for c in (row if self.up == "Z" else (row[0], row[2], -row[1]))) + ")" for row in rows) + "]"

    def soft(self, kind, name, sim, material, inside):
        body = f'prepend apiSchemas = ["PhysicsDeformableBodyAPI", "Physics{sim}DeformableSimAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]'
        return f' def {kind} "{name}" ( {body} )\n {{\n{inside}  rel material:binding:physics = </w/{material}>\n }}\n'

    def text(self):
        draw = self.draw
        sheet = [(x * 0.1, y * 0.1, 0.5) for y in range(3) for x in range(3)]
        tet = [(1, 0, 0.3), (1.1, 0, 0.3), (1, 0.1, 0.3), (1, 0, 0.4)]
        line = [(2 + 0.1 * i, 0, 0.5) for i in range(5)]
        rest = [tuple(1.1 * c for c in row) for row in sheet]
        faces = [i for y in range(2) for x in range(2) for i in (3 * y + x, 3 * y + x + 1, 3 * y + x + 4, 3 * y + x, 3 * y + x + 4, 3 * y + x + 3)]
        cloth = f"  point3f[] points = {self.points(sheet)}\n  int[] faceVertexCounts = {[3] * 8}\n  int[] faceVertexIndices = {faces}\n"
        if draw.random() < 0.5:
            cloth += f"  point3f[] physics:restShapePoints = {self.points(rest)}\n"
        if draw.random() < 0.5:
            cloth += f'  float[] physics:thicknesses = [{self.number(0.004, (0, 1))!r}]\n  token physics:thicknesses:elementType = "constant"\n'
        if draw.random() < 0.5:
            cloth += f'  float[] physics:masses = [{self.number(0.3, (1, 0))!r}]\n  token physics:masses:elementType = "constant"\n'
        block = f"  point3f[] points = {self.points(tet)}\n  int4[] tetVertexIndices = [(0, 1, 2, 3)]\n"
        cable = f"  uniform token type = \"linear\"\n  int[] curveVertexCounts = [5]\n  point3f[] points = {self.points(line)}\n  float[] widths = [{0.02 / self.m!r}] (\n   interpolation = \"constant\"\n  )\n"
        held = (" def PhysicsAttachment \"hold\"\n {\n  rel physics:src0 = </w/cloth>\n  token physics:type0 = \"point\"\n  token physics:type1 = \"xform\"\n"
                f"  int[] physics:indices0 = [0, 2]\n  point3f[] physics:coords1 = {self.points([(0, 0, 0.6), (0.2, 0.1, 0.6)])}\n"
                f"  float physics:stiffness = {self.number(200, (1, 0))!r}\n  float physics:damping = {self.number(3, (1, 0))!r}\n }}\n")
        return (f'#usda 1.0\n(\n defaultPrim = "w"\n kilogramsPerUnit = {self.kg!r}\n metersPerUnit = {self.m!r}\n upAxis = "{self.up}"\n)\ndef Xform "w"\n{{\n'
                + self.material("sm", "PhysicsSurfaceDeformableMaterialAPI", SURFACE) + self.material("vm", "PhysicsVolumeDeformableMaterialAPI", VOLUME)
                + self.material("cm", "PhysicsCurvesDeformableMaterialAPI", CURVES, [f for f in DAMPING if draw.random() < 0.5])
                + self.soft("Mesh", "cloth", "Surface", "sm", cloth) + self.soft("TetMesh", "block", "Volume", "vm", block) + self.soft("BasisCurves", "cable", "Curves", "cm", cable)
                + held + "}\n")


def rows(value):
    if isinstance(value, list):
        for one in value:
            yield from rows(one)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value)


class SoftUnits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, stage):
        done = mechane("dump", "model", stage, "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["model"]

    def same(self, before, after):
        soft = [name for name in before if name.startswith(("particle_", "tri_", "tet_", "edge_", "spring_", "attachment_", "joint_target_", "joint_passive", "body_mass", "shape_scale"))]
        self.assertIn("tet_materials", soft)
        for name in soft:
            a, b = list(rows(before[name])), list(rows(after[name]))
            self.assertEqual(len(a), len(b), name)
            size = max(map(abs, a), default=0.0)
            for x, y in zip(a, b):
                if not math.isclose(x, y, rel_tol=2e-5, abs_tol=2e-6 * max(size, 1e-30)):
                    self.fail(f"{name}: {x!r} was before, {y!r} is after")

    def test_the_model_in_SI_is_the_same_before_and_after(self):
        for seed in range(6):
            draw = random.Random(seed)
            m, kg, up = draw.choice((0.01, 0.001, 1.0, 0.0254)), draw.choice((1.0, 0.001, 0.45359237)), draw.choice("YZ")
            with self.subTest(seed=seed, metersPerUnit=m, kilogramsPerUnit=kg, upAxis=up):
                place = self.folder / str(seed)
                place.mkdir()
                source = place / "w.usda"
                source.write_text(Stage(draw, m, kg, up).text())
                done = mechane("fix", source, "-o", place / "fixed")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                fixed = place / "fixed" / "w.usda"
                self.assertIn("metersPerUnit = 1", fixed.read_text())
                self.same(self.model(source), self.model(fixed))


if __name__ == "__main__":
    unittest.main()

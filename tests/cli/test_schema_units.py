"""Attributes whose schema names a unit: one robot, written in units of all kinds, is one model in SI."""
import math
import pathlib
import random
import re
import tempfile
import unittest

from tests.cli.program import ROOT, document, mechane

SCHEMA = ROOT / ".deps" / "schemas" / "newton_usd_schemas" / "resources" / "generatedSchema.usda"
DEGREE = math.pi / 180
FORCE, TORQUE = (1, 1), (1, 2)
# : Powers of mass and length, by kind of joint : angles are degrees, whose factor stands for itself in both stages.
SLIDER = {"newton:armature": (1, 0), "newton:damping": (1, 0), "newton:friction": FORCE, "newton:velocityLimit": (0, 1), "newton:limitStiffness": (1, 0), "newton:limitDamping": (1, 0)}
HINGE = {"newton:armature": TORQUE, "newton:damping": TORQUE, "newton:friction": TORQUE, "newton:velocityLimit": (0, 0), "newton:limitStiffness": TORQUE, "newton:limitDamping": TORQUE}
MATERIAL = {"newton:torsionalFriction": (0, 1), "newton:rollingFriction": (0, 1), "newton:contactStiffness": (1, 0), "newton:contactDamping": (1, 0), "newton:contactFrictionGain": (1, 0), "newton:contactAdhesion": (0, 1)}
COLLIDER = {"newton:contactMargin": (0, 1), "newton:contactGap": (0, 1)}
FIELD = {"newton:sdfTargetVoxelSize": (0, 1), "newton:sdfNarrowBandInner": (0, 1), "newton:sdfNarrowBandOuter": (0, 1), "newton:sdfPadding": (0, 1), "newton:hydroelasticStiffness": (1, -2)}
SLIDER_SERVO = {"newton:kp": (1, 0), "newton:kd": (1, 0), "newton:maxEffort": FORCE}
HINGE_SERVO = {"newton:kp": TORQUE, "newton:kd": TORQUE, "newton:maxEffort": TORQUE}
# : MuJoCo 's words say no unit; those of joints and materials are older names of Newton' s and follow them, in radians.
MJC_SLIDER = {"mjc:armature": (1, 0), "mjc:damping": (1, 0), "mjc:frictionloss": FORCE, "mjc:stiffness": (1, 0), "mjc:springref": (0, 1)}
MJC_HINGE = {"mjc:armature": TORQUE, "mjc:damping": TORQUE, "mjc:frictionloss": TORQUE, "mjc:stiffness": TORQUE, "mjc:springref": (0, 0)}
MJC_MATERIAL = {"mjc:torsionalfriction": (0, 1), "mjc:rollingfriction": (0, 1)}
MJC_COLLIDER = {"mjc:margin": (0, 1)}
# : Read by tests of their own, or by nobody : what bodies weigh, mimics, controllers that are not simulated.
ELSEWHERE = {"newton:inertia", "newton:shellThickness", "newton:mimicCoef0", "newton:constEffort", "newton:ki", "newton:integralMax", "newton:maxMotorEffort", "newton:saturationEffort", "newton:lookupPositions", "newton:lookupEfforts"}
# : Schemas of other solvers and of soft things, which have tests of their own.
OTHERS = re.compile(r"(Xpbd|Kamino|Vbd|MPM|Deformable)")


class Stage:
    def __init__(self, seed, metre, kilogram, mjc):
        self.draw, self.metre, self.kilogram, self.mjc = random.Random(seed), metre, kilogram, mjc

    def number(self, si, powers):
        return si / self.kilogram ** powers[0] / self.metre ** powers[1]

    def values(self, table, of_mjc=None):
        """Drawn in SI and written in the units of the stage."""
        out = ""
        for name, powers in [*table.items(), *(of_mjc.items() if of_mjc and self.mjc else ())]:
            sign = -1 if name == "newton:sdfNarrowBandInner" else 1
            scale = 1e-2 if powers == (0, 1) else 1
            kind = "uniform double" if name.startswith("mjc:") else "float"
            out += f"  {kind} {name} = {self.number(sign * scale * self.draw.uniform(1, 3), powers)!r}\n"
        return out

    def text(self):
        m, k = self.metre, self.kilogram
        inertia = self.number(0.1, (1, 2))
        newton = {} if self.mjc else None

        def body(name, inside=""):
            return f'def Xform "{name}" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) {{\n  float physics:mass = {1 / k!r}\n  float3 physics:diagonalInertia = ({inertia!r}, {inertia!r}, {inertia!r})\n{inside} }}\n'

        def joint(kind, child, table, mjc):
            return f'def Physics{kind}Joint "j_{child}" ( prepend apiSchemas = ["NewtonJointAPI", "MjcJointAPI"] ) {{\n  rel physics:body1 = </R/{child}>\n{self.values(table if newton is None else newton, mjc)} }}\n'

        def servo(child, table):
            return f'def NewtonActuator "a_{child}" ( prepend apiSchemas = ["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"] ) {{\n  rel newton:targets = </R/j_{child}>\n{self.values(table)} }}\n'

        cube = f'def Cube "c" ( prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonCollisionAPI", "NewtonSDFCollisionAPI", "MaterialBindingAPI"] ) {{\n  double size = {0.1 / m!r}\n  bool newton:hydroelasticEnabled = 1\n  rel material:binding:physics = </R/M>\n{self.values({**COLLIDER, **FIELD} if newton is None else newton, MJC_COLLIDER)} }}\n'
        material = f'def Material "M" ( prepend apiSchemas = ["PhysicsMaterialAPI", "NewtonMaterialAPI"] ) {{\n{self.values(MATERIAL if newton is None else newton, MJC_MATERIAL)} }}\n'
        return (f'#usda 1.0\n(\n defaultPrim = "R"\n metersPerUnit = {m!r}\n kilogramsPerUnit = {k!r}\n upAxis = "Z"\n)\ndef Xform "R" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] ) {{\n'
                + material + body("s", cube) + body("h") + joint("Prismatic", "s", SLIDER, MJC_SLIDER) + joint("Revolute", "h", HINGE, MJC_HINGE) + servo("s", SLIDER_SERVO) + servo("h", HINGE_SERVO) + "}\n")


def numbers(value, path=""):
    """Every number of a document with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from numbers(inner, f"{path}[{k}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, float(value)


class SchemaUnits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, *arguments, resolvers):
        file = self.folder / "s.usda"
        file.write_text(Stage(*arguments).text())
        return dict(numbers(document("dump", "model", file, "--resolvers", resolvers, "-o", "-", "--limit", "0")["model"]))

    def test_a_robot_in_other_units_is_the_same_model(self):
        for mjc, resolvers in ((False, "newton"), (True, "mjc,newton")):
            for seed, (metre, kilogram) in enumerate([(0.01, 1), (1, 0.001), (0.01, 0.001), (0.0254, 0.45359237)]):
                with self.subTest(mjc=mjc, metre=metre, kilogram=kilogram):
                    si = self.model(seed, 1, 1, mjc, resolvers=resolvers)
                    other = self.model(seed, metre, kilogram, mjc, resolvers=resolvers)
                    self.assertEqual(si.keys(), other.keys())
#Attributes and the model are of single precision : some ulps of 6e-8 each.
                    wrong = {k: (si[k], other[k]) for k in si if not math.isclose(si[k], other[k], rel_tol=1e-5, abs_tol=1e-7) and "unit" not in k}
                    self.assertEqual(wrong, {})

    def test_a_repair_of_the_units_keeps_the_model(self):
        for mjc, resolvers in ((False, "newton"), (True, "mjc,newton")):
            with self.subTest(mjc=mjc):
                before = self.model(3, 0.01, 0.001, mjc, resolvers=resolvers)
                done = mechane("fix", self.folder / "s.usda", "--rule", "REP-1.1-a", "--rule", "REP-1.1-b", "-o", self.folder / f"fixed{mjc}")
                fixed = next((self.folder / f"fixed{mjc}").rglob("s.usda"))
                self.assertIn("metersPerUnit = 1\n", fixed.read_text(), done.stderr)
                after = dict(numbers(document("dump", "model", fixed, "--resolvers", resolvers, "-o", "-", "--limit", "0")["model"]))
                wrong = {k: (before[k], after.get(k)) for k in before if not math.isclose(before[k], after.get(k, math.nan), rel_tol=1e-5, abs_tol=1e-7) and "unit" not in k}
                self.assertEqual(wrong, {})

    def test_the_ledger_says_that_they_are_converted(self):
        file = self.folder / "s.usda"
        file.write_text(Stage(7, 0.01, 0.001, False).text())
        entries = document("info", file, "--ledger", "--json", "--resolvers", "newton")["ledger"]["rows"]
        verdicts = {(e["prim"], e["property"]): e["verdict"] for e in entries}
        for prim, table in (("/R/M", MATERIAL), ("/R/a_s", SLIDER_SERVO), ("/R/a_h", HINGE_SERVO), ("/R/j_s", SLIDER)):
            for name, powers in table.items():
                if 0.01 ** powers[1] * 0.001 ** powers[0] != 1:
                    self.assertEqual(verdicts[(prim, name)], "converted", (prim, name))

    @unittest.skipUnless(SCHEMA.exists(), "Newton's schemas lie elsewhere")
    def test_no_attribute_with_a_unit_is_forgotten(self):
        known = ELSEWHERE.union(SLIDER, MATERIAL, COLLIDER, FIELD, SLIDER_SERVO)
        schema, forgotten = "", set()
        name = None
        for line in SCHEMA.read_text().splitlines():
            if found := re.match(r'class (?:\w+ )?"(\w+)"', line):
                schema = found[1]
            elif found := re.match(r"    (?:uniform )?[\w\[\]]+ (newton:[\w:]+)", line):
                name = found[1]
            elif (found := re.search(r"Units: (.*)", line)) and not OTHERS.search(schema):
                if re.search(r"mass|distance|force|torque|effort", found[1]) and name not in known:
                    forgotten.add(name)
        self.assertEqual(forgotten, set())


if __name__ == "__main__":
    unittest.main()

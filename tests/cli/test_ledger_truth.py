"""GAP-098: *used* means that the value reached the model or the run and could change it; what is *ignored* changes nothing.

Stages are drawn by chance. Every property that they author is given another value, and the model and the run are computed again.
"""
import json
import pathlib
import random
import tempfile
import unittest

from tests.cli.program import SANITIZED, mechane

#: Kinds of prims: what stands in front of their properties, and the properties with their type and a pool of values.
MASS = {"physics:mass": ("float", ["2", "3"]), "physics:density": ("float", ["500", "700"]), "physics:centerOfMass": ("point3f", ["(0.1, 0, 0)", "(0, 0.1, 0)"]),
        "physics:diagonalInertia": ("float3", ["(1, 1, 1)", "(2, 2, 2)"]), "physics:principalAxes": ("quatf", ["(1, 0, 0, 0)", "(0.7, 0.7, 0, 0)"])}
BODY = {"physics:velocity": ("vector3f", ["(1, 0, 0)", "(0, 2, 0)"]), "physics:angularVelocity": ("vector3f", ["(10, 0, 0)", "(0, 20, 0)"]),
        "physics:startsAsleep": ("uniform bool", ["0", "1"]), "physics:kinematicEnabled": ("bool", ["0", "1"]), "physics:rigidBodyEnabled": ("bool", ["1", "0"])}
#: What PhysX has for bodies and no solver here models.
PHYSX = {"physxRigidBody:disableGravity": ("bool", ["1", "0"]), "physxRigidBody:linearDamping": ("float", ["1", "2"]), "physxRigidBody:angularDamping": ("float", ["1", "2"]),
        "physxRigidBody:maxLinearVelocity": ("float", ["1", "0.5"]), "physxRigidBody:maxAngularVelocity": ("float", ["10", "20"]), "physxRigidBody:lockedPosAxis": ("int", ["1", "2"])}
COLLIDER = {"physics:collisionEnabled": ("bool", ["1", "0"]), "newton:contactMargin": ("float", ["0.01", "0.02"]), "newton:contactGap": ("float", ["0.02", "0.03"]),
            "physxCollision:restOffset": ("float", ["0.03", "0.04"]), "physxCollision:torsionalPatchRadius": ("float", ["1", "2"])}
MATERIAL = {"physics:density": ("float", ["600", "800"]), "physics:staticFriction": ("float", ["0.4", "0.6"]), "physics:dynamicFriction": ("float", ["0.3", "0.5"]), "physics:restitution": ("float", ["0.1", "0.4"]),
            "newton:torsionalFriction": ("float", ["0.1", "0.2"]), "newton:rollingFriction": ("float", ["0.01", "0.02"]),
            "physxMaterial:compliantContactStiffness": ("float", ["1000", "2000"]), "physxMaterial:frictionCombineMode": ("uniform token", ['"min"', '"multiply"'])}
JOINT = {"physics:axis": ("uniform token", ['"X"', '"Y"']), "physics:lowerLimit": ("float", ["-30", "-20"]), "physics:upperLimit": ("float", ["20", "30"]),
         "physics:breakForce": ("float", ["1e4", "2e4"]), "physics:jointEnabled": ("bool", ["1", "0"]), "physics:collisionEnabled": ("bool", ["0", "1"]),
         "physics:localPos0": ("point3f", ["(0, 0, 0.5)", "(0, 0, 0.6)"]), "drive:angular:physics:stiffness": ("float", ["1", "2"]),
         "drive:angular:physics:damping": ("float", ["0.1", "0.2"]), "drive:angular:physics:targetPosition": ("float", ["5", "10"]),
         "drive:angular:physics:maxForce": ("float", ["3", "4"]), "newton:armature": ("float", ["0.01", "0.02"]), "newton:friction": ("float", ["0.1", "0.2"]),
         "newton:limitStiffness": ("float", ["10", "20"]), "newton:limitDamping": ("float", ["1", "2"]), "physxJoint:armature": ("float", ["0.03", "0.04"]),
         "physxJoint:jointFriction": ("float", ["0.1", "0.2"]), "physxJoint:maxJointVelocity": ("float", ["100", "200"])}
SCENE = {"physics:gravityMagnitude": ("float", ["9.81", "5"]), "physics:gravityDirection": ("vector3f", ["(0, 0, -1)", "(1, 0, -1)"]),
         "newton:timeStepsPerSecond": ("int", ["100", "200"]), "newton:maxSolverIterations": ("int", ["5", "6"]), "newton:gravityEnabled": ("bool", ["1", "0"]),
         "physxScene:timeStepsPerSecond": ("uint", ["50", "60"])}
APIS = {"body": '"PhysicsRigidBodyAPI", "PhysicsMassAPI"', "box": '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"',
        "collider": '"PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"'}


def drawn(pool, chance):
    """Some of the properties, each with two values: the one that is authored and the other."""
    return {name: (kind, *chance.sample(values, 2)) for name, (kind, values) in sorted(pool.items()) if chance.random() < 0.5}


def lines(properties, changed):
    return "".join(f"    {kind} {name} = {other if name == changed else value}\n" for name, (kind, value, other) in properties.items())


class Drawn:
    """A floor, a body whose collider lies below it, a box that is body and collider, a joint between them, a material and a scene."""

    def __init__(self, seed):
        chance, physx = random.Random(seed), random.Random(1000 + seed)
        self.prims = {"/S": drawn(SCENE, chance), "/W/base": {**drawn({**BODY, **MASS}, chance), **drawn(PHYSX, physx)}, "/W/base/geo": drawn({**COLLIDER, **MASS}, chance),
                      "/W/arm": {**drawn({**COLLIDER, **BODY, **MASS}, chance), **drawn(PHYSX, physx)},
                      "/W/j": drawn(JOINT, chance), "/M": drawn(MATERIAL, chance), "/floor": drawn({**COLLIDER, **MASS}, chance)}

    def text(self, prim="", changed=""):
        def of(path):
            return lines(self.prims[path], changed if path == prim else "")
        place = "    double3 xformOp:translate = {}\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
        return f"""#usda 1.0
(
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "S" {{
{of("/S")}}}
def Material "M" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
{of("/M")}}}
def Cube "floor" (prepend apiSchemas = [{APIS["collider"]}]) {{
    double size = 2
    rel material:binding:physics = </M>
{place.format("(0, 0, -1)")}{of("/floor")}}}
def Xform "W" {{
def Xform "base" (prepend apiSchemas = [{APIS["body"]}]) {{
{place.format("(0, 0, 0.49)")}{of("/W/base")}    def Cube "geo" (prepend apiSchemas = [{APIS["collider"]}]) {{
    double size = 1
    rel material:binding:physics = </M>
{of("/W/base/geo")}    }}
}}
def Cube "arm" (prepend apiSchemas = [{APIS["box"]}]) {{
    double size = 0.4
    rel material:binding:physics = </M>
{place.format("(0, 0, 1.3)")}{of("/W/arm")}}}
def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {{
    rel physics:body0 = </W/base>
    rel physics:body1 = </W/arm>
{of("/W/j")}}}
}}
"""


def outcome(text, folder):
    """Everything that the value could have changed: the model as it is dumped and as a checkpoint knows it, and the run."""
    stage = pathlib.Path(folder) / "s.usda"
    stage.write_text(text)
    checkpoint = pathlib.Path(folder) / "c"
    run = mechane("sim", stage, "--frames", "12", "--json", "--reproducible", "-q", "--checkpoint", checkpoint)
    trajectory = json.loads(run.stdout)
    for noise in ("source",):
        trajectory.pop(noise, None)
    trajectory["report"].pop("dt_source", None)
    model = json.loads(mechane("dump", "model", stage, "-q").stdout)
    for noise in ("source", "diagnostics", "warnings", "result"):
        model.pop(noise, None)
    fields = json.loads(mechane("explain", stage, "/W/j", "--json", "-q").stdout or "{}")
    shown = sorted((v["field"], v["dof"], v["value"]) for v in fields.get("values", []) if v["array"])
    return json.dumps([trajectory, model, shown], sort_keys=True)


class Truth(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "hundreds of programs are started")
    def test_what_is_used_can_change_something_and_what_is_ignored_cannot(self):
        for seed in range(4):
            stage = Drawn(seed)
            with tempfile.TemporaryDirectory() as folder:
                plain = outcome(stage.text(), folder)
                rows = json.loads(mechane("info", pathlib.Path(folder) / "s.usda", "--ledger", "--json", "-q").stdout)["ledger"]["rows"]
                verdict = {(row["prim"], row["property"]): (row["verdict"], row["note"]) for row in rows}
                for prim, properties in stage.prims.items():
                    for name in properties:
                        with self.subTest(seed=seed, prim=prim, property=name):
                            said, note = verdict[prim, name]
                            moved = outcome(stage.text(prim, name), folder) != plain
                            if said in ("used", "converted"):
                                self.assertTrue(moved, f"{said}: {note}")
                            elif said == "ignored":
                                self.assertFalse(moved, f"{said}: {note}")
                                self.assertTrue(note)

    def test_the_weight_of_a_disabled_body_weighs_nothing(self):
        """A disabled body that collides is static, so that nothing asks what it weighs."""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "s.usda"
            stage.write_text(f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Cube "arm" (prepend apiSchemas = [{APIS["box"]}]) {{\n    bool physics:rigidBodyEnabled = 0\n    float physics:mass = 2\n'
                             '    point3f physics:centerOfMass = (0.1, 0, 0)\n    quatf physics:principalAxes = (0.7, 0.7, 0, 0)\n    float3 physics:diagonalInertia = (1, 1, 1)\n    float physics:density = 500\n}\n')
            rows = json.loads(mechane("info", stage, "--ledger", "--json", "-q").stdout)["ledger"]["rows"]
            self.assertEqual({row["property"]: row["verdict"] for row in rows if row["property"] in MASS}, {name: "ignored" for name in MASS})


if __name__ == "__main__":
    unittest.main()

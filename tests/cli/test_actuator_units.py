"""Actuators of MuJoCo in stages of other units: force = gain u + b0 + b1 q + b2 qd holds in the units of the stage, as for everything else."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

STAGE = """#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = {m}
    kilogramsPerUnit = {k}
    upAxis = "Z"
)
def Xform "r" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{{
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {{
        float physics:mass = {mass}
        float3 physics:diagonalInertia = ({inertia}, {inertia}, {inertia})
    }}
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    {{
        float physics:mass = {mass}
        float3 physics:diagonalInertia = ({inertia}, {inertia}, {inertia})
    }}
    def PhysicsRevoluteJoint "hinge"
    {{
        rel physics:body1 = </r/a>
    }}
    def PhysicsPrismaticJoint "slide"
    {{
        rel physics:body0 = </r/a>
        rel physics:body1 = </r/b>
    }}
    def MjcActuator "turns"
    {{
        rel mjc:target = </r/hinge>
        uniform token mjc:biasType = "affine"
        uniform double[] mjc:gainPrm = [{turn_ke}]
        uniform double[] mjc:biasPrm = [0, -{turn_ke}, -{turn_kd}]
        double mjc:forceRange:min = -{torque}
        double mjc:forceRange:max = {torque}
    }}
    def MjcActuator "slides"
    {{
        rel mjc:target = </r/slide>
        uniform token mjc:biasType = "affine"
        uniform double[] mjc:gainPrm = [{slide_ke}]
        uniform double[] mjc:biasPrm = [0, -{slide_ke}, -{slide_kd}]
        double mjc:forceRange:min = -{force}
        double mjc:forceRange:max = {force}
    }}
}}
"""


class Units(unittest.TestCase):
    def model(self, m, k):
        text = STAGE.format(m=m, k=k, mass=2 / k, inertia=0.1 / k / m / m, turn_ke=50 / k / m / m, turn_kd=3 / k / m / m, torque=7 / k / m / m,
                            slide_ke=400 / k, slide_kd=20 / k, force=9 / k / m)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.usda"
            path.write_text(text)
            return json.loads(mechane("dump", "model", path, "--resolvers", "newton,mjc", "-q").stdout)["model"]

    def test_servos_are_those_that_were_meant(self):
        for m, k in ((1, 1), (0.01, 0.001), (0.0254, 0.45359237)):
            with self.subTest(metersPerUnit=m, kilogramsPerUnit=k):
                model = self.model(m, k)
                for name, expected in (("joint_target_ke", [50, 400]), ("joint_target_kd", [3, 20]), ("joint_effort_limit", [7, 9])):
                    for found, meant in zip(model[name], expected, strict=True):
                        self.assertAlmostEqual(found / meant, 1, places=5, msg=name)


if __name__ == "__main__":
    unittest.main()

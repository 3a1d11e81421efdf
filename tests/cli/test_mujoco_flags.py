"""Flags of MuJoCo on a scene (`mjc:flag:*`) switch parts of the model off for every solver, not for MuJoCo's alone (option/flag of MuJoCo's XML reference)."""
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "W"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "W" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    def PhysicsScene "S" (
        prepend apiSchemas = ["MjcSceneAPI"]
    )
    {
FLAGS    }
    def Cube "base" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
    }
    def Sphere "b" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]
    )
    {
        double radius = 0.1
    }
    def PhysicsRevoluteJoint "j" (
        prepend apiSchemas = ["PhysicsDriveAPI:angular", "MjcJointAPI"]
    )
    {
        rel physics:body1 = </W/b>
        float physics:lowerLimit = -10
        float physics:upperLimit = 10
        float drive:angular:physics:stiffness = 3
        float drive:angular:physics:damping = 1
        uniform double mjc:frictionloss = 2
        uniform double mjc:damping = 4
    }
}
"""
COLLIDES = 2  # shape_flag::collide_shapes


class Flags(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stage = pathlib.Path(folder.name, "s.usda")

    def model(self, *flags, resolvers="newton,mjc"):
        self.stage.write_text(STAGE.replace("FLAGS", "".join(f"        uniform bool mjc:flag:{flag} = 0\n" for flag in flags)))
        arrays = document("dump", "model", self.stage, "--resolvers", resolvers, "--limit", 0)["model"]
        return {"contact": any(flag & COLLIDES for flag in arrays["shape_flags"]), "limit": arrays["joint_limit_upper"][-1] < 1e9,
                "frictionloss": arrays["joint_friction"][-1] > 0, "damper": arrays["joint_damping"][-1] > 0, "actuation": arrays["joint_target_ke"][-1] > 0}

    def test_each_flag_takes_out_its_part_and_no_other(self):
        everything = self.model()
        self.assertEqual(everything, dict.fromkeys(everything, True))
        for flag in everything:
            self.assertEqual(self.model(flag), {**everything, flag: False}, flag)
        # What the solver of constraints does: contacts, limits, friction.
        self.assertEqual(self.model("constraint"), {**everything, "contact": False, "limit": False, "frictionloss": False})

    def test_a_flag_is_accounted_for_and_told(self):
        self.model("contact")
        done = mechane("info", self.stage, "--ledger", "-v")
        self.assertIn("IMPORT_MUJOCO_FLAG", done.stderr)
        self.assertRegex(done.stdout, r"mjc:flag:contact = 0 .*used")

    def test_a_flag_of_another_type_works_and_is_told(self):
        for kind, value in (("int", "0"), ("double", "0"), ("uniform int", "0")):
            text = STAGE.replace("FLAGS", f"        {kind} mjc:flag:contact = {value}\n")
            self.stage.write_text(text)
            done = mechane("sim", self.stage, "--frames", "2", "--resolvers", "newton,mjc")
            self.assertRegex(done.stderr, r"STAGE_TYPE_OTHER.*mjc:flag:contact is of type (int|double), and bool in its schema", kind)

    def test_what_falls_for_the_flag_is_not_told_to_have_no_collider(self):
        self.stage.write_text(STAGE.replace("FLAGS", "        uniform bool mjc:flag:contact = 0\n").partition("    def PhysicsRevoluteJoint")[0] + "}\n")
        done = mechane("sim", self.stage, "--duration", "1s", "--resolvers", "newton,mjc")
        self.assertIn("/W/b falls: a flag of MuJoCo switches all contacts off", done.stderr)
        self.assertNotIn("no body has a collider", done.stderr)

    def test_without_the_resolver_of_mujoco_the_flags_say_nothing(self):
        self.assertTrue(self.model("contact", resolvers="newton")["contact"])


if __name__ == "__main__":
    unittest.main()

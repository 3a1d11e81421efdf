"""What is authored and has no effect is told by everyone who uses the model: one warning for each kind, which --strict counts."""
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "r"\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n'
BOX = """    def Cube "%s" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]
    )
    {
        double size = 1
        float physics:mass = 1
%s    }
"""
SCENE = '    def PhysicsScene "%s"\n    {\n        float physics:gravityMagnitude = %s\n    }\n'


def robot(*parts):
    return HEAD + 'def Xform "r"\n{\n' + "".join(parts) + "}\n"


class NoEffect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def told(self, text, code):
        """The messages of one kind, and the rows of the ledger"""
        path = self.write("s.usda", text)
        done = document("info", path, "--ledger", "--json")
        of = [f["message"] for f in done["findings"] if f["id"] == code]
        if of:
            self.assertEqual(mechane("info", path, "--strict", "-q").returncode, 1)
            self.assertIn(code, mechane("sim", path, "--duration", "0.05s").stderr)
        return of, {(row["prim"], row["property"]): row for row in done["ledger"]["rows"]}

    def test_a_value_without_the_api_that_has_it(self):
        """GAP-098"""
        bare = BOX.replace(', "PhysicsMassAPI"', "")
        of, rows = self.told(robot(bare % ("a", ""), bare % ("b", "")), "IMPORT_API_UNAPPLIED")
        self.assertEqual(of, ["physics:mass has no effect: the prim does not apply PhysicsMassAPI (2 prims)"])
        joint = '    def PhysicsRevoluteJoint "j"\n    {\n        rel physics:body1 = </r/a>\n        float drive:angular:physics:stiffness = 4\n    }\n'
        of, rows = self.told(robot(BOX % ("a", ""), joint), "IMPORT_API_UNAPPLIED")
        self.assertEqual(of, ["drive:angular:physics:stiffness has no effect: the prim does not apply PhysicsDriveAPI:angular"])
        row = rows["/r/j", "drive:angular:physics:stiffness"]
        self.assertEqual(row["verdict"], "ignored")
        self.assertNotIn("resolver", row["note"])
        self.assertEqual(self.told(robot(BOX % ("a", "")), "IMPORT_API_UNAPPLIED")[0], [])

    def test_a_target_that_no_drive_follows(self):
        """A command without effect is told, by setting and by table, and one with effect is not."""
        hinge = '    def PhysicsRevoluteJoint "j" (\n        prepend apiSchemas = ["PhysicsDriveAPI:angular"]\n    )\n    {\n        rel physics:body1 = </r/a>\n%s    }\n'
        gains = {"": "", "position": "        float drive:angular:physics:stiffness = 4\n", "velocity": "        float drive:angular:physics:damping = 4\n"}
        (self.folder / "c.csv").write_text("t,/r/j.target_q\n0,0.1\n0.02,0.2\n")
        for kind, drive in gains.items():
            path = self.write("s.usda", robot(BOX % ("a", ""), hinge % drive))
            for field, reads in (("target_q", "position"), ("target_qd", "velocity")):
                done = mechane("sim", path, "--frames", "2", "--set", f"/r/j.{field}=0.1")
                self.assertEqual("RUN_TARGET_IDLE" in done.stderr, kind != reads, (kind, field, done.stderr))
            self.assertEqual("RUN_TARGET_IDLE" in mechane("sim", path, "--frames", "2", "--control", self.folder / "c.csv").stderr, kind != "position")
        path = self.write("s.usda", robot(BOX % ("a", ""), hinge % ""))
        self.assertEqual(mechane("sim", path, "--frames", "2", "--set", "/r/j.target_q=0.1", "--strict").returncode, 1)
        self.assertNotIn("RUN_TARGET_IDLE", mechane("sim", path, "--frames", "2", "--set", "/r/j.target_q=0.1", "--hold", "50,5").stderr)

    def test_a_feature_that_a_parameter_of_the_solver_switches_on_is_not_lacking(self):
        material = '    def Material "m" (\n        prepend apiSchemas = ["PhysicsMaterialAPI"]\n    )\n    {\n        float physics:restitution = 0.6\n    }\n'
        path = self.write("s.usda", robot(material, BOX.replace("PhysicsMassAPI", "MaterialBindingAPI") % ("a", "        rel material:binding:physics = </r/m>\n")))
        for solver, lacks in (("xpbd", True), ("xpbd:enable_restitution=1", False), ("xpbd:enable_restitution=true,iterations=3", False), ("SolverXPBD:enable_restitution=0", True)):
            done = mechane("sim", path, "--frames", "2", "--ground", "--solver", solver)
            self.assertEqual("SOLVER_FEATURE" in done.stderr and "restitution" in done.stderr, lacks, (solver, done.stderr))

    def test_what_a_mimic_of_physx_follows_by_is_no_loss(self):
        joint = '    def PhysicsRevoluteJoint "%s" (\n        prepend apiSchemas = [%s]\n    )\n    {\n        rel physics:body0 = </r/base>\n        rel physics:body1 = </r/%s>\n%s    }\n'
        follow = "        rel physxMimicJoint:rotX:referenceJoint = </r/ja>\n        float physxMimicJoint:rotX:gearing = 2\n        float physxMimicJoint:rotX:offset = 10\n"
        parts = [BOX % (name, "") for name in ("base", "a", "b")]
        text = robot(*parts, joint % ("ja", '"NewtonJointAPI"', "a", ""), joint % ("jb", '"PhysxMimicJointAPI:rotX"', "b", follow))
        self.assertEqual(self.told(text, "IMPORT_NOT_SIMULATED")[0], [])
        of, rows = self.told(text.replace("offset = 10\n", "offset = 10\n        float physxMimicJoint:rotX:naturalFrequency = 20\n"), "IMPORT_NOT_SIMULATED")
        self.assertEqual(len(of), 1)
        self.assertIn("naturalFrequency", of[0])
        self.assertNotIn("gearing", of[0])
        self.assertEqual(rows["/r/jb", "physxMimicJoint:rotX:gearing"]["verdict"], "converted")

    def test_values_of_physx_that_change_the_motion_there(self):
        """GAP-098, GAP-100: what no solver models is one warning, whatever the resolvers; what says the schema's fallback, or sets PhysX's solver, is none."""
        api = BOX.replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "PhysxRigidBodyAPI"')
        lost = "        bool physxRigidBody:disableGravity = 1\n        float physxRigidBody:linearDamping = 2\n        float physxRigidBody:maxAngularVelocity = 10\n"
        of, rows = self.told(robot(api % ("a", lost), api % ("b", "        bool physxRigidBody:disableGravity = 1\n")), "IMPORT_NOT_SIMULATED")
        self.assertEqual(of, ["physxRigidBody:disableGravity (gravity acts on every body of a scene), 2 prims; physxRigidBody:linearDamping (damping of free bodies is not simulated); "
                              "physxRigidBody:maxAngularVelocity (speeds of bodies are not bounded) have no effect"])
        for name in ("disableGravity", "linearDamping", "maxAngularVelocity"):
            self.assertEqual(rows["/r/a", "physxRigidBody:" + name]["verdict"], "ignored")
        plain = "        bool physxRigidBody:disableGravity = 0\n        float physxRigidBody:linearDamping = 0\n        int physxRigidBody:solverPositionIterationCount = 16\n        float physxRigidBody:sleepThreshold = 0.01\n"
        self.assertEqual(self.told(robot(api % ("a", plain)), "IMPORT_NOT_SIMULATED")[0], [])
        still = lost + "        bool physics:kinematicEnabled = 1\n"
        self.assertEqual(self.told(robot(api % ("a", still)), "IMPORT_NOT_SIMULATED")[0], [])
        trigger = api.replace('"PhysxRigidBodyAPI"', '"PhysxRigidBodyAPI", "PhysxTriggerAPI"')
        self.assertEqual(self.told(robot(trigger % ("a", "")), "IMPORT_NOT_SIMULATED")[0], ["PhysxTriggerAPI (a collider pushes others) has no effect"])
        path = self.write("s.usda", robot(api % ("a", lost)))
        for resolvers in ("auto", "newton", "newton,physx"):
            done = mechane("sim", path, "--duration", "0.05s", "--resolvers", resolvers)
            self.assertEqual(done.stderr.count("IMPORT_NOT_SIMULATED"), 1, resolvers)

    def test_values_of_physx_in_instances_and_on_links(self):
        (self.folder / "part.usda").write_text(HEAD.replace('"r"', '"p"') + 'def Xform "p"\n{\n' + BOX.replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "PhysxRigidBodyAPI"') % ("a", "        bool physxRigidBody:disableGravity = 1\n") + "}\n")
        for flag in ("true", "false"):
            with self.subTest(flag):
                arm = f'    def "p" (\n        instanceable = {flag}\n        prepend references = @./part.usda@\n    )\n    {{\n    }}\n'
                joint = '    def PhysicsRevoluteJoint "j" (\n        prepend apiSchemas = ["PhysxJointAPI"]\n    )\n    {\n        rel physics:body1 = </r/p/a>\n        float physxJoint:jointFriction = 3\n    }\n'
                of, _ = self.told(robot(arm, joint), "IMPORT_NOT_SIMULATED")
                self.assertEqual(of, ["physxJoint:jointFriction (load-proportional friction has no equal here); physxRigidBody:disableGravity (gravity acts on every body of a scene) have no effect"])

    def test_a_transform_operation_that_the_order_leaves_out(self):
        for order, words in (("", "stands without an xformOpOrder"), ('        uniform token[] xformOpOrder = ["xformOp:scale"]\n        float3 xformOp:scale = (1, 1, 1)\n', "is not in xformOpOrder")):
            of, _ = self.told(robot(BOX % ("a", "        double3 xformOp:translate = (0, 0, 2)\n" + order)), "IMPORT_XFORM_UNLISTED")
            self.assertEqual(of, ["xformOp:translate " + words])
        for harmless in ("(0, 0, 0)\n", '(0, 0, 2)\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n', '(0, 0, 2)\n        uniform token[] xformOpOrder = ["!invert!xformOp:translate"]\n'):
            self.assertEqual(self.told(robot(BOX % ("a", "        double3 xformOp:translate = " + harmless)), "IMPORT_XFORM_UNLISTED")[0], [])

    def test_gravity_of_a_scene_without_bodies(self):
        """GAP-098: used is what could change the model"""
        of, rows = self.told(robot(SCENE % ("one", 9.81), SCENE % ("two", 1.6), BOX % ("a", "")), "IMPORT_SCENE_IDLE")
        self.assertEqual(len(of), 1)
        self.assertIn("</r/two>", of[0])
        self.assertEqual(rows["/r/two", "physics:gravityMagnitude"]["verdict"], "ignored")
        self.assertEqual(rows["/r/one", "physics:gravityMagnitude"]["verdict"], "used")
        owner = BOX % ("b", "        rel physics:simulationOwner = </r/two>\n")
        self.assertEqual(self.told(robot(SCENE % ("one", 9.81), SCENE % ("two", 1.6), BOX % ("a", ""), owner), "IMPORT_SCENE_IDLE")[0], [])

    def test_an_animated_place_of_what_forces_move(self):
        moved = '        double3 xformOp:translate.timeSamples = { 0: (0, 0, 1), 24: (0, 0, 5) }\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n'
        of, _ = self.told(robot(BOX % ("a", moved), BOX % ("b", moved)), "IMPORT_ANIMATION_START")
        self.assertEqual(of, ["the animated place of </r/a> counts at the start only, and of 1 more bodies"])
        self.assertEqual(self.told(robot(BOX % ("a", moved + "        bool physics:kinematicEnabled = 1\n")), "IMPORT_ANIMATION_START")[0], [])

    def test_a_joint_whose_part_is_switched_off_holds_nothing_to_the_world(self):
        joint = '    def PhysicsFixedJoint "j"\n    {\n        rel physics:body0 = </r/b>\n        rel physics:body1 = </r/a>\n    }\n'
        off = (BOX % ("b", "")).replace("prepend apiSchemas", "active = false\n        prepend apiSchemas")
        path = self.write("s.usda", robot(BOX % ("a", ""), off, joint))
        done = mechane("sim", path, "--duration", "0.5s", "-o", self.folder / "s.csv")
        self.assertIn("physics:body0 of </r/j> names </r/b>, which is switched off", done.stderr)
        self.assertLess(float((self.folder / "s.csv").read_text().splitlines()[-1].split(",")[3]), -1)

    def test_rotations_of_no_length_and_values_without_end(self):
        joint = '    def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )\n    {\n        rel physics:body1 = </r/a>\n%s    }\n'
        of, rows = self.told(robot(BOX % ("a", ""), joint % "        quatf physics:localRot0 = (0, 0, 0, 0)\n"), "PHY_ROTATION_ZERO")
        self.assertEqual(len(of), 1)
        self.assertEqual(rows["/r/j", "physics:localRot0"]["verdict"], "ignored")
        for what in ("stiffness", "damping", "targetPosition", "targetVelocity"):
            of, rows = self.told(robot(BOX % ("a", ""), joint % f"        float drive:angular:physics:{what} = inf\n"), "PHY_VALUE_NAN")
            self.assertEqual(of, [f"drive:angular:physics:{what} is inf"])
            self.assertEqual(rows["/r/j", f"drive:angular:physics:{what}"]["verdict"], "ignored")
        of, rows = self.told(robot(BOX % ("a", "        point3f physics:centerOfMass = (inf, 0, 0)\n")), "PHY_VALUE_NAN")
        self.assertEqual(of, ["physics:centerOfMass is not finite"])
        self.assertEqual(self.told(robot(BOX % ("a", "        point3f physics:centerOfMass = (-inf, -inf, -inf)\n")), "PHY_VALUE_NAN")[0], [])

    def test_a_group_that_includes_what_is_not_there(self):
        group = '    def PhysicsCollisionGroup "g"\n    {\n        rel collection:colliders:includes = [</r/a>, </r/none>]\n    }\n'
        of, _ = self.told(robot(BOX % ("a", ""), group), "PHY_GROUP_INCLUDE_MISSING")
        self.assertEqual(of, ["</r/g> includes </r/none>, which does not exist"])

    def test_words_that_hide_nothing(self):
        of, _ = self.told(robot(BOX % ("a", '        token visibility = "invisble"\n        uniform token purpose = "guides"\n')), "PHY_VALUE_TOKEN")
        self.assertEqual(len(of), 2)

    def test_a_picture_on_a_shape_without_texture_coordinates(self):
        look = """    def Material "m"
    {
        token outputs:surface.connect = </r/m/s.outputs:surface>
        def Shader "s"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </r/m/t.outputs:rgb>
            token outputs:surface
        }
        def Shader "t"
        {
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./p.png@
            float3 outputs:rgb
        }
    }
"""
        shape = (BOX % ("a", "        rel material:binding = </r/m>\n")).replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "MaterialBindingAPI"')
        self.assertEqual(len(self.told(robot(look, shape), "IMPORT_TEXTURE_MISSING")[0]), 1)
        self.write("p.png", "not looked into before somebody draws")
        of, _ = self.told(robot(look, shape), "IMPORT_TEXTURE_UNPLACED")
        self.assertEqual(len(of), 1)
        self.assertIn("p.png", of[0])

    def test_a_part_of_a_file_with_another_up_axis(self):
        self.write("part.usda", (HEAD + BOX % ("p", "")).replace('"Z"', '"Y"').replace('defaultPrim = "r"', 'defaultPrim = "p"'))
        part = '    def Xform "i" (\n        prepend references = @./part.usda@\n    )\n    {\n%s    }\n'
        of, _ = self.told(robot(part % ""), "UNITS_REFERENCE_MISMATCH")
        self.assertEqual(len(of), 1)
        self.assertIn("upAxis Y where Z is used", of[0])
        turned = '        float xformOp:rotateX = 90\n        uniform token[] xformOpOrder = ["xformOp:rotateX"]\n'
        self.assertEqual(self.told(robot(part % turned), "UNITS_REFERENCE_MISMATCH")[0], [])

    def test_reasons_of_a_pair_are_those_that_hold(self):
        """The joint of a floating base filters nothing."""
        static = BOX.replace('"PhysicsRigidBodyAPI", ', "").replace(', "PhysicsMassAPI"', "").replace("        float physics:mass = 1\n", "")
        path = self.write("s.usda", robot(BOX % ("a", "        rel physics:filteredPairs = </r/b>\n"), static % ("b", "")))
        said = mechane("explain", path, "--pair", "/r/a", "/r/b").stdout
        self.assertIn("physics:filteredPairs names them", said)
        self.assertNotIn("joined by", said)

    def test_a_filter_on_what_is_no_body_is_remarked(self):
        group = '    def Xform "left" (\n        prepend apiSchemas = ["PhysicsFilteredPairsAPI"]\n    )\n    {\n        rel physics:filteredPairs = </r/right/b>\n%s    }\n    def Xform "right"\n    {\n%s    }\n'
        path = self.write("s.usda", robot(group % (BOX % ("a", ""), BOX % ("b", ""))))
        said = mechane("explain", path, "--pair", "/r/left/a", "/r/right/b").stdout
        self.assertIn("collide", said)
        self.assertIn("physics:filteredPairs of </r/left> names </r/right/b> and has no effect: </r/left> is neither", said)

    def test_a_conversion_without_a_missing_part_names_it(self):
        """GAP-105"""
        part = '    def Xform "x" (\n        prepend references = @./gone.usda@\n    )\n    {\n    }\n'
        path = self.write("s.usda", robot(BOX % ("a", ""), part))
        for result in ("folder", "x.urdf", "x.usdz", "x.glb"):
            done = mechane("convert", path, "-o", self.folder / result)
            self.assertEqual(done.returncode, 3, (result, done.stderr))
            self.assertIn("gone.usda", done.stderr)

    def test_a_stage_of_which_nothing_is_left_names_the_missing_file(self):
        path = self.write("s.usda", HEAD + 'def Xform "r" (\n    prepend payload = @./gone.usd@\n)\n{\n}\n')
        for arguments in (("diff", path, path), ("convert", path, "-o", self.folder / "x.urdf"), ("fix", path, "--diff")):
            with self.subTest(arguments[0]):
                done = mechane(*arguments)
                self.assertIn("gone.usd", done.stderr)
                self.assertNotEqual(done.returncode, 0)

    def test_what_is_left_of_a_repair_for_one_reason_is_one_line(self):
        inside = "".join(f'    def Xform "b{i}" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n    )\n    {{\n    }}\n' for i in range(30))
        said = mechane("fix", self.write("s.usda", robot(inside)), "-o", self.folder / "out").stderr
        self.assertEqual(said.count("REP-1.3-m"), 1, said)
        self.assertIn("/r/b0 (and 29 more)", said)


if __name__ == "__main__":
    unittest.main()

"""Hints name only options that the verb which prints them has; what is an option of another verb is named with that verb."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import ROOT, mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "W"\n%s    upAxis = "Z"\n)\n'
#: Stages with faults whose hints name options of some verbs: units that nobody states, a link in a link under each reading, an uneven scale of a sphere, a kinematic body with a velocity, a vendor's words that are
#: not listed, a missing layer, a misspelt property, a mass that nothing gives, a target and a start beyond a limit.
FAULTS = {
    "units": HEAD % "" + 'def Xform "W"\n{\n    def Cube "c" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n    )\n    {\n    }\n}\n',
    "nested": HEAD % "    metersPerUnit = 1\n" + 'def Xform "W"\n{\n    def Xform "a" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n    )\n    {\n        def Sphere "b" (\n'
              '            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n        )\n        {\n            float3 xformOp:scale = (1, 2, 3)\n            uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:scale"]\n'
              '        }\n        def Cube "c" (\n            prepend apiSchemas = ["PhysicsCollisionAPI"]\n        )\n        {\n            uniform token[] xformOpOrder = ["!resetXformStack!"]\n        }\n    }\n}\n',
    "kinematic": HEAD % "    metersPerUnit = 1\n" + 'def Xform "W"\n{\n    def Cube "a" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n    )\n    {\n        bool physics:kinematicEnabled = 1\n'
                 '        vector3f physics:velocity = (1, 0, 0)\n        float physics:mas = 3\n        float physxRigidBody:linearDamping = 1\n    }\n}\n',
    "missing": HEAD % "    metersPerUnit = 1\n    subLayers = [@./gone.usda@, @package://nobody/a.usda@]\n" + 'def Xform "W"\n{\n    def Cube "a" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n    )\n    {\n    }\n}\n',
    "joint": HEAD % "    metersPerUnit = 1\n" + 'def PhysicsScene "S"\n{\n    float newton:timeStepsPerSecond = -3\n}\ndef Xform "W"\n{\n    def Cube "a" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n    )\n    {\n    }\n'
             '    def PhysicsRevoluteJoint "j" (\n        prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"]\n    )\n    {\n        rel physics:body1 = </W/a>\n        float physics:lowerLimit = -10\n        float physics:upperLimit = 10\n'
             '        float drive:angular:physics:targetPosition = 90\n        float drive:angular:physics:stiffness = 3\n        float state:angular:physics:position = 80\n    }\n}\n',
}
VERBS = {"info": [], "tree": [], "check": [], "explain": ["/W/a"], "cat": [], "collide": [], "dump": ["model"], "sim": ["--frames", "2"], "bench": ["--steps", "2"], "mesh": [], "fix": ["--diff"], "render": ["-o", "out.png", "--size", "32x32"],
         "convert": ["-o", "out.urdf"]}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")


class Hints(unittest.TestCase):
    def test_no_hint_names_an_option_that_the_verb_lacks(self):
        known = {verb: set(OPTION.findall(mechane(verb, "--help").stdout)) for verb in {*VERBS, "replay", "diff", "doctor", "view", "ros"}}
        judged = 0
        with tempfile.TemporaryDirectory() as place:
            for name, text in FAULTS.items():
                stage = pathlib.Path(place, name + ".usda")
                stage.write_text(text)
                for verb, words in VERBS.items():
                    target = ["model", stage] if verb == "dump" else [stage, *words]
                    done = mechane(verb, *target, "-v", cwd=place)
                    for hint in re.findall(r"= help: (.*)", done.stderr):
                        judged += 1
                        for part in re.split(r"`", hint):
                            owner = re.match(r"(?:mechane )?(%s)\b" % "|".join(known), part) or re.search(r"\b(%s) --" % "|".join(known), part)
                            for option in OPTION.findall(part):
                                with self.subTest(verb=verb, stage=name, hint=hint):
                                    self.assertIn(option, known[owner.group(1) if owner else verb])
        self.assertGreater(judged, 20)  # the faults are told

    def test_the_rest_of_a_hint_stays(self):
        """A part of a sentence is left out, the rest is a sentence."""
        with tempfile.TemporaryDirectory() as place:
            stage = pathlib.Path(place, "s.usda")
            stage.write_text(FAULTS["joint"])
            full, less = mechane("sim", stage, "--frames", "2").stderr, mechane("info", stage).stderr
        self.assertIn("help: Author one positive finite number for all scenes, or give --dt.\n", full)
        self.assertIn("help: Author one positive finite number for all scenes.\n", less)


class OtherFormats(unittest.TestCase):
    """Who writes URDF has no attributes of OpenUSD: remedies are in words of links and joints"""

    WORDS = re.compile(r"physics:|xformOp|localPos|[A-Z]\w+API|[Aa]uthor |mechane fix|metersPerUnit")

    def hints(self, name, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, name)
            file.write_text(text)
            done = mechane(*words, file)
            return done.stderr, re.findall(r"= help: (.*)", done.stderr)

    def test_a_remedy_for_urdf_names_no_attribute_of_a_stage(self):
        mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        link = '<link name="%s">' + mass + "</link>"
        joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="0.5" upper="1" effort="1" velocity="1"/></joint>'
        arm = '<robot name="r"><link name="world"/>' + link % "a" + link % "b" + joint + '<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint></robot>'
        for text, code in ((arm, "RUN_START_LIMIT"), (arm, "RUN_NO_COLLIDERS"), ('<robot name="r"><link name="world"/></robot>', "RUN_NOTHING_MOVES")):
            with self.subTest(code):
                said, hints = self.hints("r.urdf", text, "sim", "--frames", "1")
                self.assertIn(code, said)
                self.assertEqual([hint for hint in hints if self.WORDS.search(hint)], [])
        # Drives of this sample have targets beyond their limits.
        hints = re.findall(r"= help: (.*)", mechane("sim", "--frames", "1", ROOT / "samples" / "convert" / "walker.xml").stderr)
        self.assertTrue(any(hint.startswith("Give a target within the limits") for hint in hints), hints)
        self.assertEqual([hint for hint in hints if self.WORDS.search(hint)], [])
        stage = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "r" {}\n'
        said, hints = self.hints("r.usda", stage, "sim", "--frames", "1")
        self.assertTrue(any("PhysicsRigidBodyAPI" in hint for hint in hints), said)

    def test_rules_speak_of_links_and_joints_too(self):
        """Rules of REP-0158 judge what a file becomes. Where things stand in layers is none of its author's doing."""
        body = '<body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" material="m"/></body>'
        png = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "t.png").write_bytes(png)
            robot = pathlib.Path(folder, "r.xml")
            robot.write_text(f'<mujoco><asset><texture name="t" type="2d" file="t.png"/><material name="m" texture="t"/></asset><worldbody>{body}</worldbody>'
                             '<tendon><fixed name="f"><joint joint="j" coef="1"/></fixed></tendon></mujoco>')
            done = mechane("check", robot)
            for rule in ("REP-1.2.5-f", "REP-1.3-u"):
                self.assertNotIn(f"[{rule}]", done.stderr + done.stdout)
            mass = '<link name="a"><inertial><mass value="1e300"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            robot = pathlib.Path(folder, "r.urdf")
            robot.write_text(f'<robot name="r">{mass}</robot>')
            told = [f for f in json.loads(mechane("check", robot, "--format", "json").stdout)["findings"] if f["rule"] == "REP-1.3-l"]
            self.assertTrue(told)
            for finding in told:
                self.assertEqual(finding["hint"], "Give the link a mass above 0 and not infinite.")


if __name__ == "__main__":
    unittest.main()

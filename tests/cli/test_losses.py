"""What a stage says and a robot format has no word for stands in the loss report; what it has a word for comes back; and `diff` sees each such value."""
import json
import pathlib
import re
import tempfile
import unittest
from xml.etree import ElementTree

from tests.cli.program import ROOT, document, mechane

BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
#: A link on a hinge, in units of the caller's choice; `#name` marks a place where something can be said.
STAGE = '''#usda 1.0
(
 defaultPrim = "R"
 metersPerUnit = UNIT
 kilogramsPerUnit = 1
 timeCodesPerSecond = 1
 upAxis = "Z"
)
def PhysicsScene "scene" {
 vector3f physics:gravityDirection = (0, 0, -1)
 float physics:gravityMagnitude = GRAVITY
}
def Material "M" (prepend apiSchemas = ["PhysicsMaterialAPI", "NewtonMaterialAPI", "PhysxMaterialAPI"]) {
 float physics:staticFriction = 0.5
 float physics:dynamicFriction = 0.5
 #material
}
def Xform "R" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
 def Xform "base" (BODY) {
  float physics:mass = 1
  float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
 }
 def PhysicsFixedJoint "hold" {
  rel physics:body1 = </R/base>
 }
 def Xform "l" (BODY) {
  double3 xformOp:translate = (0.5, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  float physics:mass = 1
  float3 physics:diagonalInertia = (0.01, 0.0833, 0.0833)
  #link
  def Cube "pad" (prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonCollisionAPI", "PhysxSurfaceVelocityAPI", "MaterialBindingAPI"]) {
   double size = 0.2
   rel material:binding:physics = </M>
   #pad
  }
 }
 def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["NewtonJointAPI"]) {
  rel physics:body0 = </R/base>
  rel physics:body1 = </R/l>
  point3f physics:localPos1 = (-0.5, 0, 0)
  uniform token physics:axis = "Y"
  float physics:lowerLimit = -5
  float physics:upperLimit = 5
  #joint
 }
 #more
}
'''
MJC = '''def MjcActuator "act" {
 rel mjc:target = </R/j>
 uniform double[] mjc:gainPrm = [K, 0, 0]
 uniform double[] mjc:biasPrm = [0, -K, -D]
 uniform token mjc:biasType = "affine"
}'''
NEWTON = '''def NewtonActuator "act" (prepend apiSchemas = ["NewtonPDControlAPI"]) {
 rel newton:targets = </R/j>
 float newton:kp = K
 float newton:kd = D
}'''


def stage(metres=1, gravity=9.81, **said):
    text = STAGE.replace("BODY", BODY).replace("UNIT", str(metres)).replace("GRAVITY", str(gravity / metres))
    for place, value in said.items():
        assert f"#{place}\n" in text, place
        text = text.replace(f"#{place}\n", value + "\n")
    return text


def actuator(prim, k, d):
    return prim.replace("K", str(k)).replace("D,", f"{d},").replace("-D]", f"-{d}]").replace("= D", f"= {d}")


#: A value of a stage, another one of it, and what `diff` calls its field.
VALUES = {
    "torsional friction": (dict(material="float newton:torsionalFriction = 0.2"), dict(material="float newton:torsionalFriction = 0.1")),
    "rolling friction": (dict(material="float newton:rollingFriction = 0.03"), dict(material="float newton:rollingFriction = 0.01")),
    "friction of two materials": (dict(material='uniform token physxMaterial:frictionCombineMode = "max"'), dict(material='uniform token physxMaterial:frictionCombineMode = "min"')),
    "restitution of two materials": (dict(material='uniform token physxMaterial:restitutionCombineMode = "max"'), dict(material='uniform token physxMaterial:restitutionCombineMode = "min"')),
    "stiffness": (dict(material="float newton:contactStiffness = 500\n float newton:contactDamping = 5"), dict(material="float newton:contactStiffness = 900\n float newton:contactDamping = 5")),
    "damping": (dict(material="float newton:contactStiffness = 500\n float newton:contactDamping = 5"), dict(material="float newton:contactStiffness = 500\n float newton:contactDamping = 9")),
    "margin": (dict(pad="float newton:contactMargin = 0.001"), dict(pad="float newton:contactMargin = 0.02")),
    "gap": (dict(pad="float newton:contactGap = 0.07"), dict(pad="float newton:contactGap = 0.02")),
    "surface velocity": (dict(pad="vector3f physxSurfaceVelocity:surfaceVelocity = (0.5, 0, 0)"), dict(pad="vector3f physxSurfaceVelocity:surfaceVelocity = (0.9, 0, 0)")),
    "limit stiffness": (dict(joint="float newton:limitStiffness = 3\n float newton:limitDamping = 0.1"), dict(joint="float newton:limitStiffness = 5\n float newton:limitDamping = 0.1")),
    "limit damping": (dict(joint="float newton:limitStiffness = 3\n float newton:limitDamping = 0.1"), dict(joint="float newton:limitStiffness = 3\n float newton:limitDamping = 0.2")),
    "spring stiffness": (dict(joint="double mjc:stiffness = 2"), dict(joint="double mjc:stiffness = 3")),
}
#: By field: the code of the loss report in each format, or the words of the format that say it.
TOLD = {
    "torsional friction": dict(urdf="torsional-friction", sdf="<torsional>", xml='friction="0.5 0.2 0.0001"'),
    "rolling friction": dict(urdf="rolling-friction", sdf="<rolling_friction>0.03", xml='condim="6"'),
    "friction of two materials": dict(urdf="combine-rule", sdf="combine-rule", xml="combine-rule"),
    "restitution of two materials": dict(urdf="combine-rule", sdf="combine-rule", xml="combine-rule"),
    "stiffness": dict(urdf="contact-stiffness", sdf="contact-stiffness", xml='solref="-500 -5"'),
    "margin": dict(urdf="contact-margin", sdf="contact-margin", xml='margin="0.001'),
    "gap": dict(urdf="contact-gap", sdf="contact-gap", xml='gap="0.07'),
    "surface velocity": dict(urdf="surface-velocity", sdf="surface-velocity", xml="surface-velocity"),
    "limit stiffness": dict(urdf="limit-stiffness", sdf="<dissipation>", xml="solreflimit="),
    "spring stiffness": dict(urdf="spring", sdf="<spring_stiffness>2", xml='stiffness="2"'),
}


class Losses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def convert(self, source, suffix):
        """Converts and verifies; the codes of the report, the written text and the entries."""
        result = self.folder / f"out.{suffix}"
        done = mechane("convert", source, "-o", result, "--verify", "--json")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)
        entries = json.loads(done.stdout)["entries"]
        return {e["code"] for e in entries}, result.read_text(), entries

    def differs(self, a, b, field):
        done = mechane("diff", a, b, "--json")
        found = json.loads(done.stdout)["differences"]
        self.assertEqual(done.returncode, 1, field)
        self.assertIn(field, {d["field"] for d in found})
        return found

    def test_each_value_that_changes_a_simulation_is_compared(self):
        for field, (one, other) in VALUES.items():
            with self.subTest(field=field):
                found = self.differs(self.write("a.usda", stage(**one)), self.write("b.usda", stage(**other)), field)
                self.assertEqual(len(found), 1, found)
                alone = mechane("diff", self.folder / "a.usda", self.folder / "b.usda", "--only", found[0]["quantity"])
                self.assertEqual(alone.returncode, 1, alone.stdout)

    def test_each_value_is_written_or_announced(self):
        for field, formats in TOLD.items():
            source = self.write("a.usda", stage(**VALUES[field][0]))
            for suffix, told in formats.items():
                with self.subTest(field=field, suffix=suffix):
                    codes, text, entries = self.convert(source, suffix)
                    if "-" in told and "=" not in told or told == "spring":
                        self.assertIn(told, codes)
                        entry = next(e for e in entries if e["code"] == told)
                        self.assertTrue(entry["reason"] and entry["file"].endswith("a.usda"), entry)
                    else:
                        self.assertIn(told, text)

    def test_a_gap_of_zero_comes_back(self):
        _, text, _ = self.convert(self.write("a.usda", stage(pad="float newton:contactGap = 0")), "xml")
        self.assertIn('gap="0"', text)

    def test_a_robot_without_self_collision_does_not_touch_what_stands_in_its_model(self):
        """SDFormat has one word for all links of a model, and shapes of the world are a link of it."""
        ball = lambda name, x: (f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n double3 xformOp:translate = ({x}, 0, 0.5)\n uniform token[] xformOpOrder = ["xformOp:translate"]\n'
                                ' def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n {\n  double radius = 0.1\n }\n}\n')
        robot = ('#usda 1.0\n(\n defaultPrim = "W"\n metersPerUnit = 1\n kilogramsPerUnit = 1\n upAxis = "Z"\n)\ndef Xform "W"\n{\n def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n {\n'
                 '  uniform token axis = "Z"\n }\n def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"])\n {\n  bool newton:selfCollisionEnabled = %d\n'
                 + ball("a", 0) + ball("b", 0.3) + ' def PhysicsRevoluteJoint "j"\n {\n  rel physics:body0 = </W/r/a>\n  rel physics:body1 = </W/r/b>\n  point3f physics:localPos0 = (0.15, 0, 0)\n'
                 '  point3f physics:localPos1 = (-0.15, 0, 0)\n }\n }\n}\n')
        for touches in (0, 1):
            codes, text, _ = self.convert(self.write("a.usda", robot % touches), "sdf")
            self.assertEqual(("collision-pair" in codes, "<self_collide>true" in text), (not touches, bool(touches)))

    def test_frictions_of_an_mjcf_file_are_compared(self):
        text = '<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" friction="{f}"/><body name="b" pos="0 0 .1"><freejoint/><geom name="g" size=".1" friction="{f}"/></body></worldbody></mujoco>'
        found = self.differs(self.write("a.xml", text.format(f="0.5 0.02 0.003")), self.write("b.xml", text.format(f="0.5 0.01 0.001")), "rolling friction")
        self.assertEqual({d["field"] for d in found}, {"rolling friction", "torsional friction"})

    def test_actuators_are_the_drive_of_their_joint(self):
        # 40 N m/rad in SI: a torque of 40 kg m^2/s^2 is 40e4 kg cm^2/s^2.
        for name, prim, k in (("mjc", MJC, 40e4), ("newton", NEWTON, 40e4)):
            with self.subTest(name=name):
                one = self.write("a.usda", stage(metres=0.01, more=actuator(prim, k, k / 20)))
                other = self.write("b.usda", stage(metres=0.01, more=actuator(prim, 2 * k, k / 20)))
                found = self.differs(one, other, "stiffness")
                self.assertEqual([(d["a"]["value"], d["b"]["value"]) for d in found], [("40 N m/rad", "80 N m/rad")])
                for suffix in ("urdf", "sdf"):
                    codes, _, _ = self.convert(one, suffix)
                    self.assertIn("drive", codes)
                _, text, _ = self.convert(one, "xml")
                self.assertRegex(text, 'kp="40"' if name == "newton" else r'gainprm="40 0 0"')
                self.assertEqual(mechane("diff", one, self.folder / "out.xml", "--only", "gain").returncode, 0)

    def test_a_floating_joint_of_what_has_no_mass_is_told_where_it_does_not_come_back(self):
        """A link that is only seen stands still in OpenUSD; a body that floats is free there and comes back with its joint."""
        inside = {"seen": '<visual><geometry><box size=".1 .1 .1"/></geometry></visual>',
                  "body": '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'}
        for kind, held in (("seen", False), ("body", True)):
            with self.subTest(kind=kind):
                source = self.write("a.urdf", f'<robot name="r"><link name="base">{inside["body"]}</link><link name="l">{inside[kind]}</link>'
                                              '<joint name="f" type="floating"><origin xyz="1 0 0"/><parent link="base"/><child link="l"/></joint></robot>')
                mechane("convert", source, "-o", self.folder / "b.urdf", "--fail-on-loss", "never", "--loss", self.folder / "l.json")
                told = [e["what"] for e in json.loads((self.folder / "l.json").read_text())["entries"] if e["code"] == "floating-joint"]
                self.assertEqual(('"f"' in (self.folder / "b.urdf").read_text(), told), (held, [] if held else ["joint 'f'"]))

    def test_an_actuator_that_is_no_drive_is_announced(self):
        prim = NEWTON.replace("float newton:kp", "float newton:constEffort = 3\n float newton:kp")
        codes, _, entries = self.convert(self.write("a.usda", stage(more=actuator(prim, 40, 2))), "urdf")
        self.assertIn("actuator", codes)
        self.assertNotIn("drive", codes)

    def test_a_motor_does_not_hide_the_drive_of_its_joint(self):
        motor = 'def MjcActuator "m" {\n rel mjc:target = </R/j>\n uniform token mjc:gainType = "fixed"\n uniform token mjc:biasType = "none"\n uniform token mjc:dynType = "none"\n uniform double[] mjc:gainPrm = [1, 0, 0]\n}'
        source = self.write("a.usda", stage(joint="float drive:angular:physics:stiffness = 1", more=motor).replace('["NewtonJointAPI"]', '["NewtonJointAPI", "PhysicsDriveAPI:angular"]'))
        _, text, _ = self.convert(source, "xml")
        self.assertIn("<position", text)
        self.assertIn("<motor", text)

    def test_a_report_of_another_format_counts_and_says_the_version_of_the_result(self):
        """`kept` counts values of the source that are the same in the result: an element that its format has no word for is not among them"""
        text = '<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>%s</robot>'
        plain, more = (self.write(name, text % extra) for name, extra in (("a.urdf", ""), ("b.urdf", '<gazebo reference="a"><mu1>1</mu1></gazebo>')))
        versions = {"urdf": ("URDF", "1.0"), "sdf": ("SDFormat", "1.9"), "xml": ("MJCF", ""), "usda": ("OpenUSD", "UsdPhysics, REP-0158")}
        for suffix, expected in versions.items():
            with self.subTest(suffix):
                reports = [document("convert", source, "-o", self.folder / f"out.{suffix}", "--json") for source in (plain, more)]
                self.assertEqual({(r["target"], r["targetVersion"]) for r in reports}, {expected})
                # A link's name, its mass, and six numbers of its inertia at least.
                self.assertGreaterEqual(min(r["summary"]["kept"] for r in reports), 8)

    def test_what_changes_with_time_is_compared_and_announced(self):
        held = stage().replace("  double3 xformOp:translate = (0.5, 0, 0)", "  bool physics:kinematicEnabled = 1\n  double3 xformOp:translate.timeSamples = {0: (0.5, 0, 0), 1: (HERE, 0, 0)}")
        held = held[:held.index(' def PhysicsRevoluteJoint "j"')] + "}\n"
        mass = stage().replace("  float physics:mass = 1\n  float3 physics:diagonalInertia = (0.01", "  float physics:mass.timeSamples = {0: 1, 1: HERE}\n  float3 physics:diagonalInertia = (0.01")
        for field, text in (("position", held), ("mass", mass)):
            with self.subTest(field=field):
                one, other = (self.write(f"{i}.usda", text.replace("HERE", str(i))) for i in (3, 9))
                found = self.differs(one, other, "animated " + field + " at 1 s")
                for suffix in ("urdf", "sdf", "xml"):
                    codes, _, _ = self.convert(one, suffix)
                    self.assertIn("animation", codes)

    def test_samples_of_points_that_a_model_cannot_hold_are_announced(self):
        mesh = '#usda 1.0\n(\n defaultPrim = "m"\n metersPerUnit = 1\n upAxis = "Y"\n)\ndef Mesh "m" {\n point3f[] points.timeSamples = {0: [(0,0,0), (1,0,0), (0,1,0)], 1: [(0,0,0), (2,0,0), (0,1,0)]}\n int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n}\n'
        source = self.write("a.usda", mesh)
        done = mechane("convert", source, "-o", self.folder / "a.glb", "--json")
        self.assertIn("animation", {e["code"] for e in json.loads(done.stdout)["entries"]})

    def test_a_motion_that_parts_is_not_called_equal(self):
        # Gravity is not among what is compared, so that only the motion tells.
        one, other = self.write("a.usda", stage()), self.write("b.usda", stage(gravity=3))
        done = mechane("diff", one, other, "--rollout", "--only", "kinematics")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("different"), done.stdout)

    def test_a_hinge_that_closes_a_loop_is_announced(self):
        codes, text, _ = self.convert(ROOT / "samples" / "gallery" / "four_bar.usda", "xml")
        self.assertIn("loop-joint", codes)
        self.assertEqual(text.count("<connect"), 2)

    def test_a_loop_is_closed_where_its_robot_starts(self):
        # Four bars whose joints are off their zero: SDFormat has no other zero than the poses of its links.
        codes, _, _ = self.convert(ROOT / "samples" / "gallery" / "four_bar.usda", "sdf")
        self.assertIn("zero-position", codes)
        model = document("dump", "model", self.folder / "out.sdf")["model"]
        row = next(i for i, label in enumerate(model["joint_label"]) if label.endswith("closing"))

        def anchor(body, frame):
            """Where a point of a frame in a body is; quaternions are x y z w."""
            (px, py, pz, x, y, z, w), (ax, ay, az) = model["body_q"][body], frame[:3]
            tx, ty, tz = 2 * (y * az - z * ay), 2 * (z * ax - x * az), 2 * (x * ay - y * ax)
            return px + ax + w * tx + y * tz - z * ty, py + ay + w * ty + z * tx - x * tz, pz + az + w * tz + x * ty - y * tx
        one = anchor(model["joint_parent"][row], model["joint_X_p"][row])
        other = anchor(model["joint_child"][row], model["joint_X_c"][row])
        self.assertLess(max(abs(a - b) for a, b in zip(one, other)), 1e-5)
        motor = next(i for i, label in enumerate(model["joint_label"]) if label.endswith("motor"))
        crank = model["body_q"][model["joint_child"][motor]]
        start = document("dump", "model", ROOT / "samples" / "gallery" / "four_bar.usda")["model"]
        row = next(i for i, label in enumerate(start["joint_label"]) if label.endswith("motor"))
        for a, b in zip(crank[:3], start["body_q"][start["joint_child"][row]][:3]):
            self.assertAlmostEqual(a, b, 5)

    def test_limits_too_large_to_be_any_are_announced(self):
        source = self.write("a.usda", stage().replace("physics:upperLimit = 5", "physics:upperLimit = 1e20"))
        codes, text, _ = self.convert(source, "sdf")
        self.assertIn("one-sided-limit", codes)
        self.assertNotIn("<upper>", text)
        codes, text, _ = self.convert(source, "xml")
        self.assertIn("one-sided-limit", codes)
        self.assertIn('1000000"', text)

    def test_gravity_that_nobody_says_is_the_earths(self):
        for said in (" metersPerUnit = 1\n", ""):
            text = stage().replace(" metersPerUnit = 1\n", said).replace(" float physics:gravityMagnitude = 9.81\n", "")
            _, text, _ = self.convert(self.write("a.usda", text), "xml")
            self.assertIn('gravity="0 0 -9.81"', text)

    def test_a_scene_without_gravity_has_none_in_the_result(self):
        text = stage().replace('def PhysicsScene "scene" {', 'def PhysicsScene "scene" (prepend apiSchemas = ["NewtonSceneAPI"]) {\n bool newton:gravityEnabled = 0')
        _, text, _ = self.convert(self.write("a.usda", text), "xml")
        self.assertIn('gravity="0 0 0"', text)

    def test_an_articulation_that_does_not_touch_itself_is_written(self):
        arm = ' def Xform "far" (BODY) {\n  double3 xformOp:translate = (1, 0, 0)\n  uniform token[] xformOpOrder = ["xformOp:translate"]\n  float physics:mass = 1\n  float3 physics:diagonalInertia = (0.1, 0.1, 0.1)\n  def Cube "tip" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {\n   double size = 0.1\n  }\n }\n def PhysicsRevoluteJoint "k" {\n  rel physics:body0 = </R/l>\n  rel physics:body1 = </R/far>\n  point3f physics:localPos1 = (-0.5, 0, 0)\n }'.replace("BODY", BODY)
        text = stage(more=arm).replace('["PhysicsArticulationRootAPI"]) {', '["PhysicsArticulationRootAPI", "PhysxArticulationAPI"]) {\n bool physxArticulation:enabledSelfCollisions = 0')
        source = self.write("a.usda", text)
        _, text, _ = self.convert(source, "sdf")
        self.assertNotIn("<self_collide>true", text)
        codes, _, _ = self.convert(source, "urdf")
        self.assertIn("self-collision", codes)

    def test_links_that_a_joint_of_the_format_keeps_apart_are_announced(self):
        bar = '<geom type="capsule" size=".02" fromto="0 0 0 {x} 0 {z}"/>'
        text = ('<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/>' + bar.format(x=0, z=-.5) + '<body name="c" pos="0 0 -.5"><joint name="jc" axis="0 1 0"/>' + bar.format(x=1, z=0) +
                '</body></body><body name="b" pos="1 0 1"><joint name="jb" axis="0 1 0"/>' + bar.format(x=0, z=-.5) + '</body></worldbody><equality><connect name="e" body1="c" body2="b" anchor="1 0 0"/></equality></mujoco>')
        codes, _, _ = self.convert(self.write("a.xml", text), "sdf")
        self.assertIn("collision-pair", codes)

    def test_a_link_whose_old_name_another_link_gets_is_followed(self):
        inertia = '<inertial><mass value="{m}"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
        text = '<robot name="r">' + "".join(f'<link name="{n}">{inertia.format(m=m)}</link>' for n, m in (("a b", 2), ("a_b", 1))) + '<joint name="j" type="revolute"><parent link="a b"/><child link="a_b"/><axis xyz="0 1 0"/><origin xyz="0.5 0 0"/><limit lower="-1" upper="1" effort="5" velocity="5"/></joint></robot>'
        source = self.write("a.urdf", text)
        for result in ("out.usda", "out2.urdf", "out.xml", "out.sdf"):
            with self.subTest(result=result):
                done = mechane("convert", source, "-o", self.folder / result, "--verify")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_world_holds_its_gravity(self):
        source = self.write("a.usda", stage(gravity=3))
        codes, text, _ = self.convert(source, "world")
        self.assertNotIn("gravity", codes)
        self.assertIn("<gravity>0 0 -3</gravity>", text)
        self.assertLess(text.index("<world"), text.index("<model"))
        self.assertEqual(mechane("diff", source, self.folder / "out.world", "--only", "scene").returncode, 0)
        codes, _, _ = self.convert(source, "sdf")
        self.assertIn("gravity", codes)


class Slips(unittest.TestCase):
    """A name that nothing reads, and a value without the API that has it, are told by a conversion to a robot format as by a simulation."""

    ROBOT = '''#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2
    float physics:mas = 3
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        float physics:density = 4
    }
}
'''
    #: The same robot by other arcs; `robot.usda` lies beside each.
    STAGES = {"sublayer": '#usda 1.0\n(\n    defaultPrim = "r"\n    metersPerUnit = 1\n    upAxis = "Z"\n    subLayers = [@robot.usda@]\n)\n',
              "instance": '#usda 1.0\n(\n    defaultPrim = "w"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "w"\n{\n'
                          '    def "a" (\n        instanceable = true\n        references = @robot.usda@\n    )\n    {\n    }\n}\n'}

    def test_they_are_told_once_and_counted_by_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "robot.usda").write_text(self.ROBOT)
            for name, text in self.STAGES.items():
                (folder / f"{name}.usda").write_text(text)
            package = mechane("convert", folder / "robot.usda", "-o", folder / "package.usdz")
            self.assertEqual(package.returncode, 0, package.stderr)
            for stage in ("robot.usda", "sublayer.usda", "instance.usda", "package.usdz"):
                for ending in ("urdf", "sdf", "xml"):
                    with self.subTest(stage=stage, ending=ending):
                        done = mechane("convert", folder / stage, "-o", folder / f"{stage}.{ending}")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertEqual(done.stderr.count("physics:mas "), 1, done.stderr)
                        self.assertIn("physics:density", done.stderr)
                        strict = mechane("convert", folder / stage, "-o", folder / f"strict.{ending}", "--strict")
                        self.assertEqual(strict.returncode, 1, strict.stderr)

    def test_a_stage_without_slips_is_quiet(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "robot.usda").write_text(self.ROBOT.replace("    float physics:mas = 3\n", "").replace("        float physics:density = 4\n", ""))
            for ending in ("urdf", "sdf", "xml"):
                done = mechane("convert", folder / "robot.usda", "-o", folder / f"robot.{ending}", "--strict")
                self.assertEqual(done.returncode, 0, done.stderr)


class SeenColliders(unittest.TestCase):
    """A collider that is seen is written as what is seen too, with its look."""
    SEEN = '#usda 1.0\n(\n    defaultPrim = "b"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n%s}\n'
    RED = "color3f[] primvars:displayColor = [(1, 0, 0)]\n"
    MESH = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\nuniform token subdivisionScheme = \"none\"\n"

    def made(self, shape, suffix, more=""):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "s.usda")
            source.write_text((self.SEEN % shape) + more)
            result = pathlib.Path(folder, "r." + suffix)
            done = mechane("convert", source, "-o", result, "--verify", "--fail-on-loss", "never")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return ElementTree.fromstring(result.read_text())

    def collider(self, kind, own, api=""):
        return f'def {kind} "c" (prepend apiSchemas = ["PhysicsCollisionAPI"{api}])\n{{\n{own}}}\n'

    def test_by_format(self):
        forms = {"Cube": "double size = 0.2\n", "Sphere": "double radius = 0.1\nfloat3 xformOp:scale = (1, 2, 3)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n",
                 "Cylinder": "double radius = 0.1\ndouble height = 1\n", "Capsule": "double radius = 0.1\ndouble height = 1\n", "Cone": "double radius = 0.1\ndouble height = 1\n", "Mesh": self.MESH,
                 "Points": "point3f[] points = [(0, 0, 0), (0, 0, 1)]\nfloat[] widths = [0.1, 0.2]\n"}
        for kind, own in forms.items():
            for suffix, path in (("urdf", ".//visual"), ("sdf", ".//visual"), ("xml", ".//worldbody//geom")):
                with self.subTest(kind=kind, suffix=suffix):
                    shape = self.collider(kind, own + self.RED)
                    seen = [e for e in self.made(shape, suffix).findall(path) if suffix != "xml" or e.get("material")]
                    self.assertEqual(len(seen), 2 if kind == "Points" else 1)
                    for hidden in ('uniform token purpose = "guide"\n', 'token visibility = "invisible"\n'):
                        root = self.made(self.collider(kind, own + self.RED + hidden), suffix)
                        self.assertEqual([e for e in root.findall(path) if suffix != "xml" or e.get("material")], [])

    def test_the_color_is_that_of_the_prim(self):
        shape = self.collider("Cube", "double size = 0.2\n" + self.RED)
        self.assertEqual(self.made(shape, "urdf").find(".//visual/material/color").get("rgba"), "1 0 0 1")
        self.assertEqual(self.made(shape, "sdf").find(".//visual/material/diffuse").text, "1 0 0 1")
        root = self.made(shape, "xml")
        geom = root.find(".//worldbody//geom")
        self.assertEqual(root.find(f".//material[@name='{geom.get('material')}']").get("rgba"), "1 0 0 1")
        self.assertIsNone(geom.get("group"))

    def test_a_material_that_is_bound_is_the_look(self):
        look = 'def Material "M"\n{\n    token outputs:surface.connect = </M/S.outputs:surface>\n    def Shader "S"\n    {\n        uniform token info:id = "UsdPreviewSurface"\n        color3f inputs:diffuseColor = (0, 1, 0)\n        token outputs:surface\n    }\n}\n'
        root = self.made(self.collider("Cube", "double size = 0.2\nrel material:binding = </M>\n", ', "MaterialBindingAPI"'), "urdf", look)
        self.assertEqual(root.find(".//visual/material/color").get("rgba"), "0 1 0 1")

    def test_a_plane_is_drawn_as_large_as_it_is_and_collides_without_an_end(self):
        plane = '#usda 1.0\n(\n    defaultPrim = "w"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "w"\n{\n    def Plane "f" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n    {\n        uniform token axis = "Z"\n        double width = 4\n        double length = 6\n    }\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "s.usda")
            source.write_text(plane)
            for suffix in ("xml", "sdf"):
                mechane("convert", source, "-o", pathlib.Path(folder, "r." + suffix), "--fail-on-loss", "never")
            geoms = ElementTree.parse(pathlib.Path(folder, "r.xml")).findall(".//geom")
            self.assertEqual([g.get("size") for g in geoms], ["2 3 0.1"])
            self.assertEqual([e.text for e in ElementTree.parse(pathlib.Path(folder, "r.sdf")).findall(".//visual//size")], ["4 6"])

    def test_what_has_no_size_is_told(self):
        for own in ("double size = 0\n", "double size = 1\nfloat3 xformOp:scale = (1, 0, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n"):
            with tempfile.TemporaryDirectory() as folder:
                source, loss = pathlib.Path(folder, "s.usda"), pathlib.Path(folder, "l.json")
                source.write_text(self.SEEN % (self.collider("Cube", own) + 'def Sphere "d" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{\n}\n'))
                mechane("convert", source, "-o", pathlib.Path(folder, "r.xml"), "--loss", loss, "--fail-on-loss", "never")
                self.assertEqual(len(ElementTree.parse(pathlib.Path(folder, "r.xml")).findall(".//geom")), 1)
                self.assertIn("/b/c", [e["what"] for e in json.loads(loss.read_text())["entries"] if e["action"] == "dropped"])

    def test_parts_of_a_mesh_keep_their_looks(self):
        parts = 'def GeomSubset "%s" (prepend apiSchemas = ["MaterialBindingAPI"])\n{\nuniform token elementType = "face"\nuniform token familyName = "materialBind"\nint[] indices = %s\nrel material:binding = </%s>\n}\n'
        look = 'def Material "%s"\n{\n    token outputs:surface.connect = </%s/S.outputs:surface>\n    def Shader "S"\n    {\n        uniform token info:id = "UsdPreviewSurface"\n        token outputs:surface\n    }\n}\n'
        mesh = self.collider("Mesh", self.MESH + parts % ("a", "[0, 1]", "M") + parts % ("b", "[2, 3]", "N"))
        for suffix in ("urdf", "xml"):
            root = self.made(mesh, suffix, look % ("M", "M") + look % ("N", "N"))
            seen = root.findall(".//visual") if suffix == "urdf" else [g for g in root.findall(".//worldbody//geom") if g.get("material")]
            self.assertEqual(len(seen), 1 if suffix == "urdf" else 2)


class FlatLayers(unittest.TestCase):
    def test_variants_that_are_not_selected_are_told(self):
        """A flat layer has no variants: those that are dropped are losses, by name."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "robot.usda").write_text('#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n)\ndef Xform "robot" (\n    prepend variantSets = "size"\n    variants = {\n        string size = "big"\n    }\n)\n{\n'
                                              '    variantSet "size" = {\n        "big" {\n            def Cube "b"\n            {\n            }\n        }\n        "small" {\n            def Cube "s"\n            {\n            }\n        }\n    }\n}\n')
            done = mechane("convert", place / "robot.usda", "-o", place / "flat.usda", "--loss", place / "loss.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('"small"', (place / "loss.json").read_text())
            self.assertIn("variants-not-selected", (place / "loss.json").read_text())

    def test_the_time_step_goes_into_mjcf_once_and_is_told_elsewhere(self):
        """MuJoCo's own option goes before the rate of another vendor"""
        stage = '#usda 1.0\n(\n    defaultPrim = "b"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef PhysicsScene "s" (prepend apiSchemas = ["NewtonSceneAPI", "MjcSceneAPI"])\n{\n%s}\n' \
                'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n}\n'
        newton, mujoco = "    int newton:timeStepsPerSecond = 100\n", "    double mjc:option:timestep = 0.004\n"
        for lines, step in ((newton, "0.01"), (mujoco, "0.004"), (newton + mujoco, "0.004"), ("", None)):
            with self.subTest(lines), tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder, "s.usda")
                source.write_text(stage % lines)
                mechane("convert", source, "-o", pathlib.Path(folder, "s.xml"))
                self.assertEqual(re.findall(r'timestep="([^"]*)"', pathlib.Path(folder, "s.xml").read_text()), [step] if step else [])
                if lines == newton:
                    done = mechane("convert", source, "-o", pathlib.Path(folder, "s.urdf"), "--loss", pathlib.Path(folder, "l.json"))
                    self.assertIn("timestep", [e["code"] for e in json.loads(pathlib.Path(folder, "l.json").read_text())["entries"]], done.stderr)

if __name__ == "__main__":
    unittest.main()

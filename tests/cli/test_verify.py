"""What `diff` and `convert --verify` call equal, announced and different: values that only a simulation sees, entries of the loss report that speak for one value and for no other, and differences
that are none."""
import json
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree

from tests.cli.program import mechane

HEAD = '''#usda 1.0
(
 defaultPrim = "w"
 metersPerUnit = 1
 kilogramsPerUnit = 1
 upAxis = "Z"
)
'''
BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
WORLD = HEAD + '''def Xform "w" {
def PhysicsScene "scene" {
 vector3f physics:gravityDirection = (0, 0, -1)
 float physics:gravityMagnitude = 9.81
}
def Material "mat" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
 float physics:staticFriction = 0.4
 float physics:dynamicFriction = 0.4
 float physics:restitution = 0
}
def Xform "floor" {
 def Plane "p" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
  uniform token axis = "Z"
  rel material:binding:physics = </w/mat>
 }
}
def Xform "box" (BODY) {
 double3 xformOp:translate = (3, 0, 0.1)
 uniform token[] xformOpOrder = ["xformOp:translate"]
 float physics:mass = 3
 #box
 def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
  double size = 0.2
  rel material:binding:physics = </w/mat>
 }
}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {
 double radius = 0.1
 float physics:density = 500
 double3 xformOp:translate = (0, 5, 0.3)
 uniform token[] xformOpOrder = ["xformOp:translate"]
 #ball
}
def Xform "arm" (BODY) {
 double3 xformOp:translate = (0, 0, 3)
 uniform token[] xformOpOrder = ["xformOp:translate"]
 float physics:mass = 2
 point3f physics:centerOfMass = (0.5, 0, 0)
 float3 physics:diagonalInertia = (0.01, 0.02, 0.03)
 quatf physics:principalAxes = (1, 0, 0, 0)
}
def PhysicsRevoluteJoint "hinge" {
 rel physics:body1 = </w/arm>
 uniform token physics:axis = "Y"
 point3f physics:localPos0 = (0, 0, 3)
 float physics:lowerLimit = -90
 float physics:upperLimit = 60
 #hinge
}
#more
}
'''.replace("BODY", BODY)
GROUP = '''def PhysicsCollisionGroup "one" (prepend apiSchemas = ["CollectionAPI:colliders"]) {
 rel collection:colliders:includes = </w/ball>
 rel physics:filteredGroups = </w/two>
}
def PhysicsCollisionGroup "two" (prepend apiSchemas = ["CollectionAPI:colliders"]) {
 rel collection:colliders:includes = </w/floor>
}'''
CLOTH = HEAD + '''def Xform "w" {
def Material "cm" (prepend apiSchemas = ["PhysicsSurfaceDeformableMaterialAPI"]) {
 float physics:density = 200
 float physics:youngsModulus = 100000
}
def Mesh "cloth" (prepend apiSchemas = ["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]) {
 point3f[] points = [(0,0,1), (0.1,0,1), (0.1,0.1,1), (0,0.1,1)]
 int[] faceVertexCounts = [3, 3]
 int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
 rel material:binding:physics = </w/cm>
}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
 double radius = 0.1
 double3 xformOp:translate = (0, 0, 2)
 uniform token[] xformOpOrder = ["xformOp:translate"]
}
}
'''
BALL = HEAD + '''def Xform "w" {
def Sphere "s" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
 double radius = 0.1
 double3 xformOp:translate = (0.3, 0, 1)
 uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsSphericalJoint "ball" {
 rel physics:body1 = </w/s>
 point3f physics:localPos0 = (0, 0, 1)
 point3f physics:localPos1 = (-0.3, 0, 0)
 #cone
}
}
'''
CONE = "float physics:coneAngle0Limit = 40\n float physics:coneAngle1Limit = 40"
ARM = '<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" armature="0.5"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="tip" pos="0.3 0 0"/></body>'
LIMITS = '''<robot name="z"><link name="base"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="0" velocity="0"/></joint></robot>'''


def mujoco(bodies, more="", option=""):
    return f'<mujoco model="m">{option}<worldbody>{bodies}</worldbody>{more}</mujoco>'


def unannounced(verify):
    return [d for d in verify["differences"] if not d["expected"]]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def diff(self, a, b, *more):
        """Exit status, and quantity, item and field of each difference."""
        done = mechane("diff", a, b, "--json", *more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, [(d["quantity"], d["item"], d["field"]) for d in json.loads(done.stdout)["differences"]]

    def verify(self, source, result):
        """Loss codes with what they name, and what --verify found, where nothing differs that is not announced."""
        done = mechane("convert", source, "-o", self.folder / result, "--verify", "--json", "--fail-on-loss", "never")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual((done.returncode, unannounced(document["verify"])), (0, []))
        return {(e["code"], e["what"]) for e in document["entries"]}, document["verify"]


class WhatASimulationSees(Case):
    CHANGES = (("#box", "bool physics:kinematicEnabled = 1", "state", "link 'box'", "kinematic", "kinematic"), ("#box", "bool physics:startsAsleep = 1", "state", "link 'box'", "asleep", "asleep"),
               ("#box", "vector3f physics:velocity = (2, 0, 0)", "state", "link 'box'", "initial velocity", "velocity"),
               ("#ball", "vector3f physics:angularVelocity = (0, 0, 90)", "state", "link 'ball'", "initial angular velocity", "velocity"),
               ("#hinge", "float physics:breakForce = 50", "limit", "joint 'hinge'", "break force", "break-force"),
               ("#hinge", "float physics:breakTorque = 50", "limit", "joint 'hinge'", "break torque", "break-force"), ("#more", GROUP, "pair", "pair 'the world' and 'ball'", "contact", "collision-groups"))

    def test_robots_that_differ_in_what_only_a_simulation_sees_are_different(self):
        a = self.write("a.usda", WORLD)
        self.assertEqual(self.diff(a, a), (0, []))
        for mark, text, quantity, item, field, _ in self.CHANGES:
            with self.subTest(text):
                status, found = self.diff(a, self.write("b.usda", WORLD.replace(mark, text)))
                self.assertEqual((status, (quantity, item, field) in found), (1, True), found)

    def test_cloth_of_another_material_or_form_is_different(self):
        a = self.write("a.usda", CLOTH)
        self.assertEqual(self.diff(a, a), (0, []))
        for old, new, field in (("100000", "1000", "stiffness of a triangle against shear"), ("density = 200", "density = 2000", "mass of a particle"), ("(0.1,0,1)", "(0.2,0,1)", "rest area of a triangle")):
            with self.subTest(field):
                status, found = self.diff(a, self.write("b.usda", CLOTH.replace(old, new)))
                self.assertEqual((status, ("soft", "soft 'cloth'", field) in found), (1, True), found)

    def test_what_a_format_has_no_word_for_is_an_entry_of_its_own(self):
        """A value that differs in the result is announced by an entry of its own kind, and never by another."""
        for mark, text, quantity, item, field, code in self.CHANGES:
            source = self.write("a.usda", WORLD.replace(mark, text))
            for result in ("a.xml", "a.urdf", "a.sdf"):
                with self.subTest(text=text, result=result):
                    losses, verify = self.verify(source, result)
                    if quantity == "state" and field != "kinematic":  # no format has a word for it
                        self.assertIn((code, item), losses)
                    for d in verify["differences"]:
                        if (d["quantity"], d["field"]) == (quantity, field):
                            self.assertTrue(d["expected"].startswith(code + " "), d)

    def test_colliders_of_the_world_are_in_the_urdf_or_in_its_report(self):
        source = self.write("st.usda", BALL[:BALL.index("def PhysicsSph")] + 'def Cube "wall" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {\n double size = 1\n}\n}\n')
        done = mechane("convert", source, "-o", self.folder / "st.urdf", "--fail-on-loss", "warning", "--json")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(("world-shapes", "shape 'wall'"), [(e["code"], e["what"]) for e in json.loads(done.stdout)["entries"]])
        self.verify(source, "st.urdf")

    def test_cloth_does_not_become_a_rigid_hull(self):
        source = self.write("cloth.usda", CLOTH)
        for result in ("c.xml", "c.urdf", "c.sdf"):
            with self.subTest(result):
                done = mechane("convert", source, "-o", self.folder / result, "--json")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(("soft", "soft 'cloth'"), [(e["code"], e["what"]) for e in json.loads(done.stdout)["entries"]])
                self.assertNotIn("<mesh", (self.folder / result).read_text())


GRAM = '<inertial><origin xyz="0 0 0.002"/><mass value="0.001"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial>'
HOLLOW = '''<robot name="hollow">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="trunk"><inertial><origin xyz="0.2 0 0.1"/><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
 <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
 <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="waist" type="fixed"><origin xyz="0 0 0.3" rpy="0 0.5 0"/><parent link="base"/><child link="trunk"/></joint>
<joint name="shoulder" type="revolute"><origin xyz="0.1 0 0.2"/><parent link="trunk"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
</robot>'''


class Announced(Case):
    def test_an_entry_announces_what_it_speaks_for(self):
        """The drive that SDFormat leaves out says nothing of the armature, and neither says anything of a site."""
        for more in ("", '<actuator><position name="p" joint="j" kp="20"/></actuator>'):
            with self.subTest(more):
                losses, verify = self.verify(self.write("arm.xml", mujoco(ARM, more)), "arm.sdf")
                self.assertLessEqual({("armature", "joint 'j'"), ("site", "site 'tip'")}, losses)
                self.assertEqual([d["expected"].split(" ")[0] for d in verify["differences"] if d["field"] == "armature"], ["armature"])

    def test_a_sensor_of_a_nested_model_is_announced_by_the_name_of_its_frame(self):
        link = '<link name="{}"><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>{}</link>'
        source = self.write("nested.sdf", f'<sdf version="1.9"><model name="m">{link.format("a", "")}<model name="inner"><pose>1 0 0 0 0 0</pose>'
                                          f'{link.format("b", """<sensor name="imu" type="imu"/>""")}</model></model></sdf>')
        self.assertIn(("sensor", "sensor 'inner_imu'"), self.verify(source, "nested.usda")[0])

    def test_friction_that_urdf_cannot_say_is_announced_by_its_shape(self):
        losses, verify = self.verify(self.write("a.usda", WORLD), "a.urdf")
        self.assertIn(("friction", "shape 'c'"), losses)
        self.assertEqual({d["expected"].split(" ")[0] for d in verify["differences"] if d["quantity"] == "contact"}, {"friction"})


class NoDifference(Case):
    def test_a_plane_collides_without_end_whatever_size_it_is_drawn_with(self):
        text = mujoco('<geom name="floor" type="plane" size="1 1 .1"/><body name="b" pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1"/></body>')
        source = self.write("p.xml", text)
        for result in ("p.usda", "q.xml", "p.sdf"):
            with self.subTest(result):
                self.verify(source, result)
        for change, field in (('name="floor" pos="0 0 0.01"', "height"), ('name="floor" euler="1 0 0"', "normal")):
            found = self.diff(source, self.write("o.xml", text.replace('name="floor"', change)), "--only", "collider")[1]
            self.assertEqual(found, [("collider", "collider 'floor'", field)])

    def test_a_plane_that_becomes_a_box_has_its_top_where_the_plane_was(self):
        source = self.write("a.usda", WORLD)
        self.assertIn(mechane("convert", source, "-o", self.folder / "a.urdf", "--fail-on-loss", "never").returncode, (0, 1))
        text = (self.folder / "a.urdf").read_text()
        plane = text[text.index('<collision name="p"'):][:300]
        self.assertIn('size="100 100 0.001"', plane)
        self.assertIn('xyz="0 0 -0.0005"', plane)

    def test_colliders_are_none_where_the_model_turns_contact_off(self):
        source = self.write("c.xml", mujoco(ARM, option='<option><flag contact="disable"/></option>'))
        for result in ("c.usda", "d.xml"):
            with self.subTest(result):
                self.verify(source, result)

    def test_a_sensor_of_a_shape_that_touches_nothing_comes_back(self):
        """The collider that the sensor names is switched off, and the shape that is seen has its name."""
        source = self.write("s.xml", mujoco(ARM.replace("<geom ", '<geom name="tip_shape" ', 1), '<sensor><framepos name="where" objtype="geom" objname="tip_shape"/></sensor>',
                                            '<option><flag contact="disable"/></option>'))
        self.verify(source, "t.xml")
        sensor = ElementTree.parse(self.folder / "t.xml").getroot().find("sensor/framepos")
        self.assertEqual((sensor.get("objtype"), sensor.get("objname")), ("geom", "tip_shape"))

    def test_a_ball_joint_comes_through_sdformat_and_its_cone_through_mjcf(self):
        ball, cone = self.write("b.usda", BALL), self.write("c.usda", BALL.replace("#cone", CONE))
        self.assertEqual(self.verify(ball, "b.sdf")[1]["differences"], [])
        self.assertEqual(self.verify(cone, "c.xml")[1]["differences"], [])
        self.assertIn(("cone", "joint 'ball'"), self.verify(cone, "c.sdf")[0])

    def test_a_limit_of_zero_is_zero_or_told(self):
        for limits in (LIMITS, LIMITS.replace('lower="-1" upper="1"', 'lower="0" upper="0"')):
            for result in ("z.xml", "z.usda", "back.urdf", "z.sdf"):
                with self.subTest(limits=limits[-110:], result=result):
                    self.verify(self.write("z.urdf", limits), result)

    def test_a_mesh_of_two_materials_is_one_shape_of_urdf_and_two_of_mjcf(self):
        self.write("two.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
        points = "".join(f"v {x} {y} {z}\n" for o in (0, 2) for x in (o, o + 0.5) for y in (0, 0.3) for z in (0, 0.2))
        faces = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
        cubes = ["".join("f " + " ".join(str(o + i) for i in face) + "\n" for face in faces) for o in (0, 8)]
        self.write("two.obj", f"mtllib two.mtl\n{points}usemtl red\n{cubes[0]}usemtl blue\n{cubes[1]}")
        robot = self.write("r.urdf", LIMITS.replace('<link name="base">', '<link name="base"><visual><geometry><mesh filename="two.obj"/></geometry></visual>'))
        _, verify = self.verify(robot, "r.xml")
        self.assertEqual([d for d in verify["differences"] if d["quantity"] == "visual"], [])

    def test_a_body_whose_joint_is_lost_stands_where_it_stood_at_the_start(self):
        """Two slides on one body are a joint that SDFormat has not: the cup falls, from where it was."""
        cup = self.write("cup.xml", mujoco('<body name="cup" pos="0 0 0.6"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1" stiffness="20"/>'
                                           '<geom type="sphere" size="0.05" pos="0 0 -0.06"/></body>'))
        first = self.verify(cup, "cup.sdf")[1]["rollout"]["first"]
        self.assertTrue(first is None or first["t"] > 0, first)

    def test_a_root_without_mass_is_one_link_with_what_is_fixed_to_it_in_sdformat(self):
        """SDFormat has no link without mass. A mass of its own would be invented, and the colliders of the root would be neighbours of nothing that hangs on the other link."""
        robot = self.write("hollow.urdf", HOLLOW)
        losses, verify = self.verify(robot, "hollow.sdf")
        self.assertEqual({d["expected"].split(" ")[0] for d in verify["differences"]}, {"merged-mass"})
        self.assertIsNone(verify["rollout"]["first"])
        self.assertIn(("merged-mass", "link 'trunk'"), losses)
        self.assertNotIn("missing-mass", {code for code, _ in losses})
        text = (self.folder / "hollow.sdf").read_text()
        self.assertIn('<frame name="trunk" attached_to="base">', text)
        self.assertEqual(text.count("<link "), 2)
        self.assertEqual(self.verify(robot, "back.urdf")[1]["differences"], [])
        self.assertEqual((self.folder / "back.urdf").read_text().count("<link "), 3)

    def test_a_bracket_without_mass_is_part_of_the_link_that_holds_it_in_sdformat(self):
        """What hangs on the bracket is a neighbour of that link, so they never touch."""
        heavy = HOLLOW.replace('<link name="base">', '<link name="base">' + GRAM.replace("0.001", "3"))
        inertial = heavy[heavy.index('<inertial><origin xyz="0.2'):heavy.index("<visual>")]
        bracket = heavy.replace(inertial, "")
        self.assertNotEqual(bracket, heavy)
        losses, verify = self.verify(self.write("bracket.urdf", bracket), "bracket.sdf")
        self.assertEqual(verify["differences"], [])
        self.assertIsNone(verify["rollout"]["first"])
        self.assertNotIn("missing-mass", {code for code, _ in losses})
        text = (self.folder / "bracket.sdf").read_text()
        self.assertIn('<frame name="trunk" attached_to="base">', text)
        self.assertEqual(text.count("<link "), 2)

    def test_it_makes_no_difference_to_motion_which_of_two_rigid_parts_has_the_mass(self):
        """A pair that a fixed joint holds has one centre of mass, wherever the format puts the masses."""
        one = self.write("one.urdf", HOLLOW)  # one body of 4 kg
        two = self.write("two.urdf", HOLLOW.replace('<link name="base">', '<link name="base">' + GRAM))  # a body of a gram, and one of 4 kg
        moved = self.write("moved.urdf", HOLLOW.replace('<inertial><origin xyz="0.2 0 0.1"/>', '<inertial><origin xyz="0.2 0 0.3"/>'))
        first = lambda other: json.loads(mechane("diff", one, other, "--rollout", "--json").stdout)["rollout"]["first"]
        self.assertIsNone(first(two))
        self.assertIsNotNone(first(moved))

    def test_a_body_of_two_hinges_with_references_stands_in_mjcf_where_its_source_has_it(self):
        """Axes that are at no right angle are approximated in USD; the way back has those of the source, and the pose that goes with them."""
        body = ('<body name="b" pos="0.1 -0.2 0.6" quat="0.8 0 0.6 0"><joint name="u" type="hinge" axis="0.6 0 0.8" pos="0 0 0.05" ref="50"/>'
                '<joint name="v" type="hinge" axis="0 0 1" ref="-7"/><geom type="box" size="0.1 0.05 0.02"/></body>')
        self.verify(self.write("two.xml", mujoco(body)), "out.xml")
        out = ElementTree.parse(self.folder / "out.xml").getroot().find(".//body[@name='b']")
        for key, expected in {"pos": (0.1, -0.2, 0.6), "quat": (0.8, 0, 0.6, 0)}.items():
            for a, b in zip(map(float, out.get(key).split()), expected):
                self.assertAlmostEqual(a, b, delta=1e-6)  # the stage holds single precision

    def test_what_neither_the_source_nor_the_result_simulates_is_told(self):
        """A joint that follows one of another tree: it is written, and no simulation here has it."""
        trees = "".join(f'<body name="{n}" pos="{x} 0 1"><freejoint/><geom size="0.1"/><body name="{n}1" pos="0.3 0 0"><joint name="{j}" axis="0 1 0"/><geom size="0.1"/></body></body>'
                        for n, x, j in (("A", 0, "j"), ("B", 2, "k")))
        source = self.write("two.xml", mujoco(trees, '<equality><joint joint1="j" joint2="k" polycoef="0 2 0 0 0"/></equality>'))
        for result in ("out.usda", "out.xml", "out.sdf"):
            done = mechane("convert", source, "-o", self.folder / result, "--verify")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stderr + done.stdout, "not compared IMPORT_MIMIC_INVALID.*different articulations")
            told = json.loads(mechane("convert", source, "-o", self.folder / result, "--verify", "--json").stdout)["verify"]
            self.assertEqual([(e["id"], e["source_too"]) for e in told["errors"]], [("IMPORT_MIMIC_INVALID", True)])

    def test_an_equality_of_tendons_comes_back_to_mjcf(self):
        """Nothing of OpenUSD holds a tendon: the element stands in MuJoCo's layer as sensors do, with the values of its class; URDF loses it."""
        legs = "".join(f'<body name="{n}" pos="0 {y} 1"><joint name="{n}" axis="0 1 0"/><geom size="0.1"/></body>' for n, y in (("l", -1), ("r", 1)))
        more = ('<tendon><fixed name="t"><joint joint="l" coef="1"/><joint joint="r" coef="-1"/></fixed></tendon>'
                '<equality><tendon name="held" tendon1="t" solimp="0.95 0.99 0.001"/></equality>')
        source = self.write("t.xml", mujoco(legs, more, '<default><equality solref="0.005 0.5"/></default>'))
        losses, _ = self.verify(source, "u.xml")
        self.assertNotIn("equality", {code for code, _ in losses})
        held = ElementTree.parse(self.folder / "u.xml").getroot().find("equality/tendon")
        self.assertEqual(dict(held.attrib), {"name": "held", "tendon1": "t", "solimp": "0.95 0.99 0.001", "solref": "0.005 0.5"})
        self.assertIn(("equality", "equality 'held'"), self.verify(source, "u.urdf")[0])
        self.assertIn(("equality", "equality 'held'"), self.verify(source, "u.usda")[0])

    def test_the_least_mass_of_mjcf_is_that_of_a_body_without_one(self):
        """boundmass holds for every body, one that stands still too, and its mass comes back. MuJoCo 3.17 has its centre at the body's own place in its parent."""
        text = mujoco('<body name="still" pos="0.1 0.2 0.3"><geom size="0.1" mass="0"/><body name="moves"><joint/><geom size="0.1" mass="1"/></body></body>',
                      option='<compiler boundmass="0.3" boundinertia="0.002"/>')
        self.verify(self.write("least.xml", text), "least_out.xml")
        still = ElementTree.parse(self.folder / "least_out.xml").getroot().find(".//body[@name='still']/inertial")
        self.assertEqual(float(still.get("mass")), 0.3)
        for a, b in zip(map(float, still.get("pos").split()), (0.1, 0.2, 0.3)):
            self.assertAlmostEqual(a, b, delta=1e-6)

    def test_points_that_do_not_meet_at_the_start_are_pulled_together_through_every_format(self):
        """Two sliders of 1 kg whose sites are 0.8 m apart meet in the middle: x = 0.4 and 0.6, as MuJoCo has them"""
        slider = '<body name="{0}" pos="{1} 0 1"><joint name="{0}x" type="slide" axis="1 0 0" damping="5"/><geom size=".05" mass="1" contype="0" conaffinity="0"/><site name="{2}" pos="{3} 0 0"/></body>'
        model = self.folder / "pull.xml"
        for kind in ("connect", "weld"):
            with self.subTest(kind):
                model.write_text('<mujoco><option gravity="0 0 0"/><worldbody>' + slider.format("a", 0, "s", 0.1) + slider.format("c", 1, "t", -0.1) +
                                 f'</worldbody><equality><{kind} name="e" site1="s" site2="t"/></equality></mujoco>')
                self.assertEqual(mechane("convert", model, "-o", self.folder / "pull.usda").returncode, 0)
                again = self.folder / "again.xml"
                done = mechane("convert", model, "-o", again, "--verify")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for file in (model, self.folder / "pull.usda", again):
                    done = mechane("sim", file, "--duration", "4s", "--json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    run = json.loads(done.stdout)
                    places = {name.split("/")[-1]: pose[0] for name, pose in zip(run["bodies"], run["frames"][-1]["body_q"])}
                    self.assertAlmostEqual(places["a"], 0.4, delta=0.01)
                    self.assertAlmostEqual(places["c"], 0.6, delta=0.01)

    def test_gravity_that_a_flag_turns_off_is_announced_as_such(self):
        """And not as a place where the robot stands"""
        source = self.write("g.xml", mujoco('<body name="b" pos="0 0 1"><freejoint/><geom size="0.1"/></body>', option='<option><flag gravity="disable"/></option>'))
        for suffix in ("urdf", "sdf"):
            out = self.folder / f"g.{suffix}"
            done = mechane("convert", source, "-o", out, "--verify", "--json")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads(done.stdout)
            gravity = [e for e in report["entries"] if e["code"] == "gravity"]
            self.assertEqual([e["sourceValue"] for e in gravity], ["0 0 0 m/s^2"])
            self.assertTrue(report["verify"]["rollout"]["expected"].startswith("gravity of"), report["verify"]["rollout"]["expected"])
            told = [d for d in report["verify"]["differences"] if d["field"] == "gravity"]
            self.assertEqual([d["expected"].split()[0] for d in told], ["gravity"])
        done = mechane("convert", source, "-o", self.folder / "g.world", "--verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("<gravity>0 0 0</gravity>", (self.folder / "g.world").read_text())
        done = mechane("convert", source, "-o", self.folder / "again.xml", "--verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('gravity="disable"', (self.folder / "again.xml").read_text())

    def test_an_option_of_another_format_is_told(self):
        robot = self.write("z.urdf", LIMITS)
        done = mechane("convert", robot, "-o", self.folder / "z.usda", "--keep-frames", "--prune")
        self.assertEqual(done.returncode, 0, done.stderr)
        for option in ("--keep-frames", "--prune"):
            self.assertIn(f"{option} has no effect", done.stdout + done.stderr)


STACKED = HEAD + '''def Xform "w" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
 def Xform "base" (BODY) {
  float physics:mass = 2
  float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
 }
 def Xform "arm" (BODY) {
  float physics:mass = 1
  float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
  double3 xformOp:translate = (0, 0, 1)
  uniform token[] xformOpOrder = ["xformOp:translate"]
 }
 def PhysicsFixedJoint "hold" {
  rel physics:body1 = </w/base>
 }
JOINTS
 def MjcActuator "push" {
  rel mjc:target = </w/a_turn>
  uniform double[] mjc:gear = [7, 0, 0, 0, 0, 0]
 }
}
'''.replace("BODY", BODY)
TURNS = {"z_turn": ("Revolute", "Z", -45, 45, 3), "a_turn": ("Revolute", "Y", -75, 30, 4), "m_slide": ("Prismatic", "X", -0.1, 0.2, 5)}


def stacked(*names, first="w/base", second="w/arm", more=""):
    """Joints of one axis between the same two bodies, as converters of MJCF write several joints of a body"""
    ends = f"  rel physics:body0 = </{first}>\n" * bool(first) + f"  rel physics:body1 = </{second}>\n"
    joints = ""
    for name in names:
        kind, axis, low, high, damping = TURNS[name]
        joints += (f' def Physics{kind}Joint "{name}" (prepend apiSchemas = ["NewtonJointAPI"]) {{\n{ends}  uniform token physics:axis = "{axis}"\n  float physics:lowerLimit = {low}\n'
                   f'  float physics:upperLimit = {high}\n  float newton:damping = {damping}\n  point3f physics:localPos0 = (0, 0, 1)\n{more} }}\n')
    return STACKED.replace("JOINTS", joints)


def following(text, follower, leader, multiplier, offset):
    """The joint follows another one by REP-0158's schema"""
    apis, rest = f'"{follower}" (prepend apiSchemas = ["NewtonJointAPI"]) {{', f'  rel ext_physics:mimic:joint = </w/{leader}>\n  float ext_physics:mimic:multiplier = {multiplier}\n  float ext_physics:mimic:offset = {offset}'
    return text.replace(apis, f'"{follower}" (prepend apiSchemas = ["NewtonJointAPI", "ExtendedPhysicsMimicAPI"]) {{\n{rest}')


class StackedJoints(unittest.TestCase):
    """Hinges and slides between the same two bodies are one joint (IMP 3.8), in simulations and in conversions, in the order in which the stage lists them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="s.usda"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_they_are_joints_of_one_body_in_mjcf_and_no_loops(self):
        for names in (("z_turn", "a_turn"), ("a_turn", "z_turn"), ("m_slide", "z_turn", "a_turn")):
            out = self.folder / "out.xml"
            done = mechane("convert", self.write(stacked(*names)), "-o", out, "--verify")
            self.assertEqual(done.returncode, 0, done.stderr)
            root = ElementTree.parse(out).getroot()
            self.assertEqual([j.get("name") for j in root.iter("joint") if j.get("damping")], list(names))
            self.assertEqual(list(root.iter("connect")) + list(root.iter("weld")), [])
            pushed = [a for a in root.find("actuator") if a.get("name") == "push"]
            self.assertEqual([a.get("joint") for a in pushed], ["a_turn"])

    def test_an_axis_that_follows_another_is_an_equality_of_mjcf(self):
        """EXP-060: polycoef is offset and multiplier in SI: 9 degrees are 0.05 pi rad, 0.5 m a degree 28.6479 m a radian, 30 degrees a metre 0.523599 rad."""
        for follower, leader, multiplier, offset, expected in (("a_turn", "z_turn", 2, 9, (0.157080, 2)), ("m_slide", "a_turn", 0.5, 0.1, (0.1, 28.647890)), ("z_turn", "m_slide", 30, 0, (0, 0.523599))):
            out = self.folder / "out.xml"
            source = self.write(following(stacked("m_slide", "z_turn", "a_turn"), follower, leader, multiplier, offset))
            done = mechane("convert", source, "-o", out, "--verify", "--loss", self.folder / "l.json")
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            rule = ElementTree.parse(out).getroot().find("equality/joint")
            self.assertEqual((rule.get("joint1"), rule.get("joint2")), (follower, leader))
            for a, b in zip(map(float, rule.get("polycoef").split()), (*expected, 0, 0, 0)):
                self.assertAlmostEqual(a, b, delta=1e-5)
            self.assertEqual([e["severity"] for e in json.loads((self.folder / "l.json").read_text())["entries"] if e["code"] == "mimic"], ["info"])
            lost = mechane("convert", source, "-o", self.folder / "out.urdf", "--json")
            self.assertEqual(lost.returncode, 1)
            self.assertEqual([(e["severity"], e["what"]) for e in json.loads(lost.stdout)["entries"] if e["code"] == "mimic"], [("error", f"joint '{follower}'")])

    def test_the_order_of_the_stage_is_that_of_the_axes(self):
        for names in (("z_turn", "a_turn"), ("a_turn", "z_turn")):
            model = json.loads(mechane("dump", "model", self.write(stacked(*names)), "--limit", "0").stdout)["model"]
            axes = [[round(x) for x in axis] for axis in model["joint_axis"]]
            self.assertEqual(axes, [{"Z": [0, 0, 1], "Y": [0, 1, 0]}[TURNS[n][1]] for n in names])
        turned = [json.loads(mechane("dump", "model", self.write(stacked(*names)), "--limit", "0", "--compat", "newton-1.8").stdout)["model"]["joint_axis"]
                  for names in (("z_turn", "a_turn"), ("a_turn", "z_turn"))]
        self.assertEqual(*turned)  # Newton goes by path

    def test_a_value_of_any_of_them_is_compared(self):
        one = self.write(stacked("z_turn", "a_turn"))
        for what, other in (("damping", "newton:damping = 4"), ("upper limit", "physics:upperLimit = 30"), ("damping", "newton:damping = 3")):
            text = one.read_text()
            self.assertIn(other, text)
            two = self.write(text.replace(other, other + "1"), "t.usda")
            done = mechane("diff", one, two)
            self.assertEqual(done.returncode, 1, (other, done.stdout))
            self.assertIn(what, done.stdout)
        self.assertEqual(mechane("diff", one, self.write(stacked("a_turn", "z_turn"), "t.usda")).returncode, 1)

    def test_the_world_may_be_either_end(self):
        """And other formats keep them or say what is lost"""
        base = '  rel physics:body1 = </w/base>\n }\n'
        for first, second in (("", "w/arm"), ("w/arm", "")):
            text = stacked("z_turn", "a_turn", first=first, second=second or "w", more="" if second else "")
            if not second:
                text = text.replace("  rel physics:body1 = </w>\n", "")
            self.assertIn(base, text)
            source = self.write(text)
            for name in ("out.xml", "out.urdf", "out.sdf"):
                done = mechane("convert", source, "-o", self.folder / name, "--verify", "--fail-on-loss", "never")
                self.assertEqual(done.returncode, 0, (first, name, done.stderr))


if __name__ == "__main__":
    unittest.main()

"""MJCF that goes into OpenUSD and back: what no schema has a word for stands in MuJoCo's layer, and an edit of the stage goes before it."""
import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree as ET

from tests.cli.program import mechane

GEOM = '<geom size=".1" mass="1"/>'
#: Four hinges on one body: OpenUSD's joint has three, at right angles. Two of them have pivots of their own, one a reference between the others.
FOUR_HINGES = f'''<compiler angle="radian"/><worldbody><body name="A" pos=".1 .2 1" euler=".3 0 .2">
<joint name="s" type="slide" axis="1 .3 0" range="-1 2"/><joint name="h1" axis="0 1 0" ref=".2"/><joint name="h2" axis="0 1 .5" pos="0 .1 0" ref=".4" damping=".3"/>
<joint name="h3" axis="1 1 0" range="-.5 .7" armature=".02"/><joint name="h4" axis="1 0 .2" pos=".05 0 0" range="-.1 .9" damping=".7" frictionloss=".3" stiffness="4" springref=".1"/>{GEOM}
<body name="B" pos="0 0 .3"><joint name="k"/>{GEOM}</body></body></worldbody><actuator><position name="m" joint="h4" kp="5" kv=".4"/></actuator>'''
#: Equalities that no joint of OpenUSD stands for, or that are turned off.
EQUALITIES = f'''<worldbody><body name="A"><joint name="a"/>{GEOM}</body><body name="B" pos="1 0 0"><joint name="b1"/><joint name="b2" axis="0 1 0"/>{GEOM}</body>
<body name="C" pos="2 0 0"><freejoint name="f"/>{GEOM}<site name="c"/></body></worldbody><equality>
<joint name="held" joint1="a" polycoef=".2 0 0 0 0"/><joint name="led" joint1="a" joint2="b2" polycoef="0 2 0 0 0" solref=".03 1"/>
<joint name="off" joint1="a" active="false"/><connect name="point" body1="A" body2="C" anchor="0 0 .1" active="false"/><weld name="rigid" body1="C" active="false" torquescale="2"/></equality>'''


def numbers(text):
    return [float(v) for v in text.split()]


class Round(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def there(self, inside, edit=None):
        """The folder of a robot, of which one layer may be edited."""
        (self.folder / "r.xml").write_text(f"<mujoco>{inside}</mujoco>")
        done = mechane("convert", self.folder / "r.xml", "-o", self.folder / "robot", "--fail-on-loss", "never", "--loss", self.folder / "in.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in self.folder.glob("robot/*.usda") if edit else ():
            file.write_text(edit(file.read_text()))
        return self.folder / "robot"

    def back(self, inside, edit=None):
        """The elements of the file that comes back, by name."""
        done = mechane("convert", self.there(inside, edit), "-o", self.folder / "back.xml", "--fail-on-loss", "never", "--loss", self.folder / "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {e.get("name"): e for e in ET.parse(self.folder / "back.xml").iter() if e.get("name")}

    def codes(self, name):
        return {(e["code"], e["action"]) for e in json.loads((self.folder / name).read_text())["entries"]}

    def test_axes_that_openusds_joint_has_no_place_for_come_back_with_their_values(self):
        found = self.back(FOUR_HINGES)
        self.assertIn(("axis-left-out", "dropped"), self.codes("in.json"))
        source = {e.get("name"): e for e in ET.fromstring(f"<m>{FOUR_HINGES}</m>").iter("joint")}
        for name, joint in source.items():
            with self.subTest(joint=name):
                for attribute in ("pos", "range", "damping", "armature", "frictionloss", "stiffness", "springref", "ref"):
                    told, now = numbers(joint.get(attribute, "0")), numbers(found[name].get(attribute, "0"))
                    for one, other in zip(told, now):
                        self.assertAlmostEqual(one, other, delta=1e-6, msg=attribute)
                axis, now = numbers(joint.get("axis", "0 0 1")), numbers(found[name].get("axis", "0 0 1"))
                size = sum(v * v for v in axis) ** 0.5
                for one, other in zip(axis, now):
                    self.assertAlmostEqual(one / size, other, delta=1e-6)
        self.assertEqual(found["m"].get("joint"), "h4")
        self.assertEqual([e.get("name") for e in found["A"].iter("joint")][:5], ["s", "h1", "h2", "h3", "h4"])
        for one, other in zip((0.1, 0.2, 1), numbers(found["A"].get("pos"))):
            self.assertAlmostEqual(one, other, delta=1e-6)

    def test_a_conversion_of_the_stage_to_mjcf_verifies_with_the_axes_of_the_source(self):
        done = mechane("convert", self.there(FOUR_HINGES), "-o", self.folder / "back.xml", "--fail-on-loss", "never", "--verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mjcf_to_mjcf_tells_no_loss_of_axes_that_are_there_again(self):
        (self.folder / "r.xml").write_text(f"<mujoco>{FOUR_HINGES}</mujoco>")
        done = mechane("convert", self.folder / "r.xml", "-o", self.folder / "back.xml", "--fail-on-loss", "never", "--loss", self.folder / "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        codes = {code for code, action in self.codes("out.json") if action != "converted"}
        self.assertEqual(codes & {"axis-left-out", "axes-not-orthogonal", "joint-pivots", "joint-reference", "joint-order"}, set())

    def test_a_joint_that_was_moved_since_stands_where_the_stage_has_it(self):
        """The frame of the joint in the child moves by 0.25 m: the axes of the source would be those of another joint."""
        moved = lambda text: re.sub(r"(point3f physics:localPos1 = )\((\S+), (\S+), (\S+)\)", lambda m: f"{m[1]}({float(m[2]) + 0.25}, {m[3]}, {m[4]})", text)
        found = self.back(FOUR_HINGES, moved)
        self.assertNotIn("h4", found)

    def test_equalities_without_a_joint_and_those_that_are_turned_off_come_back(self):
        found = self.back(EQUALITIES)
        self.assertEqual((found["held"].tag, found["held"].get("joint1"), found["held"].get("joint2")), ("joint", "a", None))
        self.assertEqual(numbers(found["held"].get("polycoef"))[0], 0.2)
        self.assertEqual((found["led"].get("joint2"), numbers(found["led"].get("solref"))), ("b2", [0.03, 1]))
        self.assertEqual([found[n].get("active") for n in ("off", "point", "rigid")], ["false"] * 3)
        self.assertEqual((found["point"].tag, found["point"].get("body1"), found["point"].get("body2"), numbers(found["point"].get("anchor"))), ("connect", "A", "C", [0, 0, 0.1]))
        self.assertEqual((found["rigid"].tag, found["rigid"].get("body1"), found["rigid"].get("torquescale")), ("weld", "C", "2"))
        self.assertIn(("joint-equality", "converted"), self.codes("in.json"))
        self.assertIn(("inactive-equality", "converted"), self.codes("in.json"))

    def test_formats_without_a_word_for_such_an_equality_tell_it(self):
        for suffix in ("urdf", "sdf"):
            done = mechane("convert", self.there(EQUALITIES), "-o", self.folder / f"back.{suffix}", "--fail-on-loss", "never", "--loss", self.folder / "out.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = [e["what"] for e in json.loads((self.folder / "out.json").read_text())["entries"] if e["code"] == "equality"]
            self.assertEqual(sorted(told), sorted(f"equality '{n}'" for n in ("held", "led", "off", "point", "rigid")))

    def test_an_actuator_keeps_its_group_and_acts_in_the_frame_that_it_says(self):
        found = self.back(f'<worldbody><body name="A"><joint name="a" type="ball"/>{GEOM}</body></worldbody>'
                          '<actuator><motor name="m" jointinparent="a" gear="0 0 1 0 0 0" group="3"/><motor name="n" joint="a" gear="1 0 0 0 0 0"/></actuator>')
        self.assertEqual((found["m"].get("jointinparent"), found["m"].get("joint"), found["m"].get("group")), ("a", None, "3"))
        self.assertEqual((found["n"].get("joint"), found["n"].get("group")), ("a", None))

    def test_what_resists_a_free_joint_comes_back_and_is_told(self):
        found = self.back(f'<worldbody><body name="A"><joint name="f" type="free" damping=".5" armature=".1" frictionloss=".2" stiffness="3"/>{GEOM}</body></worldbody>')
        self.assertEqual([numbers(found["f"].get(n)) for n in ("damping", "armature", "frictionloss", "stiffness")], [[0.5], [0.1], [0.2], [3]])
        entry = next(e for e in json.loads((self.folder / "in.json").read_text())["entries"] if e["code"] == "free-joint-values")
        self.assertIn("stiffness 3", entry["sourceValue"])

    def test_an_edit_of_one_axis_goes_before_what_the_source_said(self):
        """MuJoCo's and Newton's attributes of one axis are edited in the stage; others stay as in the source."""
        two = f'<compiler angle="radian"/><worldbody><body name="A"><joint name="p" axis="1 0 0" stiffness="5" springref=".2" damping=".3"/><joint name="q" axis="0 1 0" stiffness="7" damping=".4" solreflimit=".03 1" range="-1 1"/>{GEOM}</body></worldbody>'

        def edit(text):
            self.edits += len(re.findall(r"mjc:rotX:stiffness = 5\b|mjc:rotX:solreflimit = \[0.02, 1\]", text))
            text = text.replace("mjc:rotX:stiffness = 5", "mjc:rotX:stiffness = 6").replace("mjc:rotX:solreflimit = [0.02, 1]", "mjc:rotX:solreflimit = [0.05, 1]")
            return re.sub(r"(newton:rotY:damping = )\S+", r"\g<1>0.01", text)

        self.edits = 0
        found = self.back(two, edit)
        self.assertEqual(self.edits, 2)
        self.assertEqual([numbers(found[n].get("stiffness")) for n in "pq"], [[6], [7]])
        self.assertEqual(numbers(found["p"].get("springref")), [0.2])
        self.assertEqual([numbers(found[n].get("solreflimit")) for n in "pq"], [[0.05, 1], [0.03, 1]])
        self.assertAlmostEqual(numbers(found["p"].get("damping"))[0], 0.3, delta=1e-9)
        self.assertAlmostEqual(numbers(found["q"].get("damping"))[0], 0.01 * 180 / 3.141592653589793, delta=1e-6)


    def test_a_base_that_others_move_is_held_by_a_joint_and_comes_back(self):
        """EXP-064: what carries a robot is no kinematic body in OpenUSD, and one that carries nothing is."""
        source = self.folder / "m.xml"
        arm = '<body name="{0}2" pos="0 0 1"><joint name="{0}j" axis="0 1 0"/><geom size="0.1"/></body>'
        source.write_text('<mujoco><worldbody><body name="target" mocap="true"><geom size="0.1" contype="0" conaffinity="0"/></body>'
                          '<body name="a" mocap="true" pos="1 0 0"><geom size="0.1"/>' + arm.format("a") + "</body>"
                          '<body name="b" mocap="true" pos="2 0 0"><body name="b1"><geom size="0.1"/>' + arm.format("b") + "</body></body></worldbody></mujoco>")
        folder, back = self.folder / "m", self.folder / "back.xml"
        done = mechane("convert", source, "-o", folder, "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((folder / "physics.usda").read_text().count("kinematicEnabled = 1"), 1)
        self.assertNotIn("error[", mechane("check", folder).stderr)
        for start in (folder, source):
            self.assertEqual(mechane("convert", start, "-o", back).returncode, 0)
            self.assertEqual(set(re.findall(r'<body name="(\w+)"[^>]*mocap="true"', back.read_text())), {"target", "a", "b"})


if __name__ == "__main__":
    unittest.main()

"""`mechane diff` and `mechane convert --verify`: what differs between two robots, and what exit status says so."""
import json
import os
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import QUADRUPED, ROOT, document, mechane

try:
    import jsonschema
except ImportError:
    jsonschema = None

MASS = '<inertial><origin xyz="{c} 0 0"/><mass value="{m}"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0.001" ixz="0" iyz="0"/></inertial>'


def urdf(mass=2.0, damping=0.2, upper=1.25, size=0.1, center=0.3):
    return f'''<robot name="arm"><link name="world"/>
<link name="upper">{MASS.format(c=0.2, m=3)}<collision name="hull"><origin xyz="0.2 0 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
<link name="lower">{MASS.format(c=center, m=mass)}<visual name="shell"><geometry><box size="{size} 0.1 0.1"/></geometry></visual></link>
<link name="tool"/>
<joint name="shoulder" type="revolute"><parent link="world"/><child link="upper"/><origin xyz="0 0 1" rpy="0 0.3 0"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="40" velocity="2"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/><axis xyz="0 0.6 0.8"/><limit lower="-1.5" upper="{upper}" effort="20" velocity="2"/><dynamics damping="{damping}" friction="0.01"/></joint>
<joint name="hold" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.3 0 0"/></joint></robot>'''


class Diff(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def moving(self, name, metres=1, codes=24, height=2.0, target=90, start=None):
        head = f"#usda 1.0\n(\n metersPerUnit = {metres}\n kilogramsPerUnit = 1\n upAxis = \"Z\"\n timeCodesPerSecond = {codes}\n" + (f" startTimeCode = {start * codes}\n" if start else "") + ")\n"
        return self.write(name, head + f"""def PhysicsScene "s"
{{
    float physics:gravityMagnitude = {9.81 / metres}
}}
def Xform "lift" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{{
    bool physics:kinematicEnabled = 1
    float physics:mass = 1
    double3 xformOp:translate.timeSamples = {{ 0: (0, 0, 0), {2 * codes}: (0, 0, {height / metres}) }}
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{{
    float physics:mass = 1
    float3 physics:diagonalInertia = ({0.1 / metres**2}, {0.1 / metres**2}, {0.1 / metres**2})
}}
def PhysicsRevoluteJoint "motor" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )
{{
    rel physics:body1 = </arm>
    float drive:angular:physics:stiffness = {1 / metres**2}
    float drive:angular:physics:targetPosition.timeSamples = {{ 0: 0, {codes}: {target} }}
}}
""")

    def test_a_selection_that_neither_has_is_a_wrong_command_line(self):
        one = self.write("a.usda", """#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r" (
    prepend variantSets = "size"
)
{
    variantSet "size" = {
        "big" {
            def Cube "c" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
            )
            {
                double size = 2
            }
        }
    }
}
""")
        self.assertEqual(mechane("diff", one, one, "--variant", "size=big").returncode, 0)
        for wrong in ("size=none", "colour=red"):
            done = mechane("diff", one, one, "--variant", wrong)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("STAGE_VARIANT_UNKNOWN", done.stderr)

    def test_what_stages_animate_is_compared_in_seconds_and_metres(self):
        base = self.moving("base.usda")
        alike = self.moving("alike.usda", metres=0.01, codes=60)
        self.assertEqual(mechane("diff", base, alike).returncode, 0, mechane("diff", base, alike).stdout)
        for name, other, told in (("higher", {"height": 2.5}, "animated position"), ("farther", {"target": 80}, "animated target"), ("later", {"start": 0.5}, "animated position")):
            with self.subTest(name):
                done = mechane("diff", base, self.moving(name + ".usda", **other))
                self.assertEqual(done.returncode, 1)
                self.assertIn(told, done.stdout)

    def test_what_stands_still_is_not_called_animated(self):
        """A value that no sample changes is compared once, whatever else on its stage is animated"""
        samples = "physics:targetPosition.timeSamples = { 0: 0, 24: 90 }"
        still = lambda name, target: self.write(name + ".usda", self.moving("any.usda").read_text().replace(samples, f"physics:targetPosition = {target}"))
        done = mechane("diff", still("one", 90), still("other", 80))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"joint 'motor': target +90 deg -> 80 deg|joint 'motor': target +1.57")
        self.assertNotIn("animated", done.stdout)
        # A target that a format drops is announced once: the lift of this gripper is animated, its grip is not.
        for suffix in ("sdf", "xml", "urdf"):
            with self.subTest(suffix):
                done = mechane("convert", ROOT / "samples" / "gallery" / "gripper.usda", "-o", self.folder / f"gripper.{suffix}", "--verify")
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertNotIn("'left_slide': animated", done.stdout)

    def looks(self, name, metres=1.0, texture="a.png", colour="(0.8, 0.1, 0.1)", opacity="", shader="UsdPreviewSurface", point="(0, 0, 1)",
              light="5", focal="35", material="red", st="(1, 1)", scheme="none", hidden=""):
        """A shape with a picture, a plain one, a light and a camera; lengths in a unit of one's own"""
        def p(text):
            return "(" + ", ".join(repr(float(x) / metres) for x in text.strip("()").split(",")) + ")"
        points = ", ".join(p(one) for one in ("(0, 0, 0)", "(1, 0, 0)", "(0, 1, 0)", point))
        return self.write(name, f"""#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = {metres}
    upAxis = "Z"
)
def Xform "r" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{{
    def Mesh "shell" (prepend apiSchemas = ["MaterialBindingAPI"])
    {{
        rel material:binding = </r/Looks/{material}>
        point3f[] points = [{points}]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
        uniform token subdivisionScheme = "{scheme}"
        texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 1), {st}] (interpolation = "vertex")
        {hidden}
    }}
    def Cube "plain"
    {{
        double size = {0.1 / metres}
        color3f[] primvars:displayColor = [{colour}]
        {opacity}
    }}
    def SphereLight "lamp"
    {{
        float inputs:intensity = {light}
        float inputs:radius = {0.2 / metres}
        double3 xformOp:translate = {p("(0, 0, 2)")}
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def Camera "eye"
    {{
        float focalLength = {focal}
        float2 clippingRange = ({0.01 / metres}, {100 / metres})
    }}
    def Scope "Looks"
    {{
        def Material "{material}"
        {{
            token outputs:surface.connect = </r/Looks/{material}/s.outputs:surface>
            def Shader "s"
            {{
                uniform token info:id = "{shader}"
                color3f inputs:diffuseColor.connect = </r/Looks/{material}/t.outputs:rgb>
                token outputs:surface
            }}
            def Shader "t"
            {{
                uniform token info:id = "UsdUVTexture"
                asset inputs:file = @./{texture}@
                float2 inputs:st.connect = </r/Looks/{material}/u.outputs:result>
                float3 outputs:rgb
            }}
            def Shader "u"
            {{
                uniform token info:id = "UsdPrimvarReader_float2"
                string inputs:varname = "st"
                float2 outputs:result
            }}
        }}
    }}
}}
""")

    def test_what_two_stages_show_is_compared_by_meaning(self):
        """Formats of robots and simulations have no word for most of it: what is equal there may look otherwise."""
        for name, content in (("a.png", b"one"), ("same.png", b"one"), ("other.png", b"two")):
            (self.folder / name).write_bytes(content)
        base = self.looks("base.usda")
        # Names of materials and files, the unit, and fallbacks that are authored mean nothing.
        for name, other in (("named", {"material": "rouge"}), ("file", {"texture": "same.png"}), ("unit", {"metres": 0.01}),
                            ("fallback", {"opacity": "float[] primvars:displayOpacity = [1]"})):
            with self.subTest(name):
                done = document("diff", base, self.looks(name + ".usda", **other), "--json")
                self.assertTrue(done["equal"], done["differences"])
                self.assertGreater(done["counts"]["looks"]["compared"], 30)
        for name, other, item, field in (("colour", {"colour": "(0.8, 0.1, 0.2)"}, "visual 'plain'", "diffuseColor"),
                                         ("opacity", {"opacity": "float[] primvars:displayOpacity = [0.5]"}, "visual 'plain'", "opacity"),
                                         ("picture", {"texture": "other.png"}, "visual 'shell'", "diffuseColor.file"),
                                         ("missing", {"texture": "gone.png"}, "visual 'shell'", "diffuseColor.file"),
                                         ("shader", {"shader": "OmniPBR"}, "visual 'shell'", "shader"),
                                         ("coordinates", {"st": "(1, 0.5)"}, "visual 'shell'", "texture coordinates"),
                                         ("smooth", {"scheme": "catmullClark"}, "visual 'shell'", "subdivisionScheme"),
                                         ("surface", {"point": "(0.2, 0.2, 1)"}, "visual 'shell'", "surface"),
                                         ("hidden", {"hidden": 'token visibility = "invisible"'}, "visual 'shell'", "visibility"),
                                         ("light", {"light": "7"}, "light 'lamp'", "intensity"),
                                         ("lens", {"focal": "50"}, "camera 'eye'", "horizontal field of view [degrees]")):
            with self.subTest(name):
                changed = self.looks(name + ".usda", **other)
                done = mechane("diff", base, changed, "--json", "--only", "looks")
                self.assertEqual(done.returncode, 1)
                told = json.loads(done.stdout)["differences"]
                self.assertIn((item, field), [(d["item"].split(" of ")[0], d["field"]) for d in told])
                self.assertTrue(all(d["quantity"] == "looks" for d in told))
                self.assertEqual(mechane("diff", changed, changed, "--only", "looks").returncode, 0)
        text = mechane("diff", base, self.folder / "picture.usda").stdout
        self.assertIn("looks        visual 'shell' of link 'r': diffuseColor.file  a.png (sha256 ", text)
        page = self.folder / "d.html"
        mechane("diff", base, self.folder / "picture.usda", "-o", page)
        self.assertIn("diffuseColor.file", page.read_text())

    def test_copies_of_an_instancer_are_seen_where_they_are(self):
        def copies(name, second="(2, 0, 1)", colour="(1, 0, 0)"):
            return self.write(name, f"""#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r"
{{
    def Cube "floor"
    {{
    }}
    def PointInstancer "pi"
    {{
        rel prototypes = [</r/pi/p>]
        int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 1), {second}]
        def Cube "p"
        {{
            color3f[] primvars:displayColor = [{colour}]
        }}
    }}
}}
""")
        base = copies("base.usda")
        self.assertEqual(mechane("diff", base, base).returncode, 0)
        for other, field in ((copies("moved.usda", second="(3, 0, 1)"), "bounds"), (copies("green.usda", colour="(0, 1, 0)"), "diffuseColor")):
            told = json.loads(mechane("diff", base, other, "--json").stdout)["differences"]
            self.assertEqual([(d["quantity"], d["field"]) for d in told], [("looks", field)])

    def test_a_folder_stands_for_the_asset_in_it(self):
        robot, changed = self.write("arm.urdf", urdf()), self.write("other.urdf", urdf(mass=2.5))
        for source, name in ((robot, "one"), (changed, "two")):
            self.assertEqual(mechane("convert", source, "-o", self.folder / name).returncode, 0)
        self.assertEqual(mechane("diff", self.folder / "one", robot).returncode, 0)
        done = mechane("diff", self.folder / "one", self.folder / "two")
        self.assertEqual(done.returncode, 1)
        self.assertIn("2.5", done.stdout)
        done = mechane("diff", self.folder, robot)  # it holds two assets, and none of its name
        self.assertEqual(done.returncode, 2)
        self.assertIn("name the file", done.stderr)

    def test_a_robot_is_equal_to_what_it_is_converted_to(self):
        """In every direction, there and back; only what the loss report announces may differ."""
        robot = self.write("arm.urdf", urdf())
        for result in ("arm", "arm.usda", "arm.usdz", "arm.xml", "back.urdf", "arm.sdf"):
            with self.subTest(result):
                done = mechane("convert", robot, "-o", self.folder / result, "--verify", "--json")
                if result == "arm.sdf" and done.returncode == 3:
                    continue  # a build that writes SDFormat and does not read it
                self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)
                verify = json.loads(done.stdout)["verify"]
                self.assertTrue(verify["as_announced"])
                self.assertGreater(verify["counts"]["mass"]["compared"], 1)
                self.assertEqual(verify["counts"]["kinematics"]["different"], 0)
                if jsonschema:
                    jsonschema.validate(verify, json.loads((ROOT / "docs" / "schemas" / "verify.schema.json").read_text()))

    def test_equal_files_of_two_formats_end_with_0(self):
        robot = self.write("arm.urdf", urdf())
        self.assertEqual(mechane("convert", robot, "-o", self.folder / "arm.usda").returncode, 0)
        done = mechane("diff", robot, self.folder / "arm.usda", "--rollout", "0.5s")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("equal", done.stdout)

    def test_every_changed_value_is_told_with_both_lines(self):
        a = self.write("a.urdf", urdf())
        for change, quantity, item, field in ((dict(mass=2.2), "mass", "link 'lower'", "mass"), (dict(damping=0.2 * 57.29578), "passive", "joint 'elbow'", "damping"),
                                              (dict(upper=1.3), "limit", "joint 'elbow'", "upper limit"), (dict(size=0.2), "visual", "visual 'shell' of link 'lower'", "bounds"),
                                              (dict(center=0.31), "center_of_mass", "link 'lower'", "centre of mass")):
            with self.subTest(quantity):
                b = self.write("b.urdf", urdf(**change))
                done = mechane("diff", a, b, "--json")
                self.assertEqual(done.returncode, 1, done.stderr)
                found = json.loads(done.stdout)["differences"]
                self.assertEqual([(d["quantity"], d["item"], d["field"]) for d in found], [(quantity, item, field)])
                for side in ("a", "b"):
                    self.assertGreater(found[0][side]["site"]["line"], 0)
                    self.assertTrue(found[0][side]["site"]["file"].endswith(f"{side}.urdf"))
        self.assertIn("degrees read as radians", mechane("diff", a, self.write("b.urdf", urdf(damping=0.2 * 57.29578))).stdout)

    def test_the_same_robot_in_centimetres_and_y_up_is_equal(self):
        body = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{\nfloat physics:mass = 2\npoint3f physics:centerOfMass = {com}\nfloat3 physics:diagonalInertia = {inertia}\n'
        head = '#usda 1.0\n(\n    defaultPrim = "r"\n    metersPerUnit = {meters}\n    upAxis = "{up}"\n)\n'
        scene = 'def PhysicsScene "scene" {{\nvector3f physics:gravityDirection = {down}\nfloat physics:gravityMagnitude = {g}\n}}\n'
        metres = head.format(meters=1, up="Z") + scene.format(down="(0, 0, -1)", g=9.81) + 'def Xform "r" {\ndef Xform "a" (' + body.format(com="(0.1, 0.2, 0.3)", inertia="(0.01, 0.02, 0.03)") + "}\n}\n"
        # x, y, z of z up are x, z, -y of y up: (x, y, z) becomes (x, z, -y); moments change places.
        other = head.format(meters=0.01, up="Y") + scene.format(down="(0, -1, 0)", g=981) + 'def Xform "r" {\ndef Xform "a" (' + body.format(com="(10, 30, -20)", inertia="(100, 300, 200)") + "}\n}\n"
        done = mechane("diff", self.write("m.usda", metres), self.write("cm.usda", other), "--only", "masses")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_only_one_side_has_is_told(self):
        a, b = self.write("a.urdf", urdf()), self.write("b.urdf", urdf().replace('<link name="tool"/>', "").replace(urdf()[urdf().index('<joint name="hold"'):urdf().index("</robot>")], ""))
        found = document_of(mechane("diff", a, b, "--json"))["differences"]
        self.assertEqual([(d["item"], d["b"]) for d in found], [("link 'tool'", None)])

    def told(self, a, b):
        return [(d["item"], d["field"], d["a"]["value"], d["b"]["value"]) for d in document_of(mechane("diff", a, b, "--json"))["differences"] if d["a"] and d["b"]]

    def test_a_robot_that_stands_free_is_not_one_that_hangs_on_the_world(self):
        floating = urdf().replace('<link name="world"/>', f'<link name="pelvis">{MASS.format(c=0, m=5)}</link>').replace('<parent link="world"/>', '<parent link="pelvis"/>')
        held = floating.replace("</robot>", '<link name="world"/><joint name="bolt" type="fixed"><parent link="world"/><child link="pelvis"/></joint></robot>')
        self.assertIn(("link 'pelvis'", "base", "free", "held by the world"), self.told(self.write("free.urdf", floating), self.write("held.urdf", held)))
        # An inertia that no body has is told and replaced; the link has its mass all the same.
        odd = self.write("odd.urdf", floating.replace('ixx="0.01" iyy="0.02" izz="0.02"', 'ixx="0.01" iyy="0.02" izz="9"'))
        self.assertNotIn("base", [field for _, field, _, _ in self.told(odd, self.write("free.urdf", floating))])
        body = '<worldbody><body name="b" pos="0 0 1">{}<geom name="g" size=".1"/></body></worldbody>'
        mjcf = [self.write(f"{name}.xml", f"<mujoco>{body.format(joint)}</mujoco>") for name, joint in (("fixed", ""), ("loose", "<freejoint/>"))]
        self.assertEqual(mechane("diff", *mjcf).returncode, 1)
        stage = self.folder / "held.usda"
        self.assertEqual(mechane("convert", self.folder / "free.urdf", "-o", stage, "--base", "fixed").returncode, 0)
        self.assertIn("base", [field for _, field, _, _ in self.told(self.folder / "free.urdf", stage)])
        loose = self.folder / "loose.usda"
        self.assertEqual(mechane("convert", self.folder / "free.urdf", "-o", loose, "--verify").returncode, 0)
        self.assertEqual(mechane("diff", self.folder / "free.urdf", loose).returncode, 0)

    def test_a_part_with_another_name_is_a_difference(self):
        a = self.write("a.urdf", urdf())
        self.assertEqual(self.told(a, self.write("link.urdf", urdf().replace('"lower"', '"forearm"'))), [("link 'lower'", "name", "lower", "forearm")])
        self.assertEqual(self.told(a, self.write("joint.urdf", urdf().replace('"elbow"', '"bend"'))), [("joint 'elbow'", "name", "elbow", "bend")])
        # What a format cannot write in a name is no difference.
        self.assertEqual(mechane("diff", self.write("odd.urdf", urdf().replace('"lower"', '"lower-arm"')), self.write("plain.urdf", urdf().replace('"lower"', '"lower_arm"'))).returncode, 0)

    def test_scenes_of_gltf_are_compared_as_the_stages_that_they_become(self):
        def stage(name, size):
            return self.write(name, f"""#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r" {{
    def Cube "c" {{
        double size = {size}
    }}
}}
""")
        for source, scene in ((stage("a.usda", 0.2), "one.glb"), (stage("b.usda", 0.2), "two.gltf"), (stage("c.usda", 0.3), "three.glb")):
            done = mechane("convert", source, "-o", self.folder / scene)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = mechane("diff", self.folder / "one.glb", self.folder / "two.gltf")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(mechane("diff", self.folder / "one.glb", self.folder / "three.glb").returncode, 1)

    def test_a_rollout_names_the_first_joint_to_part_and_when(self):
        a, b = self.write("a.urdf", urdf()), self.write("b.urdf", urdf(damping=5))
        first = document_of(mechane("diff", a, b, "--behaviour=1s", "--json"))["rollout"]["first"]
        self.assertEqual(first["joint"]["name"], "elbow")
        self.assertTrue(0 < first["t"] < 0.5, first)

    def test_the_page_holds_both_models_and_loads_nothing(self):
        a, b = self.write("a.urdf", urdf()), self.write("b.urdf", urdf(mass=2.2))
        page = self.folder / "diff.html"
        self.assertEqual(mechane("diff", a, b, "-o", page).returncode, 1)
        text = page.read_text()
        self.assertIn("srcdoc", text)
        self.assertIn("first/", text)
        self.assertIn("second/", text)
        self.assertIn("2.2 kg", text)
        self.assertFalse(re.search(r'(?:src|href)="https?:', text))

    def test_recordings_are_compared_frame_by_frame(self):
        for name, more in (("a", []), ("b", []), ("c", ["--hold", "100,1"])):
            self.assertEqual(mechane("sim", QUADRUPED, "--duration", "0.5s", *more, "-o", self.folder / f"{name}.mrec").returncode, 0)
        self.assertEqual(mechane("diff", self.folder / "a.mrec", self.folder / "b.mrec").returncode, 0)
        done = mechane("diff", self.folder / "a.mrec", self.folder / "c.mrec", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIsNotNone(json.loads(done.stdout)["rollout"]["first"]["joint"])
        self.assertEqual(mechane("diff", self.folder / "a.mrec", QUADRUPED).returncode, 2)

    def test_wrong_usage_and_missing_files(self):
        robot = self.write("arm.urdf", urdf())
        self.assertEqual(mechane("diff", robot).returncode, 2)
        self.assertEqual(mechane("diff", robot, robot, "--only", "colour").returncode, 2)
        self.assertEqual(mechane("diff", robot, robot, "--rollout=long").returncode, 2)
        self.assertEqual(mechane("diff", robot, self.folder / "gone.urdf").returncode, 3)

    def test_layouts_of_openusd_hold_the_same_robot(self):
        for result in ("laid", "flat.usda", "packed.usdz"):
            with self.subTest(result):
                done = mechane("convert", QUADRUPED, "-o", self.folder / result, "--verify", "--json")
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
        self.assertEqual(mechane("check", self.folder / "laid", "--fail-on", "error").returncode, 0)
        self.assertEqual(mechane("convert", QUADRUPED, "-o", self.folder / "flat.usda", "--layout", "usdz").returncode, 2)
        self.assertNotIn("references", (self.folder / "flat.usda").read_text())


def document_of(done):
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


class LightsOfOtherUnits(unittest.TestCase):
    def test_shadows_are_lengths_and_a_divided_intensity_follows_the_area(self):
        """UsdLux: distances of shadows are in scene units, and inputs:normalize divides the intensity by the area in scene units."""
        text = '#usda 1.0\n(\n    defaultPrim = "w"\n    metersPerUnit = %s\n    upAxis = "Z"\n)\ndef Xform "w"\n{\n    def Cube "c"\n    {\n        double size = %s\n    }\n    def RectLight "l"\n    {\n        float inputs:intensity = %s\n' \
               '        bool inputs:normalize = 1\n        float inputs:width = %s\n        float inputs:height = %s\n        float inputs:shadow:distance = %s\n        float inputs:shadow:falloff = -1\n    }\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "cm.usda").write_text(text % (0.01, 100, 100, 50, 50, 100))
            (place / "m.usda").write_text(text % (1, 1, 0.01, 0.5, 0.5, 1))
            (place / "brighter.usda").write_text(text % (1, 1, 100, 0.5, 0.5, 1))
            self.assertEqual(mechane("diff", place / "cm.usda", place / "m.usda").returncode, 0)
            self.assertIn("intensity", mechane("diff", place / "cm.usda", place / "brighter.usda").stdout)


#: What one simulator alone reads: one value of a file, another one, and what `diff` calls the field.
ENGINE = [
    ('<option timestep=".002"', '<option timestep=".004"', "mjc:option:timestep"), ('impratio="2"', 'impratio="3"', "mjc:option:impratio"),
    ('gravcomp=".5"', 'gravcomp=".7"', "mjc:gravcomp"), ('springref="10"', 'springref="20"', "mjc:springref"), ('solreflimit=".03 1"', 'solreflimit=".03 2"', "mjc:solreflimit"),
    ('condim="4"', 'condim="6"', "mjc:condim"), ('solref=".02 .9"', 'solref=".02 .8"', "mjc:solref"), ('pos=".1 .2 0"', 'pos=".1 .3 0"', "position"),
    ('ctrlrange="-1 1"', 'ctrlrange="-1 2"', "mjc:ctrlRange:max"), ('gear="2"', 'gear="3"', "mjc:gear"), ('dynprm=".1"', 'dynprm=".2"', "mjc:dynPrm"),
    ('joint="j" coef="3"', 'joint="k" coef="3"', "mjc:path"), ('qpos=".1 .2"', 'qpos=".1 .3"', "mjc:qpos"), ('cutoff="5"', 'cutoff="6"', "mechane:source:mjcf:cutoff"),
    ('<gyro name="g" site="s"/>', "", "prim"), ('tendon1="t"', 'polycoef=".1 1 0 0 0" tendon1="t"', "mechane:source:mjcf:polycoef"),
]
ENGINE_FILE = """<mujoco><option timestep=".002" impratio="2"/><worldbody><body name="A" gravcomp=".5"><joint name="j" stiffness="2" springref="10" solreflimit=".03 1" range="-90 90"/>
<geom name="q" size=".1" condim="4" solref=".02 .9"/><site name="s" pos=".1 .2 0"/><body name="B" pos="0 0 .5"><joint name="k" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="3"/></fixed></tendon><equality><tendon name="e" tendon1="t"/></equality>
<actuator><general name="m" joint="k" gear="2" ctrlrange="-1 1" dyntype="filter" dynprm=".1"/></actuator>
<sensor><gyro name="g" site="s"/><accelerometer name="a" site="s" cutoff="5"/></sensor><keyframe><key name="home" qpos=".1 .2"/></keyframe></mujoco>"""


class Engines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def found(self, a, b, *more):
        done = mechane("diff", a, b, "--json", *more)
        return done.returncode, json.loads(done.stdout)["differences"]

    def test_values_that_one_simulator_alone_reads_are_compared_one_by_one(self):
        base = self.write("base.xml", ENGINE_FILE)
        self.assertEqual(self.found(base, base)[0], 0)
        for old, new, field in ENGINE:
            with self.subTest(old=old):
                self.assertEqual(ENGINE_FILE.count(old), 1)
                status, found = self.found(base, self.write("other.xml", ENGINE_FILE.replace(old, new)))
                self.assertEqual(status, 1)
                self.assertIn(field, {d["field"] for d in found}, found)

    def test_a_robot_that_was_converted_says_the_same_of_what_one_simulator_reads(self):
        base = self.write("base.xml", ENGINE_FILE)
        mechane("convert", base, "-o", self.folder / "robot", "--fail-on-loss", "never")
        self.assertEqual(self.found(base, self.folder / "robot", "--only", "property"), (0, []))

    def test_the_gains_of_an_actuator_that_is_a_drive_are_told_once(self):
        text = '<mujoco><worldbody><body name="A"><joint name="j"/><geom size=".1"/></body></worldbody><actuator><position name="m" joint="j" kp="{k}" ctrlrange="-1 {c}"/></actuator></mujoco>'
        status, found = self.found(self.write("a.xml", text.format(k=5, c=1)), self.write("b.xml", text.format(k=7, c=1)))
        self.assertEqual((status, [(d["quantity"], d["field"]) for d in found]), (1, [("gain", "stiffness")]))
        self.assertIn("mjc:ctrlRange:max", {d["field"] for d in self.found(self.folder / "a.xml", self.write("c.xml", text.format(k=7, c=2)))[1]})

    def test_a_range_that_is_inherited_is_the_range_that_is_written_out(self):
        text = '<mujoco><compiler angle="radian"/><worldbody><body name="A"><joint name="j" range="-1 2"/><geom size=".1"/></body></worldbody><actuator><position name="m" joint="j" kp="5" {range}/></actuator></mujoco>'
        one, two = (self.write(f"{n}.xml", text.format(range=r)) for n, r in (("a", 'inheritrange="1"'), ("b", 'ctrlrange="-1 2"')))
        self.assertEqual(self.found(one, two), (0, []))

    def test_values_that_no_schema_has_a_word_for_are_compared_between_files_of_one_format(self):
        joint = '<robot name="r"><link name="world"/><link name="l">' + MASS.format(c=0, m=1) + '</link><joint name="j" type="revolute"><parent link="world"/><child link="l"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{more}</joint></robot>'
        safe = '<safety_controller soft_lower_limit="{low}" k_velocity="5"/>'
        base = self.write("a.urdf", joint.format(more=safe.format(low="-0.5")))
        self.assertEqual(self.found(base, base)[0], 0)
        self.assertEqual(self.found(base, self.write("same.urdf", joint.format(more=safe.format(low="-.50"))))[0], 0)
        for other, note in ((safe.format(low="-0.6"), ""), ("", "only in the first")):
            status, found = self.found(base, self.write("b.urdf", joint.format(more=other)))
            self.assertEqual((status, len(found)), (1, 1), found)
            self.assertEqual((found[0]["quantity"], found[0]["note"]), ("property", note))
            self.assertIn("safety_controller", found[0]["item"])
            self.assertEqual(found[0]["a"]["site"]["line"], 1)
        # Another format has no such word, which its conversion has told.
        mechane("convert", base, "-o", self.folder / "r.usda", "--fail-on-loss", "never")
        self.assertEqual(self.found(base, self.folder / "r.usda")[0], 0)
        self.assertEqual(mechane("diff", base, self.folder / "b.urdf", "--only", "masses").returncode, 0)

    def test_a_value_that_is_only_approximated_is_compared_too(self):
        """SDFormat's second coefficient of friction: here bodies have one for all directions."""
        text = '<sdf version="1.9"><model name="m"><link name="l"><inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>.1</radius></sphere></geometry><surface><friction><ode><mu>0.7</mu><mu2>{mu}</mu2></ode></friction></surface></collision></link></model></sdf>'
        status, found = self.found(self.write("a.sdf", text.format(mu=0.2)), self.write("b.sdf", text.format(mu=0.3)))
        self.assertEqual((status, [(d["item"], d["a"]["value"], d["b"]["value"]) for d in found][:1]), (1, [("collision 'c'", "0.7 and 0.2", "0.7 and 0.3")]), found)

    def test_a_small_link_that_is_welded_to_a_large_one_keeps_its_own_inertia(self):
        text = '<robot name="r"><link name="big"><inertial><mass value="500"/><inertia ixx="90" iyy="90" izz="90" ixy="0" ixz="0" iyz="0"/></inertial></link>' \
               '<link name="small"><inertial><origin xyz="1 0 0"/><mass value="0.2"/><inertia ixx="{i}" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>' \
               '<joint name="w" type="fixed"><parent link="big"/><child link="small"/></joint></robot>'
        status, found = self.found(self.write("a.urdf", text.format(i=0.002)), self.write("b.urdf", text.format(i=0.0032)))
        self.assertEqual(status, 1)
        self.assertIn(("inertia", "link 'small'"), {(d["quantity"], d["item"]) for d in found})



class EngineDefaults(unittest.TestCase):
    """What only one of two files says is a difference, unless it is what counts where nobody says it."""

    MJCF = "<mujoco>%s<worldbody><body name='b' pos='0 0 1'><freejoint/><geom name='g' size='.1'/></body></worldbody></mujoco>"
    USD = '#usda 1.0\n(\n    defaultPrim = "b"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef PhysicsScene "s" (prepend apiSchemas = ["MjcSceneAPI", "NewtonSceneAPI", "PhysxSceneAPI"])\n{\n%s\n}\n' \
          'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n}\n'

    def differs(self, form, one, two, suffix):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, f"{name}.{suffix}") for name in "ab"]
            for file, text in zip(files, (one, two)):
                with open(file, "w") as out:
                    out.write(form % text)
            done = mechane("diff", *files)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            return done.returncode == 1

    def test_flags_of_mujoco(self):
        flag = '<option><flag %s="%s"/></option>'
        for name in ("gravity", "contact", "limit", "actuation"):
            self.assertTrue(self.differs(self.MJCF, "", flag % (name, "disable"), "xml"), name)
            self.assertFalse(self.differs(self.MJCF, flag % (name, "enable"), "", "xml"), name)
        self.assertTrue(self.differs(self.MJCF, "", flag % ("energy", "enable"), "xml"))
        self.assertFalse(self.differs(self.MJCF, "", flag % ("energy", "disable"), "xml"))
        for name in ("gravity", "contact", "constraint", "spring"):
            self.assertTrue(self.differs(self.USD, "", f"bool mjc:flag:{name} = 0", "usda"), name)
            self.assertFalse(self.differs(self.USD, f"bool mjc:flag:{name} = 1", "", "usda"), name)

    def test_time_steps(self):
        for name, kind in (("newton:timeStepsPerSecond", "uniform int"), ("physxScene:timeStepsPerSecond", "uint")):
            self.assertTrue(self.differs(self.USD, f"{kind} {name} = 100", f"{kind} {name} = 500", "usda"), name)
            self.assertTrue(self.differs(self.USD, "", f"{kind} {name} = 100", "usda"), name)
            self.assertFalse(self.differs(self.USD, f"{kind} {name} = 100", f"{kind} {name} = 100", "usda"), name)

if __name__ == "__main__":
    unittest.main()

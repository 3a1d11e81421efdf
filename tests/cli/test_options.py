"""`--option NAME=VALUE`: every option of the import, from every verb that imports; which values are read; what is missing."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import QUADRUPED, ROOT, document, mechane
from tools import diagnostics_page, options_page

HEAD = """#usda 1.0
(
    defaultPrim = "W"
    metersPerUnit = 1
    upAxis = "Z"
)
"""
BOX = """def Cube "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"{apis}]) {{
    double size = 1
    double3 xformOp:translate = ({x}, 0, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
{lines}
}}
"""


def box(name="b", x=0, z=0, apis="", lines=""):
    return BOX.format(name=name, x=x, z=z, apis=apis, lines=lines)


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stage(self, body, name="s.usda", head=HEAD):
        path = self.folder / name
        path.write_text(head + body)
        return path

    def verbs(self, stage):
        """Command lines of every verb that imports, on this stage."""
        return {"info": ["info", stage], "tree": ["tree", stage], "explain": ["explain", stage, "/W/b.mass"], "sim": ["sim", stage, "--frames", "2"],
                "render": ["render", stage, "-o", self.folder / "a.png", "--size", "32x24"], "collide": ["collide", stage],
                "bench": ["bench", stage, "--nstep", "2"], "bench --import": ["bench", stage, "--import"], "mesh": ["mesh", stage],
                "dump": ["dump", "model", stage], "check": ["check", stage, "--behaviour"], "ros": ["ros", "tf", stage]}


class Table(Stages):
    def test_every_row_has_a_type_a_default_and_a_meaning(self):
        rows = document("schema", "options", "--json")["options"]
        names = [row["name"] for row in rows]
        self.assertEqual(names, sorted(set(names)))
        for row in rows:
            self.assertIn(row["type"], ("flag", "number", "integer", "text", "choice", "list", "pose"), row)
            self.assertTrue(row["default"] and row["meaning"], row)
            if row["type"] in ("flag", "choice"):
                self.assertIn(row["default"], row["values"], row)
        self.assertLessEqual({"scene", "units", "unauthored_units", "legacy", "lenient_names", "per_face_materials", "usd_group_mode", "move_scaled_tensor",
                              "animation", "nested_bodies", "reset_stack", "allow_missing", "default_friction"}, set(names))
        text = mechane("schema", "options").stdout
        for name in names:
            self.assertIn(name, text)

    def test_the_page_holds_the_table_of_this_build(self):
        text = options_page.PAGE.read_text(encoding="utf-8")
        self.assertEqual(options_page.page(text), text, "run: make docs")

    def test_every_default_can_be_given_and_changes_nothing(self):
        plain = document("dump", "model", QUADRUPED, "--resolvers", "newton")
        given = [word for row in options_page.known("options") for word in ("--option", f"{row['name']}={row['default']}")]
        self.assertEqual(document("dump", "model", QUADRUPED, *given), plain)

    def test_every_verb_that_imports_takes_options_and_refuses_wrong_names_and_values(self):
        stage = self.stage('def Xform "W" {\n' + box() + "}\n")
        for verb, words in self.verbs(stage).items():
            with self.subTest(verb):
                self.assertIn(mechane(*words, "--option", "units=si").returncode, (0, 1))
                wrong = mechane(*words, "--option", "nested_body=schema")
                self.assertEqual(wrong.returncode, 2, wrong.stderr)
                self.assertIn("nested_bodies", wrong.stderr)
                wrong = mechane(*words, "--option", "units=stge")
                self.assertEqual(wrong.returncode, 2, wrong.stderr)
                self.assertIn("stage", wrong.stderr)
                self.assertEqual(mechane(*words, "--option", "units").returncode, 2)

    def test_wrong_values_of_every_option_are_refused(self):
        wrong = {"flag": ["1", "yes", "tru", "[]", "{}", "\"x\""], "number": ["nan", "inf", "x", "1e999", "true", "[1]"],
                 "integer": ["0.5", "x", "99999999999", "true", "-7"], "choice": ["x", "1", "[]", "true"],
                 "pose": ["1", "[1,2]", "[0,0,0,0,0,0,0]", "[0,0,0,0,0,0,\"a\"]", "x"], "list": ["1", "true", "[1]", "{}"], "text": ["1", "true", "[]", "\"\""]}
        stage = self.stage('def Xform "W" {\n' + box() + "}\n")
        for row in options_page.known("options"):
            for value in wrong[row["type"]]:
                with self.subTest(option=row["name"], value=value):
                    done = mechane("info", stage, "--option", f"{row['name']}={value}")
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(row["name"], done.stderr)

    def test_options_of_a_run_are_those_of_its_replay(self):
        stage = self.stage('def PhysicsScene "S" {}\ndef Xform "W" {\n' + box("b", z=5) + "}\n", head=HEAD.replace("metersPerUnit = 1", "metersPerUnit = 0.01"))
        record = self.folder / "a.mrec"
        done = mechane("sim", stage, "--frames", "5", "--option", "units=stage", "-o", record)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(mechane("replay", record, "--verify").returncode, 0)

    def test_a_written_layer_is_in_the_stages_units_whatever_option_says_so(self):
        """The model is 100 times smaller, and the animation must not be."""
        stage = self.stage('def PhysicsScene "S" {}\ndef Xform "W" {\n' + box("b", z=500) + "}\n", head=HEAD.replace("    metersPerUnit = 1\n", ""))
        for words in (["--unauthored-units", "usd"], ["--option", "unauthored_units=usd"]):
            out = self.folder / "out.usda"
            mechane("sim", stage, "--frames", "1", "-o", out, *words)
            first = re.search(r"xformOp:translate:mechane = \(([^)]*)\)", out.read_text())
            self.assertAlmostEqual(float(first[1].split(",")[2]), 500, delta=0.1)


class Hints(unittest.TestCase):
    def test_every_option_that_a_remedy_names_exists_where_it_is_printed(self):
        options = {row["name"]: row for row in options_page.known("options")}
        known = set(re.findall(r"--[a-z][a-z-]+", " ".join(mechane(verb, "--help").stdout for verb in (
            "sim", "info", "check", "fix", "replay", "render", "collide", "bench", "cat", "mesh", "explain", "ros", "tree", "dump", "convert", "view"))))
        for module, code, _, meaning, remedy, *_ in diagnostics_page.rows():
            for text in (meaning, remedy):
                for name, value in re.findall(r"--option ([a-z_]+)=([^\s,;:.]+|\.\.\.)", text):
                    self.assertIn(name, options, code)
                    values = options[name]["values"]
                    if values and options[name]["type"] == "choice":
                        self.assertIn(value.rstrip("."), values, code)
                for flag in re.findall(r"--[a-z][a-z-]+", text):
                    self.assertIn(flag, known, code)
                bare = [name for name in options if "_" in name and text is remedy and re.search(rf"(?<!-option )\b{name}\b", text) and not code.startswith("IMPORT_ARG_")
                        and name not in ("register_mujoco_attributes",)]
                self.assertFalse(bare, f"{code}: {text}")


class Resolvers(Stages):
    """GAP-100: the program reads the vendors whose schemas are applied or whose attributes are authored."""

    JOINT = """def PhysicsRevoluteJoint "j" ({apis}) {{
    rel physics:body1 = </W/b>
    uniform token physics:axis = "Z"
{lines}
}}
"""

    def joint(self, lines, apis=""):
        return self.stage('def Xform "W" {\n' + box() + self.JOINT.format(apis=apis, lines=lines) + "}\n")

    def armature(self, stage, *words):
        return document("dump", "model", stage, *words)["builder"]["joint_armature"]

    def chosen(self, stage, *words):
        return document("info", stage, "--json", *words)["resolvers"]

    def test_vendors_are_read_where_the_stage_uses_them(self):
        physx = self.joint("    float physxJoint:armature = 0.5", 'prepend apiSchemas = ["PhysxJointAPI"]')
        self.assertEqual(self.chosen(physx), ["newton", "physx"])
        self.assertIn("newton, physx", mechane("info", physx).stdout)
        self.assertIn("newton, physx", mechane("sim", physx, "--frames", "1").stderr)
        self.assertNotIn("PhysxJointAPI", mechane("info", physx).stderr)
        self.assertEqual(document("explain", physx, "/W/j.armature", "--json")["values"][0]["value"], "0.5")

    def test_an_attribute_alone_or_a_schema_alone_is_enough(self):
        self.assertEqual(self.chosen(self.joint("    float physxJoint:armature = 0.5")), ["newton", "physx"])
        self.assertEqual(self.chosen(self.joint("", 'prepend apiSchemas = ["MjcJointAPI"]')), ["newton", "mjc"])
        self.assertEqual(self.chosen(self.joint("    float newton:armature = 1")), ["newton"])
        self.assertEqual(self.chosen(self.joint("    float state:angular:physics:position = 10", 'prepend apiSchemas = ["PhysicsJointStateAPI:angular"]')), ["newton", "physx"])

    def test_newton_goes_first_then_physx_then_mjc(self):
        stage = self.joint("    double mjc:armature = 3\n    float physxJoint:armature = 2\n    float newton:armature = 1")
        self.assertEqual(self.chosen(stage), ["newton", "physx", "mjc"])
        value = lambda *words: document("explain", stage, "/W/j.armature", "--json", *words)["values"][0]["value"]
        self.assertEqual(value(), "1")
        self.assertEqual(value("--resolvers", "mjc,newton"), "3")
        self.assertEqual(value("--option", "schema_resolvers=physx"), "2")

    def test_what_no_resolver_in_use_reads_is_told_once(self):
        stage = self.joint("    float physxJoint:armature = 0.5\n    float physxJoint:maxJointVelocity = 3")
        said = mechane("sim", stage, "--frames", "1", "--resolvers", "newton").stderr
        self.assertEqual(said.count("IMPORT_VENDOR_UNREAD"), 1)
        self.assertIn("--resolvers auto", said)
        self.assertNotIn("IMPORT_VENDOR_UNREAD", mechane("sim", stage, "--frames", "1").stderr)

    def test_an_unknown_resolver_is_wrong_usage_with_the_known_ones(self):
        done = mechane("info", self.joint(""), "--resolvers", "newtn")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean newton", done.stderr)


class Steps(Stages):
    """GAP-096: the step is the stage's where none is given."""

    def scene(self, lines, apis="NewtonSceneAPI"):
        return self.stage(f'def PhysicsScene "S" (prepend apiSchemas = ["{apis}"]) {{\n{lines}\n}}\ndef Xform "W" {{\n' + box(z=3) + "}\n")

    def test_sim_bench_and_render_take_it_and_say_where_it_is_authored(self):
        stage = self.scene("    int newton:timeStepsPerSecond = 240")
        trajectory = json.loads(mechane("sim", stage, "--frames", "4", "--json").stdout)
        self.assertAlmostEqual(trajectory["dt"], 1 / 240)
        self.assertAlmostEqual(trajectory["frames"][-1]["t"], 4 / 240)
        self.assertIn("</S.newton:timeStepsPerSecond>", trajectory["report"]["dt_source"])
        self.assertIn("s.usda:8", trajectory["report"]["dt_source"])
        self.assertEqual(json.loads(mechane("sim", stage, "--duration", "0.5", "--json").stdout)["steps"], 120)
        bench = json.loads(mechane("bench", stage, "--nstep", "2", "--json").stdout)
        self.assertAlmostEqual(bench["dt"], 1 / 240)
        picture = json.loads(mechane("render", stage, "--at", "0.0125", "-o", self.folder / "a.png", "--size", "32x24", "--json").stdout)
        self.assertAlmostEqual(picture["t"], 3 / 240)
        given = json.loads(mechane("sim", stage, "--frames", "1", "--dt", "0.01", "--json").stdout)
        self.assertEqual((given["dt"], given["report"]["dt_source"]), (0.01, "given"))

    def test_a_vendor_in_use_counts_and_newton_goes_first(self):
        dt = lambda stage, *words: json.loads(mechane("sim", stage, "--frames", "1", "--json", *words).stdout)["dt"]
        physx = self.scene("    uint physxScene:timeStepsPerSecond = 100", "PhysxSceneAPI")
        self.assertAlmostEqual(dt(physx), 0.01)
        self.assertAlmostEqual(dt(physx, "--resolvers", "newton"), 1 / 60)
        both = self.scene("    uint physxScene:timeStepsPerSecond = 100\n    int newton:timeStepsPerSecond = 200")
        self.assertAlmostEqual(dt(both), 0.005)

    def test_a_recording_replays_with_the_step_of_its_run(self):
        stage = self.scene("    int newton:timeStepsPerSecond = 240")
        record = self.folder / "a.mrec"
        self.assertEqual(mechane("sim", stage, "--frames", "5", "-o", record).returncode, 0)
        self.assertEqual(mechane("replay", record, "--verify").returncode, 0)

    def test_a_rate_that_is_none_is_told_and_not_used(self):
        stage = self.scene("    int newton:timeStepsPerSecond = -5")
        done = mechane("sim", stage, "--frames", "1", "--json")
        self.assertAlmostEqual(json.loads(done.stdout)["dt"], 1 / 60)
        self.assertIn("SCENE_STEP_RATE", done.stderr)

    def test_the_ledger_does_not_call_used_what_no_solver_counts(self):
        """GAP-098."""
        rows = document("info", self.scene("    int newton:maxSolverIterations = 7\n    int newton:timeStepsPerSecond = 240"), "--ledger", "--json")["ledger"]["rows"]
        verdict = {row["property"]: row["verdict"] for row in rows}
        self.assertEqual(verdict["newton:maxSolverIterations"], "ignored")
        self.assertIn(verdict["newton:timeStepsPerSecond"], ("used", "converted"))


class Variants(Stages):
    """GAP-105: what the command line names and the stage lacks is exit 2, with the nearest names."""

    BODY = """def Xform "W" (
    variants = { string size = "small" }
    prepend variantSets = "size"
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
) {
    variantSet "size" = {
        "small" {
            float physics:mass = 1
        }
        "big" {
            float physics:mass = 10
        }
    }
    def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
"""

    def test_an_unknown_set_or_variant_is_refused_by_every_verb(self):
        stage = self.stage(self.BODY)
        verbs = self.verbs(stage)
        verbs |= {"tree --prims": ["tree", "--prims", stage], "explain": ["explain", stage, "/W.mass"], "dump stage": ["dump", "stage", stage],
                  "cat": ["cat", "--flatten", stage], "check": ["check", stage], "behaviour": ["check", "--behaviour", stage], "fix": ["fix", stage, "--diff"]}
        for verb, words in verbs.items():
            with self.subTest(verb):
                self.assertNotEqual(mechane(*words, "--variant", "size=big").returncode, 2)
                unknown = mechane(*words, "--variant", "size=bgi")
                self.assertEqual(unknown.returncode, 2, unknown.stderr)
                self.assertIn("big", unknown.stderr)
                unknown = mechane(*words, "--variant", "sise=big")
                self.assertEqual(unknown.returncode, 2, unknown.stderr)
                self.assertIn("size", unknown.stderr)
                self.assertEqual(mechane(*words, "--variant", "/V{size=big}").returncode, 2)

    def test_the_selection_is_used(self):
        mass = lambda *words: document("info", self.stage(self.BODY), "--json", *words)["bodies"][0]["mass"]
        self.assertEqual((mass(), mass("--variant", "size=big"), mass("--variant", "/W{size=big}")), (1, 10, 10))

    def test_without_a_default_prim_the_prim_must_be_named(self):
        stage = self.stage(self.BODY, head=HEAD.replace('    defaultPrim = "W"\n', ""))
        self.assertEqual(mechane("info", stage, "--variant", "size=big").returncode, 2)
        self.assertEqual(mechane("info", stage, "--variant", "/W{size=big}").returncode, 0)

    def test_of_several_assets_those_that_lack_it_are_warned_of(self):
        with_set, without = self.stage(self.BODY), self.stage('def Xform "W" { }\n', "t.usda")
        done = mechane("check", with_set, without, "--variant", "size=big")
        self.assertNotEqual(done.returncode, 2, done.stderr)
        self.assertIn("STAGE_VARIANT_UNKNOWN", done.stderr)
        self.assertEqual(mechane("check", with_set, without, "--variant", "size=huge").returncode, 2)

    def test_an_authored_selection_of_nothing_is_a_warning_wherever_the_model_is_used(self):
        stage = self.stage(self.BODY.replace('string size = "small"', 'string size = "smal"'))
        for words in (["info", stage], ["sim", stage, "--frames", "1"], ["render", stage, "-o", self.folder / "a.png", "--size", "32x24"], ["collide", stage]):
            done = mechane(*words)
            self.assertEqual(done.stderr.count("COMP_VARIANT_UNKNOWN"), 1, done.stderr)
            self.assertIn("small", done.stderr)
        self.assertEqual(mechane("sim", stage, "--frames", "1", "--strict").returncode, 1)
        good = self.stage(self.BODY)
        self.assertNotIn("COMP_VARIANT", mechane("info", good).stderr)

    def test_other_names_that_a_stage_lacks_are_refused_with_the_nearest(self):
        stage = self.stage('def PhysicsScene "S" {}\ndef Xform "W" {\n' + box() + 'def Mesh "mesh" {}\n}\n')
        for words, near in ((["sim", stage, "--frames", "1", "--set", "/W/bb.qd=0"], "/W/b"), (["sim", stage, "--frames", "1", "--set", "/W/b.dq=0,0,0,0,0,0"], "qd"),
                            (["collide", stage, "--pair", "/W/b", "/W/bb"], "/W/b"), (["mesh", stage, "--prim", "/W/mish"], "/W/mesh"),
                            (["explain", stage, "/W/bb.mass"], "/W/b"), (["explain", stage, "/W/b.mas"], "mass"),
                            (["explain", stage, "--pair", "/W/b", "/W/bb"], "/W/b"), (["tree", stage, "--mask", "/W/bb"], "/W/b"),
                            (["info", stage, "--option", "root_path=/V"], "/W"), (["info", stage, "--option", "scene=/T"], "/S"),
                            (["schema", "option"], "options"), (["sim", stage, "--solver", "softsteps", "--frames", "1"], "softstep")):
            with self.subTest(" ".join(map(str, words))):
                done = mechane(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(near, done.stderr)


class Missing(Stages):
    """GAP-105: a missing layer is one error; what looks goes on, what computes stops."""

    BODY = 'def PhysicsScene "S" {}\ndef Xform "W" {\n' + box(z=2) + 'def "d" (references = @./missing.usda@) { }\n}\n'

    def test_what_looks_goes_on_with_the_rest(self):
        stage = self.stage(self.BODY)
        for words in (["info", stage], ["tree", stage], ["tree", "--prims", stage], ["explain", stage, "/W/b.mass"]):
            with self.subTest(words[0]):
                done = mechane(*words)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stderr.count("missing.usda"), 1, done.stderr)
                self.assertIn("b", done.stdout)

    def test_what_computes_stops_unless_it_is_allowed(self):
        stage = self.stage(self.BODY)
        for words in (["sim", stage, "--frames", "1"], ["render", stage, "-o", self.folder / "a.png", "--size", "32x24"], ["collide", stage],
                      ["bench", stage, "--nstep", "1"], ["check", stage, "--behaviour"]):
            with self.subTest(words[0]):
                done = mechane(*words)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stderr.count("missing.usda"), 1, done.stderr)
                self.assertIn("--option allow_missing=true", done.stderr)
                allowed = mechane(*words, "--option", "allow_missing=true")
                self.assertIn(allowed.returncode, (0, 1) if words[0] == "check" else (0,), allowed.stderr)
                self.assertIn("warning[COMP_ASSET_MISSING]", allowed.stderr)

    def test_a_missing_sublayer_payload_and_clip_are_alike(self):
        for body in ('def "d" (payload = @./missing.usda@) { }\n', 'def "d" (references = @package://nowhere/missing.usda@) { }\n'):
            stage = self.stage(self.BODY.replace('def "d" (references = @./missing.usda@) { }\n', body))
            self.assertEqual(mechane("sim", stage, "--frames", "1").returncode, 3)
            self.assertEqual(mechane("info", stage).returncode, 3)
            self.assertEqual(mechane("sim", stage, "--frames", "1", "--option", "allow_missing=true").returncode, 0)
        below = self.stage('def PhysicsScene "S" {}\ndef Xform "W" {\n' + box(z=2) + "}\n", head=HEAD.replace("(\n", "(\n    subLayers = [@./missing.usda@]\n", 1))
        self.assertEqual(mechane("sim", below, "--frames", "1").returncode, 3)
        self.assertEqual(mechane("sim", below, "--frames", "1", "--option", "allow_missing=true").returncode, 0)


class Nested(Stages):
    """GAP-099."""

    BODY = 'def PhysicsScene "S" {}\ndef Xform "W" {\n' + box("outer", z=5, lines=box("inner", x=3) + """def Xform "g" {
    double3 xformOp:translate = (0, 9, 0)
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
    def Cube "wall" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    double size = 1
    }
}""") + "}\n"

    def bodies(self, *words):
        return {row["prim"]: row["mass"] for row in document("info", self.stage(self.BODY), "--json", *words)["bodies"]}

    def test_bodies_are_independent_unless_the_schema_is_asked_for(self):
        self.assertEqual(set(self.bodies()), {"/W/outer", "/W/outer/inner"})
        self.assertEqual(set(self.bodies("--option", "nested_bodies=schema")), {"/W/outer"})
        # 1 m^3 at 1000 kg/m^3 each: the inner box joins the outer one, the wall with it
        self.assertAlmostEqual(self.bodies("--option", "nested_bodies=schema")["/W/outer"], 3000)
        self.assertEqual(mechane("info", self.stage(self.BODY), "--option", "nested_bodies=error").returncode, 1)

    def test_a_reset_leaves_the_body_where_it_is_asked_for(self):
        self.assertAlmostEqual(self.bodies()["/W/outer"], 2000)
        self.assertAlmostEqual(self.bodies("--option", "reset_stack=static")["/W/outer"], 1000)

    def test_both_readings_are_told_as_warnings(self):
        said = mechane("sim", self.stage(self.BODY), "--frames", "1").stderr
        self.assertIn("warning[PHY_BODY_NESTED]", said)
        self.assertIn("nested_bodies=schema", said)
        self.assertIn("warning[PHY_COLLIDER_RESET]", said)
        self.assertIn("reset_stack=static", said)


class Names(Stages):
    """Misspelt attributes and schemas are told wherever the model is used, once each, and --strict counts them."""

    JOINT = """def PhysicsScene "S" {}
def Xform "W" {
""" + box("b", z=2) + """def PhysicsRevoluteJoint "{name}" ({apis}) {{
    rel physics:body1 = </W/b>
{lines}
}}
}}
"""

    def joint(self, lines, apis="", name="j"):
        body = self.JOINT.replace("{{", "{").replace("}}", "}")
        return self.stage(body.replace("{name}", name).replace("{apis}", apis).replace("{lines}", lines))

    def test_an_attribute_that_no_schema_has_gets_one_warning_with_what_may_be_meant(self):
        stage = self.joint('    uniform token physics:axs = "Y"')
        for words in (["info", stage], ["sim", stage, "--frames", "1"], ["collide", stage], ["render", stage, "-o", self.folder / "a.png", "--size", "32x24"], ["tree", stage]):
            with self.subTest(words[0]):
                done = mechane(*words)
                self.assertEqual(done.stderr.count("physics:axs is in no schema"), 1, done.stderr)
                self.assertIn("physics:axis", done.stderr)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(mechane(*words, "--strict").returncode, 1)

    def test_what_strict_counts_is_what_is_printed(self):
        stage = self.joint('    uniform token physics:axs = "Y"')
        done = mechane("info", stage, "--strict")
        self.assertRegex(done.stdout, r"findings\s+0 errors? · 1 warning")
        self.assertEqual(done.returncode, 1)

    def test_every_vendors_namespace_and_relationships_too(self):
        for line, meant in (("    float newton:armatur = 1", "newton:armature"), ("    float physxJoint:armatur = 1", "physxJoint:armature"),
                            ("    double mjc:armatur = 1", "mjc:armature"), ("    float drive:angular:physics:dampng = 1", "drive:angular:physics:damping"),
                            ("    rel physics:bdy0 = </W/b>", "physics:body0"), ("    float physics:lowerlimit = 1", "physics:lowerLimit"),
                            ("    float phyics:lowerLimit = 1", "physics:lowerLimit")):
            with self.subTest(line):
                done = mechane("sim", self.joint(line), "--frames", "1")
                self.assertIn(meant, done.stderr)
                self.assertIn("warning[", done.stderr)

    def test_sizes_of_shapes_are_names_too(self):
        stage = self.stage('def PhysicsScene "S" {}\ndef Sphere "W" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {\n double raduis = 0.1\n}\n')
        self.assertIn("radius", mechane("sim", stage, "--frames", "1").stderr)

    def test_many_prims_are_one_warning(self):
        stage = self.stage('def PhysicsScene "S" {}\ndef Xform "W" {\n' + "".join(box(f"b{i}", x=2 * i, lines="    float physics:mas = 1") for i in range(6)) + "}\n")
        said = mechane("sim", stage, "--frames", "1").stderr
        self.assertEqual(said.count("physics:mas "), 1, said)
        self.assertIn("6 prims", said)

    def test_a_misspelt_schema_names_the_one_that_is_meant(self):
        said = mechane("sim", self.joint("", 'prepend apiSchemas = ["PhysicsDrivAPI:angular"]'), "--frames", "1").stderr
        self.assertIn("PhysicsDriveAPI", said)
        stage = self.stage('def Xform "W" {\n' + box().replace('"PhysicsCollisionAPI"', '"PhysicsColisionAPI"') + "}\n")
        self.assertIn("PhysicsCollisionAPI", mechane("sim", stage, "--frames", "1").stderr)

    def test_what_schemas_and_declarations_know_is_silent(self):
        for lines in ("", "    float physics:lowerLimit = -10\n    float physics:upperLimit = 10", "    custom float userProperties:mass = 1\n    custom string acme:note = \"x\"",
                      "    float physxJoint:jointFriction = 0.1\n    float physxJoint:maxJointVelocity = 9"):
            said = mechane("sim", self.joint(lines), "--frames", "1").stderr
            self.assertNotIn("UNKNOWN", said)
            self.assertNotIn("UNDECLARED", said)
        stage = self.joint("    custom float newton:mine = 2")
        self.assertIn("newton:mine", mechane("sim", stage, "--frames", "1").stderr)
        self.assertNotIn("newton:mine", mechane("sim", stage, "--frames", "1", "--option", "known_attributes=newton:mine").stderr)

    def test_names_of_the_documents_are_told_and_can_be_read_as_meant(self):
        """GAP-018."""
        body = 'def PhysicsScene "S" {}\ndef Xform "W" {\n' + box(z=2) + """def DistancePhysicsJoint "rope" {
    rel physics:body1 = </W/b>
    float physics:maxDistance = 3
    float physics:minDistance = 0
}
}
"""
        stage = self.stage(body)
        said = mechane("sim", stage, "--frames", "1").stderr
        self.assertIn("PhysicsDistanceJoint", said)
        self.assertIn("--option lenient_names=true", said)
        z = lambda *words: json.loads(mechane("sim", stage, "--duration", "3", "--json", *words).stdout)["frames"][-1]["body_q"][0][2]
        self.assertLess(z(), -30)
        for words in (["--option", "lenient_names=true"], ["--lenient-names"]):
            self.assertGreater(z(*words), -3.2)  # the rope holds it within 3 m of the origin

    def test_groups_of_the_documents_are_read_as_meant_and_their_numbers_keep_shapes_apart(self):
        """GAP-018, GAP-035."""
        group = 'def "{0}" (prepend apiSchemas = ["PhysicsCollisionGroup"]) {{ }}\n'
        body = 'def Xform "W" {\n' + group.format("G1") + group.format("G2") + "".join(
            box(name, x=x, lines=f"    rel physics:collisionGroup = </W/{g}>") for name, x, g in (("a", 0, "G1"), ("b", 0.5, "G2"), ("c", 0.25, "G2"))) + "}\n"
        stage = self.stage(body)
        pairs = lambda *words: {tuple(sorted((c["shape_a"], c["shape_b"]))) for c in document("collide", stage, "--json", *words)["contacts"]}
        self.assertEqual(len(pairs()), 3)
        self.assertEqual(pairs("--lenient-names", "--option", "usd_group_mode=newton_ids"), {("/W/b", "/W/c")})


class Shorthands(Stages):
    def test_legacy_rules_reach_every_verb(self):
        """GAP-009: a mass without a diagonal inertia is then no mass."""
        stage = self.stage("""def Xform "W" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 7
    def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double size = 1
    }
}
""")
        mass = lambda *words: document("info", stage, "--json", *words)["bodies"][0]["mass"]
        self.assertAlmostEqual(mass(), 7)
        self.assertNotAlmostEqual(mass("--legacy", "mass-pair-rule"), 7)
        self.assertEqual(mass("--legacy", "mass-pair-rule"), mass("--option", "legacy=mass-pair-rule"))
        self.assertEqual(mechane("sim", stage, "--legacy", "mass-par-rule").returncode, 2)

    def test_default_friction_is_that_of_unbound_colliders(self):
        """GAP-092."""
        stage = self.stage('def Xform "W" {\n' + box() + "}\n")
        mu = lambda *words: document("explain", stage, "/W/b.mu", "--json", *words)["values"][0]["value"]
        self.assertEqual((mu(), mu("--option", "default_friction=0.25")), ("1", "0.25"))

    def test_self_collisions_have_a_word_of_their_own(self):
        body = """def Xform "W" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
""" + box("a") + box("b", x=0.5) + box("c", x=0.9) + """def PhysicsRevoluteJoint "j" {\n rel physics:body0 = </W/a>\n rel physics:body1 = </W/b>\n}
def PhysicsRevoluteJoint "k" {\n rel physics:body0 = </W/b>\n rel physics:body1 = </W/c>\n}
}
"""
        stage = self.stage(body)
        pairs = lambda *words: len({(c["shape_a"], c["shape_b"]) for c in document("collide", stage, "--json", *words)["contacts"]})
        self.assertEqual((pairs(), pairs("--enable-self-collisions", "false"), pairs("--enable-self-collisions", "true")), (1, 0, 1))


if __name__ == "__main__":
    unittest.main()

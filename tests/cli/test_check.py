"""mechane check and mechane ros as a user meets them."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from tests.cli.program import PROGRAM, QUADRUPED, ROOT, SANITIZED, corpus, mechane
from tools import rules_page

try:
    import jsonschema
except ImportError:  # a developer's Python without the Debian package
    jsonschema = None

BAD = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    upAxis = "Z"
)

def Xform "robot"
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 0
    }
}
"""
TEXTURED = """    def Material "look"
    {
        token outputs:surface.connect = </robot/look/s.outputs:surface>

        def Shader "s"
        {
            color3f inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>
            uniform token info:id = "UsdPreviewSurface"
            token outputs:surface
        }

        def Shader "t"
        {
            asset inputs:file = @./a.png@
            uniform token info:id = "UsdUVTexture"
            float3 outputs:rgb
        }
    }

    def Cube "v" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </robot/look>
    }

"""
#: A fopen that has no memory left for pictures.
NO_MEMORY_FOR_PICTURES = """
#include <cstring>
#include <dlfcn.h>
#include <new>
static int opened(const char* call, const char* name, int flags, int mode)
{
    const std::size_t size = std::strlen(name);
    if (size > 4 && std::strcmp(name + size - 4, ".png") == 0) throw std::bad_alloc();
    return reinterpret_cast<int (*)(const char*, int, int)>(dlsym(RTLD_NEXT, call))(name, flags, mode);
}
extern "C" int open(const char* name, int flags, int mode) { return opened("open", name, flags, mode); }
extern "C" int open64(const char* name, int flags, int mode) { return opened("open64", name, flags, mode); }
"""
#: Strings of a layer may hold any bytes.
ANY_BYTES = r"""#usda 1.0
(
    defaultPrim = "röbot"
)

def Xform "röbot" (
    prepend apiSchemas = ["RosContextAPI", "RosTopicAPI"]
    kind = "<b>&amp;\x07"
)
{
    string ros:context:namespace = "a//b\x01\x1b[31m"
    string ros:topic:name = "]]>&<script>alert(1)</script>%0A::error\n::error"
    string ros:topic:type = "x\xff\xfe"
}
"""
TOPIC = """#usda 1.0
(
    defaultPrim = "robot"
)

def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "robot_1"

    def Xform "scan" (
        prepend apiSchemas = ["RosTopicAPI"]
    )
    {
        string ros:topic:name = "scan"
        double ros:topic:publish_rate = 10
        token ros:topic:role = "publisher"
        string ros:topic:type = "sensor_msgs/msg/LaserScan"
    }
}
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text, name="bad.usda"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_findings_name_the_place_and_the_remedy(self):
        done = mechane("check", self.write(BAD))
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[REP-1.3-l]: the mass is 0", done.stdout)
        self.assertRegex(done.stdout, r"bad\.usda:14.*/robot/link\.physics:mass")
        self.assertIn("= help:", done.stdout)
        self.assertRegex(done.stdout, r"\d+ errors, \d+ warning")

    def test_what_an_asset_says_of_the_package_that_it_came_from(self):
        """REP-1.2.5-e: assetInfo.ros is a dictionary whose package_uri is a complete package URI; a leftover of an importer asks for one."""
        head = '#usda 1.0\n(\n    defaultPrim = "r"\n)\ndef Xform "r" (\n    assetInfo = {\n%s    }\n)\n{\n%s}\n'
        left = '    custom string urdf:package = "p"\n'
        ros = "        dictionary ros = {\n            %s\n        }\n"
        cases = [("", "", None), ("", left, "info"), (ros % 'string package_uri = "package://p/urdf/r.urdf"', left, None), (ros % 'string package_uri = "package://p"', "", "warning"),
                 (ros % 'string package_uri = "/home/r.urdf"', "", "warning"), (ros % "int package_uri = 3", "", "warning"), (ros % 'string mounting = "wall"', "", None),
                 (ros % 'string mounting = "wall"', left, "info"), ('        string ros = "p"\n', "", "warning")]
        for info, more, severity in cases:
            with self.subTest(info=info, more=more):
                done = mechane("check", self.write(head % (info, more)), "--select", "1.2.5-e", "--json", "-q")
                self.assertEqual([f["severity"] for f in json.loads(done.stdout)["findings"]], [severity] if severity else [])

    def test_exit_codes_do_not_depend_on_the_format(self):
        bad = self.write(BAD)
        for form in ("text", "json", "sarif", "junit", "github"):
            self.assertEqual(mechane("check", bad, "--format", form).returncode, 1, form)
        self.assertEqual(mechane("check", bad, "--exit-zero").returncode, 0)
        self.assertEqual(mechane("check", bad, "--select", "2").returncode, 0)
        self.assertEqual(mechane("check", bad, "--select", "9.9").returncode, 2)
        self.assertEqual(mechane("check", bad, "--profile", "none").returncode, 2)
        self.assertEqual(mechane("check").returncode, 2)
        self.assertEqual(mechane("check", "/nowhere.usda").returncode, 3)
        self.assertEqual(mechane("check", bad, "-o", "/nowhere/report.txt").returncode, 5)

    @unittest.skipUnless(shutil.which("c++"), "no compiler to make a library that fails")
    @unittest.skipIf(SANITIZED, "the sanitizer's library has to come first")
    def test_a_rule_that_goes_wrong_itself_is_a_bug_and_the_others_findings_are_printed(self):
        """(REP-T-144) Reading the header of a picture runs out of memory."""
        with open(os.path.join(self.folder.name, "a.png"), "wb") as picture:
            picture.write(b"\x89PNG")
        textured = self.write(BAD.replace('    def Xform "link"', TEXTURED + '    def Xform "link"'))
        whole = json.loads(mechane("check", textured, "--format", "json").stdout)
        failing = pathlib.Path(self.folder.name, "libfail.so")
        subprocess.run(["c++", "-shared", "-fPIC", "-x", "c++", "-", "-o", failing], input=NO_MEMORY_FOR_PICTURES, text=True, check=True)
        done = mechane("check", textured, "--format", "json", LD_PRELOAD=str(failing))
        self.assertEqual(done.returncode, 70, done.stderr)
        self.assertIn("MECH-001", done.stderr)
        found = json.loads(done.stdout)
        lost = {rule["id"] for rule in found["coverage"]["skipped"] if "bad_alloc" in rule["reason"]}
        self.assertIn("REP-3.2-a", lost)
        self.assertEqual(found["summary"]["unchecked"], len(lost))
        self.assertEqual([f for f in found["findings"] if f["rule"] not in lost], [f for f in whole["findings"] if f["rule"] not in lost])
        self.assertEqual(mechane("check", textured, "--exit-zero", LD_PRELOAD=str(failing)).returncode, 70)

    def test_a_broken_file_does_not_keep_the_others_from_being_checked(self):
        self.write(BAD)
        self.write("#usda 1.0\ndef Xform \"r\" {", "broken.usda")
        done = mechane("check", self.folder.name, "--format", "json")
        self.assertEqual(done.returncode, 3)
        self.assertGreater(json.loads(done.stdout)["summary"]["error"], 0)

    def test_what_a_file_of_another_format_has_wrong_is_found_like_a_fault_of_a_stage(self):
        """Broken numbers, missing meshes, cyclic parents, names that are there twice: findings of MECH-003, status 1"""
        mass = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        link = '<link name="{}">' + mass + "{}</link>"
        shape = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
        hold = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
        body = '<body name="{}"><joint axis="0 0 1"/><geom size="{}"/></body>'
        sdf = '<link name="{}"><inertial><mass>{}</mass></inertial></link>'
        sources = {
            "number.urdf": ("SOURCE_NUMBER", f'<robot name="r">{link.format("a", "heavy", "")}</robot>'),
            "mesh.urdf": ("SOURCE_MESH_MISSING", f'<robot name="r">{link.format("a", 1, shape)}</robot>'),
            "cycle.urdf": ("SOURCE_TREE", f'<robot name="r">{link.format("a", 1, "")}{link.format("b", 1, "")}{hold.format("i", "a", "b")}{hold.format("j", "b", "a")}</robot>'),
            "name.urdf": ("SOURCE_NAME_DUPLICATE", f'<robot name="r">{link.format("a", 1, "")}{link.format("a", 1, "")}</robot>'),
            "number.xacro": ("SOURCE_NUMBER", f'<robot name="r" xmlns:xacro="http://ros.org/xacro">{link.format("a", "heavy", "")}</robot>'),
            "number.xml": ("SOURCE_NUMBER", f"<mujoco><worldbody>{body.format('a', 'wide')}</worldbody></mujoco>"),
            "name.xml": ("SOURCE_NAME_DUPLICATE", f"<mujoco><worldbody>{body.format('a', .1)}{body.format('a', .1)}</worldbody></mujoco>"),
            "number.sdf": ("SOURCE_NUMBER", f'<sdf version="1.9"><model name="m">{sdf.format("a", "heavy")}</model></sdf>'),
        }
        with tempfile.TemporaryDirectory() as folder:
            for name, (fault, text) in sources.items():
                with self.subTest(name):
                    file = pathlib.Path(folder, name)
                    file.write_text(text)
                    done = mechane("check", file)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertIn("error[MECH-003]", done.stdout)
                    self.assertNotIn(": 0 errors", done.stdout)
                    report = json.loads(mechane("check", file, "--format", "json").stdout)
                    found = [f for f in report["findings"] if f["rule"] == "MECH-003"]
                    self.assertIn(fault, [f["variant"] for f in found])
                    self.assertTrue(all(f["layer"] == str(file) and f["line"] for f in found))
                    self.assertGreaterEqual(report["summary"]["error"], 1)
                    self.assertEqual(report["unopened"], [])
                    run = json.loads(mechane("check", file, "--format", "sarif").stdout)["runs"][0]
                    self.assertIn("MECH-003", [r["ruleId"] for r in run["results"]])
                    for verb in ("info", "sim"):
                        self.assertEqual(mechane(verb, file, *(["--duration", "0.01"] if verb == "sim" else [])).returncode, 1)
            good = pathlib.Path(folder, "good.urdf")
            good.write_text(f'<robot name="r">{link.format("a", 1, "")}</robot>')
            self.assertNotIn("MECH-003", mechane("check", good).stdout)
            ignored = mechane("check", pathlib.Path(folder, "number.urdf"), "--ignore", "source-fault")
            self.assertNotIn("MECH-003", ignored.stdout)

    def test_the_html_page_says_what_could_not_be_opened(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder, "broken.usda")
            broken.write_text('#usda 1.0\ndef Xform "W"\n{\n    int[] p = [1 2]\n}\n')
            page = mechane("check", broken, QUADRUPED, "--format", "html").stdout
        self.assertIn("<p>1 asset, ", page)
        self.assertIn("STAGE_OPEN_FAILED: expected a comma or ']' in a list; found '2]'", page)
        self.assertIn("broken.usda:4", page)

    def test_what_could_not_be_opened_stands_in_the_reports_of_machines(self):
        """A run of SARIF that judged nothing was not successful; JUnit has an error and GitHub an annotation, with file and line."""
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder, "broken.usda")
            broken.write_text('#usda 1.0\ndef Xform "W"\n{\n    int[] p = [1 2]\n}\n')
            for others in ([], [QUADRUPED]):
                done = mechane("check", broken, *others, "--format", "sarif")
                self.assertEqual(done.returncode, 3)
                run = json.loads(done.stdout)["runs"][0]["invocations"][0]
                self.assertFalse(run["executionSuccessful"])
                note = next(n for n in run["toolExecutionNotifications"] if n["descriptor"]["id"] == "STAGE_OPEN_FAILED")
                place = note["locations"][0]["physicalLocation"]
                self.assertEqual((note["level"], place["region"]["startLine"]), ("error", 4))
                self.assertTrue(place["artifactLocation"]["uri"].endswith("broken.usda"))
                suite = xml.etree.ElementTree.fromstring(mechane("check", broken, *others, "--format", "junit").stdout)[0]
                self.assertEqual((suite.get("errors"), suite[0][0].tag, suite[0][0].get("type")), ("1", "error", "STAGE_OPEN_FAILED"))
                self.assertRegex(mechane("check", broken, *others, "--format", "github").stdout, r"::error file=\S*broken\.usda,line=4,title=STAGE_OPEN_FAILED::expected a comma")

    def test_a_layer_that_is_there_and_cannot_be_read_is_to_be_mended(self):
        """REP-1.2.5-k: the hint for a layer with a wrong line is another one than for a layer that is not there."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("broken.usda", '#usda 1.0\ndef Xform "W"\n{\n    int[] p = [1 2]\n}\n'), ("gone.usda", None)):
                for arc in ("subLayers = [@./%s@]\n)\ndef Xform \"r\"\n{\n}\n", ")\ndef Xform \"r\" (\n    references = @./%s@\n)\n{\n}\n"):
                    root = pathlib.Path(folder, "root.usda")
                    root.write_text('#usda 1.0\n(\n    defaultPrim = "r"\n    ' + arc % name)
                    if text:
                        pathlib.Path(folder, name).write_text(text)
                    found = [f for f in json.loads(mechane("check", root, "--json").stdout)["findings"] if f["rule"] == "REP-1.2.5-k"]
                    self.assertEqual(len(found), 1, found)
                    self.assertEqual("mend what the message names" in found[0]["hint"], text is not None, found)
                    if text:
                        self.assertIn("broken.usda:4", found[0]["message"])

    def test_names_that_nothing_knows_are_said_and_not_judged(self):
        # GAP-110: as the import says them, with the nearest names, in every format and in no count.
        text = BAD.replace('    def Xform "link"', """    def Xform "odd" (
        prepend apiSchemas = ["PhysicsMasAPI"]
    )
    {
        float physics:mas = 3
        float newton:armatur = 3
        float physics:mass = 2
    }

    def PhysicsRevoluteJiont "k"
    {
    }

    def Xform "link\"""")
        odd = self.write(text, "odd.usda")
        ids = ["IMPORT_API_UNAPPLIED", "IMPORT_CUSTOM_UNDECLARED", "IMPORT_PROPERTY_UNKNOWN", "SCHEMA_API_UNKNOWN", "SCHEMA_TYPE_UNKNOWN"]
        for more in ([], ["--format", "json"], ["--format", "sarif"], ["--select", "1.3"], ["--variants", "each"]):
            done = mechane("check", odd, *more)
            for one in ids:
                self.assertIn(f"warning[{one}]", done.stderr, more)
            self.assertIn("Did you mean physics:mass", done.stderr)
            self.assertIn("Did you mean PhysicsRevoluteJoint", done.stderr)
        report = json.loads(mechane("check", odd, "--format", "json").stdout)
        self.assertEqual(sorted({note["id"] for note in report["assets"][0]["notes"]}), ids)
        lines = [json.loads(line) for line in mechane("check", odd, "--format", "ndjson").stdout.splitlines()]
        self.assertEqual(sorted({note["id"] for note in lines[1]["notes"]}), ids)
        sarif = json.loads(mechane("check", odd, "--format", "sarif").stdout)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(sorted({note["descriptor"]["id"] for note in sarif if "descriptor" in note}), ids)
        # A section without findings: the names alone give no finding, and --strict counts them.
        self.assertEqual(mechane("check", odd, "--select", "3.6").returncode, 0)
        self.assertEqual(mechane("check", odd, "--select", "3.6", "--strict").returncode, 1)
        self.assertEqual(mechane("check", self.write(BAD, "bad.usda"), "--select", "3.6").stderr, "")

    def test_sarif_has_every_rule_and_points_at_the_line(self):
        run = json.loads(mechane("check", self.write(BAD), "--format", "sarif").stdout)["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        self.assertGreaterEqual(len(rules), 70)
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        mass = next(result for result in run["results"] if result["ruleId"] == "REP-1.3-l")
        self.assertEqual(mass["locations"][0]["physicalLocation"]["region"]["startLine"], 14)

    def assets(self):
        """What formats are tried on: our own faults, names of any bytes; robots and a package where there is a corpus."""
        found = [self.write(BAD), self.write(ANY_BYTES, "a:b,c d%20.usda"), QUADRUPED]
        if corpus() is not None:
            found += [corpus() / name for name in (
                "robots-urdf/example-robot-data/panda/panda.usda", "robots-mjcf/gymnasium/ant/ant.usda", "newton/examples/assets/crazyflie.usd",
                "openusd/usd/testUsdUsdzResolver/src/nested.usdz")]
        return found

    @unittest.skipUnless(jsonschema and os.environ.get("MECHANE_SARIF_SCHEMA"), "skipped: MECHANE_SARIF_SCHEMA names no schema of SARIF 2.1.0")
    def test_sarif_is_valid(self):
        """(REP-T-140) The schema is OASIS's: sarif-2.1/schema/sarif-schema-2.1.0.json of its repository sarif-spec."""
        with open(os.environ["MECHANE_SARIF_SCHEMA"], encoding="utf-8") as file:
            schema = json.load(file)
        for asset in self.assets():
            with self.subTest(asset):
                jsonschema.validate(json.loads(mechane("check", asset, "--format", "sarif", "--all-variants").stdout), schema)

    def test_every_format_holds_any_name(self):
        """JSON by its published schema, JUnit by XML's rules, one line of GitHub's a finding, and nothing that steers a terminal."""
        schema = json.loads((ROOT / "docs" / "schemas" / "check.schema.json").read_text())
        for asset in self.assets():
            with self.subTest(asset):
                report = json.loads(mechane("check", asset, "--format", "json", "--all-variants").stdout)
                if jsonschema:
                    jsonschema.validate(report, schema)
                junit = subprocess.run([PROGRAM, "check", asset, "--format", "junit", "--all-variants"], capture_output=True, check=False)
                xml.etree.ElementTree.fromstring(junit.stdout)  # as bytes: XML says what they are
                lines = mechane("check", asset, "--format", "github", "--all-variants").stdout.splitlines()
                self.assertEqual(len(lines), len(report["findings"]))
                for line in lines:
                    self.assertRegex(line, r"^::(error|warning|notice) file=[^,:]+(,line=\d+)?,title=REP-[0-9.]+-[a-z]::")
                text = mechane("check", asset, "--all-variants").stdout
                self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f]")

    def test_findings_about_a_layer_name_no_prim_and_no_line(self):
        """A place is said as far as it is known: no empty brackets and no line 0."""
        asset = self.write("#usda 1.0\n(\n    metersPerUnit = 2\n)\n")
        for form in ("junit", "github"):
            text = mechane("check", asset, "--format", form).stdout
            self.assertIn("REP-1.1-a", text)
            self.assertNotIn(" ()", text)
            self.assertNotIn(":0 ", text)

    def test_junit_parses_and_counts(self):
        root = xml.etree.ElementTree.fromstring(mechane("check", self.write(BAD), "--format", "junit").stdout)
        suite = root.find("testsuite")
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertGreater(int(suite.get("failures")), 0)

    def test_a_baseline_hides_what_is_known(self):
        bad, baseline = self.write(BAD), os.path.join(self.folder.name, "known.txt")
        self.assertEqual(mechane("check", bad, "--write-baseline", baseline).returncode, 0)
        done = mechane("check", bad, "--baseline", baseline)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("in the baseline", done.stdout)
        worse = self.write(BAD.replace("def Xform \"link\"", "def RectLight \"lamp\"\n    {\n    }\n\n    def IsaacLight \"x\"\n    {\n    }\n\n    def Xform \"link\""))
        self.assertEqual(mechane("check", worse, "--baseline", baseline).returncode, 1)

    def test_rules_are_listed_and_explained(self):
        listed = mechane("check", "--list-rules").stdout
        self.assertIn("REP-1.3-l", listed)
        self.assertIn("profiles: distributed", listed)
        for name in ("REP-1.3-l", "mass-positive"):
            self.assertIn("Why:", mechane("explain", name).stdout)

    def test_the_pages_of_rules_are_current(self):
        texts = rules_page.pages(PROGRAM)
        self.assertEqual(rules_page.stale(texts), [], "run: make docs")
        for path, text in texts.items():
            with self.subTest(path.name):
                self.assertEqual(path.read_text(), text, "run: make docs")

    def test_what_was_not_judged_is_said(self):
        """REP-0158 2.1: by default the selected variants and the loaded payloads are judged."""
        part = os.path.join(self.folder.name, "part.usda")
        with open(part, "w", encoding="utf-8") as file:
            file.write('#usda 1.0\n(\n    defaultPrim = "p"\n)\ndef Xform "p"\n{\n}\n')
        stage = self.write('''#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot" (
    prepend variantSets = "size"
    variants = {
        string size = "big"
    }
)
{
    variantSet "size" = {
        "big" {
        }
        "medium" {
        }
        "small" {
        }
    }

    def "part" (
        prepend payload = @./part.usda@
    )
    {
    }
}
''')
        last = mechane("check", stage).stdout.splitlines()[-1]
        self.assertIn("2 other variant selections not checked (--variants each)", last)
        self.assertNotIn("payload", last)
        self.assertIn("1 payload not loaded and not checked", mechane("check", stage, "--unloaded").stdout.splitlines()[-1])
        self.assertNotIn("other variant selection", mechane("check", stage, "--variants", "each").stdout.splitlines()[-1])
        told = json.loads(mechane("check", stage, "--unloaded", "--format", "json").stdout)
        self.assertEqual((told["statesLeftOut"], told["payloadsLeftOut"]), (2, 1))
        page = mechane("check", stage, "--unloaded", "--format", "html").stdout
        self.assertIn("2 other variant selections not checked", page)
        self.assertIn("1 payload not loaded", page)

    def test_rules_quote_the_standard(self):
        """REP-0158 5.10, D1: what a rule says is beside the sentence that it restates; where those disagree, the reading is named."""
        told = json.loads(mechane("check", "--list-rules", "--json").stdout)
        judged = {rule for sentence in told["sentences"] for rule in sentence["rules"]}
        for rule in told["rules"]:
            self.assertNotEqual(rule["id"] in judged, bool(rule["derivation"]), rule["id"])
            self.assertTrue(rule["review"] or rule["bad"], rule["id"])
        for sentence in told["sentences"]:
            self.assertTrue(sentence["rules"] or sentence["note"], sentence["text"])
            self.assertTrue(sentence["note"] or not sentence["contradicts"], sentence["text"])
        explained = mechane("explain", "REP-1.2.3-c").stdout
        self.assertIn('REP-0158 1.2.3: "Payloads must not encapsulate joint or link prims themselves."', explained)
        self.assertIn("The standard contradicts itself", explained)
        self.assertIn("--strict-payloads", explained)

    def test_findings_of_sarif_lead_to_the_page_of_their_rule(self):
        run = json.loads(mechane("check", self.write(BAD), "--format", "sarif").stdout)["runs"][0]
        for rule in run["tool"]["driver"]["rules"]:
            place, mark = rule["helpUri"].split("#")
            self.assertEqual(place, f"docs/rules/{rules_page.section_of(rule['id'])}.md")
            self.assertIn(f'<a id="{mark}"></a>', (rules_page.ROOT / place).read_text())

    def test_the_index_leads_to_every_rule(self):
        told = json.loads(mechane("check", "--list-rules", "--json").stdout)
        index = rules_page.RULES.read_text()
        for rule in told["rules"]:
            self.assertIn(f"]({rules_page.link(rule['id'])})", index)

    def test_output_is_the_same_twice(self):
        bad = self.write(BAD)
        self.assertEqual(mechane("check", bad, "--format", "json").stdout, mechane("check", bad, "--format", "json").stdout)

    def test_every_robot_of_the_corpus_is_judged(self):
        assets = corpus()
        if assets is None:
            self.skipTest("skipped: no corpus")
        for name in ("newton/examples/assets/ant.usda", "newton/examples/assets/humanoid.usda", "robots-urdf/example-robot-data/panda/panda.usda"):
            done = mechane("check", assets / name, "--format", "json")
            self.assertIn(done.returncode, (0, 1), name)
            self.assertEqual(json.loads(done.stdout)["summary"]["unchecked"], 0, name)

    def test_our_own_robot_is_clean(self):
        # It is kept in two files for the sake of its readers; 1.2.1 asks for a file for each role.
        done = mechane("check", QUADRUPED, "--fail-on", "info", "--ignore", "1.2.1")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_our_small_stages_are_sound(self):
        samples = pathlib.Path(QUADRUPED).parents[1]
        # Each shows one idea in few lines, without the layout, names and interfaces that REP-0158 asks of an asset.
        for stage in [*sorted(samples.glob("gallery/*.usda")), *sorted(samples.glob("usd/*.usda"))]:
            with self.subTest(stage.name):
                done = mechane("check", stage, "--profile", "usdphysics", "--fail-on", "info")
                self.assertEqual(done.returncode, 0, done.stdout)


class Ros(unittest.TestCase):
    def test_names_are_resolved_through_contexts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.usda")
            with open(path, "w") as file:
                file.write(TOPIC)
            self.assertIn("/robot_1/scan", mechane("ros", "interfaces", path).stdout)
            found = json.loads(mechane("ros", "interfaces", path, "--json").stdout)["interfaces"]
            self.assertEqual([i["name"] for i in found], ["/robot_1/scan"])
            self.assertEqual(found[0]["publish_rate"], 10)



class Asked(unittest.TestCase):
    """Options of check do what they say in each of its ways, or are refused."""

    def at(self, *arguments):
        return mechane("check", *arguments, cwd=self.folder)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_lists_go_to_the_output(self):
        for arguments in (["--list-rules"], [QUADRUPED, "--list-assets"], ["--list-rules", "--json"]):
            with self.subTest(arguments=arguments):
                told = self.at(*arguments)
                kept = self.at(*arguments, "-o", "out.txt")
                self.assertEqual((kept.returncode, kept.stdout), (0, ""), kept.stderr)
                self.assertEqual(pathlib.Path(self.folder, "out.txt").read_text(), told.stdout)

    def test_behaviour_obeys_the_options_that_it_has(self):
        def rules(*more):
            done = self.at(QUADRUPED, "--behaviour", "--json", *more)
            return [b["rule"] for b in json.loads(done.stdout)["behaviours"]]
        self.assertEqual(rules("--select", "BEH-drop,overlap"), ["BEH-drop", "BEH-overlap"])
        self.assertEqual(rules("--select", "BEH", "--ignore", "drop"), ["BEH-hold", "BEH-limits", "BEH-mimic", "BEH-overlap"])
        told = self.at(QUADRUPED, "--behaviour", "--select", "overlap")
        kept = self.at(QUADRUPED, "--behaviour", "--select", "overlap", "-o", "out.txt")
        self.assertEqual((kept.stdout, pathlib.Path(self.folder, "out.txt").read_text()), ("", told.stdout))
        fails = pathlib.Path(self.folder, "two.usda")
        fails.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + "".join(
            f'def Cube "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{{\n}}\n' for name in "ab"))
        self.assertEqual(self.at(fails, "--behaviour", "--select", "overlap").returncode, 1)
        self.assertEqual(self.at(fails, "--behaviour", "--select", "overlap", "--exit-zero").returncode, 0)

    def test_behaviour_refuses_the_options_that_it_has_not(self):
        for more, said in ((["--baseline", "x"], "--baseline"), (["--write-baseline", "x"], "--write-baseline"), (["--format", "sarif"], "sarif"),
                           (["--select", "REP-1.1-a"], "REP-1.1-a"), (["--variants", "each"], "--variants"), (["--statistics"], "--statistics")):
            with self.subTest(more=more):
                done = self.at(QUADRUPED, "--behaviour", *more)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(said, done.stderr)
        self.assertEqual(self.at(QUADRUPED, "--pictures", "p").returncode, 2)

    def test_behaviour_of_a_folder_is_that_of_its_assets(self):
        folder = pathlib.Path(self.folder)
        shutil.copytree(pathlib.Path(QUADRUPED).parent, folder / "robots")
        done = json.loads(self.at("robots", "--behaviour", "--select", "overlap", "--json").stdout)
        self.assertEqual([b["asset"] for b in done["behaviours"]], ["robots/quadruped.usda"])

    def test_followers_are_judged_where_they_are_from_the_first_step_on(self):
        """URDF says no start pose; `mimic offset` moves the follower away from zero"""
        robot = pathlib.Path(QUADRUPED).parents[1] / "convert" / "arm.urdf"
        self.assertIn("offset", robot.read_text())
        self.assertEqual(self.at(robot, "--behaviour", "--select", "mimic").returncode, 0)

    def test_robots_of_other_formats_in_a_folder_are_told(self):
        """A folder stands for its OpenUSD files (REP-0158 speaks of these alone)"""
        folder = pathlib.Path(self.folder)
        shutil.copytree(pathlib.Path(QUADRUPED).parent, folder / "robots")
        self.assertNotIn("other formats", self.at("robots").stderr)
        (folder / "robots" / "package.xml").write_text("<package/>")
        (folder / "robots" / "a.urdf").write_text("<robot name='a'><link name='l'/></robot>")
        (folder / "robots" / "b.xml").write_text("<!-- b -->\n<mujoco/>")
        done = self.at("robots")
        self.assertIn("2 robots of other formats not checked", done.stderr)
        self.assertIn("a.urdf", done.stderr)
        self.assertNotIn("package.xml", done.stderr)
        alone = self.at("--by-asset", "robots/a.urdf")
        self.assertIn("a.urdf", alone.stdout)
        picture = folder / "t.png"
        picture.write_bytes(b"")
        self.assertEqual(self.at("--by-asset", picture).returncode, 3)

if __name__ == "__main__":
    unittest.main()

"""What `mechane check` keeps: a verdict from the cache is the verdict that judging the asset anew gives."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from bench import library
from tests.cli.program import PROGRAM, ROOT, SANITIZED, mechane

try:
    import jsonschema
except ImportError:  # a developer's Python without the Debian package
    jsonschema = None

ENTRY = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    subLayers = [
        @./physics.usda@
    ]
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "robot" (
    kind = "component"
    payload = @./geometries.usda@
)
{
    def "arm" (
        prepend references = @arm.usda@</arm>
    )
    {
    }

    def "pack" (
        prepend references = @package://tools/tool.usda@
    )
    {
    }

    def "look" (
        prepend references = @./look.usda@
        variants = {
            string colour = "red"
        }
        prepend variantSets = "colour"
    )
    {
        variantSet "colour" = {
            "red" {
            }
            "blue" {
                double mjc:x = 1
            }
        }
    }

    def Cube "shape" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </robot/look/paint>
    }

    def Xform "scan" (
        prepend apiSchemas = ["RosTopicAPI", "PlugAPI"]
    )
    {
        string ros:topic:name = "scan"
        double ros:topic:publish_rate = 10
        token ros:topic:role = "publisher"
        string ros:topic:type = "my_msgs/msg/Thing"
    }
}
"""
LAYER = """#usda 1.0
(
    defaultPrim = "{prim}"
    metersPerUnit = {unit}
    upAxis = "Z"
)

def Xform "{prim}" (
    kind = "{kind}"
)
{{
    double3 xformOp:translate = (0, 0, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""
BODY = """#usda 1.0
(
    defaultPrim = "robot"
)

over "robot"
{{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = {mass}
    }}
}}
"""
PLUG_INFO = """{"Plugins": [{"Name": "plug", "Type": "resource", "Root": ".", "ResourcePath": ".", "LibraryPath": "",
 "Info": {"Types": {"PlugAPI": {"alias": {"UsdSchemaBase": "PlugAPI"}, "bases": ["UsdAPISchemaBase"], "schemaKind": "%s"}}}}]}"""
PLUG_SCHEMA = '#usda 1.0\n\nclass "PlugAPI"\n{\n}\n'


def layer(prim="arm", unit=1, kind="subcomponent", z=0):
    return LAYER.format(prim=prim, unit=unit, kind=kind, z=z)


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.cache = self.folder / "cache"

    def run_check(self, *arguments, cache=True, **environment):
        """Standard output, exit status, number of files checked."""
        done = mechane("check", *arguments, "-v", "--cache", self.cache if cache else "off", cwd=self.folder, **environment)
        counted = re.search(r"(\d+) of (\d+) files checked", done.stderr)
        self.assertTrue(counted, done.stderr)
        # What is said of the files is part of the verdict too.
        said = re.sub(r".*files checked.*\n", "", done.stderr)
        return (done.stdout, done.returncode, said), int(counted[1])

    def same_as_anew(self, *arguments, **environment):
        """The number of files that were judged; what is printed is what judging all of them prints."""
        verdict, judged = self.run_check(*arguments, **environment)
        anew, _ = self.run_check(*arguments, cache=False, **environment)
        self.assertEqual(verdict, anew)
        return judged


class Kinds(Cache):
    """One asset that depends on a file of each kind."""

    def setUp(self):
        super().setUp()
        asset = self.folder / "asset"
        near, far, tools = self.folder / "near", self.folder / "far", self.folder / "ros" / "share" / "tools"
        for folder in (asset, near, far, tools, self.folder / "ros" / "share" / "ament_index" / "resource_index" / "packages"):
            folder.mkdir(parents=True)
        (self.folder / "ros" / "share" / "ament_index" / "resource_index" / "packages" / "tools").touch()
        (tools / "tool.usda").write_text(layer("tool"))
        (asset / "robot.usda").write_text(ENTRY)
        (asset / "physics.usda").write_text(BODY.format(mass=1))
        (asset / "geometries.usda").write_text(layer("robot"))
        (asset / "look.usda").write_text(library.LOOK.format(texture="a.png"))
        (asset / "a.png").write_bytes(library.png())
        (far / "arm.usda").write_text(layer())
        self.asset, self.near, self.far, self.tools = asset, near, far, tools
        self.arguments = ["asset/robot.usda", "--format", "json", "--search-path", "near", "--search-path", "far", "--ros-env"]
        self.environment = {"AMENT_PREFIX_PATH": str(self.folder / "ros")}

    def check_it(self, *more, **environment):
        return self.same_as_anew(*self.arguments, *more, **{**self.environment, **environment})

    def printed(self, *more, **environment):
        return self.run_check(*self.arguments, *more, **{**self.environment, **environment})[0]

    def changes(self, what, change, *more, **environment):
        """`change` brings another verdict, which is the one that judging anew gives; undone, the earlier one is back."""
        with self.subTest(what):
            self.assertIn(self.check_it(), (0, 1))
            before = self.printed()
            self.assertEqual(self.check_it(), 0, "nothing changed, and yet it was judged")
            undo = change()
            after = self.printed(*more, **environment)
            self.assertNotEqual(after, before, "the change makes no difference: this proves nothing")
            self.assertEqual(self.check_it(*more, **environment), 0)
            if undo is not None:
                undo()
                self.assertEqual(self.printed(), before)
                self.check_it()

    def writing(self, file, content):
        def change():
            old = file.read_bytes() if file.exists() else None
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            return (lambda: file.unlink()) if old is None else (lambda: file.write_bytes(old))
        return change

    def removing(self, file):
        def change():
            old = file.read_bytes()
            file.unlink()
            return lambda: file.write_bytes(old)
        return change

    def test_a_file_of_every_kind_that_changes_brings_a_fresh_verdict(self):
        self.changes("entry", self.writing(self.asset / "robot.usda", ENTRY.replace('kind = "component"', 'kind = "prop"')))
        self.changes("sublayer", self.writing(self.asset / "physics.usda", BODY.format(mass=0)))
        turned = layer("robot").replace("double3 xformOp:translate", "float3 xformOp:rotateXYZ").replace("xformOp:translate", "xformOp:rotateXYZ")
        self.changes("payload", self.writing(self.asset / "geometries.usda", turned))
        self.changes("reference", self.writing(self.far / "arm.usda", layer(kind="prop")))
        self.changes("reference of a package", self.writing(self.tools / "tool.usda", layer("tool", kind="prop")))
        self.changes("texture of 16 bits", self.writing(self.asset / "a.png", library.png(bits=16)))
        self.changes("texture that is gone", self.removing(self.asset / "a.png"))
        self.changes("layer that is gone", self.removing(self.asset / "look.usda"))
        self.changes("package that is gone", self.removing(self.folder / "ros" / "share" / "ament_index" / "resource_index" / "packages" / "tools"))
        (self.folder / "ros" / "share" / "my_msgs" / "msg").mkdir(parents=True)
        self.changes("message type that appears", self.writing(self.folder / "ros" / "share" / "my_msgs" / "msg" / "Thing.msg", "float64 x\n"))

    def test_a_new_file_that_comes_before_another_on_the_search_path_brings_a_fresh_verdict(self):
        self.changes("earlier folder", self.writing(self.near / "arm.usda", layer(kind="prop")))
        self.changes("beside the layer", self.writing(self.asset / "arm.usda", layer(kind="prop")))
        self.changes("in the working folder", self.writing(self.folder / "arm.usda", layer(kind="prop")))

    def test_what_had_been_missing_and_appears_brings_a_fresh_verdict(self):
        (self.far / "arm.usda").unlink()
        self.changes("reference", self.writing(self.far / "arm.usda", layer(kind="prop")))
        (self.asset / "a.png").unlink()
        self.changes("texture", self.writing(self.asset / "a.png", library.png()))

    def test_bytes_that_change_under_the_same_size_and_time_bring_a_fresh_verdict(self):
        def swap(file, old, new):
            def change():
                text, status = file.read_text(), file.stat()
                self.assertIn(old, text)
                file.write_text(text.replace(old, new))
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
                return lambda: file.write_text(text)
            return change
        self.changes("sublayer", swap(self.asset / "physics.usda", "mass = 1", "mass = 0"))
        self.changes("reference", swap(self.far / "arm.usda", "metersPerUnit = 1", "metersPerUnit = 2"))

    def test_a_link_that_leads_elsewhere_brings_a_fresh_verdict(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "arm.usda").write_text(layer(kind="prop"))
        shutil.move(self.far, self.folder / "first")
        self.far.symlink_to("first")

        def change():
            self.far.unlink()
            self.far.symlink_to("other")

            def undo():
                self.far.unlink()
                self.far.symlink_to("first")
            return undo
        self.changes("folder", change)

    def test_options_configuration_and_environment_bring_a_fresh_verdict(self):
        nothing = lambda: lambda: None
        for more in (["--select", "1.1"], ["--ignore", "1.2"], ["--profile", "core"], ["--manual"], ["--variants", "each"],
                     ["--unloaded"], ["--severity", "error"], ["--package", f"tools={self.far}"], ["--variant", "/robot/look{colour=blue}"]):
            self.changes(" ".join(more), nothing, *more)
        toml = self.folder / "mechane.toml"
        finding = json.loads(self.printed()[0])["findings"][0]
        severity = "error" if finding["severity"] == "info" else "info"
        for text in ('[check]\nselect = "1.1"\n', '[check]\nprofile = "core"\n', f'[check.severity]\n"{finding["rule"]}" = "{severity}"\n',
                     '[[suppress]]\nrule = "1.1"\nreason = "a test"\n'):
            self.changes(text, self.writing(toml, text))
        self.changes("no packages", nothing, AMENT_PREFIX_PATH="")
        source = self.folder / "source" / "tools"
        source.mkdir(parents=True)
        (source / "package.xml").write_text("<package/>")
        (source / "tool.usda").write_text(layer("tool", kind="prop"))
        self.changes("packages from source", nothing, AMENT_PREFIX_PATH="", ROS_PACKAGE_PATH=str(self.folder / "source"))

    def test_search_paths_of_the_environment_bring_a_fresh_verdict(self):
        elsewhere, before = self.folder / "elsewhere", self.folder / "before"
        for folder in (elsewhere, before):
            folder.mkdir()
        shutil.move(self.far / "arm.usda", elsewhere / "arm.usda")
        self.changes("found by it", lambda: lambda: None, PXR_AR_DEFAULT_SEARCH_PATH=f"{before}:{elsewhere}")
        self.environment["PXR_AR_DEFAULT_SEARCH_PATH"] = f"{before}:{elsewhere}"
        self.changes("file there", self.writing(elsewhere / "arm.usda", layer(kind="prop")))
        self.changes("file in an earlier folder", self.writing(before / "arm.usda", layer(kind="prop")))

    def test_a_schema_plug_in_that_changes_brings_a_fresh_verdict(self):
        plug = self.folder / "plug"
        plug.mkdir()
        (plug / "generatedSchema.usda").write_text(PLUG_SCHEMA)
        self.environment["PXR_PLUGINPATH_NAME"] = str(plug)
        self.changes("registry", self.writing(plug / "plugInfo.json", PLUG_INFO % "singleApplyAPI"))

    def test_a_baseline_that_changes_brings_a_fresh_verdict(self):
        baseline = self.folder / "known.txt"
        mechane("check", *self.arguments[:1], "--write-baseline", baseline, cwd=self.folder, **self.environment)
        known = baseline.read_text()
        self.arguments += ["--baseline", baseline]
        self.changes("baseline", self.writing(baseline, "".join(known.splitlines(True)[:2])))

    def test_going_back_to_earlier_files_finds_the_earlier_verdict(self):
        self.check_it()
        undo = self.writing(self.asset / "physics.usda", BODY.format(mass=0))()
        self.assertEqual(self.run_check(*self.arguments, **self.environment)[1], 1)
        undo()
        self.assertEqual(self.run_check(*self.arguments, **self.environment)[1], 0)

    def test_a_file_that_cannot_be_parsed_is_told_the_same_again(self):
        (self.asset / "robot.usda").write_text("#usda 1.0\n(\n")
        self.assertEqual(self.check_it(), 1)
        self.assertEqual(self.check_it(), 0)


class Library(Cache):
    """Many assets of shared parts."""

    ASSETS = 40

    def setUp(self):
        super().setUp()
        library.make(self.folder / "library", self.ASSETS)
        self.arguments = ["library", "--format", "ndjson"]

    def test_only_what_changed_is_judged(self):
        files = len(list((self.folder / "library").rglob("*.usda")))
        self.assertEqual(self.same_as_anew(*self.arguments), files)
        self.assertEqual(self.same_as_anew(*self.arguments), 0)
        self.assertEqual(self.same_as_anew(*self.arguments, "--reread"), 0)
        physics = library.folder_of(self.folder / "library", 5) / "physics.usda"
        physics.write_text(physics.read_text().replace("mass = ", "mass = -"))
        self.assertEqual(self.same_as_anew(*self.arguments), 2, "the entry, and the layer by itself")
        self.assertEqual(self.same_as_anew(*self.arguments), 0)
        (self.folder / "library" / "shared" / "paint_0000.png").write_bytes(library.png(bits=16))
        self.assertEqual(self.same_as_anew(*self.arguments), self.ASSETS, "every entry; nothing wears the look of the shared layer by itself")

    def test_changes_by_chance_never_bring_a_wrong_verdict(self):
        chance = random.Random(7)
        root = self.folder / "library"
        shutil.rmtree(root)
        library.make(root, 6)
        spare = self.folder / "spare.usda"
        for step in range(6 if SANITIZED else 16):
            file = chance.choice(sorted(path for path in root.rglob("*") if path.is_file()))
            what = chance.choice(["word", "word", "remove", "copy", "rename", "empty"])
            if what == "word" and file.suffix == ".usda":
                text = file.read_text()
                old, new = chance.choice([("mass = ", "mass = -"), ('"Z"', '"Y"'), ("metersPerUnit = 1", "metersPerUnit = 2"), ('"component"', '"prop"'),
                                          ("uniform token", "token"), ("./physics.usda", "./geometries.usda")])
                file.write_text(text.replace(old, new, 1) if chance.random() < 0.7 else text.replace(new, old, 1))
            elif what == "remove":
                shutil.copy(file, spare)
                file.unlink()
            elif what == "copy":
                shutil.copy(chance.choice(sorted(root.rglob("*.usda"))), file.with_suffix(".usda"))
            elif what == "rename":
                file.rename(file.with_name("x" + file.name))
            elif what == "empty":
                file.write_bytes(b"")
            if chance.random() < 0.3 and spare.exists():
                shutil.copy(spare, file.with_suffix(".usda"))
            with self.subTest(step=step, what=what, file=file.name):
                self.same_as_anew(*self.arguments)
                self.assertEqual(self.run_check(*self.arguments)[1], 0)

    def test_a_killed_run_is_taken_up_where_it_was(self):
        process = subprocess.Popen([PROGRAM, "check", *self.arguments, "--cache", str(self.cache)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(self.cache.rglob("*.verdict"))) < 20:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = len(list(self.cache.rglob("*.verdict")))
        judged = self.same_as_anew(*self.arguments)
        files = len(list((self.folder / "library").rglob("*.usda")))
        self.assertGreaterEqual(kept, 20)
        self.assertEqual(judged, files - kept)

    def test_runs_that_share_a_cache_at_once_print_the_same(self):
        runs = [subprocess.Popen([PROGRAM, "check", *self.arguments, "--cache", str(self.cache)], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL) for _ in range(3)]
        printed = {run.communicate()[0] for run in runs}
        self.assertEqual(len(printed), 1)
        self.assertEqual(self.same_as_anew(*self.arguments), 0)

    def test_a_damaged_cache_is_as_good_as_none(self):
        self.run_check(*self.arguments)
        chance = random.Random(3)
        for number, file in enumerate(sorted(self.cache.rglob("*.verdict"))):
            data = bytearray(file.read_bytes())
            if number % 3 == 0:
                data = data[:chance.randrange(len(data))]
            elif number % 3 == 1:
                data[chance.randrange(len(data))] ^= 1 + chance.randrange(255)
            file.write_bytes(data)
        files = len(list((self.folder / "library").rglob("*.usda")))
        self.assertGreaterEqual(self.same_as_anew(*self.arguments), files // 3)

    def test_a_cache_that_cannot_be_written_is_no_error(self):
        self.cache.write_text("a file")
        files = len(list((self.folder / "library").rglob("*.usda")))
        for _ in range(2):
            self.assertEqual(self.same_as_anew(*self.arguments), files)

    def test_the_stream_says_what_the_document_says(self):
        stream = [json.loads(line) for line in self.run_check(*self.arguments)[0][0].splitlines()]
        document = json.loads(self.run_check("library", "--format", "json")[0][0])
        assets = [line for line in stream if line["record"] == "asset"]
        self.assertEqual([line["asset"] for line in assets], [asset["asset"] for asset in document["assets"]])
        self.assertEqual([{"asset": line["asset"], **finding} for line in assets for finding in line["findings"]], document["findings"])
        self.assertEqual(stream[0]["record"], "begin")
        self.assertEqual(stream[-1]["summary"], document["summary"])
        self.assertEqual(stream[-1]["assets"], self.ASSETS)
        self.assertEqual(stream[-1]["parts"], 2 * self.ASSETS + 1)
        if jsonschema:
            schema = json.loads((ROOT / "docs" / "schemas" / "check.stream.schema.json").read_text())
            for line in stream:
                jsonschema.validate(line, schema)

    def test_the_stream_goes_to_a_file_as_it_goes_to_standard_output(self):
        printed = self.run_check(*self.arguments)[0][0]
        self.run_check(*self.arguments, "-o", "out.ndjson")
        self.assertEqual((self.folder / "out.ndjson").read_text(), printed)

    def test_batches_of_sarif_hold_together_what_one_file_holds(self):
        one = json.loads(self.run_check("library", "--format", "sarif")[0][0])
        (printed, _, _), _ = self.run_check("library", "--format", "sarif", "--batch", "15", "-o", "part-%02d.sarif")
        self.assertEqual(printed.split(), ["part-01.sarif", "part-02.sarif", "part-03.sarif"])
        parts = [json.loads((self.folder / name).read_text())["runs"][0] for name in printed.split()]
        self.assertEqual([result for part in parts for result in part["results"]], one["runs"][0]["results"])
        self.assertEqual(len({part["automationDetails"]["id"] for part in parts}), 3)
        for wrong in (["--format", "json", "--batch", "5", "-o", "x-%d.json"], ["--format", "sarif", "--batch", "5", "-o", "x.sarif"],
                      ["--format", "sarif", "--batch", "5", "-o", "%s-%d.sarif"], ["--format", "sarif", "--batch", "5"]):
            self.assertEqual(mechane("check", "library", *wrong, cwd=self.folder).returncode, 2, wrong)


if __name__ == "__main__":
    unittest.main()

"""The codeless schemas that are shipped (schemas): OpenUSD and Mechane read the same from them, and the ROS ones are the
table of src/ros/schema.cpp, from which rules and documentation are made. GAP-066.

The OpenUSD part needs a Python with usd-core: environment variable MECHANE_ORACLE_PYTHON, else the Python that runs the tests.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tests.cli.program import ROOT, mechane
from tests.differential.test_roundtrips import ORACLE, has_oracle

FOLDERS = [ROOT / "schemas" / name for name in ("ros", "ros_control", "ext_physics")]
ASK = """
import json, sys
from pxr import Usd
registry, out = Usd.SchemaRegistry(), {}
for name in sys.argv[1:]:
    definition, properties = registry.FindAppliedAPIPrimDefinition(name), {}
    for key in definition.GetPropertyNames():
        attribute = definition.GetAttributeDefinition(key)
        properties[key] = {"type": str(attribute.GetTypeName()), "fallback": attribute.GetFallbackValue()} if attribute else {"type": "rel"}
    out[name] = properties
print(json.dumps(out))
"""


def types():
    for folder in FOLDERS:
        yield from json.loads((folder / "plugInfo.json").read_text())["Plugins"][0]["Info"]["Types"].values()


def identifiers():
    return [info["schemaIdentifier"] for info in types()]


def table():
    """Schema -> property -> (type, fallback as usda, allowed tokens) of the C++ table."""
    source = (ROOT / "src" / "ros" / "schema.cpp").read_text()
    words = dict(re.findall(r'std::string_view (k\w+)\s*= "([^"]*)"', source))
    out = {}
    for name, rows in re.findall(r"constexpr std::array k(\w+)\{(.*?)\};", source, re.DOTALL):
        out[f"Ros{name}API"] = {
            key: (type_, fallback.replace('\\"', '"'), (allowed.strip('"') if allowed.startswith('"') else words[allowed]).split())
            for key, type_, fallback, allowed in re.findall(r'Property\{"([^"]+)", "([^"]+)", (?:true|false), "((?:[^"\\]|\\.)*)", ("[^"]*"|k\w+)\}', rows)}
    return {name: rows for name, rows in out.items() if rows and name != "RosJointAPI"}  # a property without a schema


def shipped(folder, file):
    """The same of a usda file."""
    text = (ROOT / "schemas" / folder / file).read_text()
    out = {}
    for name, body in re.findall(r'class "(\w+)" \(.*?^\)\n\{\n(.*?)^\}', text, re.DOTALL | re.MULTILINE):
        out[name] = {
            key: (type_, fallback, re.findall(r'"([^"]*)"', allowed))
            for type_, key, fallback, allowed in re.findall(r"^    (\S+) (\S+)(?: = (\S+))?(?: \(\n        allowedTokens = \[(.*?)\]\n    \))?$", body, re.MULTILINE)}
    return out


class ShippedSchemas(unittest.TestCase):
    maxDiff = None

    def test_the_ros_files_are_the_table(self):
        self.assertEqual(set(table()), {"RosContextAPI", "RosTopicAPI", "RosServiceAPI", "RosActionAPI", "RosFrameAPI"})
        for file in ("generatedSchema.usda", "schema.usda"):
            self.assertEqual(shipped("ros", file), table())
        for folder in ("ext_physics", "ros_control"):
            self.assertEqual(shipped(folder, "generatedSchema.usda"), shipped(folder, "schema.usda"))

    def ours(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder, "a.usda")
            stage.write_text("#usda 1.0\n" + "".join(f'def "p_{name}" (\n    prepend apiSchemas = ["{name}"]\n)\n{{\n}}\n' for name in identifiers()))
            done = mechane("dump", "stage", stage, *options)
        # The prims have no type, which a schema for joints alone is told.
        restricted = [info["schemaIdentifier"] for info in types() if "apiSchemaCanOnlyApplyTo" in info]
        self.assertEqual(done.returncode, 0)
        self.assertEqual(re.findall(r"^(?:warning|error)\[\w+\]: .*?'(\w+)'", done.stderr, re.MULTILINE), restricted, done.stderr)
        self.assertEqual(done.stderr.count("SCHEMA_API_NOT_APPLICABLE"), len(restricted))
        fallbacks = json.loads(done.stdout)["schemaFallbacks"]
        return {name: fallbacks[f"+{name}"] for name in identifiers()}

    def test_mechane_reads_types_and_fallbacks(self):
        ours = self.ours()
        for name, properties in shipped("ros", "generatedSchema.usda").items():
            self.assertEqual({key: row["type"] for key, row in ours[name].items()}, {key: row[0] for key, row in properties.items()})
        self.assertEqual(ours["RosTopicAPI"]["ros:topic:qos:depth"]["fallback"], 10)
        self.assertEqual(ours["ExtendedPhysicsMimicAPI"]["ext_physics:mimic:joint"], {"type": "rel"})

    def test_who_names_them_as_plug_ins_gets_the_same_and_no_finding(self):
        named = [word for path in FOLDERS for word in ("--schema-path", path)]
        self.assertEqual(self.ours(*named), self.ours())
        self.assertEqual(self.ours("--option", "schemas=openusd", *named), self.ours())

    @unittest.skipUnless(has_oracle(), "skipped: no Python with usd-core")
    def test_openusd_reads_the_same(self):
        done = subprocess.run([ORACLE, "-c", ASK, *identifiers()], capture_output=True, text=True, env={**os.environ, "PXR_PLUGINPATH_NAME": ":".join(map(str, FOLDERS))})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), self.ours())


if __name__ == "__main__":
    unittest.main()

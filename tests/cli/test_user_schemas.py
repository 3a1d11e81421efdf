"""A user's own schemas: codeless plug-ins named by --schema-path or by OpenUSD's environment variable."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

GRIPPER = """#usda 1.0
class "AcmeGripperAPI"
{
    uniform token acme:gripper:kind = "parallel" (
        allowedTokens = ["parallel", "suction"]
    )
    float acme:gripper:force = 12.5
    rel acme:gripper:fingers
}

class "AcmeTraceAPI"
{
    double trace:__INSTANCE_NAME__:rate = 50
}

class AcmeRobot "AcmeRobot" (
    prepend apiSchemas = ["AcmeGripperAPI", "AcmeTraceAPI:built"]
    customData = {
        token[] apiSchemaOverridePropertyNames = ["acme:gripper:force", "acme:gripper:kind", "acme:nowhere"]
    }
)
{
    float acme:gripper:force = 40
    float acme:gripper:kind = 1
    float acme:nowhere = 1
}

class AcmeArm "AcmeArm"
{
}

class "AcmeAutoAPI"
{
    int acme:auto = 3
    float acme:gripper:force = 1
}

class "AcmeRuleAPI"
{
    int acme:rule = 4
}
"""
GRIPPER_TYPES = {
    "AcmeGripper": {"schemaIdentifier": "AcmeGripperAPI", "alias": {"UsdSchemaBase": "Wrong"}, "bases": ["UsdAPISchemaBase"],
                    "schemaKind": "singleApplyAPI", "apiSchemaCanOnlyApplyTo": ["Xform"]},
    "AcmeTrace": {"alias": {"UsdSchemaBase": "AcmeTraceAPI"}, "bases": ["UsdAPISchemaBase"], "schemaKind": "multipleApplyAPI"},
    "AcmeRobot": {"bases": ["UsdGeomXform"], "schemaKind": "concreteTyped"},
    "AcmeArm": {"bases": ["AcmeRobot"], "schemaKind": "concreteTyped"},
    "AcmeAutoAPI": {"bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI", "apiSchemaAutoApplyTo": ["AcmeRobot"]},
    "AcmeRuleAPI": {"bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI"},
}


def plug_in(folder, name, types, schema, **info):
    """A codeless plug-in as usdGenSchema lays it out; returns its folder."""
    root = pathlib.Path(folder, name)
    root.mkdir(parents=True, exist_ok=True)
    plugin = {"Info": {"Types": types, **info}, "Name": name, "ResourcePath": "resources", "Root": ".", "Type": "resource"}
    (root / "plugInfo.json").write_text("# Portions of this file were made by usdGenSchema.\n" + json.dumps({"Plugins": [plugin]}))
    (root / "resources").mkdir(exist_ok=True)
    (root / "resources" / "generatedSchema.usda").write_text(schema)
    return root


def single_api(identifier, schema_property):
    types = {identifier: {"bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI"}}
    return types, f'#usda 1.0\nclass "{identifier}"\n{{\n    {schema_property}\n}}\n'


class UserSchemas(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        self.gripper = plug_in(self.folder, "acme", GRIPPER_TYPES, GRIPPER, AutoApplyAPISchemas={"AcmeRuleAPI": {"apiSchemaAutoApplyTo": ["AcmeArm"]}})

    def dump(self, stage, *options, **environment):
        """The prims of a stage by path, each with its properties, authored or built in, and what was said."""
        file = self.folder / "stage.usda"
        file.write_text("#usda 1.0\n" + stage)
        done = mechane("dump", "stage", file, *options, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        for prim in document["prims"].values():
            prim.setdefault("appliedSchemas", [])
            prim["types"], prim["values"] = {}, {}
            for name, built_in in document["schemaFallbacks"].get("+".join([prim["typeName"], *prim["appliedSchemas"]]), {}).items():
                prim["types"][name], prim["values"][name] = built_in["type"], built_in.get("fallback")
            for name, authored in prim.get("properties", {}).items():
                prim["values"][name] = authored["default"]
        return document["prims"], done.stderr

    def test_a_single_apply_schema_brings_its_properties_and_fallbacks(self):
        """STG-008, STG-007 (named by key before alias)"""
        stage = 'def Xform "a" (\n prepend apiSchemas = ["AcmeGripperAPI"]\n)\n{\n}\n'
        for options, environment in ((["--schema-path", self.gripper], {}), (["--schema-path", self.gripper / "plugInfo.json"], {}),
                                     ([], {"PXR_PLUGINPATH_NAME": f"/nowhere/*:{self.gripper}"}), ([], {"PXR_PLUGINPATH_NAME": f"{self.folder}/ac*"})):
            with self.subTest(options=options, environment=environment):
                prims, said = self.dump(stage, *options, **environment)
                a = prims["/a"]
                self.assertEqual(a["appliedSchemas"], ["AcmeGripperAPI"])
                self.assertEqual(a["values"]["acme:gripper:force"], 12.5)
                self.assertEqual(a["types"]["acme:gripper:kind"], "token")
                self.assertEqual(a["types"]["acme:gripper:fingers"], "rel")
                self.assertEqual(said, "")

    def test_a_multiple_apply_schema_names_its_properties_after_each_instance(self):
        """STG-009, STG-007 (named by alias)"""
        prims, _ = self.dump('def "a" (\n prepend apiSchemas = ["AcmeTraceAPI:left", "AcmeTraceAPI:a:b"]\n)\n{\n double trace:left:rate = 2\n}\n', "--schema-path", self.gripper)
        self.assertEqual(prims["/a"]["values"], {"trace:left:rate": 2, "trace:a:b:rate": 50})

    def test_built_in_schemas_and_their_overrides(self):
        """STG-007 (named by its type); of the same type only, and only of what a built-in schema brings"""
        prims, _ = self.dump('def AcmeRobot "r"\n{\n}\n', "--schema-path", self.gripper)
        r = prims["/r"]
        self.assertEqual(r["appliedSchemas"], ["AcmeGripperAPI", "AcmeTraceAPI:built", "AcmeAutoAPI"])
        self.assertEqual(r["values"]["acme:gripper:force"], 40)
        self.assertEqual(r["values"]["acme:gripper:kind"], "parallel")
        self.assertEqual(r["values"]["trace:built:rate"], 50)
        self.assertNotIn("acme:nowhere", r["values"])

    def test_auto_apply_needs_no_authoring_and_is_weaker_than_what_is_authored(self):
        """STG-012; also through a rule that stands apart from the schema, and for derived types"""
        prims, _ = self.dump('def AcmeArm "arm" (\n prepend apiSchemas = ["AcmeGripperAPI"]\n)\n{\n}\ndef Xform "x"\n{\n}\n', "--schema-path", self.gripper)
        arm = prims["/arm"]
        self.assertEqual(arm["appliedSchemas"], ["AcmeGripperAPI", "AcmeAutoAPI", "AcmeRuleAPI"])
        self.assertEqual(arm["values"]["acme:gripper:force"], 12.5)
        self.assertEqual((arm["values"]["acme:auto"], arm["values"]["acme:rule"]), (3, 4))
        self.assertEqual(prims["/x"]["appliedSchemas"], [])

    def test_a_broken_plug_in_is_one_finding_and_the_others_still_work(self):
        """STG-011, and the other ways in which a plug-in can be wrong"""
        bad = self.folder / "bad"
        bad.mkdir()
        (bad / "plugInfo.json").write_text('{"Plugins": [ {"Info": ]}')
        types, schema = single_api("AcmeOtherAPI", "int other = 1")
        cases = {
            "is not JSON": bad,
            "there is no such file": self.folder / "nothing",
            "line 3": plug_in(self.folder, "syntax", *single_api("SyntaxAPI", "int = 1")),
            "has no class": plug_in(self.folder, "classless", types, "#usda 1.0\n"),
            "which is not defined": plug_in(self.folder, "baseless", {"AcmeOtherAPI": {"bases": ["NobodysBase"], "schemaKind": "singleApplyAPI"}}, schema),
            "derives from itself": plug_in(self.folder, "cyclic", {"AcmeOtherAPI": {"bases": ["AcmeOtherAPI"], "schemaKind": "singleApplyAPI"}}, schema),
            "schemaKind": plug_in(self.folder, "kindless", {"AcmeOtherAPI": {"bases": ["UsdAPISchemaBase"], "schemaKind": "odd"}}, schema),
        }
        for words, path in cases.items():
            with self.subTest(words):
                prims, said = self.dump('def Xform "a" (\n prepend apiSchemas = ["AcmeGripperAPI"]\n)\n{\n}\n', "--schema-path", path, "--schema-path", self.gripper)
                self.assertEqual(prims["/a"]["values"]["acme:gripper:force"], 12.5)
                self.assertEqual(said.count("SCHEMA_"), 1, said)
                self.assertIn(words if words != "line 3" else ":4:", said)

    def test_a_missing_schema_file_names_the_placeholders_of_the_template(self):
        root = plug_in(self.folder, "raw", *single_api("RawAPI", "int raw = 1"))
        (root / "plugInfo.json").write_text((root / "plugInfo.json").read_text().replace('"resources"', '"@PLUG_INFO_RESOURCE_PATH@"'))
        _, said = self.dump("", "--schema-path", root)
        self.assertIn("usdGenSchema", said)

    def test_of_two_schemas_with_one_name_the_first_counts(self):
        """STG-013"""
        first = plug_in(self.folder, "first", *single_api("TwiceAPI", "int twice = 1"))
        second = plug_in(self.folder, "second", *single_api("TwiceAPI", "int twice = 2"))
        prims, said = self.dump('def "a" (\n prepend apiSchemas = ["TwiceAPI"]\n)\n{\n}\n', "--schema-path", first, PXR_PLUGINPATH_NAME=str(second))
        self.assertEqual(prims["/a"]["values"]["twice"], 1)
        self.assertEqual(said.count("SCHEMA_DUPLICATE"), 1, said)
        _, said = self.dump("", "--schema-path", plug_in(self.folder, "ours", *single_api("PhysicsMassAPI", "int twice = 2")))
        self.assertEqual(said.count("SCHEMA_DUPLICATE"), 1, said)

    def test_a_schema_on_a_type_that_it_is_not_made_for_is_reported_and_counts(self):
        """STG-067"""
        self.dump('def Cube "c" (\n prepend apiSchemas = ["AcmeGripperAPI"]\n)\n{\n}\ndef AcmeArm "ok" (\n prepend apiSchemas = ["AcmeGripperAPI"]\n)\n{\n}\n')
        done = mechane("tree", "--prims", self.folder / "stage.usda", "--json", "--schema-path", self.gripper)
        prims = {p["prim"]: p for p in json.loads(done.stdout)["prims"]}
        self.assertEqual(prims["/c"]["apis"], ["AcmeGripperAPI"])
        self.assertEqual(done.stderr.count("SCHEMA_API_NOT_APPLICABLE"), 1, done.stderr)

    def test_metadata_fields_of_a_plug_in_are_known(self):
        root = plug_in(self.folder, "fields", *single_api("FieldAPI", "int field = 1"), SdfMetadata={"acmeLabel": {"type": "string", "appliesTo": "prims"}})
        prims, said = self.dump('def "a" (\n acmeLabel = "x"\n)\n{\n}\n', "--schema-path", root)
        self.assertEqual(prims["/a"]["metadata"]["acmeLabel"], "x")
        self.assertEqual(said, "")


    def test_a_table_without_defaults_takes_those_of_the_schema(self):
        """GAP-011: the user's resolver names an attribute, the user's schema has its fallback."""
        types, schema = single_api("AcmeSceneAPI", "int acme:iterations = 77")
        root = plug_in(self.folder, "scene", types, schema)
        table = self.folder / "acme.toml"
        table.write_text('name = "acme"\n[[rows]]\nkey = "scene_max_solver_iterations"\nattributes = ["acme:iterations"]\n')
        stage = self.folder / "scene.usda"
        for applied, authored, expected in (("AcmeSceneAPI", "", 77), ("AcmeSceneAPI", "int acme:iterations = 5", 5), ("", "", None)):
            with self.subTest(applied=applied, authored=authored):
                apis = f'(\n    prepend apiSchemas = ["{applied}"]\n)\n' if applied else ""
                stage.write_text(f'#usda 1.0\ndef PhysicsScene "scene" {apis}{{\n    {authored}\n}}\n')
                done = mechane("dump", "model", stage, "--schema-path", root, "--resolvers", str(table))
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads(done.stdout)
                self.assertEqual(self.iterations(found), expected)

    def iterations(self, found):
        """The one value of the key in a document, however deep."""
        if isinstance(found, dict):
            if "max_solver_iterations" in found:
                return found["max_solver_iterations"]
            found = list(found.values())
        for inner in found if isinstance(found, list) else []:
            value = self.iterations(inner)
            if value is not None:
                return value
        return None


if __name__ == "__main__":
    unittest.main()

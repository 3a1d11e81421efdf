"""The checker from Python."""
import json
import os
import pathlib
import warnings

import mechane as mc
import pytest
from scenes import BALL, HEAD

SAMPLE = str(pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "quadruped" / "quadruped.usda")


def test_a_broken_asset_is_false_and_a_good_selection_true():
    broken = HEAD.replace("metersPerUnit = 1", "metersPerUnit = 0.01") + 'def Xform "a"\n{\n}\n'
    report = mc.conformance.check(broken.encode())
    assert not report and report.findings and str(report.findings[0]).startswith("error[REP-")
    good = mc.conformance.check(BALL.encode(), select=["REP-1.3-l"])
    assert good and not [f for f in good.findings if f.severity == "error"]


def test_reports_in_every_format():
    report = mc.conformance.check(b"#usda 1.0\n")
    assert json.loads(report.to_json())["schema"] == "mechane.rep0158.report/1"
    assert json.loads(report.to_sarif())["version"] == "2.1.0" and report.to_junit().startswith("<?xml") and "<table>" in report._repr_html_()
    assert "\n" not in repr(report)


def test_rules_and_profiles():
    assert "distributed" in mc.conformance.profiles() and len(mc.conformance.rules()) > 50
    with pytest.raises(ValueError, match="nosuch") as caught:
        mc.conformance.check(b"#usda 1.0\n", profile="nosuch")
    assert caught.value.code == "CHECK_OPTION"


def test_a_report_is_true_or_false_and_has_a_schema():
    """(PYA-079)"""
    # The sample is kept in two files for the sake of its readers; 1.2.1 asks for a file for each role.
    good, bad = mc.conformance.check(SAMPLE, ignore=["1.2.1"]), mc.conformance.check(HEAD.encode())
    assert bool(good) is True and bool(bad) is False
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "docs" / "schemas" / "check.schema.json").read_text())
    for report in (good, bad):
        jsonschema.validate(json.loads(report.to_json()), schema)


#: Units and an axis that the rules do not want, and two variants of which one authors a value out of its range.
WRONG = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "robot" (
    variants = {
        string tool = "none"
    }
    prepend variantSets = "tool"
)
{
    variantSet "tool" = {
        "none" {
        }
        "gripper" {
            def Sphere "a" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
            {
                double radius = 4
                float physics:mass = -1
            }
        }
    }
    def Cube "box"
    {
        double size = 2
    }
}
"""


@pytest.fixture
def wrong(tmp_path):
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "robot.usda"
    file.write_text(WRONG)
    return file


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_every_rule_is_counted_where_it_belongs(wrong):
    report = mc.conformance.check(wrong)
    counts, broken = report.counts, {f.rule for f in report.findings}
    assert counts["error"] == sum(f.severity == "error" for f in report.findings) > 0
    assert counts["passed"] == len(report.passed) > 0 and counts["not_checked"] == len(report.not_checked)
    assert not broken & set(report.passed) and not broken & set(report.not_checked)
    assert "REP-1.1-a" in broken and "REP-1.1-a" in mc.conformance.check(BALL.encode()).passed
    assert all(isinstance(reason, str) and reason != "not applicable" for reason in report.not_checked.values())


def test_variants_that_are_not_selected_are_judged_on_request(wrong):
    default, each = mc.conformance.check(wrong), mc.conformance.check(wrong, variants="each")
    assert default.states == [] and each.states == ["/robot{tool=gripper}"]
    more = [f for f in each.findings if f.path.startswith("/robot/a")]
    assert more and not [f for f in default.findings if f.path.startswith("/robot/a")]
    assert mc.conformance.check(wrong, variants="product").states == each.states  # one set: every combination is each variant
    for asset, word in ((wrong, "all"), (WRONG.encode(), "each")):
        with pytest.raises(ValueError) as caught:
            mc.conformance.check(asset, variants=word)
        assert caught.value.code == "PYTHON_ARG_VARIANTS"


def test_a_dry_run_of_fix_writes_nothing(wrong, tmp_path):
    """And says what it would write (PYA-080)"""
    before = tree(tmp_path)
    report = mc.conformance.fix(str(wrong), dry_run=True)
    assert tree(tmp_path) == before and report.files == []
    units = [c for c in report.changes if c.field == "metersPerUnit"]
    assert len(units) == 1 and (units[0].rule, units[0].layer, units[0].before, units[0].after) == ("REP-1.1-a", "robot.usda", "0.01", "1")
    assert "-    metersPerUnit = 0.01\n" in report.diff and "+    metersPerUnit = 1\n" in report.diff
    assert report.diff.startswith("--- a/robot.usda\n+++ b/robot.usda\n@@ ")
    assert "REP-1.1-a" not in {f.rule for f in report.remaining} and bool(report) == (report.after.counts["error"] == 0)
    assert "\n" not in repr(report) and "metersPerUnit" in report._repr_html_()


def test_fix_writes_where_it_is_told_to(wrong, tmp_path):
    original, out = wrong.read_bytes(), tmp_path / "out"
    report = mc.conformance.fix(wrong, out=out)
    assert wrong.read_bytes() == original and {p for p in report.files} == set(out.rglob("*")) == {out / "robot.usda", out / "fix-report.json"}
    assert json.loads((out / "fix-report.json").read_text())["schema"] == "mechane.fix/1"
    fixed = (out / "robot.usda").read_bytes()
    assert "REP-1.1-a" in mc.conformance.check(out / "robot.usda").passed
    assert mc.conformance.fix(wrong, out=out).files == report.files  # an earlier result makes room
    assert mc.conformance.fix(wrong, out=tmp_path / "one.usda").files == [tmp_path / "one.usda"]
    assert (tmp_path / "one.usda").read_bytes() == fixed
    assert mc.conformance.fix(wrong, in_place=True).files == [wrong] and wrong.read_bytes() == fixed
    again = mc.conformance.fix(wrong, dry_run=True)
    assert not again.changes and again.diff == ""  # what is repaired stays as it is


def test_a_layer_that_another_asset_uses_stays_as_it_is(wrong):
    """In place only: its units are the other asset's too; `change_shared` changes them all the same"""
    (wrong.parent / "other.usda").write_text('#usda 1.0\n(\n    metersPerUnit = 0.01\n    subLayers = [@./robot.usda@]\n)\n')
    original = wrong.read_bytes()
    report = mc.conformance.fix(wrong, select=["REP-1.1-a"], in_place=True)
    assert not report.changes and wrong.read_bytes() == original
    assert "REP-1.1-a" in {f.rule for f in report.remaining}
    report = mc.conformance.fix(wrong, select=["REP-1.1-a"], in_place=True, change_shared=True)
    assert report.changes and b"metersPerUnit = 1\n" in wrong.read_bytes()


def test_one_rule_may_be_named_without_a_list(wrong):
    assert [f.rule for f in mc.conformance.check(wrong, select="1.1").findings] == [f.rule for f in mc.conformance.check(wrong, select=["1.1"]).findings] != []
    assert mc.conformance.fix(wrong, select="REP-1.1-a", dry_run=True).diff == mc.conformance.fix(wrong, select=["REP-1.1-a"], dry_run=True).diff


def test_fix_repairs_only_what_is_selected(wrong):
    some = mc.conformance.fix(wrong, select=["REP-1.1-a"], dry_run=True)
    assert {c.rule for c in some.changes} == {"REP-1.1-a"}
    with pytest.raises(ValueError, match="nosuch"):
        mc.conformance.fix(wrong, select=["nosuch"], dry_run=True)


def test_a_repair_says_what_is_simulated_otherwise(tmp_path):
    """Friction of a material without PhysicsMaterialAPI is read by nobody: the repair of REP-1.3.4-b puts it into force (DIFFERENCE_REPAIR)"""
    asset = tmp_path / "robot.usda"
    asset.write_text('''#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def Material "rubber"
    {
        float physics:staticFriction = 0.7
        float physics:dynamicFriction = 0.6
    }
    def Cube "box" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {
        float physics:mass = 1
        rel material:binding:physics = </robot/rubber>
    }
}
''')
    with pytest.warns(mc.MechaneWarning, match="static friction"):
        mc.conformance.fix(asset, dry_run=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.conformance.fix(asset, select=["REP-1.2.5-c"], dry_run=True)


def test_fix_overwrites_nothing_that_it_did_not_write(wrong, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    before = tree(tmp_path)
    for arguments, what, code in (({}, "no output given", "PYTHON_ARG_OUT"), ({"out": tmp_path / "x", "dry_run": True}, "no output given", "PYTHON_ARG_OUT"),
                                  ({"out": wrong}, "read by this run", "FILES_INPUT"), ({"out": wrong.parent}, "which this run reads", "FILES_INPUT"),
                                  ({"out": tmp_path / "full"}, "no earlier result", "FILES_FOLDER")):
        with pytest.raises(ValueError, match=what) as caught:
            mc.conformance.fix(wrong, **arguments)
        assert caught.value.code == code
    with pytest.raises(FileNotFoundError):
        mc.conformance.fix(tmp_path / "none.usda", dry_run=True)
    with pytest.raises(TypeError, match="path"):
        mc.conformance.fix(WRONG.encode(), dry_run=True)
    assert tree(tmp_path) == before


def test_a_fault_of_a_file_of_another_format_is_a_finding(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text('<robot name="r"><link name="a"><visual><geometry><mesh filename="none.stl"/></geometry></visual></link></robot>')
    report = mc.conformance.check(file)
    found = [f for f in report.findings if f.rule == "MECH-003"]
    assert not report and [f.severity for f in found] == ["error"] and "none.stl" in found[0].message

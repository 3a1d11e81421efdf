"""The checker from Python."""
import json
import os
import pathlib

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

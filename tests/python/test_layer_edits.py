"""Applied schemas of a layer are edited, and nothing else of it."""
import pathlib

import pytest

import mechane as mc

STAGE = """#usda 1.0
(
    defaultPrim = "box"   # what falls
    metersPerUnit = 1
    upAxis = "Z"
)

def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    vector3f physics:velocity = (1, 2.50, 3)  # kept
}
"""


def bodies(text):
    builder = mc.ModelBuilder()
    builder.add_usd(text.encode())
    return builder.finalize()


def test_a_removed_schema_leaves_its_values_and_applied_again_gives_the_same_body(tmp_path):
    """(GAP-061)"""
    file = tmp_path / "a.usda"
    file.write_text(STAGE)
    layer = mc.usd.LayerEdits(file).remove_api("/box", "PhysicsRigidBodyAPI")
    assert "vector3f physics:velocity = (1, 2.50, 3)  # kept" in layer.text() and "# what falls" in layer.text()
    assert bodies(layer.text()).body_count == 0
    assert file.read_text() == STAGE  # nothing is written before save
    again = bodies(layer.apply_api("/box", "PhysicsRigidBodyAPI").text())
    assert again.body_count == 1
    assert [float(x) for x in again.body_qd.numpy().reshape(-1)[:6]] == [float(x) for x in bodies(STAGE).body_qd.numpy().reshape(-1)[:6]]


def test_save_writes_elsewhere_or_over_the_file_it_came_from(tmp_path):
    file, other = tmp_path / "a.usda", tmp_path / "b.usda"
    file.write_text(STAGE)
    layer = mc.usd.LayerEdits(file).remove_api("/box", "PhysicsRigidBodyAPI")
    assert layer.save(other) == str(other) and file.read_text() == STAGE
    assert layer.save() == str(file) and file.read_text() == other.read_text() == layer.text()


def test_a_prim_that_the_layer_does_not_speak_of_is_refused_unless_an_over_is_wanted(tmp_path):
    file = tmp_path / "a.usda"
    file.write_text(STAGE)
    layer = mc.usd.LayerEdits(file)
    with pytest.raises(KeyError, match="/gone"):
        layer.apply_api("/gone", "PhysicsMassAPI")
    assert 'over "gone"' in layer.apply_api("/gone", "PhysicsMassAPI", over=True).text()
    with pytest.raises(mc.MechaneError, match="STAGE_OPEN_FAILED"):
        mc.usd.LayerEdits(tmp_path / "nothing.usda")


def test_a_package_is_one_and_says_what_it_has_to_leave_out(tmp_path):
    file = tmp_path / "a.usda"
    file.write_text(STAGE.replace(")\n{", "    prepend references = @./missing.usda@\n)\n{"))
    with pytest.warns(mc.MechaneWarning, match="missing.usda"):
        out = mc.usd.LayerEdits(file).save(tmp_path / "a.usdz")
    assert pathlib.Path(out).read_bytes()[:4] == b"PK\x03\x04"

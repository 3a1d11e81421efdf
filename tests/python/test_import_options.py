"""Options of an import by their names; which vendors are read; the step of a stage."""
import warnings

import numpy as np
import pytest

import mechane as mc

HEAD = '#usda 1.0\n(\n    defaultPrim = "W"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
BOX = """def Cube "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
    double size = 1
    float physics:mass = 2
{1}
}}
"""


def stage(body):
    return (HEAD + body).encode()


def test_every_option_of_the_program_can_be_given_and_its_default_changes_nothing():
    source = stage(BOX.format("W", ""))
    plain = mc.ModelBuilder()
    plain.add_usd(source)
    names = {row["name"] for row in mc.import_options()}
    assert {"scene", "units", "unauthored_units", "legacy", "lenient_names", "per_face_materials", "usd_group_mode", "move_scaled_tensor", "animation",
            "nested_bodies", "reset_stack", "allow_missing", "default_friction"} <= names
    for row in mc.import_options():
        if row["default"] in ("none", "[]") or row["name"] in ("ledger", "verbose", "return_deformable_results", "parent_body", "schema_resolvers"):
            continue
        value = {"true": True, "false": False}.get(row["default"], row["default"])
        value = float(value) if row["type"] == "number" else int(value) if row["type"] == "integer" else value
        builder = mc.ModelBuilder()
        builder.add_usd(source, **{row["name"]: value})
        assert builder.body_mass == plain.body_mass, row


def test_options_have_their_effect():
    nested = stage(BOX.format("W", BOX.format("inner", "")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = mc.ModelBuilder()
        builder.add_usd(nested)
        assert builder.body_count == 2
        builder = mc.ModelBuilder()
        builder.add_usd(nested, nested_bodies="schema")
        assert builder.body_count == 1
    missing = stage(BOX.format("W", 'def "d" (references = @./nowhere.usda@) { }'))
    with pytest.raises(RuntimeError):
        mc.ModelBuilder().add_usd(missing)
    with pytest.warns(mc.MechaneWarning, match="COMP_ASSET_MISSING"):
        builder = mc.ModelBuilder()
        builder.add_usd(missing, allow_missing=True)
    assert builder.body_count == 1


def test_a_wrong_name_is_a_wrong_call_and_a_wrong_value_an_error_with_the_nearest_ones():
    with pytest.raises(TypeError, match="nested_bodies"):
        mc.ModelBuilder().add_usd(stage(BOX.format("W", "")), nested_body="schema")
    with pytest.raises(ValueError, match="stage"):
        mc.ModelBuilder().add_usd(stage(BOX.format("W", "")), units="stge")


def test_options_are_given_as_values():
    """NumPy's numbers, tuples and texts as well as Python's own; what no option could be is refused by its name"""
    source = stage(BOX.format("W", ""))
    for options in ({"mesh_maxhullvert": np.int64(20)}, {"default_friction": np.float32(0.5)}, {"joint_drive_gains_scaling": 2}, {"exact_shapes": "true"},
                    {"ignore_paths": ("/x,y", "/z")}, {"legacy": "mass-pair-rule"}):
        mc.ModelBuilder().add_usd(source, **options)
    left = mc.ModelBuilder()
    left.add_usd(source, ignore_paths=["/W"])
    assert left.body_count == 0
    for name, value in (("default_friction", {"a": 1}), ("default_friction", b"1"), ("joints_to_keep", [object()]), ("joints_to_keep", ["/a", 1]), ("exact_shapes", object()),
                        ("mesh_maxhullvert", 2**70), ("mesh_maxhullvert", 2.5), ("exact_shapes", [True])):
        with pytest.raises((TypeError, ValueError), match=name):
            mc.ModelBuilder().add_usd(source, **{name: value})


def test_a_variant_that_the_stage_lacks_is_an_error():
    source = stage("""def Xform "W" (prepend variantSets = "size") {
    variantSet "size" = { "small" { } "big" { } }
}
""")
    mc.ModelBuilder().add_usd(source, variants={"/W": {"size": "big"}})
    with pytest.raises(ValueError, match="big"):
        mc.ModelBuilder().add_usd(source, variants={"/W": {"size": "bgi"}})
    with pytest.raises(ValueError, match="size"):
        mc.ModelBuilder().add_usd(source, variants={"/W": {"sise": "big"}})


def test_attributes_that_the_builder_declares_are_not_unknown():
    source = stage(BOX.format("W", "    custom float newton:mine = 3\n    custom float physics:gain = 2"))
    with pytest.warns(mc.MechaneWarning, match="newton:mine"):
        mc.ModelBuilder().add_usd(source)
    builder = mc.ModelBuilder()
    for name, usd in (("mine", None), ("gain", "physics:gain")):
        builder.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name=name, dtype=float, frequency=mc.Model.AttributeFrequency.BODY, usd_attribute_name=usd))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.add_usd(source)
    assert builder.custom_attributes["gain"].values == {0: 2.0}


def test_simulate_reads_the_vendors_that_the_stage_uses_and_takes_its_step():
    """GAP-096, GAP-100."""
    source = stage('def PhysicsScene "S" {\n uint physxScene:timeStepsPerSecond = 100\n}\n' + BOX.format("W", "    float physxCollision:restOffset = 0.02"))
    run = mc.simulate(source, frames=2)
    assert run.result["resolvers"] == ["newton", "physx"]
    assert run.recording.dt == pytest.approx(0.01)
    assert mc.simulate(source, frames=2, dt=0.005).recording.dt == pytest.approx(0.005)
    with pytest.warns(mc.MechaneWarning, match="IMPORT_VENDOR_UNREAD"):
        newton = mc.simulate(source, frames=2, schema_resolvers=["newton"])
    assert newton.recording.dt == pytest.approx(1 / 60)
    with pytest.warns(mc.MechaneWarning, match="IMPORT_VENDOR_UNREAD"):
        builder = mc.ModelBuilder()
        assert builder.add_usd(source)["resolvers"] == ["newton"]


def test_ground_of_a_simulation_is_a_switch_or_a_height(tmp_path):
    """As `--ground`; a Model takes neither ground nor options of imports."""
    file = tmp_path / "box.usda"
    file.write_text('#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\ndef Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n double size = 0.2\n'
                    ' double3 xformOp:translate = (0, 0, 1)\n uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n')
    lowest = lambda **how: mc.simulate(file, duration=2, **how).recording.body_q[-1, 0, 2]
    assert lowest() < -10 and lowest(ground=False) < -10
    assert lowest(ground=True) == pytest.approx(1, abs=2e-3)
    for height in (-0.5, 0, 0.0, np.float32(0.25)):
        assert lowest(ground=height) == pytest.approx(float(height) + 0.1, abs=2e-3)
    for wrong in ("no", None, float("nan"), float("inf"), [0]):
        with pytest.raises(mc.MechaneError, match="ground"):
            mc.simulate(file, frames=2, ground=wrong)
    builder = mc.ModelBuilder()
    builder.add_usd(str(file))
    model = builder.finalize()
    for options in ({"ground": True}, {"ground": -0.5}, {"floating": False}, {"nonsense": 1}):
        with pytest.raises(mc.MechaneError, match=next(iter(options))):
            mc.simulate(model, frames=2, **options)
    assert mc.simulate(model, frames=2, ground=False).recording.body_q.shape[1] == 1

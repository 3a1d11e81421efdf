"""add_usd: sources, results, diagnostics, roll-back."""
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import mechane as mc
import pytest
from scenes import BALL, FAULTY, HEAD


def quiet(builder, source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.add_usd(source, **options)


def test_sources(tmp_path):
    """A path as text or Path, bytes of usda, a stage of ours; all give the same (PYA-032, without live stages)"""
    file = tmp_path / "ball.usda"
    file.write_text(BALL)
    labels = []
    for source in (str(file), pathlib.Path(file), BALL.encode(), mc.usd.open(str(file))):
        b = mc.ModelBuilder()
        result = b.add_usd(source)
        labels.append((list(b.body_label), list(b.body_mass), result["path_body_map"], result["path_shape_map"]))
    assert labels[0] == (["/ball"], [1.0], {"/ball": 0}, {"/ball/geom": 0}) and all(x == labels[0] for x in labels)
    with pytest.raises(TypeError, match="source: expected a path"):
        mc.ModelBuilder().add_usd(42)


pxr = pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import pxr.Usd"], capture_output=True).returncode != 0, reason="usd-core is not installed")


@pxr
def test_a_live_stage_with_unsaved_edits_brings_the_edits():
    """(PYA-033)"""
    from pxr import Usd

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(BALL)
    stage.GetPrimAtPath("/ball").GetAttribute("physics:mass").Set(7.0)
    b = mc.ModelBuilder()
    result = b.add_usd(stage)
    assert b.body_mass == [7.0] and result.diagnostics.by_code("STAGE_FLATTENED")


@pxr
def test_a_clean_live_stage_is_opened_from_its_file(tmp_path):
    """(PYA-034)"""
    from pxr import Usd

    file = tmp_path / "ball.usda"
    file.write_text(BALL)
    live, path = mc.ModelBuilder(), mc.ModelBuilder()
    result = live.add_usd(Usd.Stage.Open(str(file)))
    path.add_usd(str(file))
    assert result.diagnostics.by_code("STAGE_FILE")
    a, c = live.finalize(), path.finalize()
    assert a.body_q.tolist() == c.body_q.tolist() and a.body_inertia.tolist() == c.body_inertia.tolist() and a.shape_label == c.shape_label


VARIANTS = HEAD + '''def Xform "robot" (prepend variantSets = "size"
    variants = {
        string size = "small"
    }
)
{
    variantSet "size" = {
        "small" {
            def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
            {
                float physics:mass = 1
            }
        }
        "big" {
            def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
            {
                float physics:mass = 5
            }
        }
    }
}
'''


@pxr
def test_variants_chosen_in_the_session_count(tmp_path):
    """(PYA-035)"""
    from pxr import Usd

    file = tmp_path / "robot.usda"
    file.write_text(VARIANTS)
    stage = Usd.Stage.Open(str(file))
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetPrimAtPath("/robot").GetVariantSet("size").SetVariantSelection("big")
    b = mc.ModelBuilder()
    quiet(b, stage)
    assert b.body_mass == [5.0]


def masses_of(stage):
    """Of the bodies that an import of a live stage makes, and the note on how it was opened."""
    b = mc.ModelBuilder()
    result = quiet(b, stage)
    return list(b.body_mass), next(d.message for d in result.diagnostics if d.code in ("STAGE_FILE", "STAGE_FLATTENED"))


@pxr
def test_a_live_stage_keeps_its_load_rules(tmp_path):
    """(PYA-033)"""
    from pxr import Usd

    (tmp_path / "ball.usda").write_text(BALL.replace('upAxis = "Z"', 'upAxis = "Z"\n    defaultPrim = "ball"'))
    (tmp_path / "two.usda").write_text(HEAD + 'def "a" (payload = @./ball.usda@)\n{\n}\ndef "b" (payload = @./ball.usda@)\n{\n}\n')
    file = str(tmp_path / "two.usda")
    assert masses_of(Usd.Stage.Open(file))[0] == [1.0, 1.0]
    assert masses_of(Usd.Stage.Open(file, Usd.Stage.LoadNone)) == ([], "the stage leaves payloads unloaded; it was flattened")
    one = Usd.Stage.Open(file, Usd.Stage.LoadNone)
    one.Load("/b")
    assert masses_of(one)[0] == [1.0]
    every = Usd.Stage.Open(file, Usd.Stage.LoadNone)
    every.Load()
    assert masses_of(every)[0] == [1.0, 1.0]


@pxr
def test_a_live_stage_keeps_the_variant_fallbacks_that_it_was_composed_with(tmp_path):
    """(PYA-035)"""
    from pxr import Usd

    file = tmp_path / "robot.usda"
    file.write_text(VARIANTS.replace('    variants = {\n        string size = "small"\n    }\n', ""))
    Usd.Stage.SetGlobalVariantFallbacks({"size": ["huge", "big"]})
    try:
        assert masses_of(Usd.Stage.Open(str(file))) == ([5.0], "the stage was composed with global variant fallbacks; it was flattened")
    finally:
        Usd.Stage.SetGlobalVariantFallbacks({})


@pxr
def test_a_live_stage_is_what_it_was_though_its_file_has_changed(tmp_path):
    """(PYA-033)"""
    from pxr import Usd

    file = tmp_path / "ball.usda"
    file.write_text(BALL)
    stage = Usd.Stage.Open(str(file))
    file.write_text(BALL.replace("mass = 1", "mass = 3"))
    assert masses_of(stage) == ([1.0], "the stage was opened from files that have changed since; it was flattened")
    stage.Reload()
    assert masses_of(stage)[0] == [3.0]


@pxr
@pytest.mark.parametrize("edit", ["inactive", "reference", "sublayer"])
def test_what_the_session_layer_says_beside_variants_counts(tmp_path, edit):
    """(PYA-035)"""
    from pxr import Sdf, Usd

    file, other = tmp_path / "ball.usda", tmp_path / "other.usda"
    file.write_text(BALL)
    other.write_text('#usda 1.0\n(\n    defaultPrim = "ball"\n)\nover "ball"\n{\n    float physics:mass = 4\n}\n')
    stage = Usd.Stage.Open(str(file))
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        if edit == "inactive":
            stage.GetPrimAtPath("/ball").SetActive(False)
        elif edit == "reference":
            stage.OverridePrim("/ball").GetReferences().AddReference(Sdf.Reference(str(other)))
        else:
            stage.GetSessionLayer().subLayerPaths.append(str(other))
    # A root layer is stronger than what the session layer refers to by an arc; a sublayer of the session is stronger than it.
    assert masses_of(stage) == ({"inactive": [], "reference": [1.0], "sublayer": [4.0]}[edit], "the stage has opinions in its session layer; it was flattened")


def test_variants_are_chosen_by_argument():
    b = mc.ModelBuilder()
    quiet(b, VARIANTS.encode(), variants={"/robot": {"size": "big"}})
    assert b.body_mass == [5.0]


def test_warnings_name_the_callers_line_and_the_prim():
    """(PYA-040)"""
    b = mc.ModelBuilder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = b.add_usd(FAULTY.encode())
    ours = [w for w in caught if issubclass(w.category, mc.MechaneWarning)]
    assert ours and all(w.filename == __file__ for w in ours) and any("/hinge" in str(w.message) for w in ours)
    assert any(d.severity == "error" and d.path.startswith("/hinge") for d in result.diagnostics)  # a joint that is left out ends nothing, and is told


def test_warnings_that_are_errors_roll_the_builder_back():
    """(PYA-041)"""
    b = mc.ModelBuilder()
    b.add_body(mass=1.0, label="first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(mc.MechaneWarning):
            b.add_usd(FAULTY.encode())
    assert (b.body_count, b.joint_count, b.shape_count, b.body_label) == (1, 1, 0, ["first"])


def test_a_failing_import_leaves_the_builder_as_it_was():
    """(PYA-030)"""
    b = mc.ModelBuilder()
    b.add_body(mass=1.0, label="first")
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute("k", float, mc.Model.AttributeFrequency.BODY))
    for source, options in ((b"this is no usda", {}), (BALL.encode(), {"root_path": "/gone"}), (BALL.encode(), {"joint_ordering": "zigzag"})):
        with pytest.raises((ValueError, RuntimeError)):
            quiet(b, source, **options)
        assert (b.body_count, b.joint_count, b.shape_count, b.body_label, list(b.custom_attributes)) == (1, 1, 0, ["first"], ["k"])


def test_on_diagnostic_hears_each_finding_once_in_order_and_here():
    """(PYA-036)"""
    heard = []
    result = quiet(mc.ModelBuilder(), FAULTY.encode(), on_diagnostic=lambda d: heard.append((threading.get_ident(), d)))
    assert [d for _, d in heard] == list(result.diagnostics) and {t for t, _ in heard} == {threading.get_ident()}


def test_an_exception_of_a_callback_travels_unchanged_and_rolls_back():
    b = mc.ModelBuilder()

    def refuse(diagnostic):
        raise LookupError(diagnostic.code)

    with pytest.raises(LookupError):
        quiet(b, FAULTY.encode(), on_diagnostic=refuse)
    assert b.body_count == 0


def test_a_missing_file_is_a_file_not_found_error():
    """(PYA-038)"""
    with pytest.raises(FileNotFoundError) as caught:
        mc.ModelBuilder().add_usd("/nowhere/robot.usda")
    assert isinstance(caught.value, mc.MechaneError) and caught.value.diagnostics[0].layer == "/nowhere/robot.usda"


def test_floating_and_base_joint_exclude_each_other():
    """(PYA-039)"""
    with pytest.raises(ValueError) as caught:
        mc.ModelBuilder().add_usd(BALL.encode(), floating=True, base_joint={"joint_type": mc.JointType.FREE})
    assert caught.value.code == "IMPORT_ARG_BASE"


def test_diagnostics_are_a_sequence_with_json():
    """(PYA-042)"""
    import json

    result = quiet(mc.ModelBuilder(), FAULTY.encode())
    rows = json.loads(result.diagnostics.to_json())
    assert len(rows) == len(result.diagnostics) > 0 and all({"code", "severity", "path", "layer", "line"} <= set(r) for r in rows)
    assert result.diagnostics.counts()["error"] >= 1 and "<table>" in result.diagnostics._repr_html_()
    with pytest.raises(mc.MechaneError):
        result.diagnostics.raise_if_errors()


def test_an_import_writes_nothing_to_the_terminal(tmp_path):
    """(PYA-043)"""
    file = tmp_path / "faulty.usda"
    file.write_text(FAULTY + 'def "r" (prepend references = @./gone.usda@)\n{\n}\n')
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"import mechane; b = mechane.ModelBuilder()\ntry:\n  b.add_usd({str(file)!r})\nexcept RuntimeError: pass"],
                          capture_output=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_vendor_attributes_are_collected_for_every_prim_that_has_some():
    """(PYA-076)"""
    stage = HEAD + '''def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
{
    uint physxScene:timeStepsPerSecond = 120
}
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"])
{
    float physxRigidBody:linearDamping = 0.5
}
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"])
{
    float physxRigidBody:linearDamping = 0.25
}
'''
    result = quiet(mc.ModelBuilder(), stage.encode(), schema_resolvers=[mc.usd.SchemaResolverPhysx(), mc.usd.SchemaResolverNewton()])
    physx = result["schema_attrs"]["physx"]
    assert {"/scene", "/a", "/b"} <= set(physx) and physx["/b"]["physxRigidBody:linearDamping"] == 0.25


ARMATURES = HEAD + '''def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
}
def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysxJointAPI", "NewtonJointAPI"])
{
    rel physics:body1 = </a>
    float newton:armature = 0.01
    float physxJoint:armature = 0.02
    float mjc:armature = 0.03
}
'''


@pytest.mark.parametrize("order, armature", [("newton physx mjc", 0.01), ("physx newton mjc", 0.02), ("mjc newton physx", 0.03)])
def test_the_first_resolver_with_an_opinion_wins(order, armature):
    """(PYA-071)"""
    known = {"newton": mc.usd.SchemaResolverNewton, "physx": mc.usd.SchemaResolverPhysx, "mjc": mc.usd.SchemaResolverMjc}
    b = mc.ModelBuilder()
    quiet(b, ARMATURES.encode(), schema_resolvers=[known[name]() for name in order.split()])
    assert b.joint_armature == [pytest.approx(armature)]


def test_a_resolver_without_a_name_is_refused_before_the_file_is_opened():
    """(PYA-075)"""
    class Nameless(mc.usd.SchemaResolver):
        pass

    with pytest.raises(TypeError, match="has no name"):
        mc.ModelBuilder().add_usd("/nowhere/robot.usda", schema_resolvers=[Nameless()])


def test_the_ledger_and_explanations():
    b = mc.ModelBuilder()
    result = b.add_usd(BALL.encode())
    model = b.finalize()
    row = next(r for r in result.ledger if r["property"] == "physics:mass")
    assert row["prim"] == "/ball" and row["verdict"] == "used"
    told = result.explain(model, "/ball.mass")
    assert told[0]["array"] == "body_mass" and told[0]["won"][0]["property"] == "physics:mass"
    with pytest.raises(ValueError, match="nothing"):
        result.explain(model, "/nothing")


def test_the_lock_is_released_while_a_large_stage_is_imported():
    """Another thread counts on (PYA-045)"""
    stage = HEAD + "".join(f'def Xform "b{i}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{\nfloat physics:mass = 1\n}}\n' for i in range(3000))
    done, count = threading.Event(), [0]

    def counter():
        while not done.is_set():
            count[0] += 1

    thread = threading.Thread(target=counter)
    thread.start()
    counts = []
    b = mc.ModelBuilder()
    try:
        before = count[0]
        quiet(b, stage.encode())
        counts.append(count[0] - before)
    finally:
        done.set()
        thread.join()
    # With the lock held for the whole import the thread would stand still but for the switches before and after.
    assert b.body_count == 3000 and counts[0] > 1000


def test_the_sample_robot_imports():
    sample = pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "quadruped" / "quadruped.usda"
    b = mc.ModelBuilder()
    b.add_usd(sample)
    m = b.finalize()
    assert m.body_count > 4 and m.articulation_count >= 1

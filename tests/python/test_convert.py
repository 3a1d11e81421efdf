"""Conversions: the same files as `mechane convert` writes, with losses as objects."""
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import mechane as mc
import pytest

QUADRUPED = pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "quadruped" / "quadruped.usda"
INERTIAL = '<inertial><mass value="{}"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
ARM = f"""<robot name="arm"><link name="base">{INERTIAL.format(2)}{SHAPE}</link><link name="hand">{INERTIAL.format(0.5)}{SHAPE}</link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="hand"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="0.5" effort="7" velocity="3"/>@</joint></robot>"""
SAFETY = '<safety_controller k_velocity="3" soft_lower_limit="-0.5"/>'


def written(folder: pathlib.Path, extra: str = "") -> pathlib.Path:
    file = folder / "arm.urdf"
    file.write_text(ARM.replace("@", extra))
    return file


def test_the_files_are_those_of_the_command(tmp_path):
    """One library answers both."""
    source = written(tmp_path)
    ours = mc.convert.from_urdf(source, tmp_path / "a")
    done = subprocess.run([sys.executable, "-m", "mechane", "convert", str(source), "-o", str(tmp_path / "b")], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in ours.files)
    assert names == sorted(p.name for p in (tmp_path / "b").iterdir()) and ours.entry == tmp_path / "a" / "arm.usda"
    assert filecmp.cmpfiles(tmp_path / "a", tmp_path / "b", names, shallow=False)[1:] == ([], [])


def test_a_robot_comes_back_from_every_format(tmp_path):
    """Masses, the joint and its limits survive each way out and in; nothing that differs is kept from the user (PYA-080)"""
    asset = mc.convert.from_urdf(written(tmp_path), tmp_path / "asset", verify=True)
    assert asset.holds and asset.verified["as_announced"] and asset.remaining_errors == 0
    for name, out, back in (("r.urdf", mc.convert.to_urdf, mc.convert.from_urdf), ("r.sdf", mc.convert.to_sdf, mc.convert.from_sdf),
                            ("r.xml", mc.convert.to_mjcf, mc.convert.from_mjcf)):
        there = out(asset, tmp_path / name)
        assert there.files[0] == tmp_path / name and there.losses.summary["errors"] == 0
        again = back(there, tmp_path / f"{name}.usda")
        builder = mc.ModelBuilder()
        builder.add_usd(again)
        model = builder.finalize()
        assert sorted(round(float(m), 6) for m in model.body_mass) == [0.5, 2.0], name
        elbow = [label.rsplit("/", 1)[-1] for label in model.joint_label].index("elbow")
        at = model.joint_qd_start[elbow]
        assert (float(model.joint_limit_lower[at]), float(model.joint_limit_upper[at])) == pytest.approx((-1, 0.5)), name


def test_losses_have_names_places_and_reasons(tmp_path):
    found = mc.convert.from_urdf(written(tmp_path, SAFETY), tmp_path / "asset").losses
    lost = [loss for loss in found if "safety_controller" in loss.what]
    assert found and len(lost) == 1 and (lost[0].action, lost[0].line) == ("dropped", 3) and lost[0].reason
    assert lost[0].file.endswith("arm.urdf") and "k_velocity" in lost[0].source_value
    assert json.loads(found.to_json())["schema"] == "mechane.loss/1" and found.summary["dropped"] == 1
    assert "safety_controller" in found._repr_html_() and "1 dropped" in repr(found)
    assert not mc.convert.from_urdf(written(tmp_path), tmp_path / "other").losses  # what is only converted is no loss


def test_strict_conversions_raise_on_a_loss_and_write_nothing(tmp_path):
    """PYA-081"""
    source = written(tmp_path, SAFETY)
    with pytest.raises(ValueError, match="safety_controller") as caught:
        mc.convert.from_urdf(source, tmp_path / "asset", strict=True)
    assert caught.value.code == "EXPORT_LOSS" and not (tmp_path / "asset").exists()
    mc.convert.from_urdf(written(tmp_path), tmp_path / "asset", strict=True)
    with pytest.raises(ValueError, match="EXPORT_LOSS"):
        mc.convert.to_gltf(tmp_path / "asset", tmp_path / "arm.glb", strict=True)  # bodies and joints are no part of glTF
    assert not (tmp_path / "arm.glb").exists()


def test_stages_that_are_no_file_are_sources_too(tmp_path):
    stage = mc.usd.open(QUADRUPED)
    for source in (stage, QUADRUPED):
        mc.convert.to_urdf(source, tmp_path / f"{type(source).__name__}.urdf")
    a, b = ((tmp_path / f"{type(source).__name__}.urdf").read_text() for source in (stage, QUADRUPED))
    assert a.count("<link") == b.count("<link") and a.count("<joint") == b.count("<joint")
    text = b'#usda 1.0\n(defaultPrim = "a"\nupAxis = "Z"\nmetersPerUnit = 1)\ndef Sphere "a" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}\n'
    assert mc.convert.to_mjcf(text, tmp_path / "ball.xml").files == [tmp_path / "ball.xml"]


def test_variants_are_selected(tmp_path):
    text = """#usda 1.0
(defaultPrim = "a"
 upAxis = "Z"
 metersPerUnit = 1)
def Xform "a" (
    variants = { string size = "small" }
    variantSets = "size"
    apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    variantSet "size" = {
        "small" { float physics:mass = 1; }
        "large" { float physics:mass = 3; }
    }
    def Sphere "s" (apiSchemas = ["PhysicsCollisionAPI"]) {}
}
"""
    (tmp_path / "a.usda").write_text(text)
    for choice, mass in (("small", "1"), ("large", "3")):
        for number, source in enumerate((tmp_path / "a.usda", text.encode())):
            result = mc.convert.to_urdf(source, tmp_path / f"{choice}{number}.urdf", variants={"/a": {"size": choice}})
            assert f'<mass value="{mass}"/>' in result.files[0].read_text()


def test_what_is_in_memory_is_called_by_its_name_and_not_by_the_file_that_was_written_for_it(tmp_path):
    """Losses, messages and the report of `verify` name no file that is gone."""
    text = b"""#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r"
{
    def Sphere "a" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 9)
        vector3f physics:velocity = (1, 0, 0)
    }
}
"""
    result = mc.convert.to_urdf(text, tmp_path / "r.urdf", verify=True)
    assert len(result.losses) > 0
    for said in (result.losses.to_json(), str(list(result.losses)), str(result.verified), str(list(result.diagnostics))):
        assert tempfile.gettempdir() not in said.replace(str(tmp_path), "")
        assert "stage.usdc" not in said
    with pytest.raises(RuntimeError) as told:
        mc.convert.to_urdf(b'#usda 1.0\ndef Xform "r"\n{\n}\n', tmp_path / "none.urdf")
    assert "stage.usdc" not in str(told.value)


@pytest.mark.parametrize("call, kind, text", [
    (lambda f: mc.convert.to_urdf(f / "none.usda", f / "r.urdf"), FileNotFoundError, "there is no file"),
    (lambda f: mc.convert.to_urdf(f / "arm.urdf", f / "r.xml"), ValueError, "ends in .urdf"),
    (lambda f: mc.convert.to_usd(f / "arm.urdf", f / "r.foo"), ValueError, "a folder, or a name that ends in .usda"),
    (lambda f: mc.convert.to_usd(f / "notes.txt", f / "r"), ValueError, "unknown input format"),
    (lambda f: mc.convert.from_mjcf(f / "arm.urdf", f / "r"), ValueError, "expected MJCF"),
    (lambda f: mc.convert.from_urdf(b"<robot/>", f / "r"), TypeError, "expected a path"),
    (lambda f: mc.convert.to_usd(3, f / "r"), TypeError, "not int"),
    (lambda f: mc.convert.to_usd(f / "arm.urdf", 3), TypeError, "out: expected a path"),
    (lambda f: mc.convert.from_urdf(f / "arm.urdf", f / "r", base="loose"), ValueError, "auto, floating, fixed"),
    (lambda f: mc.convert.from_urdf(f / "arm.urdf", f / "r", default_mass="much"), TypeError, "default_mass"),
    (lambda f: mc.convert.from_urdf(f / "arm.urdf", f / "r", default_mass=-1.0), ValueError, "default_mass is -1, expected"),
    (lambda f: mc.convert.from_urdf(f / "arm.urdf", f / "r", mesh_unit=float("nan")), ValueError, "mesh_unit is nan"),
    (lambda f: mc.convert.to_gltf(f / "arm.urdf", f / "r.glb", segments=-5), ValueError, "segments is -5, expected 8 to 256"),
    (lambda f: mc.convert.to_gltf(f / "arm.urdf", f / "r.glb", influences=5), ValueError, "influences is 5"),
    (lambda f: mc.convert.to_sdf(f / "arm.urdf", f / "r.sdf", sdf_version="99"), ValueError, "sdf_version is '99'"),
    (lambda f: mc.convert.from_gltf(f / "arm.glb", f / "r", verify=True), TypeError, "no option 'verify'"),
    (lambda f: mc.convert.to_urdf(f / "arm.urdf", f / "r.urdf", keep_frame=True), TypeError, "did you mean 'keep_frames'"),
    (lambda f: mc.convert.to_sdf(f / "arm.urdf", f / "r.sdf", keep_frames=True), TypeError, "no option 'keep_frames'"),
    (lambda f: mc.convert.to_urdf(f / "arm.urdf", f / "arm.urdf"), ValueError, "FILES_INPUT"),
])
def test_mistakes_are_named_and_nothing_is_written(tmp_path, call, kind, text):
    written(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(kind, match=text):
        call(tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_conversions_of_several_threads_do_not_meet(tmp_path):
    """What one of them reads is no input of another."""
    from concurrent.futures import ThreadPoolExecutor

    source = written(tmp_path)
    def there_and_back(number):
        for _ in range(5):
            layer = mc.convert.to_usd(source, tmp_path / f"{number}" / "a.usda")
            mc.convert.to_urdf(layer, tmp_path / f"{number}" / "a.urdf")
        return True
    for number in range(4):
        (tmp_path / f"{number}").mkdir()
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(there_and_back, range(4)))


def test_variants_are_refused_where_they_would_have_no_effect(tmp_path):
    (tmp_path / "a.usda").write_text('#usda 1.0\n(defaultPrim = "a")\ndef Xform "a"\n{\n}\n')
    for name in ("r.usdz", "folder"):
        with pytest.raises(ValueError, match="has no effect on a package or a folder"):
            mc.convert.to_usd(tmp_path / "a.usda", tmp_path / name, variants={"/a": {"size": "small"}})


def test_faults_of_a_source_are_told_and_the_rest_is_converted(tmp_path):
    source = tmp_path / "bad.urdf"
    source.write_text(ARM.replace("@", "").replace('mass value="2"', 'mass value="two"'))
    with pytest.warns(mc.MechaneWarning, match="SOURCE_NUMBER"):
        done = mc.convert.from_urdf(source, tmp_path / "asset")
    assert [d.code for d in done.diagnostics.errors] == ["SOURCE_NUMBER"] and done.diagnostics.errors[0].line == 1 and done.entry.exists()

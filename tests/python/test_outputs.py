"""Where results go: in the format of the name, never over what they were made of, and as a whole."""
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import mechane as mc
import pytest

BODY = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
    subLayers = [@./sub.usda@]
)
def Xform "robot" (
    variants = {
        string tool = "none"
    }
    prepend variantSets = "tool"
    payload = @./pay.usda@
)
{
    def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 0.2
        asset userProperties:picture = @./tex.png@
    }
    variantSet "tool" = {
        "none" {
        }
        "saw" (
            references = @./saw.usda@
        ) {
        }
    }
}
"""
PART = '#usda 1.0\n(\n    defaultPrim = "robot"\n)\ndef Xform "robot"\n{\n}\n'
INPUTS = ("robot.usda", "sub.usda", "pay.usda", "saw.usda")


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "robot.usda").write_text(BODY)
    for name in INPUTS[1:]:
        (tmp_path / name).write_text(PART)
    (tmp_path / "tex.png").write_bytes(b"\x89PNG")
    return tmp_path / "robot.usda"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(code, call, *arguments, **named):
    with pytest.raises(ValueError) as caught:
        call(*arguments, **named)
    assert caught.value.code == code


def test_no_call_writes_over_what_it_read(robot, tmp_path):
    """Also links to it, and files that the asset depends on though nothing of them was looked at (GAP-104)"""
    os.link(tmp_path / "sub.usda", tmp_path / "hard.usda")
    os.symlink("sub.usda", tmp_path / "soft.usda")
    run = mc.simulate(robot, frames=2)
    assert run.recording.source == str(robot)
    builder = mc.ModelBuilder()
    builder.add_usd(str(robot))
    model = builder.finalize()
    recorder = mc.record.Recorder(model)
    recorder.add(model.state())
    before = contents(tmp_path)
    for name in (*INPUTS, "hard.usda", "soft.usda"):
        target = tmp_path / name
        refused("FILES_INPUT", run.recording.to_usd, target)
        refused("FILES_INPUT", run.recording.save, target)
        refused("FILES_INPUT", mc.simulate, robot, frames=1, out=target)
        refused("FILES_INPUT", mc.simulate, model, frames=1, out=target)
        refused("FILES_INPUT", recorder.recording.to_usd, target)
        refused("FILES_INPUT", mc.conformance.fix, robot, out=target)
        with pytest.raises(ValueError):
            with mc.viewer.ViewerFile(target) as viewer:
                viewer.set_model(model)
    refused("FILES_INPUT", run.recording.save, tmp_path / "tex.png")
    assert contents(tmp_path) == before


def test_the_suffix_decides_the_format_before_anything_is_computed(robot, tmp_path):
    starts = {".html": b"<!", ".json": b"{", ".csv": b"t", ".usda": b"#usda", ".usdc": b"PXR-USDC", ".png": b"\x89PNG", ".mrec": b"MCHRECRD"}
    for suffix, start in starts.items():
        file = tmp_path / f"out{suffix}"
        for _ in range(2):
            run = mc.simulate(robot, frames=2, out=file)
            assert file.read_bytes().startswith(start), suffix
    assert json.loads((tmp_path / "out.json").read_text())["hash"] == run.recording.hash
    before = contents(tmp_path)
    for name, kind, code in (("out", ValueError, "RECORD_FORMAT_UNKNOWN"), ("out.docx", ValueError, "RECORD_FORMAT_UNKNOWN"), ("none/out.json", OSError, "FILES_WRITE_FAILED"),
                             ("none/out.mrec", OSError, "FILES_WRITE_FAILED")):
        with pytest.raises(kind) as caught:
            mc.simulate(robot, frames=10**12, out=tmp_path / name)
        assert caught.value.code == code
    refused("RECORD_FORMAT_UNKNOWN", run.recording.to_usd, tmp_path / "out.json")
    assert contents(tmp_path) == before


def test_what_simulate_returns_can_be_viewed(robot):
    with mc.view(mc.simulate(robot, frames=2), open=False) as viewer:
        assert viewer.url.startswith("http://")


def test_files_are_replaced_as_a_whole(robot, tmp_path):
    """Permissions stay, a link stays a link, nothing is left beside it"""
    builder = mc.ModelBuilder()
    builder.add_usd(str(robot))
    model = builder.finalize()
    (tmp_path / "real").write_text("old")
    os.chmod(tmp_path / "real", 0o640)
    os.symlink("real", tmp_path / "link")
    for save in (builder.save, model.save):
        save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink() and stat.S_IMODE(os.stat(tmp_path / "real").st_mode) == 0o640
    assert mc.Model.load(tmp_path / "real").body_count == model.body_count
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]
    with pytest.raises(OSError):
        model.save(tmp_path / "none" / "model")


def test_an_interrupted_recording_keeps_what_was_recorded(robot, tmp_path):
    program = f"import mechane as mc; mc.simulate({str(robot)!r}, frames=10**8, every=1000, out={str(tmp_path / 'run.mrec')!r})"
    run = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    file = tmp_path / "run.mrec"
    for _ in range(2000):
        time.sleep(0.01)
        if file.exists() and file.stat().st_size > 3000:
            break
    run.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in run.communicate(timeout=60)[1]
    assert mc.record.open(file).complete and len(mc.record.open(file)) > 1


def test_fix_takes_a_folder_again_and_again_and_warns_of_strangers(robot, tmp_path):
    """Inside the asset's folder, new, empty, and of an earlier run (GAP-104)"""
    (tmp_path / "empty").mkdir()
    for out in (tmp_path / "fixed", str(tmp_path / "empty") + "/"):
        for _ in range(2):
            files = mc.conformance.fix(robot, out=out).files
            assert pathlib.Path(out) / "fix-report.json" in files and all(file.exists() for file in files)
    (tmp_path / "fixed" / "mine.txt").write_text("mine")
    refused("FILES_FOLDER", mc.conformance.fix, robot, out=tmp_path / "fixed")
    (tmp_path / "asset").mkdir()
    inner = tmp_path / "asset" / "inner.usda"
    inner.write_text(BODY.replace("@./", "@../"))
    with pytest.warns(mc.MechaneWarning, match="FILES_OUTSIDE_ROOT"):
        mc.conformance.fix(inner, out=tmp_path / "new")
    refused("FILES_OUTSIDE_ROOT", mc.conformance.fix, inner, out=tmp_path / "newer", refuse_outside=True)
    assert not (tmp_path / "newer").exists()


STL = b"solid a\n" + b"".join(
    b"facet normal 0 0 0\nouter loop\n" + b"".join(b"vertex %d %d %d\n" % p for p in corners) + b"endloop\nendfacet\n"
    for corners in (((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))) + b"endsolid\n"
URDF = "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>" \
       "<collision><geometry><mesh filename='part.stl'/></geometry></collision></link></robot>"
MJCF = "<mujoco><asset><mesh name='p' file='part.stl'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='p'/></body></worldbody></mujoco>"


@pytest.mark.parametrize("compat", (None, "newton-1.8"))
@pytest.mark.parametrize("name", ("robot.usda", "robot.urdf", "robot.xml"))
def test_saved_models_do_not_replace_what_they_were_made_of(robot, tmp_path, name, compat):
    """Also by way of another builder (GAP-104)"""
    (tmp_path / "part.stl").write_bytes(STL)
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "robot.xml").write_text(MJCF)
    builder = mc.ModelBuilder()
    options = {} if compat is None else {"compat": compat}
    {".usda": builder.add_usd, ".urdf": builder.add_urdf, ".xml": builder.add_mjcf}[(tmp_path / name).suffix](str(tmp_path / name), **options)
    world = mc.ModelBuilder()
    world.add_world(builder)
    things = [builder, world, builder.finalize(), world.finalize()]
    saved = tmp_path / "saved.bin"
    world.save(saved)
    mc.ModelBuilder.load(saved).save(saved)  # a file of this format is the owner's own
    assert str(tmp_path).encode() not in saved.read_bytes()  # nor does it tell where its maker keeps things
    inputs = INPUTS if name == "robot.usda" else (name, "part.stl")
    before = contents(tmp_path)
    for thing in things:
        for target in inputs:
            refused("FILES_INPUT", thing.save, tmp_path / target)
    assert contents(tmp_path) == before


def test_a_field_does_not_replace_the_mesh_that_it_is_of(tmp_path):
    part = tmp_path / "part.stl"
    part.write_bytes(STL)
    mesh = mc.Mesh.create_from_file(part)
    field = mc.SDF.create_from_mesh(mesh, max_resolution=8)
    for thing in (field, mesh.build_sdf(max_resolution=8)):
        refused("FILES_INPUT", thing.save, part)
    builder = mc.ModelBuilder()
    builder.add_shape_mesh(builder.add_body(), mesh=mesh)
    refused("FILES_INPUT", builder.save, part)
    refused("FILES_INPUT", builder.finalize().save, part)
    field.save(tmp_path / "field.sdf")
    mc.SDF.load(tmp_path / "field.sdf").save(tmp_path / "field.sdf")
    assert part.read_bytes() == STL

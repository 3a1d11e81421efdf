"""Builders, models and states as bytes."""
import copy
import pathlib
import pickle

import mechane as mc
import numpy as np
import pytest
from scenes import BALL, pendulum


def robot():
    b = mc.ModelBuilder(gravity=(0, 0, -3))
    one = pendulum(3)
    box = mc.Mesh.create_box(0.2)
    one.add_shape_mesh(0, mesh=box)
    one.add_shape_mesh(1, mesh=box)
    b.add_ground_plane()
    b.replicate(one, 3, spacing=(1, 0, 0))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="wear", dtype=mc.vec3, frequency=mc.Model.AttributeFrequency.BODY, namespace="us",
                                                          assignment=mc.Model.AttributeAssignment.STATE, values={4: (1, 2, 3)}))
    return b


def same_arrays(a, b):
    return all(np.array_equal(np.asarray(getattr(a, n)), np.asarray(getattr(b, n)), equal_nan=np.asarray(getattr(a, n)).dtype.kind == "f") for n in type(a)._names)


def test_models_and_states_keep_every_bit_and_shared_meshes():
    """(PYA-049)"""
    model = robot().finalize()
    model.body_mass[1] = 2.5
    state = model.state()
    mc.solvers.SolverSoftStep(model).rollout(state, 5, 1 / 60)
    state.us.wear[2] = (7, 8, 9)
    again, there = pickle.loads(pickle.dumps((model, state)))
    assert same_arrays(model, again) and same_arrays(state, there) and there.hash() == state.hash() and there.time == state.time
    assert there._model is again and there.us.wear.tolist() == state.us.wear.tolist()
    meshes = [m for m in again.shape_source if m is not None]
    assert len(meshes) == 6 and len({id(m) for m in meshes}) == 1 and meshes[0] == model.shape_source[-1]
    assert not again.joint_type.flags.writeable and again.shape_label == model.shape_label
    # Both go on alike, bit for bit.
    for m, s in ((model, state), (again, there)):
        mc.solvers.SolverSoftStep(m).rollout(s, 5, 1 / 60)
    assert there.hash() == state.hash()


def test_builders_come_back_and_diverge():
    b = robot()
    again = pickle.loads(pickle.dumps(b))
    assert same_arrays(b.finalize(), again.finalize()) and again.shape_collision_filter_pairs == b.shape_collision_filter_pairs
    again.add_body()
    assert again.body_count == b.body_count + 1 and copy.deepcopy(b).body_mass == b.body_mass


MJCF = """<mujoco><option integrator="implicit" cone="elliptic"/><worldbody>
<body name="a"><joint name="j" springref="0.1" ref="0.2" damping="0.3"/><geom size="0.1" solref="0.01 0.8" condim="4"/>
  <body name="b" pos="0 0 0.3"><joint name="k" axis="0 1 0" range="-40 40"/><geom type="capsule" size="0.02 0.1"/><site name="s"/></body></body></worldbody>
<tendon><fixed name="t" limited="true" range="-1 1"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed></tendon>
<actuator><general name="m" joint="j" dyntype="filter" dynprm="0.1" gainprm="3" ctrlrange="-1 1"/><position name="p" tendon="t" kp="4"/></actuator></mujoco>"""


def test_builders_with_settings_of_mujoco_come_back_and_still_read_files(tmp_path):
    """Functions of their attributes too, so that both read another robot alike (PYA-049)"""
    b = mc.ModelBuilder()
    mc.solvers.SolverMuJoCo.register_custom_attributes(b)
    b.add_mjcf(MJCF, compat="newton-1.8")
    b.save(tmp_path / "saved.bin")
    again = mc.ModelBuilder.load(tmp_path / "saved.bin")
    for one in (b, again):
        one.add_mjcf(MJCF, compat="newton-1.8")
    models = b.finalize(), again.finalize()
    assert same_arrays(*models)
    compared = 0
    for key in b.custom_attributes:
        space, _, name = key.partition(":")
        mine, theirs = (getattr(getattr(m, space), name, None) for m in models)
        compared += mine is not None
        assert np.array_equal(np.asarray(mine), np.asarray(theirs)), key
    assert compared > 80
    worlds = mc.ModelBuilder()
    worlds.add_world(b)
    worlds.add_world(again)  # their attributes are the same ones
    assert worlds.finalize().body_count == 2 * models[0].body_count


def test_another_major_version_is_refused():
    """(PYA-050)"""
    make, (fields,) = robot().finalize().__reduce__()
    with pytest.raises(mc.MechaneError) as caught:
        make({**fields, "format": (99, 0)})
    assert caught.value.code == "PYTHON_PICKLE_VERSION"


def test_controls_contacts_and_meshes_come_back():
    model = robot().finalize()
    control, contacts, mesh = model.control(), model.collide(model.state()), mc.Mesh.create_box(1.0)
    control.joint_f[0] = 3
    one, two, three = pickle.loads(pickle.dumps((control, contacts, mesh)))
    assert one.joint_f[0] == 3 and len(two) == len(contacts) and three == mesh and three.normals.tolist() == mesh.normals.tolist() and three.mass == mesh.mass


def test_models_are_written_to_files_and_read_again(tmp_path):
    m = pendulum(2).finalize()
    m.joint_q[:] = (0.25, -0.5)
    m.save(tmp_path / "m")
    again = mc.Model.load(tmp_path / "m")
    assert again.joint_label == m.joint_label and again.joint_q.tolist() == [0.25, -0.5]
    pendulum().save(tmp_path / "b")
    with pytest.raises(TypeError, match="ModelBuilder"):
        mc.Model.load(tmp_path / "b")


EARLIER = pathlib.Path(__file__).parent / "earlier"


def test_files_of_earlier_versions_are_read():
    """Format 1.2 as it was written when the package had no folders: its modules are found under their earlier names"""
    builder = mc.ModelBuilder.load(EARLIER / "builder-1.2.pickle")
    assert builder.body_label[:] == ["arm"] and builder.joint_label[:] == ["hinge"] and builder.shape_label[:] == ["corner", "ground"]
    assert type(builder) is mc.ModelBuilder and builder.custom_attributes["robot:heat"].values == {0: (1.0, 2.0, 3.0)}
    mesh, field = builder.shape_source
    assert isinstance(mesh, mc.Mesh) and mesh.indices.tolist() == [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    assert isinstance(field, mc.Heightfield) and field.heights().tolist() == [[0, 0], [0, 1]]
    other, state, own = pickle.loads((EARLIER / "format-1.2.pickle").read_bytes())
    assert same_arrays(other.finalize(), builder.finalize()) and state.joint_q.tolist() == [0.5] and type(state) is mc.State
    assert type(own) is type(mc.State()) and own.body_q is None


def test_what_save_writes_is_read_without_trust(tmp_path):
    """Meshes with fields, height fields, custom attributes and results of imports are data"""
    b = mc.ModelBuilder()
    mesh = mc.Mesh.create_box(0.5)
    mesh.build_sdf(max_resolution=8)
    b.add_shape_mesh(b.add_link(mass=1.0), mesh=mesh)
    b.add_shape_heightfield(heightfield=mc.Heightfield(np.zeros((4, 4)), 4, 4))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute("heat", mc.vec3, mc.Model.AttributeFrequency.BODY))
    b.add_usd(BALL.encode())
    b.save(tmp_path / "b")
    b.finalize(skip_all_validations=True).save(tmp_path / "m")
    again = mc.ModelBuilder.load(tmp_path / "b")
    assert again.shape_source[0] == mesh and again.shape_source[0].sdf.resolution == mesh.sdf.resolution
    assert mc.Model.load(tmp_path / "m").shape_count == b.shape_count


def test_files_that_are_not_trusted_reach_nothing_but_data(tmp_path):
    """Also not what a module of the package has imported itself, and no class that reads a file"""
    for module, name in (("mechane.geometry.sdf", "pathlib.Path"), ("mechane.io.commands", "subprocess.Popen"), ("mechane.stage.view", "Stage"), ("mechane.usd", "Stage"),
                         ("mechane.model.saved", "loaded"), ("mechane._pickle", "loaded"), ("mechane.record", "open"), ("mechane.testing", "random_tree")):
        text = b"".join(b"\x8c" + bytes([len(word)]) + word.encode() for word in (module, name))
        (tmp_path / "f").write_bytes(b"\x80\x04" + text + b"\x93.")
        with pytest.raises(ValueError, match="not part of a saved model"):
            mc.Model.load(tmp_path / "f")


@pytest.mark.parametrize("kind", ["Model", "ModelBuilder"])
def test_a_saved_file_with_other_bits_is_refused(tmp_path, kind):
    """A number with one bit more is a number too: only a sum of the file tells. Files of earlier versions have none"""
    thing = pendulum(1).finalize() if kind == "Model" else pendulum(1)
    cls, file = getattr(mc, kind), tmp_path / "f"
    thing.save(file)
    good = file.read_bytes()
    assert cls.load(file).body_count == 1
    for at in (len(good) // 3, len(good) // 2, len(good) - 60, len(good) - 45, len(good) - 40, len(good) - 1):
        file.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
        for trusted in (False, True):
            with pytest.raises(ValueError, match="is not what") as raised:
                cls.load(file, trusted=trusted)
            assert raised.value.code == "PYTHON_PICKLE_VERSION"
    for damaged in (good[:-1], good + b"x", good[:-10]):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match="is not what"):
            cls.load(file)
    file.write_bytes(pickle.dumps(thing))
    assert cls.load(file).body_count == 1

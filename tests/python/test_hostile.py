"""What strangers made: files to load, meshes, indices in arrays that are open to whoever writes."""
import json
import os
import pickle
import struct
import threading

import mechane as mc
import numpy as np
import pytest
from scenes import pendulum


class Runs:
    """Pickled, it has `os.system` called where it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch " + self.path,)


@pytest.mark.parametrize("kind", [mc.ModelBuilder, mc.Model])
def test_load_makes_data_only(tmp_path, kind):
    harm, mark = Runs(), tmp_path / "mark"
    harm.path = str(mark)
    (tmp_path / "f").write_bytes(pickle.dumps(harm))
    with pytest.raises(ValueError, match="PYTHON_PICKLE_VERSION"):
        kind.load(tmp_path / "f")
    assert not mark.exists()
    with pytest.raises(TypeError):
        kind.load(tmp_path / "f", trusted=True)
    assert mark.exists()


@pytest.mark.parametrize("body", [
    b"ply\nformat binary_little_endian 1.0\nelement x 1000000000\nend_header\n",
    b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty int n\nend_header\n0 0 0\n3\n",
    b"ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
    b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
    b"property list char int vertex_indices\nend_header\n" + struct.pack("<9fb", 0, 0, 0, 1, 0, 0, 0, 1, 0, -1) + bytes(12),
])
def test_a_ply_file_has_no_more_than_its_bytes(tmp_path, body):
    (tmp_path / "m.ply").write_bytes(body)
    with pytest.raises(ValueError, match="PYTHON_MESH_FILE"):
        mc.Mesh.create_from_file(str(tmp_path / "m.ply"))


def test_gltf_nodes_are_a_tree_and_counts_lie_in_their_buffers(tmp_path):
    (tmp_path / "b.bin").write_bytes(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))
    base = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": "b.bin"}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}]}

    def read(**changes):
        (tmp_path / "m.gltf").write_text(json.dumps({**base, **changes}))
        return mc.Mesh.create_from_file(str(tmp_path / "m.gltf"))
    assert len(read().vertices) == 3
    for changes in ({"accessors": [{**base["accessors"][0], "count": 10**9}]}, {"nodes": [{"children": [i + 1, i + 1]} for i in range(200)] + [{"mesh": 0}]},
                    {"nodes": [{"children": [0]}]}, {"nodes": [{"mesh": 5}]}):
        with pytest.raises(ValueError, match="PYTHON_MESH_FILE"):
            read(**changes)
    (tmp_path / "deep.gltf").write_text("[" * 200000)
    os.mkfifo(tmp_path / "pipe.ply")
    for name in ("deep.gltf", "pipe.ply"):
        with pytest.raises(ValueError, match="PYTHON_MESH_FILE"):
            mc.Mesh.create_from_file(str(tmp_path / name))


def scene():
    builder = mc.ModelBuilder()
    builder.add_ground_plane()
    for i in range(4):
        builder.add_shape_sphere(builder.add_body(xform=((i, 0, 0.4), (0, 0, 0, 1))), radius=0.5)
    return builder.finalize()


@pytest.mark.parametrize("name, value", [("shape_body", 10**6), ("shape_body", -2), ("body_world", 10**6), ("shape_world", -7)])
def test_an_index_that_names_nothing_is_told_where_it_is_used(name, value):
    model = scene()
    state = model.state()
    np.asarray(getattr(model, name))[:] = value
    with pytest.raises(ValueError, match=name):
        model.collide(state)


def test_joints_too():
    model = pendulum(3).finalize()
    solver, state = mc.solvers.SolverSoftStep(model), model.state()
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(model.joint_child)[:] = 10**6
    solver.step(state, model.state(), None, None, 1e-3)


def test_triangles_of_a_mesh_are_not_written_behind_its_back():
    mesh = mc.Mesh.create_box(0.2)
    assert not mesh._core.triangles().flags.writeable


def test_threads_share_the_pipeline_of_a_model():
    """The same contacts as alone, whatever the threads do."""
    model = scene()
    expected = model.collide(model.state())
    count = int(np.asarray(expected.rigid_contact_count)[0])
    wrong = []

    def work():
        state, contacts = model.state(), model.contacts()
        for _ in range(200):
            model.collide(state, contacts)
            if int(np.asarray(contacts.rigid_contact_count)[0]) != count:
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and count > 0

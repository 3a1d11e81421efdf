"""What strangers made: saved models to load, and meshes."""
import json
import os
import pickle
import struct

import mechane as mc
import pytest


class Runs:
    """Pickled, it has `os.system` called where it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch " + self.path,)


@pytest.mark.parametrize("kind", [mc.ModelBuilder, mc.Model])
def test_load_makes_data_only(tmp_path, kind):
    harm, mark = Runs(), tmp_path / "mark"
    harm.path = str(mark)
    (tmp_path / "f").write_bytes(pickle.dumps(harm))
    with pytest.raises(ValueError, match="E_PICKLE_VERSION"):
        kind.load(tmp_path / "f")
    assert not mark.exists()
    with pytest.raises(TypeError):
        kind.load(tmp_path / "f", trusted=True)
    assert mark.exists()


@pytest.mark.parametrize("body", [
    b"ply\nformat binary_little_endian 1.0\nelement x 1000000000\nend_header\n",
    b"ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
    b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
    b"property list char int vertex_indices\nend_header\n" + struct.pack("<9fb", 0, 0, 0, 1, 0, 0, 0, 1, 0, -1) + bytes(12),
])
def test_a_ply_file_has_no_more_than_its_bytes(tmp_path, body):
    (tmp_path / "m.ply").write_bytes(body)
    with pytest.raises(ValueError, match="E_MESH_FILE"):
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
        with pytest.raises(ValueError, match="E_MESH_FILE"):
            read(**changes)
    (tmp_path / "deep.gltf").write_text("[" * 200000)
    os.mkfifo(tmp_path / "pipe.ply")
    for name in ("deep.gltf", "pipe.ply"):
        with pytest.raises(ValueError, match="E_MESH_FILE"):
            mc.Mesh.create_from_file(str(tmp_path / name))

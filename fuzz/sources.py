"""Robots of other formats and the meshes that they name: good files to mutate, one mesh of each format that `sourceformats` reads.

The mesh of format X comes as `body.X`, and `mesh_X.urdf` is a robot that has it as looks and as a collider.
"""
import base64
import json
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf")
POINTS = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
ROBOT = """<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual><geometry><mesh filename="body.%s" scale="1 1 -1"/></geometry></visual>
    <collision><geometry><mesh filename="body.%s"/></geometry></collision></link>
</robot>
"""
#: Elements that no sample has.
WORLD = """<mujoco model="all">
  <compiler angle="radian" eulerseq="xyz" inertiafromgeom="auto"/>
  <default><geom friction="1 0.1 0.1"/><default class="c"><joint damping="1"/></default></default>
  <asset><mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/><mesh name="f" file="body.stl" scale="1 2 3"/>
    <hfield name="h" nrow="2" ncol="3" size="1 1 1 0.1" elevation="0 1 0 1 0 1"/><texture name="t" type="2d" builtin="checker" width="8" height="8"/><material name="k" texture="t"/></asset>
  <worldbody><frame pos="1 0 0" euler="0 0 1"><geom type="plane" size="1 1 1" material="k"/></frame><geom type="hfield" hfield="h"/>
    <body name="a" pos="0 0 1" axisangle="0 1 0 0.5"><joint name="x" type="slide" axis="1 0 0" range="-1 1" limited="true"/><joint name="y" type="hinge" axis="0 1 0" springref="0.1" stiffness="3"/>
      <geom name="g" type="mesh" mesh="m" density="100"/><site name="s" pos="0 0 0.1"/>
      <body name="b" pos="0 0 0.3" xyaxes="1 0 0 0 1 0"><joint name="z" type="ball" class="c"/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><site name="u"/></body></body>
    <replicate count="3" offset="0 1 0" euler="0 0 0.1"><body name="n"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body></replicate></worldbody>
  <equality><connect body1="a" body2="b" anchor="0 0 0"/><weld body1="a" body2="b"/><joint joint1="x" joint2="y" polycoef="0 1 0 0 0"/></equality>
  <tendon><spatial name="w" range="0 1"><site site="s"/><geom geom="g"/><pulley divisor="2"/><site site="s"/><site site="u"/></spatial><fixed name="v"><joint joint="x" coef="1"/></fixed></tendon>
  <actuator><motor joint="x" gear="2"/><position joint="y" kp="3"/><general tendon="w" gainprm="1" biastype="affine" biasprm="0 -1 -1"/><muscle tendon="v"/></actuator>
  <contact><exclude body1="a" body2="b"/><pair geom1="g" geom2="g"/></contact><keyframe><key qpos="0 0 1 0 0 0"/></keyframe>
</mujoco>
"""


def normal():
    return b"".join(struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in POINTS[i]), 0) for face in FACES)


def meshes():
    """{name: bytes} of one tetrahedron."""
    text = {"obj": "mtllib none.mtl\nusemtl a\n" + "".join("v %g %g %g\n" % p for p in POINTS) + "vn 0 0 1\nvt 0 0\n" + "".join("f %d/1/1 %d/1/1 %d/1/1\n" % tuple(i + 1 for i in f) for f in FACES),
            "ply": "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
                   + "".join("%g %g %g\n" % p for p in POINTS) + "".join("3 %d %d %d\n" % f for f in FACES),
            "dae": '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>'
                   '<source id="p"><float_array id="pa" count="12">' + " ".join("%g %g %g" % p for p in POINTS) + '</float_array><technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>'
                   '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>' + " ".join("%d %d %d" % f for f in FACES)
                   + '</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>'
                   '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'}
    out = {f"body.{suffix}": content.encode() for suffix, content in text.items()}
    out["body.stl"] = b"made by a program".ljust(80) + struct.pack("<I", len(FACES)) + normal()
    points, indices = b"".join(struct.pack("<3f", *p) for p in POINTS), b"".join(struct.pack("<3H", *f) for f in FACES)
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "translation": [0, 0, 0.1], "children": [1]}, {"mesh": 0, "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}],
             "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [0.1, 0.1, 0.1]}, {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
             "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": len(points)}, {"buffer": 0, "byteOffset": len(points), "byteLength": len(indices)}],
             "buffers": [{"byteLength": len(points) + len(indices)}]}
    binary = points + indices
    chunk = json.dumps(scene).encode()
    chunk += b" " * (-len(chunk) % 4)
    out["body.glb"] = (struct.pack("<4sII", b"glTF", 2, 28 + len(chunk) + len(binary)) + struct.pack("<I4s", len(chunk), b"JSON") + chunk + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
    scene["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    out["body.gltf"] = json.dumps(scene, indent=1).encode()
    out["body.msh"] = struct.pack("<4i", 4, 0, 0, 4) + points + b"".join(struct.pack("<3i", *f) for f in FACES)
    return out


def seeds():
    """{name: bytes} of robots and meshes."""
    out = meshes()
    for name in list(out):
        suffix = name.rsplit(".", 1)[1]
        out[f"mesh_{suffix}.urdf"] = (ROBOT % (suffix, suffix)).encode()
    out["world.xml"] = WORLD.encode()
    for file in sorted((ROOT / "samples" / "convert").iterdir()):
        if file.suffix in SUFFIXES:
            out[file.name] = file.read_bytes()
    return out

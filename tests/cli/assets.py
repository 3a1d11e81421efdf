"""Small assets of several files, for tests of what becomes of files."""
import hashlib
import os
import pathlib
import struct
import subprocess
import zlib

from tests.cli.program import PROGRAM

ROOT_LAYER = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
    subLayers = [@./sub.usda@]
)
def Xform "robot" (
    kind = "component"
    variants = {
        string tool = "none"
    }
    prepend variantSets = "tool"
    references = @./parts/ref.usda@
    payload = @./pay.usdc@
)
{
    def Material "paint"
    {
        def Shader "texture"
        {
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./tex.png@
            asset inputs:tiles = @./skin.<UDIM>.png@
        }
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
BODY = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 0.2
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""
PART = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def Xform "%s"
    {
    }
}
"""


def png():
    """One grey pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0\x80\x80\x80")) + chunk(b"IEND", b"")


def make_robot(folder):
    """A robot of a root layer, sublayer, reference, payload, variant and textures; returns the root layer."""
    folder = pathlib.Path(folder)
    (folder / "parts").mkdir(parents=True)
    (folder / "robot.usda").write_text(ROOT_LAYER)
    (folder / "sub.usda").write_text(PART % "sub")
    (folder / "parts" / "ref.usda").write_text(BODY)
    (folder / "saw.usda").write_text(PART % "saw")
    (folder / "pay.usda").write_text(PART % "pay")
    subprocess.run([PROGRAM, "cat", str(folder / "pay.usda"), "-o", str(folder / "pay.usdc")], check=True, capture_output=True)
    (folder / "pay.usda").unlink()
    for name in ("tex.png", "skin.1001.png", "skin.1002.png"):
        (folder / name).write_bytes(png())
    return folder / "robot.usda"


def snapshot(folder):
    """Every file and link below a folder: path to digest, or to where the link leads."""
    out = {}
    for place, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = os.path.join(place, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                out[key] = "-> " + os.readlink(path)
            elif os.path.isdir(path):
                out[key] = "folder"
            elif not os.path.isfile(path):  # a pipe has no end
                out[key] = "special"
            else:
                with open(path, "rb") as file:
                    out[key] = hashlib.sha256(file.read()).hexdigest()
    return out

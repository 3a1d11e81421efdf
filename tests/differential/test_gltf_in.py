"""Scenes of glTF that come in stand, move, bend and fade as the format says, in the eyes of OpenUSD's own UsdSkel; compressed ones are what they were.

MECHANE_USD_PYTHON is an interpreter with usd-core; MECHANE_GLTF_TRANSFORM the program gltf-transform, which writes the compressed scenes. Without them the tests say so.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tests.cli.program import mechane
from tests.differential.gltf_scenes import Scene

PYTHON = os.environ.get("MECHANE_USD_PYTHON", "")
TRANSFORM = os.environ.get("MECHANE_GLTF_TRANSFORM", "")

#: Points of the first mesh in the world at some times, deformed by UsdSkel.
POINTS = """
import json, sys
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt
stage = Usd.Stage.Open(sys.argv[1])
cache = UsdSkel.Cache()
out = []
mesh = next(p for p in stage.Traverse() if p.GetTypeName() == "Mesh")
up = mesh
while up and up.GetTypeName() != "SkelRoot":
    up = up.GetParent()
if up:
    cache.Populate(UsdSkel.Root(up), Usd.PrimDefaultPredicate)
for time in json.loads(sys.argv[2]):
    points = UsdGeom.Mesh(mesh).GetPointsAttr().Get(time)
    if up:
        skin = cache.GetSkinningQuery(mesh)
        skeleton = cache.GetSkelQuery(UsdSkel.BindingAPI(mesh).GetInheritedSkeleton())
        animation = skeleton.GetAnimQuery()
        if skin.HasBlendShapes():
            weights = animation.ComputeBlendShapeWeights(time)
            mapped = skin.GetBlendShapeMapper().Remap(weights) if skin.GetBlendShapeMapper() else weights
            query = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(mesh))
            sub, shapes, targets = query.ComputeSubShapeWeights(mapped)
            points = Vt.Vec3fArray(points)
            query.ComputeDeformedPoints(sub, shapes, targets, query.ComputeBlendShapePointIndices(), query.ComputeSubShapePointOffsets(), points)
        if skin.HasJointInfluences():
            xforms = skeleton.ComputeSkinningTransforms(time)
            points = Vt.Vec3fArray(points)
            assert skin.ComputeSkinnedPoints(xforms, points, time)
            place = UsdGeom.Xformable(skeleton.GetPrim()).ComputeLocalToWorldTransform(time)
        else:
            place = UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(time)
    else:
        place = UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(time)
    out.append([list(place.Transform(Gf.Vec3d(p))) for p in points])
print(json.dumps(out))
"""


def points(stage, times):
    done = subprocess.run([PYTHON, "-c", POINTS, str(stage), json.dumps(times)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


class Deformed(unittest.TestCase):
    def convert(self, source, out):
        done = mechane("convert", source, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(PYTHON, "skipped: MECHANE_USD_PYTHON is not set")
    def test_skins_and_targets_place_points_where_the_format_has_them(self):
        """Joints in any order, nodes between them that are none, targets of skinned and of plain meshes, at rest and at the keys of animations."""
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(12):
                scene = Scene(seed, skin=seed % 4 != 0, morph=seed % 4 != 1, moving=seed % 3 != 2)
                source, out = pathlib.Path(folder, f"{seed}.gltf"), pathlib.Path(folder, f"{seed}.usda")
                source.write_text(scene.text())
                self.convert(source, out)
                times = [0.0, 0.5, 1.5] if scene.tracks else [0.0]
                for time, found in zip(times, points(out, times)):
                    expected = scene.points_at(time) if scene.tracks else scene.points_at(None)
                    worst = max(abs(a - b) for p, q in zip(found, expected) for a, b in zip(p, q))
                    # Scales of an animation are halves: 5e-4 of a metre-sized robot.
                    self.assertLess(worst, 5e-3 if scene.tracks else 1e-5, (seed, time))

    @unittest.skipUnless(PYTHON, "skipped: MECHANE_USD_PYTHON is not set")
    def test_a_folder_of_a_skinned_scene_passes_the_check_and_goes_back(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = Scene(7)
            source, out, back, again = (pathlib.Path(folder, n) for n in ("a.gltf", "asset", "b.glb", "again.usda"))
            source.write_text(scene.text())
            self.convert(source, out)
            entry = out / json.loads((out / "conversion.json").read_text())["entry"]
            found = json.loads(mechane("check", entry, "--json").stdout)
            self.assertEqual([f for f in found["findings"] if f["severity"] == "error"], [])
            self.assertIn(mechane("convert", entry, "-o", back, "--fail-on-loss", "never").returncode, (0, 1))
            self.convert(back, again)
            for time, one in zip((0.0, 0.5, 1.5), points(again, [0.0, 0.5, 1.5])):
                worst = max(abs(a - b) for p, q in zip(one, scene.points_at(time)) for a, b in zip(p, q))
                self.assertLess(worst, 1e-2, time)

    @unittest.skipUnless(PYTHON and TRANSFORM, "skipped: MECHANE_USD_PYTHON and MECHANE_GLTF_TRANSFORM are not set")
    def test_scenes_of_draco_and_meshopt_are_what_they_were(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed, verb in ((3, "draco"), (3, "meshopt"), (8, "draco"), (8, "meshopt"), (9, "quantize")):
                scene = Scene(seed, skin=verb != "quantize", morph=False, moving=False)
                source, packed, out = (pathlib.Path(folder, n) for n in ("a.gltf", f"{verb}{seed}.glb", f"{verb}{seed}.usda"))
                source.write_text(scene.text())
                done = subprocess.run([TRANSFORM, verb, str(source), str(packed)], capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.convert(packed, out)
                found = points(out, [0.0])[0]
                expected = scene.points_at(None)
                # The packers round places to 14 bits and weights to 8, which joints half a metre away make 0.01 m of; they may drop or order points anew.
                for p in found:
                    self.assertLess(min(max(abs(a - b) for a, b in zip(p, q)) for q in expected), 2e-2, (verb, seed))
                self.assertGreaterEqual(len(found), 12 if verb != "draco" else 3)


if __name__ == "__main__":
    unittest.main()

"""`mechane cat`: text, conversion, flattening, masks, packages."""
import pathlib
import tempfile
import unittest
import zipfile

from tests.cli.program import QUADRUPED, document, mechane

PART = '#usda 1.0\n(\n    defaultPrim = "part"\n)\ndef Xform "part"\n{\n    asset picture = @./a.png@\n    def Cube "box"\n    {\n    }\n}\n'
ROOT = ('#usda 1.0\n\n# a comment\ndef Xform "robot" (\n    references = @./part.usda@\n)\n{\n}\n\n'
        'def Xform "other"\n{\n}\n')


class Cat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "part.usda").write_text(PART)
        (self.folder / "a.png").write_bytes(b"no picture")
        self.root = self.folder / "root.usda"
        self.root.write_text(ROOT)

    def test_prints_the_layer_itself(self):
        done = mechane("cat", self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("@./part.usda@", done.stdout)
        self.assertNotIn("box", done.stdout)

    def test_flatten_brings_in_what_is_referenced(self):
        done = mechane("cat", "--flatten", self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('def Cube "box"', done.stdout)
        self.assertNotIn("part.usda", done.stdout)
        self.assertIn(str(self.folder / "a.png"), done.stdout)

    def test_flatten_layer_stack_keeps_arcs(self):
        top = self.folder / "top.usda"
        top.write_text('#usda 1.0\n(\n    subLayers = [@./root.usda@]\n)\n')
        done = mechane("cat", "--flattenLayerStack", top)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("part.usda@", done.stdout)
        self.assertNotIn("subLayers", done.stdout)

    def test_a_mask_keeps_the_named_prims(self):
        out = mechane("cat", "--flatten", "--mask", "/robot/box", self.root).stdout
        self.assertIn("box", out)
        self.assertNotIn("other", out)
        self.assertEqual(mechane("cat", "--mask", "/robot", self.root).returncode, 2)
        self.assertEqual(mechane("cat", "--flatten", "--mask", "robot", self.root).returncode, 2)
        unknown = mechane("cat", "--flatten", "--mask", "/robot/box,/robot/bx", self.root)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("/robot/box", unknown.stderr)

    def test_formats_follow_the_suffix(self):
        for name, options, magic in (("a.usda", [], b"#usda"), ("a.usdc", [], b"PXR-USDC"), ("a.usd", [], b"PXR-USDC"),
                                     ("b.usd", ["--usdFormat", "usda"], b"#usda")):
            with self.subTest(name):
                target = self.folder / name
                done = mechane("cat", self.root, "-o", target, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertTrue(target.read_bytes().startswith(magic))
        self.assertEqual(mechane("cat", self.root, "-o", self.folder / "c.usda", "--usdFormat", "usdc").returncode, 5)

    def test_a_layer_that_is_only_copied_keeps_its_comments(self):
        target = self.folder / "copy.usda"
        mechane("cat", self.root, "-o", target)
        self.assertEqual(target.read_text(), ROOT)

    def test_a_layer_that_moves_still_finds_its_files(self):
        (self.folder / "sub").mkdir()
        target = self.folder / "sub" / "moved.usda"
        self.assertEqual(mechane("cat", self.root, "-o", target).returncode, 0)
        prims = mechane("tree", "--prims", target).stdout
        self.assertIn("box", prims)

    def test_a_package_holds_everything(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            package = pathlib.Path(elsewhere) / "all.usdz"
            done = mechane("cat", self.root, "-o", package)
            self.assertEqual(done.returncode, 0, done.stderr)
            for file in self.folder.iterdir():
                file.unlink()
            self.assertIn("/robot/box", document("dump", "stage", package)["prims"])
            with zipfile.ZipFile(package) as archive:
                self.assertEqual(archive.testzip(), None)
                self.assertIn("a.png", [pathlib.PurePosixPath(name).name for name in archive.namelist()])

    def test_refuses_what_cannot_be_done(self):
        self.assertEqual(mechane("cat", self.folder / "none.usda").returncode, 3)
        self.assertEqual(mechane("cat", self.root, "-o", self.folder / "no" / "a.usda").returncode, 5)
        self.assertEqual(mechane("cat", self.root, self.root, "-o", self.folder / "a.usda").returncode, 2)

    def test_a_sample_survives_a_round_trip(self):
        before = document("dump", "stage", QUADRUPED)
        for suffix in ("usda", "usdc", "usd"):
            with self.subTest(suffix):
                target = self.folder / f"quadruped.{suffix}"
                self.assertEqual(mechane("cat", QUADRUPED, "-o", target).returncode, 0)
                self.assertEqual(document("dump", "stage", target)["prims"], before["prims"])


if __name__ == "__main__":
    unittest.main()

"""The plug-in that is installed for other programs: OpenUSD's own libraries resolve package:// with it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT, SANITIZED, mechane

PLUGIN = pathlib.Path(PROGRAM).parent / "openusd-plugin"
OPENUSD = pathlib.Path(os.environ.get("MECHANE_DEPS", ROOT / ".deps")) / "openusd"
ASK = """import sys
from pxr import Ar, Sdf
print(Ar.GetResolver().Resolve("package://arm/usd/a.usda"))
print(Ar.GetResolver().Resolve("package://arm/../arm/usd/a.usda"), Ar.GetResolver().Resolve("package://gone/usd/a.usda"))
layer = Sdf.Layer.FindOrOpen("package://arm/usd/a.usda")
print(layer.identifier, Sdf.ComputeAssetPathRelativeToLayer(layer, "b.usda"))
"""
ARM = '#usda 1.0\n(\n    defaultPrim = "A"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n\ndef Xform "A"\n{\n}\n'


@unittest.skipUnless((PLUGIN / "plugInfo.json").is_file(), "skipped: the plug-in is not built")
class PackageAddresses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.workspace = pathlib.Path(folder.name).resolve()
        (self.workspace / "src" / "arm" / "usd").mkdir(parents=True)
        (self.workspace / "src" / "arm" / "package.xml").touch()
        (self.workspace / "src" / "arm" / "usd" / "a.usda").write_text(ARM)
        (self.workspace / "src" / "arm" / "usd" / "b.usda").write_text(ARM)
        self.prefix = self.workspace / "install"
        (self.prefix / "share" / "ament_index" / "resource_index" / "packages").mkdir(parents=True)

    def ask(self, **environment):
        """What OpenUSD of the wheels that Mechane is built with answers, in a process without Mechane."""
        clean = {k: v for k, v in os.environ.items() if k not in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "LD_PRELOAD")}
        done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, timeout=120,
                              env={**clean, "PYTHONPATH": str(OPENUSD), "PXR_PLUGINPATH_NAME": str(PLUGIN), **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mechane:", done.stderr)
        return done.stdout.splitlines()

    @unittest.skipUnless((OPENUSD / "pxr" / "Ar").is_dir() and sys.version_info[:2] == (3, 11) and not SANITIZED, "skipped: no OpenUSD for this Python")
    def test_openusd_resolves_packages_of_the_environment_and_what_lies_beside_their_layers(self):
        arm = self.workspace / "src" / "arm"
        answer = self.ask(ROS_PACKAGE_PATH=f"/nowhere:{self.workspace / 'src'}")
        self.assertEqual(answer[0], str(arm / "usd" / "a.usda"))
        self.assertEqual(answer[1].strip(), "")  # out of the package; no package
        self.assertEqual(answer[2], f"package://arm/usd/a.usda {arm / 'usd' / 'b.usda'}")

    @unittest.skipUnless((OPENUSD / "pxr" / "Ar").is_dir() and sys.version_info[:2] == (3, 11) and not SANITIZED, "skipped: no OpenUSD for this Python")
    def test_an_installed_package_comes_before_one_among_sources(self):
        installed = self.prefix / "share" / "arm" / "usd"
        installed.mkdir(parents=True)
        (installed / "a.usda").write_text(ARM)
        (self.prefix / "share" / "ament_index" / "resource_index" / "packages" / "arm").touch()
        answer = self.ask(ROS_PACKAGE_PATH=str(self.workspace / "src"), AMENT_PREFIX_PATH=str(self.prefix))
        self.assertEqual(answer[0], str(installed / "a.usda"))

    def test_mechane_resolves_by_itself_and_says_nothing_where_the_plug_in_is_named(self):
        root = self.workspace / "root.usda"
        root.write_text(ARM.replace("def Xform", 'def "R" (\n    references = @package://arm/usd/a.usda@\n)\n{\n}\n\ndef Xform'))
        done = mechane("info", root, ROS_PACKAGE_PATH=str(self.workspace / "src"), PXR_PLUGINPATH_NAME=str(PLUGIN))
        self.assertNotIn("MechanePackageUriResolver", done.stdout + done.stderr)
        self.assertNotIn("COMP_ASSET_MISSING", done.stdout + done.stderr)

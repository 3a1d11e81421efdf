"""The kernels for CUDA compile wherever its compilers are installed; no GPU is asked for."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools" / "cuda_kernels.py"
SMOKE = ROOT / "tests" / "device" / "smoke.cu"
sys.path.insert(0, str(ROOT))
from tools import cuda_kernels  # noqa: E402


def tool(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True, check=False)


class Kernels(unittest.TestCase):
    def setUp(self):
        if cuda_kernels.find_nvcc() is None:
            self.skipTest("skipped: no nvcc here (make setup-cuda)")

    def test_the_kernels_compile_to_a_fat_binary_with_machine_code_and_ptx(self):
        with tempfile.TemporaryDirectory() as folder:
            done = tool("--only", "nvcc", "--into", folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            image = (pathlib.Path(folder) / cuda_kernels.FATBIN).read_bytes()
            self.assertEqual(image[:4], bytes.fromhex("50ed55ba"))  # the magic number of fat binaries, little-endian
            self.assertIn(b"\x7fELF", image)  # the cubin for compute capability 9.0
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir()], [cuda_kernels.FATBIN])

    def test_a_source_that_does_not_compile_leaves_no_file_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / "bad.cu"
            bad.write_text('extern "C" __global__ void broken() { missing(); }\n')
            done = tool("--only", "nvcc", "--into", pathlib.Path(folder) / "out", "--source", bad)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(list((pathlib.Path(folder) / "out").iterdir()), [])


class OlderDrivers(unittest.TestCase):
    def test_the_run_time_compiler_of_cuda_12_makes_ptx_that_its_first_driver_knows(self):
        if cuda_kernels.find_nvrtc() is None:
            self.skipTest("skipped: no NVRTC of CUDA 12 here (make setup-cuda)")
        with tempfile.TemporaryDirectory() as folder:
            done = tool("--only", "nvrtc", "--into", folder, "--source", SMOKE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = (pathlib.Path(folder) / cuda_kernels.PTX).read_text()
            self.assertRegex(text, r"\.version 8\.\d")  # CUDA 12.0 is PTX 8.0
            self.assertIn(".entry add_scaled", text)


class WithoutCompilers(unittest.TestCase):
    def test_without_a_compiler_the_tool_says_how_to_get_one(self):
        done = subprocess.run([sys.executable, str(TOOL), "--find"], capture_output=True, text=True, check=False,
                              env={"PATH": "/nowhere", "MECHANE_DEPS": "/nowhere", "NVCC": ""})
        if pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            self.skipTest("skipped: nvcc is in /usr/local/cuda")
        self.assertEqual(done.returncode, 2)
        self.assertIn("make setup-cuda", done.stdout)


if __name__ == "__main__":
    unittest.main()

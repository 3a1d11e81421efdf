#!/usr/bin/env python3
"""Compiles the kernels of src/device/kernels for CUDA: `make cuda`. No GPU is needed, and nothing of CUDA is linked to the library.

usage: cuda_kernels.py [--setup] [--into FOLDER] [--only nvcc|nvrtc] [--find] [--source FILE]

Two files are made, where what makes them is there:
  mechane_kernels.fatbin    by nvcc of CUDA 13 or later: machine code for compute capability 9.0, PTX for all others from 7.5 on
  mechane_kernels_cu12.ptx  by NVRTC of CUDA 12: PTX for drivers that do not know CUDA 13
nvcc is NVCC, else the first of PATH, /usr/local/cuda and .deps/cuda. --setup brings both compilers into .deps/cuda, as packages of PyPI. A driver
takes PTX of its own version of CUDA and of earlier ones; therefore the packages are of the version of the driver of this machine, and where there is
none, of the first version of each CUDA. --find prints the nvcc that would be used, and exits 2 if there is none.
"""
import argparse
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPS = pathlib.Path(os.environ.get("MECHANE_DEPS", ROOT / ".deps")) / "cuda"
SOURCE = ROOT / "src" / "device" / "kernels" / "kernels.cu"
FATBIN, PTX = "mechane_kernels.fatbin", "mechane_kernels_cu12.ptx"

# Packages of PyPI and the newest release of each minor version of CUDA that was tried; others are taken as they come ("13.4.*").
NVCC = ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl")
NVRTC = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12")
FIRST_NVCC, FIRST_NVRTC = (13, 0), (12, 0)

# What both compilers are told. The kernels are the host's source: numbers are combined there as they are written, and so they are here.
COMMON = ["-std=c++20", "--fmad=false", "-I", str(ROOT / "src"), "-I", str(ROOT / "src" / "include"), "-I", str(ROOT / "include")]
NVCC_FLAGS = ["-O3", "--expt-relaxed-constexpr", "-gencode", "arch=compute_75,code=compute_75", "-gencode", "arch=compute_90,code=sm_90", "-Xptxas", "-warn-lmem-usage"]
NVRTC_FLAGS = ["--gpu-architecture=compute_60", "--device-as-default-execution-space", "-default-device"]


def driver_version():
    """CUDA's version that the driver of this machine speaks, (13, 0), or nothing."""
    try:
        driver, number = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
        return divmod(number.value // 10, 100) if driver.cuDriverGetVersion(ctypes.byref(number)) == 0 else None
    except (OSError, AttributeError):
        return None


def setup():
    """Installs both compilers."""
    driver = driver_version()
    nvcc = driver if driver and driver >= FIRST_NVCC else FIRST_NVCC
    nvrtc = driver if driver and (12, 0) <= driver < FIRST_NVCC else FIRST_NVRTC
    print(f"the driver here speaks CUDA {driver[0]}.{driver[1]}" if driver else "there is no driver here: the first version of each CUDA is taken, which later drivers know")
    DEPS.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}=={major}.{minor}.*" for names, (major, minor) in ((NVCC, nvcc), (NVRTC, nvrtc)) for name in names]
    wanted = [text.replace("nvidia-cuda-cccl==13.0.*", "nvidia-cuda-cccl>=13.0,<13.1") for text in wanted]
    shutil.rmtree(DEPS, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(DEPS), *wanted]
    print("  $ " + " ".join(command), flush=True)
    return subprocess.run(command, check=False).returncode


def find_nvcc():
    """Path of nvcc, or nothing."""
    own = sorted(DEPS.glob("nvidia/cu*/bin/nvcc"), reverse=True)
    for found in (os.environ.get("NVCC"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc", *own):
        if found and os.access(found, os.X_OK):
            return pathlib.Path(found)
    return None


def nvcc_version(nvcc):
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"release (\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else (0, 0)


def by_nvcc(nvcc, source, into):
    """The fat binary; returns whether it was made."""
    out, scratch = into / FATBIN, into / (FATBIN + ".part")
    compiler = next((c for c in ("/usr/bin/g++", shutil.which("g++")) if c and os.access(c, os.X_OK)), None)
    command = [str(nvcc), "-fatbin", *NVCC_FLAGS, *COMMON, *(["-ccbin", compiler] if compiler else []), "-o", str(scratch), str(source)]
    print("  $ " + " ".join(command), flush=True)
    done = subprocess.run(command, check=False)
    if done.returncode != 0:
        scratch.unlink(missing_ok=True)
        return False
    scratch.replace(out)
    version = nvcc_version(nvcc)
    print(f"{out}: {out.stat().st_size} bytes, by nvcc {version[0]}.{version[1]}")
    driver = driver_version()
    if driver and driver < version:
        print(f"note: the driver here speaks CUDA {driver[0]}.{driver[1]}; it can take the machine code of this file at most, not its PTX. "
              "`make setup-cuda` brings the compiler of the driver's version: run it with NVCC set to nothing")
    return True


def find_nvrtc():
    found = sorted(DEPS.glob("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"))
    return found[0] if found else None


class Nvrtc:
    """The run-time compiler as a library: its C interface, as far as it is used here."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)

    def compile(self, source, options):
        """(PTX or nothing, what the compiler said)"""
        program = ctypes.c_void_p()
        text = source.read_bytes()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text, source.name.encode(), 0, None, None)
        flags = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        answer = self.library.nvrtcCompileProgram(program, len(options), flags)
        said = self._get(program, "ProgramLog").decode(errors="replace").strip("\0\n ")
        ptx = self._get(program, "PTX") if answer == 0 else None
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx, said

    def _get(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.raw[:size.value]


def by_nvrtc(library, source, into):
    """PTX for older drivers; returns whether it was made."""
    include = DEPS / "nvidia" / "cuda_runtime" / "include"
    options = ["-std=c++20", "--fmad=false", f"-I{ROOT / 'src'}", f"-I{ROOT / 'src' / 'include'}", f"-I{ROOT / 'include'}", f"-I{include}", f"-I{source.parent}", "-DMECHANE_NVRTC=1", *NVRTC_FLAGS[:1]]
    ptx, said = Nvrtc(library).compile(source, options)
    if ptx is None:
        print(f"NVRTC could not compile {source}:\n{said}", file=sys.stderr)
        return False
    out, scratch = into / PTX, into / (PTX + ".part")
    scratch.write_bytes(ptx.rstrip(b"\0"))
    scratch.replace(out)
    version = re.search(rb"\.version (\S+)", ptx)
    print(f"{out}: {len(ptx)} bytes, PTX {version[1].decode() if version else '?'}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", action="store_true", help="bring the compilers from PyPI into .deps/cuda")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "build" / "release" / "cuda", help="folder of what is made")
    parser.add_argument("--only", choices=["nvcc", "nvrtc"], help="one of the two files")
    parser.add_argument("--find", action="store_true", help="print the nvcc that would be used")
    parser.add_argument("--source", type=pathlib.Path, default=SOURCE, help="what is compiled")
    a = parser.parse_args()
    if a.setup:
        return setup()
    nvcc, nvrtc = find_nvcc(), find_nvrtc()
    if a.find:
        print(nvcc or "there is no nvcc here: `make setup-cuda` brings one")
        return 0 if nvcc else 2
    if a.only != "nvrtc" and nvcc is None and (a.only == "nvcc" or nvrtc is None):
        print("there is no nvcc here: `make setup-cuda` brings one from PyPI, or name one in NVCC", file=sys.stderr)
        return 2
    if a.only == "nvrtc" and nvrtc is None:
        print("there is no NVRTC of CUDA 12 here: `make setup-cuda` brings one from PyPI", file=sys.stderr)
        return 2
    a.into.mkdir(parents=True, exist_ok=True)
    good = True
    if nvcc is not None and a.only != "nvrtc":
        good = by_nvcc(nvcc, a.source, a.into)
    # A driver of CUDA 12 needs this file; for all others the first is enough, so that its lack is told and no failure.
    if nvrtc is not None and a.only != "nvcc" and not by_nvrtc(nvrtc, a.source, a.into):
        good = good and nvcc is not None and a.only != "nvrtc"
        print(f"note: without {PTX} a driver needs to know CUDA 13 (580 or later)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Packs the one Python wheel out of the release build into out/wheel and tests it with each interpreter at hand.

usage: wheel.py [--check]      --check only tests the newest wheel that lies there

What goes in is what CMake's component `python` installs (the module, the program, OpenUSD for both, libraries that other machines may not
have), the module of the stable ABI, and the package's sources. Equal input gives equal bytes. The tags:
- cp311-cp311 for the module that the distribution's interpreter compiles, cp312-abi3 for that of the stable ABI, which serves every later
  CPython. nanobind needs 3.12 for it. It is left out, with a word, where no interpreter from 3.12 on has its headers.
- manylinux by the newest version that any library or program in the wheel asks of glibc and of libstdc++.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tools import bootstrap  # noqa: E402

ROOT = bootstrap.ROOT
OUT = ROOT / "out" / "wheel"
BUILD = ROOT / "build" / "release"
LIMIT = 40_000_000  # bytes

# Which glibc stands for a distribution that has this libstdc++, after the policies of auditwheel; what is older than the first is in all.
LIBSTDCXX = {(3, 4, 24): (2, 27), (3, 4, 25): (2, 28), (3, 4, 28): (2, 31), (3, 4, 29): (2, 34), (3, 4, 30): (2, 35), (3, 4, 32): (2, 38), (3, 4, 33): (2, 39)}

METADATA = """Metadata-Version: 2.4
Name: mechane
Version: {version}
Summary: Opens, checks, repairs and simulates robots in OpenUSD
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: numpy>=1.26
Provides-Extra: gym
Requires-Dist: gymnasium>=1.1; extra == "gym"
Provides-Extra: distributed
Requires-Dist: ray>=2.40; extra == "distributed"
Description-Content-Type: text/markdown

"""


def interpreters():
    """{(major, minor): path} of each CPython from 3.11 on at hand, with the interpreter's lock: on PATH, and pyenv's."""
    names = [shutil.which(f"python3.{minor}", path="/usr/bin:/usr/local/bin:" + os.environ.get("PATH", "")) for minor in range(11, 30)]
    home = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    names += sorted(map(str, home.glob("versions/3.*/bin/python3")), reverse=True)
    ask = "import sys, sysconfig; print(sys.implementation.name, *sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    found = {}
    for name in filter(None, names):
        done = subprocess.run([name, "-c", ask], capture_output=True, text=True)  # pyenv's shims fail for versions that are not chosen
        words = done.stdout.split()
        if done.returncode == 0 and words[0] == "cpython" and words[3] == "0" and int(words[2]) >= 11:
            found.setdefault((int(words[1]), int(words[2])), name)
    return found


def stable_python():
    """An interpreter by whose headers the module of the stable ABI can be compiled, or None."""
    for version, path in sorted(interpreters().items()):
        include = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], capture_output=True, text=True).stdout.strip()
        if version >= (3, 12) and (pathlib.Path(include) / "Python.h").exists():
            return path
    return None


def compile_all():
    stable = stable_python()
    if stable is None:
        print("no CPython from 3.12 on with its headers: the wheel will be for 3.11 alone")
    subprocess.run(["cmake", f"-DMECHANE_ABI3_PYTHON={stable or ''}", BUILD], check=True, stdout=subprocess.DEVNULL)
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", BUILD, "-j", jobs, "--target", "mechane", "mechane_python", *(["mechane_python_abi3"] if stable else [])], check=True)
    if not stable:
        (BUILD / "python" / "mechane" / "_core.abi3.so").unlink(missing_ok=True)


def version():
    return re.search(r"project\(mechane VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def staged():
    """Folder with the package as it will be installed."""
    folder = OUT / "staged"
    shutil.rmtree(folder, ignore_errors=True)
    for component in ("python", *(["python_abi3"] if (BUILD / "python" / "mechane" / "_core.abi3.so").exists() else [])):
        subprocess.run(["cmake", "--install", BUILD, "--component", component, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    for file in sorted((ROOT / "python").rglob("*")):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            target = folder / file.relative_to(ROOT / "python")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return folder


def newest_glibc(folder):
    """Oldest glibc of a distribution that has all that the libraries and programs in the folder ask for."""
    versions = [(2, 17)]
    for file in folder.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        if data[:4] != b"\x7fELF":
            continue
        versions += [tuple(map(int, v.split(b"."))) for v in re.findall(rb"\0GLIBC_(2\.\d+)(?=\0)", data)]
        for asked in re.findall(rb"\0GLIBCXX_(3\.4\.\d+)(?=\0)", data):
            asked = tuple(map(int, asked.split(b".")))
            versions += [glibc for has, glibc in LIBSTDCXX.items() if has >= asked][:1]
            if asked > max(LIBSTDCXX):
                raise SystemExit(f"{file}: GLIBCXX {asked} is newer than this tool knows")
    return max(versions)


def tags(folder):
    """(interpreters, ABIs, platform): each interpreter's own module comes before that of the stable ABI."""
    major, minor = newest_glibc(folder)
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    stable = (folder / "mechane" / "_core.abi3.so").exists()
    return (*((f"{own}.cp312", f"{own}.abi3") if stable else (own, own)), f"manylinux_{major}_{minor}_{sysconfig.get_platform().removeprefix('linux-')}")


def build():
    folder = staged()
    tag = "-".join(tags(folder))
    info = f"mechane-{version()}.dist-info"
    files = {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}
    files[f"{info}/METADATA"] = (METADATA.format(version=version()) + (ROOT / "README.md").read_text()).encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"mechane-{version()}.data/scripts/mechane"] = (ROOT / "src" / "python" / "mechane").read_bytes()
    each = "".join(f"Tag: {python}-{abi}-{tag.split('-')[2]}\n" for python in tag.split("-")[0].split(".") for abi in tag.split("-")[1].split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: mechane tools/wheel.py\nRoot-Is-Purelib: false\n{each}".encode()
    rows = [(name, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data)) for name, data in files.items()]
    record = io.StringIO()
    csv.writer(record, lineterminator="\n").writerows([*rows, (f"{info}/RECORD", "", "")])
    files[f"{info}/RECORD"] = record.getvalue().encode()
    path = OUT / f"mechane-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100755 if ".so" in name or "/bin/" in name or "/scripts/" in name else 0o100644) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=9)
    return path


def check(path):
    environment = dict(os.environ, PYTHONPATH=str(bootstrap.DEPS / "python"), MECHANE_WHEEL=str(path), MECHANE_SOURCE_DIR=str(ROOT), PYTHONDONTWRITEBYTECODE="1")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", ROOT / "tests" / "python" / "wheel"], check=True, env=environment)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    if "--check" not in sys.argv:
        compile_all()
        path = build()
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}  {size / 1e6:.1f} MB")
        if size > LIMIT:
            raise SystemExit(f"the wheel has {size} bytes, the limit is {LIMIT}")
    check(max(OUT.glob("*.whl"), key=lambda p: p.stat().st_mtime))


if __name__ == "__main__":
    main()

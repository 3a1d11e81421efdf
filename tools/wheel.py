#!/usr/bin/env python3
"""Packs the Python wheel out of the release build into out/wheel, named by the oldest glibc that it runs with, and tests it.

usage: wheel.py [--check]      --check only tests the newest wheel that lies there

What goes in is what CMake's component `python` installs (the module, OpenUSD beside it, libraries that other machines may not have)
and the package's sources. Equal input gives equal bytes.
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
LIMIT = 25_000_000  # bytes

METADATA = """Metadata-Version: 2.4
Name: mechane
Version: {version}
Summary: Opens, checks, repairs and simulates robots in OpenUSD
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: numpy>=1.26
Description-Content-Type: text/markdown

"""


def version():
    return re.search(r"project\(mechane VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def staged():
    """Folder with the package as it will be installed."""
    folder = OUT / "staged"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    for file in sorted((ROOT / "python").rglob("*")):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            target = folder / file.relative_to(ROOT / "python")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return folder


def newest_glibc(folder):
    """Highest version of glibc that a library in the folder asks for."""
    versions = [(2, 17)]
    for file in folder.rglob("*.so*"):
        versions += [tuple(map(int, v.split(b"."))) for v in re.findall(rb"\0GLIBC_(2\.\d+)(?=\0)", file.read_bytes())]
    return max(versions)


def build():
    folder = staged()
    major, minor = newest_glibc(folder)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-manylinux_{major}_{minor}_{sysconfig.get_platform().removeprefix('linux-')}"
    info = f"mechane-{version()}.dist-info"
    files = {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}
    files[f"{info}/METADATA"] = (METADATA.format(version=version()) + (ROOT / "README.md").read_text()).encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nmechane = mechane.__main__:entry\n"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: mechane tools/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    rows = [(name, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data)) for name, data in files.items()]
    record = io.StringIO()
    csv.writer(record, lineterminator="\n").writerows([*rows, (f"{info}/RECORD", "", "")])
    files[f"{info}/RECORD"] = record.getvalue().encode()
    path = OUT / f"mechane-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100755 if ".so" in name else 0o100644) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=9)
    return path


def check(path):
    environment = dict(os.environ, PYTHONPATH=str(bootstrap.DEPS / "python"), MECHANE_WHEEL=str(path), MECHANE_SOURCE_DIR=str(ROOT), PYTHONDONTWRITEBYTECODE="1")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "python" / "wheel"], check=True, env=environment)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    if "--check" not in sys.argv:
        path = build()
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}  {size / 1e6:.1f} MB")
        if size > LIMIT:
            raise SystemExit(f"the wheel has {size} bytes, the limit is {LIMIT}")
    check(max(OUT.glob("*.whl"), key=lambda p: p.stat().st_mtime))


if __name__ == "__main__":
    main()

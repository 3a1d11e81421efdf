#!/usr/bin/env python3
"""Packs Debian packages out of the release build into out/deb, and tests them in a clean system.

usage: deb.py [--check]      --check only tests the newest packages that lie there

Two packages out of what `cmake --install` installs: `mechane` (the program, OpenUSD's libraries, samples, manual pages, completions) and
`libmechane-dev` (headers, static libraries, packages for CMake and pkg-config). What they depend on is read by dpkg-shlibdeps from the files
themselves. The clean system is a chroot that mmdebstrap makes of the distribution that this machine runs; without root rights, mmdebstrap or
the distribution's packages the test says so and is skipped. Equal input gives equal bytes: owners, times and order are fixed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tools import bootstrap, wheel  # noqa: E402

ROOT = bootstrap.ROOT
OUT = ROOT / "out" / "deb"
BUILD = ROOT / "build" / "release"
EPOCH = "315532800"  # 1980-01-01, the first day of zip files too
DEV = ("usr/include", "usr/lib/cmake", "usr/lib/pkgconfig")

CONTROL = """Package: {name}
Version: {version}
Section: {section}
Priority: optional
Architecture: {architecture}
Maintainer: The Mechane developers <mechane@localhost>
Installed-Size: {size}
Depends: {depends}
Description: {summary}
{text}
"""
PACKAGES = {
    "mechane": ("science", "robots in OpenUSD: open, check, repair, simulate",
                " The program mechane with OpenUSD's libraries, which lie in a folder of their\n own and serve nobody else, sample stages, manual pages and completions."),
    "libmechane-dev": ("libdevel", "robots in OpenUSD: headers and static libraries",
                       " The C++ library of Mechane for CMake (find_package) and pkg-config."),
}


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def move(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def staged():
    """{package: its folder}, filled from one installation below /usr."""
    shutil.rmtree(OUT / "staged", ignore_errors=True)
    folders = {name: OUT / "staged" / name for name in PACKAGES}
    whole = folders["mechane"]
    subprocess.run(["cmake", "--install", BUILD, "--prefix", whole / "usr"], check=True, stdout=subprocess.DEVNULL)
    for name in DEV:
        move(whole / name, folders["libmechane-dev"] / name)
    for archive in sorted((whole / "usr" / "lib").glob("*.a")):
        move(archive, folders["libmechane-dev"] / "usr" / "lib" / archive.name)
    for name, folder in folders.items():  # copyright files where Debian looks for them
        doc = folder / "usr" / "share" / "doc" / name
        doc.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "LICENSE", doc / "copyright")
    program = whole / "usr" / "bin" / "mechane"
    subprocess.run(["strip", "--strip-unneeded", program], check=True)
    pages = whole / "usr" / "share" / "man" / "man1"
    pages.mkdir(parents=True)
    (pages / "mechane.1").write_text(output(BUILD / "bin" / "mechane", "man"))
    subprocess.run(["gzip", "-9n", pages / "mechane.1"], check=True)
    for shell, place in (("bash", "bash-completion/completions/mechane"), ("zsh", "zsh/vendor-completions/_mechane"), ("fish", "fish/vendor_completions.d/mechane.fish")):
        file = whole / "usr" / "share" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(output(BUILD / "bin" / "mechane", "completions", shell))
    return folders


def dependencies(folder):
    """What dpkg-shlibdeps finds that the programs and libraries below a folder need; OpenUSD's own are not looked for in packages."""
    own = folder / "usr" / "lib" / "mechane" / "openusd" / "pxr" / ".libs"
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "debian").mkdir()
        (pathlib.Path(work) / "debian" / "control").write_text("Source: mechane\n\nPackage: mechane\nArchitecture: any\n")
        files = [f"-e{file}" for file in (folder / "usr" / "bin" / "mechane", *sorted(own.glob("*.so*")))]
        done = subprocess.run(["dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{own}", *files], check=True, capture_output=True, text=True, cwd=work)
    return re.search(r"shlibs:Depends=(.*)", done.stdout).group(1)


def build():
    folders, packages = staged(), []
    architecture = output("dpkg", "--print-architecture").strip()
    depends = {"mechane": dependencies(folders["mechane"]),
               "libmechane-dev": f"mechane (= {wheel.version()}), libfmt-dev, libqhull-dev, libpng-dev, libjpeg-dev, libexpat1-dev, libzstd-dev, libdraco-dev, zlib1g-dev"}
    for name, (section, summary, text) in PACKAGES.items():
        folder = folders[name]
        size = sum(f.lstat().st_size for f in folder.rglob("*") if f.is_file()) // 1024
        (folder / "DEBIAN").mkdir()
        (folder / "DEBIAN" / "control").write_text(CONTROL.format(name=name, version=wheel.version(), section=section, architecture=architecture,
                                                                   size=size, depends=depends[name], summary=summary, text=text))
        for path in sorted(folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        package = OUT / f"{name}_{wheel.version()}_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, package], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, SOURCE_DATE_EPOCH=EPOCH))
        print(f"{package.relative_to(ROOT)}  {package.stat().st_size / 1e6:.1f} MB")
        packages.append(package)
    return packages


def check():
    environment = dict(os.environ, PYTHONPATH=str(bootstrap.DEPS / "python"), MECHANE_DEBS=str(OUT), MECHANE_SOURCE_DIR=str(ROOT), PYTHONDONTWRITEBYTECODE="1")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", ROOT / "tests" / "release"], check=True, env=environment)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    if "--check" not in sys.argv:
        build()
    check()


if __name__ == "__main__":
    main()

"""The Debian packages in a clean system: `make deb` names their folder in MECHANE_DEBS."""
import os
import pathlib
import shutil
import subprocess

import pytest

DEBS = os.environ.get("MECHANE_DEBS")
pytestmark = pytest.mark.skipif(not DEBS, reason="no packages; 'make deb' builds and tests them")


def package(name):
    return max(pathlib.Path(DEBS).glob(f"{name}_*.deb"), key=lambda p: p.stat().st_mtime)


def listed(name):
    return subprocess.run(["dpkg-deb", "--contents", package(name)], check=True, capture_output=True, text=True).stdout


def test_everything_belongs_to_root_and_lies_below_usr():
    for name in ("mechane", "libmechane-dev"):
        for line in listed(name).splitlines():
            words = line.split()
            assert words[1] == "root/root" and (words[5] == "./" or words[5].startswith("./usr/")), line


def test_the_program_the_libraries_and_the_pages_are_where_debian_looks():
    files = listed("mechane")
    for place in ("./usr/bin/mechane", "./usr/lib/mechane/openusd/pxr/.libs/libPxrSdf.so", "./usr/share/man/man1/mechane.1.gz",
                  "./usr/share/bash-completion/completions/mechane", "./usr/share/doc/mechane/copyright", "./usr/share/mechane/samples/quadruped/quadruped.usda"):
        assert place in files, place
    assert "./usr/include/mechane/mechane.h" in listed("libmechane-dev") and ".a\n" not in files


def test_the_dependencies_are_those_of_the_files():
    depends = subprocess.run(["dpkg-deb", "--field", package("mechane"), "Depends"], check=True, capture_output=True, text=True).stdout
    for name in ("libc6 (>= ", "libstdc++6 (>= ", "libfmt9", "libzstd1"):
        assert name in depends
    assert "python" not in depends


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A new system with the package, which apt installed with what it depends on and nothing more."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("a clean system needs root rights and mmdebstrap (Debian: mmdebstrap)")
    with open("/etc/os-release", encoding="utf-8") as file:
        about = dict(line.strip().split("=", 1) for line in file if "=" in line)
    if about.get("ID") != "debian":
        pytest.skip("mmdebstrap makes a Debian here on Debian only")
    place = tmp_path_factory.mktemp("system") / "root"
    deb = package("mechane")
    hooks = [f'cp "{deb}" "$1/tmp/mechane.deb"', "cp -a /etc/apt/apt.conf.d/. \"$1/etc/apt/apt.conf.d/\"", "cp -aL /etc/ssl/certs \"$1/etc/ssl/\" 2>/dev/null || true",
             'chroot "$1" apt-get update -q', 'chroot "$1" apt-get install -y -q --no-install-recommends /tmp/mechane.deb']
    done = subprocess.run(["mmdebstrap", "--variant=apt", "--quiet", *(f"--customize-hook={hook}" for hook in hooks),
                           about["VERSION_CODENAME"].strip('"'), place], capture_output=True, text=True)
    if done.returncode and ("mirror" in done.stderr or "Could not resolve" in done.stderr or "Failed to fetch" in done.stderr):
        pytest.skip(f"the distribution's packages cannot be had: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr[-3000:]
    yield place
    shutil.rmtree(place, ignore_errors=True)


def test_it_runs_its_demo_in_a_clean_system(root):
    # The loader finds the program's libraries relative to it, by /proc, which a system has and a bare folder has not.
    space = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={root / 'proc'}"]
    if subprocess.run([*space, "true"], capture_output=True).returncode:
        pytest.skip("a clean system needs a /proc of its own, which may not be mounted here")
    done = subprocess.run([*space, "chroot", root, "/bin/sh", "-c", "cd /tmp && mechane demo -o out && mechane doctor --json && ls out"], capture_output=True, text=True,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"})
    assert done.returncode == 0, done.stderr
    assert ".html" in done.stdout and not (root / "usr" / "bin" / "python3").exists()

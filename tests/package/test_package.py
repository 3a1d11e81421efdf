"""The library as a package: installed into an empty folder, and used by projects that know nothing of this one.

MECHANE_BUILD is the build tree, which must be built: nothing of it is compiled again. What a project compiles here are its own few files,
and for add_subdirectory the ground floor.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("MECHANE_BUILD", ROOT / "build" / "release"))
WITH_USD = os.environ.get("MECHANE_WITH_USD", "ON") == "ON"
REAL = os.environ.get("MECHANE_REAL", "float")
ROBOT = ROOT / "samples" / "quadruped" / "quadruped.usda"


def run(*command, fails=False, **more):
    environment = {**os.environ, **more.pop("env", {})}
    environment.pop("LD_LIBRARY_PATH", None)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, **more)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mechane-package-")
        cls.top = pathlib.Path(cls.folder.name)
        cls.simulation, cls.all = cls.top / "simulation", cls.top / "all"
        run("cmake", "--install", BUILD, "--prefix", cls.simulation, "--component", "simulation")
        if WITH_USD:
            run("cmake", "--install", BUILD, "--prefix", cls.all)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def configured(self, project, prefix, *options):
        """Build tree of a foreign project; tests that want the same one share it."""
        build = self.top / "-".join((project, *(option.rpartition("=")[2].rpartition("/")[2] for option in options)))
        if not build.exists():
            run("cmake", "-S", HERE / project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}", *options)
        return build

    def needed(self, program):
        """Names of the shared libraries that a program loads, its libraries' own among them."""
        return set(re.findall(r"^\s*(\S+)", run("ldd", program), re.M))

    def test_find_package_of_the_simulation_needs_neither_openusd_nor_python(self):
        build = self.configured("find_simulation", self.simulation)
        run("cmake", "--build", build, "--target", "fall")
        self.assertEqual(run(build / "fall").split()[-1], REAL)
        self.assertFalse([name for name in self.needed(build / "fall") if re.search("Pxr|python", name)])
        self.assertFalse(list(self.simulation.rglob("libPxr*")))

    def test_the_other_precision_fails_at_the_link_by_a_name_that_says_why(self):
        build = self.configured("find_simulation", self.simulation)
        other = "float" if REAL == "double" else "double"
        self.assertIn(f"undefined reference to `mechane_precision_is_{other}'", run("cmake", "--build", build, "--target", "other_precision", fails=True))

    def test_a_component_that_is_not_installed_is_said_when_the_project_is_configured(self):
        project = self.top / "missing"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p CXX)\nfind_package(mechane REQUIRED COMPONENTS mechane)\n")
        self.assertIn("mechane", run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.simulation}", fails=True))

    def test_pkg_config_of_the_simulation(self):
        self.compiled_by_pkg_config(self.simulation, "mechane-simulation", HERE / "find_simulation" / "fall.cpp")

    def compiled_by_pkg_config(self, prefix, name, source, *arguments):
        path = next(prefix.rglob("pkgconfig"))
        flags = run("pkg-config", "--cflags", "--libs", name, env={"PKG_CONFIG_PATH": path}).split()
        program = self.top / f"by_pkg_config_{name}"
        run("c++", "-std=c++20", source, "-o", program, *flags)
        return run(program, *arguments)

    def test_a_project_around_ours(self):
        """No rule of ours reaches beyond our folder: by FetchContent, which ends in add_subdirectory, with the simulation alone."""
        build = self.configured("subproject", self.top, f"-DMECHANE_CHECKOUT={ROOT}", "-DMECHANE_WITH_USD=OFF", f"-DMECHANE_REAL={REAL}")
        run("cmake", "--build", build, "--target", "turn")
        run(build / "turn")
        targets = run("cmake", "--build", build, "--target", "help")
        for name in ("mechane:", "test_core:", "sample_hello_falling_sphere:", "bench_collide:"):
            self.assertNotRegex(targets, rf"(?m)^{name}", "only a checkout of its own builds programs")

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_a_project_around_ours_with_openusd_is_configured(self):
        build = self.configured("subproject", self.top, f"-DMECHANE_CHECKOUT={ROOT}", f"-DMECHANE_REAL={REAL}")
        self.assertRegex(run("cmake", "--build", build, "--target", "help"), r"(?m)^look:")

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_find_package_of_all_opens_a_stage(self):
        build = self.configured("find_all", self.all)
        run("cmake", "--build", build, "--target", "look")
        # Thirteen bodies on four legs of three joints; the trunk is free (samples/quadruped).
        self.assertIn("bodies 13 joints 13", run(build / "look", ROBOT))
        self.assertFalse([name for name in self.needed(build / "look") if "python" in name])

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_a_bundled_program_runs_where_its_folder_is_moved(self):
        build = self.configured("find_all", self.all)
        run("cmake", "--build", build, "--target", "look_bundled")
        moved = self.top / "moved"
        shutil.copytree(build / "bundle", moved)
        shutil.rmtree(build / "bundle")
        self.assertIn("bodies 13", run(moved / "look_bundled", ROBOT))
        self.assertTrue(all(str(moved) in line for line in run("ldd", moved / "look_bundled").splitlines() if "libPxr" in line))

    def installed(self, build, name, *options):
        """What `install(TARGETS)` of a foreign project makes of its programs."""
        prefix = self.top / name
        run("cmake", "--install", build, "--prefix", prefix, *options)
        return prefix

    def test_a_program_of_the_simulation_that_its_project_installs_finds_its_libraries(self):
        build = self.configured("find_simulation", self.simulation)
        run("cmake", "--build", build, "--target", "fall")
        self.assertEqual(run(self.installed(build, "user_simulation") / "bin" / "fall").split()[-1], REAL)

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_a_program_that_its_project_installs_finds_openusd_in_our_prefix_or_beside_it(self):
        build = self.configured("find_all", self.all)
        run("cmake", "--build", build, "--target", "look", "look_bundled")
        prefix = self.installed(build, "user_all")
        self.assertIn("bodies 13", run(prefix / "bin" / "look", ROBOT))
        self.assertTrue(all(str(self.all) in line for line in run("ldd", prefix / "bin" / "look").splitlines() if "libPxr" in line))
        moved = self.top / "user_moved"
        (prefix / "tools").rename(moved)
        self.assertIn("bodies 13", run(moved / "look_bundled", ROBOT))
        self.assertTrue(all(str(moved) in line for line in run("ldd", moved / "look_bundled").splitlines() if "libPxr" in line))

    def test_headers_that_our_rooms_share_are_neither_installed_nor_seen_by_a_project_around_ours(self):
        shared = {str(path.relative_to(ROOT / "src" / "include")) for path in (ROOT / "src" / "include").rglob("*.h")}
        for prefix in (self.simulation, *([self.all] if WITH_USD else [])):
            there = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*.h")}
            self.assertEqual(shared & there, set())
            # What is installed includes nothing that is not.
            wanted = {name for path in (prefix / "include").rglob("*.h") for name in re.findall(r'#include ["<](mechane/[^">]+)', path.read_text())}
            self.assertEqual(wanted - there, set())
        build = self.configured("subproject", self.top, f"-DMECHANE_CHECKOUT={ROOT}", "-DMECHANE_WITH_USD=OFF", f"-DMECHANE_REAL={REAL}")
        for target in ("turn", "fall"):
            lines = [line for line in run("ninja", "-C", build, "-t", "commands", target).splitlines() if f"/{target}.cpp" in line and " -c " in line]
            self.assertTrue(lines)
            self.assertFalse([line for line in lines if re.search(r"/src(/include)?(\s|$)", line)])

    @unittest.skipUnless(WITH_USD and os.environ.get("MECHANE_PACKAGE_FULL"), "MECHANE_PACKAGE_FULL=1 builds the library a second time")
    def test_a_project_around_ours_with_openusd_is_built_and_opens_a_stage(self):
        build = self.configured("subproject", self.top, f"-DMECHANE_CHECKOUT={ROOT}", f"-DMECHANE_REAL={REAL}")
        run("cmake", "--build", build, "--target", "look", "fall")
        self.assertEqual(run(build / "fall").split()[-1], REAL)
        # look is bundled: the folder that holds it and OpenUSD moves as one.
        moved = self.top / "around_moved"
        moved.mkdir()
        shutil.copy2(build / "look", moved)
        shutil.copytree(build / "openusd", moved / "openusd")
        self.assertIn("bodies 13", run(moved / "look", ROBOT))

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_pkg_config_of_all(self):
        self.assertIn("bodies 13", self.compiled_by_pkg_config(self.all, "mechane", HERE / "find_all" / "look.cpp", ROBOT))

    @unittest.skipUnless(WITH_USD, "built without OpenUSD")
    def test_the_installed_program_runs_where_the_prefix_is_moved(self):
        moved = self.top / "elsewhere"
        shutil.copytree(self.all, moved, symlinks=True)
        out = self.top / "demo"
        run(moved / "bin" / "mechane", "demo", "-o", out, cwd=self.top)
        self.assertTrue(any(out.iterdir()))
        self.assertFalse([name for name in self.needed(moved / "bin" / "mechane") if "python" in name])

    def test_every_symbol_of_ours_carries_our_name(self):
        """What an archive defines for all to see lies in the namespace mechane, in C names that begin with mechane_, or is a template's copy."""
        strangers = {}
        for archive in sorted((self.all if WITH_USD else self.simulation).rglob("libmechane_*.a")):
            for line in run("nm", "-gC", "--defined-only", "--format=posix", archive).splitlines():
                match = re.match(r"(.+) ([A-Z]) [0-9a-f]+", line)
                if match and match[2] in "TDBR" and not re.search(r"(^|[^\w:])mechane(::|_)", match[1]):
                    strangers.setdefault(archive.name, []).append(match[1])
        self.assertEqual(strangers, {})


if __name__ == "__main__":
    unittest.main()

# make demo   installs what is missing, builds, simulates a robot, writes out/
# make test   builds and runs every test
# make test-all  the same, then ten minutes of fuzzing, all tutorials, the library inside of a foreign project, the packages in clean systems
# make fuzz   mutates files until it is stopped (SECONDS=3600); what ends badly lies in out/fuzz
# make build  leaves build/release/bin/mechane
# make wheel  builds the Python wheel into out/wheel and tests it with each interpreter at hand
# make deb    builds Debian packages into out/deb and tests them in a clean system
# make release  both, the container file and their sums, in out/release
# make site   the documentation as pages in out/site
# make ratios PEERS=PYTHON [JOLT=PROGRAM]   speed beside other engines against the stored ratios
# make setup-mujoco   brings MuJoCo's library for --solver mujoco (MUJOCO=3.17.0 or 4.0.0)
# make setup-cuda   brings CUDA's compilers; make cuda   compiles the kernels for GPUs, which programs load when they run; make test-cuda   tests on a GPU
# make limits   what may take how long, on a machine that does nothing else
# make setup-validators   programs of others that judge what is written (glTF); tests use them where they are
# More: setup, test-asan, test-tsan, test-double, format, tidy, docs, clean

BUILD   := build/release
JOBS    ?= $(shell nproc)
MECHANE := $(BUILD)/bin/mechane
export PATH := /usr/bin:/bin:$(PATH)

.PHONY: demo build test test-all test-around test-fuzz fuzz wheel deb release site test-tutorials setup setup-mujoco setup-validators setup-cuda cuda test-cuda configure test-asan test-tsan test-double format tidy docs ratios limits clean

demo: build
	@$(MECHANE) demo -o out

build: configure
	@cmake --build $(BUILD) -j $(JOBS) --target mechane

configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset release -DMECHANE_UNITY=ON

setup:
	@/usr/bin/python3 tools/bootstrap.py || { command -v python3 >/dev/null || echo "python3 is missing: apt-get install python3"; exit 1; }

setup-mujoco:
	@/usr/bin/python3 tools/bootstrap.py --only mujoco --mujoco-library $(or $(MUJOCO),4.0.0)

# Needs the network; `make test` does not.
setup-validators: setup
	@/usr/bin/python3 tools/validators.py

# Needs the network; the build does not, and nothing of CUDA is linked.
setup-cuda:
	@/usr/bin/python3 tools/cuda_kernels.py --setup

cuda:
	@/usr/bin/python3 tools/cuda_kernels.py --into $(BUILD)/cuda

# Without a device it fails, where `make test` would say that it skips these tests.
test-cuda: configure cuda
	@cmake --build $(BUILD) -j $(JOBS) --target test_device mechane_python
	@/usr/bin/python3 tools/cuda_kernels.py --only nvcc --source tests/device/smoke.cu --into $(BUILD)/cuda/smoke
	@MECHANE_TEST_CUDA=1 MECHANE_SMOKE_KERNELS=$(BUILD)/cuda/smoke/mechane_kernels.fatbin $(BUILD)/bin/test_device -tc='*on a GPU*'
	@MECHANE_TEST_CUDA=1 PYTHONPATH=$(BUILD)/python:.deps/python /usr/bin/python3 -m unittest discover -s tests/python -t . -p 'test_on_gpu.py'

test: configure
	@cmake --build $(BUILD) -j $(JOBS)
	@cd $(BUILD) && ctest -j $(JOBS) --output-on-failure

# What takes longer than `make test` may: each is a prerequisite.
test-all: test test-fuzz test-tutorials test-around release

# A foreign project builds the whole library by add_subdirectory: as long as a first build.
test-around: build
	@MECHANE_PACKAGE_FULL=1 MECHANE_BUILD=$(BUILD) /usr/bin/python3 -m unittest tests.package.test_package.Package.test_a_project_around_ours_with_openusd_is_built_and_opens_a_stage

test-fuzz: build
	@/usr/bin/python3 fuzz/run.py --mechane $(MECHANE) --seconds 600 --crafted

fuzz: build
	@/usr/bin/python3 fuzz/run.py --mechane $(MECHANE) --seconds $(or $(SECONDS),3600)

wheel: configure
	@JOBS=$(JOBS) /usr/bin/python3 tools/wheel.py

# Debian packages: what is installed is all that a build makes.
deb: configure
	@cmake --build $(BUILD) -j $(JOBS)
	@/usr/bin/python3 tools/deb.py

release: wheel deb
	@/usr/bin/python3 tools/release.py

site: build
	@/usr/bin/python3 tools/doc_site.py

test-tutorials: build
	@MECHANE=$(CURDIR)/$(MECHANE) MECHANE_SLOW=1 /usr/bin/python3 -m unittest discover -s tests/tutorials -t .

test-asan test-tsan test-double: test-%: setup
	@test -f build/$*/build.ninja || cmake --preset $*
	@cmake --build build/$* -j $(JOBS)
	@cd build/$* && ASAN_OPTIONS=detect_stack_use_after_return=0 LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0 \
	    TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$(CURDIR)/tools/tsan.supp" ctest --output-on-failure

format tidy: setup
	@/usr/bin/python3 tools/$@.py

docs: build
	@/usr/bin/python3 tools/diagnostics_page.py
	@/usr/bin/python3 tools/rules_page.py
	@/usr/bin/python3 tools/options_page.py
	@/usr/bin/python3 tools/drawings.py

ratios: build
	@cmake --build $(BUILD) -j $(JOBS) --target bench_step_mjcf
	@/usr/bin/python3 bench/step_peers.py --gate 5 --python $(or $(PEERS),$(error PEERS names an interpreter that has the package mujoco)) \
	    $(if $(JOLT),--jolt $(JOLT)) --check bench/step_ratios.json

limits: build
	@cmake --build $(BUILD) -j $(JOBS) --target bench_limits mechane_python
	@$(BUILD)/bin/bench_limits
	@PYTHONPATH=$(BUILD)/python:.deps/python /usr/bin/python3 bench/python_import.py
	@/usr/bin/python3 tools/check_speed.py $(MECHANE) --growth --most 0.30
	@/usr/bin/python3 tools/import_speed.py $(BUILD)/python

clean:
	rm -rf build out

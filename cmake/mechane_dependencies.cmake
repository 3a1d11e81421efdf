# Third-party libraries, each only where something that is built uses it. docs/dependencies.md lists them with versions, licences and
# reasons. Those of the simulation come from the system's packages; OpenUSD and its oneTBB from the wheels that tools/bootstrap.py puts
# under MECHANE_DEPS (mechane_openusd.cmake).
include(mechane_library)
mechane_library(qhull_r HEADER libqhull_r/qhull_ra.h PACKAGE libqhull-dev)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED)
find_path(MECHANE_XXHASH xxhash.h REQUIRED)
if(MECHANE_WITH_USD)
  find_package(nlohmann_json REQUIRED)
  find_package(PNG REQUIRED)
  find_package(JPEG REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(EXPAT REQUIRED)
  mechane_library(zstd HEADER zstd.h PACKAGE libzstd-dev)
  mechane_library(draco STATIC HEADER draco/compression/decode.h PACKAGE libdraco-dev WITHOUT "meshes of glTF that Draco holds are not read")
  find_path(MECHANE_BEAST boost/beast/version.hpp REQUIRED)  # headers alone
  find_path(MECHANE_TOMLPLUSPLUS toml++/toml.h REQUIRED)
  include(mechane_openusd)
elseif(MECHANE_TASKS STREQUAL "tbb")
  find_package(TBB REQUIRED)
endif()
if(MECHANE_TOOLS OR MECHANE_WITH_PYTHON)
  find_package(CLI11 REQUIRED)
endif()
if(MECHANE_TESTS)
  find_package(doctest REQUIRED)
endif()
if(MECHANE_TOOLS OR MECHANE_BENCH)
  find_package(mimalloc REQUIRED)
endif()

# nanobind, for the Python module; without its headers the module is left out. So it is under ThreadSanitizer, whose runtime
# knows nothing of the interpreter's lock.
if(MECHANE_WITH_PYTHON)
  find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
  set(nanobind_DIR "${MECHANE_DEPS}/python/nanobind/cmake" CACHE PATH "Folder of nanobind-config.cmake")
  if(Python_Development.Module_FOUND AND EXISTS "${nanobind_DIR}/nanobind-config.cmake" AND NOT MECHANE_SANITIZE MATCHES "thread")
    find_package(nanobind CONFIG REQUIRED)
  else()
    message(STATUS "The Python module is left out: it needs python3-dev, 'make setup', and no ThreadSanitizer")
    set(MECHANE_WITH_PYTHON OFF)
  endif()
endif()

# mechane_allocator(<executable>): malloc is mimalloc's in the whole process. For programs only: a library must not choose this
# for its process, and sanitizers bring an allocator of their own.
function(mechane_allocator target)
  if(NOT MECHANE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
    target_link_libraries(${target} PRIVATE mimalloc)
  endif()
endfunction()

# mechane_relocatable(<executable>): finds its libraries relative to itself, wherever the folder is moved: beside it, as installed, in the wheel.
function(mechane_relocatable target)
  if(MECHANE_WITH_USD)
    set_target_properties(${target} PROPERTIES
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH
      "$ORIGIN/openusd/pxr/.libs:$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/mechane/openusd/pxr/.libs:$ORIGIN/../openusd/usd/.libs" INSTALL_RPATH_USE_LINK_PATH OFF)
  endif()
endfunction()

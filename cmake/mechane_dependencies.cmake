# Third-party libraries: OpenUSD and oneTBB from the wheels that tools/bootstrap.py puts under MECHANE_DEPS, the rest from
# the system's packages. docs/dependencies.md lists them with versions, licences and reasons.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(doctest REQUIRED)
find_package(mimalloc REQUIRED)
find_library(MECHANE_QHULL_R qhull_r REQUIRED)
find_path(MECHANE_XXHASH xxhash.h REQUIRED)
find_path(MECHANE_TOMLPLUSPLUS toml++/toml.h REQUIRED)

set(OPENUSD_PREFIX "${MECHANE_DEPS}/openusd")
if(NOT EXISTS "${OPENUSD_PREFIX}/pxr/.libs")
  message(FATAL_ERROR "OpenUSD is missing in ${OPENUSD_PREFIX}: run 'make setup'")
endif()

# The wheels' packages ask for the distribution's Python, not for the first one on PATH.
set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python whose library OpenUSD links")
list(APPEND CMAKE_PREFIX_PATH "${OPENUSD_PREFIX}")
set(pxr-pegtl_DIR "${CMAKE_SOURCE_DIR}/cmake/pxr-pegtl")
find_package(pxr-pcp 0.26.8 EXACT REQUIRED CONFIG)
find_package(pxr-kind 0.26.8 EXACT REQUIRED CONFIG)
# The -dev wheels' own copies of the libraries cannot find their plug-ins: link the runtime wheels' instead.
foreach(lib arch tf gf js trace work plug vt ar ts sdf pcp kind)
  string(SUBSTRING ${lib} 0 1 head)
  string(SUBSTRING ${lib} 1 -1 tail)
  string(TOUPPER ${head} head)
  set_target_properties(pxr::${lib} PROPERTIES IMPORTED_LOCATION_RELEASE "${OPENUSD_PREFIX}/pxr/.libs/libPxr${head}${tail}.so")
endforeach()
set_target_properties(pxr::boost-python PROPERTIES IMPORTED_LOCATION_RELEASE "${OPENUSD_PREFIX}/pxr/.libs/libPxrBoostPython.so")
set_target_properties(TBB::tbb PROPERTIES IMPORTED_LOCATION_RELEASE "${OPENUSD_PREFIX}/pxr/.libs/libtbb.so")

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

# mechane::openusd: what src/usd links. Only that folder may include pxr/ headers (tools/layers.py).
add_library(mechane_openusd INTERFACE)
# Programs link libpython, which OpenUSD's libraries name symbols of; an extension module finds them in its interpreter.
target_link_libraries(mechane_openusd INTERFACE pxr::pcp pxr::kind Threads::Threads
  $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:Python::Python>)
target_compile_definitions(mechane_openusd INTERFACE _GLIBCXX_PERMIT_BACKWARD_HASH)
target_link_options(mechane_openusd INTERFACE -Wl,--no-as-needed -Wl,--disable-new-dtags)

# The libraries and the plug-in files, copied beside the programs so that the folder can be moved as a whole.
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/bin/openusd/.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/bin/openusd
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${OPENUSD_PREFIX}/pxr/.libs ${CMAKE_BINARY_DIR}/bin/openusd/pxr/.libs
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${OPENUSD_PREFIX}/pxr/pluginfo ${CMAKE_BINARY_DIR}/bin/openusd/pxr/pluginfo
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${MECHANE_DEPS}/pluginfo ${CMAKE_BINARY_DIR}/bin/openusd/pxr/pluginfo
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/deps/pluginfo ${CMAKE_BINARY_DIR}/bin/openusd/pxr/pluginfo
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/bin/openusd/.stamp
  DEPENDS ${MECHANE_DEPS}/.stamp-wheels ${MECHANE_DEPS}/.stamp-schemas ${CMAKE_SOURCE_DIR}/deps/pluginfo/mechane/resources/plugInfo.json
  COMMENT "Copying OpenUSD beside the programs")
add_custom_target(openusd_runtime DEPENDS ${CMAKE_BINARY_DIR}/bin/openusd/.stamp)

# mechane_allocator(<executable>): malloc is mimalloc's in the whole process. For programs only: a library must not choose this
# for its process, and sanitizers bring an allocator of their own.
function(mechane_allocator target)
  if(NOT MECHANE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
    target_link_libraries(${target} PRIVATE mimalloc)
  endif()
endfunction()

# mechane_relocatable(<executable>): finds its libraries relative to itself, wherever the folder is moved.
function(mechane_relocatable target)
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/openusd/pxr/.libs" INSTALL_RPATH_USE_LINK_PATH OFF)
  add_dependencies(${target} openusd_runtime)
endfunction()

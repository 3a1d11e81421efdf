# OpenUSD: headers and libraries from the wheels under MECHANE_DEPS. Only src/usd may include pxr/ headers (tools/layers.py).
set(OPENUSD_PREFIX "${MECHANE_DEPS}/openusd")
if(NOT EXISTS "${OPENUSD_PREFIX}/pxr/.libs")
  message(FATAL_ERROR "OpenUSD is missing in ${OPENUSD_PREFIX}: run 'make setup' in ${PROJECT_SOURCE_DIR}, or set MECHANE_DEPS to the folder "
    "that it filled; -DMECHANE_WITH_USD=OFF builds the simulation alone")
endif()

# The wheels' packages ask for the distribution's Python, not for the first one on PATH.
set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python whose headers OpenUSD's headers include")
list(APPEND CMAKE_PREFIX_PATH "${OPENUSD_PREFIX}")
set(pxr-pegtl_DIR "${PROJECT_SOURCE_DIR}/cmake/pxr-pegtl")
find_package(pxr-pcp 0.26.8 EXACT REQUIRED CONFIG)
find_package(pxr-kind 0.26.8 EXACT REQUIRED CONFIG)

# Libraries and plug-in files, which must lie side by side, are laid out beside the programs when the build is configured, so that the
# folder can be moved as a whole and every program, also of a project around this one, links what it will run with.
set(MECHANE_OPENUSD_RUNTIME ${PROJECT_BINARY_DIR}/bin/openusd)
set_property(GLOBAL PROPERTY MECHANE_OPENUSD_DIR ${MECHANE_OPENUSD_RUNTIME})
include(mechane_bundle)  # for a project around this one
set(_python_stubs ${PROJECT_BINARY_DIR}/generated/no_python.c)
set(_lay_out ${PROJECT_SOURCE_DIR}/tools/openusd_for_programs.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_lay_out} ${MECHANE_DEPS}/.stamp-wheels ${MECHANE_DEPS}/.stamp-schemas
  ${PROJECT_SOURCE_DIR}/deps/pluginfo/mechane/resources/plugInfo.json)
execute_process(
  COMMAND ${Python_EXECUTABLE} ${_lay_out} ${OPENUSD_PREFIX} ${MECHANE_OPENUSD_RUNTIME} ${_python_stubs}
          ${OPENUSD_PREFIX}/pxr/pluginfo ${MECHANE_DEPS}/pluginfo ${PROJECT_SOURCE_DIR}/deps/pluginfo
  RESULT_VARIABLE _failed)
if(_failed)
  message(FATAL_ERROR "Laying OpenUSD out in ${MECHANE_OPENUSD_RUNTIME} failed")
endif()
foreach(lib arch tf gf js trace work plug vt ar ts sdf pcp kind)
  string(SUBSTRING ${lib} 0 1 head)
  string(SUBSTRING ${lib} 1 -1 tail)
  string(TOUPPER ${head} head)
  set_target_properties(pxr::${lib} PROPERTIES IMPORTED_LOCATION_RELEASE "${MECHANE_OPENUSD_RUNTIME}/pxr/.libs/libPxr${head}${tail}.so")
endforeach()
set_target_properties(pxr::boost-python PROPERTIES IMPORTED_LOCATION_RELEASE "${MECHANE_OPENUSD_RUNTIME}/pxr/.libs/libPxrBoostPython.so")
set_target_properties(TBB::tbb PROPERTIES IMPORTED_LOCATION_RELEASE "${MECHANE_OPENUSD_RUNTIME}/pxr/.libs/libtbb.so")

# What OpenUSD's libraries ask of Python, answered: no interpreter runs that they should know of.
add_library(mechane_no_python SHARED ${_python_stubs})
set_target_properties(mechane_no_python PROPERTIES
  OUTPUT_NAME MechaneNoPython LIBRARY_OUTPUT_DIRECTORY ${MECHANE_OPENUSD_RUNTIME}/pxr/.libs C_VISIBILITY_PRESET default)

add_library(mechane_openusd INTERFACE)
target_link_libraries(mechane_openusd INTERFACE pxr::pcp pxr::kind Threads::Threads mechane_no_python)
target_compile_definitions(mechane_openusd INTERFACE _GLIBCXX_PERMIT_BACKWARD_HASH)
# The libraries have no search path of their own: they are found by that of the program, which must be of the kind that is inherited.
target_link_options(mechane_openusd INTERFACE -Wl,--no-as-needed -Wl,--disable-new-dtags)

# A library of the system that brings no CMake package, as the target mechane::<name>. Read by our build and by the installed package.
#
# mechane_library(<name> HEADER <file> PACKAGE <package> [STATIC] [WITHOUT <text>])
#
# name is that of the library (libNAME; STATIC: libNAME.a), HEADER a file that its include folder holds, PACKAGE Debian's package, for the
# message. Without the library our build stops, or goes on where WITHOUT says what is left out; find_package(mechane) is told that it was not
# found. The target is missing then.
macro(mechane_library name)
  cmake_parse_arguments(_mechane_library "STATIC" "HEADER;PACKAGE;WITHOUT" "" ${ARGN})
  if(NOT TARGET mechane::${name})
    set(_mechane_library_file ${name})
    if(_mechane_library_STATIC)
      set(_mechane_library_file lib${name}.a)
    endif()
    find_library(_mechane_${name} ${_mechane_library_file})
    find_path(_mechane_${name}_include ${_mechane_library_HEADER})
    mark_as_advanced(_mechane_${name} _mechane_${name}_include)
    set(_mechane_library_missing "lib${name} is missing (Debian: ${_mechane_library_PACKAGE})")
    if(_mechane_${name} AND _mechane_${name}_include)
      add_library(mechane::${name} UNKNOWN IMPORTED GLOBAL)
      set_target_properties(mechane::${name} PROPERTIES
        IMPORTED_LOCATION "${_mechane_${name}}" INTERFACE_INCLUDE_DIRECTORIES "${_mechane_${name}_include}")
    elseif(DEFINED CMAKE_FIND_PACKAGE_NAME)  # the installed package was built with it
      set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
      set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "${_mechane_library_missing}")
    elseif(_mechane_library_WITHOUT)
      message(STATUS "${_mechane_library_missing}: ${_mechane_library_WITHOUT}")
    else()
      message(FATAL_ERROR "${_mechane_library_missing}")
    endif()
  endif()
endmacro()

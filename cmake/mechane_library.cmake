# A library of the system that brings no CMake package, as the target mechane::<name>. Read by our build and by the installed package.
#
# mechane_library(<name> HEADER <file> PACKAGE <package>)
#
# name is that of the library (libNAME), HEADER a file that its include folder holds, PACKAGE Debian's package, for the message. Without the
# library our build stops; find_package(mechane) is told that it was not found, and the target is missing.
macro(mechane_library name)
  cmake_parse_arguments(_mechane_library "" "HEADER;PACKAGE" "" ${ARGN})
  if(NOT TARGET mechane::${name})
    find_library(_mechane_${name} ${name})
    find_path(_mechane_${name}_include ${_mechane_library_HEADER})
    mark_as_advanced(_mechane_${name} _mechane_${name}_include)
    if(_mechane_${name} AND _mechane_${name}_include)
      add_library(mechane::${name} UNKNOWN IMPORTED GLOBAL)
      set_target_properties(mechane::${name} PROPERTIES
        IMPORTED_LOCATION "${_mechane_${name}}" INTERFACE_INCLUDE_DIRECTORIES "${_mechane_${name}_include}")
    elseif(DEFINED CMAKE_FIND_PACKAGE_NAME)
      set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
      set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "lib${name} is missing (Debian: ${_mechane_library_PACKAGE})")
    else()
      message(FATAL_ERROR "lib${name} is missing (Debian: ${_mechane_library_PACKAGE})")
    endif()
  endif()
endmacro()

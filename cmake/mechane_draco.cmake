# mechane::draco: the static libdraco of the system, where it is. Without it meshes of glTF that Draco holds are not read, and a finding says so.
if(NOT TARGET mechane::draco)
  find_library(MECHANE_DRACO libdraco.a)
  find_path(MECHANE_DRACO_INCLUDE draco/compression/decode.h)
  if(MECHANE_DRACO AND MECHANE_DRACO_INCLUDE)
    add_library(mechane::draco UNKNOWN IMPORTED GLOBAL)
    set_target_properties(mechane::draco PROPERTIES IMPORTED_LOCATION "${MECHANE_DRACO}" INTERFACE_INCLUDE_DIRECTORIES "${MECHANE_DRACO_INCLUDE}")
  elseif(DEFINED CMAKE_FIND_PACKAGE_NAME)  # the installed package was built with it
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "libdraco is missing (Debian: libdraco-dev)")
  else()
    message(STATUS "Draco is left out: libdraco.a is missing (Debian: libdraco-dev)")
  endif()
endif()

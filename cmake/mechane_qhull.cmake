# mechane::qhull_r: the reentrant qhull of the system. Read by our build and by the installed package.
if(NOT TARGET mechane::qhull_r)
  find_library(MECHANE_QHULL_R qhull_r)
  if(NOT MECHANE_QHULL_R)
    if(DEFINED CMAKE_FIND_PACKAGE_NAME)  # the installed package says it where find_package does
      set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
      set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "libqhull_r is missing (Debian: libqhull-dev)")
      return()
    endif()
    message(FATAL_ERROR "libqhull_r is missing (Debian: libqhull-dev)")
  endif()
  add_library(mechane::qhull_r UNKNOWN IMPORTED GLOBAL)
  set_target_properties(mechane::qhull_r PROPERTIES IMPORTED_LOCATION "${MECHANE_QHULL_R}")
endif()

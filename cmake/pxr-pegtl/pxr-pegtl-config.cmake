# The pxr-pegtl-dev package exists only as source; nothing that we include needs its headers.
if(NOT TARGET pxr::pegtl)
  add_library(pxr::pegtl INTERFACE IMPORTED)
endif()

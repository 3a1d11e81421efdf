# mechane_bundle_openusd(<program> [DESTINATION <folder>])
#
# Copies OpenUSD's libraries and plug-in files beside a program in its build tree, so that both can be moved together.
# With DESTINATION they are installed there as well, which is where `install(TARGETS <program> DESTINATION <folder>)` puts the program.
function(mechane_bundle_openusd program)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DESTINATION" "")
  get_property(folder GLOBAL PROPERTY MECHANE_OPENUSD_DIR)
  set_target_properties(${program} PROPERTIES MECHANE_BUNDLED ON
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/openusd/pxr/.libs" INSTALL_RPATH_USE_LINK_PATH OFF)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_directory "${folder}" "$<TARGET_FILE_DIR:${program}>/openusd")
  if(ARG_DESTINATION)
    install(DIRECTORY "${folder}/" DESTINATION "${ARG_DESTINATION}/openusd")
  endif()
endfunction()

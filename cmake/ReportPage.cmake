# The empty page of `trnsim report`, built from sim/report/web with the libraries that its package-lock.json pins,
# and embedded in trn_page_template. npm fetches once; after that only changed inputs are built again.
find_program(NODE NAMES node nodejs)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "trnsim report is built with Node.js and npm: scripts/install.sh installs them")
endif()

set(web ${CMAKE_SOURCE_DIR}/sim/report/web)
set(web_build ${CMAKE_BINARY_DIR}/report_web)
file(GLOB web_sources CONFIGURE_DEPENDS ${web}/*.js ${web}/charts/*.js ${web}/page.* ${web}/build.mjs)

add_custom_command(OUTPUT ${web_build}/modules.stamp
  COMMAND ${CMAKE_COMMAND} -E copy ${web}/package.json ${web}/package-lock.json ${web_build}
  COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${web_build}/modules.stamp
  DEPENDS ${web}/package.json ${web}/package-lock.json
  WORKING_DIRECTORY ${web_build} COMMENT "Fetching the report page's libraries" VERBATIM)
add_custom_command(OUTPUT ${web_build}/template.html
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${web} ${web_build}
  COMMAND ${NODE} build.mjs template.html
  DEPENDS ${web_sources} ${web_build}/modules.stamp
  WORKING_DIRECTORY ${web_build} COMMENT "Building the report page" VERBATIM)
file(MAKE_DIRECTORY ${web_build})

set(TRNSIM_PAGE_TEMPLATE ${web_build}/template.html)
configure_file(${CMAKE_SOURCE_DIR}/cmake/page_template.cpp.in ${web_build}/page_template.cpp @ONLY)
add_library(trn_page_template STATIC ${web_build}/page_template.cpp)
set_source_files_properties(${web_build}/page_template.cpp PROPERTIES OBJECT_DEPENDS ${TRNSIM_PAGE_TEMPLATE})
target_link_libraries(trn_page_template PUBLIC trn_flags)
